"""Qwen Code: its files and our entries in them, as proved by running 0.24.4.

- It runs a hook by bash, and takes the code 2 alone for a no, and that only where a reason is printed.
- A time of 1000 and more is milliseconds to it, a smaller one seconds.
- Whatever that time is, it goes on after 60 seconds with what it asked for: its message bus waits no longer.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from studio.doors.connect.clients.claude_code import DISABLE_ALL_HOOKS
from studio.doors.connect.clients.client import (
    HOOKS,
    Entry,
    Habits,
    Place,
    Switch,
    moves,
    server_in,
    starts_without,
    system_file,
)
from studio.doors.connect.clients.guarded import COMMAND_FILES, guarded_entries
from studio.engine.documents import Spot

HOOK_SECONDS: Final = 54
"""When our hook program gives up, counted from its start, before Qwen Code does."""
PERSON_SECONDS: Final = 45
"""How long a person is waited for; between both our program starts, which a busy machine makes slow."""


def qwen(hook: Path) -> tuple[Entry, ...]:
    """Our entries, `hook` being our hook program for it."""
    chosen = os.environ.get("QWEN_HOME")
    settings = (Path(chosen).absolute() if chosen else Path.home() / ".qwen") / "settings.json"
    return guarded_entries(settings, HOOKS, "*", hook)


def _servers(own: Entry, folder: Path) -> Iterator[Place]:
    for name in (".qwen/settings.json", ".mcp.json"):
        yield from server_in(name)(own, folder)
    for each in sorted(own.path.parent.glob("extensions/*/qwen-extension.json")):
        yield each, own.spot


_FILES: Final = ("QWEN_CODE_SYSTEM_SETTINGS_PATH", "QWEN_CODE_SYSTEM_DEFAULTS_PATH")


def _system() -> Iterator[Path]:
    for name, variable in zip(("settings.json", "system-defaults.json"), _FILES, strict=True):
        yield system_file(f"qwen-code/{name}", variable)


_SANDBOX: Final = Switch(
    Spot(("tools",), "executionSandbox"), lambda value, _command: isinstance(value, dict)
)
"""With its own sandbox for tools it runs no hook at all; a project can't choose that."""
HABITS: Final = Habits(
    _servers,
    (
        DISABLE_ALL_HOOKS,
        *moves("QWEN_HOME", *_FILES),
        *starts_without("QWEN_CODE_SIMPLE", "QWEN_CODE_SAFE_MODE"),
    ),
    (".qwen/settings.json", ".qwen/.env", ".env"),
    (".env",),
    _system,
    (_SANDBOX,),
    (_SANDBOX,),
)
UNSEEN: Final = (
    "It writes where the shell that runs our hook is killed: it takes that for a yes.",
    COMMAND_FILES,
)
