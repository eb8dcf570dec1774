"""The question before a plan's undo is freed for good; not modal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from studio.engine.limits import NAMED_LOST_UP_TO
from studio.engine.names import show_name
from studio.ui.actions.action import Action
from studio.ui.look.words import counted, say, size
from studio.ui.widgets import Button, ButtonKind, Strip, StripKind

if TYPE_CHECKING:
    from studio.engine.proposer import UndoLoss
    from studio.ui.desk.desk import Desk


class DiscardStrip(Strip):
    """Says which files can't be taken back any more, and how much is freed."""

    stands_below = True
    left = Signal()
    """The question is answered: the keyboard goes back to the list."""

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._desk = desk
        self._discard: Button | None = None
        self.setObjectName("history-question")
        self.hide()
        desk.undo_discard.changed.connect(self._ask)
        desk.guards.allowed_changed.connect(self._refresh)

    def _ask(self) -> None:
        loss = self._desk.undo_discard.asked
        if loss is None:
            if not self.isHidden():
                self._discard = None
                self.hide()
                self.left.emit()
            return
        title = self.tr("Discard the undo of “{title}” for good?")
        self.show_message(StripKind.WARNING, say(title, title=show_name(loss.plan.title)), self._words(loss))
        keep = self.add_choice(
            self.tr("Keep it"),
            key="Esc",
            name="history-keep-undo",
            kind=ButtonKind.TOOL,
            pressed=self._desk.undo_discard.keep,
        )
        self._discard = self.add_choice(
            self.tr("Discard undo"),
            icon="cross",
            icon_token="bad",
            name="history-discard-now",
            pressed=self._desk.undo_discard.discard,
        )
        self._refresh()
        keep.setFocus(Qt.FocusReason.OtherFocusReason)

    def _refresh(self) -> None:
        if self._discard is not None:
            self._discard.set_reason(self._desk.reasons.of(Action.DISCARD_UNDO))

    def _words(self, loss: UndoLoss) -> str:
        freed = say(self.tr("It frees {size}; the files stay as they are."), size=size(loss.freed))
        if not loss.paths:
            return freed
        named = ", ".join(show_name(path) for path in loss.paths[:NAMED_LOST_UP_TO])
        if len(loss.paths) > NAMED_LOST_UP_TO:
            named += ", …"
        lost = counted(
            len(loss.paths),
            self.tr("{n} file can't be rolled back any more ({names})."),
            self.tr("{n} files can't be rolled back any more ({names})."),
        )
        return f"{say(lost, names=named)} {freed}"
