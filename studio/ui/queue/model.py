"""Item model of the queue: plans, and the steps of each.

Generated files without a warning are beneath one row at the end of their plan, unless it has no others.
Rows are appended and replaced, never re-sorted automatically: an update changes what a row shows, not its
position, so that selection, folding and scrolling are preserved.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from enum import IntEnum
from itertools import count
from typing import Any

from msgspec import Struct, field
from PySide6.QtCore import (
    QAbstractItemModel,
    QCoreApplication,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)

from studio.engine import Plan, Step
from studio.names import show_name
from studio.ui.limits import NAMED_STEPS_UP_TO
from studio.ui.look.states import (
    decided_steps,
    has_warnings,
    is_collapsed,
    is_over,
    operation_word,
    plan_style,
    step_style,
)
from studio.ui.look.words import counted, plain_tip, say
from studio.ui.queue.arrangement import Arrangement, by_session
from studio.ui.review.queue_state import ItemRef
from studio.ui.review.viewed import ViewedMark, viewed_mark

Index = QModelIndex | QPersistentModelIndex
Viewed = frozenset[ViewedMark]
TOP = QModelIndex()
"""Parent index of the plan rows."""
_SINGLE_CHANGES = 50


class Role(IntEnum):
    """Item roles besides the standard ones."""

    PLAN = Qt.ItemDataRole.UserRole
    STEP = Qt.ItemDataRole.UserRole + 1
    VIEWED = Qt.ItemDataRole.UserRole + 2
    LEFT = Qt.ItemDataRole.UserRole + 3
    FOLD = Qt.ItemDataRole.UserRole + 4
    """Whether a row is that of a plan's generated files."""


class _Row(Struct):
    """Row of a plan; `steps` are the positions in `plan.steps` shown.

    `folded` are those beneath the row of generated files, whose parent has `fold_key`. `left`: the plan no
    longer waits, and its row is kept only for now.
    """

    key: int
    fold_key: int
    plan: Plan
    left: bool = False
    steps: list[int] = field(default_factory=list)
    folded: list[int] = field(default_factory=list)


def is_plan(index: Index) -> bool:
    """Return whether a row is that of a plan."""
    return index.internalId() == 0


class QueueModel(QAbstractItemModel):
    """Plans in order of arrival, each with its steps as proposed."""

    appearance_changed = Signal()
    """Emitted when more rows changed than are worth signalling individually."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._keys = count(1)
        self._rows: list[_Row] = []
        self._plans: tuple[Plan, ...] = ()
        self._viewed: Viewed = frozenset()
        self._kept_texts: frozenset[tuple[str, int]] = frozenset()
        self._revised: frozenset[tuple[str, int]] = frozenset()
        self._guests: set[ItemRef] = set()
        self._waiting: frozenset[str] = frozenset()
        self._shared_titles: frozenset[str] = frozenset()
        self.unfolded: set[str] = set()
        """Ids of the plans whose row of generated files is open."""
        self.arrangement = Arrangement()

    def set_waiting(self, waiting: frozenset[str]) -> None:
        """Set the ids of plans for which a process waits."""
        if waiting != self._waiting:
            self._waiting = waiting
            self.appearance_changed.emit()

    def title_of(self, plan: Plan) -> str:
        """Return a plan's title, with its short id if it isn't unique."""
        title = show_name(plan.title)
        return f"{title} · {plan.short_id}" if plan.title in self._shared_titles else title

    def agent_words(self, plan: Plan) -> str:
        """Return the plan's agent, and whether it waits or went away."""
        agent = show_name(plan.agent) or QCoreApplication.translate("Queue", "you")
        if not plan.waits or not plan.state.is_active:
            return agent
        waits = QCoreApplication.translate("Queue", "{agent} waits")
        template = QCoreApplication.translate("Queue", "{agent}, caller gone")
        return say(waits if plan.id in self._waiting else template, agent=agent)

    # Interface of the panel

    @property
    def plans(self) -> tuple[Plan, ...]:
        """The plans that have a row, top to bottom."""
        return tuple(row.plan for row in self._rows)

    @property
    def undecided(self) -> int:
        """The number of undecided steps of open plans, including hidden ones."""
        return sum(len(plan.undecided) for plan in self._plans if plan.state.is_open)

    @property
    def waiting_plans(self) -> int:
        """The number of open plans, including hidden ones."""
        return sum(plan.state.is_open for plan in self._plans)

    @property
    def hidden(self) -> int:
        """The number of steps hidden by the filter."""
        shown = {row.plan.id: len(row.steps) + len(row.folded) for row in self._rows}
        return sum(len(plan.steps) - shown.get(plan.id, 0) for plan in self._plans)

    @property
    def agents(self) -> tuple[str, ...]:
        """The agents of all waiting plans, "" for the reviewer."""
        return tuple(sorted({plan.agent for plan in self._plans}, key=str.casefold))

    @property
    def step_order(self) -> tuple[tuple[str, int], ...]:
        """Plan id and number of every step that passes the filter.

        Generated files are among them where their row is open.
        """
        listed = (
            (row.plan.id, row.plan.steps[at].number)
            for row in self._rows
            for at in (*row.steps, *(row.folded if row.plan.id in self.unfolded else ()))
        )
        return tuple(key for key in listed if key not in self._guests)

    @property
    def folded_steps(self) -> tuple[tuple[str, int], ...]:
        """Plan id and number of the generated files in closed rows."""
        closed = (row for row in self._rows if row.plan.id not in self.unfolded)
        return tuple((row.plan.id, row.plan.steps[at].number) for row in closed for at in row.folded)

    def update(
        self,
        plans: Iterable[Plan],
        viewed: Viewed,
        *,
        keep: Collection[str] = (),
        kept_texts: frozenset[tuple[str, int]] = frozenset(),
        revised: frozenset[tuple[str, int]] = frozenset(),
        holds_still: bool = False,
    ) -> tuple[str, ...]:
        """Update the waiting plans; return the ids of plans with new rows.

        A new plan is added below those of its session, or at the end if there are none, or if rows must not
        move because one is under the pointer.

        `keep` names plans whose rows stay although they no longer wait, as they are under the pointer.
        `kept_texts` are plan id and number of steps with an unused draft, `revised` of those that their agent
        revised after they were seen.
        """
        latest = {plan.id: plan for plan in plans}
        before = {plan.id for plan in self._plans}
        previous = (latest[plan.id] for plan in self._plans if plan.id in latest)
        arrived = (plan for plan in latest.values() if plan.id not in before)
        self._plans = (*previous, *arrived) if holds_still else by_session((*previous, *arrived))
        titles = Counter(plan.title for plan in self._plans)
        shared = frozenset(title for title, count in titles.items() if count > 1)
        if shared != self._shared_titles:
            self._shared_titles = shared
            self.appearance_changed.emit()
        marked = frozenset((mark[0], mark[1]) for mark in viewed ^ self._viewed)
        marked |= (kept_texts ^ self._kept_texts) | (revised ^ self._revised)
        self._viewed, self._kept_texts, self._revised = viewed, kept_texts, revised
        self._drop(lambda plan: plan.id not in latest and plan.id not in keep)
        for position, row in enumerate(self._rows):
            left = row.plan.id not in latest
            if left != row.left:
                row.left = left
                self.dataChanged.emit(self.index(position, 0), self.index(position, 0))
            self._replace(position, latest.get(row.plan.id, row.plan), marked)
        shown = {row.plan.id for row in self._rows}
        new = [plan for plan in self._plans if plan.id not in shown and plan.id not in before]
        for plan in new:
            self._insert(plan)
        return tuple(plan.id for plan in new)

    def arrange(self, arrangement: Arrangement) -> None:
        """Filter and sort once; later updates neither move nor hide rows."""
        self.beginResetModel()
        if arrangement.order is not self.arrangement.order:
            self._plans = arrangement.sorted_plans(self._plans)
        self.arrangement = arrangement
        self._guests.clear()
        self._rows = [row for row in map(self._row, self._plans) if self._is_listed(row)]
        self.endResetModel()

    def list_step(self, plan_id: str, step: int | None) -> bool:
        """List a plan or step that the filter hides.

        It is the current one, on which keys act. Returns whether it was not listed.
        """
        plan = next((plan for plan in self._plans if plan.id == plan_id), None)
        if plan is None or self.index_of(plan_id, step).isValid():
            return False
        position = self._insert_position(plan)
        if not self.index_of(plan_id).isValid():
            self.beginInsertRows(QModelIndex(), position, position)
            self._rows.insert(position, _Row(next(self._keys), next(self._keys), plan))
            self.endInsertRows()
            self._guests.add((plan_id, None))
        if step is not None:
            row = self._rows[position]
            at = self.arrangement.sorted_steps(plan, [*row.steps, step - 1]).index(step - 1)
            self.beginInsertRows(self.index(position, 0), at, at)
            row.steps.insert(at, step - 1)
            self.endInsertRows()
            self._guests.add((plan_id, step))
        return True

    def unlist_steps(self, keep: ItemRef) -> bool:
        """Remove all rows listed despite the filter but one.

        Returns whether any row was removed.
        """
        before = len(self._guests)
        for plan_id, step in [guest for guest in self._guests if guest[1] is not None and guest != keep]:
            index = self.index_of(plan_id, step)
            if index.isValid():
                self.beginRemoveRows(index.parent(), index.row(), index.row())
                del self._rows[index.parent().row()].steps[index.row()]
                self.endRemoveRows()
            self._guests.discard((plan_id, step))
        empty = {row.plan.id for row in self._rows if not self._is_filled(row) and row.plan.id != keep[0]}
        removed = {plan_id for plan_id, step in self._guests if step is None and plan_id in empty}
        self._drop(lambda plan: plan.id in removed)
        self._guests -= {(plan_id, None) for plan_id in removed}
        return len(self._guests) < before

    def is_guest(self, plan: Plan, step: Step | None) -> bool:
        """Return whether a row is listed although the filter hides it."""
        return (plan.id, step.number if step is not None else None) in self._guests

    def index_of(self, plan_id: str, step: int | None = None) -> QModelIndex:
        """Return the row of a plan or step (from 1), else invalid."""
        for position, row in enumerate(self._rows):
            if row.plan.id == plan_id:
                if step is None:
                    return self.index(position, 0)
                if step - 1 in row.steps:
                    return self.index(row.steps.index(step - 1), 0, self.index(position, 0))
                if step - 1 in row.folded:
                    return self.index(row.folded.index(step - 1), 0, self.fold_of(plan_id))
        return QModelIndex()

    def fold_of(self, plan_id: str) -> QModelIndex:
        """Return the row of a plan's generated files, else invalid."""
        for position, row in enumerate(self._rows):
            if row.plan.id == plan_id and row.folded:
                return self.index(len(row.steps), 0, self.index(position, 0))
        return QModelIndex()

    def _is_fold(self, index: Index) -> bool:
        return any(
            row.key == index.internalId() and row.folded and index.row() == len(row.steps)
            for row in self._rows
        )

    def at(self, index: Index) -> tuple[Plan, Step | None]:
        """Return the plan and step of a row.

        The step is None in the row of a plan or of its generated files. Raises KeyError for a step's row
        whose plan is gone.
        """
        if is_plan(index):
            return self._rows[index.row()].plan, None
        row = self._row_of_step(index)
        steps = row.steps if row.key == index.internalId() else row.folded
        return row.plan, row.plan.steps[steps[index.row()]] if index.row() < len(steps) else None

    def folded_in(self, plan: Plan) -> list[Step]:
        """Return the plan's generated files that have one row together."""
        return [plan.steps[at] for row in self._rows if row.plan.id == plan.id for at in row.folded]

    def is_last_step(self, index: Index) -> bool:
        """Return whether a row is the last step of its plan."""
        row = self._row_of_step(index)
        if row.key == index.internalId():
            return not row.folded and index.row() == len(row.steps) - 1
        return index.row() == len(row.folded) - 1

    def follows_its_session(self, index: Index) -> bool:
        """Return whether the plan above in the list has the same session."""
        if not is_plan(index) or index.row() == 0:
            return False
        session = self._rows[index.row()].plan.session
        return session is not None and session == self._rows[index.row() - 1].plan.session

    def session_size(self, plan: Plan) -> int:
        """Return the number of listed plans in a plan's session."""
        if plan.session is None:
            return 1
        return sum(row.plan.session == plan.session for row in self._rows)

    def is_viewed(self, plan: Plan, step: Step) -> bool:
        """Return whether a step is marked as viewed."""
        return viewed_mark(plan, step) in self._viewed

    def has_draft(self, plan: Plan, step: Step) -> bool:
        """Return whether a step has an unused draft of its result."""
        return (plan.id, step.number) in self._kept_texts

    def is_revised(self, plan: Plan, step: Step) -> bool:
        """Return whether its agent revised a step after it was seen."""
        return (plan.id, step.number) in self._revised

    # Qt's model interface

    def index(self, row: int, column: int, parent: Index = TOP) -> QModelIndex:
        # Not by hasIndex, which makes two more calls: a view requests every row at each layout.
        count = self.rowCount(parent) if parent.isValid() else len(self._rows)
        if column != 0 or not 0 <= row < count:
            return QModelIndex()
        if parent.isValid() and not is_plan(parent):
            return self.createIndex(row, column, self._row_of_step(parent).fold_key)
        return self.createIndex(row, column, self._rows[parent.row()].key if parent.isValid() else 0)

    def parent(self, child: Index = TOP) -> Any:
        key = child.internalId()  # not by is_plan: a view asks for every row's at each layout
        if not child.isValid() or key == 0:
            return QModelIndex()
        for position, row in enumerate(self._rows):
            if row.key == key:
                return self.createIndex(position, 0, 0)
            if row.fold_key == key:
                return self.createIndex(len(row.steps), 0, row.key)
        return QModelIndex()

    def rowCount(self, parent: Index = TOP) -> int:
        if not parent.isValid():
            return len(self._rows)
        key = parent.internalId()
        if key == 0 and parent.column() == 0:
            row = self._rows[parent.row()]
            return len(row.steps) + bool(row.folded)
        return next((len(row.folded) for row in self._rows if row.key == key and self._is_fold(parent)), 0)

    def hasChildren(self, parent: Index = TOP) -> bool:
        # Qt's own version would request both counts for every row at each layout.
        return self.rowCount(parent) > 0

    def columnCount(self, parent: Index = TOP) -> int:
        return 0 if parent.column() > 0 else 1

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        plan, step = self.at(index)
        match role:
            case Role.PLAN:
                return plan
            case Role.STEP:
                return step
            case Role.VIEWED:
                return step is None or self.is_viewed(plan, step)
            case Role.LEFT:
                return is_plan(index) and self._rows[index.row()].left
            case Role.FOLD:
                return step is None and not is_plan(index)
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.AccessibleTextRole if self._is_fold(index):
                return counted(
                    len(self.folded_in(plan)),
                    QCoreApplication.translate("Queue", "{n} generated file"),
                    QCoreApplication.translate("Queue", "{n} generated files"),
                )
            case Qt.ItemDataRole.ToolTipRole if self._is_fold(index):
                names = ", ".join(show_name(each.target) for each in self.folded_in(plan)[:NAMED_STEPS_UP_TO])
                return plain_tip(names, wraps=True)
            case Qt.ItemDataRole.DisplayRole:
                return self.title_of(plan) if step is None else show_name(step.target.rpartition("/")[2])
            case Qt.ItemDataRole.ToolTipRole:
                return self._tip(plan, step)
            case Qt.ItemDataRole.AccessibleTextRole:
                return self._accessible_plan(plan) if step is None else self._accessible_step(plan, step)
            case _:
                return None

    # Internals

    def _row(self, plan: Plan) -> _Row:
        positions: Sequence[int] = range(len(plan.steps))
        if self.arrangement.hides:
            positions = [number for number in positions if self._passes(plan, plan.steps[number])]
        ordered = self.arrangement.sorted_steps(plan, positions)
        steps = [number for number in ordered if not is_collapsed(plan.steps[number])]
        folded = [number for number in ordered if is_collapsed(plan.steps[number])] if steps else []
        steps = steps or ordered
        return _Row(next(self._keys), next(self._keys), plan, steps=steps, folded=folded)

    def _passes(self, plan: Plan, step: Step) -> bool:
        return self.arrangement.passes(plan, step, viewed=self.is_viewed(plan, step))

    def _is_listed(self, row: _Row) -> bool:
        return self._is_filled(row) or not self.arrangement.hides

    def _is_filled(self, row: _Row) -> bool:
        return bool(row.steps or row.folded)

    def _insert_position(self, plan: Plan) -> int:
        """Return the position of the plan's row among the listed ones."""
        before = {earlier.id for earlier in self._plans[: self._plans.index(plan)]}
        return max((at + 1 for at, row in enumerate(self._rows) if row.plan.id in before), default=0)

    def _row_of_step(self, index: Index) -> _Row:
        key = index.internalId()
        for row in self._rows:
            if key in (row.key, row.fold_key):
                return row
        raise KeyError(key)

    def _drop(self, leaves: Callable[[Plan], bool]) -> None:
        for position in range(len(self._rows) - 1, -1, -1):
            if leaves(self._rows[position].plan):
                self.beginRemoveRows(QModelIndex(), position, position)
                del self._rows[position]
                self.endRemoveRows()

    def _insert(self, plan: Plan) -> None:
        row = self._row(plan)
        if self._is_listed(row):
            position = self._insert_position(plan)
            self.beginInsertRows(QModelIndex(), position, position)
            self._rows.insert(position, row)
            self.endInsertRows()

    def _replace(self, position: int, plan: Plan, marked: frozenset[tuple[str, int]]) -> None:
        """Replace a plan's row by a new version.

        `marked` are plan id and number of the steps whose viewed mark or draft was added or removed.
        """
        row = self._rows[position]
        old = row.plan
        if old == plan and all(plan_id != plan.id for plan_id, _ in marked):
            return
        top = self.index(position, 0)
        if len(plan.steps) < len(old.steps):
            # A plan never loses steps; if the store returns fewer, its rows are rebuilt.
            if self._is_filled(row):
                self.beginRemoveRows(top, 0, self.rowCount(top) - 1)
                row.steps.clear()
                row.folded.clear()
                self.endRemoveRows()
            old_count = 0
        else:
            old_count = len(old.steps)
        row.plan = plan
        self.dataChanged.emit(top, top)
        changed: list[int] = []
        for step in (*row.steps, *row.folded):
            new, before = plan.steps[step], old.steps[step]
            if (new is not before and new != before) or (plan.id, new.number) in marked:
                changed.append(step)
        warned = [step for step in row.folded if not is_collapsed(plan.steps[step])]
        for step in warned:
            self._unfold_step(top, step)
        self._emit_changed(plan, changed)
        added = [
            number for number in range(old_count, len(plan.steps)) if self._passes(plan, plan.steps[number])
        ]
        self._append(top, added + warned)
        if (fold := self.fold_of(plan.id)).isValid():
            self.dataChanged.emit(fold, fold)

    def _unfold_step(self, top: QModelIndex, step: int) -> None:
        """Remove a step from the generated files: it has a warning."""
        row = self._rows[top.row()]
        parent, at = self.fold_of(row.plan.id), row.folded.index(step)
        if len(row.folded) == 1:
            parent, at = top, len(row.steps)
        self.beginRemoveRows(parent, at, at)
        row.folded.remove(step)
        self.endRemoveRows()

    def _append(self, top: QModelIndex, added: list[int]) -> None:
        """Append steps above the generated files, or to these."""
        row = self._rows[top.row()]
        folded = [step for step in added if is_collapsed(row.plan.steps[step])] if row.steps else []
        steps = [step for step in added if not folded or not is_collapsed(row.plan.steps[step])]
        if steps:
            self.beginInsertRows(top, len(row.steps), len(row.steps) + len(steps) - 1)
            row.steps.extend(steps)
            self.endInsertRows()
        if folded and not row.folded:
            self.beginInsertRows(top, len(row.steps), len(row.steps))
            row.folded.extend(folded)
            self.endInsertRows()
        elif folded:
            self.beginInsertRows(
                self.fold_of(row.plan.id), len(row.folded), len(row.folded) + len(folded) - 1
            )
            row.folded.extend(folded)
            self.endInsertRows()

    def _emit_changed(self, plan: Plan, steps: list[int]) -> None:
        """Signal changed rows, or if there are very many `appearance_changed`."""
        if len(steps) > _SINGLE_CHANGES:
            self.appearance_changed.emit()
            return
        for step in steps:
            if (index := self.index_of(plan.id, step + 1)).isValid():
                self.dataChanged.emit(index, index)

    def _tip(self, plan: Plan, step: Step | None) -> str:
        """Return the full text of a row, and why it is listed."""
        tips = [self.title_of(plan) if step is None else show_name(step.target)]
        if self.is_guest(plan, step):
            tips.append(self._why_listed())
        if step is not None and self.has_draft(plan, step):
            tips.append(QCoreApplication.translate("Queue", "You began a text for this; it is not used."))
        if step is not None and self.is_revised(plan, step):
            tips.append(QCoreApplication.translate("Queue", "Revised after you viewed it."))
        return plain_tip(" · ".join(tips), wraps=True)

    def _why_listed(self) -> str:
        return QCoreApplication.translate(
            "Queue", "The filter does not show this. It is listed because it stands on screen."
        )

    def _accessible_plan(self, plan: Plan) -> str:
        agent = self.agent_words(plan)
        if not plan.state.is_open:
            return f"{self.title_of(plan)}, {agent}, {plan_style(plan).word}"
        template = QCoreApplication.translate("Queue", "{title}, {agent}, {decided} of {steps} decided")
        sentence = say(
            template,
            title=self.title_of(plan),
            agent=agent,
            decided=decided_steps(plan),
            steps=len(plan.valid_steps),
        )
        together = self.session_size(plan)
        if together > 1:
            of = QCoreApplication.translate("Queue", "one of {n} plans of its session")
            sentence += f", {say(of, n=together)}"
        return sentence

    def _accessible_step(self, plan: Plan, step: Step) -> str:
        parts = [
            show_name(step.target),
            operation_word(step),
            step_style(plan, step).word,
            say(
                QCoreApplication.translate("Queue", "{added} added, {removed} removed"),
                added=step.added,
                removed=step.removed,
            ),
        ]
        if has_warnings(step):
            parts.append(QCoreApplication.translate("Queue", "look out"))
        if self.has_draft(plan, step):
            parts.append(QCoreApplication.translate("Queue", "text not used"))
        if self.is_revised(plan, step):
            parts.append(QCoreApplication.translate("Queue", "revised"))
        if self.is_guest(plan, step):
            parts.append(QCoreApplication.translate("Queue", "not what the filter shows"))
        if not self.is_viewed(plan, step) and not is_over(plan, step):
            parts.append(QCoreApplication.translate("Queue", "not viewed"))
        return ", ".join(parts)
