"""Diff canvas input: mouse, keyboard, text selection, choosing single lines to include."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QEvent, QPoint, QRect, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QToolTip, QWidget

from studio.ui.diff.canvas.comment_rows import COMMENT
from studio.ui.diff.canvas.painted_rows import PaintedRows, first_columns
from studio.ui.diff.canvas.painting import BandAction, action_buttons, check_box
from studio.ui.diff.canvas.row_view import VisibleRow
from studio.ui.diff.code.selection import Selection, TextPosition, pane_cell, selected_text, word_around
from studio.ui.diff.model.cells import Cell, RowKind, Side
from studio.ui.diff.model.columns import MarkKind
from studio.ui.diff.model.layout import REVEAL_ALL
from studio.ui.diff.model.line_choice import ChoosableLine, LinePlace, choosable_cells, line_from, lines_in
from studio.ui.look.theme import px
from studio.ui.look.words import plain_tip, say

REVEAL_STEP = 10
"""Lines that Shift+click on a fold reveals."""


class DiffCanvas(PaintedRows):
    """Diff canvas that turns input into signals and moves, without deciding anything."""

    lines_pressed = Signal(int, object)
    """Emitted with a hunk (from 1) and the frozenset of its pressed lines.

    The lines are numbered as in a choice of lines.
    """
    action_pressed = Signal(str)
    """Emitted with the id of a further button on the current hunk's band."""
    double_pressed = Signal(int, int)
    """Emitted on a double click with a 0-based line of the chosen result and a character."""
    lines_mode_changed = Signal()
    """Emitted when choosing single lines starts or ends."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._last_box = (0, 0)
        """Hunk and line whose check box was pressed last while single lines are chosen."""

    # Single lines

    @property
    def lines_hunk(self) -> int:
        """The hunk whose single lines are being chosen, 0 for none."""
        return self._lines_hunk

    def set_more_actions(self, actions: tuple[BandAction, ...]) -> None:
        """Set the further buttons on the current hunk's band, at the right."""
        self._more_actions = actions
        self.viewport().update()

    def toggle_lines_mode(self) -> None:
        """Start or stop choosing single lines of the current hunk."""
        hunk = 0 if self._lines_hunk == self.current_hunk else self.current_hunk
        if hunk and not (self.has_hunk_buttons and self.chooses_lines):
            return
        self._lines_hunk, self._current_line = hunk, None
        self._lay_out(self._anchor())
        if hunk:
            self.go_to_hunk(hunk)
            self.move_line(0)
        self.lines_mode_changed.emit()
        self.viewport().update()

    def leave_lines_mode(self) -> None:
        """Stop choosing single lines."""
        self._lines_hunk, self._current_line = 0, None
        self._lay_out(self._anchor())
        self.lines_mode_changed.emit()
        self.viewport().update()

    @property
    def revealed(self) -> Mapping[int, int] | None:
        """The number of lines shown of each fold, None without folding."""
        return self._revealed if self._folds else None

    def current_line(self) -> LinePlace | None:
        """Return the current line, else the current hunk's first visible one."""
        layout = self.layout_
        if layout is None or not layout.rows:
            return None
        if self._current_line is not None:
            return self._current_line
        top, bottom = self._view()
        first, behind = layout.row_at(top), layout.row_at(bottom)
        if self.current_hunk:
            start, end = layout.hunk_rows(self.current_hunk)
            if start <= behind and end > first:
                first = max(first, start)
        for index in range(first, min(layout.rows, first + 200)):
            row = layout.row(index)
            cells = [cell for cell in (row.left, row.right) if cell is not None]
            changed = [cell for cell in cells if cell.choice or not self.current_hunk]
            if changed:
                return changed[0].line_key
        return None

    def clicked_line(self) -> LinePlace | None:
        """Return the last clicked line if visible, else the current place."""
        layout, selection = self.layout_, self._selection
        if layout is not None and selection is not None and selection.head[0] < layout.rows:
            row = selection.head[0]
            top, bottom = self._view()
            cell = pane_cell(layout.row(row), self._mode, selection.pane)
            if cell is not None and layout.top(row) < bottom and layout.top(row + 1) > top:
                return cell.line_key
        return self.current_line()

    def select_line(self, side: Side, line: int) -> None:
        """Go to a line and select it."""
        self.go_to_line(side, line)
        row = self.layout_.row_of(side, line) if self.layout_ is not None else None
        if row is not None:
            pane = 0 if side is Side.BASE else len(self.panes()) - 1
            self._selection = Selection(pane, (row, 0), (row, REVEAL_ALL))
            self.viewport().update()

    def move_line(self, by: int) -> None:
        """Make the next (1) or previous (-1) changed line current; 0 stays."""
        layout = self.layout_
        if layout is None or not self._lines_hunk:
            return
        line = line_from(layout, self._lines_hunk, self._current_line, by)
        if line is not None:
            self._current_line = line.cell.line_key
            self._show_row(line.row)
            self._describe_line(line)
        self.viewport().update()

    def toggle_lines(self) -> None:
        """Toggle the selected changed lines of the hunk, else the current one."""
        if lines := self.chosen_lines():
            self.lines_pressed.emit(self._lines_hunk, lines)

    def chosen_lines(self) -> frozenset[int]:
        """Return the selected changed lines of the hunk, else the current one.

        The numbers are those of a choice of lines.
        """
        layout, selection = self.layout_, self._selection
        if layout is None or not self._lines_hunk:
            return frozenset()
        lines: list[ChoosableLine] = []
        if selection is not None and not selection.is_empty:
            rows = range(selection.first[0], selection.last[0] + 1)
            lines = [line for line in lines_in(layout, self._lines_hunk, rows) if line.pane == selection.pane]
        if not lines:
            current = line_from(layout, self._lines_hunk, self._current_line, 0)
            lines = [current] if current is not None else []
        return frozenset(line.cell.choice for line in lines)

    def _show_row(self, row: int) -> None:
        """Scroll just enough to show a row, below the sticky band."""
        assert self.layout_ is not None
        assert self._painter is not None
        top, bottom = self.layout_.top(row), self.layout_.top(row + 1)
        view_top, view_bottom = self._view()
        room = self._covered()
        if top - room < view_top:
            self.verticalScrollBar().setValue(top - room)
        elif bottom > view_bottom:
            self.verticalScrollBar().setValue(bottom - self.viewport().height())

    def _describe_line(self, line: ChoosableLine) -> None:
        """Set an accessible description: the current line, and whether it is included."""
        decision = self.tr("included") if line.is_included else self.tr("excluded")
        words = self.tr("Line {n}, {sign}, {state}")
        self.setAccessibleDescription(
            say(words, n=str(line.cell.line + 1), sign=line.cell.sign, state=decision)
        )

    def _choice_under(self, point: QPoint, visible: VisibleRow) -> tuple[Cell, bool, bool] | None:
        """Return the changed line under a point while lines are chosen.

        The first flag is whether the check box is hit within the tolerance of a click, the second whether the
        point is exactly on it.
        """
        if not self._has_line_boxes(visible.row.hunk) or self._painter is None:
            return None
        number = self._pane_under(point)
        pane = self.panes()[number].with_boxes()
        box = pane.choice_box(visible.y, self._painter.heights.code)
        cells = dict(choosable_cells(visible.row, self._mode))
        if number not in cells:
            return None
        return cells[number], box.adjusted(-2, -2, 2, 2).contains(point), box.contains(point)

    # Clicks

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is not Qt.MouseButton.LeftButton:
            return
        point = event.position().toPoint()
        sticky = self._sticky_line_under(point)
        if sticky is not None:
            self.select_line(*sticky.cell.line_key)
            return
        band = self._band_under(point)
        if band is not None:
            hunk, box = band
            action = self._action_under(point, hunk, box)
            self._set_current(hunk)
            self._press(action, hunk)
            return
        visible = self._row_under(point)
        if visible is None:
            return
        if visible.row.kind is RowKind.FOLD:
            shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            self._reveal(visible.row.gap, REVEAL_STEP if shift else REVEAL_ALL)
            return
        if visible.row.hunk:
            self._set_current(visible.row.hunk)
        extend = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if self.typing is not None and self.typing.move_caret_to(point, extend=extend):
            return
        hidden = self._omitted_under(point)
        if hidden is not None:
            self.show_whole(*hidden)
            return
        choice = self._choice_under(point, visible)
        if choice is not None:
            cell, on_box, _ = choice
            self._current_line = cell.line_key
            if on_box:
                self._selection = None
                self._press_box(cell.choice, extend=extend)
                self.viewport().update()
                return
        self._begin_selection(point, extend=extend)

    def _press_box(self, line: int, *, extend: bool) -> None:
        """Toggle a line's box; with `extend`, all from the last toggled one."""
        hunk, before = self._last_box
        first = before if extend and hunk == self._lines_hunk else line
        self._last_box = self._lines_hunk, line
        self.lines_pressed.emit(self._lines_hunk, frozenset(range(min(first, line), max(first, line) + 1)))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        point = event.position().toPoint()
        if self.typing is not None and self.typing.extend_to(point):
            return
        if self._selecting and self._selection is not None:
            if point.y() < 0 or point.y() > self.viewport().height():
                bar = self.verticalScrollBar()
                bar.setValue(bar.value() + (bar.singleStep() if point.y() > 0 else -bar.singleStep()))
            head = self.position_at(point, self._selection.pane)
            if head is not None:
                self._selection = Selection(self._selection.pane, self._selection.anchor, head)
            self.viewport().update()
            return
        self._hover_over(point)
        self._show_cursor(point)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        is_click = self._selecting and self._selection is not None and self._selection.is_empty
        self._selecting = False
        if is_click and self._comment_under(event.position().toPoint()) is not None:
            self.action_pressed.emit(COMMENT)
        if self.typing is not None:
            self.typing.end_drag()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        point = event.position().toPoint()
        visible = self._row_under(point)
        is_covered = self._band_under(point) is not None or self._sticky_line_under(point) is not None
        if visible is None or visible.row.kind is not RowKind.CODE or is_covered:
            # A second click on a band or fold acts like the first.
            self.mousePressEvent(event)
            return
        pane = self._pane_under(point)
        at = self.position_at(point, pane)
        cell = pane_cell(visible.row, self._mode, pane)
        if at is None or cell is None or self._document is None:
            return
        if self.typing is not None and self.typing.select_word(point):
            return
        start, end = word_around(self._document.source(cell.side, cell.line), at[1])
        self._selection = Selection(pane, (at[0], start), (at[0], end))
        self.viewport().update()
        if cell.side is Side.RESULT and cell.number is not None:
            self.double_pressed.emit(cell.number - 1, at[1])

    def leaveEvent(self, event: QEvent) -> None:
        self._hover_over(QPoint(-1, -1))

    def _hover_over(self, point: QPoint) -> None:
        """Update the hovered place, and repaint only if the hover highlight changes."""
        before, after = self._hovered(self._hover), self._hovered(point)
        self._hover = point
        if after != before:
            self.viewport().update()

    def _hovered(self, point: QPoint) -> tuple[str, int, bool] | None:
        """Return the hover target under a point: fold, or check box."""
        if not self.viewport().rect().contains(point):
            return None
        sticky = self._sticky_line_under(point)
        if sticky is not None:
            return ("sticky", sticky.cell.line, sticky.cell.side is Side.BASE)
        band = self._band_under(point)
        if band is not None:
            return ("band", band[0], check_box(band[1]).contains(point))
        visible = self._row_under(point)
        if visible is None:
            return None
        if visible.row.kind is RowKind.FOLD:
            return ("fold", visible.index, True)
        if (cell := self._comment_under(point)) is not None:
            return (COMMENT, cell.line, cell.side is Side.BASE)
        choice = self._choice_under(point, visible)
        return ("line", choice[0].choice, choice[2]) if choice is not None else None

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.ToolTip:
            point = self.viewport().mapFromGlobal(self.cursor().pos())
            band = self._band_under(point)
            is_on_box = band is not None and check_box(band[1]).contains(point)
            tip = self._lock if is_on_box else "" if band is not None else self._tip_at(point)
            if self._comment_under(point) is not None:
                tip = self.tr("Comment on this line.")
            if tip:
                QToolTip.showText(self.cursor().pos(), plain_tip(tip), self)
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
        if plain and self._lines_hunk and event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self.move_line(1 if event.key() == Qt.Key.Key_Down else -1)
            event.accept()
            return
        move = moves.get(Qt.Key(event.key())) if plain else None
        if move is not None:
            move[0].setValue(move[1])
            event.accept()
        else:
            event.ignore()

    def go_to_hunk(self, hunk: int) -> None:
        """Make a hunk current and scroll to its first changed columns."""
        super().go_to_hunk(hunk)
        if self.layout_ is None or self._painter is None or self._extents is not None:
            return
        columns = first_columns(self.layout_, self._painter, hunk)
        if columns is not None:
            bar, room = self.horizontalScrollBar(), min(pane.code_width for pane in self.panes())
            left, right = (round(column * self._painter.metrics.advance) for column in columns)
            if not bar.value() <= left < bar.value() + room - px(20):
                self.make_room(right)
                bar.setValue(0 if right < room else left - room // 3)

    def _tip_at(self, point: QPoint) -> str:
        visible = self._row_under(point)
        return self.line_words(visible.row, self._pane_under(point)) if visible is not None else ""

    def set_ignores_space(self, ignores: bool) -> None:
        """Show lines that differ only in white space as unchanged.

        Applies side by side; the hunks stay as they are.
        """
        self.ignores_space = ignores
        self._lay_out(self._anchor())

    def hunk_beside(self, by: int) -> int:
        """Return the next (1) or previous (-1) hunk that shows any change.

        Without one, the number is one past the last hunk or before the first.
        """
        hunk, layout = self.current_hunk + by, self.layout_
        while layout is not None and 1 <= hunk <= layout.hunks and layout.is_only_space(hunk):
            hunk += by
        return hunk

    def chosen_words(self) -> str:
        """Return the selected words, else the word clicked last.

        Returns "" where there is neither, and where the selection spans several lines.
        """
        typed = self.typing.words() if self.typing is not None else None
        if typed is not None:
            return typed
        chosen, layout, document = self._selection, self.layout_, self._document
        if chosen is None or layout is None or document is None or chosen.first[0] != chosen.last[0]:
            return ""
        if not chosen.is_empty:
            return selected_text(chosen, layout, document).strip()
        row, column = chosen.head
        cell = pane_cell(layout.row(row), self._mode, chosen.pane) if row < layout.rows else None
        if cell is None:
            return ""
        source = document.source(cell.side, cell.line)
        start, end = word_around(source, column)
        word = source[start:end].strip()
        return word if word[:1].isalnum() or word[:1] == "_" else ""

    def select_at(self, point: QPoint) -> None:
        """Move the selection to a point, unless the point is selected."""
        visible, chosen = self._row_under(point), self._selection
        is_covered = self._band_under(point) is not None or self._sticky_line_under(point) is not None
        if visible is None or visible.row.kind is not RowKind.CODE or is_covered:
            return
        is_selected = chosen is not None and not chosen.is_empty
        if chosen is None or not (is_selected and chosen.first[0] <= visible.index <= chosen.last[0]):
            if visible.row.hunk:
                self._set_current(visible.row.hunk)
            self._begin_selection(point, extend=False)
            self._selecting = False
            self.viewport().update()

    def copy(self) -> bool:
        """Copy the selected text of one side; return whether there was any."""
        if self._selection is None or self._selection.is_empty:
            return False
        assert self.layout_ is not None
        assert self._document is not None
        QGuiApplication.clipboard().setText(selected_text(self._selection, self.layout_, self._document))
        return True

    def select_all(self) -> None:
        """Select all of the side used last, else of the result."""
        if self.layout_ is not None and self.layout_.rows:
            pane = self._selection.pane if self._selection is not None else len(self.panes()) - 1
            self._selection = Selection(pane, (0, 0), (self.layout_.rows - 1, REVEAL_ALL))
            self.viewport().update()

    def _begin_selection(self, point: QPoint, *, extend: bool) -> None:
        pane = self._pane_under(point)
        at = self.position_at(point, pane)
        if at is None:
            return
        before = self._selection
        anchor = before.anchor if extend and before is not None and before.pane == pane else at
        self._selection = Selection(pane, anchor, at)
        self._selecting = True
        self.viewport().update()

    def _row_under(self, point: QPoint) -> VisibleRow | None:
        rows = self._visible_rows(QRect(0, point.y(), 1, 1))
        layout = self.layout_
        if not rows or layout is None:
            return None
        return rows[0] if point.y() < rows[0].y + layout.row_height(rows[0].index) else None

    def _band_under(self, place: QPoint) -> tuple[int, QRect] | None:
        sticky = self._sticky_band()
        if sticky is not None and sticky[1].contains(place):
            return sticky
        visible = self._row_under(place)
        if visible is None or visible.row.kind is not RowKind.BAND or self.layout_ is None:
            return None
        height = self.layout_.row_height(visible.index)
        return visible.row.hunk, QRect(0, visible.y, self.viewport().width(), height)

    def _action_under(self, place: QPoint, hunk: int, band: QRect) -> str:
        """Return the id of the band button under a point, else "".

        Only the current hunk has buttons other than its check box.
        """
        if not self.has_hunk_buttons:
            return ""
        if check_box(band).adjusted(-px(4), -px(4), px(4), px(4)).contains(place):
            return "toggle_hunk"
        actions = self.hunk_actions(hunk) if hunk == self.current_hunk else ()
        buttons = zip(actions, action_buttons(band, actions), strict=True)
        return next((action.id for action, button in buttons if button.contains(place)), "")

    def _press(self, action: str, hunk: int) -> None:
        if action == "toggle_hunk":
            self.hunk_pressed.emit(hunk)
        elif action == "lines":
            self.toggle_lines_mode()
        elif action:
            self.action_pressed.emit(action)

    def _is_on_box(self, place: QPoint, visible: VisibleRow) -> bool:
        choice = self._choice_under(place, visible)
        return choice is not None and choice[1]

    def _pane_under(self, place: QPoint) -> int:
        panes = self.panes()
        return 1 if len(panes) > 1 and place.x() >= panes[1].left else 0

    def position_at(self, place: QPoint, pane: int) -> TextPosition | None:
        """Return the row and the character boundary nearest to a point."""
        layout, painter = self.layout_, self._painter
        if layout is None or painter is None or not layout.rows:
            return None
        index = layout.row_at(place.y() + self.verticalScrollBar().value())
        row = layout.row(index)
        cell = pane_cell(row, self._mode, pane)
        if cell is None:
            return index, 0
        drawn = painter.line(cell, row.pair)
        left = self._pane_of(self.panes()[pane], row.hunk).code_left
        x = place.x() - left + self.horizontalScrollBar().value()
        below = place.y() + self.verticalScrollBar().value() - layout.top(index)
        line = int(below // painter.heights.code)
        return index, drawn.shown.boundary_near(drawn.column_at(x, line))

    def _comment_under(self, place: QPoint) -> Cell | None:
        """Return the line whose number, pressed, opens a comment on it."""
        visible = self._row_under(place)
        is_covered = self._band_under(place) is not None or self._sticky_line_under(place) is not None
        return None if visible is None or is_covered else self.numbered_cell(visible, place)

    def _omitted_under(self, place: QPoint) -> LinePlace | None:
        """Return the line whose omitted part is under a point."""
        layout, painter, pane = self.layout_, self._painter, self._pane_under(place)
        visible = self._row_under(place)
        cell = pane_cell(visible.row, self._mode, pane) if visible is not None else None
        if layout is None or painter is None or visible is None or cell is None:
            return None
        left = self._pane_of(self.panes()[pane], visible.row.hunk).code_left
        drawn = painter.line(cell, visible.row.pair)
        x, line = place.x() - left, (place.y() - visible.y) // painter.heights.code
        column = drawn.column_at(x + self.horizontalScrollBar().value(), line)
        marks = (mark for mark in drawn.shown.marks if mark.kind is MarkKind.OMITTED)
        is_on = x >= 0 and any(mark.start <= column <= mark.end for mark in marks)
        return cell.line_key if is_on else None

    def _show_cursor(self, place: QPoint) -> None:
        shape = Qt.CursorShape.ArrowCursor
        band = self._band_under(place)
        visible = self._row_under(place)
        if self._sticky_line_under(place) is not None:
            shape = Qt.CursorShape.PointingHandCursor
        elif band is not None:
            if self._action_under(place, *band):
                shape = Qt.CursorShape.PointingHandCursor
        elif (
            self._omitted_under(place) is not None
            or self._comment_under(place) is not None
            or (visible is not None and (visible.row.kind is RowKind.FOLD or self._is_on_box(place, visible)))
        ):
            shape = Qt.CursorShape.PointingHandCursor
        elif visible is not None and place.x() >= self.panes()[self._pane_under(place)].code_left:
            shape = Qt.CursorShape.IBeamCursor
        self.viewport().setCursor(shape)
