"""Codex, tried: as seen by running 0.171.0.

Words of its command line override its settings, but for those of a profile and the system's managed ones.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from studio.doors.agents.app_server import AppServer
from studio.doors.agents.script import Call
from studio.doors.connect.clients.client import system_file
from studio.doors.connect.clients.codex import codex
from studio.doors.connect.codex_trust import hook_that_runs, is_trusted, trust
from studio.doors.doctor.tried import TARGET, Override, OwnSettings, Place, TriedClient, shell_killed
from studio.engine.documents import Spot

# How Codex is told to take a server on loopback for its model. Found by running Codex 0.169.0.

MODEL: Final = "gpt-5.5"
"""The name of a model that it knows: to one that it doesn't know it offers no `apply_patch`."""

KEY: Final[Mapping[str, str]] = {"SCRIPTED_MODEL_KEY": "scripted"}
"""The variable in which it looks for the key of that model."""


def model_options(url: str) -> list[str]:
    """The words with which it takes a server at that address for its model, and calls nobody else.

    Its home stays as it is.
    """
    provider = {
        "name": "scripted",
        "base_url": f"{url}/v1",
        "wire_api": "responses",
        "env_key": next(iter(KEY)),
        "supports_websockets": False,
    }
    settings: dict[str, Any] = {
        "model": MODEL,
        "model_provider": "scripted",
        "check_for_update_on_startup": False,
        "analytics.enabled": False,
        # Else its sandbox makes /tmp/.git for a moment, and whatever lies beside is in a repository.
        "sandbox_workspace_write.exclude_slash_tmp": True,
        "sandbox_workspace_write.exclude_tmpdir_env_var": True,
        **{f"model_providers.scripted.{key}": value for key, value in provider.items()},
    }
    # Words and truth values are the same in JSON and in TOML.
    return [word for key, value in settings.items() for word in ("-c", f"{key}={json.dumps(value)}")]


def _patch(_project: Path) -> tuple[Call, ...]:
    hunk = "@@\n alpha\n-beta\n+BETA\n gamma\n"
    return (Call("apply_patch", f"*** Begin Patch\n*** Update File: {TARGET}\n{hunk}*** End Patch\n"),)


def _set_up_codex(place: Place, entries: Sequence[Mapping[str, object]]) -> None:
    folder = place.home / ".codex"
    folder.mkdir()
    (folder / "hooks.json").write_text(json.dumps({"hooks": {"PreToolUse": entries}}), encoding="utf-8")
    _trust_hooks(place, entries)


def _trust_hooks(place: Place, entries: Sequence[Mapping[str, object]]) -> None:
    """Trust each hook as a person does: without that it is passed over."""
    if not entries:
        return
    command = ["codex", *model_options(place.url), "app-server"]
    with AppServer(command, place.project, {**place.environment, **KEY}) as server:
        for handler in _commands(entries):
            found = hook_that_runs(server, handler, place.project)
            if found is not None and not is_trusted(found):
                trust(server, found)


def _commands(entries: Sequence[Mapping[str, object]]) -> Sequence[str]:
    groups: list[dict[str, Any]] = json.loads(json.dumps(entries))
    return [handler["command"] for group in groups for handler in group["hooks"]]


def _codex(url: str) -> Sequence[str]:
    # Its sandbox is no part of the gate: what that stops, the gate need not.
    words = [
        "-c",
        'approval_policy="never"',
        "--json",
        "--skip-git-repo-check",
        "--sandbox",
        "danger-full-access",
        "Go on.",
    ]
    return ["codex", *model_options(url), "exec", *words]


def _of_codex(_url: str) -> Mapping[str, str]:
    return KEY


TRIED_CODEX: Final = TriedClient(
    program="codex",
    wish=_patch,
    entry=lambda hook: codex(hook)[0].value,
    set_up=_set_up_codex,
    command=_codex,
    variables=_of_codex,
    killed=shell_killed,
    own=OwnSettings(
        (".codex/hooks.json", ".codex/hooks"),
        (
            Override(lambda: [system_file("codex/managed_config.toml")]),
            Override(lambda: [Path.home() / ".codex/config.toml"], (Spot((), "profile"),)),
        ),
        prepare=_trust_hooks,
    ),
)
