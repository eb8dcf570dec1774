"""Row counts of a diff with folds, side by side or unified.

A row map stores numbers per change, independent of the number of lines.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Mapping
from itertools import accumulate, chain

from studio.engine.diff.line_diff import Change, FileDiff
from studio.engine.diff.pairing import paired
from studio.system.chunks import collect_numbers

SMALLEST_FOLD = 2
"""Fewer hidden lines than this are shown: a fold row would need as much space."""


class RowMap:
    """Row numbers of a diff view with two columns or one (unified).

    A block is a hunk with the gap before it; the last block is the gap after the last hunk. `block_starts`
    has the first row of each block and, as its last item, the number of rows; `folded_gaps` is 1 where a
    block's gap is a fold.
    """

    def __init__(self, diff: FileDiff, columns: int, *, folded: bool) -> None:
        self.diff = diff
        self.columns = columns
        self._folded = folded
        self._parts: Mapping[int, tuple[Change, ...]] = paired(diff) if columns == 2 else {}
        changes, context = diff.changes, diff.context
        old_ends = collect_numbers(map(int.__add__, changes.old_firsts, changes.old_counts))
        rows = self._changed_rows()
        between = collect_numbers(map(int.__sub__, changes.old_firsts, chain([0], old_ends)))
        between.append(diff.base_total - (old_ends[-1] if old_ends else 0))
        after = 0
        self.folded_gaps = bytearray()
        if rows:
            rows = collect_numbers(map(int.__add__, rows, between))
            after = min(context, between[-1])
        # At a border between hunks there is a band and perhaps a fold, and not all the lines between.
        for first in diff.hunks.firsts:
            before = min(context, between[first])
            hidden = between[first] - before - (context if first else 0)
            visible = self._gap_rows(hidden)
            self.folded_gaps.append(hidden != visible)
            rows[first] += visible + 1 - hidden - (context if first else 0)
            if first:
                rows[first - 1] += context
        if diff.hunks:
            rows[-1] += after
        rows.append(self._gap_rows(between[-1] - after))
        self.folded_gaps.append(rows[-1] != between[-1] - after)
        starts = collect_numbers(accumulate(rows, initial=0))
        self.block_starts = collect_numbers(map(starts.__getitem__, diff.hunks.firsts))
        self.block_starts.extend(starts[-2:])

    def __len__(self) -> int:
        return self.block_starts[-1]

    def parts(self, change: int) -> tuple[Change, ...]:
        """Return the parts of a change whose lines are paired in order."""
        return self._parts.get(change, (self.diff.changes[change],))

    def _changed_rows(self) -> array[int]:
        """Return for each change the number of rows of its own lines."""
        changes = self.diff.changes
        if self.columns == 1:
            return collect_numbers(map(int.__add__, changes.old_counts, changes.new_counts))
        rows = collect_numbers(map(max, changes.old_counts, changes.new_counts))
        for index, parts in self._parts.items():
            rows[index] = sum(max(part.old_count, part.new_count) for part in parts)
        return rows

    def _gap_rows(self, hidden: int) -> int:
        return 1 if self._folded and hidden >= SMALLEST_FOLD else hidden


def side_by_side(diff: FileDiff, *, folded: bool = True) -> RowMap:
    """Return the rows for two columns, with similar lines side by side.

    Lines without a match are in order. With `folded` false no fold hides anything.
    """
    return RowMap(diff, 2, folded=folded)


def unified(diff: FileDiff, *, folded: bool = True) -> RowMap:
    """Return the rows for one column: removed lines, then added ones."""
    return RowMap(diff, 1, folded=folded)


def line_on_other_side(diff: FileDiff, line: int, *, is_base: bool) -> int:
    """Return the 0-based line opposite a line, else the nearest."""
    changes = diff.changes
    sides = (changes.old_firsts, changes.old_counts), (changes.new_firsts, changes.new_counts)
    (firsts, counts), (others, other_counts) = sides if is_base else sides[::-1]
    index = bisect_right(firsts, line) - 1
    if index < 0:
        return line
    inside, count = line - firsts[index], counts[index]
    if inside >= count:
        return others[index] + other_counts[index] + inside - count
    return others[index] + min(inside, max(0, other_counts[index] - 1))
