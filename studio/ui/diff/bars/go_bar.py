"""The strip in which one names the line to go to."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QIntValidator, QKeyEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from studio.ui.look.theme import px
from studio.ui.look.words import say
from studio.ui.widgets import Label, Surface, ToolIcon, row_of


class GoBar(Surface):
    """A field for the number of a line, and which numbers there are."""

    wanted = Signal(int)
    """A line of the file (from 1) that is there."""
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("window", parent)
        self.setObjectName("go-bar")
        self._lines = 0
        self.field = QLineEdit()
        self.field.setObjectName("go-field")
        self.field.setAccessibleName(self.tr("Go to line"))
        self.field.setPlaceholderText(self.tr("Go to line"))
        self.field.setMinimumWidth(px(140))
        self.field.setValidator(QIntValidator(0, 2_000_000_000, self.field))
        self.field.installEventFilter(self)
        self.range = Label(size=12, token="muted")
        self.close_button = ToolIcon("cross", self.tr("Close"), key="Esc", pressed=self.closed)
        row_of(
            self.field,
            (self.range, 1),
            self.close_button,
            parent=self,
            margins=(px(12), px(3), px(10), px(3)),
            spacing=px(8),
        )
        self.field.textChanged.connect(self._describe)

    def open_for(self, lines: int) -> None:
        """Ask for one of that many lines."""
        self.show()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()
        self.set_lines(lines)

    def set_lines(self, lines: int) -> None:
        """What is shown has that many lines by now."""
        self._lines = lines
        self._describe()

    def _describe(self) -> None:
        number = int(self.field.text() or 0)
        if not self._lines:
            words = self.tr("There are no lines on this page")
        elif self.field.text() and not 1 <= number <= self._lines:
            words = self.tr("There is no such line; the last one is {n}.")
        else:
            words = self.tr("1 to {n}, Enter goes there")
        self.range.setText(say(words, n=self._lines))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            if event.key() == Qt.Key.Key_Escape:
                self.closed.emit()
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                number = int(self.field.text() or 0)
                if 1 <= number <= self._lines:
                    self.wanted.emit(number)
                return True
        return super().eventFilter(watched, event)
