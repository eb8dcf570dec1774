"""Input blocking while a write runs, and briefly after the view changes."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QGuiApplication

from studio.ui.actions.action import Action
from studio.ui.actions.key_guard import KeyGuard


class Guards(QObject):
    """Input blocks shared by all parts of the desk.

    Each part calls `can` before it decides or writes.
    """

    busy_changed = Signal()
    allowed_changed = Signal()
    """Something that `can` depends on changed."""
    refresh_wanted = Signal()
    """The same, once for all changes of an event loop turn: buttons and actions update."""

    def __init__(self, can: Callable[[Action], str], clock: Callable[[], float], parent: QObject) -> None:
        """Create the guards.

        `can` returns why an action is disabled now, "" when it is possible; `clock` counts seconds.
        """
        super().__init__(parent)
        self.can = can
        self.dead_time = InputGuard(clock, self)
        self.key_guard = KeyGuard(clock, self)
        self.busy = ""
        """Status message of the running write, "" when none runs."""
        self.busy_share = 0.0
        self.deciding = False
        """Whether a decision is being saved."""
        refresh_timer = QTimer(self, singleShot=True, interval=0)
        self.allowed_changed.connect(refresh_timer.start)
        refresh_timer.timeout.connect(self.refresh_wanted)
        self.busy_changed.connect(self.allowed_changed)
        self.dead_time.changed.connect(self.allowed_changed)

    def set_busy(self, sentence: str, share: float = 0.0) -> None:
        """Set the status and share done (0.0 to 1.0) of a write.

        "" means that it is over.
        """
        self.busy, self.busy_share = sentence, share
        self.busy_changed.emit()


# The input guard: a short time in which no click or key press decides, after the view changed.

OWN_CHANGE_SECONDS = 0.150
"""Seconds after the reviewer's own move: J, a click in the queue."""


def foreign_change_seconds() -> float:
    """Return the guard's seconds after a change by others.

    Also used for the jump that follows a decision.
    """
    return max(0.5, QGuiApplication.styleHints().mouseDoubleClickInterval() / 1000)


class InputGuard(QObject):
    """Countdown of the input guard.

    `changed` is emitted when it starts, grows or ends.
    """

    changed = Signal()

    def __init__(self, clock: Callable[[], float] = time.monotonic, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._clock = clock
        self._started_at = self._ends_at = 0.0
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._check_end)

    @property
    def seconds_left(self) -> float:
        """Seconds until input may decide again, 0.0 if it may."""
        return max(0.0, self._ends_at - self._clock())

    @property
    def share_left(self) -> float:
        """Share of the countdown left, 1.0 to 0.0."""
        length = self._ends_at - self._started_at
        return min(1.0, self.seconds_left / length) if length > 0 else 0.0

    def begin(self, seconds: float) -> None:
        """Start the countdown; a longer running one goes on."""
        now = self._clock()
        if now + seconds > self._ends_at:
            self._started_at, self._ends_at = now, now + seconds
            self._timer.start(math.ceil(seconds * 1000))
            self.changed.emit()

    def _check_end(self) -> None:
        if self.seconds_left > 0:
            self._timer.start(math.ceil(self.seconds_left * 1000))
        else:
            self.changed.emit()
