"""Lines of a step that a plan moves: where they stand here, and where their other end is."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass

from studio.ui.diff.model.cells import Side


@dataclass(frozen=True, slots=True)
class MovedPart:
    """`count` lines of a side of the shown step from the 0-based `first` on. Their other end is in step
    `other_step`, whose file is called `path`, from the 0-based `other_first` on."""

    side: Side
    first: int
    count: int
    other_step: int
    other_first: int
    path: str

    @property
    def other_side(self) -> Side:
        return Side.RESULT if self.side is Side.BASE else Side.BASE


class MovedLines:
    """The parts of one step, which never overlap."""

    def __init__(self, parts: Iterable[MovedPart] = ()) -> None:
        self._parts: dict[Side, list[MovedPart]] = {side: [] for side in Side}
        for part in sorted(parts, key=lambda each: each.first):
            self._parts[part.side].append(part)

    def part(self, side: Side, line: int) -> MovedPart | None:
        """The part that a line belongs to."""
        parts = self._parts[side]
        at = bisect_right(parts, line, key=lambda each: each.first) - 1
        return parts[at] if at >= 0 and line < parts[at].first + parts[at].count else None

    def first(self) -> MovedPart | None:
        """The one that stands first in the file, as it was before or else as it will be."""
        return next((parts[0] for parts in self._parts.values() if parts), None)

    def __bool__(self) -> bool:
        return any(self._parts.values())
