"""Safe reading and writing of user files outside projects: agent configuration, state.

And our own files in the state folder. The user has seen each change before; the writer of project files
writes these as well.
"""

from __future__ import annotations

import os
import stat
import sys
import uuid
from contextlib import suppress
from pathlib import Path

from studio.engine.disk import DiskChange, TargetChanged, place_one
from studio.engine.disk.outside_files import check_outside
from studio.engine.disk.temporary_names import temporary_name
from studio.engine.root import ProjectRoot
from studio.engine.root.foreign_file import read_foreign_file
from studio.errors import Conflict, Refused
from studio.journal.file_image import FileImage, sha256
from studio.limits import HOME_FILE_BYTES
from studio.names import show_name
from studio.program.app_folders import own_directories, state_directory
from studio.system.os_errors import wrap_os_errors
from studio.system.own_files import make_own_folder, open_own_file, write_own_file
from studio.values import Value

_NEW_MODE = 0o600
"""Mode of a file that was missing, and of our own: an agent's configuration may hold keys."""


class HomeFile(Value):
    """A file outside of projects as it was read.

    `place` is its path with links resolved, `data` None where nothing is.
    """

    path: Path
    place: Path
    data: bytes | None
    mode: int = _NEW_MODE

    @property
    def is_linked(self) -> bool:
        """Whether a link is on the way to it."""
        return self.place != self.path

    @property
    def display_name(self) -> str:
        """Its name for sentences, with a link's target."""
        name = show_name(str(self.path))
        return f"{name} (a link to {show_name(str(self.place))})" if self.is_linked else name


def read_home_file(path: Path) -> HomeFile:
    """Read the file at a path, following links once, here.

    Never blocks on a special file. Raises NotAFile, Refused above HOME_FILE_BYTES or for a dangling link, or
    another FileError.
    """
    shown = show_name(str(path))
    with wrap_os_errors(f"{shown} can't be read"):
        place = Path(os.path.realpath(path))
        try:
            mode = stat.S_IMODE(place.stat().st_mode)
            return HomeFile(path, place, read_foreign_file(place, HOME_FILE_BYTES), mode)
        except FileNotFoundError:
            if path.is_symlink():
                raise Refused(
                    "file.dangling_link",
                    f"{shown} is a link to {show_name(str(place))}, where nothing is.",
                    "Remove the link, or create the file.",
                ) from None
            return HomeFile(path, place, None)


def check_home_file(file: HomeFile, *, is_own: bool = False) -> None:
    """Raise Refused for a file that is not the user's own.

    That is one in a project, in a git directory or among our own files, or where another user owns it or its
    folder. A link may lead into a repository that was never opened here: GNU stow and chezmoi store dotfiles
    so. `is_own`: it is the configuration of Exacta Studio, which is among our files, also where a person
    stores them all in git.
    """
    if not (is_own and any(file.place.is_relative_to(folder) for folder in own_directories())):
        check_outside(file.place, file.display_name, is_opened=file.is_linked)
    if sys.platform == "win32":
        return
    for path in (file.place, file.place.parent):
        with (
            wrap_os_errors(f"{file.display_name} can't be written"),
            suppress(FileNotFoundError, NotADirectoryError),
        ):
            if path.stat().st_uid != os.geteuid():
                raise Refused(
                    "file.other_owner",
                    f"{show_name(str(path))} belongs to another user; it was not changed.",
                    "Run the command as that user.",
                )


def replace_home_file(
    file: HomeFile, data: bytes | None, *, mode: int | None = None, is_own: bool = False
) -> None:
    """Replace a file at once and durably; `data` None removes it.

    Owner and attributes are kept, and the mode unless another one is given; `is_own` as for
    `check_home_file`. Raises Conflict where it is no longer as `file` has it, Refused as `check_home_file`,
    or a FileError; then nothing was changed.
    """
    check_home_file(file, is_own=is_own)
    with wrap_os_errors(f"{file.display_name} can't be written", it="its folder"):
        make_own_folder(file.place.parent)
    name = file.place.name
    placement = DiskChange(
        name,
        before=_build_image(file.data, file.mode),
        after=_build_image(data, file.mode if mode is None else mode),
        temporary=temporary_name(str(uuid.uuid4()), 1),
        like=name if file.data is not None else None,
    )
    with ProjectRoot(file.place.parent, lambda folder: folder) as root:
        try:
            place_one(root, placement, data)
        except TargetChanged as error:
            raise _file_changed(file) from error
    if read_home_file(file.place).data != data:
        raise _file_changed(file)


def find_missing_folder(file: HomeFile) -> str:
    """Return the topmost missing folder above a file.

    Writing the file creates it; "" where the file's folder exists.
    """
    missing = ""
    for folder in file.place.parents:
        if folder.exists():
            break
        missing = str(folder)
    return missing


def remove_empty_folders(file: HomeFile, topmost: str) -> None:
    """Remove the empty folders of a removed file, up to `topmost`."""
    if topmost and file.place.is_relative_to(topmost):
        with suppress(OSError):
            for folder in file.place.parents[: len(file.place.parents) - len(Path(topmost).parents)]:
                folder.rmdir()


def _build_image(data: bytes | None, mode: int) -> FileImage | None:
    return None if data is None else FileImage(sha256(data), len(data), mode)


def _file_changed(file: HomeFile) -> Conflict:
    return Conflict(
        "file.changed",
        f"{file.display_name} is no longer as it was shown.",
        "Try again, and check the new state.",
    )


def stored_file_path(name: str) -> Path:
    """Return the path of our own file in the state folder.

    For all projects; `name` has slashes.
    """
    return state_directory() / name


def read_stored_file(name: str) -> bytes | None:
    """Return what `write_stored_file` stored, None if missing.

    Raises as `read_home_file`.
    """
    return read_home_file(stored_file_path(name)).data


def write_stored_file(name: str, data: bytes, *, executable: bool = False) -> Path:
    """Store a file in the state folder, atomically, durably and private.

    Only its owner can read it. Raises FileError.
    """
    path = stored_file_path(name)
    with wrap_os_errors(f"{show_name(str(path))} can't be written"):
        write_own_file(path, data, mode=0o700 if executable else 0o600)
    return path


def make_own_file(file: Path) -> None:
    """Create a private file and its folder if they are missing.

    An existing file becomes private, too. Raises OSError.
    """
    make_own_folder(file.parent)
    handle = open_own_file(file, os.O_RDWR)
    try:
        if hasattr(os, "fchmod") and stat.S_IMODE(os.fstat(handle).st_mode) & ~_NEW_MODE:
            os.fchmod(handle, _NEW_MODE)
    finally:
        os.close(handle)


def remove_stored_file(name: str) -> None:
    """Remove what `write_stored_file` stored; ignore a missing file. Raises FileError."""
    path = stored_file_path(name)
    with wrap_os_errors(f"{show_name(str(path))} can't be removed"), suppress(FileNotFoundError):
        path.unlink()
