"""opencode: its files and our entries in them, as proved by running 1.18.33.

- It loads every file of its folder for plugins, and asks each before it uses a tool, those of a subagent and
  of any server as well. Where there is a plugin it fetches its own package for plugins at its first start.
- It offers its model a tool as its server's name, an underscore and the tool's own name.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from studio.doors.connect.clients.client import (
    SERVER,
    Entry,
    Habits,
    Place,
    passed_on,
    server_in,
)
from studio.doors.connect.opencode_plugin import opencode_plugin
from studio.engine.documents import WHOLE, Spot
from studio.engine.own_program import own_command

PLUGIN: Final = "plugins/exacta-studio.js"
_SETTINGS: Final = ("opencode.json", "opencode.jsonc")


def opencode(hook: Path) -> tuple[Entry, ...]:
    """Our entries, `hook` being our hook program for it."""
    chosen = os.environ.get("XDG_CONFIG_HOME")
    folder = (Path(chosen).absolute() if chosen else Path.home() / ".config") / "opencode"
    files = [folder / name for name in _SETTINGS]
    words = [*own_command(), "mcp"]
    server: dict[str, object] = {"type": "local", "command": words, "enabled": True}
    if variables := passed_on():
        server["environment"] = variables
    return (
        Entry(
            folder / PLUGIN,
            WHOLE,
            {"content": opencode_plugin(hook)},
            "Every tool it uses asks Exacta Studio first.",
        ),
        Entry(
            next((file for file in files if file.exists()), files[0]),
            Spot(("mcp",), SERVER),
            server,
            "It is offered the tools of Exacta Studio.",
        ),
    )


def _servers(own: Entry, folder: Path) -> Iterator[Place]:
    for name in _SETTINGS:
        yield from server_in(name)(own, folder)
        yield from server_in(f".opencode/{name}")(own, folder)
        if own.path.name != name:
            yield own.path.with_name(name), own.spot


HABITS: Final = Habits(_servers)
UNSEEN: Final = (
    "A plugin that can't be loaded is skipped without a word.",
    "Shell commands in a command file run as you type its name, and ask nobody.",
    "Other plugins and tools of its own, yours and a project's, are code that it runs unasked.",
)
