"""The projects that a person can go to: those that are open in windows, and those from before."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from studio.ui.desk.backlogs import Backlogs

if TYPE_CHECKING:
    from PySide6.QtCore import QObject

    from studio.ui.runner import Runner
    from studio.ui.settings import Settings


class KnownProjects:
    """One for all windows of the process."""

    def __init__(
        self,
        runner: Runner,
        settings: Settings,
        open_roots: Callable[[], Sequence[Path]],
        parent: QObject | None = None,
    ) -> None:
        self._settings, self._open_roots = settings, open_roots
        self.backlogs = Backlogs(runner, parent)

    def open_ones(self) -> tuple[Path, ...]:
        """Those that a window has open."""
        return tuple(self._open_roots())

    def closed_ones(self) -> tuple[Path, ...]:
        """Those opened before, the last one first, without those that are open."""
        is_open = frozenset(self._open_roots())
        return tuple(dict.fromkeys(root for root in self._settings.recent_projects() if root not in is_open))

    def forget(self, root: Path) -> None:
        """List a project no more until it is opened again."""
        self._settings.forget_recent_project(root)
