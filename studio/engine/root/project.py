"""The project's folder, held open: every read and every handle for a write starts here (R1, R25, design 5).

The path checks of `names` come first; this room holds even without them. What it can't see: a real folder
moved out of the project after its handle was taken.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path

from studio.engine.errors import InvalidPath, Refused
from studio.engine.names import show_name
from studio.engine.root.choosing import check_root
from studio.engine.root.entries import FileState, TreeEntry, Unseen, state_of
from studio.engine.root.opening import FOLDER_FLAGS, open_beneath, split
from studio.engine.root.reading import (
    digest_beneath,
    link_target_beneath,
    read_beneath,
    status_beneath,
)
from studio.engine.system import syscalls
from studio.engine.system.closing import Closing
from studio.engine.system.os_errors import failure

_ROOT_FLAGS = os.O_RDONLY | syscalls.O_DIRECTORY | syscalls.O_CLOEXEC


def identity_of(status: os.stat_result) -> str:
    """What tells a folder from any other that may come to its path: device and inode."""
    return f"{status.st_dev}:{status.st_ino}"


def lasting_identity(place: Path | int, status: os.stat_result) -> str:
    """The same beyond the next mount: the system numbers its devices anew each time, and only some file
    systems have a number of their own. Raises OSError."""
    number = os.statvfs(place).f_fsid
    return f"fs{number}:{status.st_ino}" if number else identity_of(status)


class FolderTooLarge(Refused):
    """A folder holds more entries than were asked for; they were not all listed."""


class ProjectRoot(Closing):
    """An open project folder. Close it, or use it as a context manager."""

    def __init__(self, path: Path, check: Callable[[Path], Path] = check_root) -> None:
        """Open the folder that `check` resolves, if it may be. Raises NotFound or Refused (contract 1)."""
        self.handle = -1
        try:
            self.path = check(path)
            self.handle = os.open(self.path, _ROOT_FLAGS)
            status = os.fstat(self.handle)
            self.lasting_identity = lasting_identity(self.handle, status)
        except OSError as error:
            self.close()
            raise failure(error, f"The folder {show_name(str(path))} can't be opened") from error
        self.identity = identity_of(status)

    def close(self) -> None:
        if self.handle >= 0:
            with suppress(OSError):  # it was only read from
                os.close(self.handle)
            self.handle = -1

    @cached_property
    def folds_case(self) -> bool:
        """Whether the volume takes two spellings that differ by case for one file (C5, R21).

        Asked of what is in the folder: the other spelling of a name leads somewhere though no entry is
        called so, or it does not. An empty folder is asked by its own name.
        """
        folds = _folds_case(self.handle)
        if folds is not None:
            return folds
        other = self.path.with_name(self.path.name.swapcase())
        return other != self.path and _identity(other) == self.identity

    def folds_case_in(self, folder: str) -> bool:
        """As `folds_case`, of one folder beneath the root: ext4 has folders that fold case beside others that
        do not, and another volume may be mounted there. One that is missing will be as the one above it."""
        if not folder or self.folds_case:
            return self.folds_case
        with suppress(OSError), self.folder(folder) as handle:
            if syscalls.inode_flags(handle) & syscalls.FS_CASE_FOLDED:
                return True
            if str(os.fstat(handle).st_dev) == self.identity.partition(":")[0]:
                return False
            folds = _folds_case(handle)
            if folds is not None:
                return folds
        return self.folds_case_in(folder.rpartition("/")[0])

    def is_still_there(self) -> bool:
        """Whether the path still names the folder that was opened."""
        return _identity(self.path) == self.identity

    def mounts(self) -> frozenset[str]:
        """The paths beneath the root at which something else is mounted, as far as the system tells."""
        prefix = os.fsencode(self.path) + b"/"
        return frozenset(
            os.fsdecode(place.removeprefix(prefix))
            for place in syscalls.mount_points()
            if place.startswith(prefix)
        )

    @contextmanager
    def folder(self, path: str) -> Generator[int]:
        """The handle of a folder beneath the root ("" is the root).

        Raises LeadsOutside for a link on the way, InvalidPath, FileNotFoundError, NotADirectoryError or
        another OSError.
        """
        handle = open_beneath(self.handle, path, FOLDER_FLAGS)
        try:
            yield handle
        finally:
            os.close(handle)

    @contextmanager
    def parent(self, path: str) -> Generator[tuple[int, bytes]]:
        """The handle of the folder that holds `path`, and the last component as bytes. Raises as `folder`."""
        if not path:
            raise InvalidPath(
                "path.root",
                "The project's folder itself is no file in it.",
                "Name a file inside the project.",
                path=path,
            )
        above, name = split(path)
        with self.folder(above) as handle:
            yield handle, name

    def state(self, path: str) -> FileState | None:
        """What is at `path` now; None if nothing is. Raises Refused for a link among its folders."""
        if not path:
            return state_of(os.fstat(self.handle))
        try:
            return state_of(status_beneath(self.handle, path))
        except (FileNotFoundError, NotADirectoryError):
            return None

    def read(self, path: str, limit: int) -> tuple[bytes, FileState]:
        """The exact bytes of a regular file of at most `limit` bytes, and what it was when it was opened.

        Raises Refused for links, folders, pipes, sockets, devices and larger files (known before anything
        is read), OSError where the system says no.
        """
        data, status = read_beneath(self.handle, path, limit, shown=path)
        return data, state_of(status)

    def read_bytes(self, path: str, limit: int) -> bytes:
        """The same bytes alone. Raises as `read`."""
        return read_beneath(self.handle, path, limit, shown=path)[0]

    def digest(self, path: str) -> tuple[str, FileState] | None:
        """SHA-256 and state of what is at `path`, read in pieces; None where nothing is.

        A folder, link or other special entry has the digest "". Raises Refused for a link among its
        folders, OSError where the system says no.
        """
        if not path:
            return "", state_of(os.fstat(self.handle))
        try:
            digest, status = digest_beneath(self.handle, path)
        except (FileNotFoundError, NotADirectoryError):
            return None
        return digest, state_of(status)

    def link_target(self, path: str) -> bytes | None:
        """What the symbolic link at `path` says, never what it leads to; None where none is (any more).

        Raises as `digest`.
        """
        try:
            return link_target_beneath(self.handle, path)
        except (FileNotFoundError, NotADirectoryError):
            return None

    def list_folder(self, path: str, *, up_to: int | None = None) -> tuple[TreeEntry, ...]:
        """The entries of one folder, folders first, then by name; links are listed, never entered.

        Raises as `folder`, and FolderTooLarge as soon as there are more than `up_to`.
        """
        prefix = f"{path}/" if path else ""
        entries: list[TreeEntry] = []
        with self.folder(path) as handle, os.scandir(handle) as found:
            for entry in found:
                if len(entries) == up_to:
                    raise FolderTooLarge(
                        "folder.too_large",
                        f"{show_name(path) or 'The folder'} holds more than {up_to:,} entries.",
                        "Name a folder that holds fewer.",
                        path=path,
                    )
                is_folder = entry.is_dir(follow_symlinks=False)
                size = 0
                with suppress(OSError):  # gone meanwhile
                    size = 0 if is_folder else entry.stat(follow_symlinks=False).st_size
                entries.append(TreeEntry(prefix + entry.name, is_folder, size, entry.is_symlink()))
        return tuple(sorted(entries, key=lambda entry: (not entry.is_folder, entry.name)))

    def walk(self, path: str = "") -> Iterator[TreeEntry | Unseen]:
        """Every entry beneath a folder, parents before children, however deep.

        A folder that can't be looked into is followed by an `Unseen`: what it holds is not among the entries.
        """
        # Not os.walk: below PATH_MAX it stops without a word (Python 3.11.7 saw 372 of
        # 1,200 levels), and a folder delete would take along what nobody was shown.
        pending = [path]
        while pending:
            folder = pending.pop()
            try:
                entries = self.list_folder(folder)
            except (OSError, Refused) as error:
                yield Unseen(folder, _why_unseen(folder, error))
                continue
            for entry in entries:
                yield entry
                if entry.is_folder:
                    pending.append(entry.path)


def _identity(path: Path) -> str:
    try:
        status = path.stat()
    except OSError:
        return ""
    return identity_of(status)


def _folds_case(handle: int) -> bool | None:
    """Whether a folder takes another spelling of a name in it for that name; None where none can tell."""
    if syscalls.inode_flags(handle) & syscalls.FS_CASE_FOLDED:
        return True
    with os.scandir(handle) as found:
        names = {entry.name for entry in found}
    # ASCII alone: which letters beyond it are one differs from volume to volume.
    for name in sorted(names):
        if name.swapcase() != name and name.isascii():
            return name.swapcase() not in names and _is_there(handle, name.swapcase())
    return None


def _is_there(folder: int, name: str) -> bool:
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except OSError:
        return False
    return True


def _why_unseen(folder: str, error: OSError | Refused) -> str:
    if isinstance(error, Refused):
        return error.message
    return failure(error, f"{show_name(folder) or 'The project'} can't be looked into", path=folder).message
