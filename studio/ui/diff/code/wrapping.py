"""Screen line counts of long lines in a wrapped diff.

Long lines are found by searching the bytes, so that other lines cost nothing. What depends on the font, such
as wide characters, is recorded when a line is painted.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Mapping

from msgspec import Struct, field

from studio.text import Lines
from studio.ui.diff.model.cells import Side

_NOT_PLAIN = re.compile(rb"[^\x20-\x7e\r\n]")


class _MeasuredHeights(Struct):
    """Lines with a measured count of screen lines, ascending."""

    lines: list[int] = field(default_factory=list[int])
    counts: dict[int, int] = field(default_factory=dict[int, int])


class WrappedLines:
    """Lines longer than `columns`.

    `lines` returns the lines of a side, `width` the columns that one of them takes.
    """

    def __init__(
        self, columns: int, lines: Callable[[Side], Lines], width: Callable[[Side, int], int]
    ) -> None:
        self.columns = max(1, columns)
        self._lines = lines
        self._width = width
        self._heights = {side: _MeasuredHeights() for side in Side}
        self._plain: dict[Side, bool] = {}

    def tall_lines(self, side: Side, first: int, count: int) -> Mapping[int, int]:
        """Return lines that take several screen lines, with their counts."""
        lines = self._lines(side)
        start, end = lines.starts[first], lines.starts[min(first + count, len(lines))]
        found = self._long_lines(side, lines, start, end) if end - start > self._shortest(side) else {}
        heights = self._heights[side]
        at = bisect_left(heights.lines, first)
        for line in heights.lines[at : bisect_left(heights.lines, first + count)]:
            found[line] = heights.counts[line]
        return {line: screen for line, screen in found.items() if screen > 1}

    def learn(self, side: Side, line: int, count: int) -> bool:
        """Record a line's screen lines; return whether the count is new."""
        if self.tall_lines(side, line, 1).get(line, 1) == count:
            return False
        heights = self._heights[side]
        if line not in heights.counts:
            insort(heights.lines, line)
        heights.counts[line] = count
        return True

    def _long_lines(self, side: Side, lines: Lines, start: int, end: int) -> dict[int, int]:
        plain = self._is_plain(side)
        found: dict[int, int] = {}
        pattern = re.compile(rb"[^\n]{%d,}" % self._shortest(side))
        for match in pattern.finditer(lines.data, start, end):
            line = bisect_right(lines.starts, match.start()) - 1
            if plain:
                length = match.end() - match.start() - match.group().endswith(b"\r")
            else:
                length = self._width(side, line)
            found[line] = -(-length // self.columns)
        return found

    def _shortest(self, side: Side) -> int:
        """Return the fewest bytes of a line that may wrap.

        Tabs and escapes make a line wider than its bytes.
        """
        return self.columns + 1 if self._is_plain(side) else max(1, self.columns * 2 // 3)

    def _is_plain(self, side: Side) -> bool:
        if side not in self._plain:
            self._plain[side] = _NOT_PLAIN.search(self._lines(side).data) is None
        return self._plain[side]
