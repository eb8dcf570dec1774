"""Gemini CLI: its files and our entries in them, as proved by running 0.61.0.

- It runs a hook by bash, and takes the codes from 2 on for a no where anything is printed: a code alone, and
  a hook that is killed, is a yes.
- Its times are milliseconds.
- In a folder that its user does not trust it asks no hook at all, the user's own neither: it asks its user.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final, cast

from studio.doors.connect.clients.client import (
    Entry,
    Habits,
    Place,
    Switch,
    server_in,
)
from studio.doors.connect.clients.guarded import guarded_entries
from studio.engine.documents import Spot

HOOKS: Final = Spot(("hooks", "BeforeTool"), None)


def gemini(hook: Path) -> tuple[Entry, ...]:
    """Our entries, `hook` being our hook program for it."""
    chosen = os.environ.get("GEMINI_CLI_HOME")
    settings = (Path(chosen).absolute() if chosen else Path.home()) / ".gemini/settings.json"
    return guarded_entries(settings, HOOKS, ".*", hook)


def _servers(own: Entry, folder: Path) -> Iterator[Place]:
    yield from server_in(".gemini/settings.json")(own, folder)
    for each in sorted(own.path.parent.glob("extensions/*/gemini-extension.json")):
        yield each, own.spot


def _trust(own: Entry, project: Path) -> Iterator[tuple[Path, Switch]]:
    """What is said of the project itself, or else of the nearest folder around it."""
    for each in (project, *project.parents):
        spot = Spot((), str(each))
        yield own.path.with_name("trustedFolders.json"), Switch("DO_NOT_TRUST", spot, _is_not_trusted)


def _is_not_trusted(value: object, _command: str) -> bool:
    return value == "DO_NOT_TRUST"


def _is_named(value: object, command: str) -> bool:
    return not isinstance(value, list) or command in cast("list[object]", value)


HABITS: Final = Habits(
    _servers,
    (
        Switch(
            "hooksConfig.enabled",
            Spot(("hooksConfig",), "enabled"),
            lambda value, _command: value is not True,
        ),
        Switch("hooksConfig.disabled", Spot(("hooksConfig",), "disabled"), _is_named),
    ),
    (".gemini/settings.json",),
    _trust,
)
UNSEEN: Final = (
    "It writes where the shell that runs our hook is killed: it takes that for a yes.",
    "In a folder that you told it not to trust it asks no hook, but you.",
    "A line hooksConfig, in your settings or a project's, can turn its hooks off: then it asks nobody.",
)
