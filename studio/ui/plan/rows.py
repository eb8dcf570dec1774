"""Rows of a plan's table: folder tree, totals, sorting, folding, filter words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import IntEnum
from typing import Any, Final, NamedTuple

from msgspec import Struct, field

from studio.engine import Operation, Plan, Step, StepState
from studio.extras.grouping import ReviewGroup
from studio.ui.look.states import has_warnings, is_generated, is_over
from studio.ui.queue.arrangement import StepOrder, holds_words, step_key
from studio.values import Value


class Column(IntEnum):
    STEP = 0
    WHAT = 1
    LINES = 2
    DECISION = 3
    WARNINGS = 4


class PlanArrangement(Value):
    """Order and filter of a plan's steps.

    By path (the first column) they are listed in folders, by any other column in one list. `words` is the
    filter's text; `folded` are the folders whose rows are hidden.
    """

    column: Column = Column.STEP
    descending: bool = False
    words: str = ""
    folded: frozenset[str] = frozenset()
    groups: tuple[ReviewGroup, ...] = ()
    """Groups that `group:` in the filter may name."""


class StepRow(Value):
    """Row of a step; `depth` counts the folder rows that contain it."""

    step: Step
    depth: int = 0

    @property
    def key(self) -> str:
        return str(self.step.number)


class Total(NamedTuple):
    """Totals of steps: lines added and removed, decided, with warnings or refused."""

    added: int = 0
    removed: int = 0
    decided: int = 0
    warnings: int = 0


class FolderRow(Value):
    """Row of a folder with listed steps beneath it.

    `name` is relative to the folder above; a chain of folders that contain nothing but the next one is one
    row.
    """

    path: str
    name: str
    depth: int
    steps: tuple[Step, ...]
    is_open: bool
    total: Total

    @property
    def key(self) -> str:
        return f"{self.path}/"


PlanRow = StepRow | FolderRow

_UNDECIDED = (StepState.PENDING, StepState.STALE)


def steps_listed(plan: Plan, arrangement: PlanArrangement, not_viewed: frozenset[int]) -> tuple[Step, ...]:
    """Return the steps that pass the filter.

    `not_viewed` are the numbers of the steps that were not viewed yet.
    """
    if not arrangement.words.split():
        return plan.steps
    viewed = {step.number for step in plan.steps} - not_viewed
    return tuple(
        step
        for step in plan.steps
        if is_listed(step, arrangement.words, viewed=step.number in viewed, groups=arrangement.groups)
    )


def rows_of(plan: Plan, steps: Sequence[Step], arrangement: PlanArrangement) -> tuple[PlanRow, ...]:
    """Return the rows of some steps of a plan, top to bottom."""
    if arrangement.column is Column.STEP:
        return tuple(_walk(_build_tree(steps), "", 0, arrangement))
    ordered = sorted(steps, key=_key_of(arrangement.column, plan), reverse=arrangement.descending)
    return tuple(StepRow(step) for step in ordered)


def folders_of(plan: Plan) -> frozenset[str]:
    """Return every folder that has a row without filter and folding."""
    rows = rows_of(plan, plan.steps, PlanArrangement())
    return frozenset(row.path for row in rows if isinstance(row, FolderRow))


class _Folder(Struct):
    folders: dict[str, _Folder] = field(default_factory=dict)
    files: list[tuple[str, Step]] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    """All steps beneath it."""


def _build_tree(steps: Iterable[Step]) -> _Folder:
    top = _Folder()
    for step in steps:
        *parts, name = step.target.split("/")
        folder = top
        for part in parts:
            folder = folder.folders.setdefault(part, _Folder())
            folder.steps.append(step)
        folder.files.append((name, step))
    return top


def _walk(folder: _Folder, path: str, depth: int, arrangement: PlanArrangement) -> Iterator[PlanRow]:
    """Yield folders first, then files, each by name."""
    for name, inner in _sorted(folder.folders.items(), arrangement):
        shown, last = _chain(name, inner)
        at = path + shown
        is_open = at not in arrangement.folded
        yield FolderRow(at, shown, depth, tuple(last.steps), is_open, _total(last.steps))
        if is_open:
            yield from _walk(last, f"{at}/", depth + 1, arrangement)
    for _name, step in _sorted(folder.files, arrangement):
        yield StepRow(step, depth)


def _total(steps: list[Step]) -> Total:
    added = removed = decided = warnings = 0
    for step in steps:
        added += step.added
        removed += step.removed
        decided += step.state not in _UNDECIDED
        warnings += step.state is StepState.INVALID or has_warnings(step)
    return Total(added, removed, decided, warnings)


def _chain(name: str, folder: _Folder) -> tuple[str, _Folder]:
    """Return the last of a chain of single folders, with its path."""
    while len(folder.folders) == 1 and not folder.files:
        inner, folder = next(iter(folder.folders.items()))
        name = f"{name}/{inner}"
    return name, folder


def _sorted(named: Iterable[tuple[str, Any]], arrangement: PlanArrangement) -> list[tuple[str, Any]]:
    return sorted(named, key=lambda each: (each[0].casefold(), each[0]), reverse=arrangement.descending)


def _key_of(column: Column, plan: Plan) -> Callable[[Step], Any]:
    if column is Column.WHAT:
        return lambda step: (step.op.value, step.target.casefold())
    if column is Column.DECISION:
        by_state = step_key(StepOrder.BY_STATE)
        return lambda step: (is_over(plan, step), by_state(step))
    return step_key(StepOrder.LARGEST_FIRST if column is Column.LINES else StepOrder.GRAVEST_FIRST)


def place_of(rows: Sequence[PlanRow], key: str) -> int:
    """Return the index of the row with a key, or -1."""
    return next((position for position, row in enumerate(rows) if row.key == key), -1)


# Filter of a plan's steps by path words, patterns and marks.

IS, FACT, GROUP = "is:", "fact:", "group:"
"""Prefixes of words that filter by mark, fact kind, or group."""

Mark = Callable[[Step, bool], bool]
"""Predicate of a step; the flag is whether it was viewed."""

MARKS: Final[Mapping[str, Mark]] = {
    "undecided": lambda step, _viewed: step.state in (StepState.PENDING, StepState.STALE),
    "unviewed": lambda _step, viewed: not viewed,
    "look-out": lambda step, _viewed: has_warnings(step),
    "generated": lambda step, _viewed: is_generated(step),
    "only-added": lambda step, _viewed: step.added > 0 == step.removed,
    "only-removed": lambda step, _viewed: step.removed > 0 == step.added,
    **{
        state.value: lambda step, _viewed, state=state: step.state is state
        for state in (StepState.APPROVED, StepState.REJECTED, StepState.STALE, StepState.INVALID)
    },
    **{op.value: lambda step, _viewed, op=op: step.op is op for op in Operation},
}
"""Marks after `is:`; operations and states are named as in the JSON of a plan."""


def is_listed(step: Step, words: str, *, viewed: bool, groups: Sequence[ReviewGroup] = ()) -> bool:
    """Return whether a step matches every word; an unknown mark matches nothing."""
    plain: list[str] = []
    for word in words.split():
        if word.startswith(IS):
            mark = MARKS.get(word.removeprefix(IS))
            if mark is None or not mark(step, viewed):
                return False
        elif word.startswith(FACT):
            if all(fact.kind != word.removeprefix(FACT) for fact in step.facts):
                return False
        elif word.startswith(GROUP):
            name = word.removeprefix(GROUP)
            if not any(group.name == name and group.gathers(step) for group in groups):
                return False
        else:
            plain.append(word)
    return holds_words(step, " ".join(plain))


def unknown_mark(words: str) -> str:
    """Return the first unknown `is:` word, else ""."""
    marks = (word for word in words.split() if word.startswith(IS))
    return next((word for word in marks if word.removeprefix(IS) not in MARKS), "")
