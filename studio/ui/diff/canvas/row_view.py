"""Base scroll area of diff rows: layout, scrolling, zoom, folds, current hunk.

The vertical scroll bar is never shown: the overview map beside it replaces it.
"""

from __future__ import annotations

import time
from collections.abc import Mapping

from PySide6.QtCore import QEvent, QPoint, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QWidget

from studio.engine import HunkChoice
from studio.ui.diff.canvas.painting import BandAction, Pane, RowPainter
from studio.ui.diff.code.document import DiffDocument
from studio.ui.diff.code.drawn_line import CodeMetrics, DrawnLine
from studio.ui.diff.code.selection import Selection
from studio.ui.diff.code.wrapping import WrappedLines
from studio.ui.diff.model.cells import Cell, Mode, Row, Side
from studio.ui.diff.model.find import Hit
from studio.ui.diff.model.layout import REVEAL_ALL, Layout
from studio.ui.diff.model.line_choice import LinePlace, line_by_line
from studio.ui.look.theme import px
from studio.ui.look.words import say
from studio.values import Value

FIRST_FILLING_TIME, FILLING_TIME = 0.03, 0.004
"""Seconds for measuring rows out of view: at first, and per later event loop turn."""

_SMALLEST_ZOOM, _LARGEST_ZOOM, _ZOOM_STEP = 0.6, 3.0, 1.1


class VisibleRow(Value):
    """A visible row, its upper edge in the viewport, and its height."""

    index: int
    row: Row
    y: int
    height: int


class _Anchor(Value):
    """A line or hunk whose viewport position is kept while rows change."""

    side: Side
    line: int
    hunk: int
    y: int


# Not Qt's text editor: for a million lines it needs 4.9 s and 547 MiB, painted rows 16 ms and 10 MiB (PySide6
# 6.11.3).
class RowView(QAbstractScrollArea):
    """Layout and scrolling of a document's rows; subclasses paint and handle clicks."""

    hunk_pressed = Signal(int)
    """Emitted when the check box or button of a hunk (from 1) is pressed."""
    current_changed = Signal(int, int)
    """Emitted with the current hunk (from 1, 0 without hunks) and the number of hunks."""
    rows_changed = Signal()
    was_painted = Signal(str)
    """Emitted with the revision given to `await_paint` once it has been painted."""
    _wider = Signal()
    _taller = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("diff-canvas")
        self.setAccessibleName(self.tr("Diff"))
        for bar, name in ((self.verticalScrollBar(), "down"), (self.horizontalScrollBar(), "across")):
            bar.setObjectName(f"diff-scroll-{name}")
        self.verticalScrollBar().setAccessibleName(self.tr("Vertical scroll position"))
        self.horizontalScrollBar().setAccessibleName(self.tr("Horizontal scroll position"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setMouseTracking(True)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.viewport().setCursor(Qt.CursorShape.ArrowCursor)
        self.layout_: Layout | None = None
        self.current_hunk = 0
        self.rows_painted = 0
        self._document: DiffDocument | None = None
        self._painter: RowPainter | None = None
        self._mode = Mode.SIDE_BY_SIDE
        self._folds, self.ignores_space = True, False
        self._choices: Mapping[int, HunkChoice] = {}
        self._revealed: dict[int, int] = {}
        self.zoom_factor = 1.0
        self._widest = 0.0
        self._fitted_height = 0
        self._selection: Selection | None = None
        self._selecting = False
        self._hits: Mapping[tuple[Side, int], tuple[Hit, ...]] = {}
        self._current_hit: Hit | None = None
        self._hover = QPoint(-1, -1)
        self._has_boxes, self._lock = True, ""
        self._unpainted = ""
        self._lines_hunk = 0
        self._current_line: LinePlace | None = None
        self._more_actions: tuple[BandAction, ...] = ()
        self._wraps = False
        self._extents: WrappedLines | None = None
        self._filling = QTimer(self)
        self._filling.timeout.connect(self._fill)
        self._wider.connect(self._fit_scroll_bars, Qt.ConnectionType.QueuedConnection)
        self._taller.connect(self._lay_out_again, Qt.ConnectionType.QueuedConnection)
        self.verticalScrollBar().valueChanged.connect(self._scrolled)

    def show_document(
        self, document: DiffDocument | None, mode: Mode, choices: Mapping[int, HunkChoice]
    ) -> None:
        """Show another document at its first change; None shows nothing."""
        self._document = document
        self._unpainted = ""
        self._mode = mode
        self._choices = dict(choices)
        self._revealed = {}
        self._extents = None
        self._lines_hunk, self._current_line = 0, None
        self._widest = 0.0
        self._selection = None
        self._hits, self._current_hit = {}, None
        self.current_hunk = 0
        if document is not None:
            # Not while lines are being painted: they would be cached without the highlighting that just
            # arrived.
            document.colours.coloured.connect(self._recolour, Qt.ConnectionType.QueuedConnection)
            document.names.found.connect(self.viewport().update)
        self._make_painter()
        self._lay_out(None)
        self.horizontalScrollBar().setValue(0)
        self.verticalScrollBar().setValue(0)
        self._set_current(1 if self.layout_ is not None and self.layout_.hunks else 0, always=True)

    def scroll_state(self) -> tuple[int, int, int]:
        """Return the vertical and horizontal scroll offsets and the current hunk."""
        return self.verticalScrollBar().value(), self.horizontalScrollBar().value(), self.current_hunk

    def restore_scroll(self, place: tuple[int, int, int]) -> None:
        """Restore a position from a diff with the same beginning."""
        self.verticalScrollBar().setValue(place[0])
        self.horizontalScrollBar().setValue(place[1])
        if self.layout_ is not None and 1 <= place[2] <= self.layout_.hunks:
            self._set_current(place[2])

    def set_choices(self, choices: Mapping[int, HunkChoice]) -> None:
        """Show which parts of each hunk are included, without scrolling."""
        if dict(choices) != self._choices:
            self._choices = dict(choices)
            self._lay_out(self._anchor(self.current_hunk))

    def await_paint(self, revision: str) -> None:
        """Emit `was_painted` with this revision after the next paint."""
        self._unpainted = revision
        self.viewport().update()

    def set_mode(self, mode: Mode) -> None:
        if mode is not self._mode:
            self._mode = mode
            self._lay_out(self._anchor())

    def set_folds(self, folds: bool) -> None:
        """Fold unchanged lines far from a change, or show all of them."""
        self._folds = folds
        self._revealed = {}
        self._lay_out(self._anchor())

    def set_wrap(self, wraps: bool) -> None:
        """Wrap long lines, or scroll them horizontally."""
        if wraps != self._wraps:
            self._wraps = wraps
            self._extents = None
            self.horizontalScrollBar().setValue(0)
            self._lay_out(self._anchor())

    @property
    def wraps(self) -> bool:
        return self._wraps

    def set_boxes(self, shown: bool, lock: str = "") -> None:
        """Show hunk check boxes; `lock` is why they are disabled, else ""."""
        self._has_boxes = shown
        self._lock = lock
        if not self.has_hunk_buttons:
            self._lines_hunk, self._current_line = 0, None
        self.viewport().update()

    def redraw(self) -> None:
        """Lay out all lines again, for new white space, theme or font."""
        self._make_painter()
        self._extents = None
        self._lay_out(self._anchor())

    def set_hits(self, hits: Mapping[tuple[Side, int], tuple[Hit, ...]], current: Hit | None) -> None:
        """Mark the search hits."""
        self._hits, self._current_hit = hits, current
        self.viewport().update()

    @property
    def has_hunk_buttons(self) -> bool:
        return self._has_boxes and not self._lock and self._mode is not Mode.ONE_SIDE

    # Moving

    def go_to_hunk(self, hunk: int) -> None:
        """Make a hunk current and scroll to it."""
        layout = self.layout_
        if layout is None or not 1 <= hunk <= layout.hunks:
            return
        self._set_current(hunk)
        first, end = layout.hunk_rows(hunk)
        top, bottom = layout.top(first), layout.top(end)
        view_top, view_bottom = self._view()
        if top < view_top or bottom > view_bottom:
            room = max(0, min(px(26), self.viewport().height() - (bottom - top)))
            self.verticalScrollBar().setValue(top - room)
        self.viewport().update()

    def go_to_line(self, side: Side, line: int) -> None:
        """Scroll a line to the middle of the view, opening its fold."""
        layout = self.layout_
        if layout is None:
            return
        gap = layout.gap_of(side, line)
        if gap is not None:
            layout = self._reveal(gap, REVEAL_ALL) or layout
        row = layout.row_of(side, line)
        if row is not None:
            view_top, view_bottom = self._view()
            if not view_top + self._covered() <= layout.top(row) < view_bottom - px(40):
                self.verticalScrollBar().setValue(layout.top(row) - self.viewport().height() // 2)

    def show_column_of(self, side: Side, line: int, byte: int) -> None:
        """Scroll to a byte of a line, also in a wrapped line."""
        layout, painter, document = self.layout_, self._painter, self._document
        row = layout.row_of(side, line) if layout is not None else None
        if layout is None or painter is None or document is None or row is None:
            return
        if document.hides(side, line, byte):
            self.show_whole(side, line)
            layout = self.layout_ or layout
        column = document.display(side, line).column_of_byte(byte)
        if self._extents is not None:
            shown = layout.row(row)
            cells = (cell for cell in (shown.right, shown.left) if cell is not None and cell.side is side)
            screen = max((painter.line(cell, shown.pair).position_of(column)[1] for cell in cells), default=0)
            below = layout.top(row) + screen * painter.heights.code
            view_top, view_bottom = self._view()
            if not view_top + px(40) <= below < view_bottom - px(40):
                self.verticalScrollBar().setValue(below - self.viewport().height() // 2)
            return
        bar = self.horizontalScrollBar()
        x, room = round(column * painter.metrics.advance), min(pane.code_width for pane in self.panes())
        if not bar.value() <= x < bar.value() + room - px(60):
            self._widest = max(self._widest, x + painter.metrics.advance)
            self._fit_scroll_bars()
            bar.setValue(x - room // 2)

    def show_whole(self, side: Side, line: int) -> None:
        """Show all of a very long line."""
        if self._document is not None:
            self._document.show_whole(side, line)
            self.redraw()

    def page(self, pages: int) -> bool:
        """Scroll by pages; return whether the view moved."""
        bar = self.verticalScrollBar()
        before = bar.value()
        bar.setValue(before + pages * bar.pageStep())
        return bar.value() != before

    def zoom(self, steps: int) -> None:
        """Enlarge (1) or shrink (-1) the code; 0 resets its size."""
        factor = 1.0 if steps == 0 else self.zoom_factor * _ZOOM_STEP**steps
        factor = min(_LARGEST_ZOOM, max(_SMALLEST_ZOOM, factor))
        if factor != self.zoom_factor:
            self.zoom_factor = factor
            self._widest = 0.0
            self.redraw()

    def painter_metrics(self) -> CodeMetrics:
        """Return the metrics of the code font; requires a document."""
        assert self._painter is not None
        return self._painter.metrics

    @property
    def document(self) -> DiffDocument | None:
        """The document that is shown."""
        return self._document

    def drawn_line(self, cell: Cell, pair: tuple[int, int] | None) -> DrawnLine:
        """Return a cell's line, laid out."""
        assert self._painter is not None
        return self._painter.line(cell, pair)

    def view_lines(self) -> tuple[int, int]:
        """Return the upper and lower edge of the view in layout pixels."""
        return self._view()

    def _view(self) -> tuple[int, int]:
        top = self.verticalScrollBar().value()
        return top, top + self.viewport().height()

    def _covered(self) -> int:
        """Return the height of what may cover the first rows."""
        return self._painter.heights.band + self._painter.heights.code if self._painter is not None else 0

    def _set_current(self, hunk: int, *, always: bool = False) -> None:
        if hunk != self.current_hunk or always:
            self.current_hunk = hunk
            total = self.layout_.hunks if self.layout_ is not None else 0
            words = say(self.tr("Change {n} of {total}"), n=hunk, total=total) if total else ""
            self.setAccessibleDescription(words)
            self.current_changed.emit(hunk, total)
            self.viewport().update()

    def _scrolled(self) -> None:
        layout = self.layout_
        if layout is None or not self.current_hunk:
            return
        top, bottom = self._view()
        first, end = layout.hunk_rows(self.current_hunk)
        if layout.top(end) <= top or layout.top(first) >= bottom:
            self._set_current(layout.hunk_at(layout.row_at(top + (bottom - top) / 3)))

    # Layout

    def _make_painter(self) -> None:
        self._painter = None if self._document is None else RowPainter(self._document, self.zoom_factor)

    def _lay_out_again(self) -> None:
        self._lay_out(self._anchor())

    def _fit_wrapping(self) -> None:
        """Set the wrap width that fits the narrower side, including check boxes."""
        document, painter = self._document, self._painter
        if document is None or painter is None or not self._wraps:
            self._extents = None
            if painter is not None and painter.wrap:
                painter.wrap = 0
                painter.invalidate()
            return
        room = min(pane.with_boxes().code_width for pane in self.panes()) - px(4)
        columns = max(8, int(room / painter.metrics.advance))
        if self._extents is None or self._extents.columns != columns:
            self._extents = document.wrapped(columns)
        if painter.wrap != columns:
            painter.wrap = columns
            painter.invalidate()

    def _fill(self) -> None:
        """Measure some more rows out of view, without moving the visible ones."""
        layout = self.layout_
        if layout is None or layout.is_exact:
            self._filling.stop()
            return
        anchor = self._anchor()
        self._lay_out_more(FILLING_TIME)
        if layout.height != self._fitted_height:
            self._fit_scroll_bars()
            if anchor is not None:
                self._restore_anchor(anchor)
            self.rows_changed.emit()

    def _lay_out_more(self, seconds: float) -> bool:
        """Measure rows for some seconds; return whether all are measured."""
        layout = self.layout_
        until = time.perf_counter() + seconds
        while layout is not None and not layout.is_exact and time.perf_counter() < until:
            layout.lay_out_more()
        return layout is None or layout.is_exact

    def _lay_out_resized(self) -> None:
        """Lay out the same rows at another width and preserve the selection."""
        selection = self._selection
        self._lay_out(self._anchor())
        self._selection = selection

    def _lay_out(self, anchor: _Anchor | None) -> None:
        document, painter = self._document, self._painter
        self._selection = None
        if document is not None and document.set_omits(self._folds and self._mode is not Mode.ONE_SIDE):
            self._extents = None
            if painter is not None:
                painter.invalidate()
        self._fit_wrapping()
        if document is None or painter is None:
            self.layout_ = None
        else:
            self.layout_ = Layout(
                document.diff,
                painter.heights,
                mode=self._mode,
                choices=line_by_line(self._choices, self._lines_hunk, document.diff),
                revealed=self._revealed,
                folds=self._folds and self._mode is not Mode.ONE_SIDE,
                extents=self._extents,
                notes=self._notes_heights(),
                ignores_space=self.ignores_space,
            )
            if not self._lay_out_more(FIRST_FILLING_TIME):
                self._filling.start()
        self._fit_scroll_bars()
        if anchor is not None:
            self._restore_anchor(anchor)
        self.rows_changed.emit()
        self.viewport().update()

    def _notes_heights(self) -> Mapping[tuple[Side, int], int]:
        """Return the heights of the comments below lines."""
        return {}

    def _anchor(self, hunk: int = 0) -> _Anchor | None:
        """Return what must not move: the visible hunk, else the first line."""
        layout = self.layout_
        if layout is None:
            return None
        top, bottom = self._view()
        if hunk:
            offset = layout.top(layout.hunk_rows(hunk)[0]) - top
            if -self.viewport().height() < offset < bottom - top:
                return _Anchor(Side.BASE, 0, hunk, offset)
        for visible in self._visible_rows(QRect(0, 0, 1, bottom - top)):
            cell = visible.row.left or visible.row.right
            if cell is not None:
                return _Anchor(cell.side, cell.line, 0, visible.y)
        return None

    def _restore_anchor(self, anchor: _Anchor) -> None:
        layout = self.layout_
        if layout is None:
            return
        if anchor.hunk:
            row = layout.hunk_rows(anchor.hunk)[0] if anchor.hunk <= layout.hunks else 0
        else:
            row = layout.row_near(anchor.side, anchor.line)
        self.verticalScrollBar().setValue(layout.top(row) - anchor.y)

    def _fit_scroll_bars(self) -> None:
        layout, painter = self.layout_, self._painter
        vertical, horizontal = self.verticalScrollBar(), self.horizontalScrollBar()
        if layout is None or painter is None:
            vertical.setRange(0, 0)
            horizontal.setRange(0, 0)
            return
        height = self.viewport().height()
        self._fitted_height = layout.height
        vertical.setPageStep(max(1, height - painter.heights.band))
        vertical.setSingleStep(painter.heights.code)
        # Room to scroll the last line a little above the lower edge.
        vertical.setRange(0, max(0, layout.height + px(8) - height))
        room = min(pane.code_width for pane in self.panes())
        horizontal.setPageStep(max(1, room))
        horizontal.setSingleStep(round(painter.metrics.advance * 4))
        across = 0 if self._wraps else round(self._widest + painter.metrics.advance) - room
        horizontal.setRange(0, max(0, across))

    def panes(self) -> tuple[Pane, ...]:
        """Return each side's pane, from left to right."""
        assert self._painter is not None
        width = self.viewport().width()
        gutter = self._painter.gutter(self._mode)
        if self._mode is not Mode.SIDE_BY_SIDE:
            return (Pane(0, width, gutter),)
        half = width // 2
        return (Pane(0, half, gutter), Pane(half, width - half, gutter))

    def _reveal(self, gap: int, lines: int) -> Layout | None:
        self._revealed[gap] = min(REVEAL_ALL, self._revealed.get(gap, 0) + lines)
        self._lay_out(self._anchor())
        return self.layout_

    def _recolour(self, side: Side, first: int, end: int) -> None:
        if self._painter is not None:
            self._painter.forget_lines(side, first, end)
            self.viewport().update()

    def _visible_rows(self, area: QRect) -> list[VisibleRow]:
        layout = self.layout_
        if layout is None or not layout.rows:
            return []
        offset = self.verticalScrollBar().value()
        index = layout.row_at(area.top() + offset)
        y = layout.top(index) - offset
        return [
            VisibleRow(number, row, edge, height)
            for number, row, edge, height in layout.rows_from(index, y, area.bottom())
        ]

    # Qt events

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._wraps and self.layout_ is not None:
            self._lay_out_resized()
            return
        self._fit_scroll_bars()
        self.rows_changed.emit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange) and self._painter is not None:
            self.redraw()
