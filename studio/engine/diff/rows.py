"""The rows a diff has on screen: hunk bands, lines, folds; pure functions without any toolkit.

A row map keeps runs of equal rows, not rows: it costs what the diff has of hunks, not of lines.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Literal, overload

from studio.engine.diff.compute import Change, FileDiff, Hunk
from studio.engine.text import Lines

Side = Literal["base", "result"]

SMALLEST_FOLD = 2
"""Fewer hidden lines than this are shown: a fold row would take as much room."""
DEFINITION_SEARCH_LINES = 2000
"""How many lines are looked through for the definition that names a band or a fold."""

_DEFINITION = re.compile(
    rb"[ \t]*(?:(?:export|default|async|public|private|protected|internal|static|final|abstract|override|pub"
    rb"|inline|extern|unsafe|sealed|partial|virtual|declare)(?:\([a-z]+\))?[ \t]+)*"
    rb"(?:def|class|function|fn|func|fun|struct|enum|interface|trait|impl|module|namespace|record|type|union"
    rb"|sub|procedure|macro_rules!|#define|protocol|extension|object)\b[ \t*]*[\w$(<\"]"
    rb"|#{1,6} \S|\[[\w.\-\" ]+\][ \t]*\r?\n?\Z|(?i:create[ \t]+(?:or[ \t]+replace[ \t]+)?"
    rb"(?:table|view|function|procedure|trigger|index))\b"
)
# C functions, selectors, keys: a name in column 1 with a sign that something begins there.
_LIKELY_DEFINITION = re.compile(rb"[A-Za-z_$.@][^\n]*(?:\(|[:{][ \t]*\r?\n?\Z)")
_TEXT_BYTES = 160


class RowKind(Enum):
    BAND = "band"
    CONTEXT = "context"
    PAIR = "pair"
    REMOVED = "removed"
    ADDED = "added"
    FOLD = "fold"


@dataclass(frozen=True, slots=True)
class Row:
    """One row. `old` and `new` are 0-based line indexes; a fold's are those of its first hidden line.

    `hunk` is the number of the hunk the row belongs to, None outside. `old_choice` and `new_choice` are
    the numbers of its `-` and `+` line in a choice of lines. `fold` numbers
    the gaps between hunks, 0 before the first; `hidden` counts its lines. `text` is the section of a
    band or the first definition in a fold.
    """

    kind: RowKind
    hunk: int | None = None
    old: int | None = None
    new: int | None = None
    old_choice: int | None = None
    new_choice: int | None = None
    fold: int | None = None
    hidden: int = 0
    text: str = ""


@dataclass(frozen=True, slots=True)
class _Run:
    """Rows of one kind that follow each other; line indexes and choices grow by one from row to row."""

    kind: RowKind
    hunk: int | None
    old: int | None
    new: int | None
    old_choice: int | None = None
    new_choice: int | None = None
    fold: int | None = None
    hidden: int = 0


_AddChange = Callable[["RowMap", int, Change, int], None]


class RowMap(Sequence[Row]):
    """All rows of a diff, made when asked for. `columns` is 2 side by side, 1 for the unified order."""

    def __init__(self, diff: FileDiff, columns: int) -> None:
        self.diff = diff
        self.columns = columns
        self._runs: list[_Run] = []
        self._starts: list[int] = [0]
        self._bands: list[int] = []
        self._line_runs: dict[Side, tuple[list[int], list[int]]] = {}

    def __len__(self) -> int:
        return self._starts[-1]

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Row]: ...
    def __getitem__(self, index: int | slice) -> Row | Sequence[Row]:
        if isinstance(index, slice):
            return [self.row(position) for position in range(*index.indices(len(self)))]
        return self.row(index + len(self) if index < 0 else index)

    def __iter__(self) -> Iterator[Row]:
        return (self.row(index) for index in range(len(self)))

    def row(self, index: int) -> Row:
        """The row with that number, from 0. Raises IndexError."""
        if not 0 <= index < len(self):
            raise IndexError(index)
        position = bisect_right(self._starts, index) - 1
        run, step = self._runs[position], index - self._starts[position]
        return Row(
            run.kind,
            run.hunk,
            _moved(run.old, step),
            _moved(run.new, step),
            _moved(run.old_choice, step),
            _moved(run.new_choice, step),
            run.fold,
            run.hidden,
            self._text(run),
        )

    def kind(self, index: int) -> RowKind:
        """The kind of a row, without making the row."""
        return self._runs[bisect_right(self._starts, index) - 1].kind

    def runs(self) -> Iterator[tuple[int, int, RowKind, int | None]]:
        """First row, number of rows, kind and hunk of each run: what an overview map paints."""
        for position, run in enumerate(self._runs):
            yield (
                self._starts[position],
                self._starts[position + 1] - self._starts[position],
                run.kind,
                run.hunk,
            )

    def band_row(self, hunk: int) -> int:
        """The row of a hunk's band; `hunk` counts from 1. Raises IndexError."""
        if hunk < 1:
            raise IndexError(hunk)
        return self._bands[hunk - 1]

    def hunk_at(self, index: int) -> int | None:
        """The hunk whose band is the last at or above the row, None above the first band."""
        return bisect_right(self._bands, index) or None

    def row_of_line(self, side: Side, line: int) -> int | None:
        """The row that shows the 0-based line of a side, or the fold that hides it; None past the end."""
        firsts, positions = self._lines_of(side)
        found = bisect_right(firsts, line) - 1
        if found < 0:
            return None
        start = self._starts[positions[found]]
        run = self._runs[positions[found]]
        if run.kind is RowKind.FOLD:
            return start if line < firsts[found] + run.hidden else None
        row = start + line - firsts[found]
        return row if row < self._starts[positions[found] + 1] else None

    def add(self, run: _Run, rows: int) -> None:
        """Append `rows` rows that continue each other; nothing for none."""
        if rows > 0:
            if run.kind is RowKind.BAND:
                self._bands.append(self._starts[-1])
            self._runs.append(run)
            self._starts.append(self._starts[-1] + rows)

    def _lines_of(self, side: Side) -> tuple[list[int], list[int]]:
        """The first lines of the runs that show lines of a side, and those runs' positions."""
        if side not in self._line_runs:
            showing = [
                (first, position)
                for position, run in enumerate(self._runs)
                if run.kind is not RowKind.BAND
                and (first := run.old if side == "base" else run.new) is not None
            ]
            self._line_runs[side] = [first for first, _ in showing], [position for _, position in showing]
        return self._line_runs[side]

    def _text(self, run: _Run) -> str:
        lines = self.diff.base_lines
        if run.kind is RowKind.BAND and run.hunk is not None:
            return definition_before(lines, self.diff.hunks[run.hunk - 1].changes[0].old_first)
        if run.kind is RowKind.FOLD and run.old is not None:
            return first_definition(lines, run.old, run.hidden)
        return ""


def side_by_side(diff: FileDiff, *, opened: frozenset[int] = frozenset(), folded: bool = True) -> RowMap:
    """Rows for two columns: removed and added lines of a change stand beside each other in order.

    `opened` are the folds that show their lines; with `folded` false no fold hides anything.
    """
    rows = RowMap(diff, 2)
    _fill(rows, opened if folded else None, _change_beside)
    return rows


def unified(diff: FileDiff, *, opened: frozenset[int] = frozenset(), folded: bool = True) -> RowMap:
    """Rows for one column: the removed lines of a change, then its added lines."""
    rows = RowMap(diff, 1)
    _fill(rows, opened if folded else None, _change_below)
    return rows


def map_line(diff: FileDiff, side: Side, line: float) -> float:
    """The place on the other side that belongs to a 0-based place on `side`, which may lie in a line.

    Inside a change it moves in proportion, elsewhere line by line; it never runs backwards.
    """
    changes = diff.changes
    if side == "base":
        position = bisect_right(changes, line, key=_old_first) - 1
        if position < 0:
            return line
        change = changes[position]
        ends = change.old_first, change.old_count, change.new_first, change.new_count
    else:
        position = bisect_right(changes, line, key=_new_first) - 1
        if position < 0:
            return line
        change = changes[position]
        ends = change.new_first, change.new_count, change.old_first, change.old_count
    here, here_count, there, there_count = ends
    inside = line - here
    if inside >= here_count:
        return there + there_count + inside - here_count
    return there + inside * there_count / here_count


def definition_before(lines: Lines, line: int) -> str:
    """The nearest definition before the 0-based `line`; else what looks like one in column 1."""
    likely = ""
    for index in range(min(line, len(lines)) - 1, max(-1, line - 1 - DEFINITION_SEARCH_LINES), -1):
        text = _head(lines, index)
        if _DEFINITION.match(text):
            return _display(text)
        if not likely and _LIKELY_DEFINITION.match(text):
            likely = _display(text)
    return likely


def first_definition(lines: Lines, first: int, count: int) -> str:
    """The first definition among `count` lines from the 0-based line `first`; empty without one."""
    for index in range(first, min(first + min(count, DEFINITION_SEARCH_LINES), len(lines))):
        text = _head(lines, index)
        if _DEFINITION.match(text):
            return _display(text)
    return ""


def _fill(rows: RowMap, opened: frozenset[int] | None, add_change: _AddChange) -> None:
    """Add all rows; `opened` None shows every fold's lines."""
    diff = rows.diff
    old = new = 0
    for hunk in diff.hunks:
        _gap(rows, hunk.number - 1, (old, new), hunk.old_first - old, opened)
        rows.add(_Run(RowKind.BAND, hunk.number, hunk.old_first, hunk.new_first), 1)
        old, new = _hunk(rows, hunk, add_change)
    _gap(rows, len(diff.hunks), (old, new), len(diff.base_lines) - old, opened)


def _gap(rows: RowMap, fold: int, at: tuple[int, int], count: int, opened: frozenset[int] | None) -> None:
    """The unchanged lines before a hunk or after the last one, from the lines `at` of both sides."""
    if count >= SMALLEST_FOLD and opened is not None and fold not in opened:
        rows.add(_Run(RowKind.FOLD, None, *at, fold=fold, hidden=count), 1)
    else:
        rows.add(_Run(RowKind.CONTEXT, None, *at), count)


def _hunk(rows: RowMap, hunk: Hunk, add_change: _AddChange) -> tuple[int, int]:
    """Add a hunk's lines; returns the lines of both sides after it."""
    old, new = hunk.old_first, hunk.new_first
    choice = 1
    for change in hunk.changes:
        rows.add(_Run(RowKind.CONTEXT, hunk.number, old, new), change.old_first - old)
        add_change(rows, hunk.number, change, choice)
        choice += change.old_count + change.new_count
        old, new = change.old_end, change.new_end
    after = hunk.old_first + hunk.old_lines - old
    rows.add(_Run(RowKind.CONTEXT, hunk.number, old, new), after)
    return old + after, new + after


def _change_beside(rows: RowMap, hunk: int, change: Change, choice: int) -> None:
    pairs = min(change.old_count, change.new_count)
    new_choice = choice + change.old_count
    rows.add(_Run(RowKind.PAIR, hunk, change.old_first, change.new_first, choice, new_choice), pairs)
    removed = _Run(RowKind.REMOVED, hunk, change.old_first + pairs, None, old_choice=choice + pairs)
    rows.add(removed, change.old_count - pairs)
    added = _Run(RowKind.ADDED, hunk, None, change.new_first + pairs, new_choice=new_choice + pairs)
    rows.add(added, change.new_count - pairs)


def _change_below(rows: RowMap, hunk: int, change: Change, choice: int) -> None:
    rows.add(_Run(RowKind.REMOVED, hunk, change.old_first, None, old_choice=choice), change.old_count)
    added = _Run(RowKind.ADDED, hunk, None, change.new_first, new_choice=choice + change.old_count)
    rows.add(added, change.new_count)


def _old_first(change: Change) -> int:
    return change.old_first


def _new_first(change: Change) -> int:
    return change.new_first


def _moved(first: int | None, step: int) -> int | None:
    return None if first is None else first + step


def _head(lines: Lines, index: int) -> bytes:
    """The beginning of a line: enough to name a section, however long the line is."""
    start = lines.starts[index]
    return lines.data[start : min(lines.starts[index + 1], start + _TEXT_BYTES)]


def _display(head: bytes) -> str:
    return head.decode("utf-8", "replace").strip()
