"""Splitting of long computations into portions, so other threads get the GIL.

A computation in C without Python code in between blocks every thread, including the one that paints.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from itertools import islice

# In one go, the sums and arrays of a million changes blocked painting for up to 0.7 s.
PORTION = 50_000
"""Numbers (or lines) per portion: a few milliseconds."""

BYTES = 4 * 1024 * 1024
"""Bytes per portion where a byte costs next to nothing."""


def collect_numbers(numbers: Iterable[int]) -> array[int]:
    """Return all numbers as an array of 64-bit integers."""
    gathered, rest = array("q"), iter(numbers)
    while portion := array("q", islice(rest, PORTION)):
        gathered.extend(portion)
    return gathered


def ranges(first: int, end: int, size: int = PORTION) -> Iterator[tuple[int, int]]:
    """Split a range into ranges of at most `size`, `end` excluded."""
    for start in range(first, end, size):
        yield start, min(start + size, end)
