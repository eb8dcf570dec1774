"""The strip in which one searches the page in the middle."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from studio.engine.limits import HITS_UP_TO
from studio.ui.look.theme import px
from studio.ui.look.words import counted
from studio.ui.widgets import Label, Surface, ToolIcon, row_of


class FindBar(Surface):
    """What is looked for, how often it is there, and the way to the next place."""

    wanted = Signal()
    stepped = Signal(int)
    """1 for the next place, -1 for the one before."""
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("window", parent)
        self.setObjectName("find-bar")
        self.field = QLineEdit()
        self.field.setObjectName("find-field")
        self.field.setAccessibleName(self.tr("Find on this page"))
        self.field.setPlaceholderText(self.tr("Find on this page"))
        self.field.setMinimumWidth(px(220))
        self.field.installEventFilter(self)
        self.count = Label(size=12, token="muted")
        self.previous = ToolIcon(
            "up", self.tr("Find previous"), key="Shift+F3", pressed=lambda: self.stepped.emit(-1)
        )
        self.next = ToolIcon("down", self.tr("Find next"), key="F3", pressed=lambda: self.stepped.emit(1))
        self.close_button = ToolIcon("cross", self.tr("Close the search"), key="Esc", pressed=self.closed)
        row_of(
            self.field,
            self.previous,
            self.next,
            (self.count, 1),
            self.close_button,
            parent=self,
            margins=(px(12), px(3), px(10), px(3)),
            spacing=px(6),
        )
        self.field.textChanged.connect(lambda _text: self.wanted.emit())

    def show_count(self, current: int, total: int, *, searching: bool = False) -> None:
        """Say which of how many places is current (from 1), and whether more may be found."""
        if not self.field.text():
            words = ""
        elif searching:
            words = self.tr("{n} of {total}, still looking…").format(n=current, total=total)
        elif not total:
            words = self.tr("Not found")
        elif not current:
            words = counted(total, self.tr("{n} place"), self.tr("{n} places"))
        elif total >= HITS_UP_TO:
            words = self.tr("{n} of more than {total}").format(n=current, total=total)
        else:
            words = self.tr("{n} of {total}").format(n=current, total=total)
        self._describe(words, "" if total else self.tr("Nothing is found."))

    def say(self, words: str) -> None:
        """Say why nothing is counted."""
        self._describe(words, words or self.tr("Nothing is found."))

    def _describe(self, words: str, reason: str) -> None:
        self.count.setText(words)
        self.field.setAccessibleDescription(words)
        self.next.set_reason(reason)
        self.previous.set_reason(reason)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            if event.key() == Qt.Key.Key_Escape:
                self.closed.emit()
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                back = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
                self.stepped.emit(-1 if back else 1)
                return True
        return super().eventFilter(watched, event)
