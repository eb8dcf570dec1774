"""Fields for words to the agent: Ctrl+Enter says done, Esc gives up, nothing else leaves them."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QKeyEvent
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from studio.ui.look.tab_stops import TAB_COLUMNS
from studio.ui.look.theme import code_font, px, ui_font

PAUSE_MS = 300
"""Milliseconds without a key after which what is typed is kept."""


class CodeFont(QObject):
    """Gives a text the font for code, and gives it again when a new theme takes it away."""

    def __init__(self, text: QPlainTextEdit) -> None:
        super().__init__(text)
        self._text = text
        self._zoom = 1.0
        text.installEventFilter(self)

    def use(self, zoom: float | None = None) -> None:
        """Take the font that is chosen now, `zoom` times its size; tabs are as wide as in the diff."""
        self._zoom = self._zoom if zoom is None else zoom
        font = code_font(self._zoom)
        self._text.setFont(font)
        self._text.setTabStopDistance(QFontMetricsF(font).horizontalAdvance(" ") * TAB_COLUMNS)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.StyleChange:
            self.use()
        return False


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
