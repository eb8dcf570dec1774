"""A file that has no diff, to be read: its text, or its bytes as hexadecimal numbers."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from studio.engine.limits import READ_BINARY_BYTES, READ_TEXT_BYTES
from studio.engine.names import is_hidden_character
from studio.engine.text import TextForm, decode_text, describe
from studio.ui.widgets.text_field import CodeFont

_ROW = 16


class ReadingText(QPlainTextEdit):
    """Read-only and of limited length."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("reading-text")
        self.setAccessibleName(self.tr("The file"))
        for bar, name in ((self.verticalScrollBar(), "down"), (self.horizontalScrollBar(), "across")):
            bar.setObjectName(f"reading-text-scroll-{name}")
            bar.setAccessibleName(self.accessibleName())
        self.viewport().setObjectName("reading-text-viewport")
        self.setReadOnly(True)
        self.setUndoRedoEnabled(False)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setTabChangesFocus(True)
        self.setFrameShape(QPlainTextEdit.Shape.NoFrame)
        self.code_font = CodeFont(self)

    def show_text(self, data: bytes, setting: str | None = None) -> None:
        """Show a file's text, by the project's encoding for it; what can't be seen is named."""
        form = describe(data, setting)
        text = decode_text(data, form) if isinstance(form, TextForm) else data.decode("utf-8", "replace")
        shown = text[:READ_TEXT_BYTES].replace("\r\n", "\n")
        if not shown.isascii() or "\r" in shown:
            shown = "".join(map(_visible, shown))
        self._show(shown, len(text) > READ_TEXT_BYTES)

    def show_hex(self, data: bytes) -> None:
        """Show the first bytes as numbers and as letters."""
        rows = (hex_row(data, start) for start in range(0, min(len(data), READ_BINARY_BYTES), _ROW))
        self._show("\n".join(rows), len(data) > READ_BINARY_BYTES)

    def _show(self, text: str, is_cut: bool) -> None:
        self.code_font.use()
        rest = QCoreApplication.translate("ReadingText", "The file goes on; this is its beginning.")
        self.setPlainText(f"{text}\n\n{rest}" if is_cut else text)


def hex_row(data: bytes, start: int) -> str:
    """16 bytes: where they stand, their numbers, and their letters."""
    part = data[start : start + _ROW]
    letters = "".join(chr(byte) if 0x20 <= byte < 0x7F else "." for byte in part)
    return f"{start:08x}  {part[:8].hex(' '):23}  {part[8:].hex(' '):23}  {letters}"


def _visible(character: str) -> str:
    if character in "\n\t" or not is_hidden_character(character):
        return character
    return f"[U+{ord(character):04X}]"
