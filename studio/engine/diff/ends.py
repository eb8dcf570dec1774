"""How much of two texts is the same at their ends: the cheapest difference there is."""

from __future__ import annotations

from array import array
from typing import AnyStr

from studio.engine.system import chunks


def common_prefix(one: AnyStr, other: AnyStr) -> int:
    """How many leading bytes or characters two texts share; halving keeps it quick on very long ones."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def common_suffix(one: AnyStr, other: AnyStr) -> int:
    """How many trailing bytes or characters two texts share."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[len(one) - middle : len(one) - low] == other[len(other) - middle : len(other) - low]:
            low = middle
        else:
            high = middle - 1
    return low


def run_between_ends(old: bytes, new: bytes) -> array[int]:
    """One run, as of `line_runs`: all lines but those that both begin with and those that both end with."""
    start = old.rfind(b"\n", 0, common_prefix(old, new)) + 1
    alike = min(common_suffix(old, new), len(old) - start, len(new) - start)
    if not all(_begins_line(text, len(text) - alike) for text in (old, new)):
        end_of_line = old.find(b"\n", len(old) - alike)
        alike = len(old) - end_of_line - 1 if end_of_line >= 0 else 0
    lines = old.count(b"\n", 0, start)
    old_count, new_count = (line_count(text[start : len(text) - alike]) for text in (old, new))
    return array("q", (lines, old_count, lines, new_count))


def _begins_line(text: bytes, offset: int) -> bool:
    return offset == 0 or text[offset - 1 : offset] == b"\n"


def line_count(text: bytes) -> int:
    """How many lines some bytes are, the last one with its LF or without."""
    ends = sum(text.count(b"\n", *part) for part in chunks.ranges(0, len(text), chunks.BYTES))
    return ends + (1 if text and not text.endswith(b"\n") else 0)
