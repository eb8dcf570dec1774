"""Painting of the rows in view, and of what stands above them: current bar, sticky band, selection, hits."""

from __future__ import annotations

import time

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QPainter, QPaintEvent

from studio.ui.diff.layout import Mode, RowKind
from studio.ui.diff.painting import BandLook, Highlight, Pane, check_box
from studio.ui.diff.row_view import NAMING_TIME, RowView, VisibleRow
from studio.ui.diff.selection import pane_cell
from studio.ui.theme import color


class PaintedRows(RowView):
    """Paints only the rows in view, whatever the size of the file."""

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        painter.fillRect(event.rect(), color("content"))
        if self.layout_ is None or self._painter is None:
            return
        rows = self._visible_rows(event.rect())
        self._naming_until = time.perf_counter() + NAMING_TIME
        self.rows_painted += len(rows)
        panes = self._panes()
        painter.setBrushOrigin(0, -self.verticalScrollBar().value())
        for visible in rows:
            self._paint_frame_of(painter, visible, panes)
        for number, pane in enumerate(panes):
            painter.setClipRect(
                QRect(pane.code_left, event.rect().top(), pane.code_width, event.rect().height())
            )
            for visible in rows:
                self._paint_text_of(painter, visible, pane, number)
        painter.setClipping(False)
        self._paint_current_bar(painter)
        self._paint_sticky_band(painter)
        if self._unpainted:
            painted, self._unpainted = self._unpainted, ""
            self.was_painted.emit(painted)

    def _paint_frame_of(self, painter: QPainter, visible: VisibleRow, panes: tuple[Pane, ...]) -> None:
        """Everything of a row but its code."""
        assert self._painter is not None
        assert self.layout_ is not None
        row, y = visible.row, visible.y
        place = QRect(0, y, self.viewport().width(), self.layout_.row_height(visible.index))
        if row.kind is RowKind.BAND:
            self._painter.paint_band(painter, place, self._band_look(row.hunk, place))
            return
        if row.kind is RowKind.FOLD:
            hovered = place.contains(self._hover)
            text = self._name_of(visible.index) or ""
            self._painter.paint_fold(painter, place, row, text, hovered=hovered)
            return
        for number, pane in enumerate(panes):
            cell = pane_cell(row, self._mode, number)
            self._painter.paint_ground(painter, pane, y, cell)
            if self._mode is Mode.UNIFIED:
                numbers = (row.left.number if row.left else None, row.right.number if row.right else None)
                self._painter.paint_numbers(painter, pane, y, numbers)
            elif cell is not None:
                self._painter.paint_numbers(painter, pane, y, (cell.number,))
        if len(panes) > 1:
            painter.fillRect(panes[1].left, y, 1, place.height(), color("border"))

    def _paint_text_of(self, painter: QPainter, visible: VisibleRow, pane: Pane, number: int) -> None:
        assert self._painter is not None
        cell = pane_cell(visible.row, self._mode, number)
        if cell is None:
            return
        highlights = self._highlights(visible, number)
        scroll = self.horizontalScrollBar().value()
        width = self._painter.paint_code(
            painter, pane, visible.y, cell, pair=visible.row.pair, scroll=scroll, highlights=highlights
        )
        if width > self._widest:
            self._widest = width
            self._wider.emit()

    def _highlights(self, visible: VisibleRow, pane: int) -> list[Highlight]:
        assert self._painter is not None
        cell = pane_cell(visible.row, self._mode, pane)
        if cell is None:
            return []
        shown: list[Highlight] = []
        hits = self._hits.get((cell.side, cell.line), ())
        selection = self._selection
        if not hits and selection is None:
            return shown
        drawn = self._painter.line(cell, visible.row.pair)
        for hit in hits:
            start = drawn.shown.column_of_byte(hit.start)
            end = drawn.shown.column_of_byte(hit.end)
            shown.append(Highlight(start, end, "warnBg", 2 if hit == self._current_hit else 1))
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
        first, behind = layout.hunk_rows(self.current_hunk)
        offset = self.verticalScrollBar().value()
        top, bottom = layout.top(first) - offset, layout.top(behind) - offset
        painter.fillRect(
            0, max(-1, top), 3, min(self.viewport().height(), bottom) - max(-1, top), color("curBar")
        )

    def _sticky_band(self) -> tuple[int, QRect] | None:
        """The hunk whose band stands at the top because its own place is scrolled away, and where."""
        layout = self.layout_
        if layout is None or not layout.hunks or self._mode is Mode.ONE_SIDE or self._painter is None:
            return None
        offset = self.verticalScrollBar().value()
        row = layout.row_at(offset)
        hunk = layout.hunk_at(row)
        first, behind = layout.hunk_rows(hunk)
        if not first <= row < behind or layout.top(first) >= offset:
            return None
        height = self._painter.heights.band
        y = min(0, layout.top(behind) - offset - height)
        return hunk, QRect(0, y, self.viewport().width(), height)

    def _paint_sticky_band(self, painter: QPainter) -> None:
        sticky = self._sticky_band()
        if sticky is not None and self._painter is not None:
            hunk, place = sticky
            self._painter.paint_band(painter, place, self._band_look(hunk, place))
            if hunk == self.current_hunk:
                painter.fillRect(0, place.top(), 3, place.height(), color("curBar"))

    def _band_look(self, hunk: int, place: QRect) -> BandLook:
        assert self.layout_ is not None
        first = self.layout_.hunk_rows(hunk)[0]
        name = self._name_of(first)
        section = "" if name is None else name.rstrip(":{ ") or self.tr("top of the file")
        state = self._hunk_state(hunk) if self._has_boxes else None
        action = self._hunk_action(hunk) if hunk == self.current_hunk else None
        hovered = not self._lock and check_box(place).contains(self._hover)
        title = self.tr("Hunk {n}").format(n=hunk)
        return BandLook(title, section, state, action, hovered)

    def _hunk_state(self, hunk: int) -> Qt.CheckState:
        choice = self._choices.get(hunk, True)
        if choice is True:
            return Qt.CheckState.Checked
        return Qt.CheckState.PartiallyChecked if choice else Qt.CheckState.Unchecked

    def _hunk_action(self, hunk: int) -> tuple[str, str] | None:
        if not self.has_hunk_buttons:
            return None
        if self._choices.get(hunk, True) is False:
            return "plus", self.tr("Take in")
        return "minus", self.tr("Leave out")
