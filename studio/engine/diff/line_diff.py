"""Line diff of two file contents: changes and hunks (`FileDiff`).

One FileDiff is the source for the screen, the stored plan and the applied result. It stores numbers, not
objects: changes and hunks are made on access, so that a diff with tens of thousands of them is cheap.
"""

from __future__ import annotations

import threading
from array import array
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import islice
from typing import AnyStr, TypeVar, cast, overload

from msgspec.structs import replace

from studio.engine.diff.line_runs import line_runs
from studio.engine.diff.worker import shared_worker
from studio.engine.plan import HunkRange, Step
from studio.limits import DIFF_IN_PROCESS_BYTES, DIFF_SECONDS
from studio.system import chunks
from studio.system.chunks import collect_numbers
from studio.text import Lines, diff_text
from studio.values import Value


def common_prefix(one: AnyStr, other: AnyStr) -> int:
    """Return the length of the common prefix, by binary search."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def common_suffix(one: AnyStr, other: AnyStr) -> int:
    """Return the length of the common suffix, by binary search."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[len(one) - middle : len(one) - low] == other[len(other) - middle : len(other) - low]:
            low = middle
        else:
            high = middle - 1
    return low


def differing_run(old: bytes, new: bytes) -> array[int]:
    """Return one run between the common first and last lines."""
    start = old.rfind(b"\n", 0, common_prefix(old, new)) + 1
    suffix = min(common_suffix(old, new), len(old) - start, len(new) - start)
    if not all(_begins_line(text, len(text) - suffix) for text in (old, new)):
        end_of_line = old.find(b"\n", len(old) - suffix)
        suffix = len(old) - end_of_line - 1 if end_of_line >= 0 else 0
    lines = old.count(b"\n", 0, start)
    old_count, new_count = (line_count(text[start : len(text) - suffix]) for text in (old, new))
    return array("q", (lines, old_count, lines, new_count))


def _begins_line(text: bytes, offset: int) -> bool:
    return offset == 0 or text[offset - 1 : offset] == b"\n"


def line_count(text: bytes) -> int:
    """Return the number of lines; the last one may lack its LF."""
    ends = sum(text.count(b"\n", *part) for part in chunks.ranges(0, len(text), chunks.BYTES))
    return ends + (1 if text and not text.endswith(b"\n") else 0)


Answer = TypeVar("Answer")


class Change(Value):
    """A run of removed lines and the added lines replacing it.

    Line numbers are 0-based; either run may be empty.
    """

    old_first: int
    old_count: int
    new_first: int
    new_count: int

    @property
    def old_end(self) -> int:
        return self.old_first + self.old_count

    @property
    def new_end(self) -> int:
        return self.new_first + self.new_count

    @property
    def lines(self) -> int:
        """The number of `-` and `+` lines."""
        return self.old_count + self.new_count


class Hunk(Value):
    """Changes with the unchanged lines around them.

    `number` counts from 1; starts are 1-based as git prints them, and the line before where a side has no
    lines.
    """

    number: int
    old_start: int
    old_lines: int
    new_start: int
    new_lines: int
    changes: Sequence[Change]

    @property
    def old_first(self) -> int:
        """The 0-based line of the base at which the hunk begins."""
        return self.old_start - 1 if self.old_lines else self.old_start

    @property
    def new_first(self) -> int:
        """The 0-based line of the result at which the hunk begins."""
        return self.new_start - 1 if self.new_lines else self.new_start

    @property
    def changed_lines(self) -> int:
        """The number of `-` and `+` lines, which selections number from 1."""
        return sum(change.lines for change in self.changes)


class Changes(Sequence[Change]):
    """All changes of a diff in order, stored as columns of numbers."""

    __slots__ = ("new_counts", "new_firsts", "old_counts", "old_firsts")

    def __init__(self, runs: array[int]) -> None:
        """Split the runs of `line_runs`, four numbers for each change, into columns."""
        self.old_firsts, self.old_counts, self.new_firsts, self.new_counts = (
            runs[column::4] for column in range(4)
        )

    def __len__(self) -> int:
        return len(self.old_firsts)

    @overload
    def __getitem__(self, index: int) -> Change: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Change, ...]: ...
    def __getitem__(self, index: int | slice) -> Change | tuple[Change, ...]:
        if isinstance(index, slice):
            return tuple(self[position] for position in range(*index.indices(len(self))))
        return Change(
            self.old_firsts[index], self.old_counts[index], self.new_firsts[index], self.new_counts[index]
        )

    def __iter__(self) -> Iterator[Change]:
        return map(Change, self.old_firsts, self.old_counts, self.new_firsts, self.new_counts)


class Hunks(Sequence[Hunk]):
    """All hunks of a diff in order, created on access.

    `firsts` has the index of the first change of each.
    """

    __slots__ = ("_changes", "_context", "_totals", "firsts")

    def __init__(self, changes: Changes, context: int, totals: tuple[int, int]) -> None:
        """Group changes as git does, joining gaps up to twice the context.

        `totals` are the line counts of both sides.
        """
        self._changes = changes
        self._context = context
        self._totals = totals
        gaps = map(
            int.__sub__,
            islice(changes.old_firsts, 1, None),
            map(int.__add__, changes.old_firsts, changes.old_counts),
        )
        widest_joined_gap = 2 * context
        self.firsts = array("q", [0] if changes else [])
        self.firsts.extend(
            collect_numbers(index for index, gap in enumerate(gaps, 1) if gap > widest_joined_gap)
        )

    def __len__(self) -> int:
        return len(self.firsts)

    @overload
    def __getitem__(self, index: int) -> Hunk: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Hunk, ...]: ...
    def __getitem__(self, index: int | slice) -> Hunk | tuple[Hunk, ...]:
        if isinstance(index, slice):
            return tuple(self[position] for position in range(*index.indices(len(self))))
        position = index + len(self) if index < 0 else index
        if not 0 <= position < len(self):
            raise IndexError(index)
        return self._hunk(position)

    def _hunk(self, position: int) -> Hunk:
        found = self.range_of(position)
        changes = self._changes[self.firsts[position] : self.end_of(position)]
        return Hunk(found.hunk, found.old_start, found.old_lines, found.new_start, found.new_lines, changes)

    def range_of(self, position: int) -> HunkRange:
        """Return the lines of a hunk (0-based), without its changes."""
        changes, first, last = self._changes, self.firsts[position], self.end_of(position) - 1
        old_first, new_first = changes.old_firsts[first], changes.new_firsts[first]
        old_end = changes.old_firsts[last] + changes.old_counts[last]
        new_end = changes.new_firsts[last] + changes.new_counts[last]
        before = min(self._context, old_first)
        after = min(self._context, self._totals[0] - old_end, self._totals[1] - new_end)
        old_first, new_first = old_first - before, new_first - before
        old_lines, new_lines = old_end + after - old_first, new_end + after - new_first
        return HunkRange(
            position + 1,
            old_first + 1 if old_lines else old_first,
            old_lines,
            new_first + 1 if new_lines else new_first,
            new_lines,
        )

    def end_of(self, position: int) -> int:
        """Return the index after the last change of a hunk (0-based)."""
        return self.firsts[position + 1] if position + 1 < len(self.firsts) else len(self._changes)


class FileDiff(Value, eq=False, dict=True):
    """Line difference of two contents, as raw bytes or UTF-8 for UTF-16.

    `is_exact` is false where finding the smallest difference took too long: then all lines between the common
    beginning and the common end are one change. `base_total` counts lines.
    """

    base: bytes
    result: bytes
    context: int
    changes: Changes
    hunks: Hunks
    added: int
    removed: int
    base_total: int
    is_exact: bool = True

    @cached_property
    def _cache(self) -> dict[object, object]:
        return {}

    @cached_property
    def base_lines(self) -> Lines:
        """The base's lines, each with its LF."""
        return Lines(self.base)

    @cached_property
    def result_lines(self) -> Lines:
        """The result's lines, each with its LF."""
        return Lines(self.result)

    @property
    def hunk_ranges(self) -> tuple[HunkRange, ...]:
        return tuple(map(self.hunks.range_of, range(len(self.hunks))))

    def has_hunks_of(self, step: Step) -> bool:
        """Return whether the hunks are those of the step, chosen or not."""
        return self.hunk_ranges == tuple(replace(hunk, chosen=True) for hunk in step.hunks)

    @property
    def is_identical(self) -> bool:
        return not self.changes

    def once(self, find_out: Callable[[FileDiff], Answer]) -> Answer:
        """Return `find_out(self)`, cached for the lifetime of the diff.

        Results may refer to the diff. The function is the cache key, so it has to be defined at module level.
        """
        if find_out not in self._cache:
            self._cache[find_out] = find_out(self)
        return cast(Answer, self._cache[find_out])


def compute(
    base: bytes,
    result: bytes,
    context: int = 3,
    setting: str | None = None,
    *,
    seconds: float = DIFF_SECONDS,
    cancel: threading.Event | None = None,
) -> FileDiff:
    """Compute the line difference, with `context` unchanged lines around each change.

    `setting` is the project's encoding for the path. Large contents are compared by a child process, so that
    other threads keep running; where that takes longer than `seconds` the result is not exact (`is_exact`).
    Raises DiffCancelled soon after `cancel` is set.
    """
    old, new = diff_text(base, setting), diff_text(result, setting)
    # libgit2 holds the interpreter lock while it compares: for 100,000 lines the window would block for 47
    # ms.
    runs: array[int] | None
    if old == new or len(old) + len(new) <= DIFF_IN_PROCESS_BYTES:
        runs = line_runs(old, new)
    else:
        runs = shared_worker().line_runs(old, new, seconds=seconds, cancel=cancel)
    is_exact = runs is not None
    changes = Changes(differing_run(old, new) if runs is None else runs)
    added, removed = sum(changes.new_counts), sum(changes.old_counts)
    total = line_count(old)
    hunks = Hunks(changes, context, (total, total + added - removed))
    return FileDiff(old, new, context, changes, hunks, added, removed, total, is_exact)
