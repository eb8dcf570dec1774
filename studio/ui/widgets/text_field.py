"""Fields for text: words to the agent, what is looked for, lines of code."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QFocusEvent, QFontMetricsF, QKeyEvent
from PySide6.QtWidgets import QApplication, QLineEdit, QPlainTextEdit, QWidget

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


# A field for what is looked for: its keys move in a list and never reach the actions.


class SearchField(QLineEdit):
    """Up and down move in the list beside it, Enter is done, Esc cancels."""

    moved = Signal(int)
    done = Signal()
    cancelled = Signal()
    left = Signal()
    """The keyboard went to another part of the window."""

    def __init__(self, name: str, words: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setAccessibleName(words)
        self.setPlaceholderText(words)

    def event(self, event: QEvent) -> bool:
        if (
            isinstance(event, QKeyEvent)
            and event.type() is QEvent.Type.ShortcutOverride
            and event.key() == Qt.Key.Key_Escape
        ):
            # Else Esc would be the window's "Back" before the field sees it.
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1, Qt.Key.Key_PageDown: 10, Qt.Key.Key_PageUp: -10}
        if event.key() in steps:
            self.moved.emit(steps[Qt.Key(event.key())])
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if not event.isAutoRepeat():
                self.done.emit()
        elif event.key() == Qt.Key.Key_Escape:
            self.cancelled.emit()
        else:
            super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        # Another program in front takes the keyboard only for as long as it is there.
        if event.reason() is not Qt.FocusReason.ActiveWindowFocusReason:
            self.left.emit()


# Whether somebody searches: then nothing that opens or closes by itself may take the keyboard.


def is_searching() -> bool:
    """Whether the keyboard is in a field of one line. These search, filter or name a line: nothing that is
    typed there decides or goes to an agent, so there it may stay whatever happens around it."""
    return isinstance(QApplication.focusWidget(), QLineEdit)


# A field for lines of code: what it holds comes back sign by sign, also hard spaces.

_PARAGRAPH = "\N{PARAGRAPH SEPARATOR}"


class CodeText(TextField):
    """Lines that are never wrapped, in the font for code."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(name, parent)
        self.setTabChangesFocus(False)
        # A line of 400 kB without blanks takes Qt's text editor 0.2 s so, and 5 s to wrap (PySide6 6.11.3).
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setFrameShape(QPlainTextEdit.Shape.NoFrame)
        self.first_line = 0
        """The 0-based line of the file at which the text begins."""
        self.code_font = CodeFont(self)

    def show_text(self, text: str, first_line: int) -> bool:
        """Show text whose first line is the 0-based `first_line` of the file; says whether it can be held."""
        self.first_line = first_line
        self.code_font.use()
        self.setPlainText(text)
        return self.text() == text

    def text(self) -> str:
        """The text, lines parted by LF; toPlainText would turn hard spaces into others."""
        return self.document().toRawText().replace(_PARAGRAPH, "\n")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not ends_typing(event):
            # With Shift held Qt would put a line separator into the file.
            self.insertPlainText("\n")
            self.ensureCursorVisible()
        else:
            super().keyPressEvent(event)


_KEYS = (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress)


class Escape(QObject):
    """Calls back when Esc is pressed in a widget, or in what it holds and takes no such key, while it is
    open."""

    def __init__(self, widget: QWidget, is_open: Callable[[], bool], leave: Callable[[], object]) -> None:
        super().__init__(widget)
        self._is_open, self._leave = is_open, leave
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() not in _KEYS or not isinstance(event, QKeyEvent):
            return False
        if event.key() != Qt.Key.Key_Escape or not self._is_open():
            return False
        event.accept()
        if event.type() is QEvent.Type.KeyPress:
            self._leave()
        return True
