"""The question before everything that was observed is kept; not modal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from studio.ui.actions.action import Action
from studio.ui.look.words import counted
from studio.ui.widgets import Button, ButtonKind, Strip, StripKind

if TYPE_CHECKING:
    from studio.ui.desk.desk import Desk


class ObservedStrip(Strip):
    """Says how many, and what is given up with them."""

    stands_below = True
    left = Signal()
    """The question is answered: the keyboard goes back to the list."""

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._desk = desk
        self._keep: Button | None = None
        self.setObjectName("observed-question")
        self.hide()
        desk.observed.changed.connect(self._follow)
        desk.guards.allowed_changed.connect(self._refresh)

    def close_innermost(self) -> bool:
        """Take the question away; says whether there was one. Decides nothing."""
        is_asked = bool(self._desk.observed.asked)
        if is_asked:
            self._desk.observed.forget_question()
        return is_asked

    def _follow(self) -> None:
        asked = self._desk.observed.asked
        if asked and self._keep is None:
            self._ask(len(asked))
        elif not asked and self._keep is not None:
            self._keep = None
            self.hide()
            self.left.emit()

    def _ask(self, count: int) -> None:
        title = counted(count, self.tr("Keep {n} observed change?"), self.tr("Keep {n} observed changes?"))
        words = self.tr("The files stay as they are. From then on they can't be reverted here.")
        self.show_message(StripKind.INFO, title, words, icon="observed")
        cancel = self.add_choice(self.tr("Cancel"), key="Esc")
        cancel.setObjectName("observed-keep-none")
        cancel.set_kind(ButtonKind.TOOL)
        cancel.clicked.connect(self._desk.observed.forget_question)
        self._keep = self.add_choice(self.tr("Keep everything"), icon="check")
        self._keep.setObjectName("observed-keep-all-now")
        self._keep.clicked.connect(self._desk.observed.keep_asked)
        self._refresh()
        cancel.setFocus(Qt.FocusReason.OtherFocusReason)

    def _refresh(self) -> None:
        if self._keep is not None:
            self._keep.set_reason(self._desk.reasons.of(Action.KEEP_ALL_OBSERVED))
