"""A field for lines of code: what it holds comes back sign by sign, also hard spaces."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from studio.ui.widgets.text_field import CodeFont, TextField, ends_typing

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
