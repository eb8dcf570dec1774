"""Gemini CLI: its files and our entries in them, as proved by running 0.61.0.

- It runs a hook by bash, and takes the codes from 2 on for a no where anything is printed: a code alone, and
  a hook that is killed, is a yes.
- Its times are milliseconds.
- In a folder that its user does not trust it asks no hook at all, the user's own neither: it asks its user.
- It merges the settings of all levels: where one has something else than an object for all hooks, that takes
  the place of every hook before it. A list for one event is appended.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Final, cast

from studio.doors.connect.clients.client import (
    Entry,
    Habits,
    OffReason,
    Place,
    Switch,
    moves,
    server_in,
    system_file,
)
from studio.doors.connect.clients.guarded import COMMAND_FILES, guarded_entries
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


_TRUSTED: Final = "GEMINI_CLI_TRUSTED_FOLDERS_PATH"
_FILES: Final = ("GEMINI_CLI_SYSTEM_SETTINGS_PATH", "GEMINI_CLI_SYSTEM_DEFAULTS_PATH")


def _system() -> Iterator[Path]:
    for name, variable in zip(("settings.json", "system-defaults.json"), _FILES, strict=True):
        yield system_file(f"gemini-cli/{name}", variable)


def _trust(own: Entry, project: Path) -> Iterator[tuple[Path, Switch]]:
    chosen = os.environ.get(_TRUSTED)
    path = Path(chosen).absolute() if chosen else own.path.with_name("trustedFolders.json")

    def is_untrusted(said: object, _command: str) -> bool:
        """What is said of the nearest folder around the project counts, and of any below it."""
        folders = cast("dict[str, object]", said) if isinstance(said, dict) else {}
        around = next((str(each) for each in (project, *project.parents) if str(each) in folders), "")
        below = (folder for folder in folders if project in Path(folder).parents)
        return any(folders.get(folder) == "DO_NOT_TRUST" for folder in (around, *below))

    yield path, Switch(Spot((), None), is_untrusted, OffReason.UNTRUSTED)


def _restricts(**variables: str) -> Iterator[Switch]:
    """Yield switches for entries of the environment by which no folder is trusted."""
    for name, word in variables.items():
        turns_off = partial(_is_word, word)
        yield Switch(Spot(("env",), name), turns_off, OffReason.UNTRUSTED)


def _is_word(word: str, value: object, _command: str) -> bool:
    return value == word


def _is_named(value: object, command: str) -> bool:
    return not isinstance(value, list) or command in cast("list[object]", value)


HABITS: Final = Habits(
    _servers,
    (
        Switch(
            Spot(("hooksConfig",), "enabled"),
            lambda value, _command: value is not True,
        ),
        Switch(Spot(("hooksConfig",), "disabled"), _is_named),
        Switch(Spot((), HOOKS.keys[0]), lambda value, _command: not isinstance(value, dict)),
        *_restricts(GEMINI_RESTRICTED_MODE="true", GEMINI_CLI_TRUST_WORKSPACE="false"),
        *moves("GEMINI_CLI_HOME", _TRUSTED, *_FILES),
    ),
    (".gemini/settings.json", ".gemini/.env", ".env"),
    (".env",),
    _system,
    elsewhere=_trust,
)
UNSEEN: Final = (
    "It writes where the shell that runs our hook is killed: it takes that for a yes.",
    "In a folder that you told it not to trust it asks no hook, but you.",
    COMMAND_FILES,
)
