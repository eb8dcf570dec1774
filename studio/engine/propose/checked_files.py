"""What steps are checked against: the project's folder, or a layer over it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from studio.engine.disk import LeasePatience
from studio.engine.root import FileState, ProjectRoot, TreeEntry, Unseen


class Files(Protocol):
    """Files of a project, and what is known of them. Raises as `ProjectRoot`."""

    def state(self, path: str) -> FileState | None: ...
    def read(self, path: str, limit: int) -> tuple[bytes, FileState]: ...
    def read_bytes(self, path: str, limit: int) -> bytes: ...
    def digest(self, path: str) -> tuple[str, FileState] | None: ...
    def walk(self, path: str) -> Iterator[TreeEntry | Unseen]: ...


class PatientFiles:
    """The same files, read once a write lease on them was given back. Raises FileLocked too (R134)."""

    def __init__(self, files: Files, root: ProjectRoot) -> None:
        self._files = files
        self._patience = LeasePatience(root)
        self.state = files.state
        self.walk = files.walk

    def read(self, path: str, limit: int) -> tuple[bytes, FileState]:
        return self._patience.look(lambda: self._files.read(path, limit))

    def read_bytes(self, path: str, limit: int) -> bytes:
        return self._patience.look(lambda: self._files.read_bytes(path, limit))

    def digest(self, path: str) -> tuple[str, FileState] | None:
        return self._patience.look(lambda: self._files.digest(path))
