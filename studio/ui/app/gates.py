"""Looks now and then at the gates of connected agents, and tells what they are worth."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

if TYPE_CHECKING:
    from studio.engine.errors import StudioError
    from studio.engine.gate import GateStanding
    from studio.ui.runner import Runner

Look = Callable[[Sequence[Path]], Sequence["GateStanding"]]
"""What is known of the gates in these projects."""
_PAUSE_MS = 60_000


class Gates(QObject):
    """One for the process. A client is updated, and a configuration changed, behind our back: so it looks
    again each minute, when a window comes to the front, and when a project is opened."""

    changed = Signal(object)
    """The standings, as a tuple."""

    def __init__(
        self, runner: Runner, look: Look, projects: Callable[[], Sequence[Path]], parent: QObject
    ) -> None:
        super().__init__(parent)
        self._runner, self._look, self._projects = runner, look, projects
        self._is_looking = self._is_wanted = False
        self.standings: tuple[GateStanding, ...] | None = None
        timer = QTimer(self, interval=_PAUSE_MS)
        timer.timeout.connect(self.look)
        timer.start()

    def look(self) -> None:
        """Look away from the ui thread; one look at a time, and once more where that was asked meanwhile."""
        self._is_wanted = self._is_looking
        if not self._is_looking:
            self._is_looking = True
            # It may wait for Codex's server, which ends with this process: nothing here waits for it.
            self._runner.compute_alone(self._look, self._projects(), then=self._looked, failed=self._failed)

    def _looked(self, standings: Sequence[GateStanding]) -> None:
        self._is_looking = False
        if self.standings != tuple(standings):
            self.standings = tuple(standings)
            self.changed.emit(self.standings)
        if self._is_wanted:
            self.look()

    def _failed(self, error: StudioError) -> None:
        self._is_looking = False
        self._runner.unexpected.emit(error)
