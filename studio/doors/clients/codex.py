"""Codex definition: configuration entries, hook tools, test setup and ACP agent."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from studio.documents import JsonExtra, Spot
from studio.doors.agents.app_server import AppServer
from studio.doors.agents.script import Call
from studio.doors.clients.client import (
    HOOKS,
    SERVER,
    TARGET,
    AcpAgent,
    Entry,
    Habits,
    KnownClient,
    Override,
    OwnSettings,
    Switch,
    TrialClient,
    TrialEnvironment,
    inherited_variables,
    server_entry,
    server_in,
    shell_killed,
    system_file,
)
from studio.doors.clients.codex_trust import hook_that_runs, is_trusted, trust
from studio.doors.clients.hook_program import CLIENT_SECONDS
from studio.doors.hooks.known_tools import CODEX_TOOLS


def codex(hook: Path) -> tuple[Entry, ...]:
    """Return our entries for our hook program at `hook`."""
    chosen = os.environ.get("CODEX_HOME")
    folder = Path(chosen).absolute() if chosen else Path.home() / ".codex"
    # The user's login shell runs it, and some stay as its parent: the hook would wait for that shell's end.
    handler = {"type": "command", "command": f"exec {shlex.quote(str(hook))}", "timeout": CLIENT_SECONDS}
    server: dict[str, object] = {**server_entry(), "default_tools_approval_mode": "approve"}
    if variables := inherited_variables():
        server["env"] = variables
    return (
        Entry(
            folder / "hooks.json",
            HOOKS,
            {"matcher": ".*", "hooks": [handler]},
            "Each tool call asks Exacta Studio first.",
        ),
        Entry(
            folder / "config.toml",
            Spot(("mcp_servers",), SERVER),
            server,
            "Adds the tools of Exacta Studio, allowed without asking.",
        ),
    )


def _system() -> Iterator[Path]:
    for name in ("config.toml", "managed_config.toml", "requirements.toml"):
        yield system_file(f"codex/{name}")


HABITS: Final = Habits(
    server_in(".codex/config.toml"),
    tuple(
        Switch(Spot(("features",), name), lambda value, _command: value is False)
        for name in ("hooks", "codex_hooks")
    ),
    (".codex/config.toml",),
    ("config.toml", "*.config.toml"),
    _system,
    system_switches=(Switch(Spot((), "allow_managed_hooks_only"), lambda value, _command: value is True),),
)
"""All of its settings files, assumed to apply.

Codex uses a project's file only once the project is trusted, and a profile's file only where that is named at
its start.
"""
UNSEEN: Final = (
    "Input to a program that keeps running does not ask the hook.",
    "It writes if our hook program is missing or killed.",
    "It silently skips a hook that it does not trust, as after each change of the hook or its path.",
)


# Test setup, seen by running 0.171.0: arguments override its settings, except those of a profile and the
# system's managed ones.

# Options that make Codex use a server on loopback as its model. Found by running Codex 0.169.0.

MODEL: Final = "gpt-5.5"
"""A model name that Codex knows.

An unknown one is offered no `apply_patch`.
"""

KEY: Final[Mapping[str, str]] = {"SCRIPTED_MODEL_KEY": "scripted"}
"""The variable from which it reads that model's key."""


def model_options(url: str) -> list[str]:
    """Return arguments that make Codex use only this model server.

    Its home stays unchanged.
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
        # Else its sandbox creates /tmp/.git for a moment, and everything beside it is in a repository.
        "sandbox_workspace_write.exclude_slash_tmp": True,
        "sandbox_workspace_write.exclude_tmpdir_env_var": True,
        **{f"model_providers.scripted.{key}": value for key, value in provider.items()},
    }
    # Strings and booleans are the same in JSON and in TOML.
    return [word for key, value in settings.items() for word in ("-c", f"{key}={json.dumps(value)}")]


def _patch(_project: Path) -> tuple[Call, ...]:
    hunk = "@@\n alpha\n-beta\n+BETA\n gamma\n"
    return (Call("apply_patch", f"*** Begin Patch\n*** Update File: {TARGET}\n{hunk}*** End Patch\n"),)


def _set_up_codex(place: TrialEnvironment, entries: Sequence[Mapping[str, object]]) -> None:
    folder = place.home / ".codex"
    folder.mkdir()
    (folder / "hooks.json").write_text(json.dumps({"hooks": {"PreToolUse": entries}}), encoding="utf-8")
    _trust_hooks(place, entries)


def _trust_hooks(place: TrialEnvironment, entries: Sequence[Mapping[str, object]]) -> None:
    """Trust each hook as a user does: untrusted ones are skipped."""
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
    # Its sandbox is not part of the gate under test.
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


TRIED_CODEX: Final = TrialClient(
    program="codex",
    scripted_calls=_patch,
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


ACP: Final = AcpAgent(
    "Codex",
    "codex-acp",
    "read-only",
    writes_through_client=False,
    denial_ends_turn=True,
    instead="studio agent codex",
    reported_name="@agentclientprotocol/codex-acp",
    command=("codex-acp",),
)


CODEX: Final = KnownClient(
    name="codex",
    title="Codex",
    program="codex",
    entries=codex,
    habits=HABITS,
    unseen=UNSEEN,
    json_extra=JsonExtra.NONE,  # seen: 0.171.0 skips any other hooks.json with a warning
    tried=TRIED_CODEX,
    tools=CODEX_TOOLS,
    acp=ACP,
    settings_variable="CODEX_HOME",
)
