"""Path checks and creation of new files outside all projects.

They are created through no link. Project files are written by approved plans alone, and nothing that exists
is ever overwritten.
"""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from studio.engine.root import find_project_above, is_within_git, open_folder
from studio.errors import FileExists, NotFound, Refused
from studio.names import show_name
from studio.program.app_folders import own_directories
from studio.system import syscalls
from studio.system.os_errors import wrap_os_errors

# An agent may run the command with a name of its choice, such as a link to a file that a shell runs.
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | syscalls.O_NOFOLLOW | syscalls.O_CLOEXEC
_WITH_CONTENTS, _WITHOUT = 0o600, 0o644


def check_place(path: Path, *projects: Path) -> Path:
    """Return where a new file or folder would really be.

    Links on the way are followed once, here. Raises Refused for a link, or beneath `projects`, any other
    folder that would be chosen as a project's root, or our own folders.
    """
    shown = show_name(str(path))
    path = path.absolute()
    with wrap_os_errors(f"{shown} can't be written", it="its folder"):
        place = path.parent.resolve() / path.name
    if not path.name or path.name == ".." or place.is_symlink():
        raise Refused(
            "file.no_new_name",
            f"{shown} is not the name of a new file.",
            "Specify a file that does not exist yet.",
        )
    check_outside(place, shown, *projects)
    return place


def check_outside(place: Path, shown: str, *projects: Path, is_opened: bool = False) -> None:
    """Check that a resolved path is outside of projects and special folders.

    Raises Refused beneath `projects` or any other folder that would be chosen as a project's root, in a git
    directory, or among our own folders. `shown` is its name in the message, and `is_opened` is as for
    `find_project_above`.
    """
    project = find_project_above(place.parent, is_opened=is_opened)
    for folder in (*projects, *([project] if project is not None else [])):
        if place.is_relative_to(folder):
            raise Refused(
                "file.in_project",
                (f"{shown} is in the project {show_name(str(folder))}, where only approved plans may write."),
                "Choose a folder outside any project.",
            )
    if is_within_git(place.parent):
        raise Refused(
            "file.in_git_folder",
            f"{shown} is in a git folder, whose files git reads and runs.",
            "Choose another folder.",
        )
    if any(place.is_relative_to(folder) for folder in own_directories()):
        raise Refused(
            "file.in_own_folder",
            f"{shown} is among Exacta Studio's own files.",
            "Choose another folder.",
        )


def check_new_file(path: Path, *projects: Path) -> Path:
    """Run `check_place` for a file; raises NotFound and FileExists as well."""
    place, shown = check_place(path, *projects), show_name(str(path))
    with wrap_os_errors(f"{shown} can't be written", it="its folder"):
        if not place.parent.is_dir():
            raise NotFound(
                "file.no_folder", f"{shown} can't be written: it has no folder.", "Create the folder first."
            )
        if place.exists():
            raise FileExists(
                "file.exists", f"{shown} exists already; nothing was overwritten.", "Choose another name."
            )
    return place


@contextmanager
def new_file(path: Path, *projects: Path, contents: bool) -> Generator[BinaryIO]:
    """Create a new file to write to, and remove it on failure.

    `contents`: it will hold project content, so only its owner may read it. Raises as `check_new_file` does,
    and FileError where it can't be made or written.
    """
    place = check_new_file(path, *projects)
    with wrap_os_errors(f"{show_name(str(path))} can't be written", it="it"):
        folder = open_folder(place.parent)
        try:
            mode = _WITH_CONTENTS if contents else _WITHOUT
            handle = os.open(place.name, _NEW, mode, dir_fd=folder)
            try:
                with os.fdopen(handle, "wb") as file:
                    if contents:
                        os.fchmod(handle, mode)  # regardless of the umask
                    yield file
            except BaseException:
                with suppress(OSError):
                    os.unlink(place.name, dir_fd=folder)
                raise
        finally:
            os.close(folder)
