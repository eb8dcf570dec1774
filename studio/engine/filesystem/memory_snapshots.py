"""In-memory snapshots and restores for memory and overlay filesystems.

A snapshot shares everything that has not changed since: files are immutable there.
"""

from __future__ import annotations

import itertools
import uuid
from datetime import UTC, datetime
from typing import Generic, Protocol, TypeVar

from studio.engine.filesystem.types import FilesystemSnapshot
from studio.errors import SnapshotRestoreError
from studio.names import show_name

T = TypeVar("T")


class Keeping(Protocol[T]):
    """A backing whose whole state can be exported and restored."""

    @property
    def root(self) -> str: ...

    def capture_state(self) -> T:
        """Return the current state, unaffected by later changes."""
        ...

    def restore_state(self, stored: T) -> None:
        """Restore a state; it can be restored again later."""
        ...


class MemorySnapshots(Generic[T]):
    """The snapshots of one filesystem, which live as long as it does."""

    def __init__(self, backing: Keeping[T], name: str) -> None:
        """Start without snapshots; references are `name`, a hyphen and a number."""
        self._backing = backing
        self._name = name
        self._numbers = itertools.count(1)
        self._states: dict[str, T] = {}

    def snapshot(self, tag: str | None) -> FilesystemSnapshot:
        reference, snapshot_id = f"{self._name}-{next(self._numbers)}", str(uuid.uuid4())
        self._states[snapshot_id] = self._backing.capture_state()
        return FilesystemSnapshot(snapshot_id, datetime.now(UTC), reference, self._backing.root, None, tag)

    def restore(self, snapshot: FilesystemSnapshot) -> None:
        """Restore a snapshot. Raises SnapshotRestoreError for an unknown one."""
        if snapshot.snapshot_id not in self._states:
            raise SnapshotRestoreError(
                "snapshot.missing",
                f"There is no snapshot {show_name(snapshot.commit_ref)} here.",
                "Restore a snapshot from this filesystem.",
            )
        self._backing.restore_state(self._states[snapshot.snapshot_id])
