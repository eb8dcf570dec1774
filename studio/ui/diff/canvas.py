"""The painted diff: only the rows in view are laid out and drawn, whatever the size of the file.

The vertical scroll bar is never shown: the overview map beside the canvas stands in its place.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPoint, QRect, Qt, Signal
from PySide6.QtGui import (
    QGuiApplication,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QToolTip, QWidget

from studio.engine.plan import HunkChoice
from studio.ui.diff.document import DiffDocument
from studio.ui.diff.find import Hit
from studio.ui.diff.layout import REVEAL_ALL, Layout, Mode, Row, RowKind, Side
from studio.ui.diff.painting import BandLook, Highlight, Pane, RowPainter, action_button, check_box
from studio.ui.diff.selection import Place, Selection, pane_cell, selected_text, word_around
from studio.ui.theme import color, px

REVEAL_STEP = 10
"""Lines that Shift+click on a fold shows."""

_SMALLEST_ZOOM, _LARGEST_ZOOM, _ZOOM_STEP = 0.6, 3.0, 1.1


@dataclass(frozen=True, slots=True)
class _Visible:
    """A row in view and its upper edge in the viewport."""

    index: int
    row: Row
    y: int


@dataclass(frozen=True, slots=True)
class _Anchor:
    """Something that shall stay where it is while rows come and go: a line or a hunk, and its place."""

    side: Side
    line: int
    hunk: int
    y: int


class DiffCanvas(QAbstractScrollArea):
    """Paints a document's rows and turns presses into signals; it decides nothing itself."""

    hunk_pressed = Signal(int)
    """The check box or button of a hunk (from 1) was pressed."""
    current_changed = Signal(int, int)
    """The current hunk (from 1, 0 without hunks) and how many there are."""
    rows_changed = Signal()
    was_painted = Signal()
    """The document given last has been on screen; comes once for each document and choice."""
    _wider = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("diff-canvas")
        self.setAccessibleName(self.tr("Diff"))
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
        self._folds = True
        self._choices: Mapping[int, HunkChoice] = {}
        self._revealed: dict[int, int] = {}
        self._zoom = 1.0
        self._widest = 0.0
        self._selection: Selection | None = None
        self._selecting = False
        self._hits: Mapping[tuple[Side, int], tuple[Hit, ...]] = {}
        self._current_hit: Hit | None = None
        self._hover = QPoint(-1, -1)
        self._has_boxes = True
        self._lock = ""
        self._owes_painted = False
        self._wider.connect(self._fit_scroll_bars, Qt.ConnectionType.QueuedConnection)
        self.verticalScrollBar().valueChanged.connect(self._scrolled)

    # What is shown

    def show_document(
        self, document: DiffDocument | None, mode: Mode, choices: Mapping[int, HunkChoice]
    ) -> None:
        """Show another document from its first change on; None shows nothing."""
        self._document = document
        self._mode = mode
        self._choices = dict(choices)
        self._revealed = {}
        self._widest = 0.0
        self._selection = None
        self._hits, self._current_hit = {}, None
        self.current_hunk = 0
        if document is not None:
            document.coloured.connect(self._recolour)
        self._make_painter()
        self._lay_out(None)
        self.horizontalScrollBar().setValue(0)
        self.verticalScrollBar().setValue(0)
        self._set_current(1 if self.layout_ is not None and self.layout_.hunks else 0, always=True)

    def set_choices(self, choices: Mapping[int, HunkChoice]) -> None:
        """Show what of each hunk goes in; the view stays where it is."""
        if dict(choices) != self._choices:
            self._choices = dict(choices)
            self._lay_out(self._anchor(self.current_hunk))

    def owe_painted(self) -> None:
        """Tell once more when what is shown has been painted: it stands for another revision now."""
        self._owes_painted = True
        self.viewport().update()

    def set_mode(self, mode: Mode) -> None:
        if mode is not self._mode:
            self._mode = mode
            self._lay_out(self._anchor())

    def set_folds(self, folds: bool) -> None:
        """Hide unchanged lines far from a change, or show all of them."""
        self._folds = folds
        self._revealed = {}
        self._lay_out(self._anchor())

    def set_boxes(self, shown: bool, lock: str = "") -> None:
        """Whether hunks have check boxes; `lock` says why they can't be pressed, "" when they can."""
        self._has_boxes = shown
        self._lock = lock
        self.viewport().update()

    def redraw(self) -> None:
        """Lay all lines out again: white space was switched, or the theme changed."""
        self._make_painter()
        self._lay_out(self._anchor())

    def set_hits(self, hits: Mapping[tuple[Side, int], tuple[Hit, ...]], current: Hit | None) -> None:
        """Mark what was found."""
        self._hits, self._current_hit = hits, current
        self.viewport().update()

    @property
    def has_hunk_buttons(self) -> bool:
        return self._has_boxes and not self._lock and self._mode is not Mode.ONE_SIDE

    # Moving

    def go_to_hunk(self, hunk: int) -> None:
        """Make a hunk current and bring it into view."""
        layout = self.layout_
        if layout is None or not 1 <= hunk <= layout.hunks:
            return
        self._set_current(hunk)
        first, behind = layout.hunk_rows(hunk)
        top, bottom = layout.top(first), layout.top(behind)
        view_top, view_bottom = self._view()
        if top < view_top or bottom > view_bottom:
            room = max(0, min(px(26), self.viewport().height() - (bottom - top)))
            self.verticalScrollBar().setValue(top - room)
        self.viewport().update()

    def go_to_line(self, side: Side, line: int) -> None:
        """Bring a line into the middle of the view, opening the fold that hides it."""
        layout = self.layout_
        if layout is None:
            return
        gap = layout.gap_of(side, line)
        if gap is not None:
            layout = self._reveal(gap, REVEAL_ALL) or layout
        row = layout.row_of(side, line)
        if row is not None:
            view_top, view_bottom = self._view()
            if not view_top + px(40) <= layout.top(row) < view_bottom - px(40):
                self.verticalScrollBar().setValue(layout.top(row) - self.viewport().height() // 2)

    def page(self, pages: int) -> bool:
        """Scroll by pages; says whether there was anything left to scroll."""
        bar = self.verticalScrollBar()
        before = bar.value()
        bar.setValue(before + pages * bar.pageStep())
        return bar.value() != before

    def zoom(self, steps: int) -> None:
        """Larger (1) or smaller (-1) code; 0 is the usual size."""
        wanted = 1.0 if steps == 0 else self._zoom * _ZOOM_STEP**steps
        wanted = min(_LARGEST_ZOOM, max(_SMALLEST_ZOOM, wanted))
        if wanted != self._zoom:
            self._zoom = wanted
            self._widest = 0.0
            self.redraw()

    def view_lines(self) -> tuple[int, int]:
        """Upper and lower edge of the view, in the layout's pixels."""
        return self._view()

    def _view(self) -> tuple[int, int]:
        top = self.verticalScrollBar().value()
        return top, top + self.viewport().height()

    def _set_current(self, hunk: int, *, always: bool = False) -> None:
        if hunk != self.current_hunk or always:
            self.current_hunk = hunk
            total = self.layout_.hunks if self.layout_ is not None else 0
            words = self.tr("Change {n} of {total}").format(n=hunk, total=total) if total else ""
            self.setAccessibleDescription(words)
            self.current_changed.emit(hunk, total)
            self.viewport().update()

    def _scrolled(self) -> None:
        layout = self.layout_
        if layout is None or not self.current_hunk:
            return
        top, bottom = self._view()
        first, behind = layout.hunk_rows(self.current_hunk)
        if layout.top(behind) <= top or layout.top(first) >= bottom:
            self._set_current(layout.hunk_at(layout.row_at(top + (bottom - top) / 3)))

    # Laying out

    def _make_painter(self) -> None:
        self._painter = None if self._document is None else RowPainter(self._document, self._zoom)

    def _lay_out(self, anchor: _Anchor | None) -> None:
        document, painter = self._document, self._painter
        self._selection = None
        if document is None or painter is None:
            self.layout_ = None
        else:
            self.layout_ = Layout(
                document.diff,
                painter.heights,
                mode=self._mode,
                choices=self._choices,
                revealed=self._revealed,
                folds=self._folds and self._mode is not Mode.ONE_SIDE,
            )
            self._owes_painted = True
        self._fit_scroll_bars()
        if anchor is not None:
            self._hold(anchor)
        self.rows_changed.emit()
        self.viewport().update()

    def _anchor(self, hunk: int = 0) -> _Anchor | None:
        """What stands still: the given hunk if it is in view, else the first line in view."""
        layout = self.layout_
        if layout is None:
            return None
        top, bottom = self._view()
        if hunk:
            place = layout.top(layout.hunk_rows(hunk)[0]) - top
            if -self.viewport().height() < place < bottom - top:
                return _Anchor(Side.BASE, 0, hunk, place)
        for visible in self._visible_rows(QRect(0, 0, 1, bottom - top)):
            cell = visible.row.left or visible.row.right
            if cell is not None:
                return _Anchor(cell.side, cell.line, 0, visible.y)
        return None

    def _hold(self, anchor: _Anchor) -> None:
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
        vertical.setPageStep(max(1, height - painter.heights.band))
        vertical.setSingleStep(painter.heights.code)
        # Room for the last line to stand a little above the lower edge.
        vertical.setRange(0, max(0, layout.height + px(8) - height))
        room = min(pane.code_width for pane in self._panes())
        horizontal.setPageStep(max(1, room))
        horizontal.setSingleStep(round(painter.metrics.advance * 4))
        horizontal.setRange(0, max(0, round(self._widest + painter.metrics.advance) - room))

    def _panes(self) -> tuple[Pane, ...]:
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

    def _recolour(self) -> None:
        if self.sender() is self._document and self._painter is not None:
            self._painter.forget()
            self.viewport().update()

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        painter.fillRect(event.rect(), color("content"))
        if self.layout_ is None or self._painter is None:
            return
        rows = self._visible_rows(event.rect())
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
        if self._owes_painted:
            self._owes_painted = False
            self.was_painted.emit()

    def _visible_rows(self, area: QRect) -> list[_Visible]:
        layout = self.layout_
        if layout is None or not layout.rows:
            return []
        offset = self.verticalScrollBar().value()
        index = layout.row_at(area.top() + offset)
        y = layout.top(index) - offset
        found: list[_Visible] = []
        while index < layout.rows and y <= area.bottom():
            found.append(_Visible(index, layout.row(index), y))
            y += layout.row_height(index)
            index += 1
        return found

    def _paint_frame_of(self, painter: QPainter, visible: _Visible, panes: tuple[Pane, ...]) -> None:
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
            text = self.layout_.text(visible.index)
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

    def _paint_text_of(self, painter: QPainter, visible: _Visible, pane: Pane, number: int) -> None:
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

    def _highlights(self, visible: _Visible, pane: int) -> list[Highlight]:
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
        section = self.layout_.text(first).rstrip(":{ ") or self.tr("top of the file")
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

    # Mouse and keys

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is not Qt.MouseButton.LeftButton:
            return
        place = event.position().toPoint()
        band = self._band_under(place)
        if band is not None:
            hunk, box = band
            self._set_current(hunk)
            if self._is_hunk_button(place, hunk, box) and self.has_hunk_buttons:
                self.hunk_pressed.emit(hunk)
            return
        visible = self._row_under(place)
        if visible is None:
            return
        if visible.row.kind is RowKind.FOLD:
            shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            self._reveal(visible.row.gap, REVEAL_STEP if shift else REVEAL_ALL)
            return
        if visible.row.hunk:
            self._set_current(visible.row.hunk)
        self._begin_selection(place, extend=bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        place = event.position().toPoint()
        if self._selecting and self._selection is not None:
            if place.y() < 0 or place.y() > self.viewport().height():
                bar = self.verticalScrollBar()
                bar.setValue(bar.value() + (bar.singleStep() if place.y() > 0 else -bar.singleStep()))
            head = self._place_at(place, self._selection.pane)
            if head is not None:
                self._selection = Selection(self._selection.pane, self._selection.anchor, head)
            self.viewport().update()
            return
        self._hover = place
        self._show_cursor(place)
        self.viewport().update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._selecting = False

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        place = event.position().toPoint()
        visible = self._row_under(place)
        if visible is None or visible.row.kind is not RowKind.CODE or self._band_under(place) is not None:
            # A second press on a band or fold is a press like the first.
            self.mousePressEvent(event)
            return
        pane = self._pane_under(place)
        at = self._place_at(place, pane)
        cell = pane_cell(visible.row, self._mode, pane)
        if at is None or cell is None or self._document is None:
            return
        start, end = word_around(self._document.source(cell.side, cell.line), at[1])
        self._selection = Selection(pane, (at[0], start), (at[0], end))
        self.viewport().update()

    def leaveEvent(self, event: QEvent) -> None:
        self._hover = QPoint(-1, -1)
        self.viewport().update()

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.ToolTip and self._lock:
            place = self.viewport().mapFromGlobal(self.cursor().pos())
            band = self._band_under(place)
            if band is not None and check_box(band[1]).contains(place):
                QToolTip.showText(self.cursor().pos(), self._lock, self)
                return True
        if event.type() is QEvent.Type.Leave:
            self.leaveEvent(event)
        return super().viewportEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.zoom(1 if event.angleDelta().y() > 0 else -1)
            event.accept()
            return
        super().wheelEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        bar = self.verticalScrollBar()
        across = self.horizontalScrollBar()
        moves = {
            Qt.Key.Key_Up: (bar, bar.value() - bar.singleStep()),
            Qt.Key.Key_Down: (bar, bar.value() + bar.singleStep()),
            Qt.Key.Key_PageUp: (bar, bar.value() - bar.pageStep()),
            Qt.Key.Key_PageDown: (bar, bar.value() + bar.pageStep()),
            Qt.Key.Key_Home: (bar, bar.minimum()),
            Qt.Key.Key_End: (bar, bar.maximum()),
            Qt.Key.Key_Left: (across, across.value() - across.singleStep()),
            Qt.Key.Key_Right: (across, across.value() + across.singleStep()),
        }
        plain = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
        move = moves.get(Qt.Key(event.key())) if plain else None
        if move is not None:
            move[0].setValue(move[1])
            event.accept()
        else:
            event.ignore()

    def copy(self) -> bool:
        """Put the selected text of one side on the clipboard; says whether there was any."""
        if self._selection is None or self._selection.is_empty:
            return False
        assert self.layout_ is not None
        assert self._document is not None
        QGuiApplication.clipboard().setText(selected_text(self._selection, self.layout_, self._document))
        return True

    def select_all(self) -> None:
        """Select all of the side that was used last, else of the result."""
        if self.layout_ is not None and self.layout_.rows:
            pane = self._selection.pane if self._selection is not None else len(self._panes()) - 1
            self._selection = Selection(pane, (0, 0), (self.layout_.rows - 1, REVEAL_ALL))
            self.viewport().update()

    def _begin_selection(self, place: QPoint, *, extend: bool) -> None:
        pane = self._pane_under(place)
        at = self._place_at(place, pane)
        if at is None:
            return
        before = self._selection
        anchor = before.anchor if extend and before is not None and before.pane == pane else at
        self._selection = Selection(pane, anchor, at)
        self._selecting = True
        self.viewport().update()

    def _row_under(self, place: QPoint) -> _Visible | None:
        rows = self._visible_rows(QRect(0, place.y(), 1, 1))
        layout = self.layout_
        if not rows or layout is None:
            return None
        return rows[0] if place.y() < rows[0].y + layout.row_height(rows[0].index) else None

    def _band_under(self, place: QPoint) -> tuple[int, QRect] | None:
        sticky = self._sticky_band()
        if sticky is not None and sticky[1].contains(place):
            return sticky
        visible = self._row_under(place)
        if visible is None or visible.row.kind is not RowKind.BAND or self.layout_ is None:
            return None
        height = self.layout_.row_height(visible.index)
        return visible.row.hunk, QRect(0, visible.y, self.viewport().width(), height)

    def _is_hunk_button(self, place: QPoint, hunk: int, band: QRect) -> bool:
        if check_box(band).adjusted(-px(4), -px(4), px(4), px(4)).contains(place):
            return True
        action = self._hunk_action(hunk)
        return action is not None and action_button(band, action[1]).contains(place)

    def _pane_under(self, place: QPoint) -> int:
        panes = self._panes()
        return 1 if len(panes) > 1 and place.x() >= panes[1].left else 0

    def _place_at(self, place: QPoint, pane: int) -> Place | None:
        """The row and the character boundary nearest to a point."""
        layout, painter = self.layout_, self._painter
        if layout is None or painter is None or not layout.rows:
            return None
        index = layout.row_at(place.y() + self.verticalScrollBar().value())
        row = layout.row(index)
        cell = pane_cell(row, self._mode, pane)
        if cell is None:
            return index, 0
        drawn = painter.line(cell, row.pair)
        x = place.x() - self._panes()[pane].code_left + self.horizontalScrollBar().value()
        return index, drawn.shown.boundary_near(drawn.column_at(x))

    def _show_cursor(self, place: QPoint) -> None:
        shape = Qt.CursorShape.ArrowCursor
        band = self._band_under(place)
        visible = self._row_under(place)
        if band is not None:
            if self.has_hunk_buttons and self._is_hunk_button(place, *band):
                shape = Qt.CursorShape.PointingHandCursor
        elif visible is not None and visible.row.kind is RowKind.FOLD:
            shape = Qt.CursorShape.PointingHandCursor
        elif visible is not None and place.x() >= self._panes()[self._pane_under(place)].code_left:
            shape = Qt.CursorShape.IBeamCursor
        self.viewport().setCursor(shape)

    # Qt's own changes

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_scroll_bars()
        self.rows_changed.emit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange) and self._painter is not None:
            self.redraw()
