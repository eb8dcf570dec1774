"""Finding text in a diff: in the result, and in the base where lines go."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from studio.engine.diff import FileDiff
from studio.engine.encodings import MULTI_BYTE, encode
from studio.engine.text import Lines
from studio.ui.diff.model.cells import Side

_PORTION = 256 * 1024


@dataclass(frozen=True, slots=True)
class Hit:
    """A place that was found: bytes `start` to `end` of a line (0-based) of one side."""

    side: Side
    line: int
    start: int
    end: int


def find_in_diff(diff: FileDiff, wanted: str, encodings: dict[Side, str]) -> Iterator[Hit | None]:
    """All places of a text in removed lines and then in the result; None after each portion of the bytes.

    A text without capitals finds capitals too.
    """
    changes = diff.changes
    for first, count in zip(changes.old_firsts, changes.old_counts, strict=True):
        yield from find_in(diff.base_lines, Side.BASE, wanted, encodings[Side.BASE], first=first, count=count)
    yield from find_in(diff.result_lines, Side.RESULT, wanted, encodings[Side.RESULT])


def find_in(
    lines: Lines,
    side: Side,
    wanted: str,
    encoding: str = "utf-8",
    *,
    first: int = 0,
    count: int | None = None,
) -> Iterator[Hit | None]:
    """All places of a text in `count` lines of a side from `first` on; None after each portion."""
    try:
        needle = encode(wanted, encoding)
    except UnicodeEncodeError:
        return
    if not needle:
        return
    pattern = re.compile(re.escape(needle), re.IGNORECASE if wanted == wanted.lower() else 0)
    line, behind = first, len(lines) if count is None else first + count
    while line < behind:
        # Portions end at line ends, and a line is never longer than its portion.
        until = min(behind, max(line + 1, bisect_right(lines.starts, lines.starts[line] + _PORTION) - 1))
        for match in pattern.finditer(lines.data, lines.starts[line], lines.starts[until]):
            at = bisect_right(lines.starts, match.start()) - 1
            begin = lines.starts[at]
            if encoding in MULTI_BYTE and not _is_text(
                lines.data[begin : match.start()], match[0], wanted, encoding
            ):
                continue
            yield Hit(side, at, match.start() - begin, match.end() - begin)
        yield None
        line = until


def _is_text(before: bytes, found: bytes, wanted: str, encoding: str) -> bool:
    """Whether bytes behind the beginning of a line are whole characters, equal but for their case."""
    try:
        before.decode(encoding)
        return found.decode(encoding).lower() == wanted.lower()
    except UnicodeDecodeError:
        return False


def place_in_diff(diff: FileDiff, hit: Hit) -> tuple[int, int, int, int]:
    """Sorts hits as their lines stand on screen: removed lines before the added ones in their place."""
    if hit.side is Side.RESULT:
        return hit.line, 1, hit.line, hit.start
    change = max(0, bisect_right(diff.changes.old_firsts, hit.line) - 1)
    return diff.changes.new_firsts[change], 0, hit.line, hit.start


def hits_by_line(hits: list[Hit]) -> dict[tuple[Side, int], tuple[Hit, ...]]:
    """The hits of each line that has any."""
    by_line: dict[tuple[Side, int], list[Hit]] = {}
    for hit in hits:
        by_line.setdefault((hit.side, hit.line), []).append(hit)
    return {line: tuple(found) for line, found in by_line.items()}
