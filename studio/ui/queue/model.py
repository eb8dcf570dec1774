"""Item model of the queue: plans with their steps or folders.

A plan of many steps shows its folders. Generated files without a warning are beneath one row at the end of
their plan, unless it has no others. Rows are appended and replaced, never re-sorted automatically: an update
changes what a row shows, not its position, so that selection, folding and scrolling are preserved.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable
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
from studio.ui.limits import NAMED_STEPS_UP_TO, STEPS_WITHOUT_FOLDERS
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
from studio.ui.queue.arrangement import Arrangement, StepOrder, by_session
from studio.ui.queue.folders import GENERATED, Entry, entries_of, total_of
from studio.ui.review.queue_state import ItemRef
from studio.ui.review.ticked import can_be_ticked
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
    """The `Entry` of a row that folds steps, None for other rows."""


class _Row(Struct):
    """Row of a plan with those beneath it.

    `listed` are positions in `plan.steps`. `left`: the plan no longer waits, and its row is kept only for
    now.
    """

    key: int
    plan: Plan
    is_tree: bool = False
    left: bool = False
    listed: list[int] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)
    places: dict[str, int] = field(default_factory=dict)
    """Rows of the entries by their keys."""


def is_plan(index: Index) -> bool:
    """Return whether a row is that of a plan."""
    return index.internalId() == 0


def _runs(positions: Iterable[int]) -> list[tuple[int, int]]:
    """Return first and last of each run of successive positions."""
    runs: list[tuple[int, int]] = []
    for at in positions:
        first = runs.pop()[0] if runs and runs[-1][1] == at - 1 else at
        runs.append((first, at))
    return runs


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
        self._toggled: dict[str, set[str]] = {}
        """By plan id, the keys of closed folders, and of opened generated files."""
        self._ticked: frozenset[int] = frozenset()
        self._ticked_plan = ""
        self.arrangement = Arrangement()

    def set_ticks(self, plan_id: str, numbers: frozenset[int]) -> None:
        """Set the ticked steps, and the plan that has boxes, if any."""
        if (plan_id, numbers) != (self._ticked_plan, self._ticked):
            self._ticked_plan, self._ticked = plan_id, numbers
            self.appearance_changed.emit()

    def check_state(self, index: Index) -> Qt.CheckState | None:
        """Return the state of a row's check box, None without one.

        There is none where nothing can be decided, and for steps of small plans that are not current as a
        whole.
        """
        if is_plan(index):
            return None
        row = self._row_of_step(index)
        if not row.is_tree and row.plan.id != self._ticked_plan:
            return None
        steps = self.steps_at(index)
        possible = {step.number for step in steps if can_be_ticked(row.plan, step)}
        if not possible:
            return None
        ticked = len(possible & self._ticked) if row.plan.id == self._ticked_plan else 0
        if 0 < ticked < len(possible):
            return Qt.CheckState.PartiallyChecked
        return Qt.CheckState.Checked if ticked else Qt.CheckState.Unchecked

    def are_ticked(self, index: Index) -> bool:
        """Return whether all steps of a row that can be ticked are."""
        plan, _step = self.at(index)
        possible = {step.number for step in self.steps_at(index) if can_be_ticked(plan, step)}
        return plan.id == self._ticked_plan and bool(possible) and possible <= self._ticked

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
        if plan.state.is_active and plan.id in self._waiting:
            return say(QCoreApplication.translate("Queue", "{agent} is waiting"), agent=agent)
        if plan.state.is_active and plan.waits:
            return say(QCoreApplication.translate("Queue", "{agent}, disconnected"), agent=agent)
        return agent

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
        shown = {row.plan.id: len(row.listed) for row in self._rows}
        return sum(len(plan.steps) - shown.get(plan.id, 0) for plan in self._plans)

    @property
    def agents(self) -> tuple[str, ...]:
        """The agents of all waiting plans, "" for the reviewer."""
        return tuple(sorted({plan.agent for plan in self._plans}, key=str.casefold))

    @property
    def has_folders(self) -> bool:
        """Whether a plan is listed as its folders."""
        return any(row.is_tree for row in self._rows)

    @property
    def step_order(self) -> tuple[tuple[str, int], ...]:
        """Plan id and number of every listed step with a row."""
        return self._refs(lambda entry: not entry.is_folder)

    @property
    def folded_steps(self) -> tuple[tuple[str, int], ...]:
        """Plan id and number of the steps in closed folders."""
        return self._refs(lambda entry: entry.is_folder and not entry.is_open)

    def _refs(self, is_wanted: Callable[[Entry], bool]) -> tuple[tuple[str, int], ...]:
        listed = (
            (row.plan.id, row.plan.steps[at].number)
            for row in self._rows
            for entry in row.entries
            if is_wanted(entry)
            for at in entry.steps
        )
        return tuple(key for key in listed if key not in self._guests)

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
            if not holds_still and not row.is_tree and self._wants_tree(row.plan):
                row.is_tree = True
                self._lay_out(position)
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

    def toggle(self, index: Index) -> None:
        """Open or close the folder of a row."""
        position = self.parent(index).row()
        row, entry = self._rows[position], index.data(Role.FOLD)
        if entry is not None:
            self._toggled.setdefault(row.plan.id, set()).symmetric_difference_update({entry.key})
            self._lay_out(position)

    def toggle_all(self, plan_id: str) -> None:
        """Close every folder of a plan, or open all closed ones."""
        for position, row in enumerate(self._rows):
            if row.plan.id == plan_id and row.is_tree:
                every = entries_of(row.plan.steps, row.listed, (), is_tree=True)
                folders = {entry.key for entry in every if entry.is_folder} - {GENERATED}
                toggled = self._toggled.setdefault(plan_id, set())
                toggled ^= folders if folders <= toggled else folders - toggled
                self._lay_out(position)

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
            self._rows.insert(position, _Row(next(self._keys), plan, self._wants_tree(plan)))
            self.endInsertRows()
            self._guests.add((plan_id, None))
        if step is not None:
            position = self.index_of(plan_id).row()
            row = self._rows[position]
            if step - 1 not in row.listed:
                ordered = self.arrangement.sorted_steps(plan, [*row.listed, step - 1])
                row.listed.insert(ordered.index(step - 1), step - 1)
                self._guests.add((plan_id, step))
            self._reveal(position, step - 1)
        return True

    def unlist_steps(self, keep: ItemRef) -> bool:
        """Remove all rows listed despite the filter but one.

        Returns whether any row was removed.
        """
        before = len(self._guests)
        for plan_id, step in [guest for guest in self._guests if guest[1] is not None and guest != keep]:
            if step is not None and (index := self.index_of(plan_id)).isValid():
                self._rows[index.row()].listed.remove(step - 1)
                self._lay_out(index.row())
            self._guests.discard((plan_id, step))
        empty = {row.plan.id for row in self._rows if not row.listed and row.plan.id != keep[0]}
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
                at = 0 if step is None else row.places.get(str(step), -1)
                top = self.index(position, 0)
                return top if step is None else self.index(at, 0, top)
        return QModelIndex()

    def fold_of(self, plan_id: str, key: str = GENERATED) -> QModelIndex:
        """Return the row of a plan's folder or generated files, else invalid."""
        for position, row in enumerate(self._rows):
            if row.plan.id == plan_id:
                return self.index(row.places.get(key, -1), 0, self.index(position, 0))
        return QModelIndex()

    def at(self, index: Index) -> tuple[Plan, Step | None]:
        """Return the plan and step of a row.

        The step is None in the row of a plan or folder. Raises KeyError for a step's row whose plan is gone.
        """
        if is_plan(index):
            return self._rows[index.row()].plan, None
        row = self._row_of_step(index)
        entry = row.entries[index.row()]
        return row.plan, None if entry.is_folder else row.plan.steps[entry.steps[0]]

    def entry_at(self, index: Index) -> Entry | None:
        """Return the entry of a row, None for a plan."""
        return None if is_plan(index) else self._row_of_step(index).entries[index.row()]

    def steps_at(self, index: Index) -> list[Step]:
        """Return the listed steps of a row, of a plan's all."""
        plan, _step = self.at(index)
        entry = self.entry_at(index)
        listed = self._rows[index.row()].listed if entry is None else entry.steps
        return [plan.steps[at] for at in listed]

    def is_last_step(self, index: Index) -> bool:
        """Return whether a row is the last one of its plan."""
        return index.row() == len(self._row_of_step(index).entries) - 1

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
        return self.createIndex(row, column, self._rows[parent.row()].key if parent.isValid() else 0)

    def parent(self, child: Index = TOP) -> Any:
        key = child.internalId()  # not by is_plan: a view asks for every row's at each layout
        if not child.isValid() or key == 0:
            return QModelIndex()
        for position, row in enumerate(self._rows):
            if row.key == key:
                return self.createIndex(position, 0, 0)
        return QModelIndex()

    def rowCount(self, parent: Index = TOP) -> int:
        if not parent.isValid():
            return len(self._rows)
        is_top = parent.internalId() == 0 and parent.column() == 0
        return len(self._rows[parent.row()].entries) if is_top else 0

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
                entry = self.entry_at(index)
                return entry if entry is not None and entry.is_folder else None
            case Qt.ItemDataRole.CheckStateRole:
                return self.check_state(index)
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.ToolTipRole if step is None and not is_plan(
                index
            ):
                return self._folder_text(index, is_tip=role == Qt.ItemDataRole.ToolTipRole)
            case Qt.ItemDataRole.AccessibleTextRole if step is None and not is_plan(index):
                return self._accessible_folder(index)
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
        positions = range(len(plan.steps))
        passing = [at for at in positions if self._passes(plan, plan.steps[at])]
        row = _Row(next(self._keys), plan, self._wants_tree(plan))
        row.listed = self.arrangement.sorted_steps(plan, passing)
        self._set_entries(row, self._entries(row))
        return row

    def is_tree(self, plan: Plan) -> bool:
        """Return whether a plan is listed as its folders."""
        return any(row.is_tree for row in self._rows if row.plan.id == plan.id)

    def _wants_tree(self, plan: Plan) -> bool:
        by_path = self.arrangement.step_order in (StepOrder.AS_PROPOSED, StepOrder.BY_PATH)
        return by_path and len(plan.steps) > STEPS_WITHOUT_FOLDERS

    def _entries(self, row: _Row) -> list[Entry]:
        toggled = self._toggled.get(row.plan.id, ())
        return entries_of(row.plan.steps, row.listed, toggled, is_tree=row.is_tree)

    def _set_entries(self, row: _Row, entries: list[Entry]) -> None:
        row.entries, row.places = entries, {entry.key: at for at, entry in enumerate(entries)}

    def _lay_out(self, position: int) -> None:
        """Insert and remove the rows that changed beneath a plan."""
        row, top = self._rows[position], self.index(position, 0)
        new = self._entries(row)
        keys, before = [entry.key for entry in new], [entry.key for entry in row.entries]
        kept = set(before).intersection(keys)
        if [key for key in before if key in kept] != [key for key in keys if key in kept]:
            kept.clear()
        for first, last in reversed(_runs(at for at, key in enumerate(before) if key not in kept)):
            self.beginRemoveRows(top, first, last)
            self._set_entries(row, row.entries[:first] + row.entries[last + 1 :])
            self.endRemoveRows()
        for first, last in _runs(at for at, key in enumerate(keys) if key not in kept):
            self.beginInsertRows(top, first, last)
            self._set_entries(row, row.entries[:first] + new[first : last + 1] + row.entries[first:])
            self.endInsertRows()
        self._set_entries(row, new)
        self.appearance_changed.emit()

    def _reveal(self, position: int, at: int) -> None:
        """Open the folders above a listed step."""
        row = self._rows[position]
        self._set_entries(row, row.entries)
        toggled = self._toggled.setdefault(row.plan.id, set())
        for _level in range(row.plan.steps[at].target.count("/") + 2):
            self._lay_out(position)
            closed = (each for each in row.entries if each.is_folder and not each.is_open)
            folder = next((each for each in closed if at in each.steps), None)
            if folder is None:
                return
            toggled ^= {folder.key}

    def _passes(self, plan: Plan, step: Step) -> bool:
        return self.arrangement.passes(plan, step, viewed=self.is_viewed(plan, step))

    def _is_listed(self, row: _Row) -> bool:
        return bool(row.listed) or not self.arrangement.hides

    def _insert_position(self, plan: Plan) -> int:
        """Return the position of the plan's row among the listed ones."""
        before = {earlier.id for earlier in self._plans[: self._plans.index(plan)]}
        return max((at + 1 for at, row in enumerate(self._rows) if row.plan.id in before), default=0)

    def _row_of_step(self, index: Index) -> _Row:
        key = index.internalId()
        for row in self._rows:
            if row.key == key:
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
        # A plan never loses steps; if the store returns fewer, its rows are rebuilt.
        old_count = len(old.steps) if len(plan.steps) >= len(old.steps) else 0
        if not old_count and row.entries:
            self.beginRemoveRows(top, 0, len(row.entries) - 1)
            row.listed.clear()
            self._set_entries(row, [])
            self.endRemoveRows()
        row.plan = plan
        self.dataChanged.emit(top, top)
        changed = [
            at for at in row.listed
            if (plan.steps[at] is not old.steps[at] and plan.steps[at] != old.steps[at])
            or (plan.id, plan.steps[at].number) in marked
        ]  # fmt: skip
        added = [at for at in range(old_count, len(plan.steps)) if self._passes(plan, plan.steps[at])]
        row.listed += added
        if added or any(is_collapsed(plan.steps[at]) != is_collapsed(old.steps[at]) for at in changed):
            self._lay_out(position)
        self._emit_changed(plan, changed)

    def _emit_changed(self, plan: Plan, steps: list[int]) -> None:
        """Signal changed rows, or if there are very many `appearance_changed`."""
        if len(steps) > _SINGLE_CHANGES:
            self.appearance_changed.emit()
            return
        for entry in self._rows[self.index_of(plan.id).row()].entries:
            if entry.is_folder and not set(entry.steps).isdisjoint(steps):
                index = self.fold_of(plan.id, entry.key)
                self.dataChanged.emit(index, index)
        for step in steps:
            if (index := self.index_of(plan.id, step + 1)).isValid():
                self.dataChanged.emit(index, index)

    def _folder_text(self, index: Index, *, is_tip: bool = False) -> str:
        """Return what the row of a folder or of generated files shows."""
        entry, steps = self.entry_at(index), self.steps_at(index)
        if entry is None or entry.key != GENERATED:
            folder = "" if entry is None else entry.key if is_tip else entry.name + "/"
            return plain_tip(show_name(folder)) if is_tip else show_name(folder)
        if is_tip:
            names = ", ".join(show_name(each.target) for each in steps[:NAMED_STEPS_UP_TO])
            return plain_tip(names, wraps=True)
        one = QCoreApplication.translate("Queue", "{n} generated file")
        return counted(len(steps), one, QCoreApplication.translate("Queue", "{n} generated files"))

    def _accessible_folder(self, index: Index) -> str:
        entry, steps = self.entry_at(index), self.steps_at(index)
        decided = QCoreApplication.translate("Queue", "{decided} of {steps} decided")
        opened, closed = (
            QCoreApplication.translate("Queue", "expanded"), QCoreApplication.translate("Queue", "collapsed"),
        )  # fmt: skip
        undecided = total_of(steps).undecided
        return ", ".join((
            self._folder_text(index), say(decided, decided=len(steps) - undecided, steps=len(steps)),
            opened if entry is not None and entry.is_open else closed,
        ))  # fmt: skip

    def _tip(self, plan: Plan, step: Step | None) -> str:
        """Return the full text of a row, and why it is listed."""
        tips = [self.title_of(plan) if step is None else show_name(step.target)]
        if self.is_guest(plan, step):
            tips.append(self._why_listed())
        if step is not None and self.has_draft(plan, step):
            tips.append(QCoreApplication.translate("Queue", "This step has an unused draft."))
        if step is not None and self.is_revised(plan, step):
            tips.append(QCoreApplication.translate("Queue", "Revised after you viewed it."))
        return plain_tip(" · ".join(tips), wraps=True)

    def _why_listed(self) -> str:
        return QCoreApplication.translate(
            "Queue", "This row does not match the filter. It is listed because it is currently selected."
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
            of = QCoreApplication.translate("Queue", "one of {n} plans in its session")
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
            parts.append(QCoreApplication.translate("Queue", "warning"))
        if self.has_draft(plan, step):
            parts.append(QCoreApplication.translate("Queue", "draft"))
        if self.is_revised(plan, step):
            parts.append(QCoreApplication.translate("Queue", "revised"))
        if self.is_guest(plan, step):
            parts.append(QCoreApplication.translate("Queue", "hidden by the filter"))
        if not self.is_viewed(plan, step) and not is_over(plan, step):
            parts.append(QCoreApplication.translate("Queue", "not viewed"))
        return ", ".join(parts)
