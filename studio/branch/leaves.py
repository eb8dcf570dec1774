"""File system backends (in memory, Windows rules) and services executing journaled requests.

The POSIX leaf itself (`studio.engine.branch.posix`) is in the engine, which applies plans with it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import PureWindowsPath

from studio.branch.leaf_daemon import LeafDaemon
from studio.engine import Filesystem, InMemoryFilesystem, Leaf, LeafSettings, PosixFS, PosixFSConfig
from studio.journal.entries import Entry
from studio.journal.journal import Journal
from studio.names import caseless
from studio.text.windows_paths import windows_path


class PosixFSDaemon(LeafDaemon):
    """Service for a leaf on a POSIX disk, with its own journal."""

    def __init__(self, config: PosixFSConfig, open_journal: Callable[[], Journal[Entry]]) -> None:
        super().__init__(open_journal, lambda journal: PosixFS.over(config, journal))


class MockFSConfig(LeafSettings, kw_only=True):
    """Settings of a leaf in memory; `windows` enables Windows rules."""

    windows: bool = False


class MockFS(Leaf):
    """Leaf in memory, for tests and replays.

    `filesystem` has the resulting files.
    """

    def __init__(
        self, config: MockFSConfig, journal: Journal[Entry], filesystem: Filesystem | None = None
    ) -> None:
        self.filesystem = filesystem or InMemoryFilesystem(windows=config.windows)
        super().__init__(self.filesystem, config, journal.bytes_of)


class MockFSDaemon(LeafDaemon):
    """Service for a leaf in memory."""

    def __init__(
        self,
        config: MockFSConfig,
        open_journal: Callable[[], Journal[Entry]],
        filesystem: Filesystem | None = None,
    ) -> None:
        super().__init__(open_journal, lambda journal: MockFS(config, journal, filesystem))


class WindowsFSConfig(LeafSettings, kw_only=True):
    """Settings of a leaf on a Windows disk.

    With `use_long_paths` paths may be longer than 259 characters.
    """

    root_path: PureWindowsPath | str
    use_long_paths: bool = True

    def __post_init__(self) -> None:
        """Validate the settings.

        Raises ValueError.
        """
        super().__post_init__()
        if not PureWindowsPath(self.root_path).is_absolute():
            raise ValueError(f"root_path must be absolute, but {self.root_path} is not")


class WindowsFS(Leaf):
    """Leaf with Windows rules: case ignored, devices and long paths refused.

    There is no Windows backend for system calls yet, so it gets a filesystem in memory that behaves like one.
    """

    def __init__(self, config: WindowsFSConfig, filesystem: Filesystem, journal: Journal[Entry]) -> None:
        self._config = config
        super().__init__(filesystem, config, journal.bytes_of)

    def _spelled(self, text: str) -> str:
        """Return the text in one case, for names and patterns."""
        return caseless(text)

    def _inside(self, path: str) -> str:
        inside = super()._inside(path)
        if inside:
            root = PureWindowsPath(self._config.root_path)
            windows_path(root, inside, use_long_paths=self._config.use_long_paths)
        return inside


class WindowsFSDaemon(LeafDaemon):
    """Service for a leaf with Windows rules, with its own journal."""

    def __init__(
        self,
        config: WindowsFSConfig,
        filesystem: Callable[[], Filesystem],
        open_journal: Callable[[], Journal[Entry]],
    ) -> None:
        super().__init__(open_journal, lambda journal: WindowsFS(config, filesystem(), journal))
