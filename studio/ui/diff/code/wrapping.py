"""Wrapping: which files wrap, where lines break, screen line counts.

Long lines are found by searching the bytes, so that other lines cost nothing. What depends on the font, such
as wide characters, is recorded when a line is painted.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Mapping
from enum import Enum

from msgspec import Struct, field

from studio.text import Lines
from studio.ui.diff.model.cells import Side


class WrapKind(Enum):
    """Kinds of files; all but code wrap unless chosen otherwise."""

    CODE = "code"
    PROSE = "prose"
    LONG_LINES = "long_lines"


_PROSE = frozenset("adoc asciidoc markdown md mdx org rst tex text textile txt".split())
_PROSE_NAMES = frozenset(
    "authors changelog changes contributing copying license news notice readme todo".split()
)
_LONG_ON_AVERAGE = 400
"""Bytes of an average line in a file that was not written line by line."""


def wrap_kind(path: str, *sides: Lines) -> WrapKind:
    """Return a file's kind, by its name and line lengths."""
    if any(len(lines.data) > _LONG_ON_AVERAGE * len(lines) for lines in sides):
        return WrapKind.LONG_LINES
    name, _, suffix = path.rpartition("/")[2].lower().partition(".")
    is_prose = suffix.rpartition(".")[2] in _PROSE or (not suffix and name in _PROSE_NAMES)
    return WrapKind.PROSE if is_prose else WrapKind.CODE


def word_breaks(text: str, columns: int) -> list[int]:
    """Return where screen lines begin, after blanks if possible."""
    breaks, at, end = [0], 0, len(text) - columns
    while at < end:
        blank = text.rfind(" ", at + 1, at + columns + 1)
        at = blank + 1 if blank > 0 else at + columns
        if at < len(text):
            breaks.append(at)
    return breaks


_NOT_PLAIN = re.compile(rb"[^\x20-\x7e\r\n]")


class _MeasuredHeights(Struct):
    """Lines with a measured count of screen lines, ascending."""

    lines: list[int] = field(default_factory=list[int])
    counts: dict[int, int] = field(default_factory=dict[int, int])


class WrappedLines:
    """Lines longer than `columns`.

    `lines` returns the lines of a side, `text` one of them as drawn.
    """

    def __init__(
        self, columns: int, lines: Callable[[Side], Lines], text: Callable[[Side, int], str]
    ) -> None:
        self.columns = max(1, columns)
        self._lines = lines
        self._text = text
        self._counts: dict[tuple[Side, int], int] = {}
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
        found: dict[int, int] = {}
        pattern = re.compile(rb"[^\n]{%d,}" % self._shortest(side))
        for match in pattern.finditer(lines.data, start, end):
            line = bisect_right(lines.starts, match.start()) - 1
            if (side, line) not in self._counts:
                self._counts[side, line] = len(word_breaks(self._text(side, line), self.columns))
            found[line] = self._counts[side, line]
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
