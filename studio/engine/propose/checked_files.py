"""File-reading interface for step checks, and wrapper that waits for write leases."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from studio.engine.disk import LeasePatience
from studio.engine.root import FileState, ProjectRoot, TreeEntry, Unseen


class Files(Protocol):
    """Interface to a project's files and their state; raises as `ProjectRoot`."""

    def state(self, path: str) -> FileState | None: ...
    def read(self, path: str, limit: int) -> tuple[bytes, FileState]: ...
    def read_bytes(self, path: str, limit: int) -> bytes: ...
    def digest(self, path: str) -> tuple[str, FileState] | None: ...
    def walk(self, path: str) -> Iterator[TreeEntry | Unseen]: ...


class PatientFiles:
    """The same files, read after waiting for write leases to be released.

    Raises FileLocked too.
    """

    def __init__(self, files: Files, root: ProjectRoot) -> None:
        self._files = files
        self._patience = LeasePatience(root)
        self.state = files.state
        self.walk = files.walk

    def read(self, path: str, limit: int) -> tuple[bytes, FileState]:
        return self._patience.retry(lambda: self._files.read(path, limit))

    def read_bytes(self, path: str, limit: int) -> bytes:
        return self._patience.retry(lambda: self._files.read_bytes(path, limit))

    def digest(self, path: str) -> tuple[str, FileState] | None:
        return self._patience.retry(lambda: self._files.digest(path))
