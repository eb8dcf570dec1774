"""Quick first part of a long diff, and this package's names.

Code that only writes diffs should not import this: `words` loads rapidfuzz.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right

from studio.engine.diff.line_diff import Changes, FileDiff, Hunks, common_prefix, line_count
from studio.engine.diff.line_runs import line_runs
from studio.engine.diff.pairing import paired
from studio.extras.diff_view import rows
from studio.extras.diff_view.rows import SMALLEST_FOLD, RowMap
from studio.extras.diff_view.words import word_spans
from studio.system.chunks import ranges
from studio.text import diff_text

# The beginning of the difference of two long texts: shown first while the rest is compared.

HEAD_LINES = 1000
"""Lines of each side, from the first one that differs, that are compared."""

HEAD_BYTES = 128 * 1024
"""Maximum of bytes of each side that are compared."""

_SURE_LINES = HEAD_LINES // 2
"""Lines of the base after which a change may still differ once all lines are compared."""


def head_diff(base: bytes, result: bytes, context: int = 3, setting: str | None = None) -> FileDiff | None:
    """Return the first changes as a separate diff, ending where uncertain.

    Its hunks are the first ones that `compute` gives, unless what follows makes another alignment shorter.
    None where nothing is certain: equal texts, or a change that is longer than what is compared.
    """
    old, new = diff_text(base, setting), diff_text(result, setting)
    if old == new:
        return None
    start = old.rfind(b"\n", 0, common_prefix(old, new)) + 1
    old_end, new_end = _end(old, start), _end(new, start)
    runs = line_runs(old[start:old_end], new[start:new_end])
    before = old.count(b"\n", 0, start)
    firsts = runs[0::4]
    is_whole = old_end == len(old) and new_end == len(new)
    count = len(firsts) if is_whole else bisect_right(firsts, _SURE_LINES)
    # The last run may continue after what was compared.
    while count and not is_whole and firsts[count - 1] + runs[4 * count - 3] > _SURE_LINES:
        count -= 1
    if not count:
        return None
    certain_runs = array("q", runs[: 4 * count])
    for index in (*range(0, len(certain_runs), 4), *range(2, len(certain_runs), 4)):
        certain_runs[index] += before
    changes = Changes(certain_runs)
    last = changes[count - 1]
    old_text = old if is_whole else old[: _offset(old, start, last.old_end + context - before)]
    new_text = new if is_whole else new[: _offset(new, start, last.new_end + context - before)]
    added, removed = sum(changes.new_counts), sum(changes.old_counts)
    totals = line_count(old_text), line_count(new_text)
    hunks = Hunks(changes, context, totals)
    return FileDiff(old_text, new_text, context, changes, hunks, added, removed, totals[0], False)


def _end(text: bytes, start: int) -> int:
    """Return the end of the compared part of a text.

    After HEAD_LINES lines, or before the line that exceeds HEAD_BYTES.
    """
    end = _offset(text, start, HEAD_LINES)
    if end - start <= HEAD_BYTES:
        return end
    return text.rfind(b"\n", start, start + HEAD_BYTES) + 1 or start


def _offset(text: bytes, start: int, lines: int) -> int:
    """Return the offset some lines later, at most the text's end."""
    for _ in range(lines):
        start = text.find(b"\n", start) + 1
        if not start:
            return len(text)
    return start


__all__ = [
    "SMALLEST_FOLD",
    "RowMap",
    "head_diff",
    "line_count",
    "paired",
    "ranges",
    "rows",
    "word_spans",
]
