"""Model of a plan's table: folders and steps with their decisions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from studio.engine import Plan, Step, StepState
from studio.names import show_name
from studio.ui.facts.facts_view import fact_title
from studio.ui.look import words
from studio.ui.look.states import (
    NO_LINES,
    StateStyle,
    approved_in_part,
    is_over,
    operation_word,
    step_style,
    warnings_of,
)
from studio.ui.look.words import say
from studio.ui.plan.rows import (
    Column,
    FolderRow,
    PlanArrangement,
    PlanRow,
    StepRow,
    folders_of,
    place_of,
    rows_of,
    steps_listed,
)

if TYPE_CHECKING:
    from studio.ui.review.ticked import TickedSteps

Index = QModelIndex | QPersistentModelIndex

ROW = Qt.ItemDataRole.UserRole
_TOP = QModelIndex()


class PlanTableModel(QAbstractTableModel):
    """Rows of one plan; unchanged rows are updated in place."""

    arrangement_changed = Signal()
    """Emitted when filter, order or folding changed."""

    def __init__(self, ticked: TickedSteps, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._ticked = ticked
        self._plan: Plan | None = None
        self._rows: tuple[PlanRow, ...] = ()
        self._steps: tuple[Step, ...] = ()
        self._numbers: frozenset[int] = frozenset()
        """Numbers of the ticked steps."""
        self._not_viewed: frozenset[int] = frozenset()
        self._kept_texts: frozenset[int] = frozenset()
        self._revised: frozenset[int] = frozenset()
        self.arrangement = PlanArrangement()
        ticked.changed.connect(self._update_ticks)

    def show_plan(
        self,
        plan: Plan,
        not_viewed: frozenset[int],
        kept_texts: frozenset[int] = frozenset(),
        revised: frozenset[int] = frozenset(),
    ) -> None:
        """Show a plan; another plan resets filter, order and folding.

        `not_viewed` are the numbers of the steps that were not viewed yet, `kept_texts` of those with an
        unused draft, `revised` of those that their agent revised after they were seen.
        """
        is_other = self._plan is None or self._plan.id != plan.id
        self._plan, self._not_viewed, self._kept_texts = plan, not_viewed, kept_texts
        self._revised = revised
        if is_other:
            self.arrangement = PlanArrangement(groups=self.arrangement.groups)
            self.arrangement_changed.emit()
        self._lay_out()

    def arrange(self, wish: PlanArrangement) -> None:
        """Apply another filter, order or folding."""
        if wish != self.arrangement:
            self.arrangement = wish
            self._lay_out()
            self.arrangement_changed.emit()

    def fold(self, folder: str, folded: bool) -> None:
        """Hide or show the rows of a folder."""
        others = self.arrangement.folded - {folder}
        self.arrange(replace(self.arrangement, folded=others | {folder} if folded else others))

    def fold_all(self) -> None:
        """Fold every folder, or unfold all if every one is folded."""
        every = folders_of(self._plan) if self._plan is not None else frozenset[str]()
        self.arrange(
            replace(self.arrangement, folded=frozenset() if every <= self.arrangement.folded else every)
        )

    def sort_by(self, column: Column) -> None:
        """Sort by a column, reversed if it is the current one."""
        descending = column is self.arrangement.column and not self.arrangement.descending
        self.arrange(replace(self.arrangement, column=column, descending=descending))

    @property
    def plan(self) -> Plan | None:
        return self._plan

    @property
    def rows(self) -> tuple[PlanRow, ...]:
        return self._rows

    @property
    def listed(self) -> tuple[Step, ...]:
        """The steps that pass the filter, including those in folded folders."""
        return self._steps

    @property
    def is_filtered(self) -> bool:
        """Whether a filter hides steps."""
        return self._plan is not None and len(self._steps) < len(self._plan.steps)

    def row(self, index: Index) -> PlanRow | None:
        return self._rows[index.row()] if 0 <= index.row() < len(self._rows) else None

    def index_of(self, key: str) -> QModelIndex:
        """Return the first cell of the row with a key.

        Keys are a step's number, or a folder's path with a slash.
        """
        return self.index(place_of(self._rows, key), Column.STEP)

    def steps_of(self, row: PlanRow) -> tuple[Step, ...]:
        """Return the steps of a row."""
        return (row.step,) if isinstance(row, StepRow) else row.steps

    def check_state(self, row: PlanRow) -> Qt.CheckState | None:
        """Return the state of a row's check box, None without one.

        There is none where nothing can be decided about the row's steps.
        """
        plan = self._plan
        possible = [
            step.number for step in self.steps_of(row)
            if plan is not None and self._ticked.can_be_ticked(plan, step)
        ]  # fmt: skip
        if not possible:
            return None
        ticked = len(self._numbers.intersection(possible))
        if ticked == len(possible):
            return Qt.CheckState.Checked
        return Qt.CheckState.PartiallyChecked if ticked else Qt.CheckState.Unchecked

    def toggle(self, row: PlanRow) -> None:
        """Tick the steps of a row, or untick them if all are."""
        numbers = [step.number for step in self.steps_of(row)]
        self._ticked.tick(numbers, self.check_state(row) is not Qt.CheckState.Checked)

    def is_bold(self, step: Step) -> bool:
        """Return whether the step was not viewed yet and is still open."""
        return step.number in self._not_viewed and not self.is_quiet(step)

    def is_quiet(self, step: Step) -> bool:
        """Return whether the step can't be decided any more."""
        return step.state is StepState.INVALID or (self._plan is not None and is_over(self._plan, step))

    def style_of(self, step: Step) -> StateStyle:
        """Return the step's icon, colour token and word."""
        assert self._plan is not None
        return step_style(self._plan, step)

    def has_draft(self, step: Step) -> bool:
        return step.number in self._kept_texts

    # Qt's model interface

    def rowCount(self, parent: Index = _TOP) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = _TOP) -> int:
        return 0 if parent.isValid() else len(Column)

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
        row = self.row(index)
        if row is None:
            return None
        if role == ROW:
            return row
        column = Column(index.column())
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return self.words(row, column)
        if role == Qt.ItemDataRole.CheckStateRole and column is Column.STEP:
            return self.check_state(row)
        if role == Qt.ItemDataRole.ToolTipRole:
            return self._tip(row, column)
        return None

    # Texts of the cells

    def words(self, row: PlanRow, column: Column) -> str:
        if isinstance(row, FolderRow):
            return self._folder_words(row, column)
        step = row.step
        if column is Column.STEP:
            return f"{show_name(step.target)}, {self.style_of(step).word}"
        if column is Column.WHAT:
            return operation_word(step)
        if column is Column.LINES:
            return " ".join(words.change_counts(step.added, step.removed)) or NO_LINES
        return self.decision_words(step) if column is Column.DECISION else self.warning_words(step)

    def _folder_words(self, row: FolderRow, column: Column) -> str:
        if column is Column.STEP:
            how = self.tr("open") if row.is_open else self.tr("folded")
            return f"{show_name(row.path)}/, {how}"
        if column is Column.WHAT:
            return words.files(len(row.steps))
        if column is Column.LINES:
            return " ".join(words.change_counts(row.total.added, row.total.removed)) or NO_LINES
        if column is Column.DECISION:
            return say(self.tr("{n} of {all} decided"), n=row.total.decided, all=len(row.steps))
        return say(self.tr("{n} to look at"), n=row.total.warnings) if row.total.warnings else ""

    def decision_words(self, step: Step) -> str:
        """Return the decision so far, or the draft or revision before it."""
        if self._plan is not None and is_over(self._plan, step):
            return self.style_of(step).word
        if self.has_draft(step):
            return self.tr("text not used")
        if step.number in self._revised:
            return self.tr("revised")
        if step.state is StepState.PENDING:
            return self.tr("not decided")
        if step.state is StepState.APPROVED and approved_in_part(step) and step.decision is not None:
            excluded = sum(choice is False for choice in step.decision.choices.values())
            part = self.tr("{chosen} of {all} hunks")
            return say(part, chosen=len(step.hunks) - excluded, all=len(step.hunks))
        if step.state in (StepState.STALE, StepState.INVALID):
            return "–"
        return self.style_of(step).word

    def warning_words(self, step: Step) -> str:
        """Return the gravest warning in one line."""
        if step.state is StepState.INVALID:
            return show_name(step.problems[0].message) if step.problems else ""
        if step.state is StepState.STALE:
            return self.tr("changed on disk since it was proposed")
        facts = warnings_of(step)
        return fact_title(facts[0])[0] if facts else ""

    def _tip(self, row: PlanRow, column: Column) -> str:
        """Return the full text of a cell that may be elided."""
        if isinstance(row, FolderRow):
            text = show_name(row.path) + "/" if column is Column.STEP else self.words(row, column)
        else:
            text = show_name(row.step.target) if column is Column.STEP else self.words(row, column)
        return words.plain_tip(text, wraps=column is Column.WARNINGS)

    # Internals

    def _lay_out(self) -> None:
        if self._plan is None:
            return
        self._steps = steps_listed(self._plan, self.arrangement, self._not_viewed)
        rows = rows_of(self._plan, self._steps, self.arrangement)
        if [row.key for row in rows] == [row.key for row in self._rows]:
            self._rows = rows
            self._repaint()
            return
        self.beginResetModel()
        self._numbers = self._ticked.numbers
        self._rows = rows
        self.endResetModel()

    def _update_ticks(self) -> None:
        self._numbers = self._ticked.numbers
        self._emit_changed(Qt.ItemDataRole.CheckStateRole)

    def _repaint(self) -> None:
        self._numbers = self._ticked.numbers
        self._emit_changed()

    def _emit_changed(self, *roles: Qt.ItemDataRole) -> None:
        """Emit that all rows changed, in some roles or in all."""
        if self._rows:
            last = self.index(len(self._rows) - 1, Column.WARNINGS)
            self.dataChanged.emit(self.index(0, Column.STEP), last, list(roles))
