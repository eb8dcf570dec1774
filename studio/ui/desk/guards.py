"""What holds a press back at this moment, and the dead time after a change."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QGuiApplication

from studio.ui.actions.action import Action
from studio.ui.actions.press_guard import PressGuard


class Guards(QObject):
    """One for all parts of the desk: each asks `can` before it decides or writes."""

    busy_changed = Signal()
    allowed_changed = Signal()
    """Something that `can` depends on changed."""
    refresh_wanted = Signal()
    """The same, once for all changes of one turn of the event loop: buttons and actions ask again."""

    def __init__(self, can: Callable[[Action], str], clock: Callable[[], float], parent: QObject) -> None:
        """`can` says why an action is off now, "" when it is possible; `clock` counts seconds."""
        super().__init__(parent)
        self.can = can
        self.dead_time = DeadTime(clock, self)
        self.press_guard = PressGuard(clock, self)
        self.busy = ""
        """What is being written, "" when nothing is."""
        self.busy_share = 0.0
        self.deciding = False
        """Whether a decision is on its way to the store."""
        soon = QTimer(self, singleShot=True, interval=0)
        self.allowed_changed.connect(soon.start)
        soon.timeout.connect(self.refresh_wanted)
        self.busy_changed.connect(self.allowed_changed)
        self.dead_time.changed.connect(self.allowed_changed)

    def set_busy(self, sentence: str, share: float = 0.0) -> None:
        """Say what is being written, and how much of it is done (0.0 to 1.0); "" when it is over."""
        self.busy, self.busy_share = sentence, share
        self.busy_changed.emit()


# The short time in which no press decides, after something changed under the hand (look.md 9.1).

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
