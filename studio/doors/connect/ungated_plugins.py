"""Search for opencode plugins and tools that run without approval.

Found by running opencode 1.18.33: `--pure` and OPENCODE_DISABLE_PROJECT_CONFIG keep one of its two loaders
from plugins; the other one loads them all the same, those of a project too.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final, cast

from studio import documents
from studio.documents import Unreadable
from studio.doors.clients.known import client_of
from studio.doors.clients.opencode import OPENCODE
from studio.doors.connect.whole_file import content_of
from studio.errors import Refused
from studio.extras.home_files import HomeFile, read_home_file

_FOLDERS: Final = ("plugin", "plugins", "tool", "tools")
_ENDINGS: Final = (".js", ".ts")
_SETTINGS: Final = ("opencode.json", "opencode.jsonc")
_NAMED: Final = ("plugin", "plugins")
"""The keys for the list of plugins in older and newer settings."""


def find_unasked_code(project: Path) -> str:
    """Return the first file with an opencode plugin or tool, or "".

    The name is for messages. Searches the user's folders and those of the project. Raises Refused for
    settings that can't be read, or a FileError.
    """
    our_plugin = client_of(OPENCODE.name).entries[0]
    for folder in _folders(project):
        for name in _FOLDERS:
            for path in _code_in(folder / name):
                file = read_home_file(path)
                # Our own plugin does nothing until it is called, and with `--pure` none is.
                if path.is_symlink() or path != our_plugin.path or file.data != content_of(our_plugin.value):
                    return file.display_name
    for path in _settings(project):
        file = read_home_file(path)
        if _names_plugins(file):
            return file.display_name
    return ""


def _user() -> Iterator[Path]:
    chosen = os.environ.get("XDG_CONFIG_HOME")
    yield (Path(chosen) if chosen else Path.home() / ".config") / "opencode"
    if more := os.environ.get("OPENCODE_CONFIG_DIR"):
        yield Path(more)
    yield Path.home() / ".opencode"


def _parent_folders(project: Path) -> Iterator[Path]:
    for path in dict.fromkeys((project, project.resolve())):
        yield from (path, *path.parents)


def _folders(project: Path) -> Iterator[Path]:
    yield from _user()
    yield from (folder / ".opencode" for folder in _parent_folders(project))


def _settings(project: Path) -> Iterator[Path]:
    if chosen := os.environ.get("OPENCODE_CONFIG"):
        yield Path(chosen).absolute()
    for folder in (*_folders(project), *_parent_folders(project)):
        yield from (folder / name for name in _SETTINGS)


def _code_in(folder: Path) -> Iterator[Path]:
    try:
        yield from sorted(file for file in folder.iterdir() if file.suffix in _ENDINGS)
    except OSError:
        return


def _names_plugins(file: HomeFile) -> bool:
    try:
        settings = documents.read(file.path.name, file.data)
    except Unreadable as error:
        raise Refused(
            "connect.unreadable",
            f"{file.display_name} can't be read and may load a plugin into opencode: {error}.",
            "Fix the file there.",
        ) from error
    if not isinstance(settings, dict):
        return False
    return any(cast("dict[str, object]", settings).get(name) for name in _NAMED)
