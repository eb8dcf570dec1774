"""Page for steps without a text diff: card, images, file or hex."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from studio.names import is_hidden_character
from studio.text import TextForm, decode_text, describe
from studio.ui.diff.special.card import SpecialCard
from studio.ui.diff.special.card_contents import SpecialPanel
from studio.ui.diff.special.image_pair import ImagePair
from studio.ui.limits import READ_BINARY_BYTES, READ_TEXT_BYTES
from studio.ui.widgets import Surface, column_of
from studio.ui.widgets.text_field import CodeFont

if TYPE_CHECKING:
    from studio.ui.runner import Runner

# A file without a diff: its text, or a hex dump

_ROW = 16


class ReadingText(QPlainTextEdit):
    """Read-only text of limited length."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("reading-text")
        self.setAccessibleName(self.tr("File contents"))
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
        """Show a file's text; invisible characters are named.

        `setting` is the project's encoding for it.
        """
        form = describe(data, setting)
        text = decode_text(data, form) if isinstance(form, TextForm) else data.decode("utf-8", "replace")
        shown = text[:READ_TEXT_BYTES].replace("\r\n", "\n")
        if not shown.isascii() or "\r" in shown:
            shown = "".join(map(_visible, shown))
        self._show(shown, len(text) > READ_TEXT_BYTES)

    def show_hex(self, data: bytes) -> None:
        """Show the first bytes as a hex dump."""
        rows = (hex_row(data, start) for start in range(0, min(len(data), READ_BINARY_BYTES), _ROW))
        self._show("\n".join(rows), len(data) > READ_BINARY_BYTES)

    def _show(self, text: str, is_cut: bool) -> None:
        self.code_font.use()
        rest = QCoreApplication.translate("ReadingText", "Only the beginning of the file is shown.")
        self.setPlainText(f"{text}\n\n{rest}" if is_cut else text)


def hex_row(data: bytes, start: int) -> str:
    """Return a hex dump row of 16 bytes: offset, hex, ASCII."""
    part = data[start : start + _ROW]
    letters = "".join(chr(byte) if 0x20 <= byte < 0x7F else "." for byte in part)
    return f"{start:08x}  {part[:8].hex(' '):23}  {part[8:].hex(' '):23}  {letters}"


def _visible(character: str) -> str:
    if character in "\n\t" or not is_hidden_character(character):
        return character
    return f"[U+{ord(character):04X}]"


class SpecialPage(Surface):
    """Card with its offered action; for an image, the image."""

    was_painted = Signal(str)
    """Emitted with the card's revision once it has been painted."""
    whole_wanted = Signal()
    """Emitted to show the diff that the card replaces."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("content", parent)
        self.setObjectName("special-page")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._data = b""
        self._setting: str | None = None
        self._card = SpecialCard(self)
        self.images = ImagePair(self)
        self.reading = ReadingText(self)
        column_of((self.images, 1), (self._card, 1), (self.reading, 3), parent=self)
        self.images.hide()
        self.reading.hide()
        self._card.was_painted.connect(self.was_painted)
        self.images.was_painted.connect(self.was_painted)
        self.images.described.connect(self._describe_images)
        self._card.offered.connect(self._carry_out)
        self._card.offer_gone.connect(lambda: self.setFocus(Qt.FocusReason.OtherFocusReason))

    def show_panel(
        self,
        panel: SpecialPanel,
        revision: str,
        base: bytes | None,
        result: bytes | None,
        runner: Runner | None,
        *,
        setting: str | None = None,
    ) -> None:
        """Show what the panel says, or its bytes as images.

        `revision` is what `was_painted` will emit, `setting` the project's encoding for the file.
        """
        data = result if result is not None else base or b""
        if data != self._data:
            self.close_reading()
        self._data, self._setting = data, setting
        shows_images = panel.is_image and runner is not None
        self._card.show_panel(panel, "" if shows_images else revision)
        self.setAccessibleName(panel.title)
        self.setAccessibleDescription(panel.sentence)
        self.images.setVisible(shows_images)
        self._card.setVisible(not shows_images)
        if shows_images:
            self.images.show_images(base, result, revision, runner)
        else:
            self.images.clear_images()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        is_enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.isAutoRepeat()
        if is_enter and self._card.offer == "whole":
            self.whole_wanted.emit()
        else:
            super().keyPressEvent(event)

    def _describe_images(self) -> None:
        if not self.images.isHidden():
            self.setAccessibleDescription(self.images.accessibleDescription())

    def title(self) -> str:
        return self._card.title()

    def close_reading(self) -> bool:
        """Close the file view; return whether it was open."""
        if self.reading.isHidden():
            return False
        self.reading.hide()
        self.reading.clear()
        self.setFocus(Qt.FocusReason.OtherFocusReason)
        return True

    def _carry_out(self, offer: str) -> None:
        if offer == "hex":
            self.reading.show_hex(self._data)
        elif offer == "read":
            self.reading.show_text(self._data, self._setting)
        else:
            if offer == "whole":
                self.whole_wanted.emit()
            return
        self.reading.show()
        self.reading.setFocus(Qt.FocusReason.OtherFocusReason)
