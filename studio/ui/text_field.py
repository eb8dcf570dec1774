"""Fields for words to the agent: Ctrl+Enter says done, Esc gives up, nothing else leaves them."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from studio.ui.theme import px, ui_font

PAUSE_MS = 300
"""Milliseconds without a key after which what is typed is kept."""


class TextField(QPlainTextEdit):
    """Plain text of a few lines."""

    done = Signal()
    cancelled = Signal()

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setTabChangesFocus(True)

    def set_lines(self, lines: int) -> None:
        """As high as that many lines."""
        self.setFont(ui_font(13))
        self.setFixedHeight(self.fontMetrics().lineSpacing() * lines + px(20))

    def event(self, event: QEvent) -> bool:
        # Esc would otherwise go to the window's "Back", which closes the innermost thing: this one.
        if (
            isinstance(event, QKeyEvent)
            and event.type() is QEvent.Type.ShortcutOverride
            and ends_typing(event)
        ):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not ends_typing(event):
            super().keyPressEvent(event)
        elif event.key() == Qt.Key.Key_Escape:
            self.cancelled.emit()
        elif not event.isAutoRepeat():
            self.done.emit()


def ends_typing(event: QKeyEvent) -> bool:
    """Whether a key leaves a field: Esc, or Ctrl+Enter."""
    enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
    control = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier == Qt.KeyboardModifier.ControlModifier
    return event.key() == Qt.Key.Key_Escape or (enter and control)
