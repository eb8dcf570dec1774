"""Diff scroll area that paints visible rows, current hunk, selection, moved lines."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import partial
from math import ceil
from typing import NamedTuple, Protocol

from msgspec.structs import replace
from PySide6.QtCore import QCoreApplication, QPoint, QRect, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent

from studio.ui.diff.canvas.comment_rows import COMMENT, CommentedRows
from studio.ui.diff.canvas.painting import BandAction, BandStyle, Highlight, Pane, RowPainter, check_box
from studio.ui.diff.canvas.row_view import VisibleRow
from studio.ui.diff.code.selection import pane_cell
from studio.ui.diff.model.cells import Cell, LineState, Mode, Row, RowKind, Side
from studio.ui.diff.model.layout import Layout
from studio.ui.diff.model.line_choice import choosable_cells
from studio.ui.diff.model.moved_lines import MovedLines, MovedPart
from studio.ui.language import translator
from studio.ui.look.icons import paint_icon
from studio.ui.look.theme import color, px, ui_font
from studio.ui.look.words import count_text, say


class Caret(Protocol):
    """Protocol of a text caret in the rows."""

    def move_caret_to(self, point: QPoint, *, extend: bool) -> bool:
        """Move the caret to a point; return whether it is editable text."""
        ...

    def extend_to(self, point: QPoint) -> bool:
        """Extend the selection to a point; return whether a drag is active."""
        ...

    def end_drag(self) -> None:
        """End a drag."""
        ...

    def select_word(self, point: QPoint) -> bool:
        """Select the word under a point; return whether it is editable text."""
        ...

    def words(self) -> str | None:
        """Return the selection within one line, else the word at the caret.

        Returns None while no text is being edited.
        """
        ...

    def selected(self, cell: Cell) -> tuple[int, int | None] | None:
        """Return a line's selected characters; None as end includes its ending."""
        ...

    def paint(self, painter: QPainter) -> None:
        """Paint the caret if it is visible."""
        ...


class StickyLine(NamedTuple):
    """Line of a definition, painted above the lines in it."""

    cell: Cell
    pane: Pane
    area: QRect


class PaintedRows(CommentedRows):
    """Row view that paints only the visible rows, whatever the file's size."""

    moved = MovedLines()
    """The lines that the plan moves."""
    chooses_lines = True
    """Whether single lines of a hunk can be excluded, or whole hunks only."""

    typing: Caret | None = None
    """Caret of the editor in the lines, None if they can't be edited."""
    own: tuple[tuple[int, int], ...] = ()
    """Lines of the result that the reviewer wrote: the 0-based first and how many."""

    def set_own(self, own: tuple[tuple[int, int], ...]) -> None:
        """Mark the lines that the reviewer wrote."""
        self.own = own
        self.viewport().update()

    def own_first(self, cell: Cell | None) -> int:
        """Return the first line of a cell's reviewer-written run, or -1."""
        if cell is None or cell.side is not Side.RESULT:
            return -1
        at = bisect_right(self.own, cell.line, key=lambda each: each[0]) - 1
        return self.own[at][0] if at >= 0 and cell.line < sum(self.own[at]) else -1

    def line_words(self, row: Row, pane: int) -> str:
        """Return a line's tooltip: moved block, author, changed columns if too wide."""
        painter, cell = self._painter, pane_cell(row, self._mode, pane)
        if painter is None or cell is None:
            return ""
        part, sentence = self.moved_part(cell), ""
        if part is not None:
            sentence = moved_words(part)
        elif self.own_first(cell) >= 0:
            sentence = self.tr("Edited by a reviewer.")
        is_wide = painter.line(cell, row.pair).width > self.panes()[pane].code_width
        columns = painter.changed_characters(cell, row.pair) if is_wide and self._extents is None else ()
        return "\n".join(filter(None, (sentence, changed_columns_words(columns))))

    def make_room(self, right: float) -> None:
        """Extend the horizontal scroll range to this many pixels."""
        self._widest = max(self._widest, right)
        self._fit_scroll_bars()

    def set_moved(self, moved: MovedLines) -> None:
        """Mark the lines that the plan moves."""
        self.moved = moved
        self.viewport().update()

    def moved_part(self, cell: Cell | None) -> MovedPart | None:
        """Return the moved block of a cell, None if it is excluded."""
        is_changed = cell is not None and cell.state in (LineState.REMOVED, LineState.ADDED)
        return self.moved.part(*cell.line_key) if cell is not None and is_changed else None

    def numbered_cell(self, visible: VisibleRow, point: QPoint) -> Cell | None:
        """Return the line whose number is under a point, if commentable."""
        is_in_row = visible.y <= point.y() < visible.y + visible.height
        if not is_in_row or visible.row.kind is not RowKind.CODE:
            return None
        is_editing = self.typing is not None and self.typing.words() is not None
        if is_editing or not any(action.id == COMMENT for action in self._more_actions):
            return None
        for number, pane in enumerate(self.panes()):
            if 0 <= point.x() - pane.left < pane.gutter.numbers[-1]:
                return pane_cell(visible.row, self._mode, number)
        return None

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        painter.fillRect(event.rect(), color("content"))
        if self.layout_ is None or self._painter is None:
            return
        assert self._document is not None
        self._document.colours.begin_frame()
        rows = self._visible_rows(event.rect())
        self.rows_painted += len(rows)
        panes = self.panes()
        painter.setBrushOrigin(0, -self.verticalScrollBar().value())
        for visible in rows:
            self._paint_frame_of(painter, visible, panes)
        for number, pane in enumerate(panes):
            self._paint_texts(painter, rows, event.rect(), pane, number)
        painter.setClipping(False)
        self._paint_current_line(painter, rows, panes)
        if self.typing is not None:
            self.typing.paint(painter)
        self._paint_current_bar(painter)
        self._paint_sticky_band(painter)
        self._paint_sticky_lines(painter)
        if self.layout_.height != self._fitted_height:
            self._wider.emit()
        if self._unpainted:
            painted, self._unpainted = self._unpainted, ""
            self.was_painted.emit(painted)

    def _paint_frame_of(self, painter: QPainter, visible: VisibleRow, panes: tuple[Pane, ...]) -> None:
        """Paint everything of a row except its code."""
        assert self._painter is not None
        assert self.layout_ is not None
        row, y = visible.row, visible.y
        area = QRect(0, y, self.viewport().width(), visible.height)
        if row.kind is RowKind.BAND:
            self._painter.paint_band(painter, area, self._band_look(row.hunk, area))
            return
        if row.kind is RowKind.FOLD:
            hovered = area.contains(self._hover)
            assert self._document is not None
            text = self._document.names.fold(*self.layout_.folded(visible.index))
            left = panes[0].code_left
            self._painter.paint_fold(painter, area, row, text, left=left, hovered=hovered)
            return
        if row.kind is RowKind.NOTE:
            self._paint_note(painter, visible, panes)
            return
        boxes = dict(choosable_cells(row, self._mode)) if self._has_line_boxes(row.hunk) else {}
        hovered_cell = self.numbered_cell(visible, self._hover)
        for number, narrow in enumerate(panes):
            pane = self._pane_of(narrow, row.hunk)
            cell = pane_cell(row, self._mode, number)
            self._painter.paint_ground(painter, pane, y, visible.height, cell)
            if self.moved_part(cell) is not None:
                paint_moved(painter, pane, y, visible.height)
            elif self.own_first(cell) >= 0:
                paint_bar(painter, pane, y, visible.height)
            if cell is not None and cell is hovered_cell:
                top = y + (self._painter.heights.code - px(14)) // 2
                paint_icon(painter, COMMENT, "accent", pane.left + px(8), top, size=14)
            elif self._mode is Mode.UNIFIED:
                numbers = (row.left.number if row.left else None, row.right.number if row.right else None)
                self._painter.paint_numbers(painter, pane, y, numbers)
            elif cell is not None:
                self._painter.paint_numbers(painter, pane, y, (cell.number,))
            if number in boxes:
                self._paint_box(painter, pane, y, boxes[number])
        if len(panes) > 1:
            painter.fillRect(panes[1].left, y, 1, area.height(), color("border"))

    def _paint_box(self, painter: QPainter, pane: Pane, y: int, cell: Cell) -> None:
        assert self._painter is not None
        box = pane.choice_box(y, self._painter.heights.code)
        self._painter.paint_choice(painter, pane, y, cell, hovered=box.contains(self._hover))

    def _paint_texts(
        self, painter: QPainter, rows: list[VisibleRow], area: QRect, narrow: Pane, number: int
    ) -> None:
        """Paint the code of one pane; rows with check boxes are indented."""
        clipped: Pane | None = None
        for visible in rows:
            pane = self._pane_of(narrow, visible.row.hunk)
            if pane is not clipped and pane != clipped:
                clipped = pane
                painter.setClipRect(QRect(pane.code_left, area.top(), pane.code_width, area.height()))
            self._paint_text_of(painter, visible, area, pane, number)

    def _paint_text_of(
        self, painter: QPainter, visible: VisibleRow, area: QRect, pane: Pane, number: int
    ) -> None:
        assert self._painter is not None
        cell = pane_cell(visible.row, self._mode, number)
        if cell is None:
            return
        top, bottom = max(visible.y, area.top()), min(visible.y + visible.height, area.bottom() + 1)
        drawn = self._painter.paint_code(
            painter,
            pane,
            visible.y,
            cell,
            QRectF(pane.code_left, top, pane.code_width, bottom - top),
            pair=visible.row.pair,
            scroll=self.horizontalScrollBar().value(),
            highlights=self._highlights(visible, number),
        )
        part, width_of = self.moved_part(cell), partial(self._width_of, cell)
        words = moved_words(part) if part is not None and end_line(part, width_of, pane) == cell.line else ""
        if not words and self.own_first(cell) == cell.line:
            words = self.tr("edited by hand")
        if words:
            left = pane.code_left - self.horizontalScrollBar().value()
            place = QRectF(left, visible.y, drawn.width, self._painter.heights.code)
            paint_end(painter, pane, place, words)
        if self._extents is not None:
            if self._extents.learn(cell.side, cell.line, drawn.lines):
                self._taller.emit()
        elif drawn.width > self._widest:
            self._widest = drawn.width
            self._wider.emit()

    def _width_of(self, cell: Cell, line: int) -> float:
        """Return the pixel width of a line drawn in a cell's style."""
        assert self._painter is not None
        return self._painter.line(replace(cell, line=line), None).width - self.horizontalScrollBar().value()

    def _paint_current_line(self, painter: QPainter, rows: list[VisibleRow], panes: tuple[Pane, ...]) -> None:
        """Paint the frame around the line selected with the arrow keys."""
        if self._current_line is None or self._painter is None:
            return
        for visible in rows:
            if not self._has_line_boxes(visible.row.hunk):
                continue
            for number, cell in choosable_cells(visible.row, self._mode):
                if cell.line_key == self._current_line:
                    self._painter.paint_current_line(painter, panes[number], visible.y, visible.height)

    def _has_line_boxes(self, hunk: int) -> bool:
        return 0 < hunk == self._lines_hunk

    def _pane_of(self, pane: Pane, hunk: int) -> Pane:
        """Return the pane with room for check boxes while lines are chosen."""
        return pane.with_boxes() if 0 < hunk == self._lines_hunk else pane

    def _highlights(self, visible: VisibleRow, pane: int) -> list[Highlight]:
        assert self._painter is not None
        cell = pane_cell(visible.row, self._mode, pane)
        if cell is None:
            return []
        shown: list[Highlight] = []
        hits = self._hits.get((cell.side, cell.line), ())
        selection = self._selection
        typed = self.typing.selected(cell) if self.typing is not None else None
        if not hits and selection is None and typed is None:
            return shown
        drawn = self._painter.line(cell, visible.row.pair)
        for hit in hits:
            start = drawn.shown.column_of_byte(hit.start)
            end = drawn.shown.column_of_byte(hit.end)
            shown.append(Highlight(start, end, "warnBg", 2 if hit == self._current_hit else 1))
        if typed is not None:
            through = typed[1] is None
            end = drawn.shown.column_of(len(drawn.shown.source) if typed[1] is None else typed[1])
            shown.append(Highlight(drawn.shown.column_of(typed[0]), end + (1 if through else 0), "select"))
        if selection is not None and selection.pane == pane:
            part = selection.characters(visible.index, len(drawn.shown.source))
            if part is not None:
                end = drawn.shown.column_of(part[1])
                through = visible.index < selection.last[0]
                shown.append(Highlight(drawn.shown.column_of(part[0]), end + (1 if through else 0), "select"))
        return shown

    def _paint_current_bar(self, painter: QPainter) -> None:
        layout = self.layout_
        if layout is None or not self.current_hunk or self._mode is Mode.ONE_SIDE:
            return
        first, end = layout.hunk_rows(self.current_hunk)
        offset = self.verticalScrollBar().value()
        top, bottom = layout.top(first) - offset, layout.top(end) - offset
        painter.fillRect(
            0, max(-1, top), 3, min(self.viewport().height(), bottom) - max(-1, top), color("curBar")
        )

    def _sticky_band(self) -> tuple[int, QRect] | None:
        """Return the hunk whose band sticks to the top, with its rectangle."""
        layout = self.layout_
        if layout is None or not layout.hunks or self._mode is Mode.ONE_SIDE or self._painter is None:
            return None
        offset = self.verticalScrollBar().value()
        row = layout.row_at(offset)
        hunk = layout.hunk_at(row)
        first, end = layout.hunk_rows(hunk)
        if not first <= row < end or layout.top(first) >= offset:
            return None
        height = self._painter.heights.band
        y = min(0, layout.top(end) - offset - height)
        return hunk, QRect(0, y, self.viewport().width(), height)

    def _paint_sticky_band(self, painter: QPainter) -> None:
        sticky = self._sticky_band()
        if sticky is not None and self._painter is not None:
            hunk, area = sticky
            self._painter.paint_band(painter, area, self._band_look(hunk, area))
            if hunk == self.current_hunk:
                painter.fillRect(0, area.top(), 3, area.height(), color("curBar"))

    def _sticky_lines(self) -> list[StickyLine]:
        """Return the definitions around the first visible lines, above them."""
        layout, document, painter = self.layout_, self._document, self._painter
        if layout is None or document is None or painter is None or not layout.rows:
            return []
        band, offset = self._sticky_band(), self.verticalScrollBar().value()
        top = max(0, band[1].bottom() + 1) if band is not None else 0
        row = layout.row(layout.row_at(offset + top))
        found: list[StickyLine] = []
        for number, pane in enumerate(self.panes()):
            cell = pane_cell(row, self._mode, number)
            line = document.names.around(cell.side, cell.line) if cell is not None else -1
            if cell is not None and line >= 0:
                shown = Cell(cell.side, line, layout.number_of(cell.side, line), LineState.PLAIN)
                area = QRect(pane.left, top, pane.width, painter.heights.code)
                found.append(StickyLine(shown, self._pane_of(pane, row.hunk), area))
        return found

    def _paint_sticky_lines(self, painter: QPainter) -> None:
        assert self._painter is not None
        for line in self._sticky_lines():
            numbers: tuple[int | None, ...] = (line.cell.number,)
            if self._mode is Mode.UNIFIED:
                is_base = line.cell.side is Side.BASE
                numbers = (line.cell.number, None) if is_base else (None, line.cell.number)
            hovered = line.area.contains(self._hover)
            self._painter.paint_sticky_line(
                painter, line.pane, line.area, line.cell, numbers, hovered=hovered
            )

    def _sticky_line_under(self, point: QPoint) -> StickyLine | None:
        return next((line for line in self._sticky_lines() if line.area.contains(point)), None)

    def _band_look(self, hunk: int, area: QRect) -> BandStyle:
        assert self.layout_ is not None
        assert self._document is not None
        names = self._document.names
        section = names.hunk(hunk).rstrip(":{ ")
        if not section and names.is_at_top(hunk):
            section = self.tr("top of file")
        if self.layout_.is_only_space(hunk):
            section = " · ".join(filter(None, (self.tr("whitespace only"), section)))
        state = self._hunk_state(hunk) if self._has_boxes else None
        actions = self.hunk_actions(hunk) if hunk == self.current_hunk else ()
        hovered = not self._lock and check_box(area).contains(self._hover)
        title = say(self.tr("Hunk {n}"), n=hunk)
        return BandStyle(title, section, state, actions, hovered)

    def _hunk_state(self, hunk: int) -> Qt.CheckState:
        choice = self._choices.get(hunk, True)
        if choice is True:
            return Qt.CheckState.Checked
        return Qt.CheckState.PartiallyChecked if choice else Qt.CheckState.Unchecked

    def hunk_actions(self, hunk: int) -> tuple[BandAction, ...]:
        """Return the buttons of the current hunk."""
        if not self.has_hunk_buttons:
            return ()
        if self._choices.get(hunk, True) is False:
            whole = BandAction("toggle_hunk", "plus", self.tr("Include"), "X")
        else:
            whole = BandAction("toggle_hunk", "minus", self.tr("Exclude"), "X")
        if not self.chooses_lines:
            return whole, *self._more_actions
        chosen = self._lines_hunk == hunk
        words = self.tr("Done") if chosen else self.tr("Lines")
        return whole, BandAction("lines", "lines", words, "L", chosen), *self._more_actions


# Decorations of lines: background of moved code, bar at the left, label behind a line.

_tr = translator("DiffView")

_BAR = 3
_LEAST_ROOM = 180
_NAMED_IN = 12


def moved_words(part: MovedPart) -> str:
    """Return the label that says where the moved lines' other end is."""
    is_gone = part.side is Side.BASE
    words = _tr("moved to {path}:{line}") if is_gone else _tr("moved from {path}:{line}")
    return say(words, path=part.path, line=str(part.other_first + 1))


def paint_moved(painter: QPainter, pane: Pane, y: int, height: int) -> None:
    """Paint the background of a moved line behind its code.

    The sign column keeps the background of a removed or added line.
    """
    painter.fillRect(pane.code_left, y, pane.code_width, height, color("infoBg"))
    paint_bar(painter, pane, y, height)


def paint_bar(painter: QPainter, pane: Pane, y: int, height: int) -> None:
    """Paint the bar that marks a line as moved or reviewer-written."""
    painter.fillRect(pane.code_left - px(_BAR), y, px(_BAR), height, color("curBar"))


def end_line(part: MovedPart, widths: Callable[[int], float], pane: Pane) -> int:
    """Return the line of a moved block that fits its label.

    It is one of the block's first few lines; -1 if none has room.
    """
    most = pane.code_width - px(_LEAST_ROOM + 24)
    lines = range(part.first, part.first + min(part.count, _NAMED_IN))
    return next((line for line in lines if widths(line) <= most), -1)


def paint_end(painter: QPainter, pane: Pane, area: QRectF, words: str) -> None:
    """Paint a label at the right end of a line's rectangle."""
    painter.setFont(ui_font(11))
    metrics = QFontMetricsF(painter.font())
    right = pane.code_left + pane.code_width - px(8)
    room = right - max(pane.code_left, area.right()) - px(16)
    text = metrics.elidedText(words, Qt.TextElideMode.ElideMiddle, room)
    width = ceil(metrics.horizontalAdvance(text))
    painter.setPen(color("muted"))
    end = QRectF(right - width, area.top(), width, area.height())
    painter.drawText(end, Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, text)


# Changed columns of lines that are wider than their pane.

_TOLD = 12
"""Most column ranges listed for one line; an ellipsis replaces the others."""


def first_columns(layout: Layout, painter: RowPainter, hunk: int) -> tuple[int, int] | None:
    """Return the first columns that a hunk (from 1) changes, else None."""
    if not 1 <= hunk <= layout.hunks:
        return None
    for index in range(*layout.hunk_rows(hunk)):
        row = layout.row(index)
        cells = [cell for cell in (row.right, row.left) if cell is not None and _is_changed(cell)]
        if cells:
            spans = [spans for cell in cells if (spans := painter.changed_columns(cell, row.pair))]
            return spans[0][0] if spans else (0, 1)
    return None


def _is_changed(cell: Cell) -> bool:
    return bool(cell.choice) and cell.state is not LineState.PLAIN


def changed_columns_words(spans: Sequence[tuple[int, int]]) -> str:
    """Return a sentence listing the changed columns, or "" for none."""
    if not spans:
        return ""
    shown = ", ".join(f"{count_text(start + 1)}–{count_text(end)}" for start, end in spans[:_TOLD])
    more = "…" if len(spans) > _TOLD else ""
    template = QCoreApplication.translate("DiffView", "Changed columns: {places}")
    return say(template, places=shown + more)
