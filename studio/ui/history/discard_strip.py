"""The question before a plan's undo is freed for good; not modal."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from studio.engine.limits import NAMED_LOST_UP_TO
from studio.engine.names import show_name
from studio.ui.actions.action import Action
from studio.ui.look.words import counted, say, size
from studio.ui.widgets import Banner, BannerKind

if TYPE_CHECKING:
    from studio.engine.proposer import UndoLoss
    from studio.ui.desk.desk import Desk


class DiscardStrip(Banner):
    """Says which files can't be taken back any more, and how much is freed."""

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__(parent, name="history-question", below=True)
        self._desk = desk
        desk.undo_discard.changed.connect(self._ask)
        desk.guards.allowed_changed.connect(self.refresh)

    def _ask(self) -> None:
        discard = self._desk.undo_discard
        loss = discard.asked
        if loss is None:
            if self.close_banner():
                self.left.emit()
            return
        title = self.tr("Discard the undo of “{title}” for good?")
        self.show_message(BannerKind.WARNING, say(title, title=show_name(loss.plan.title)), self._words(loss))
        keep = self.add_close(self.tr("Keep it"), "history-keep-undo", discard.keep)
        self.add_choice(
            self.tr("Discard undo"),
            icon="cross",
            icon_token="bad",
            name="history-discard-now",
            pressed=discard.discard,
            reason=partial(self._desk.reasons.of, Action.DISCARD_UNDO),
        )
        keep.setFocus(Qt.FocusReason.OtherFocusReason)

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
