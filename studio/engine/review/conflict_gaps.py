"""How the three texts of a rebase stand beside each other between its conflicts; no toolkit.

Lines count from 0 and are lines of diff text; rows count from 0, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from studio.engine.diff import LineRange, MergeConflict, MergePlace

if TYPE_CHECKING:
    from studio.engine.text import Lines


class Column(Enum):
    """The two texts that are merged: what is on disk now, and what is proposed."""

    DISK = "disk"
    PROPOSED = "proposed"


@dataclass(frozen=True, slots=True)
class Stretch:
    """Lines of both texts beside each other, and which of them (`result`) are in the merged one.

    `stays` says of disk and proposed whether what stands there is also what the result holds; `is_merged`
    that at least one of them was changed there.
    """

    disk: LineRange
    proposed: LineRange
    result: Column
    stays: tuple[bool, bool] = (True, True)
    is_merged: bool = False

    @property
    def kept(self) -> LineRange:
        """The lines of the column `result` that the merged text holds."""
        return self.disk if self.result is Column.DISK else self.proposed

    @property
    def rows(self) -> int:
        return max(self.disk.count, self.proposed.count)


@dataclass(frozen=True, slots=True)
class Hidden:
    """What a fold hides: lines of the result, and places that were merged by themselves."""

    lines: int
    merged: int


class Gap:
    """What stands before the first conflict, between two, or after the last."""

    def __init__(self) -> None:
        self.stretches: list[Stretch] = []

    @property
    def rows(self) -> int:
        return sum(stretch.rows for stretch in self.stretches)

    @property
    def lines(self) -> int:
        """How many lines of the result it holds."""
        return sum(stretch.kept.count for stretch in self.stretches)

    def part(self, first: int, behind: int) -> Iterator[tuple[Stretch, int, int]]:
        """For each of some rows its stretch, the row in it, and how many result lines stand before it."""
        row = result = 0
        for stretch in self.stretches:
            for at in range(max(0, first - row), min(stretch.rows, behind - row)):
                yield stretch, at, result
            row += stretch.rows
            result += stretch.kept.count

    def hidden(self, first: int, behind: int) -> Hidden:
        """What some rows hold that are not shown."""
        lines = merged = row = 0
        for stretch in self.stretches:
            begin, end = max(0, first - row), min(stretch.rows, behind - row)
            if begin < end:
                lines += min(stretch.kept.count, end) - min(stretch.kept.count, begin)
                merged += stretch.is_merged
            row += stretch.rows
        return Hidden(lines, merged)


def gaps_between(places: Sequence[MergePlace], base: Lines, disk: Lines, proposed: Lines) -> list[Gap]:
    """The gaps around the conflicts among `places`: one more than there are conflicts."""
    gaps = [Gap()]
    here = there = 0
    for place in places:
        _add_equal(gaps[-1], here, there, place.current.first - here)
        if isinstance(place, MergeConflict):
            gaps.append(Gap())
        else:
            gaps[-1].stretches.append(_merged(place, base, disk, proposed))
        here = place.current.first + place.current.count
        there = place.proposed.first + place.proposed.count
    _add_equal(gaps[-1], here, there, len(disk) - here)
    return gaps


def _add_equal(gap: Gap, disk: int, proposed: int, count: int) -> None:
    if count:
        gap.stretches.append(Stretch(LineRange(disk, count), LineRange(proposed, count), Column.DISK))


def _merged(place: MergePlace, base: Lines, disk: Lines, proposed: Lines) -> Stretch:
    before = base.block(place.base.first, place.base.count)
    now = disk.block(place.current.first, place.current.count)
    wanted = proposed.block(place.proposed.first, place.proposed.count)
    result, text = (Column.DISK, now) if wanted == before else (Column.PROPOSED, wanted)
    return Stretch(place.current, place.proposed, result, (now == text, wanted == text), is_merged=True)
