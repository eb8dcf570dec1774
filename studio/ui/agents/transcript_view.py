"""Read-only text view of an agent session, and conversion of its events."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Any

from PySide6.QtCore import QEvent
from PySide6.QtGui import QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from studio.engine import EventKind, SessionEvent
from studio.names import show_lines, show_name
from studio.ui.language import translator
from studio.ui.look.theme import color, ui_font
from studio.ui.look.words import say
from studio.values import Value

# Events as text blocks: message pieces are joined, and a tool call is one line that changes.

_tr = translator("Transcript")

_LINE_CHARACTERS = 4000
"""A longer line is broken: Qt lays out a whole line again for each word added to it."""
_TITLE_CHARACTERS = 1000
_JOINED = frozenset({EventKind.MESSAGE, EventKind.THOUGHT})


class BlockKind(Enum):
    """Author of a block."""

    PERSON = "person"
    AGENT = "agent"
    THOUGHT = "thought"
    DOING = "doing"
    OURS = "ours"
    BAD = "bad"


class NewBlock(Value):
    """A new block at the end."""

    kind: BlockKind
    text: str


class MoreText(Value):
    """Text appended to the last block."""

    text: str


class OtherText(Value):
    """New text of block `block` (from 0), still one line."""

    block: int
    text: str


Change = NewBlock | MoreText | OtherText


class TranscriptBlocks:
    """Converter from session events to transcript changes, in order."""

    def __init__(self) -> None:
        self._count = 0
        self._last_kind: EventKind | None = None
        self._tools: dict[str, tuple[int, str]] = {}
        self._line = 0
        """Characters in the last line."""
        self._held_text = ""
        """Line ends at the end of the last message, shown once it goes on."""

    def change(self, event: SessionEvent) -> Change | None:
        """Return what an event changes, None if it is not shown."""
        kind, fields = event.kind, event.fields
        if kind in _JOINED:
            fields = {"text": self._hold_back_end(str(fields["text"]), is_continued=kind is self._last_kind)}
            if kind is self._last_kind:
                return MoreText(self._broken(show_lines(fields["text"])))
        if kind is EventKind.TOOL and (previous := self._tools.get(str(fields.get("tool")))) is not None:
            text = _tool(fields)
            if text == previous[1]:
                return None
            self._tools[str(fields.get("tool"))] = (previous[0], text)
            return OtherText(previous[0], text)
        block = _make_block(kind, fields)
        if block is None:
            return None
        if kind is EventKind.TOOL:
            self._tools[str(fields.get("tool"))] = (self._count, block.text)
        self._count += 1
        self._last_kind = kind
        self._line = 0
        return NewBlock(block.kind, self._broken(block.text))

    def _broken(self, text: str) -> str:
        """Break the text appended to the last line at the maximum length."""
        lines: list[str] = []
        for number, line in enumerate(text.split("\n")):
            if number:
                self._line = 0
            start = 0
            while (room := _LINE_CHARACTERS - self._line) < len(line) - start:
                lines.append(line[start : start + room])
                start, self._line = start + room, 0
            lines.append(line[start:])
            self._line += len(line) - start
        return "\n".join(lines)

    def _hold_back_end(self, text: str, *, is_continued: bool) -> str:
        text = (self._held_text if is_continued else "") + text
        shown = text.rstrip("\n")
        self._held_text = text[len(shown) :]
        return shown


def _make_block(kind: EventKind, fields: Mapping[str, Any]) -> NewBlock | None:
    match kind:
        case EventKind.BEGAN:
            title, version = show_name(str(fields.get("title"))), show_name(str(fields.get("version")))
            text = say(_tr("{title} {version} started."), title=title, version=version)
            if fields.get("resumed"):
                text = say(_tr("{title} {version} resumed."), title=title, version=version)
            return NewBlock(BlockKind.OURS, text)
        case EventKind.PROMPT:
            return NewBlock(BlockKind.PERSON, say(_tr("You: {text}"), text=show_lines(str(fields["text"]))))
        case EventKind.MESSAGE:
            return NewBlock(BlockKind.AGENT, show_lines(str(fields["text"])))
        case EventKind.THOUGHT:
            return NewBlock(
                BlockKind.THOUGHT, say(_tr("Thinking: {text}"), text=show_lines(str(fields["text"])))
            )
        case EventKind.TODO:
            lines = [
                f"  {show_name(each['status'])}: {show_name(each['text'])}" for each in fields["entries"]
            ]
            return NewBlock(BlockKind.DOING, "\n".join([_tr("Plan:"), *lines]))
        case EventKind.TOOL:
            return NewBlock(BlockKind.DOING, _tool(fields))
        case EventKind.NOTICE:
            is_bad = bool(fields.get("is_bad"))
            text = show_lines(str(fields["text"]))
            return NewBlock(
                BlockKind.BAD if is_bad else BlockKind.OURS, say("! {text}", text=text) if is_bad else text
            )
        case EventKind.TURN_ENDED:
            reason = str(fields.get("reason"))
            if reason == "end_turn":
                return None
            return NewBlock(BlockKind.OURS, say(_tr("Turn ended: {reason}"), reason=show_name(reason)))
        case EventKind.ENDED:
            reason = str(fields.get("reason") or "")
            if reason:
                return NewBlock(
                    BlockKind.BAD, say(_tr("! The agent exited: {reason}."), reason=show_name(reason))
                )
            return NewBlock(BlockKind.OURS, _tr("The agent exited."))


def _tool(fields: Mapping[str, Any]) -> str:
    title = show_name(str(fields.get("title") or fields.get("kind")))
    if len(title) > _TITLE_CHARACTERS:
        title = f"{title[: _TITLE_CHARACTERS - 1]}…"
    return say(_tr("• {title} ({status})"), title=title, status=show_name(str(fields.get("status"))))


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
    """Plain text view, a paragraph per block.

    Qt lays out only what is in view.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("transcript")
        self.setAccessibleName(self.tr("Transcript"))
        self.setReadOnly(True)
        self.setUndoRedoEnabled(False)
        self.setTabChangesFocus(True)
        self.setFont(ui_font(13))
        self._blocks: list[tuple[BlockKind, int]] = []
        """Each block's kind and the number of its first paragraph."""

    def clear_blocks(self) -> None:
        """Remove all blocks."""
        self._blocks = []
        self.clear()

    def show_changes(self, changes: Iterable[Change]) -> None:
        """Show changes; scroll on only if the view was at its end."""
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
        """Apply the new theme's colours to all blocks."""
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
    style = QTextCharFormat()
    style.setForeground(color(_TOKENS[kind]))
    style.setFontWeight(600 if kind in _BOLD else 400)
    return style
