"""ProjectRoot: open project folder with file reads, listings and folder walks.

The path checks of `names` come first; this package is safe even without them. It can't detect a real folder
that is moved out of the project after its handle was taken.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path

from studio.engine.root.choosing import check_root
from studio.engine.root.entries import FileState, TreeEntry, Unseen, state_of
from studio.engine.root.entry_kind import EntryKind
from studio.engine.root.opening import FOLDER_FLAGS, open_beneath, split
from studio.engine.root.reading import (
    hash_beneath,
    link_target_beneath,
    read_beneath,
    read_status_beneath,
)
from studio.errors import FileError, InvalidPath, Refused, StudioError
from studio.names import is_reserved, parse_name, show_name
from studio.system import syscalls
from studio.system.closing import Closing
from studio.system.os_errors import failure

_ROOT_FLAGS = os.O_RDONLY | syscalls.O_DIRECTORY | syscalls.O_CLOEXEC


def identity_of(status: os.stat_result) -> str:
    """Return device and inode, which identify a folder at its path."""
    return f"{status.st_dev}:{status.st_ino}"


def lasting_identity(place: Path | int, status: os.stat_result) -> str:
    """Return an identity that survives remounting.

    Device numbers change with each mount, and only some file systems have an id of their own. Raises OSError.
    """
    number = os.statvfs(place).f_fsid
    return f"fs{number}:{status.st_ino}" if number else identity_of(status)


class FolderTooLarge(Refused):
    """Raised for a folder with more entries than requested; none is returned."""


class ProjectRoot(Closing):
    """An open project folder; close it or use it with `with`.

    `place` is a path at which our child processes can open it.
    """

    def __init__(self, path: Path, check: Callable[[Path], Path] = check_root) -> None:
        """Open the folder that `check` resolves.

        Raises FileError, or Refused as `check`.
        """
        self.handle = -1
        try:
            self.path = check(path)
            self.place = str(self.path)
            self.handle = os.open(self.path, _ROOT_FLAGS)
            status = os.fstat(self.handle)
            self.lasting_identity = lasting_identity(self.handle, status)
        except FileError:
            raise
        except OSError as error:
            self.close()
            raise failure(error, f"The folder {show_name(str(path))} can't be opened") from error
        self.identity = identity_of(status)

    def close(self) -> None:
        if self.handle >= 0:
            with suppress(OSError):  # only read from
                os.close(self.handle)
            self.handle = -1

    @cached_property
    def folds_case(self) -> bool:
        """Whether the volume takes spellings that differ in case for one file.

        Tested with what is in the folder: the other spelling of a name resolves though no entry has it, or it
        does not. For an empty folder its own name is tested.
        """
        folds = _detect_case_folding(self.handle)
        if folds is not None:
            return folds
        other = self.path.with_name(self.path.name.swapcase())
        return other != self.path and _read_identity(other) == self.identity

    def folds_case_in(self, folder: str) -> bool:
        """Return whether one folder beneath the root folds case.

        ext4 has folders that fold case beside others that do not, and another volume may be mounted there. A
        missing folder has the answer of its parent.
        """
        if not folder or self.folds_case:
            return self.folds_case
        with suppress(OSError), self.folder(folder) as handle:
            if syscalls.inode_flags(handle) & syscalls.FS_CASE_FOLDED:
                return True
            if str(os.fstat(handle).st_dev) == self.identity.partition(":")[0]:
                return False
            folds = _detect_case_folding(handle)
            if folds is not None:
                return folds
        return self.folds_case_in(folder.rpartition("/")[0])

    def is_path_unchanged(self) -> bool:
        """Return whether the path still names the folder that was opened."""
        return _read_identity(self.path) == self.identity

    def mounts(self) -> frozenset[str]:
        """Return the mount points beneath the root that the system reports."""
        prefix = os.fsencode(self.path) + b"/"
        return frozenset(
            os.fsdecode(place.removeprefix(prefix))
            for place in syscalls.mount_points()
            if place.startswith(prefix)
        )

    @contextmanager
    def folder(self, path: str) -> Generator[int]:
        """Open a folder beneath the root ("" is the root).

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
        """Open the parent of `path`; also yield the last name as bytes.

        Raises as `folder`.
        """
        if not path:
            raise InvalidPath(
                "path.root",
                "The path is the root folder itself, not a file in it.",
                "Specify a file inside it.",
                path=path,
            )
        above, name = split(path)
        with self.folder(above) as handle:
            yield handle, name

    def state(self, path: str) -> FileState | None:
        """Return the present state of `path`, or None if there is nothing.

        Raises Refused for a link among its folders.
        """
        if not path:
            return state_of(os.fstat(self.handle))
        try:
            return state_of(read_status_beneath(self.handle, path))
        except (FileNotFoundError, NotADirectoryError):
            return None

    def read(self, path: str, limit: int) -> tuple[bytes, FileState]:
        """Return the bytes of a regular file, and its state when opened.

        Raises Refused for links, folders, pipes, sockets, devices and files above `limit` bytes (checked
        before anything is read), OSError for a system error.
        """
        data, status = read_beneath(self.handle, path, limit, shown=path)
        return data, state_of(status)

    def read_bytes(self, path: str, limit: int) -> bytes:
        """Return the bytes alone; raises as `read`."""
        return read_beneath(self.handle, path, limit, shown=path)[0]

    def digest(self, path: str) -> tuple[str, FileState] | None:
        """Return SHA-256 and state of `path`, or None if there is nothing.

        Read in pieces. A folder, link or other special entry has the digest "". Raises Refused for a link
        among its folders, OSError for a system error.
        """
        if not path:
            return "", state_of(os.fstat(self.handle))
        try:
            digest, status = hash_beneath(self.handle, path)
        except (FileNotFoundError, NotADirectoryError):
            return None
        return digest, state_of(status)

    def link_target(self, path: str) -> bytes | None:
        """Return a symbolic link's own text, or None without a link.

        Raises as `digest`.
        """
        try:
            return link_target_beneath(self.handle, path)
        except (FileNotFoundError, NotADirectoryError):
            return None

    def list_folder(self, path: str, *, up_to: int | None = None) -> tuple[TreeEntry, ...]:
        """List one folder, folders first, then by name; links are not followed.

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
                        "Specify a folder with fewer.",
                        path=path,
                    )
                is_folder = entry.is_dir(follow_symlinks=False)
                size = 0
                with suppress(OSError):  # gone meanwhile
                    size = 0 if is_folder else entry.stat(follow_symlinks=False).st_size
                entries.append(TreeEntry(prefix + entry.name, is_folder, size, entry.is_symlink()))
        return tuple(sorted(entries, key=lambda entry: (not entry.is_folder, entry.name)))

    def walk(self, path: str = "") -> Iterator[TreeEntry | Unseen]:
        """Yield every entry beneath a folder, parents first, however deep.

        A folder that can't be read is followed by an `Unseen`: its contents are not among the entries.
        """
        # Not os.walk: beyond PATH_MAX it stops silently (Python 3.11.7 found 372 of 1,200 levels), and a
        # folder delete would then remove unreviewed files.
        pending = [path]
        while pending:
            folder = pending.pop()
            try:
                entries = self.list_folder(folder)
            except (OSError, Refused) as error:
                yield Unseen(folder, _unreadable_reason(folder, error))
                continue
            for entry in entries:
                yield entry
                if entry.is_folder:
                    pending.append(entry.path)


def _read_identity(path: Path) -> str:
    try:
        status = path.stat()
    except OSError:
        return ""
    return identity_of(status)


def _detect_case_folding(handle: int) -> bool | None:
    """Return whether a folder folds case, None if no name shows it."""
    if syscalls.inode_flags(handle) & syscalls.FS_CASE_FOLDED:
        return True
    with os.scandir(handle) as found:
        names = {entry.name for entry in found}
    # ASCII alone, because volumes differ in how they fold other letters.
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


def _unreadable_reason(folder: str, error: OSError | Refused) -> str:
    if isinstance(error, Refused):
        return error.message
    return failure(error, f"{show_name(folder) or 'The root folder'} can't be listed", path=folder).message


# Names reserved by Windows that a project on POSIX already has.


class ReservedNames:
    """Finder of entries with reserved names; reads each folder once.

    To stat the entry is not enough: "a.txt:b" may open a stream of a.txt on NTFS (ntfs-3g 2022.10.3 with
    streams_interface=windows), and a volume that folds case takes another name for this one.
    """

    def __init__(self, root: ProjectRoot, state: Callable[[str], FileState | None] | None = None) -> None:
        """Store the sources.

        `state` returns an entry as a layer over the root has it; the root must have it as well.
        """
        self._root = root
        self._state = state or root.state
        self._names: dict[str, frozenset[bytes]] = {}

    def check(self, path: str) -> bool:
        """Return whether a path is one of these names.

        Raises InvalidPath for any other that is refused.
        """
        try:
            parse_name(path)
        except InvalidPath:
            if not self.has(path):
                raise
            return True
        return False

    def has(self, path: str) -> bool:
        """Return whether a path is reserved and exists with exactly this name.

        It must be a file or a folder.
        """
        if os.name != "posix" or not is_reserved(path):
            return False
        try:
            state = self._state(path)
        except (StudioError, OSError):
            return False
        if state is None or state.kind not in (EntryKind.FILE, EntryKind.FOLDER):
            return False
        parts = path.split("/")
        return all(self._is_listed("/".join(parts[:count]), part) for count, part in enumerate(parts))

    def _is_listed(self, folder: str, name: str) -> bool:
        if folder not in self._names:
            names: frozenset[bytes] = frozenset()
            with suppress(StudioError, OSError):
                if not self._root.folds_case_in(folder):
                    with self._root.folder(folder) as handle, os.scandir(handle) as found:
                        names = frozenset(os.fsencode(entry.name) for entry in found)
            self._names[folder] = names
        return os.fsencode(name) in self._names[folder]
