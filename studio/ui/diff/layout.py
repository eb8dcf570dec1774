"""Where the rows of a diff stand on screen, with the choices of the person in them.

The engine's row map says which rows there are; here they get their height, left-out proposals get rows of
their own, and the right side gets the numbers of the result as chosen: a line with a number on the right will
be in the file (look.md 4.6). All indexes are 0-based, a cell's `number` is 1-based, lengths are in pixels.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from studio.engine.diff import rows as engine_rows
from studio.engine.diff.compute import Change, FileDiff
from studio.engine.plan import HunkChoice


class Mode(Enum):
    """How the two sides stand: beside each other, in one column, or as the only side that has lines."""

    SIDE_BY_SIDE = "side_by_side"
    UNIFIED = "unified"
    ONE_SIDE = "one_side"


class Side(Enum):
    BASE = "base"
    RESULT = "result"


class Look(Enum):
    """What happens to a line. LEFT_OUT is proposed and will not happen, KEPT stays because of that."""

    PLAIN = " "
    REMOVED = "-"
    ADDED = "+"
    LEFT_OUT = "out"
    KEPT = "="


class RowKind(Enum):
    BAND = "band"
    FOLD = "fold"
    CODE = "code"


@dataclass(frozen=True, slots=True)
class Cell:
    """One line on one side of the screen; `side` and `line` say where its bytes are."""

    side: Side
    line: int
    number: int | None
    look: Look

    @property
    def sign(self) -> str:
        if self.look is Look.LEFT_OUT:
            return "-" if self.side is Side.BASE else "+"
        return self.look.value.strip()


@dataclass(frozen=True, slots=True)
class Row:
    """One row. A band has its hunk (from 1), a fold its gap and how many lines it hides, code its cells.

    `pair` holds the base and the result line that are two versions of each other.
    """

    kind: RowKind
    hunk: int = 0
    gap: int = -1
    hidden: int = 0
    left: Cell | None = None
    right: Cell | None = None
    pair: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Heights:
    code: int
    band: int
    fold: int


class _Kind(Enum):
    BAND = "band"
    FOLD = "fold"
    SAME = "same"
    PAIR = "pair"
    REMOVED = "removed"
    ADDED = "added"
    OUT_PAIR = "out_pair"
    OUT_REMOVED = "out_removed"
    OUT_ADDED = "out_added"


class _Run(NamedTuple):
    """Rows of one kind. `old` and `new` are the first lines, `number` the right side's first number.

    `partner` is the first line on the other side that is another version; `source` the engine's row.
    """

    kind: _Kind
    first_row: int
    rows: int
    top: int
    height: int
    old: int = 0
    new: int = 0
    number: int = 0
    hunk: int = 0
    gap: int = -1
    hidden: int = 0
    partner: int = -1
    source: int = -1


@dataclass(frozen=True, slots=True)
class MapMark:
    """Where the overview map shows something: rows from `top`, removed (left) or added (right) lines."""

    top: int
    height: int
    side: Side


REVEAL_ALL = 1 << 60
"""As many lines of a gap as there are."""


class Layout:
    """The rows of a diff.

    `choices` says what of each hunk goes in (True where nothing is said). `revealed` gives for each gap (0 is
    the one before the first hunk) how many of its lines are shown; `folds=False` shows all of all gaps.
    `like` is a layout made before, whose engine rows are taken over if they are the same.
    """

    def __init__(
        self,
        diff: FileDiff,
        heights: Heights,
        *,
        mode: Mode = Mode.SIDE_BY_SIDE,
        choices: Mapping[int, HunkChoice] | None = None,
        revealed: Mapping[int, int] | None = None,
        folds: bool = True,
        like: Layout | None = None,
    ) -> None:
        self.diff = diff
        self.mode = mode
        self._heights = heights
        self._choices = choices or {}
        self._revealed = revealed or {}
        self._map_key = self._key_of(folds)
        reusable = like is not None and like.diff is diff and like._map_key == self._map_key
        self._map = like._map if like is not None and reusable else self._make_map()
        self._runs: list[_Run] = []
        self._shift = 0
        self._hunk_rows: list[tuple[int, int]] = []
        self._by_line: dict[Side, tuple[list[int], list[_Run]]] = {}
        self.rows = 0
        self.height = 0
        self._lay_out()
        self._row_starts = [run.first_row for run in self._runs]
        self._tops = [run.top for run in self._runs]

    def _key_of(self, folds: bool) -> tuple[bool, bool, frozenset[int]]:
        opened = frozenset(gap for gap, lines in self._revealed.items() if lines >= REVEAL_ALL)
        return self.mode is Mode.SIDE_BY_SIDE, folds, opened

    def _make_map(self) -> engine_rows.RowMap:
        beside, folds, opened = self._map_key
        make = engine_rows.side_by_side if beside else engine_rows.unified
        return make(self.diff, opened=opened, folded=folds)

    @property
    def hunks(self) -> int:
        return len(self.diff.hunks)

    def row(self, index: int) -> Row:
        """The row at an index; raises IndexError outside 0..rows-1."""
        if not 0 <= index < self.rows:
            raise IndexError(index)
        run = self._run_of_row(index)
        return _row(run, index - run.first_row)

    def source_row(self, index: int) -> int:
        """The engine's row of a band or fold, -1 for code: it stays the same while choices change."""
        return self._run_of_row(index).source

    def text(self, index: int) -> str:
        """What names a band or a fold: the definition before or in it, "" where there is none.

        Looks through thousands of lines where there is no definition: keep what it says.
        """
        source = self.source_row(index)
        return self._map.row(source).text if source >= 0 else ""

    def shares_rows_with(self, other: Layout) -> bool:
        """Whether both have the same engine rows."""
        return self._map is other._map

    def top(self, index: int) -> int:
        """Upper edge of a row; of the end for the number of rows."""
        if index >= self.rows:
            return self.height
        run = self._run_of_row(index)
        return run.top + (index - run.first_row) * run.height

    def row_height(self, index: int) -> int:
        return self._run_of_row(index).height

    def row_at(self, y: float) -> int:
        """The row that covers a height; the nearest one outside of the content; -1 without rows."""
        if not self._runs:
            return -1
        run = self._runs[max(0, bisect_right(self._tops, y) - 1)]
        inside = int(max(0, y - run.top)) // run.height
        return run.first_row + min(inside, run.rows - 1)

    def hunk_rows(self, hunk: int) -> tuple[int, int]:
        """First row of a hunk (from 1), its band where it has one, and the row behind its last."""
        return self._hunk_rows[hunk - 1]

    def hunk_at(self, row: int) -> int:
        """The hunk a row belongs to; for a row between two hunks the next one, after the last the last."""
        if not self._hunk_rows:
            return 0
        index = bisect_right(self._hunk_rows, row, key=lambda rows: rows[1])
        return min(index, len(self._hunk_rows) - 1) + 1

    def row_of(self, side: Side, line: int) -> int | None:
        """The row that shows a line; None while it is folded away."""
        run = self._run_of_line(side, line)
        if run is None or run.kind is _Kind.FOLD:
            return None
        inside = line - (run.old if side is Side.BASE else run.new)
        if run.kind is _Kind.OUT_PAIR:
            return run.first_row + 2 * inside + (1 if side is Side.RESULT else 0)
        return run.first_row + inside

    def gap_of(self, side: Side, line: int) -> int | None:
        """The gap whose fold hides a line."""
        run = self._run_of_line(side, line)
        return run.gap if run is not None and run.kind is _Kind.FOLD else None

    def row_near(self, side: Side, line: int) -> int:
        """The row that shows a line, or the fold that hides it."""
        run = self._run_of_line(side, line)
        shown = self.row_of(side, line)
        return shown if shown is not None else run.first_row if run is not None else 0

    def _run_of_line(self, side: Side, line: int) -> _Run | None:
        if side not in self._by_line:
            kinds = _LINES_OF[side]
            runs = [run for run in self._runs if run.kind in kinds]
            firsts = [run.old if side is Side.BASE else run.new for run in runs]
            self._by_line[side] = firsts, runs
        firsts, runs = self._by_line[side]
        index = bisect_right(firsts, line) - 1
        return runs[index] if index >= 0 else None

    def map_marks(self) -> Iterator[MapMark]:
        """Where lines go and come, in order; left-out lines make no mark."""
        for run in self._runs:
            length = run.rows * run.height
            if run.kind in (_Kind.PAIR, _Kind.REMOVED):
                yield MapMark(run.top, length, Side.BASE)
            if run.kind in (_Kind.PAIR, _Kind.ADDED):
                yield MapMark(run.top, length, Side.RESULT)

    def _run_of_row(self, index: int) -> _Run:
        return self._runs[max(0, bisect_right(self._row_starts, index) - 1)]

    def _lay_out(self) -> None:
        old = new = gap = 0
        runs = list(self._map.runs())
        for position, (source, count, kind, hunk) in enumerate(runs):
            choice = self._choices.get(hunk, True) if hunk is not None else True
            if kind is engine_rows.RowKind.BAND:
                assert hunk is not None
                gap = hunk
                if self.mode is not Mode.ONE_SIDE:
                    self._add(_Kind.BAND, 1, self._heights.band, old=old, hunk=hunk, source=source)
                if not isinstance(choice, bool):
                    old, new = self._add_chosen_lines(hunk, choice, old, new)
                continue
            if not isinstance(choice, bool):
                continue
            if kind is engine_rows.RowKind.FOLD:
                after = self.diff.hunks[gap].old_first if gap < self.hunks else len(self.diff.base_lines)
                self._add_gap(gap, old, new, after - old, source)
                old, new = after, new + after - old
            elif kind is engine_rows.RowKind.CONTEXT:
                self._add_same(old, new, count, hunk or 0)
                old, new = old + count, new + count
            elif kind is engine_rows.RowKind.PAIR:
                kind_here = _Kind.PAIR if choice else _Kind.OUT_PAIR
                number = new + 1 + self._shift
                self._add_code(kind_here, count, old=old, new=new, number=number, hunk=hunk or 0)
                old, new = old + count, new + count
            elif kind is engine_rows.RowKind.REMOVED:
                added = _count_of_next(runs, position, engine_rows.RowKind.ADDED)
                self._add_removed(old, new, count, hunk or 0, goes_in=choice, pairs=min(count, added))
                old += count
            else:
                removed = _count_of_previous(runs, position, engine_rows.RowKind.REMOVED)
                self._add_added(
                    old - removed, new, count, hunk or 0, goes_in=choice, pairs=min(count, removed)
                )
                new += count

    def _add_gap(self, gap: int, old: int, new: int, count: int, source: int) -> None:
        shown = min(count, self._revealed.get(gap, 0))
        hidden = count - shown
        if gap == 0 and hidden:
            # What is revealed above the first hunk stands beside it, not at the top of the file.
            self._add_fold(gap, old, new, hidden, source)
            self._add_same(old + hidden, new + hidden, shown)
            return
        self._add_same(old, new, shown)
        if hidden:
            self._add_fold(gap, old + shown, new + shown, hidden, source)

    def _add_fold(self, gap: int, old: int, new: int, hidden: int, source: int) -> None:
        height = self._heights.fold
        self._add(_Kind.FOLD, 1, height, old=old, new=new, gap=gap, hidden=hidden, source=source)

    def _add_same(self, old: int, new: int, count: int, hunk: int = 0) -> None:
        self._add_code(_Kind.SAME, count, old=old, new=new, number=new + 1 + self._shift, hunk=hunk)

    def _add_removed(self, old: int, new: int, count: int, hunk: int, *, goes_in: bool, pairs: int) -> None:
        """Old lines alone in their rows; `pairs` of them have another version among the lines that follow."""
        if goes_in:
            if pairs:
                self._add_code(_Kind.REMOVED, pairs, old=old, hunk=hunk, partner=new)
            self._add_code(_Kind.REMOVED, count - pairs, old=old + pairs, hunk=hunk)
        else:
            number = new + 1 + self._shift
            self._add_code(_Kind.OUT_REMOVED, count, old=old, number=number, hunk=hunk)
            self._shift += count

    def _add_added(self, old: int, new: int, count: int, hunk: int, *, goes_in: bool, pairs: int) -> None:
        number = new + 1 + self._shift
        if goes_in:
            if pairs:
                self._add_code(_Kind.ADDED, pairs, new=new, number=number, hunk=hunk, partner=old)
            self._add_code(_Kind.ADDED, count - pairs, new=new + pairs, number=number + pairs, hunk=hunk)
        else:
            self._add_code(_Kind.OUT_ADDED, count, new=new, hunk=hunk)
            self._shift -= count

    def _add_chosen_lines(self, hunk: int, chosen: frozenset[int], old: int, new: int) -> tuple[int, int]:
        """A hunk of which single lines go in; returns the lines behind it."""
        first = 1
        shown = self.diff.hunks[hunk - 1]
        for change in shown.changes:
            self._add_same(old, new, change.old_first - old, hunk)
            self._add_chosen_change(change, hunk, chosen, first)
            first += change.old_count + change.new_count
            old, new = change.old_end, change.new_end
        after = shown.old_first + shown.old_lines - old
        self._add_same(old, new, after, hunk)
        return old + after, new + after

    def _add_chosen_change(self, change: Change, hunk: int, chosen: frozenset[int], first: int) -> None:
        """In the order in which the lines stand in the result: first old, first new, second old and so on."""
        number = change.new_first + 1 + self._shift
        begin = number
        for step in range(max(change.old_count, change.new_count)):
            old, new = change.old_first + step, change.new_first + step
            removed = step < change.old_count and first + step in chosen
            kept = step < change.old_count and not removed
            added = step < change.new_count and first + change.old_count + step in chosen
            if removed and added and self.mode is Mode.SIDE_BY_SIDE:
                self._add_code(_Kind.PAIR, 1, old=old, new=new, number=number, hunk=hunk)
                number += 1
                continue
            if removed:
                self._add_code(_Kind.REMOVED, 1, old=old, hunk=hunk)
            elif kept:
                self._add_code(_Kind.OUT_REMOVED, 1, old=old, number=number, hunk=hunk)
                number += 1
            if added:
                self._add_code(_Kind.ADDED, 1, new=new, number=number, hunk=hunk)
                number += 1
            elif step < change.new_count:
                self._add_code(_Kind.OUT_ADDED, 1, new=new, hunk=hunk)
        self._shift += number - begin - change.new_count

    def _add_code(
        self,
        kind: _Kind,
        lines: int,
        *,
        old: int = 0,
        new: int = 0,
        number: int = 0,
        hunk: int = 0,
        partner: int = -1,
    ) -> None:
        if lines > 0:
            rows = 2 * lines if kind is _Kind.OUT_PAIR else lines
            height = self._heights.code
            self._add(kind, rows, height, old=old, new=new, number=number, hunk=hunk, partner=partner)

    def _add(
        self,
        kind: _Kind,
        rows: int,
        height: int,
        *,
        old: int = 0,
        new: int = 0,
        number: int = 0,
        hunk: int = 0,
        gap: int = -1,
        hidden: int = 0,
        partner: int = -1,
        source: int = -1,
    ) -> None:
        place = (self.rows, rows, self.height, height)
        self._runs.append(_Run(kind, *place, old, new, number, hunk, gap, hidden, partner, source))
        if len(self._hunk_rows) < hunk:
            self._hunk_rows.append((self.rows, self.rows))
        self.rows += rows
        if hunk:
            self._hunk_rows[hunk - 1] = (self._hunk_rows[hunk - 1][0], self.rows)
        self.height += rows * height


def _count_of_next(runs: list[_EngineRun], position: int, kind: engine_rows.RowKind) -> int:
    """Length of the run behind a position, if it is of that kind."""
    if position + 1 < len(runs) and runs[position + 1][2] is kind:
        return runs[position + 1][1]
    return 0


def _count_of_previous(runs: list[_EngineRun], position: int, kind: engine_rows.RowKind) -> int:
    if position and runs[position - 1][2] is kind:
        return runs[position - 1][1]
    return 0


_EngineRun = tuple[int, int, engine_rows.RowKind, int | None]

_SHARED = frozenset({_Kind.SAME, _Kind.PAIR, _Kind.OUT_PAIR, _Kind.FOLD})
_LINES_OF: Mapping[Side, frozenset[_Kind]] = {
    Side.BASE: _SHARED | {_Kind.REMOVED, _Kind.OUT_REMOVED},
    Side.RESULT: _SHARED | {_Kind.ADDED, _Kind.OUT_ADDED},
}


def _row(run: _Run, index: int) -> Row:
    old, new, number = run.old + index, run.new + index, run.number + index
    left = right = None
    pair = None
    match run.kind:
        case _Kind.BAND:
            return Row(RowKind.BAND, run.hunk)
        case _Kind.FOLD:
            return Row(RowKind.FOLD, gap=run.gap, hidden=run.hidden)
        case _Kind.SAME:
            left = Cell(Side.BASE, old, old + 1, Look.PLAIN)
            right = Cell(Side.RESULT, new, number, Look.PLAIN)
        case _Kind.PAIR:
            left = Cell(Side.BASE, old, old + 1, Look.REMOVED)
            right = Cell(Side.RESULT, new, number, Look.ADDED)
            pair = (old, new)
        case _Kind.REMOVED:
            left = Cell(Side.BASE, old, old + 1, Look.REMOVED)
            pair = (old, run.partner + index) if run.partner >= 0 else None
        case _Kind.ADDED:
            right = Cell(Side.RESULT, new, number, Look.ADDED)
            pair = (run.partner + index, new) if run.partner >= 0 else None
        case _Kind.OUT_PAIR:
            line, second = divmod(index, 2)
            if second:
                right = Cell(Side.RESULT, run.new + line, None, Look.LEFT_OUT)
            else:
                left = Cell(Side.BASE, run.old + line, run.old + line + 1, Look.LEFT_OUT)
                right = Cell(Side.BASE, run.old + line, run.number + line, Look.KEPT)
        case _Kind.OUT_REMOVED:
            left = Cell(Side.BASE, old, old + 1, Look.LEFT_OUT)
            right = Cell(Side.BASE, old, number, Look.KEPT)
        case _Kind.OUT_ADDED:
            right = Cell(Side.RESULT, new, None, Look.LEFT_OUT)
    return Row(RowKind.CODE, run.hunk, left=left, right=right, pair=pair)
