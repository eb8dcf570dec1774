"""Long work of the interpreter itself in portions: between two of them other threads have their turn.

What is computed in C without a line of Python in between holds up every thread, also the one that paints.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from itertools import islice

# Made at once, the sums and arrays of a million changes kept the window from painting for up to 0.7 s.
PORTION = 50_000
"""Numbers (or lines) at once: a few milliseconds."""

BYTES = 4 * 1024 * 1024
"""Bytes at once where a byte costs next to nothing."""


def gather(numbers: Iterable[int]) -> array[int]:
    """All numbers as an array of 64-bit numbers."""
    gathered, rest = array("q"), iter(numbers)
    while portion := array("q", islice(rest, PORTION)):
        gathered.extend(portion)
    return gathered


def ranges(first: int, end: int, size: int = PORTION) -> Iterator[tuple[int, int]]:
    """The numbers from `first` up to `end` (excluded) as ranges of at most that size, in order."""
    for start in range(first, end, size):
        yield start, min(start + size, end)
