"""Aligned lines outside the conflicts of a three-way merge, with folds.

Free of any toolkit. Lines are lines of diff text; lines and rows count from 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum
from typing import TYPE_CHECKING

from studio.engine.diff import LineRange, MergeConflict, MergePlace
from studio.values import Value

if TYPE_CHECKING:
    from studio.text import Lines


class Column(Enum):
    """The two merged texts: the file on disk, and the proposal."""

    DISK = "disk"
    PROPOSED = "proposed"


class Stretch(Value):
    """Aligned lines of both texts; the merged text has those of `result`.

    `stays` says of disk and proposal whether its lines equal the result's; `is_merged` that at least one of
    them was changed here.
    """

    disk: LineRange
    proposed: LineRange
    result: Column
    stays: tuple[bool, bool] = (True, True)
    is_merged: bool = False

    @property
    def result_lines(self) -> LineRange:
        """The lines of the column `result`."""
        return self.disk if self.result is Column.DISK else self.proposed

    @property
    def rows(self) -> int:
        return max(self.disk.count, self.proposed.count)


class Hidden(Value):
    """What a fold hides: lines of the result, and automatically merged places."""

    lines: int
    merged: int


class Gap:
    """The part before the first conflict, between two, or after the last."""

    def __init__(self) -> None:
        self.stretches: list[Stretch] = []

    @property
    def rows(self) -> int:
        return sum(stretch.rows for stretch in self.stretches)

    @property
    def lines(self) -> int:
        """Number of its lines in the result."""
        return sum(stretch.result_lines.count for stretch in self.stretches)

    def part(self, first: int, behind: int) -> Iterator[tuple[Stretch, int, int]]:
        """Yield each row's stretch, its index there, and earlier result lines."""
        row = result = 0
        for stretch in self.stretches:
            for at in range(max(0, first - row), min(stretch.rows, behind - row)):
                yield stretch, at, result
            row += stretch.rows
            result += stretch.result_lines.count

    def hidden(self, first: int, behind: int) -> Hidden:
        """Return what is in some hidden rows."""
        lines = merged = row = 0
        for stretch in self.stretches:
            begin, end = max(0, first - row), min(stretch.rows, behind - row)
            if begin < end:
                lines += min(stretch.result_lines.count, end) - min(stretch.result_lines.count, begin)
                merged += stretch.is_merged
            row += stretch.rows
        return Hidden(lines, merged)


def gaps_between(places: Sequence[MergePlace], base: Lines, disk: Lines, proposed: Lines) -> list[Gap]:
    """Return the gaps around the conflicts: one more than conflicts."""
    gaps = [Gap()]
    disk_line = proposed_line = 0
    for place in places:
        _add_equal(gaps[-1], disk_line, proposed_line, place.current.first - disk_line)
        if isinstance(place, MergeConflict):
            gaps.append(Gap())
        else:
            gaps[-1].stretches.append(_merge_stretch(place, base, disk, proposed))
        disk_line = place.current.first + place.current.count
        proposed_line = place.proposed.first + place.proposed.count
    _add_equal(gaps[-1], disk_line, proposed_line, len(disk) - disk_line)
    return gaps


def _add_equal(gap: Gap, disk: int, proposed: int, count: int) -> None:
    if count:
        gap.stretches.append(Stretch(LineRange(disk, count), LineRange(proposed, count), Column.DISK))


def _merge_stretch(place: MergePlace, base: Lines, disk: Lines, proposed: Lines) -> Stretch:
    before = base.block(place.base.first, place.base.count)
    now = disk.block(place.current.first, place.current.count)
    proposed_text = proposed.block(place.proposed.first, place.proposed.count)
    result, text = (Column.DISK, now) if proposed_text == before else (Column.PROPOSED, proposed_text)
    return Stretch(
        place.current, place.proposed, result, (now == text, proposed_text == text), is_merged=True
    )
