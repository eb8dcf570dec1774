"""Common beginning and end of two texts: the cheapest difference."""

from __future__ import annotations

from array import array
from typing import AnyStr

from studio.engine.system import chunks


def common_prefix(one: AnyStr, other: AnyStr) -> int:
    """Return the length of the common prefix, by binary search."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def common_suffix(one: AnyStr, other: AnyStr) -> int:
    """Return the length of the common suffix, by binary search."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[len(one) - middle : len(one) - low] == other[len(other) - middle : len(other) - low]:
            low = middle
        else:
            high = middle - 1
    return low


def differing_run(old: bytes, new: bytes) -> array[int]:
    """Return one run between the common first and last lines."""
    start = old.rfind(b"\n", 0, common_prefix(old, new)) + 1
    suffix = min(common_suffix(old, new), len(old) - start, len(new) - start)
    if not all(_begins_line(text, len(text) - suffix) for text in (old, new)):
        end_of_line = old.find(b"\n", len(old) - suffix)
        suffix = len(old) - end_of_line - 1 if end_of_line >= 0 else 0
    lines = old.count(b"\n", 0, start)
    old_count, new_count = (line_count(text[start : len(text) - suffix]) for text in (old, new))
    return array("q", (lines, old_count, lines, new_count))


def _begins_line(text: bytes, offset: int) -> bool:
    return offset == 0 or text[offset - 1 : offset] == b"\n"


def line_count(text: bytes) -> int:
    """Return the number of lines; the last one may lack its LF."""
    ends = sum(text.count(b"\n", *part) for part in chunks.ranges(0, len(text), chunks.BYTES))
    return ends + (1 if text and not text.endswith(b"\n") else 0)
