"""Cache of open folder handles beneath the project root, for writing.

A few are held at a time, so that a plan of any size needs a handful of handles. They are opened beneath the
root without following links; `check_still_there` detects one that was moved meanwhile.
"""

from __future__ import annotations

import errno
import os
from contextlib import AbstractContextManager, suppress
from types import TracebackType
from typing import Generic, Protocol, TypeVar

from studio.engine.root import FileState, ProjectRoot, state_of
from studio.engine.root.opening import FOLDER_FLAGS, open_beneath, split
from studio.engine.root.reading import hash_beneath, read_link

T = TypeVar("T")

HELD_UP_TO = 8


class Beneath(Protocol):
    """Interface of an open root for the writer: `ProjectRoot` or `HeldFolders`."""

    def folder(self, path: str) -> AbstractContextManager[int]: ...

    def parent(self, path: str) -> AbstractContextManager[tuple[int, bytes]]: ...

    def state(self, path: str) -> FileState | None: ...

    def digest(self, path: str) -> tuple[str, FileState] | None: ...

    def link_target(self, path: str) -> bytes | None: ...

    def read(self, path: str, limit: int) -> tuple[bytes, FileState]: ...


class _Borrowed(Generic[T]):
    """Context manager of a borrowed value: leaving it closes nothing."""

    __slots__ = ("_value",)

    def __init__(self, value: T) -> None:
        self._value = value

    def __enter__(self) -> T:
        return self._value

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None


class HeldFolders:
    """Folders beneath a root, kept open while the block lasts.

    Its methods raise as those of `ProjectRoot`.
    """

    def __init__(self, root: ProjectRoot, up_to: int = HELD_UP_TO) -> None:
        """Hold up to `up_to` folders at a time."""
        self._root = root
        self._up_to = up_to
        self._handles: dict[str, int] = {}
        self._used: dict[str, tuple[int, int]] = {}

    def __enter__(self) -> HeldFolders:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for handle in self._handles.values():
            with suppress(OSError):  # it was only read from
                os.close(handle)
        self._handles.clear()

    def folder(self, path: str) -> AbstractContextManager[int]:
        """Return the handle of a folder, which stays open for later calls."""
        return _Borrowed(self._handle(path))

    def parent(self, path: str) -> AbstractContextManager[tuple[int, bytes]]:
        """Return the handle of a path's folder, and the last component."""
        return _Borrowed(self._parent_and_name(path))

    def state(self, path: str) -> FileState | None:
        """Return the state of a path, None if nothing is there."""
        try:
            folder, name = self._parent_and_name(path)
            return state_of(os.stat(name, dir_fd=folder, follow_symlinks=False))
        except (FileNotFoundError, NotADirectoryError):
            return None

    def digest(self, path: str) -> tuple[str, FileState] | None:
        """Return SHA-256 and state of a path, None if nothing is there."""
        parent, _, name = path.rpartition("/")
        try:
            folder = self._handle(parent)
            digest, status = hash_beneath(folder, name)
        except (FileNotFoundError, NotADirectoryError):
            return None
        return digest, state_of(status)

    def link_target(self, path: str) -> bytes | None:
        """Return the target of the symbolic link at a path, else None."""
        try:
            return read_link(*self._parent_and_name(path))
        except (FileNotFoundError, NotADirectoryError):
            return None

    def read(self, path: str, limit: int) -> tuple[bytes, FileState]:
        """Return a regular file's bytes and its state when it was opened.

        Raises for a file of more than `limit` bytes.
        """
        return self._root.read(path, limit)

    def check_still_there(self) -> None:
        """Check that every folder used is still at its path.

        Raises FileNotFoundError if not, LeadsOutside where a link is there: changes in it were made at
        another path.
        """
        for path, identity in self._used.items():
            with self._root.folder(path) as handle:
                status = os.fstat(handle)
            if (status.st_dev, status.st_ino) != identity:
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)

    def _handle(self, path: str) -> int:
        handle = self._handles.pop(path, None)
        if handle is None:
            if len(self._handles) >= self._up_to:
                os.close(self._handles.pop(next(iter(self._handles))))
            handle = open_beneath(self._root.handle, path, FOLDER_FLAGS)
            status = os.fstat(handle)
            # Folders that are closed again count too: files were
            # written in each of them, so each is checked at the end.
            self._used[path] = (status.st_dev, status.st_ino)
        self._handles[path] = handle  # the newest is last
        return handle

    def _parent_and_name(self, path: str) -> tuple[int, bytes]:
        parent, name = split(path)
        return self._handle(parent), name
