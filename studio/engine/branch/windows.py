"""The leaf on a Windows disk (R82): its names are checked as Windows takes them, wherever it runs.

Its system calls are those of the host backend; there is none for Windows yet, so that elsewhere the leaf is
given a filesystem in memory that behaves like one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PureWindowsPath

from studio.engine.branch.entries import Entry
from studio.engine.branch.journal import Journal
from studio.engine.branch.leaf import Leaf, LeafSettings
from studio.engine.branch.leaf_daemon import LeafDaemon
from studio.engine.filesystem import Filesystem
from studio.engine.names import caseless
from studio.engine.root.windows_paths import windows_path


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
    """Carries out requests with the rules of Windows: case ignored, devices and long paths refused (R82)."""

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
