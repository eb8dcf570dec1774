"""Reuse of the previous text version's syntax highlighting for unchanged lines."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from studio.text import Lines
from studio.ui.diff.code import colouring
from studio.values import Value

Spans = tuple[colouring.Span, ...]


class SideColours(Value):
    """Highlighting of one side, by blocks or as a whole."""

    lines: Lines
    blocks: Mapping[int, tuple[Spans, ...]]
    whole: tuple[Spans, ...] | None

    def of(self, line: int) -> Spans:
        """Return the highlighting of a line, empty if there is none."""
        if self.whole is not None:
            return self.whole[line]
        block = colouring.block_at(line, len(self.lines), colouring.QUICK_LOOK_BACK_LINES)
        spans = self.blocks.get(block.first)
        return spans[line - block.first] if spans is not None else ()

    def __bool__(self) -> bool:
        return self.whole is not None or bool(self.blocks)


class CachedColours:
    """Reuse of old highlighting for a text's unchanged beginning and end."""

    def __init__(self, before: SideColours, lines: Lines) -> None:
        self._before = before
        old, new = before.lines, lines
        most = min(len(old), len(new))
        self._same = _count_agreeing(most, lambda count: old.block(0, count) == new.block(0, count))
        self._shift = len(old) - len(new)
        rest = most - self._same
        ends = _count_agreeing(
            rest,
            lambda count: old.block(len(old) - count, count) == new.block(len(new) - count, count),
        )
        self._end = len(new) - ends

    def of(self, line: int) -> Spans:
        """Return the old highlighting of a new line, or none."""
        if line < self._same:
            return self._before.of(line)
        return self._before.of(line + self._shift) if line >= self._end else ()


def _count_agreeing(most: int, agrees: Callable[[int], bool]) -> int:
    """Return the largest count up to `most` that agrees, by binary search."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if agrees(middle):
            low = middle
        else:
            high = middle - 1
    return low
