"""The leaf in memory, for tests and for replaying a journal without a disk (R10)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from studio.engine.branch.entries import Entry
from studio.engine.branch.journal import Journal
from studio.engine.branch.leaf import Leaf, LeafSettings
from studio.engine.branch.leaf_daemon import LeafDaemon
from studio.engine.filesystem import Filesystem, InMemoryFilesystem


@dataclass(frozen=True, slots=True, kw_only=True)
class MockFSConfig(LeafSettings):
    """The settings of a leaf in memory; `windows` gives it the rules of Windows."""

    windows: bool = False


class MockFS(Leaf):
    """Carries out requests in memory; `filesystem` is what they left."""

    def __init__(
        self, config: MockFSConfig, journal: Journal[Entry], filesystem: Filesystem | None = None
    ) -> None:
        self.filesystem = filesystem or InMemoryFilesystem(windows=config.windows)
        super().__init__(self.filesystem, config, journal.bytes_of)


class MockFSDaemon(LeafDaemon):
    """A leaf in memory as a service over a journal."""

    def __init__(
        self,
        config: MockFSConfig,
        open_journal: Callable[[], Journal[Entry]],
        filesystem: Filesystem | None = None,
    ) -> None:
        super().__init__(open_journal, lambda journal: MockFS(config, journal, filesystem))
