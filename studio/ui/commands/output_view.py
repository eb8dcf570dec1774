"""What a command prints, to be read, selected and copied; it follows its end."""

from __future__ import annotations

from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from studio.engine.sandbox_limits import SHOWN_OUTPUT_LINES_UP_TO
from studio.ui.widgets.text_field import CodeFont

_LINE_CHARACTERS = 4000


class OutputView(QPlainTextEdit):
    """Plain text, the newest lines of it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("command-output")
        self.setAccessibleName(self.tr("What the command prints"))
        self.setReadOnly(True)
        self.setUndoRedoEnabled(False)
        self.setTabChangesFocus(True)
        self.setMaximumBlockCount(SHOWN_OUTPUT_LINES_UP_TO)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.WidgetWidth)
        CodeFont(self)
        self._in_line = 0

    def clear_output(self) -> None:
        """Begin anew."""
        self.clear()
        self._in_line = 0

    def take(self, text: str) -> None:
        """Show more; whoever reads further up stays there."""
        bar = self.verticalScrollBar()
        is_at_end = bar.value() >= bar.maximum() - 1
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.insertText(self._broken(text))
        if is_at_end:
            bar.setValue(bar.maximum())

    def _broken(self, text: str) -> str:
        """A line without end takes Qt longer with each letter."""
        lines: list[str] = []
        for number, line in enumerate(text.split("\n")):
            rest = line
            if number > 0:
                self._in_line = 0
            while self._in_line + len(rest) > _LINE_CHARACTERS:
                room = _LINE_CHARACTERS - self._in_line
                lines.append(rest[:room])
                rest, self._in_line = rest[room:], 0
            lines.append(rest)
            self._in_line += len(rest)
        return "\n".join(lines)
