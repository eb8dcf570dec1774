"""The diff under the hand: presses on boxes, folds and code, selection, keys that scroll."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QRect, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QToolTip

from studio.ui.diff.layout import REVEAL_ALL, RowKind
from studio.ui.diff.painted_rows import PaintedRows
from studio.ui.diff.painting import action_button, check_box
from studio.ui.diff.row_view import VisibleRow
from studio.ui.diff.selection import Place, Selection, pane_cell, selected_text, word_around
from studio.ui.theme import px

REVEAL_STEP = 10
"""Lines that Shift+click on a fold shows."""


class DiffCanvas(PaintedRows):
    """Turns presses into signals and moves; it decides nothing itself."""

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

    def _row_under(self, place: QPoint) -> VisibleRow | None:
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
