"""Scrollable three-column view of rebase conflicts: disk, result, proposed."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, QRect, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QWidget

from studio.extras.conflict_choices import ConflictChoice, ConflictRow, Kind, Settlement
from studio.ui.conflict.painting import GUTTER, ConflictPainter
from studio.ui.diff.canvas.canvas import REVEAL_STEP
from studio.ui.limits import OPENED_ROWS_UP_TO, SPOKEN_LINES_UP_TO
from studio.ui.look.theme import color, px

if TYPE_CHECKING:
    from studio.extras.conflict_gaps import Column
    from studio.ui.runner import Runner


class ConflictView(QAbstractScrollArea):
    """View of a conflict resolution, with a bar at the current conflict."""

    current_changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("conflict-view")
        self.setAccessibleName(self.tr("Conflicts: on disk now, result, proposed"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setMouseTracking(True)
        self.settlement: Settlement | None = None
        self.current = 0
        self.painter: ConflictPainter | None = None
        self._show_base = False
        self._open_folds: dict[int, int] = {}
        """Number of revealed rows of each gap's fold."""
        self._rows: list[ConflictRow] = []
        self.tops: list[int] = [0]
        """Top of each row and end of the last, in document pixels."""
        self._conflict_rows: dict[int, tuple[int, int]] = {}
        """First row and row behind the last of each conflict, without base lines."""
        self._editor_space = (-1, 0)
        """The conflict that is edited, and the least height of its lines in pixels."""
        self._hovered = -1
        self._widest = 0.0

    @property
    def rows(self) -> list[ConflictRow]:
        """The rows shown, from top to bottom."""
        return self._rows

    def show_settlement(
        self, settlement: Settlement | None, path: str = "", runner: Runner | None = None
    ) -> None:
        """Show the conflicts at the first open one; None shows nothing.

        `path` chooses the syntax highlighting, `runner` runs it; without one the code is plain.
        """
        if self.painter is not None:
            self.painter.stop()
            self.painter = None
        self.settlement = settlement
        self.current = 0
        self._editor_space = (-1, 0)
        self._open_folds = {}
        self._widest = 0.0
        if settlement is not None:
            self.painter = ConflictPainter(settlement, path, runner, self)
            # Queued: during painting, lines would be cached without the colours that just came.
            self.painter.colours.coloured.connect(self._recolour, Qt.ConnectionType.QueuedConnection)
        self.refresh()
        if settlement is not None:
            first = next((n for n in range(len(settlement.conflicts)) if settlement.choice_at(n) is None), 0)
            self.go_to(first)

    def set_show_base(self, shown: bool) -> None:
        """Show or hide the base lines below each conflict."""
        self._show_base = shown
        self.refresh()

    def make_room(self, conflict: int, height: int = 0) -> None:
        """Reserve a conflict's least height in pixels for the editor.

        Nothing below it is covered; -1 reserves none.
        """
        if (conflict, height) != self._editor_space:
            self._editor_space = (conflict, height)
            self.refresh()

    def column(self, number: int) -> QRect:
        """Return the area of a column (0, 1, 2) in the viewport."""
        width = self.viewport().width()
        left, right = width * number // 3, width * (number + 1) // 3
        return QRect(left, 0, right - left, self.viewport().height())

    def toggle_folds(self) -> None:
        """Show or hide the lines between the conflicts."""
        folded = {row.gap: OPENED_ROWS_UP_TO for row in self._rows if row.kind is Kind.FOLD}
        self._open_folds = folded if not self._open_folds else {}
        self.refresh()
        self.go_to(self.current)

    def refresh(self) -> None:
        """Compute the rows again after a conflict was resolved."""
        self._rows = []
        if self.settlement is not None and self.painter is not None:
            self._rows = self.settlement.rows(show_base=self._show_base, opened=self._open_folds)
        self._conflict_rows = {}
        for at, row in enumerate(self._rows):
            if row.conflict >= 0 and row.kind is Kind.CODE and not row.is_base:
                self._conflict_rows[row.conflict] = (
                    self._conflict_rows.get(row.conflict, (at, at))[0],
                    at + 1,
                )
        self.tops = list(accumulate(self._heights(), initial=0))
        self._hovered = -1
        self._fit()
        self.viewport().update()

    def _heights(self) -> list[int]:
        """Return the height of each row."""
        if self.painter is None:
            return []
        line = self.painter.metrics.line_height
        of_kind = {Kind.BAND: px(28), Kind.FOLD: px(22), Kind.CODE: line}
        heights = [of_kind[row.kind] for row in self._rows]
        conflict, lines = self._editor_space
        if conflict in self._conflict_rows:
            first, end = self._conflict_rows[conflict]
            heights[end - 1] += max(0, lines - (end - first) * line)
        return heights

    def redraw(self) -> None:
        """Lay out again after a change of code font or theme."""
        if self.painter is not None:
            self.painter.measure()
            self.refresh()

    def go_to(self, conflict: int) -> None:
        """Make a conflict (from 0) current and scroll to it."""
        count = len(self.settlement.conflicts) if self.settlement is not None else 0
        if not count:
            return
        self.current = min(max(0, conflict), count - 1)
        area = self.place_of(self.current)
        bar = self.verticalScrollBar()
        if area.top() < 0 or area.bottom() > self.viewport().height():
            bar.setValue(bar.value() + area.top() - px(40))
        self.viewport().update()
        self.current_changed.emit()

    def place_of(self, conflict: int) -> QRect:
        """Return a conflict's area in the result column, in viewport coordinates."""
        if conflict not in self._conflict_rows:
            return QRect()
        first, end = self._conflict_rows[conflict]
        column = self.column(1)
        top = self.tops[first] - self.verticalScrollBar().value()
        return QRect(column.left(), top, column.width(), self.tops[end] - self.tops[first])

    def words_of(self, conflict: int) -> str:
        """Return a conflict's status in words."""
        choice = self.settlement.choice_at(conflict) if self.settlement is not None else None
        is_draft = self.settlement is not None and conflict in self.settlement.begun
        return self._words_of(choice) + (self.tr(" · your edit is not used") if is_draft else "")

    def _words_of(self, choice: ConflictChoice | None) -> str:
        return {
            None: self.tr("both versions changed these lines"),
            ConflictChoice.DISK: self.tr("resolved: version on disk"),
            ConflictChoice.PROPOSED: self.tr("resolved: proposed version"),
            ConflictChoice.BOTH: self.tr("resolved: both versions"),
            ConflictChoice.EDITED: self.tr("resolved: edited by you"),
        }[choice]

    def accessible_text(self, conflict: int) -> str:
        """Return both sides' lines of a conflict for screen readers."""
        if self.settlement is None:
            return ""
        names = self.tr("On disk now"), self.tr("Proposed")
        parts: list[str] = []
        for name, text in zip(names, self.settlement.sides(conflict), strict=True):
            lines = text.decode("utf-8", "replace").splitlines()[:SPOKEN_LINES_UP_TO]
            parts.append(f"{name}: {' / '.join(lines) if lines else self.tr('no lines')}")
        return ". ".join(parts)

    def _fit(self) -> None:
        if self.painter is None:
            return
        metrics = self.painter.metrics
        bar, across = self.verticalScrollBar(), self.horizontalScrollBar()
        bar.setPageStep(self.viewport().height())
        bar.setSingleStep(metrics.line_height)
        bar.setRange(0, max(0, self.tops[-1] + px(8) - self.viewport().height()))
        room = self.column(0).width() - px(GUTTER)
        across.setPageStep(max(1, room))
        across.setSingleStep(round(metrics.advance * 4))
        across.setRange(0, max(0, round(self._widest) - room))

    def _recolour(self, column: Column, first: int, end: int) -> None:
        if self.painter is not None:
            self.painter.invalidate(column, first, end)
            self.viewport().update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        painter.fillRect(event.rect(), color("content"))
        if self.painter is None:
            return
        self.painter.colours.begin_frame()
        offset = self.verticalScrollBar().value()
        at = max(0, bisect_right(self.tops, offset + event.rect().top()) - 1)
        before = self._widest
        while at < len(self._rows) and self.tops[at] - offset <= event.rect().bottom():
            top = self.tops[at] - offset
            area = QRect(0, top, self.viewport().width(), self.tops[at + 1] - self.tops[at])
            self._paint_row(painter, self.painter, at, area)
            at += 1
        self._paint_open_places(painter, self.painter)
        self._paint_current(painter)
        if self._widest != before:
            self._fit()

    def _paint_row(self, painter: QPainter, paint: ConflictPainter, at: int, row_area: QRect) -> None:
        row = self._rows[at]
        if row.kind is Kind.FOLD:
            paint.paint_fold(painter, row, row_area, hovered=at == self._hovered)
        elif row.kind is Kind.BAND:
            paint.paint_band(painter, row, row_area, self.words_of(row.conflict))
        else:
            scroll, line = self.horizontalScrollBar().value(), paint.metrics.line_height
            painter.fillRect(row_area.adjusted(0, line, 0, 0), color("void"))
            for number in range(3):
                column = self.column(number)
                area = QRect(column.left(), row_area.top(), column.width(), line)
                width = paint.paint_cell(painter, row, number, area, scroll)
                self._widest = max(self._widest, width + paint.metrics.advance)
                if number:
                    painter.fillRect(area.left(), area.top(), 1, row_area.height(), color("border"))

    def _paint_open_places(self, painter: QPainter, paint: ConflictPainter) -> None:
        """Paint the placeholder of each open conflict."""
        offset, height = self.verticalScrollBar().value(), self.viewport().height()
        column = self.column(1)
        for first, end in self._conflict_rows.values():
            top, bottom = self.tops[first] - offset, self.tops[end] - offset
            if bottom >= 0 and top <= height and self._rows[first].is_open:
                paint.paint_waiting(painter, QRect(column.left() + 1, top, column.width() - 1, bottom - top))

    def _paint_current(self, painter: QPainter) -> None:
        """Paint the bar beside the current conflict's rows."""
        rows = [at for at, row in enumerate(self._rows) if row.conflict == self.current]
        if rows:
            top, bottom = self.tops[rows[0]], self.tops[rows[-1] + 1]
            painter.fillRect(0, top - self.verticalScrollBar().value(), 3, bottom - top, color("curBar"))

    def _row_at(self, point: QPoint) -> int:
        """Return the row at a viewport position, -1 for none."""
        at = bisect_right(self.tops, point.y() + self.verticalScrollBar().value()) - 1
        return at if 0 <= at < len(self._rows) else -1

    def mousePressEvent(self, event: QMouseEvent) -> None:
        at = self._row_at(event.position().toPoint())
        row = self._rows[at] if at >= 0 else None
        if row is None or event.button() is not Qt.MouseButton.LeftButton:
            return
        if row.kind is Kind.FOLD:
            some = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
            more = REVEAL_STEP if some else OPENED_ROWS_UP_TO
            self._open_folds[row.gap] = self._open_folds.get(row.gap, 0) + more
            self.refresh()
        elif row.conflict >= 0:
            self.current = row.conflict
            self.viewport().update()
            self.current_changed.emit()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        at = self._row_at(event.position().toPoint())
        fold = at if at >= 0 and self._rows[at].kind is Kind.FOLD else -1
        if fold != self._hovered:
            self._hovered = fold
            self.viewport().update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        bar, across = self.verticalScrollBar(), self.horizontalScrollBar()
        moves = {
            Qt.Key.Key_Up: (bar, -bar.singleStep()),
            Qt.Key.Key_Down: (bar, bar.singleStep()),
            Qt.Key.Key_PageUp: (bar, -bar.pageStep()),
            Qt.Key.Key_PageDown: (bar, bar.pageStep()),
            Qt.Key.Key_Home: (bar, -bar.maximum()),
            Qt.Key.Key_End: (bar, bar.maximum()),
            Qt.Key.Key_Left: (across, -across.singleStep()),
            Qt.Key.Key_Right: (across, across.singleStep()),
        }
        move = moves.get(Qt.Key(event.key()))
        if move is None or event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            event.ignore()
            return
        move[0].setValue(move[0].value() + move[1])

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange):
            self.redraw()
