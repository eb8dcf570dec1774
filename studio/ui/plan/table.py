"""The table of a plan's steps, one row each (look.md 4.11)."""

from __future__ import annotations

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QSizePolicy,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from studio.engine.names import show_name
from studio.engine.plan import Plan, Step, StepState
from studio.ui.facts.sheet import fact_title
from studio.ui.history.table import TableHeader
from studio.ui.look import words
from studio.ui.look.states import (
    NO_LINES,
    StateLook,
    approved_in_part,
    is_over,
    operation_word,
    step_look,
    warnings_of,
)
from studio.ui.look.theme import color, px, ui_font
from studio.ui.look.words import say
from studio.ui.widgets.row_list import RowList
from studio.ui.widgets.row_painter import SECOND, RowPainter, row_look

Index = QModelIndex | QPersistentModelIndex

STEP, WHAT, LINES, DECISION, WARNINGS = range(5)
_WIDTHS = (330, 100, 90, 150)
_LEAST_WIDTHS = (150, 84, 90, 120)
"""Where there is little room for what to look out for, the others give way in this order, down to this."""
_SIGN_WIDTH = 22
_ROW = 26
_NAMES_FROM = 38
"""Where names begin, behind their signs."""
_TOP = QModelIndex()
_STEP_ROLE = Qt.ItemDataRole.UserRole


class PlanTableModel(QAbstractTableModel):
    """Steps of one plan; `show_plan` changes rows in place while their number stays the same."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._plan: Plan | None = None
        self._steps: tuple[Step, ...] = ()
        self._not_viewed: frozenset[int] = frozenset()
        self._kept_texts: frozenset[int] = frozenset()

    def show_plan(
        self, plan: Plan, not_viewed: frozenset[int], kept_texts: frozenset[int] = frozenset()
    ) -> None:
        """`not_viewed` are the numbers of the steps that nobody looked at yet, `kept_texts` of those with a
        text that was begun and is not used."""
        steps = plan.steps
        same = [step.id for step in steps] == [step.id for step in self._steps]
        if not same:
            self.beginResetModel()
        self._plan, self._steps = plan, steps
        self._not_viewed, self._kept_texts = not_viewed, kept_texts
        if not same:
            self.endResetModel()
        elif steps:
            self.dataChanged.emit(self.index(0, 0), self.index(len(steps) - 1, WARNINGS))

    @property
    def steps(self) -> tuple[Step, ...]:
        return self._steps

    def step(self, row: int) -> Step | None:
        return self._steps[row] if 0 <= row < len(self._steps) else None

    def is_bold(self, step: Step) -> bool:
        """Whether the step waits for somebody to look at it."""
        return step.number in self._not_viewed and not self.is_quiet(step)

    def is_quiet(self, step: Step) -> bool:
        """Whether nothing can be decided about the step any more."""
        return step.state is StepState.INVALID or (self._plan is not None and is_over(self._plan, step))

    def look(self, step: Step) -> StateLook:
        """The step's sign, colour and word."""
        assert self._plan is not None
        return step_look(self._plan, step)

    def keeps_text(self, step: Step) -> bool:
        return step.number in self._kept_texts

    def rowCount(self, parent: Index = _TOP) -> int:
        return 0 if parent.isValid() else len(self._steps)

    def columnCount(self, parent: Index = _TOP) -> int:
        return 0 if parent.isValid() else 5

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> str | None:
        if orientation is not Qt.Orientation.Horizontal or role != Qt.ItemDataRole.DisplayRole:
            return None
        names = (
            self.tr("Step"),
            self.tr("What"),
            self.tr("Lines"),
            self.tr("Your decision"),
            self.tr("Look out for"),
        )
        return names[section]

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        step = self.step(index.row())
        if step is None:
            return None
        if role == _STEP_ROLE:
            return step
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return self._words(step, index.column())
        if role == Qt.ItemDataRole.ToolTipRole:
            said = self.warning_words(step) if index.column() == WARNINGS else show_name(step.target)
            return words.plain_tip(said, wraps=index.column() == WARNINGS)
        return None

    def _words(self, step: Step, column: int) -> str:
        if column == STEP:
            return f"{show_name(step.target)}, {self.look(step).word}"
        if column == WHAT:
            return operation_word(step)
        if column == LINES:
            return f"+{step.added} -{step.removed}" if step.added or step.removed else NO_LINES
        return self.decision_words(step) if column == DECISION else self.warning_words(step)

    def decision_words(self, step: Step) -> str:
        """What the person decided so far, or began and did not use."""
        if self._plan is not None and is_over(self._plan, step):
            return self.look(step).word
        if self.keeps_text(step):
            return self.tr("text not used")
        if step.state is StepState.PENDING:
            return self.tr("not decided")
        if step.state is StepState.APPROVED and approved_in_part(step) and step.decision is not None:
            left_out = sum(choice is False for choice in step.decision.choices.values())
            part = self.tr("{chosen} of {all} hunks")
            return say(part, chosen=len(step.hunks) - left_out, all=len(step.hunks))
        if step.state in (StepState.STALE, StepState.INVALID):
            return "–"
        return self.look(step).word

    def warning_words(self, step: Step) -> str:
        """The gravest thing to look out for, one line."""
        if step.state is StepState.INVALID:
            return show_name(step.problems[0].message) if step.problems else ""
        if step.state is StepState.STALE:
            return self.tr("changed on disk since it was proposed")
        facts = warnings_of(step)
        return fact_title(facts[0])[0] if facts else ""


class _Delegate(QStyledItemDelegate):
    """Paints a cell; the hairline below belongs to the row."""

    def __init__(self, view: PlanTable) -> None:
        super().__init__(view)
        self._view = view

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(px(60), px(_ROW))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        step: Step | None = index.data(_STEP_ROLE)
        if step is None:
            return
        painter.save()
        cell: QRect = option.rect
        current = index.row() == self._view.currentIndex().row() and self._view.hasFocus()
        if current:
            painter.fillRect(cell, color("select"))
        elif row_look(option, focused=False).background == "hover":
            painter.fillRect(cell, color("hover"))
        painter.fillRect(cell.left(), cell.bottom(), cell.width(), 1, color("border"))
        row = RowPainter(painter, cell, left=px(8), right=px(8))
        self._paint_cell(row, step, index.column())
        painter.restore()

    def _paint_cell(self, row: RowPainter, step: Step, column: int) -> None:
        model = self._view.table
        quiet = model.is_quiet(step)
        if column == STEP:
            look = model.look(step)
            folder, name = words.split_path(show_name(step.target))
            row.icon(look.icon, look.token, gap=14)
            font = ui_font(13, 600 if model.is_bold(step) else 400)
            row.text(name, "muted" if quiet else "text", font, elide=Qt.TextElideMode.ElideMiddle)
            row.text(folder.rstrip("/"), "muted", ui_font(SECOND), elide=Qt.TextElideMode.ElideMiddle)
        elif column == WHAT:
            row.text(operation_word(step))
        elif column == LINES:
            if step.added or step.removed:
                row.counts(step.added, step.removed)
            else:
                row.text(NO_LINES, "muted", ui_font(SECOND))
        elif column == DECISION:
            if model.keeps_text(step):
                row.icon("edit", "warn")
            decided = step.state not in (StepState.PENDING, StepState.STALE) and not quiet
            row.text(model.decision_words(step), "text" if decided else "muted", ui_font(SECOND))
        elif said := model.warning_words(step):
            icon, token = self._warning_sign(step)
            row.icon(icon, token)
            row.text(said, "text", ui_font(SECOND))

    def _warning_sign(self, step: Step) -> tuple[str, str]:
        if step.state is StepState.INVALID:
            return "refused", "bad"
        danger = any(fact.severity.value == "danger" for fact in warnings_of(step))
        return ("danger", "bad") if danger else ("look-out", "warn")


class PlanTable(RowList):
    """Choosing a row with Enter or a click goes to that step."""

    chosen = Signal(int)
    """The number of the step to show."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("content", parent)
        self.setObjectName("plan-table")
        self.setAccessibleName(self.tr("Steps of the plan"))
        self.table = PlanTableModel(self)
        self.setModel(self.table)
        self.setItemDelegate(_Delegate(self))
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        header = TableHeader(self, _NAMES_FROM)
        self.setHeader(header)
        header.setFixedHeight(px(24))
        header.setSectionsMovable(False)
        header.setHighlightSections(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        header.setStretchLastSection(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)
        self.table.modelReset.connect(self.updateGeometry)
        for signal in (self.table.modelReset, self.table.dataChanged):
            signal.connect(self._share_width)
        self._share_width()
        self.clicked.connect(self._choose)

    def sizeHint(self) -> QSize:
        """High enough to show every row."""
        return QSize(px(600), px(24) + px(_ROW) * self.table.rowCount() + 2)

    def minimumSizeHint(self) -> QSize:
        return QSize(px(200), px(24) + px(_ROW) * min(4, self.table.rowCount()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share_width()

    def _share_width(self) -> None:
        """What to look out for is never cut while another column has more than it needs."""
        left = sum(map(px, _WIDTHS)) + self._warning_width() - self.viewport().width()
        for column, (usual, least) in enumerate(zip(_WIDTHS, _LEAST_WIDTHS, strict=True)):
            given = min(max(0, left), px(usual) - px(least))
            self.header().resizeSection(column, px(usual) - given)
            left -= given

    def _warning_width(self) -> int:
        """The width at which nothing of the last column is cut."""
        heading = self.table.headerData(WARNINGS, Qt.Orientation.Horizontal)
        metrics = QFontMetrics(ui_font(SECOND))
        said = {self.table.warning_words(step) for step in self.table.steps}
        longest = max(map(metrics.horizontalAdvance, said), default=0) + px(_SIGN_WIDTH)
        return max(longest, metrics.horizontalAdvance(heading or "")) + px(8) * 2 + 2

    def keyboardSearch(self, search: str) -> None:
        """Letters belong to the actions; they never search here."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if not event.isAutoRepeat():
                self._choose(self.currentIndex())
            return
        super().keyPressEvent(event)

    def _choose(self, index: Index) -> None:
        step = self.table.step(index.row())
        if step is not None:
            self.chosen.emit(step.number)
