"""What keeps a press from doing anything at this moment, and who is told when that changes."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from studio.ui.actions.action import Action
from studio.ui.actions.press_guard import PressGuard
from studio.ui.desk.dead_time import DeadTime


class Guards(QObject):
    """One for all parts of the desk: each asks `can` before it decides or writes."""

    busy_changed = Signal()
    allowed_changed = Signal()
    """Something that `can` depends on changed; buttons and actions ask again."""

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
        self.busy_changed.connect(self.allowed_changed)
        self.dead_time.changed.connect(self.allowed_changed)

    def set_busy(self, sentence: str, share: float = 0.0) -> None:
        """Say what is being written, and how much of it is done (0.0 to 1.0); "" when it is over."""
        self.busy, self.busy_share = sentence, share
        self.busy_changed.emit()
