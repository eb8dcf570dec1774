"""States of a backing in memory that were kept and can be brought back (R118, R121, R124).

What was kept shares everything that did not change since: files are immutable there.
"""

from __future__ import annotations

import itertools
from datetime import UTC, datetime
from typing import Generic, Protocol, TypeVar

from studio.engine.errors import SnapshotRestoreError
from studio.engine.filesystem.types import FilesystemSnapshot
from studio.engine.names import show_name

T = TypeVar("T")


class Keeping(Protocol[T]):
    """A backing that can give its whole state away and take it back."""

    @property
    def root(self) -> str: ...

    def keep(self) -> T:
        """The state now; whatever is done later leaves it as it is."""
        ...

    def bring_back(self, kept: T) -> None:
        """Be as then; what was kept can be brought back again."""
        ...


class KeptStates(Generic[T]):
    """The snapshots of one filesystem; they are gone with it."""

    def __init__(self, backing: Keeping[T], name: str) -> None:
        """References are `name`, a hyphen and a number."""
        self._backing = backing
        self._name = name
        self._numbers = itertools.count(1)
        self._kept: dict[str, T] = {}

    def snapshot(self, tag: str | None) -> FilesystemSnapshot:
        reference = f"{self._name}-{next(self._numbers)}"
        self._kept[reference] = self._backing.keep()
        return FilesystemSnapshot(reference, datetime.now(UTC), reference, self._backing.root, None, tag)

    def restore(self, snapshot: FilesystemSnapshot) -> None:
        """Raises SnapshotRestoreError for one that was not made here."""
        if snapshot.commit_ref not in self._kept:
            raise SnapshotRestoreError(
                "snapshot.missing",
                f"There is no snapshot {show_name(snapshot.commit_ref)} here.",
                "Restore one that this filesystem made.",
            )
        self._backing.bring_back(self._kept[snapshot.commit_ref])
