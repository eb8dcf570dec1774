"""How each client is set up in an empty home, and started there to wish for a write.

What is written here was seen by running Claude Code 2.1.330 and Codex 0.169.0.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from studio.doors.agents.app_server import AppServer
from studio.doors.agents.codex_model import KEY, model_options
from studio.doors.agents.script import Call
from studio.doors.connect.codex_trust import hook_that_runs, is_trusted, trust

BEFORE: Final = "alpha\nbeta\ngamma\n"
TARGET: Final = "notes.txt"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a client is tried: a home and a project of its own, its environment, and its model's address."""

    home: Path
    project: Path
    environment: Mapping[str, str]
    url: str


@dataclass(frozen=True, slots=True)
class TriedClient:
    """How one client is tried.

    `wish` makes the tool call that would write the target, `set_up` writes our entry into the home, `command`
    is what is started, and `variables` what it must be told by its environment, from its model's address.
    """

    program: str
    wish: Callable[[Path], Call]
    set_up: Callable[[Place, Mapping[str, object]], None]
    command: Callable[[str], Sequence[str]]
    variables: Callable[[str], Mapping[str, str]]


def _edit(project: Path) -> Call:
    given = {"file_path": str(project / TARGET), "old_string": "beta", "new_string": "BETA"}
    return Call("Edit", given)


def _set_up_claude_code(place: Place, entry: Mapping[str, object]) -> None:
    folder = place.home / ".claude"
    folder.mkdir()
    settings: dict[str, Any] = {"hooks": {"PreToolUse": [entry]}}
    (folder / "settings.json").write_text(json.dumps(settings), encoding="utf-8")


def _claude_code(_url: str) -> Sequence[str]:
    return ["claude", "-p", "Go on.", "--output-format", "json", "--permission-mode", "bypassPermissions"]


def _of_claude_code(url: str) -> Mapping[str, str]:
    return {
        "ANTHROPIC_BASE_URL": url,
        "ANTHROPIC_API_KEY": "scripted",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_ERROR_REPORTING": "1",
        "DISABLE_TELEMETRY": "1",
        "IS_SANDBOX": "1",  # to root it grants this mode in a sandbox alone
    }


def _patch(_project: Path) -> Call:
    hunk = "@@\n alpha\n-beta\n+BETA\n gamma\n"
    return Call("apply_patch", f"*** Begin Patch\n*** Update File: {TARGET}\n{hunk}*** End Patch\n")


def _set_up_codex(place: Place, entry: Mapping[str, object]) -> None:
    """The hook, and its trust, as a person gives it: without that it is passed over."""
    folder = place.home / ".codex"
    folder.mkdir()
    (folder / "hooks.json").write_text(json.dumps({"hooks": {"PreToolUse": [entry]}}), encoding="utf-8")
    command = ["codex", *model_options(place.url), "app-server"]
    with AppServer(command, place.project, {**place.environment, **KEY}) as server:
        for handler in _commands(entry):
            found = hook_that_runs(server, handler, place.project)
            if found is not None and not is_trusted(found):
                trust(server, found)


def _commands(entry: Mapping[str, object]) -> Sequence[str]:
    members: dict[str, Any] = json.loads(json.dumps(entry))
    return [handler["command"] for handler in members["hooks"]]


def _codex(url: str) -> Sequence[str]:
    # Its sandbox is no part of the gate: what that stops, the gate need not.
    words = ["--json", "--skip-git-repo-check", "--sandbox", "danger-full-access", "Go on."]
    return ["codex", *model_options(url), "exec", *words]


def _of_codex(_url: str) -> Mapping[str, str]:
    return KEY


TRIED_CLIENTS: Final[Mapping[str, TriedClient]] = {
    "claude-code": TriedClient("claude", _edit, _set_up_claude_code, _claude_code, _of_claude_code),
    "codex": TriedClient("codex", _patch, _set_up_codex, _codex, _of_codex),
}
"""By the name that `connect` takes."""
