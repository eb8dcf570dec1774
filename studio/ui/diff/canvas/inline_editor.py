"""Inline text editor in the diff canvas: invisible field, painted caret.

The Qt field provides input methods, undo, clipboard and accessibility; the rows provide highlighting,
alignment, wrapping and search. A typed letter, and the caret, appear once the diff of the new text is ready.
"""

from __future__ import annotations

from PySide6.QtCore import QObject, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QInputMethodEvent, QKeyEvent, QPainter, QPaintEvent, QTextCursor
from PySide6.QtWidgets import QFrame, QWidget

from studio.ui.diff.canvas.canvas import DiffCanvas
from studio.ui.diff.code.selection import pane_cell
from studio.ui.diff.model.cells import Cell, Side
from studio.ui.look.theme import color, px
from studio.ui.widgets.text_field import CodeText

_WIDTH = 2


class TypedField(CodeText):
    """Invisible text field at the caret's position; it paints nothing."""

    text_composed = Signal()
    """Emitted when the preedit text of an input method changed."""
    paged = Signal(int, bool)
    """Emitted on Page Down (1) or Page Up (-1), with whether it selects."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__("result-text", parent)
        self.setAccessibleName(self.tr("Result of this step"))
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFrameShape(QFrame.Shape.NoFrame)
        for bar in (self.horizontalScrollBar(), self.verticalScrollBar()):
            bar.setObjectName("result-text-scroll")
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setStyleSheet("background: transparent; border: none; padding: 0")
        self.viewport().setAutoFillBackground(False)
        self.composing = ""
        """Preedit text of the input method."""
        self.hide()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        pages = {Qt.Key.Key_PageUp: -1, Qt.Key.Key_PageDown: 1}.get(Qt.Key(event.key()), 0)
        if pages:
            self.paged.emit(pages, bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))
        else:
            super().keyPressEvent(event)

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        self.composing = event.preeditString()
        super().inputMethodEvent(event)
        self.text_composed.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint nothing; the rows show the text."""

    def line_and_character(self, position: int) -> tuple[int, int]:
        """Return the file's 0-based line, and the character, at a text position."""
        block = self.document().findBlock(position)
        text = block.text()
        inside = position - block.position()
        return self.first_line + block.blockNumber(), _characters(text, inside)

    def position(self, line: int, character: int) -> int:
        """Return the text position nearest to a character of a 0-based line."""
        block = self.document().findBlockByNumber(max(0, line - self.first_line))
        if not block.isValid():
            return self.document().characterCount() - 1
        return block.position() + _units(block.text()[:character])


class Typing(QObject):
    """Caret of the inline editor in the rows of one canvas."""

    def __init__(self, canvas: DiffCanvas) -> None:
        super().__init__(canvas)
        self._canvas = canvas
        self.field = TypedField(canvas.viewport())
        self._shown: tuple[int, int] | None = None
        """Anchor and position of the selection, in the text that the rows show."""
        self._is_waiting = False
        self._is_dragging = False
        self.field.textChanged.connect(self._start_waiting)
        self.field.cursorPositionChanged.connect(self._move)
        self.field.selectionChanged.connect(self._move)
        self.field.paged.connect(self._page)
        self.field.text_composed.connect(canvas.viewport().update)

    @property
    def is_open(self) -> bool:
        return not self.field.isHidden()

    def begin(self, line: int, character: int) -> None:
        """Take the keyboard focus, with the caret at a file position."""
        self._put_caret(self.field.position(line, character), extend=False)
        self.field.show()
        self.field.raise_()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._canvas.set_folds(False)

    def end(self) -> None:
        self._shown = None
        self._is_dragging = False
        self.field.hide()
        self._canvas.viewport().update()

    def catch_up(self, text: str) -> None:
        """Update the caret after the rows have shown this text.

        Does nothing where the text was edited since.
        """
        if text == self.field.text():
            self._is_waiting = False
            self._move()

    def move_caret_to(self, point: QPoint, *, extend: bool) -> bool:
        """Move the caret to a point; return whether it is editable text."""
        position = self._position_at(point) if self.is_open else None
        if position is None:
            return False
        self._put_caret(position, extend=extend)
        self.field.setFocus(Qt.FocusReason.MouseFocusReason)
        self._is_dragging = True
        return True

    def extend_to(self, point: QPoint) -> bool:
        """Extend the selection to a point; return whether a drag is active."""
        if not self._is_dragging:
            return False
        position = self._position_at(point)
        if position is not None:
            self._put_caret(position, extend=True)
        return True

    def end_drag(self) -> None:
        self._is_dragging = False

    def select_word(self, point: QPoint) -> bool:
        """Select the word under a point; return whether it is editable text."""
        if not self.move_caret_to(point, extend=False):
            return False
        cursor = self.field.textCursor()
        cursor.select(QTextCursor.SelectionType.WordUnderCursor)
        self.field.setTextCursor(cursor)
        self._is_dragging = False
        return True

    def words(self) -> str | None:
        """Return the selection within one line, else the word at the caret.

        Returns None while no text is being edited.
        """
        if not self.is_open:
            return None
        cursor = self.field.textCursor()
        if not cursor.hasSelection():
            cursor.select(QTextCursor.SelectionType.WordUnderCursor)
        words = cursor.selectedText()
        return "" if "\N{PARAGRAPH SEPARATOR}" in words else words.strip()

    def selected(self, cell: Cell) -> tuple[int, int | None] | None:
        """Return a line's selected characters; None as end includes its ending."""
        if self._shown is None or cell.side is not Side.RESULT or self._shown[0] == self._shown[1]:
            return None
        first, last = (self.field.line_and_character(position) for position in sorted(self._shown))
        if not first[0] <= cell.line <= last[0]:
            return None
        start = first[1] if cell.line == first[0] else 0
        return start, last[1] if cell.line == last[0] else None

    def paint(self, painter: QPainter) -> None:
        """Paint the caret, and the preedit text, if it is visible."""
        caret = self.caret_rect()
        if caret is None:
            return
        if self.field.composing:
            painter.setFont(self.field.font())
            width = painter.fontMetrics().horizontalAdvance(self.field.composing)
            painter.fillRect(QRect(caret.topLeft(), QSize(width, caret.height())), color("select"))
            painter.setPen(color("text"))
            painter.drawText(caret.left(), caret.top() + painter.fontMetrics().ascent(), self.field.composing)
            painter.drawLine(caret.left(), caret.bottom(), caret.left() + width, caret.bottom())
            caret.translate(width, 0)
        painter.fillRect(caret, color("text"))

    def caret_rect(self) -> QRect | None:
        """Return the caret's rectangle in the viewport, None if not shown."""
        canvas, layout = self._canvas, self._canvas.layout_
        if self._shown is None or layout is None:
            return None
        line, character = self.field.line_and_character(self._shown[1])
        lines = len(layout.diff.result_lines)
        row = layout.row_of(Side.RESULT, line) if line < lines else None
        height = canvas.painter_metrics().line_height
        pane = canvas.panes()[-1]
        if row is None:
            # No row follows the line end at the end of the text.
            before = layout.row_of(Side.RESULT, lines - 1) if lines else None
            top = layout.top(before) + layout.row_height(before) if before is not None else 0
            return QRect(pane.code_left, top - canvas.view_lines()[0], px(_WIDTH), height)
        shown = layout.row(row)
        cells = [cell for cell in (shown.right, shown.left) if cell is not None and cell.side is Side.RESULT]
        if not cells:
            return None
        cell = cells[0]
        drawn = canvas.drawn_line(cell, shown.pair)
        x, below = drawn.position_of(drawn.shown.column_of(character))
        left = pane.code_left + round(x) - canvas.horizontalScrollBar().value()
        return QRect(left, layout.top(row) - canvas.view_lines()[0] + below * height, px(_WIDTH), height)

    def _start_waiting(self) -> None:
        self._is_waiting = True

    def _move(self) -> None:
        """Show the caret's new position, unless the rows show an older text."""
        if not self.is_open or self._is_waiting:
            return
        cursor = self.field.textCursor()
        self._shown = cursor.anchor(), cursor.position()
        self._bring_into_view()
        caret = self.caret_rect()
        if caret is not None:
            self.field.setGeometry(caret)
        self._canvas.viewport().update()

    def _bring_into_view(self) -> None:
        canvas, caret = self._canvas, self.caret_rect()
        if caret is None:
            return
        down, across = canvas.verticalScrollBar(), canvas.horizontalScrollBar()
        if caret.top() < 0:
            down.setValue(down.value() + caret.top())
        elif caret.bottom() >= canvas.viewport().height():
            down.setValue(down.value() + caret.bottom() - canvas.viewport().height() + 1)
        pane, margin = canvas.panes()[-1], px(20)
        if caret.left() < pane.code_left:
            across.setValue(across.value() - (pane.code_left - caret.left()) - margin)
        elif caret.right() > pane.code_left + pane.code_width - margin:
            canvas.make_room(caret.left() - pane.code_left + across.value() + margin)
            across.setValue(across.value() + caret.right() - pane.code_left - pane.code_width + 2 * margin)

    def _position_at(self, point: QPoint) -> int | None:
        canvas, layout = self._canvas, self._canvas.layout_
        if layout is None or not layout.rows:
            return None
        pane = len(canvas.panes()) - 1
        if point.x() < canvas.panes()[pane].left:
            return None
        at = canvas.position_at(point, pane)
        cell = pane_cell(layout.row(at[0]), layout.mode, pane) if at is not None else None
        if at is None or cell is None or cell.side is not Side.RESULT:
            return None
        return self.field.position(cell.line, at[1])

    def _put_caret(self, position: int, *, extend: bool) -> None:
        cursor = self.field.textCursor()
        mode = QTextCursor.MoveMode.KeepAnchor if extend else QTextCursor.MoveMode.MoveAnchor
        cursor.setPosition(position, mode)
        self.field.setTextCursor(cursor)

    def _page(self, pages: int, extend: bool) -> None:
        lines = max(1, self._canvas.viewport().height() // self._canvas.painter_metrics().line_height - 1)
        line, character = self.field.line_and_character(self.field.textCursor().position())
        self._put_caret(self.field.position(line + pages * lines, character), extend=extend)


def _characters(text: str, units: int) -> int:
    """Return how many characters of a text this many UTF-16 units are."""
    if text.isascii():
        return min(units, len(text))
    return len(text.encode("utf-16-le", "surrogatepass")[: 2 * units].decode("utf-16-le", "ignore"))


def _units(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2
