"""Text search algorithm over a diff's result and removed lines, without widgets."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from studio.engine import FileDiff
from studio.text import Lines
from studio.text.encodings import MULTI_BYTE, encode
from studio.ui.diff.model.cells import Side
from studio.values import Value

_PORTION = 256 * 1024


class Hit(Value):
    """A search hit: bytes `start` to `end` of a 0-based line."""

    side: Side
    line: int
    start: int
    end: int


def find_in_diff(diff: FileDiff, text: str, encodings: dict[Side, str]) -> Iterator[Hit | None]:
    """Yield all hits in removed lines, then in the result.

    Yields None after each portion of the bytes. Case is ignored unless the text has capitals.
    """
    changes = diff.changes
    for first, count in zip(changes.old_firsts, changes.old_counts, strict=True):
        yield from find_in(diff.base_lines, Side.BASE, text, encodings[Side.BASE], first=first, count=count)
    yield from find_in(diff.result_lines, Side.RESULT, text, encodings[Side.RESULT])


def find_in(
    lines: Lines,
    side: Side,
    text: str,
    encoding: str = "utf-8",
    *,
    first: int = 0,
    count: int | None = None,
) -> Iterator[Hit | None]:
    """Yield all hits in `count` lines from `first`, None after each portion."""
    try:
        needle = encode(text, encoding)
    except UnicodeEncodeError:
        return
    if not needle:
        return
    pattern = re.compile(re.escape(needle), re.IGNORECASE if text == text.lower() else 0)
    line, end = first, len(lines) if count is None else first + count
    while line < end:
        # Portions end at line ends, and hold at least one whole line.
        until = min(end, max(line + 1, bisect_right(lines.starts, lines.starts[line] + _PORTION) - 1))
        for match in pattern.finditer(lines.data, lines.starts[line], lines.starts[until]):
            at = bisect_right(lines.starts, match.start()) - 1
            begin = lines.starts[at]
            if encoding in MULTI_BYTE and not _is_text(
                lines.data[begin : match.start()], match[0], text, encoding
            ):
                continue
            yield Hit(side, at, match.start() - begin, match.end() - begin)
        yield None
        line = until


def _is_text(before: bytes, found: bytes, text: str, encoding: str) -> bool:
    """Return whether found bytes are whole characters that match, ignoring case."""
    try:
        before.decode(encoding)
        return found.decode(encoding).lower() == text.lower()
    except UnicodeDecodeError:
        return False


def place_in_diff(diff: FileDiff, hit: Hit) -> tuple[int, int, int, int]:
    """Return a sort key for hits in the order of the screen.

    Removed lines precede the added ones that replace them.
    """
    if hit.side is Side.RESULT:
        return hit.line, 1, hit.line, hit.start
    change = max(0, bisect_right(diff.changes.old_firsts, hit.line) - 1)
    return diff.changes.new_firsts[change], 0, hit.line, hit.start


def hits_by_line(hits: list[Hit]) -> dict[tuple[Side, int], tuple[Hit, ...]]:
    """Group hits by line."""
    by_line: dict[tuple[Side, int], list[Hit]] = {}
    for hit in hits:
        by_line.setdefault((hit.side, hit.line), []).append(hit)
    return {line: tuple(found) for line, found in by_line.items()}
