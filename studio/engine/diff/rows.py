"""The rows a diff has on screen: hunk bands, lines, folds; pure functions without any toolkit.

A row map counts rows and keeps no row: a number for each change, whatever the number of lines.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import accumulate, chain
from typing import Literal, NamedTuple, overload

from studio.engine.diff.compute import Change, FileDiff
from studio.engine.diff.pairing import paired
from studio.engine.diff.sections import definition_before, first_definition
from studio.engine.system.chunks import gather

Side = Literal["base", "result"]

SMALLEST_FOLD = 2
"""Fewer hidden lines than this are shown: a fold row would take as much room."""


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


class _Run(NamedTuple):
    """Rows of one kind that follow each other; line indexes and choices grow by one from row to row."""

    rows: int
    kind: RowKind
    hunk: int | None
    old: int | None
    new: int | None
    old_choice: int | None = None
    new_choice: int | None = None
    fold: int | None = None
    hidden: int = 0


class RowMap(Sequence[Row]):
    """All rows of a diff, made when asked for. `columns` is 2 side by side, 1 for the unified order.

    Its units are the changes: each with the rows before it that no earlier unit has, and, after the last
    change of a hunk, the lines around it. The last unit is what follows the last hunk.

    A block is a hunk with the gap before it; the last block is the gap behind the last hunk. `block_starts`
    holds the first row of each block and, as its last item, the number of rows; `folded_gaps` is 1 where a
    block's gap is a fold.
    """

    def __init__(self, diff: FileDiff, columns: int, opened: frozenset[int] | None = frozenset()) -> None:
        """`opened` are the folds that show their lines; None opens all."""
        self.diff = diff
        self.columns = columns
        self._opened = opened
        self._parts: Mapping[int, tuple[Change, ...]] = paired(diff) if columns == 2 else {}
        changes, context = diff.changes, diff.context
        self._old_ends = gather(map(int.__add__, changes.old_firsts, changes.old_counts))
        self._new_ends = gather(map(int.__add__, changes.new_firsts, changes.new_counts))
        rows = self._changed_rows()
        between = gather(map(int.__sub__, changes.old_firsts, chain([0], self._old_ends)))
        between.append(diff.base_total - (self._old_ends[-1] if self._old_ends else 0))
        self._after = 0
        bands = array("q")
        self.folded_gaps = bytearray()
        if rows:
            rows = gather(map(int.__add__, rows, between))
            self._after = min(context, between[-1])
        # At a border between hunks stand a band and perhaps a fold, and not all the lines between.
        for hunk, first in enumerate(diff.hunks.firsts):
            before = min(context, between[first])
            hidden = between[first] - before - (context if first else 0)
            shown = self._gap_rows(hunk, hidden)
            bands.append(shown)
            self.folded_gaps.append(hidden != shown)
            rows[first] += shown + 1 - hidden - (context if first else 0)
            if first:
                rows[first - 1] += context
        if diff.hunks:
            rows[-1] += self._after
        rows.append(self._gap_rows(len(diff.hunks), between[-1] - self._after))
        self.folded_gaps.append(rows[-1] != between[-1] - self._after)
        self._starts = gather(accumulate(rows, initial=0))
        self.block_starts = gather(map(self._starts.__getitem__, diff.hunks.firsts))
        self._bands = gather(map(int.__add__, bands, self.block_starts))
        self.block_starts.extend(self._starts[-2:])

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
        run, step = self._run_at(index)
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
        return self._run_at(index)[0].kind

    def runs(self) -> Iterator[tuple[int, int, RowKind, int | None]]:
        """First row, number of rows, kind and hunk of each run: what an overview map paints."""
        start = 0
        for unit in range(len(self._starts) - 1):
            for run in self._unit(unit):
                yield start, run.rows, run.kind, run.hunk
                start += run.rows

    def parts(self, change: int) -> tuple[Change, ...]:
        """The parts of a change, by its index, whose lines stand beside each other from the first on."""
        return self._parts.get(change, (self.diff.changes[change],))

    def hunk_at(self, index: int) -> int | None:
        """The hunk whose band is the last at or above the row, None above the first band."""
        return bisect_right(self._bands, index) or None

    def _changed_rows(self) -> array[int]:
        """For each change how many rows its own lines take."""
        changes = self.diff.changes
        if self.columns == 1:
            return gather(map(int.__add__, changes.old_counts, changes.new_counts))
        rows = gather(map(max, changes.old_counts, changes.new_counts))
        for index, parts in self._parts.items():
            rows[index] = sum(max(part.old_count, part.new_count) for part in parts)
        return rows

    def _gap_rows(self, fold: int, hidden: int) -> int:
        return 1 if self._folds(fold, hidden) else hidden

    def _folds(self, fold: int, hidden: int) -> bool:
        return hidden >= SMALLEST_FOLD and self._opened is not None and fold not in self._opened

    def _run_at(self, index: int) -> tuple[_Run, int]:
        """The run that holds a row, and the row's place in it."""
        if not 0 <= index < len(self):
            raise IndexError(index)
        unit = bisect_right(self._starts, index) - 1
        step = index - self._starts[unit]
        for run in self._unit(unit):
            if step < run.rows:
                return run, step
            step -= run.rows
        raise IndexError(index)

    def _unit(self, unit: int) -> Iterator[_Run]:
        """The runs of a unit, none of them empty."""
        return (run for run in self._unit_parts(unit) if run.rows)

    def _unit_parts(self, unit: int) -> Iterator[_Run]:
        changes, hunks = self.diff.changes, self.diff.hunks
        number = bisect_right(hunks.firsts, unit)
        old, new = (self._old_ends[unit - 1], self._new_ends[unit - 1]) if unit else (0, 0)
        if unit == len(changes):
            after = self._after
            yield self._gap(len(hunks), old + after, new + after, self.diff.base_total - old - after)
            return
        change = changes[unit]
        is_first = hunks.firsts[number - 1] == unit
        if is_first:
            passed = self.diff.context if unit else 0
            old, new = old + passed, new + passed
            before = min(self.diff.context, change.old_first - old)
            hidden = change.old_first - old - before
            yield self._gap(number - 1, old, new, hidden)
            old, new = old + hidden, new + hidden
            yield _Run(1, RowKind.BAND, number, old, new)
        yield _Run(change.old_first - old, RowKind.CONTEXT, number, old, new)
        yield from self._changed(unit, change, number)
        if hunks.end_of(number - 1) == unit + 1:
            is_last = unit + 1 == len(changes)
            after = self._after if is_last else self.diff.context
            yield _Run(after, RowKind.CONTEXT, number, change.old_end, change.new_end)

    def _gap(self, fold: int, old: int, new: int, hidden: int) -> _Run:
        """The unchanged lines before a hunk or after the last one."""
        if self._folds(fold, hidden):
            return _Run(1, RowKind.FOLD, None, old, new, fold=fold, hidden=hidden)
        return _Run(hidden, RowKind.CONTEXT, None, old, new)

    def _changed(self, unit: int, change: Change, hunk: int) -> Iterator[_Run]:
        before = self.diff.lines_before
        choice = before[unit] - before[self.diff.hunks.firsts[hunk - 1]] + 1
        if self.columns == 1:
            yield from _below(change, hunk, choice)
            return
        for part in self._parts.get(unit, (change,)):
            old_choice = choice + part.old_first - change.old_first
            new_choice = choice + change.old_count + part.new_first - change.new_first
            yield from _beside(part, hunk, old_choice, new_choice)

    def _text(self, run: _Run) -> str:
        lines = self.diff.base_lines
        if run.kind is RowKind.BAND and run.hunk is not None:
            return definition_before(lines, self.diff.hunks[run.hunk - 1].changes[0].old_first)
        if run.kind is RowKind.FOLD and run.old is not None:
            return first_definition(lines, run.old, run.hidden)
        return ""


def side_by_side(diff: FileDiff, *, opened: frozenset[int] = frozenset(), folded: bool = True) -> RowMap:
    """Rows for two columns: lines of a change that resemble each other stand beside each other.

    What resembles nothing stands in order. `opened` are the folds that show their lines; with `folded`
    false no fold hides anything.
    """
    return RowMap(diff, 2, opened if folded else None)


def unified(diff: FileDiff, *, opened: frozenset[int] = frozenset(), folded: bool = True) -> RowMap:
    """Rows for one column: the removed lines of a change, then its added lines."""
    return RowMap(diff, 1, opened if folded else None)


def _beside(part: Change, hunk: int, old_choice: int, new_choice: int) -> Iterator[_Run]:
    pairs = min(part.old_count, part.new_count)
    old, new = part.old_first, part.new_first
    yield _Run(pairs, RowKind.PAIR, hunk, old, new, old_choice, new_choice)
    removed, added = part.old_count - pairs, part.new_count - pairs
    yield _Run(removed, RowKind.REMOVED, hunk, old + pairs, None, old_choice=old_choice + pairs)
    yield _Run(added, RowKind.ADDED, hunk, None, new + pairs, new_choice=new_choice + pairs)


def _below(change: Change, hunk: int, choice: int) -> Iterator[_Run]:
    yield _Run(change.old_count, RowKind.REMOVED, hunk, change.old_first, None, old_choice=choice)
    new_choice = choice + change.old_count
    yield _Run(change.new_count, RowKind.ADDED, hunk, None, change.new_first, new_choice=new_choice)


def _moved(first: int | None, step: int) -> int | None:
    return None if first is None else first + step
