"""Text input widgets: multi-line, search and code fields; Escape key filter."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QFocusEvent, QFontMetricsF, QKeyEvent
from PySide6.QtWidgets import QApplication, QLineEdit, QPlainTextEdit, QWidget

from studio.ui.look.tab_stops import TAB_COLUMNS
from studio.ui.look.theme import code_font, px, ui_font

PAUSE_MS = 300
"""Milliseconds without typing after which a draft is stored."""


class CodeFont(QObject):
    """Code font of a text edit, restored after theme changes."""

    def __init__(self, text: QPlainTextEdit) -> None:
        super().__init__(text)
        self._text = text
        self._zoom = 1.0
        text.installEventFilter(self)

    def use(self, zoom: float | None = None) -> None:
        """Apply the current code font at a zoom, with the diff's tabs."""
        self._zoom = self._zoom if zoom is None else zoom
        font = code_font(self._zoom)
        self._text.setFont(font)
        self._text.setTabStopDistance(QFontMetricsF(font).horizontalAdvance(" ") * TAB_COLUMNS)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.StyleChange:
            self.use()
        return False


class TextField(QPlainTextEdit):
    """Plain text field of a few lines."""

    done = Signal()
    cancelled = Signal()

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setTabChangesFocus(True)

    def set_lines(self, lines: int) -> None:
        """Set the height to this many lines."""
        self.setFont(ui_font(13))
        self.setFixedHeight(self.fontMetrics().lineSpacing() * lines + px(20))

    def event(self, event: QEvent) -> bool:
        # Esc would otherwise trigger the window's "Back", which closes the innermost part: this one.
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
    """Return whether a key leaves a field: Esc, or Ctrl+Enter."""
    enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
    control = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier == Qt.KeyboardModifier.ControlModifier
    return event.key() == Qt.Key.Key_Escape or (enter and control)


# Search field, whose keys move in a list and never trigger actions


class SearchField(QLineEdit):
    """Search field: arrows move in the list, Enter confirms, Esc cancels."""

    moved = Signal(int)
    done = Signal()
    cancelled = Signal()
    left = Signal()
    """Emitted when the focus moves to another part of the window."""

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
            # Otherwise Esc would trigger the window's "Back" before the field receives it.
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
        # Another application in front takes the focus only temporarily.
        if event.reason() is not Qt.FocusReason.ActiveWindowFocusReason:
            self.left.emit()


# While the user searches, nothing that opens or closes automatically may take the focus


def is_searching() -> bool:
    """Return whether a single-line field has the focus.

    These fields search, filter or name a line. Nothing typed there decides or is sent to an agent, so the
    focus may stay there.
    """
    return isinstance(QApplication.focusWidget(), QLineEdit)


# Field for lines of code that preserves every character, also no-break spaces

_PARAGRAPH = "\N{PARAGRAPH SEPARATOR}"


class CodeText(TextField):
    """Text field for code, without wrapping."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(name, parent)
        self.setTabChangesFocus(False)
        # For a line of 400 kB without spaces Qt's text editor needs 0.2 s this way, and 5 s to wrap it
        # (PySide6 6.11.3).
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setFrameShape(QPlainTextEdit.Shape.NoFrame)
        self.first_line = 0
        """0-based line of the file at which the text starts."""
        self.code_font = CodeFont(self)

    def show_text(self, text: str, first_line: int) -> bool:
        """Show text of the file from a 0-based line.

        Returns whether the field preserves it exactly.
        """
        self.first_line = first_line
        self.code_font.use()
        self.setPlainText(text)
        return self.text() == text

    def text(self) -> str:
        """Return the text with LF line ends.

        toPlainText would replace no-break spaces.
        """
        return self.document().toRawText().replace(_PARAGRAPH, "\n")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not ends_typing(event):
            # With Shift, Qt would insert a line separator.
            self.insertPlainText("\n")
            self.ensureCursorVisible()
        else:
            super().keyPressEvent(event)


_KEYS = (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress)


class Escape(QObject):
    """Event filter that calls back on Esc in a widget while open.

    Children that handle Esc themselves take precedence.
    """

    def __init__(self, widget: QWidget, is_open: Callable[[], bool], leave: Callable[[], object]) -> None:
        super().__init__(widget)
        self._is_open, self._on_escape = is_open, leave
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() not in _KEYS or not isinstance(event, QKeyEvent):
            return False
        if event.key() != Qt.Key.Key_Escape or not self._is_open():
            return False
        event.accept()
        if event.type() is QEvent.Type.KeyPress:
            self._on_escape()
        return True
