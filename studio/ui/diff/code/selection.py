"""Text selection in one diff pane: range, selected text, word at position."""

from __future__ import annotations

from studio.ui.diff.code.document import DiffDocument
from studio.ui.diff.model.cells import Cell, LineState, Mode, Row, Side
from studio.ui.diff.model.layout import Layout
from studio.values import Value

TextPosition = tuple[int, int]
"""A row and a character of its line, both from 0."""


class Selection(Value):
    """Selection in one pane (0 left, 1 right), from `anchor` to `head`."""

    pane: int
    anchor: TextPosition
    head: TextPosition

    @property
    def first(self) -> TextPosition:
        return min(self.anchor, self.head)

    @property
    def last(self) -> TextPosition:
        return max(self.anchor, self.head)

    @property
    def is_empty(self) -> bool:
        return self.anchor == self.head

    def characters(self, row: int, length: int) -> tuple[int, int] | None:
        """Return the selected characters of a row whose line has that length.

        Returns None where nothing of it is selected.
        """
        if self.is_empty or not self.first[0] <= row <= self.last[0]:
            return None
        start = self.first[1] if row == self.first[0] else 0
        end = self.last[1] if row == self.last[0] else length
        return min(start, length), min(end, length)


def pane_cell(row: Row, mode: Mode, pane: int) -> Cell | None:
    """Return the cell that a pane shows of a row."""
    if mode is Mode.SIDE_BY_SIDE:
        return row.left if pane == 0 else row.right
    return row.right or row.left


def selected_text(selection: Selection, layout: Layout, document: DiffDocument) -> str:
    """Return the selected text of one side.

    Over several rows, result lines that are excluded from the file are skipped.
    """
    pieces: list[str] = []
    one_row = selection.first[0] == selection.last[0]
    for index in range(selection.first[0], min(selection.last[0] + 1, layout.rows)):
        cell = pane_cell(layout.row(index), layout.mode, selection.pane)
        if cell is None or (cell.state is LineState.LEFT_OUT and cell.side is Side.RESULT and not one_row):
            continue
        text = document.source(cell.side, cell.line)
        part = selection.characters(index, len(text))
        if part is not None:
            pieces.append(text[part[0] : part[1]])
    return "\n".join(pieces)


def word_around(text: str, character: int) -> tuple[int, int]:
    """Return the word at a character, else the run of like characters."""
    if not text:
        return 0, 0
    character = min(character, len(text) - 1)
    kind = _kind(text[character])
    start = end = character
    while start and _kind(text[start - 1]) == kind:
        start -= 1
    while end < len(text) and _kind(text[end]) == kind:
        end += 1
    return start, end


def _kind(character: str) -> str:
    if character.isalnum() or character == "_":
        return "word"
    return "space" if character.isspace() else character
