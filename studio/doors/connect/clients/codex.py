"""Codex: its files and our entries in them, as proved by running 0.169.0."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from studio.doors.connect.clients.client import (
    HOOKS,
    SERVER,
    Entry,
    Habits,
    Switch,
    passed_on,
    server_entry,
    server_in,
    system_file,
)
from studio.doors.connect.hook_program import CLIENT_SECONDS
from studio.engine.documents import Spot


def codex(hook: Path) -> tuple[Entry, ...]:
    """Our entries, `hook` being our hook program for it."""
    chosen = os.environ.get("CODEX_HOME")
    folder = Path(chosen).absolute() if chosen else Path.home() / ".codex"
    # The user's login shell runs it, and some stay in between: the hook would wait for that one's end.
    handler = {"type": "command", "command": f"exec {shlex.quote(str(hook))}", "timeout": CLIENT_SECONDS}
    server: dict[str, object] = {**server_entry(), "default_tools_approval_mode": "approve"}
    if variables := passed_on():
        server["env"] = variables
    return (
        Entry(
            folder / "hooks.json",
            HOOKS,
            {"matcher": ".*", "hooks": [handler]},
            "Every tool it uses asks Exacta Studio first.",
        ),
        Entry(
            folder / "config.toml",
            Spot(("mcp_servers",), SERVER),
            server,
            "It is offered the tools of Exacta Studio, and uses them unasked.",
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
"""A project's file counts for it only once the project is trusted, and a file of a profile only where that is
named as it starts; here they count at once."""
UNSEEN: Final = (
    "It asks no hook for text that it types into a program that stays open.",
    "It writes where our hook program is gone or killed: it takes that for a yes.",
    "It skips a hook without a word that it does not trust, as after each change of the hook or its place.",
)
