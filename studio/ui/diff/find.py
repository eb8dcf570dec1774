"""Finding text in a diff: in the result, and in the base where lines go."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from studio.engine.text import Lines
from studio.ui.diff.layout import Side

MOST_HITS = 10_000
"""After so many the search stops; the count then says "more than"."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A place that was found: bytes `start` to `end` of a line (0-based) of one side."""

    side: Side
    line: int
    start: int
    end: int


def find_in(lines: Lines, side: Side, wanted: str, encoding: str = "utf-8") -> Iterator[Hit]:
    """All places of a text in one side, in order; a text without capitals finds capitals too."""
    if not wanted:
        return
    needle = wanted.encode(encoding, "ignore")
    if not needle:
        return
    flags = re.IGNORECASE if wanted == wanted.lower() else 0
    for match in re.finditer(re.escape(needle), lines.data, flags):
        line = bisect_right(lines.starts, match.start()) - 1
        begin = lines.starts[line]
        yield Hit(side, line, match.start() - begin, match.end() - begin)
