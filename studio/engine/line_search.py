"""Lines looked for in plans, in the project and in the history, told as they are found."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from studio.engine.diff import compute
from studio.engine.errors import Refused
from studio.engine.filesystem.globbing import BadPattern
from studio.engine.filesystem.grep import Search, likely_files, search_beneath, search_texts
from studio.engine.filesystem.grep_pattern import Expression, read_expression
from studio.engine.filesystem.grep_text import Line
from studio.engine.git_data import GitData, is_usual
from studio.engine.history.inverse import stored
from studio.engine.limits import SEARCH_BATCH_BYTES, SEARCH_HITS_UP_TO
from studio.engine.plan import Plan, PlanState, Step, StepState
from studio.engine.project.context import Context
from studio.engine.project.file_list import file_paths
from studio.engine.system.os_errors import told
from studio.engine.text import NotText, describe, diff_text, line_codec

_APPLIED = frozenset({PlanState.COMPLETED, PlanState.ROLLED_BACK})
_BEFORE, _AFTER = "base", "result"


class SearchPlace(StrEnum):
    """Where lines are looked for."""

    PLAN = "plan"
    PLANS = "plans"
    PROJECT = "project"
    HISTORY = "history"


@dataclass(frozen=True, slots=True)
class LineQuery:
    """What is looked for. `plan_id` names the plan of `SearchPlace.PLAN`.

    `changed_only`: lines that a plan adds or removes. `side` is "base" or "result", "" for both: of the lines
    before a plan those are told that it removes, all others stand after it, too.
    """

    words: str
    place: SearchPlace
    plan_id: str = ""
    is_expression: bool = False
    matches_case: bool = False
    changed_only: bool = False
    side: str = ""


@dataclass(frozen=True, slots=True)
class LineHit:
    """A line with a match: its number from 1, its text, and where the first match begins and ends in it.

    Of a step of a plan with its number and the plan's title; `side` says on which side the line stands.
    """

    path: str
    line: int
    text: str
    start: int
    end: int
    side: str = _AFTER
    is_changed: bool = False
    plan_id: str = ""
    step: int = 0
    title: str = ""


Tell = Callable[[tuple[LineHit, ...]], object]


def search_lines(
    context: Context, query: LineQuery, git: GitData, tell: Tell, cancel: threading.Event
) -> bool:
    """Tell of lines as they are found, in the order of plans, steps and lines, or of paths; says whether all
    were told. Ends soon after `cancel` is set.

    Raises Refused for an expression that can't be read, SearchTooSlow, FileError, NotFound for a plan.
    """
    expression = _expression(query)
    if query.place is SearchPlace.PROJECT:
        return _in_project(context, expression, git, tell)
    left = SEARCH_HITS_UP_TO
    reading = _Reading(context, query)
    for batch in reading.batches(_plans(context, query)):
        if cancel.is_set():
            return False
        hits = _in_sides(reading, batch, expression, left)
        if hits:
            tell(hits)
        left -= len(hits)
        if left <= 0:
            return False
    return True


def _expression(query: LineQuery) -> Expression:
    text = query.words if query.is_expression else re.escape(query.words)
    try:
        return read_expression(text if query.matches_case else f"(?i){text}")
    except BadPattern as error:
        raise Refused("search.expression", str(error), "Look for it as plain text, or mend it.") from error


def _in_project(context: Context, expression: Expression, git: GitData, tell: Tell) -> bool:
    """What git ignores and what tools fill is left out: nobody looks for it there."""
    root = context.root
    search = Search(expression, None, SEARCH_HITS_UP_TO + 1, skip=_is_out_of_the_way)
    with told("The project can't be searched", path=""):
        likely = likely_files(root, "", search)
        if likely is not None:
            likely = _not_ignored(likely, git)
        paths = likely if likely is not None else sorted(search.kept(file_paths(root.path)))
        found = search_beneath(root, paths, search, likely=likely is not None)
    there = frozenset(likely if likely is not None else _not_ignored([path for path, _ in found.lines], git))
    lines = found.lines[:SEARCH_HITS_UP_TO]
    hits = tuple(LineHit(path, *line) for path, line in lines if path in there)
    if hits:
        tell(hits)
    return len(found.lines) <= SEARCH_HITS_UP_TO


def _not_ignored(paths: Sequence[str], git: GitData) -> list[str]:
    ignored = git.ignored([(path, False) for path in dict.fromkeys(paths)]) or frozenset()
    return [path for path in paths if path not in ignored]


def _is_out_of_the_way(path: str) -> bool:
    *folders, _ = path.split("/")
    return any(folder.startswith(".") or is_usual(folder) for folder in folders)


def _plans(context: Context, query: LineQuery) -> Iterator[Plan]:
    plans = context.store.plans
    if query.place is SearchPlace.PLAN:
        yield plans.get(query.plan_id)
        return
    if query.place is SearchPlace.HISTORY:
        order = plans.applied_order()
        wanted = sorted((plan for plan in plans.all(_APPLIED)), key=lambda plan: -order.get(plan.id, 0))
    else:
        wanted = [plan for plan in plans.all() if plan.state not in (*_APPLIED, PlanState.DISMISSED)]
    yield from wanted


@dataclass(frozen=True, slots=True)
class _Sides:
    """A step, and both sides of it as lines of UTF-8; b"" for one that is not there or no text."""

    plan: Plan
    step: Step
    base: bytes
    result: bytes


class _Reading:
    """The sides of steps as they are stored, for one search. The configuration is asked once: for each step
    that took longer than all else."""

    def __init__(self, context: Context, query: LineQuery) -> None:
        self.query = query
        self._context, self._config = context, context.config()
        is_plain = not query.is_expression and query.words.isascii()
        self._needle = query.words.encode() if is_plain else b""
        self._lowered = b"" if query.matches_case else self._needle.lower()

    def batches(self, plans: Iterator[Plan]) -> Iterator[list[_Sides]]:
        """Steps that may hold what is looked for; small batches first, so that something is told soon."""
        batch: list[_Sides] = []
        size, most = 0, SEARCH_BATCH_BYTES // 64
        for plan in plans:
            for step in plan.steps:
                if step.state is StepState.INVALID:
                    continue
                sides = self._sides_of(plan, step)
                size += len(sides.base) + len(sides.result)
                batch.append(sides)
                if size >= most:
                    yield batch
                    batch, size, most = [], 0, min(most * 4, SEARCH_BATCH_BYTES)
        if batch:
            yield batch

    def may_match(self, text: bytes) -> bool:
        """Whether a text has to be looked at: quicker than an expression, which decides."""
        if self._lowered and text.isascii():
            return self._lowered in text.lower()
        return not self.query.matches_case or self._needle in text

    def changed(self, sides: _Sides) -> tuple[frozenset[int], frozenset[int]]:
        """The lines, from 0, that a step removes and those that it adds."""
        before, after = self._contents(sides.plan, sides.step)
        changes = compute(before, after, 0, self._config.encoding_for(sides.step.target)).changes
        removed = frozenset(line for each in changes for line in range(each.old_first, each.old_end))
        return removed, frozenset(line for each in changes for line in range(each.new_first, each.new_end))

    def _sides_of(self, plan: Plan, step: Step) -> _Sides:
        setting = self._config.encoding_for(step.target)
        base, after = (_lines(each, setting) for each in self._contents(plan, step))
        side = self.query.side
        return _Sides(plan, step, base if side != _AFTER else b"", after if side != _BEFORE else b"")

    def _contents(self, plan: Plan, step: Step) -> tuple[bytes, bytes]:
        """Of an applied step what it left; of any other what it proposes."""
        result = step.decided if plan.state in _APPLIED else step.result
        hashes = (step.base.sha256 if step.base else None, result.sha256 if result else None)
        before, after = (stored(self._context, each) or b"" for each in hashes)
        return before, after


def _lines(content: bytes, setting: str | None) -> bytes:
    if not content:
        return b""
    text = diff_text(content, setting)
    if text.isascii():
        return text
    form = describe(content, setting)
    if isinstance(form, NotText):
        return b""
    # Lines are looked through as UTF-8; where they end is the same in both.
    codec = line_codec(form)
    return text if codec == "utf-8" else text.decode(codec).encode()


def _in_sides(
    reading: _Reading, batch: Sequence[_Sides], expression: Expression, most: int
) -> tuple[LineHit, ...]:
    texts = [
        (f"{number:09}/{side}", text)
        for number, sides in enumerate(batch)
        for side, text in ((_BEFORE, sides.base), (_AFTER, sides.result))
        if text and reading.may_match(text)
    ]
    found = search_texts(texts, Search(expression, None, SEARCH_HITS_UP_TO))
    by_step: dict[int, list[tuple[str, Line]]] = {}
    for key, line in found.lines:
        number, _, side = key.partition("/")
        by_step.setdefault(int(number), []).append((side, line))
    hits: list[LineHit] = []
    for number, lines in by_step.items():
        hits += _of_step(reading, batch[number], lines)
    return tuple(hits[:most])


def _of_step(reading: _Reading, sides: _Sides, lines: Sequence[tuple[str, Line]]) -> Iterator[LineHit]:
    """Lines in the order in which a diff shows them."""
    plan, step, query = sides.plan, sides.step, reading.query
    removed, added = reading.changed(sides)
    for side, line in sorted(lines, key=lambda found: (found[1][0], found[0])):
        is_changed = line[0] - 1 in (removed if side == _BEFORE else added)
        # An unchanged line stands on both sides: it is told once.
        if is_changed or (not query.changed_only and (side == _AFTER or query.side == _BEFORE)):
            yield LineHit(
                step.target, *line, side=side, is_changed=is_changed,
                plan_id=plan.id, step=step.number, title=plan.title,
            )  # fmt: skip
