"""Periodic check of the gates of connected agents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

if TYPE_CHECKING:
    from studio.engine.errors import StudioError
    from studio.engine.gate import GateStatus
    from studio.ui.runner import Runner

Look = Callable[[Sequence[Path]], Sequence["GateStatus"]]
"""Returns the gate status of the agents in these projects."""
_PAUSE_MS = 60_000


class Gates(QObject):
    """Gate status of connected agents, one for the process.

    Clients are updated and configurations changed without notice, so it checks each minute, when a window
    comes to the front, and when a project is opened.
    """

    changed = Signal(object)
    """Carries all statuses, as a tuple."""

    def __init__(
        self, runner: Runner, look: Look, projects: Callable[[], Sequence[Path]], parent: QObject
    ) -> None:
        super().__init__(parent)
        self._runner, self._read_statuses, self._projects = runner, look, projects
        self._is_reading = self._is_wanted = False
        self.statuses: tuple[GateStatus, ...] | None = None
        timer = QTimer(self, interval=_PAUSE_MS)
        timer.timeout.connect(self.look)
        timer.start()

    def look(self) -> None:
        """Check the gates off the UI thread.

        One check at a time; a call meanwhile causes another one.
        """
        self._is_wanted = self._is_reading
        if not self._is_reading:
            self._is_reading = True
            # It may wait for Codex's server, which ends with this process; nothing here waits for it.
            self._runner.compute_alone(
                self._read_statuses, self._projects(), then=self._store_statuses, failed=self._failed
            )

    def _store_statuses(self, statuses: Sequence[GateStatus]) -> None:
        self._is_reading = False
        if self.statuses != tuple(statuses):
            self.statuses = tuple(statuses)
            self.changed.emit(self.statuses)
        if self._is_wanted:
            self.look()

    def _failed(self, error: StudioError) -> None:
        self._is_reading = False
        self._runner.unexpected_error.emit(error)
