"""Leaves for programs that embed the engine, as services too: in memory, and by the rules of Windows.

The leaf on a POSIX disk (`studio.engine.branch.posix`) is the engine's own: it carries out what is applied.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PureWindowsPath

from studio.branch.leaf_daemon import LeafDaemon
from studio.engine.branch.entries import Entry
from studio.engine.branch.journal import Journal
from studio.engine.branch.leaf import Leaf, LeafSettings
from studio.engine.branch.posix import PosixFS, PosixFSConfig
from studio.engine.filesystem import Filesystem, InMemoryFilesystem
from studio.engine.names import caseless
from studio.engine.root.windows_paths import windows_path


class PosixFSDaemon(LeafDaemon):
    """A leaf on a POSIX disk as a service over a journal of its own."""

    def __init__(self, config: PosixFSConfig, open_journal: Callable[[], Journal[Entry]]) -> None:
        super().__init__(open_journal, lambda journal: PosixFS.over(config, journal))


@dataclass(frozen=True, slots=True, kw_only=True)
class MockFSConfig(LeafSettings):
    """The settings of a leaf in memory; `windows` gives it the rules of Windows."""

    windows: bool = False


class MockFS(Leaf):
    """Carries out requests in memory, for tests and replays (R10); `filesystem` is what they left."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowsFSConfig(LeafSettings):
    """The settings of a leaf on a Windows disk (R79): with `use_long_paths` paths may pass 259 characters."""

    root_path: PureWindowsPath
    use_long_paths: bool = True

    def __post_init__(self) -> None:
        """Refuse what makes no sense (R3). Raises ValueError."""
        LeafSettings.__post_init__(self)
        if not self.root_path.is_absolute():
            raise ValueError(f"root_path must be absolute, and {self.root_path} is not")


class WindowsFS(Leaf):
    """Carries out requests with the rules of Windows: case ignored, devices and long paths refused (R82).

    Its system calls are those of the host backend; there is none for Windows yet, so that the leaf is given a
    filesystem in memory that behaves like one.
    """

    def __init__(self, config: WindowsFSConfig, filesystem: Filesystem, journal: Journal[Entry]) -> None:
        self._config = config
        super().__init__(filesystem, config, journal.bytes_of)

    def _spelled(self, text: str) -> str:
        """Case does not tell names apart, nor patterns (R195)."""
        return caseless(text)

    def _inside(self, path: str) -> str:
        inside = super()._inside(path)
        if inside:
            windows_path(self._config.root_path, inside, use_long_paths=self._config.use_long_paths)
        return inside


class WindowsFSDaemon(LeafDaemon):
    """A leaf with the rules of Windows as a service over a journal of its own."""

    def __init__(
        self,
        config: WindowsFSConfig,
        filesystem: Callable[[], Filesystem],
        open_journal: Callable[[], Journal[Entry]],
    ) -> None:
        super().__init__(open_journal, lambda journal: WindowsFS(config, filesystem(), journal))
