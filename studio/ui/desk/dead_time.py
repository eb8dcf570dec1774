"""The short time in which no press decides, after something changed under the hand (look.md 9.1)."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QGuiApplication

OWN_MOVE = 0.150
"""Seconds after the person's own move: J, a click in the queue."""


def surprise() -> float:
    """Seconds after a change that the person did not make, or the jump that follows a decision."""
    return max(0.5, QGuiApplication.styleHints().mouseDoubleClickInterval() / 1000)


class DeadTime(QObject):
    """Counts down; `changed` is emitted when a dead time begins, grows or ends."""

    changed = Signal()

    def __init__(self, clock: Callable[[], float] = time.monotonic, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._clock = clock
        self._began = self._ends = 0.0
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._ended)

    @property
    def left(self) -> float:
        """Seconds until a press may decide again, 0.0 when it may now."""
        return max(0.0, self._ends - self._clock())

    @property
    def share_left(self) -> float:
        """What part of the running dead time is left, 1.0 to 0.0; for the line that runs out."""
        length = self._ends - self._began
        return min(1.0, self.left / length) if length > 0 else 0.0

    def begin(self, seconds: float) -> None:
        """Start a dead time; a running longer one goes on."""
        now = self._clock()
        if now + seconds > self._ends:
            self._began, self._ends = now, now + seconds
            self._timer.start(math.ceil(seconds * 1000))
            self.changed.emit()

    def _ended(self) -> None:
        if self.left > 0:
            self._timer.start(math.ceil(self.left * 1000))
        else:
            self.changed.emit()
