"""Data type for line blocks moved within a plan: source and destination."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable

from studio.ui.diff.model.cells import Side
from studio.values import Value


class MovedPart(Value):
    """One end of a moved block: `count` lines from the 0-based `first`.

    Its counterpart is in step `other_step`, in file `path`, from the 0-based `other_first`.
    """

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
    """Moved blocks of one step, which never overlap."""

    def __init__(self, parts: Iterable[MovedPart] = ()) -> None:
        self._parts: dict[Side, list[MovedPart]] = {side: [] for side in Side}
        for part in sorted(parts, key=lambda each: each.first):
            self._parts[part.side].append(part)

    def part(self, side: Side, line: int) -> MovedPart | None:
        """Return the moved block of a line, None if there is none."""
        parts = self._parts[side]
        at = bisect_right(parts, line, key=lambda each: each.first) - 1
        return parts[at] if at >= 0 and line < parts[at].first + parts[at].count else None

    def first(self) -> MovedPart | None:
        """Return the first moved block of the base, else of the result."""
        return next((parts[0] for parts in self._parts.values() if parts), None)

    def __bool__(self) -> bool:
        return any(self._parts.values())
