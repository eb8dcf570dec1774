"""Files of the user's own outside of every project, such as an agent's configuration; and what is kept of it.

A person has seen the change before; what writes a project's files writes these as well (contract 9).
"""

from __future__ import annotations

import os
import stat
import sys
import uuid
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from studio.engine.app_folders import own_directories, state_directory
from studio.engine.disk import Displaced, Placement, place_one
from studio.engine.disk.temporary_names import temporary_name
from studio.engine.errors import Conflict, Refused
from studio.engine.limits import HOME_FILE_BYTES
from studio.engine.names import show_name
from studio.engine.new_files import check_outside
from studio.engine.plan import FileImage, sha256
from studio.engine.root import ProjectRoot
from studio.engine.root.foreign_file import read_foreign_file
from studio.engine.system.os_errors import told
from studio.engine.system.own_files import make_own_folder, open_own_file, write_own_file

_NEW_MODE = 0o600
"""Of a file that was missing, and of one of ours: what configures an agent may hold keys."""


@dataclass(frozen=True, slots=True)
class HomeFile:
    """A file as it was read: `place` is where links lead to, `data` None where nothing is."""

    path: Path
    place: Path
    data: bytes | None
    mode: int = _NEW_MODE

    @property
    def is_linked(self) -> bool:
        """Whether a link is on the way to it."""
        return self.place != self.path

    @property
    def shown(self) -> str:
        """Its name for sentences, with where a link leads."""
        name = show_name(str(self.path))
        return f"{name} (a link to {show_name(str(self.place))})" if self.is_linked else name


def read_home_file(path: Path) -> HomeFile:
    """The file at a path; links on the way are followed once, here. Waits for nobody, whatever is there.

    Raises NotAFile, Refused above HOME_FILE_BYTES or for a link that leads nowhere, or another FileError.
    """
    shown = show_name(str(path))
    with told(f"{shown} can't be read"):
        place = Path(os.path.realpath(path))
        try:
            mode = stat.S_IMODE(place.stat().st_mode)
            return HomeFile(path, place, read_foreign_file(place, HOME_FILE_BYTES), mode)
        except FileNotFoundError:
            if path.is_symlink():
                raise Refused(
                    "file.dangling_link",
                    f"{shown} is a link to {show_name(str(place))}, where nothing is.",
                    "Remove the link, or make the file.",
                ) from None
            return HomeFile(path, place, None)


def check_home_file(file: HomeFile, *, is_own: bool = False) -> None:
    """Raises Refused where it is not the user's own: in a project, in a folder of git's, among our own files,
    or where another user owns it or its folder. A link may lead into a repository that was never opened here:
    GNU stow and chezmoi keep dotfiles so. `is_own`: it is the configuration of Exacta Studio, which lies
    among these, also where a person keeps them all in git."""
    if not (is_own and any(file.place.is_relative_to(folder) for folder in own_directories())):
        check_outside(file.place, file.shown, is_opened=file.is_linked)
    if sys.platform == "win32":
        return
    for path in (file.place, file.place.parent):
        with told(f"{file.shown} can't be written"), suppress(FileNotFoundError, NotADirectoryError):
            if path.stat().st_uid != os.geteuid():
                raise Refused(
                    "file.other_owner",
                    f"{show_name(str(path))} belongs to another user; it is not changed.",
                    "Run the command as that user.",
                )


def replace_home_file(
    file: HomeFile, data: bytes | None, *, mode: int | None = None, is_own: bool = False
) -> None:
    """Put `data` in its place, None for no file: at once and durable, with owner and attributes kept, and its
    mode, unless another one is given; `is_own` as for `check_home_file`.

    Raises Conflict where it is no longer as `file` has it, Refused as `check_home_file`, or a FileError; then
    nothing was changed.
    """
    check_home_file(file, is_own=is_own)
    with told(f"{file.shown} can't be written", it="its folder"):
        make_own_folder(file.place.parent)
    name = file.place.name
    placement = Placement(
        name,
        before=_image(file.data, file.mode),
        after=_image(data, file.mode if mode is None else mode),
        temporary=temporary_name(str(uuid.uuid4()), 1),
        like=name if file.data is not None else None,
    )
    with ProjectRoot(file.place.parent, lambda folder: folder) as root:
        try:
            place_one(root, placement, data)
        except Displaced as error:
            raise _changed(file) from error
    if read_home_file(file.place).data != data:
        raise _changed(file)


def missing_above(file: HomeFile) -> str:
    """The topmost missing folder around a file, which writing it makes; "" where its folder is there."""
    missing = ""
    for folder in file.place.parents:
        if folder.exists():
            break
        missing = str(folder)
    return missing


def remove_empty_folders(file: HomeFile, topmost: str) -> None:
    """Remove the folders of a file that is gone, up to that one, as far as nothing else is in them."""
    if topmost and file.place.is_relative_to(topmost):
        with suppress(OSError):
            for folder in file.place.parents[: len(file.place.parents) - len(Path(topmost).parents)]:
                folder.rmdir()


def _image(data: bytes | None, mode: int) -> FileImage | None:
    return None if data is None else FileImage(sha256(data), len(data), mode)


def _changed(file: HomeFile) -> Conflict:
    return Conflict(
        "file.changed",
        f"{file.shown} is no longer as it was shown.",
        "Try again, and look at what is shown then.",
    )


def kept_path(name: str) -> Path:
    """Where a file of ours lies in the state folder, for all projects; `name` has slashes."""
    return state_directory() / name


def read_kept(name: str) -> bytes | None:
    """What `keep` put there, None where nothing is. Raises as `read_home_file`."""
    return read_home_file(kept_path(name)).data


def keep(name: str, data: bytes, *, executable: bool = False) -> Path:
    """Keep a file in the state folder, for its owner alone, whole and durable. Raises FileError."""
    path = kept_path(name)
    with told(f"{show_name(str(path))} can't be written"):
        write_own_file(path, data, mode=0o700 if executable else 0o600)
    return path


def make_own_file(file: Path) -> None:
    """Make a file and its folder where they are missing; the file is its owner's alone afterwards.

    Raises OSError.
    """
    make_own_folder(file.parent)
    handle = open_own_file(file, os.O_RDWR)
    try:
        if hasattr(os, "fchmod") and stat.S_IMODE(os.fstat(handle).st_mode) & ~_NEW_MODE:
            os.fchmod(handle, _NEW_MODE)
    finally:
        os.close(handle)


def drop_kept(name: str) -> None:
    """Remove what `keep` put there; nothing happens if it is gone. Raises FileError."""
    path = kept_path(name)
    with told(f"{show_name(str(path))} can't be removed"), suppress(FileNotFoundError):
        path.unlink()
