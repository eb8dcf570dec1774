"""Plain text that is read and copied, never changed: tracebacks and diagnostics."""

from __future__ import annotations

from PySide6.QtWidgets import QPlainTextEdit, QWidget

from studio.ui.widgets.text_field import CodeFont


class ShownText(QPlainTextEdit):
    """In the font for code, its lines as they are; what is selected is copied."""

    def __init__(self, name: str, words: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setAccessibleName(words)
        self.setReadOnly(True)
        self.setTabChangesFocus(True)
        # Lines of a log are long, and Qt takes seconds to wrap the longest (PySide6 6.11.3).
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self._font = CodeFont(self)
        self._font.use()
