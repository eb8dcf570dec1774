"""Table widget of a plan's folders and steps: painting, ticking, folding."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QSizePolicy,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from studio.engine import Step, StepState
from studio.names import show_name
from studio.ui.history.table import CHECK_WIDTH, TableHeader
from studio.ui.look import words
from studio.ui.look.states import NO_LINES, operation_word, warnings_of
from studio.ui.look.theme import color, px, ui_font
from studio.ui.look.words import CommonFolders
from studio.ui.plan.rows import Column, FolderRow, PlanRow, StepRow
from studio.ui.plan.table_model import ROW, PlanTableModel
from studio.ui.widgets.painting import paint_check_box
from studio.ui.widgets.row_painter import SECOND, ItemPainter, RowList, paint_folder, row_style

if TYPE_CHECKING:
    from studio.ui.review.ticked import TickedSteps

Index = QModelIndex | QPersistentModelIndex

_WIDTHS = (350, 90, 112, 150)
_LEAST_WIDTHS = (170, 84, 104, 120)
"""Minimum widths, to which these columns shrink in order when the warnings need space."""
_SIGN_WIDTH = 22
_ROW = 26
_STEP_IN = 16
_NAMES_FROM = CHECK_WIDTH + 30
"""Left edge of the names, after check box and icon."""


class _Delegate(QStyledItemDelegate):
    """Painter of a cell; the hairline below belongs to the row."""

    def __init__(self, view: PlanTable) -> None:
        super().__init__(view)
        self._view = view

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(px(60), px(_ROW))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row: PlanRow | None = index.data(ROW)
        if row is None:
            return
        painter.save()
        cell: QRect = option.rect
        if index.row() == self._view.currentIndex().row() and self._view.hasFocus():
            painter.fillRect(cell, color("select"))
        elif row_style(option, focused=False).background == "hover":
            painter.fillRect(cell, color("hover"))
        painter.fillRect(cell.left(), cell.bottom(), cell.width(), 1, color("border"))
        column = Column(index.column())
        left = px(8)
        if column is Column.STEP:
            self._paint_box(painter, cell, row)
            left = px(CHECK_WIDTH + _STEP_IN * row.depth)
        painted = ItemPainter(painter, cell, left=left, right=px(8))
        if isinstance(row, FolderRow):
            self._paint_folder(painted, row, column)
        else:
            self._paint_step(painted, row, column)
        painter.restore()

    def _paint_box(self, painter: QPainter, cell: QRect, row: PlanRow) -> None:
        state = self._view.table.check_state(row)
        side = px(14)
        box = QRectF(cell.left() + px(13), cell.top() + (cell.height() - side) // 2, side, side)
        paint_check_box(painter, box, state or Qt.CheckState.Unchecked, enabled=state is not None)

    def _paint_folder(self, painted: ItemPainter, row: FolderRow, column: Column) -> None:
        text = self._view.table.words(row, column)
        if column is Column.STEP:
            painted.icon("down" if row.is_open else "right", "muted", gap=14)
            painted.text(show_name(row.name), is_path=True)
        elif column is Column.LINES and (row.total.added or row.total.removed):
            painted.counts(row.total.added, row.total.removed)
        elif column is not Column.WARNINGS:
            painted.text(text, "muted", ui_font(SECOND))
        elif row.total.warnings:
            painted.icon(*self._gravest_sign(row.steps))
            painted.text(text, "text", ui_font(SECOND))

    def _paint_step(self, painted: ItemPainter, row: StepRow, column: Column) -> None:
        model, step = self._view.table, row.step
        quiet = model.is_quiet(step)
        if column is Column.STEP:
            style = model.style_of(step)
            folder, name = words.split_path(show_name(step.target))
            painted.icon(style.icon, style.token, gap=14)
            font = ui_font(13, 600 if model.is_bold(step) else 400)
            painted.text(name, "muted" if quiet else "text", font, elide=Qt.TextElideMode.ElideMiddle)
            if self._view.table.arrangement.column is not Column.STEP:
                paint_folder(painted, folder.rstrip("/"), show_name(self._view.common.shortened(step.target)))
        elif column is Column.WHAT:
            painted.text(operation_word(step))
        elif column is Column.LINES:
            if step.added or step.removed:
                painted.counts(step.added, step.removed)
            else:
                painted.text(NO_LINES, "muted", ui_font(SECOND))
        elif column is Column.DECISION:
            if model.has_draft(step):
                painted.icon("edit", "warn")
            decided = step.state not in (StepState.PENDING, StepState.STALE) and not quiet
            painted.text(model.decision_words(step), "text" if decided else "muted", ui_font(SECOND))
        elif warning := model.warning_words(step):
            painted.icon(*self._gravest_sign((step,)))
            painted.text(warning, "text", ui_font(SECOND))

    def _gravest_sign(self, steps: tuple[Step, ...]) -> tuple[str, str]:
        if any(step.state is StepState.INVALID for step in steps):
            return "refused", "bad"
        danger = any(fact.severity.value == "danger" for step in steps for fact in warnings_of(step))
        return ("danger", "bad") if danger else ("look-out", "warn")


class PlanTable(RowList):
    """Table where Enter or a click opens steps and folds folders.

    Space and a click on the check box tick, with Shift all rows from the last one on.
    """

    chosen = Signal(int)
    """Emitted with the number of the step to show."""

    def __init__(self, ticked: TickedSteps, parent: QWidget | None = None) -> None:
        super().__init__("content", parent)
        self._ticked = ticked
        self._anchor_key = ""
        """Key of the row from which Shift ticks."""
        self._current_key = ""
        """Key of the row to make current after a new layout."""
        self._warnings_wide = 0
        self.common = CommonFolders(())
        self.setObjectName("plan-table")
        self.setAccessibleName(self.tr("Steps of the plan"))
        self.table = PlanTableModel(ticked, self)
        self.setModel(self.table)
        self.setItemDelegate(_Delegate(self))
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)
        self._set_up_header()
        self.table.modelAboutToBeReset.connect(self._keep_current)
        self.table.modelReset.connect(self._make_current)
        self.table.arrangement_changed.connect(self._show_order)
        self.table.modelReset.connect(self._measure)
        self.table.dataChanged.connect(lambda _first, _last, roles: roles or self._measure())
        self._measure()
        self.clicked.connect(self._choose)

    def _set_up_header(self) -> None:
        header = TableHeader(self, _NAMES_FROM)
        self.setHeader(header)
        header.setFixedHeight(px(24))
        header.setSectionsMovable(False)
        header.setSectionsClickable(True)
        header.setHighlightSections(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        header.setStretchLastSection(True)
        header.setSortIndicatorShown(True)
        header.sectionClicked.connect(lambda section: self.table.sort_by(Column(section)))
        self._show_order()

    def minimumSizeHint(self) -> QSize:
        return QSize(px(200), px(24) + px(_ROW) * min(4, self.table.rowCount()))

    def sizeHint(self) -> QSize:
        """Return a height that shows every row."""
        return QSize(px(600), px(24) + px(_ROW) * max(1, self.table.rowCount()) + 2)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share_width()

    def keyboardSearch(self, search: str) -> None:
        """Do nothing: letters are shortcuts of actions."""

    def event(self, event: QEvent) -> bool:
        """Use Space and Ctrl+A for ticking in this table."""
        if isinstance(event, QKeyEvent) and event.type() is QEvent.Type.ShortcutOverride:
            is_tick = event.key() == Qt.Key.Key_Space and not event.modifiers()
            is_all = event.key() == Qt.Key.Key_A and event.modifiers() == Qt.KeyboardModifier.ControlModifier
            if is_tick or is_all:
                event.accept()
                return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        row, key, held = self.table.row(self.currentIndex()), event.key(), event.modifiers()
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if not event.isAutoRepeat():
                self._act(row)
        elif key == Qt.Key.Key_A and held == Qt.KeyboardModifier.ControlModifier:
            self._ticked.tick([step.number for step in self.table.listed], True)
        elif key == Qt.Key.Key_Space and row is not None:
            self._anchor_key = row.key
            self.table.toggle(row)
        elif key in (Qt.Key.Key_Left, Qt.Key.Key_Right) and not held:
            self._fold(row, key == Qt.Key.Key_Left)
        elif key in (Qt.Key.Key_Up, Qt.Key.Key_Down) and held == Qt.KeyboardModifier.ShiftModifier:
            self._extend(1 if key == Qt.Key.Key_Down else -1)
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        index = self.indexAt(event.position().toPoint())
        row = self.table.row(index)
        if row is None or event.button() is not Qt.MouseButton.LeftButton or not self._is_tick_click(event):
            super().mousePressEvent(event)
            return
        before = self._anchor_key
        self.setCurrentIndex(index)
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier and before:
            self._tick_between(before, row.key)
        else:
            self._anchor_key = row.key
            self.table.toggle(row)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if not self._is_tick_click(event):
            super().mouseReleaseEvent(event)

    def _is_tick_click(self, event: QMouseEvent) -> bool:
        """Return whether a click ticks: on the box, or with modifiers.

        The modifiers are Ctrl and Shift.
        """
        held = Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.ControlModifier
        return event.position().x() < px(CHECK_WIDTH) or bool(event.modifiers() & held)

    def _extend(self, by: int) -> None:
        """Tick the current row and the one that becomes current."""
        row = self.table.row(self.currentIndex())
        if row is None:
            return
        ahead = self.table.index(self.currentIndex().row() + by, Column.STEP)
        ends = [row, self.table.row(ahead)]
        self.setCurrentIndex(ahead if ahead.isValid() else self.currentIndex())
        for each in ends:
            if isinstance(each, StepRow):
                self._ticked.tick([each.step.number], True)

    def _tick_between(self, one: str, other: str) -> None:
        ends = sorted(self.table.index_of(key).row() for key in (one, other))
        rows = self.table.rows[max(0, ends[0]) : ends[1] + 1]
        # An open folder contains more than the rows between.
        closed = [row for row in rows if not (isinstance(row, FolderRow) and row.is_open)]
        self._ticked.tick([step.number for row in closed for step in self.table.steps_of(row)], True)

    def _act(self, row: PlanRow | None) -> None:
        if isinstance(row, FolderRow):
            self.table.fold(row.path, row.is_open)
        elif row is not None:
            self.chosen.emit(row.step.number)

    def _choose(self, index: Index) -> None:
        self._act(self.table.row(index))

    def _fold(self, row: PlanRow | None, folded: bool) -> None:
        """Fold or unfold a folder; from other rows go to their folder."""
        if isinstance(row, FolderRow) and row.is_open is folded:
            self.table.fold(row.path, folded)
        elif row is not None and folded and row.depth:
            above = self.table.rows[: self.currentIndex().row()]
            parent = max(at for at, each in enumerate(above) if each.depth < row.depth)
            self.setCurrentIndex(self.table.index(parent, Column.STEP))

    def _keep_current(self) -> None:
        row = self.table.row(self.currentIndex())
        self._current_key = row.key if row is not None else ""

    def _make_current(self) -> None:
        """Restore the current row after a new layout, else the first."""
        plan = self.table.plan
        self.common = CommonFolders(step.target for step in plan.steps) if plan is not None else self.common
        index = self.table.index_of(self._current_key)
        if not index.isValid() and self.table.rows:
            index = self.table.index(0, Column.STEP)
        self.setCurrentIndex(index)
        self.updateGeometry()

    def _show_order(self) -> None:
        wish = self.table.arrangement
        # For lines and warnings, the largest come first.
        points_down = wish.descending is not (wish.column in (Column.LINES, Column.WARNINGS))
        order = Qt.SortOrder.DescendingOrder if points_down else Qt.SortOrder.AscendingOrder
        self.header().setSortIndicator(wish.column, order)
        self.header().viewport().update()

    def _measure(self) -> None:
        self._warnings_wide = self._warning_width()
        self._share_width()

    def _share_width(self) -> None:
        """Shrink other columns so that the warnings are not elided."""
        left = sum(map(px, _WIDTHS)) + self._warnings_wide - self.viewport().width()
        for column, (usual, least) in enumerate(zip(_WIDTHS, _LEAST_WIDTHS, strict=True)):
            share = min(max(0, left), px(usual) - px(least))
            self.header().resizeSection(column, px(usual) - share)
            left -= share

    def _warning_width(self) -> int:
        """Return the width at which no warning is elided."""
        heading = self.table.headerData(Column.WARNINGS, Qt.Orientation.Horizontal)
        metrics = QFontMetrics(ui_font(SECOND))
        texts = {self.table.words(row, Column.WARNINGS) for row in self.table.rows}
        longest = max(map(metrics.horizontalAdvance, texts), default=0) + px(_SIGN_WIDTH)
        return max(longest, metrics.horizontalAdvance(heading or "")) + px(8) * 2 + 2
