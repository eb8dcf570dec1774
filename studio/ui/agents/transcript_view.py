"""The text of a session, to be read, selected and copied; it grows at its end, and follows itself there."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QEvent
from PySide6.QtGui import QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from studio.ui.agents.transcript_blocks import BlockKind, Change, MoreText, NewBlock, OtherText
from studio.ui.look.theme import color, ui_font

_TOKENS = {
    BlockKind.PERSON: "text",
    BlockKind.AGENT: "text",
    BlockKind.THOUGHT: "muted",
    BlockKind.DOING: "muted",
    BlockKind.OURS: "muted",
    BlockKind.BAD: "bad",
}
_BOLD = frozenset({BlockKind.PERSON})


class TranscriptView(QPlainTextEdit):
    """Plain text, a paragraph for each block; Qt lays out what comes into view."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("transcript")
        self.setAccessibleName(self.tr("What was said and done"))
        self.setReadOnly(True)
        self.setUndoRedoEnabled(False)
        self.setTabChangesFocus(True)
        self.setFont(ui_font(13))
        self._blocks: list[tuple[BlockKind, int]] = []
        """Of each block its kind, and the number of its first paragraph."""

    def clear_blocks(self) -> None:
        """Begin anew."""
        self._blocks = []
        self.clear()

    def take(self, changes: Iterable[Change]) -> None:
        """Show changes; whoever reads further up stays there."""
        bar = self.verticalScrollBar()
        is_at_end = bar.value() >= bar.maximum() - 1
        cursor = QTextCursor(self.document())
        cursor.beginEditBlock()
        for change in changes:
            self._change(cursor, change)
        cursor.endEditBlock()
        if is_at_end:
            bar.setValue(bar.maximum())

    def _change(self, cursor: QTextCursor, change: Change) -> None:
        match change:
            case NewBlock(kind, text):
                cursor.movePosition(QTextCursor.MoveOperation.End)
                if self._blocks:
                    cursor.insertBlock()
                self._blocks.append((kind, cursor.blockNumber()))
                cursor.insertText(text, _format(kind))
            case MoreText(text):
                cursor.movePosition(QTextCursor.MoveOperation.End)
                cursor.insertText(text, _format(self._blocks[-1][0]))
            case OtherText(block, text):
                kind, number = self._blocks[block]
                cursor.setPosition(self.document().findBlockByNumber(number).position())
                cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
                cursor.insertText(text, _format(kind))

    def changeEvent(self, event: QEvent) -> None:
        """Another theme has other colours."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.StyleChange, QEvent.Type.PaletteChange) and self._blocks:
            cursor = QTextCursor(self.document())
            ends = [number for _, number in self._blocks[1:]] + [self.document().blockCount()]
            for (kind, first), end in zip(self._blocks, ends, strict=True):
                cursor.setPosition(self.document().findBlockByNumber(first).position())
                last = self.document().findBlockByNumber(end - 1)
                cursor.setPosition(last.position() + last.length() - 1, QTextCursor.MoveMode.KeepAnchor)
                cursor.setCharFormat(_format(kind))


def _format(kind: BlockKind) -> QTextCharFormat:
    look = QTextCharFormat()
    look.setForeground(color(_TOKENS[kind]))
    look.setFontWeight(600 if kind in _BOLD else 400)
    return look
