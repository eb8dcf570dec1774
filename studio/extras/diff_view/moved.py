"""Detection of code that a plan moves within or between files.

Lines are compared without the white space around them, so that code which moved into another block is found.
The result is only displayed; nothing is decided by it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from studio.engine.diff.line_diff import compute
from studio.limits import MOVED_PLACES_UP_TO
from studio.values import Value

_LEAST_LETTERS: Final = 20
"""Minimum of letters and digits in a block: closing brackets are everywhere."""
_LEAST_LINES: Final = 2


class ChangedRun(Value):
    """Lines that one change of a step removes or adds, stripped.

    `first` is the 0-based number of the first; `change` counts the step's changes.
    """

    step: int
    change: int
    first: int
    lines: tuple[bytes, ...]


class ChangedRuns(Value):
    """Removed and added runs of steps, in their order."""

    removed: tuple[ChangedRun, ...]
    added: tuple[ChangedRun, ...]

    def __add__(self, other: ChangedRuns) -> ChangedRuns:
        return ChangedRuns(self.removed + other.removed, self.added + other.added)


class MovedBlock(Value):
    """`count` lines that step `step` removes and step `to_step` adds.

    `first` and `to_first` are 0-based.
    """

    step: int
    first: int
    to_step: int
    to_first: int
    count: int


class StepSides(Value):
    """Both contents of a step, and the project's encoding for its path."""

    step: int
    base: bytes
    result: bytes
    setting: str | None


def changed_runs(sides: Iterable[StepSides]) -> ChangedRuns:
    """Collect the runs of text lines that these steps remove and add."""
    removed: list[ChangedRun] = []
    added: list[ChangedRun] = []
    for each in sides:
        diff = compute(each.base, each.result, 0, each.setting)
        base, result = diff.base_lines, diff.result_lines
        for number, change in enumerate(diff.changes):
            for runs, lines, first, end in (
                (removed, base, change.old_first, change.old_end),
                (added, result, change.new_first, change.new_end),
            ):
                if first < end:
                    stripped = tuple(line.strip() for line in lines[first:end])
                    runs.append(ChangedRun(each.step, number, first, stripped))
    return ChangedRuns(tuple(removed), tuple(added))


def moved_blocks(runs: ChangedRuns) -> tuple[MovedBlock, ...]:
    """Find the blocks that are both removed and added.

    Each line is in one block at most. Of several possible sources the one with the longest match wins, then
    the first.
    """
    index = _RemovedLines(runs.removed)
    found: list[MovedBlock] = []
    for run in runs.added:
        at = 0
        while at < len(run.lines):
            block = index.longest(run, at)
            if block is None:
                at += 1
            else:
                index.use_block(block)
                found.append(block)
                at = block.to_first - run.first + block.count
    return tuple(found)


class _RemovedLines:
    """Index of removed lines that are in no block yet."""

    def __init__(self, removed: Sequence[ChangedRun]) -> None:
        self._used: set[tuple[int, int]] = set()
        self._positions: dict[bytes, list[tuple[ChangedRun, int]]] = {}
        for run in removed:
            for at, line in enumerate(run.lines):
                if line:
                    self._positions.setdefault(line, []).append((run, at))

    def longest(self, run: ChangedRun, at: int) -> MovedBlock | None:
        """Return the longest block that begins with this added line."""
        found = self._positions.get(run.lines[at], ())
        # A line that occurs everywhere begins no block worth the time.
        if not found or len(found) > MOVED_PLACES_UP_TO:
            return None
        best: MovedBlock | None = None
        for candidate in found:
            count = self._count(candidate, run, at)
            if count and (best is None or count > best.count):
                source, first = candidate
                best = MovedBlock(source.step, source.first + first, run.step, run.first + at, count)
        return best

    def use_block(self, block: MovedBlock) -> None:
        self._used.update((block.step, block.first + line) for line in range(block.count))

    def _count(self, candidate: tuple[ChangedRun, int], run: ChangedRun, at: int) -> int:
        """Return the length of a matching block; 0 for none."""
        source, first = candidate
        # Lines that a change only reindents have not moved.
        if (source.step, source.change) == (run.step, run.change):
            return 0
        length = min(len(source.lines) - first, len(run.lines) - at)
        count = 0
        while (
            count < length
            and source.lines[first + count] == run.lines[at + count]
            and (source.step, source.first + first + count) not in self._used
        ):
            count += 1
        while count and not run.lines[at + count - 1]:
            count -= 1
        return count if _is_significant(run.lines[at : at + count]) else 0


def _is_significant(lines: Sequence[bytes]) -> bool:
    texts = [line for line in lines if line]
    letters = 0
    for line in texts:
        letters += sum(map(_is_letter, line))
        if letters >= _LEAST_LETTERS and len(texts) >= _LEAST_LINES:
            return True
    return False


def _is_letter(byte: int) -> bool:
    return byte >= 0x80 or chr(byte).isalnum()
