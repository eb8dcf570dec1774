"""The diff as plain text in unified order, for screen readers (F7).

The text holds a window of rows around the current one, which moves when the caret nears its edge. The current
line is the same here and in the painted diff.
"""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QTextCursor, QTextFormat
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit, QWidget

from studio.engine import HunkChoice
from studio.ui.diff.code.document import DiffDocument
from studio.ui.diff.model.cells import Cell, Heights, LineState, Mode, Row, RowKind, Side
from studio.ui.diff.model.layout import Layout
from studio.ui.language import translator
from studio.ui.limits import SPOKEN_LINE_CHARACTERS
from studio.ui.look.theme import color
from studio.ui.look.words import counted, say
from studio.ui.widgets.text_field import CodeFont

_tr = translator("DiffView")

# Only a part at a time: Qt's text editor lays out all it holds, which takes half a second for 100,000 lines.
WINDOW_ROWS = 2000
"""Most rows that the text holds at once."""

_EDGE_ROWS = 100
_HEIGHTS = Heights(1, 1, 1)


class AccessibleText(QPlainTextEdit):
    """Read-only text with a caret and one paragraph per row."""

    line_reached = Signal(object, int)
    """Emitted when the caret reaches a line: its side and 0-based number."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("diff-text")
        self.setAccessibleName(self.tr("Diff as text"))
        for bar, name in ((self.verticalScrollBar(), "down"), (self.horizontalScrollBar(), "across")):
            bar.setObjectName(f"diff-text-scroll-{name}")
            bar.setAccessibleName(self.accessibleName())
        self.viewport().setObjectName("diff-text-viewport")
        self.setReadOnly(True)
        self.setUndoRedoEnabled(False)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        # A read-only text has no visible caret by default; here the caret marks the current line.
        keyboard, mouse = (
            Qt.TextInteractionFlag.TextSelectableByKeyboard,
            Qt.TextInteractionFlag.TextSelectableByMouse,
        )
        self.setTextInteractionFlags(keyboard | mouse)
        self.setTabChangesFocus(True)
        self.setFrameShape(QPlainTextEdit.Shape.NoFrame)
        self.code_font = CodeFont(self)
        self._document_: DiffDocument | None = None
        self._layout_: Layout | None = None
        self._first = 0
        self._end_row = 0
        self._is_filling = False
        self.cursorPositionChanged.connect(self._on_moved)

    def show_diff(
        self,
        document: DiffDocument,
        choices: Mapping[int, HunkChoice],
        revealed: Mapping[int, int] | None = None,
    ) -> None:
        """Show a diff with the chosen hunks and lines.

        `revealed` is the number of lines shown of each fold; None disables folding.
        """
        self.code_font.use()
        self._document_ = document
        self._layout_ = Layout(
            document.diff, _HEIGHTS, mode=Mode.UNIFIED, choices=choices,
            revealed=revealed, folds=revealed is not None,
        )  # fmt: skip
        self._first = self._end_row = 0

    def go_to(self, side: Side, line: int) -> None:
        """Move the caret to a 0-based line, or to its fold."""
        if self._layout_ is not None:
            self._go_to_row(self._layout_.row_near(side, line))

    def clear_diff(self) -> None:
        if self._document_ is None:
            return  # Emptying it takes milliseconds, and most users never fill it.
        self._document_ = self._layout_ = None
        self._is_filling = True
        self.clear()
        self._is_filling = False

    def row(self) -> int:
        """Return the row of the whole diff that holds the caret."""
        return self._first + self.textCursor().blockNumber()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange:
            self._mark_line()

    def _go_to_row(self, row: int) -> None:
        layout = self._layout_
        if layout is None:
            return
        if not self._first <= row < self._end_row:
            self._fill(row)
        block = self.document().findBlockByNumber(row - self._first)
        if block.isValid():
            self._is_filling = True
            self.setTextCursor(QTextCursor(block))
            self.centerCursor()
            self._is_filling = False

    def _fill(self, row: int) -> None:
        """Fill the text with the window of rows around a row."""
        layout = self._layout_
        assert layout is not None
        self._first = max(0, min(row - WINDOW_ROWS // 2, layout.rows - WINDOW_ROWS))
        self._end_row = min(layout.rows, self._first + WINDOW_ROWS)
        self._is_filling = True
        document = self._document_
        assert document is not None
        rows = range(self._first, self._end_row)
        self.setPlainText("\n".join(row_words(layout, document, index) for index in rows))
        self._is_filling = False

    def _on_moved(self) -> None:
        layout = self._layout_
        self._mark_line()
        if layout is None or self._is_filling:
            return
        row = self.row()
        before, after = row - self._first, self._end_row - row
        if (before < _EDGE_ROWS and self._first) or (after < _EDGE_ROWS and self._end_row < layout.rows):
            column = self.textCursor().positionInBlock()
            self._fill(row)
            self._go_to_row(row)
            self._is_filling = True
            cursor = self.textCursor()
            cursor.setPosition(cursor.block().position() + min(column, cursor.block().length() - 1))
            self.setTextCursor(cursor)
            self._is_filling = False
        cell = _cell(layout.row(min(row, layout.rows - 1))) if layout.rows else None
        if cell is not None:
            self.line_reached.emit(cell.side, cell.line)

    def _mark_line(self) -> None:
        """Highlight the current line."""
        mark = QTextEdit.ExtraSelection()
        mark.cursor = self.textCursor()
        mark.cursor.clearSelection()
        mark.format.setBackground(color("select"))
        mark.format.setProperty(QTextFormat.Property.FullWidthSelection, True)
        self.setExtraSelections([mark])


def row_words(layout: Layout, document: DiffDocument, index: int) -> str:
    """Return a row in words: hunk, fold, or its lines."""
    row = layout.row(index)
    if row.kind is RowKind.BAND:
        words = _tr("Hunk {n} of {total}")
        return " ".join((say(words, n=row.hunk, total=layout.hunks), document.names.hunk(row.hunk))).strip()
    if row.kind is RowKind.FOLD:
        return counted(row.hidden, _tr("{n} unchanged line"), _tr("{n} unchanged lines"))
    if row.left is not None and row.right is not None and row.right.sign:
        return "\n".join(_line_words(document, cell) for cell in (row.left, row.right))
    cell = _cell(row)
    return _line_words(document, cell) if cell is not None else ""


def _line_words(document: DiffDocument, cell: Cell) -> str:
    shown = document.display(cell.side, cell.line).text
    if len(shown) > SPOKEN_LINE_CHARACTERS:
        rest = say(_tr("… and {n} more characters"), n=len(shown) - SPOKEN_LINE_CHARACTERS)
        shown = shown[:SPOKEN_LINE_CHARACTERS] + rest
    number = "" if cell.number is None else str(cell.number)
    return f"{_sign_words(cell)}{number:>6} {shown}"


def _cell(row: Row) -> Cell | None:
    """Return the line that a row shows in unified order."""
    return row.right or row.left


def _sign_words(cell: Cell) -> str:
    """Return a line's sign; an excluded line says so in words.

    A screen reader can't read the hatching that marks it in the painted diff.
    """
    if cell.state is LineState.LEFT_OUT:
        return cell.sign + _tr(" excluded")
    return cell.sign or " "
