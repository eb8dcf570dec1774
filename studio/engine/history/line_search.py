"""Search for lines in plans, project and history, with incremental results."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum

from msgspec import Struct, field

from studio.engine.diff import compute
from studio.engine.filesystem.grep import Search, find_candidate_files, search_beneath, search_texts
from studio.engine.filesystem.grep_pattern import Expression, read_expression
from studio.engine.filesystem.grep_text import Line
from studio.engine.git_data import GitData, is_usual
from studio.engine.history.inverse import stored
from studio.engine.plan import Plan, PlanState, Step, StepState
from studio.engine.project.context import Context
from studio.engine.project.file_list import file_paths
from studio.engine.store.blobs import is_content
from studio.errors import BadPattern, Refused
from studio.journal.file_image import FileImage
from studio.limits import SEARCH_BATCH_BYTES, SEARCH_HITS_UP_TO, SEARCH_KEPT_BYTES
from studio.system.os_errors import wrap_os_errors
from studio.text import NotText, describe, diff_text, line_codec
from studio.values import Value

_APPLIED = frozenset({PlanState.COMPLETED, PlanState.ROLLED_BACK})
_BEFORE, _AFTER = "base", "result"


class SearchPlace(StrEnum):
    """Where to search for lines."""

    PLAN = "plan"
    PLANS = "plans"
    PROJECT = "project"
    HISTORY = "history"


class LineQuery(Value):
    """A search for lines; `plan_id` names the plan of `SearchPlace.PLAN`.

    `changed_only`: lines that a plan adds or removes. `side` is "base" or "result", "" for both: of the base
    then only removed lines are reported, as all others are in the result, too.
    """

    words: str
    place: SearchPlace
    plan_id: str = ""
    is_expression: bool = False
    matches_case: bool = False
    changed_only: bool = False
    side: str = ""


class LineHit(Value):
    """A matching line: number from 1, text, bounds of the first match.

    For a step of a plan it has the step's number and the plan's title; `side` is the side that the line is
    on.
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


ReportHits = Callable[[tuple[LineHit, ...]], object]


class SearchCache(Struct, eq=False):
    """What later searches of the same plans need not read again.

    `contents` are stored contents by SHA-256. Those in `without` lack the `needle`, and so any longer word.
    """

    contents: dict[str, bytes] = field(default_factory=dict[str, bytes])
    needle: bytes = b""
    matches_case: bool = False
    without: set[str] = field(default_factory=set[str])


def search_lines(
    context: Context,
    query: LineQuery,
    git: GitData,
    report: ReportHits,
    cancel: threading.Event,
    *,
    cache: SearchCache,
) -> bool:
    """Report matching lines as they are found; return whether all were reported.

    They are in the order of plans, steps and lines, or of paths. Ends soon after `cancel` is set. Raises
    Refused for an invalid expression, SearchTooSlow, FileError, NotFound for a plan.
    """
    expression = _parse_expression(query)
    if query.place is SearchPlace.PROJECT:
        return _search_project(context, expression, git, report)
    left = SEARCH_HITS_UP_TO
    reading = _Reading(context, query, cache)
    for batch in reading.batches(_select_plans(context, query)):
        if cancel.is_set():
            return False
        hits = _search_sides(reading, batch, expression, left)
        if hits:
            report(hits)
        left -= len(hits)
        if left <= 0:
            return False
    return True


def _parse_expression(query: LineQuery) -> Expression:
    text = query.words if query.is_expression else re.escape(query.words)
    try:
        return read_expression(text if query.matches_case else f"(?i){text}")
    except BadPattern as error:
        raise Refused(
            "search.expression", str(error), "Search for it as plain text, or correct it."
        ) from error


def _search_project(context: Context, expression: Expression, git: GitData, report: ReportHits) -> bool:
    """Search the project, and return whether all matches were reported.

    Excludes what git ignores and what tools generate, as no one searches there.
    """
    root = context.root
    search = Search(expression, None, SEARCH_HITS_UP_TO + 1, skip=_is_out_of_the_way)
    with wrap_os_errors("The project can't be searched", path=""):
        likely = find_candidate_files(root, "", search)
        if likely is not None:
            likely = _filter_ignored(likely, git)
        paths = likely if likely is not None else sorted(search.filter_paths(file_paths(root.path)))
        found = search_beneath(root, paths, search, likely=likely is not None)
    allowed = frozenset(
        likely if likely is not None else _filter_ignored([path for path, _ in found.lines], git)
    )
    lines = found.lines[:SEARCH_HITS_UP_TO]
    hits = tuple(LineHit(path, *line) for path, line in lines if path in allowed)
    if hits:
        report(hits)
    return len(found.lines) <= SEARCH_HITS_UP_TO


def _filter_ignored(paths: Sequence[str], git: GitData) -> list[str]:
    ignored = git.ignored([(path, False) for path in dict.fromkeys(paths)]) or frozenset()
    return [path for path in paths if path not in ignored]


def _is_out_of_the_way(path: str) -> bool:
    *folders, _ = path.split("/")
    return any(folder.startswith(".") or is_usual(folder) for folder in folders)


def _select_plans(context: Context, query: LineQuery) -> Iterator[Plan]:
    plans = context.store.plans
    if query.place is SearchPlace.PLAN:
        yield plans.get(query.plan_id)
        return
    if query.place is SearchPlace.HISTORY:
        order = plans.applied_order()
        applied = (plan for plan in plans.all() if plan.parts)
        selected = sorted(applied, key=lambda plan: -order.get(plan.id, 0))
    else:
        selected = [plan for plan in plans.all() if plan.state not in (*_APPLIED, PlanState.DISMISSED)]
    yield from selected


class _Sides(Value):
    """A step with both sides as UTF-8 lines, b"" where missing.

    Also b"" for a side that is no text.
    """

    plan: Plan
    step: Step
    base: bytes
    result: bytes


class _Reading:
    """Reader of the stored sides of steps, for one search.

    `cache` has contents of an earlier search, and gets those of this one up to 16 MiB. The configuration is
    read once: for each step it took longer than everything else.
    """

    def __init__(self, context: Context, query: LineQuery, cache: SearchCache) -> None:
        self.query = query
        self._kept = cache.contents
        self._room = SEARCH_KEPT_BYTES - sum(map(len, list(self._kept.values())))
        self._context, self._config = context, context.config()
        words = query.words if query.matches_case else query.words.lower()
        self._needle = b"" if query.is_expression or not words.isascii() else words.encode()
        is_longer = cache.needle and cache.needle in self._needle and cache.matches_case == query.matches_case
        # A copy, as an earlier search may still be adding to the other.
        self._without = set(cache.without) if is_longer else set[str]()
        cache.needle, cache.matches_case, cache.without = self._needle, query.matches_case, self._without

    def batches(self, plans: Iterator[Plan]) -> Iterator[list[_Sides]]:
        """Yield batches of steps with their likely sides, small ones first.

        A side that can't match is empty. So the first results come soon.
        """
        batch: list[tuple[Plan, Step]] = []
        size, most = 0, SEARCH_BATCH_BYTES // 64
        for plan in plans:
            for step in plan.steps:
                if step.state is StepState.INVALID:
                    continue
                batch.append((plan, step))
                size += sum(image.size for image in _images(plan, step) if image is not None)
                if size >= most:
                    yield self._read_sides(batch)
                    batch, size, most = [], 0, min(most * 4, SEARCH_BATCH_BYTES)
        if batch:
            yield self._read_sides(batch)

    def _read_sides(self, steps: Sequence[tuple[Plan, Step]]) -> list[_Sides]:
        contents = self._read_contents(
            {image.sha256 for each in steps for image in _images(*each) if image and image.sha256}
        )
        found: list[_Sides] = []
        for plan, step in steps:
            setting = self._config.encoding_for(step.target)
            base, after = (
                _decode_lines(contents.get(image.sha256 or "", b""), setting) if image is not None else b""
                for image in _images(plan, step)
            )
            side = self.query.side
            found.append(
                _Sides(plan, step, base if side != _AFTER else b"", after if side != _BEFORE else b"")
            )
        return found

    def _read_contents(self, names: set[str]) -> dict[str, bytes]:
        """Return those contents that may match, by SHA-256.

        Only these are verified: of a search for a word in 1,200 contents the hashes took 15 %.
        """
        kept = self._kept
        names = names - self._without
        known = {name: kept[name] for name in names if name in kept}
        for name, content in self._context.store.blobs.read_unverified(list(names - known.keys())):
            known[name] = content
            self._room -= len(content)
            if self._room >= 0:
                kept[name] = content
        likely = {name: content for name, content in known.items() if self._may_match(content)}
        self._without |= known.keys() - likely.keys()
        return {name: content for name, content in likely.items() if is_content(content, name)}

    def _may_match(self, content: bytes) -> bool:
        """Return whether a stored content may match, which is fast."""
        # UTF-16 may be ASCII as bytes, and is decoded later.
        if not content.isascii() or b"\0" in content:
            return True
        return not self._needle or self._needle in (content if self.query.matches_case else content.lower())

    def changed(self, sides: _Sides) -> tuple[frozenset[int], frozenset[int]]:
        """Return the lines, from 0, that a step removes and adds."""
        before, after = map(self._read_content, _images(sides.plan, sides.step))
        changes = compute(before, after, 0, self._config.encoding_for(sides.step.target)).changes
        removed = frozenset(line for each in changes for line in range(each.old_first, each.old_end))
        return removed, frozenset(line for each in changes for line in range(each.new_first, each.new_end))

    def _read_content(self, image: FileImage | None) -> bytes:
        """Return the content of a side, verified. Raises as `stored`."""
        name = image.sha256 if image is not None else None
        content = self._kept.get(name or "")
        if name and content is not None and is_content(content, name):
            return content
        return stored(self._context, name) or b""


def _images(plan: Plan, step: Step) -> tuple[FileImage | None, FileImage | None]:
    """Return the sides of a step, the result as decided once applied."""
    return step.base, step.decided if plan.state in _APPLIED or step.part is not None else step.result


def _decode_lines(content: bytes, setting: str | None) -> bytes:
    if not content:
        return b""
    text = diff_text(content, setting)
    if text.isascii():
        return text
    form = describe(content, setting)
    if isinstance(form, NotText):
        return b""
    # Lines are searched as UTF-8; their ends are the same in both encodings.
    codec = line_codec(form)
    return text if codec == "utf-8" else text.decode(codec).encode()


def _search_sides(
    reading: _Reading, batch: Sequence[_Sides], expression: Expression, most: int
) -> tuple[LineHit, ...]:
    texts = [
        (f"{number:09}/{side}", text)
        for number, sides in enumerate(batch)
        for side, text in ((_BEFORE, sides.base), (_AFTER, sides.result))
        if text
    ]
    found = search_texts(texts, Search(expression, None, SEARCH_HITS_UP_TO))
    by_step: dict[int, list[tuple[str, Line]]] = {}
    for key, line in found.lines:
        number, _, side = key.partition("/")
        by_step.setdefault(int(number), []).append((side, line))
    hits: list[LineHit] = []
    for number, lines in by_step.items():
        hits += _order_hits(reading, batch[number], lines)
    return tuple(hits[:most])


def _order_hits(reading: _Reading, sides: _Sides, lines: Sequence[tuple[str, Line]]) -> Iterator[LineHit]:
    """Yield lines in the order in which a diff shows them."""
    plan, step, query = sides.plan, sides.step, reading.query
    removed, added = reading.changed(sides)
    for side, line in sorted(lines, key=lambda found: (found[1][0], found[0])):
        is_changed = line[0] - 1 in (removed if side == _BEFORE else added)
        # An unchanged line is on both sides, but is reported once.
        if is_changed or (not query.changed_only and (side == _AFTER or query.side == _BEFORE)):
            yield LineHit(
                step.target, *line, side=side, is_changed=is_changed,
                plan_id=plan.id, step=step.number, title=plan.title,
            )  # fmt: skip
