"""The folders of one phase of a batch, each opened once and not for every file in it.

A few are held at a time, so that a plan of any size needs a handful of handles. A folder is opened beneath
the root without following links, as every other; `check_still_there` tells when it was moved meanwhile.
"""

from __future__ import annotations

import errno
import os
from contextlib import AbstractContextManager, suppress
from types import TracebackType
from typing import Generic, Protocol, TypeVar

from studio.engine.root import FileState, ProjectRoot, state_of
from studio.engine.root.opening import FOLDER_FLAGS, open_beneath, split
from studio.engine.root.reading import digest_beneath, read_link

T = TypeVar("T")

HELD_UP_TO = 8


class Beneath(Protocol):
    """What the writer asks of an open root: `ProjectRoot` itself, or its held folders."""

    def folder(self, path: str) -> AbstractContextManager[int]: ...

    def parent(self, path: str) -> AbstractContextManager[tuple[int, bytes]]: ...

    def state(self, path: str) -> FileState | None: ...

    def digest(self, path: str) -> tuple[str, FileState] | None: ...

    def link_target(self, path: str) -> bytes | None: ...

    def read(self, path: str, limit: int) -> tuple[bytes, FileState]: ...


class _Lent(Generic[T]):
    """Something that is only lent: leaving the block closes nothing."""

    __slots__ = ("_lent",)

    def __init__(self, lent: T) -> None:
        self._lent = lent

    def __enter__(self) -> T:
        return self._lent

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None


class HeldFolders:
    """Folders beneath a root, kept open while the block lasts. Its calls raise as those of `ProjectRoot`."""

    def __init__(self, root: ProjectRoot, up_to: int = HELD_UP_TO) -> None:
        """So many are held at a time, at most."""
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
        """The handle of a folder; it stays open for the next who asks."""
        return _Lent(self._handle(path))

    def parent(self, path: str) -> AbstractContextManager[tuple[int, bytes]]:
        """The handle of the folder that holds `path`, and the last component as bytes."""
        return _Lent(self._place(path))

    def state(self, path: str) -> FileState | None:
        """What is at `path` now; None if nothing is."""
        try:
            folder, name = self._place(path)
            return state_of(os.stat(name, dir_fd=folder, follow_symlinks=False))
        except (FileNotFoundError, NotADirectoryError):
            return None

    def digest(self, path: str) -> tuple[str, FileState] | None:
        """SHA-256 and state of what is at `path`; None where nothing is."""
        above, _, name = path.rpartition("/")
        try:
            folder = self._handle(above)
            digest, status = digest_beneath(folder, name)
        except (FileNotFoundError, NotADirectoryError):
            return None
        return digest, state_of(status)

    def link_target(self, path: str) -> bytes | None:
        """What the symbolic link at `path` says; None where none is (any more)."""
        try:
            return read_link(*self._place(path))
        except (FileNotFoundError, NotADirectoryError):
            return None

    def read(self, path: str, limit: int) -> tuple[bytes, FileState]:
        """The exact bytes of a regular file of at most `limit` bytes, and what it was when it was opened."""
        return self._root.read(path, limit)

    def check_still_there(self) -> None:
        """Raises FileNotFoundError when a folder that was used is at its path no more, LeadsOutside where a
        link is there by now: what was done in it was not done at that path."""
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
            # Also of folders that are closed again: files went
            # into each of them, so each is looked for at the end.
            self._used[path] = (status.st_dev, status.st_ino)
        self._handles[path] = handle  # the newest is last
        return handle

    def _place(self, path: str) -> tuple[int, bytes]:
        above, name = split(path)
        return self._handle(above), name
