"""Work in portions gives what it gives at once, and lets other threads in between."""

from __future__ import annotations

import sys
import threading
import time
from array import array
from itertools import chain
from operator import mul

from hypothesis import given, strategies as st

from studio.system import chunks


@given(st.lists(st.integers(-(2**62), 2**62), max_size=30), st.integers(1, 7))
def test_all_numbers_in_their_order(numbers: list[int], portion: int) -> None:
    before, chunks.PORTION = chunks.PORTION, portion
    try:
        assert chunks.collect_numbers(iter(numbers)) == array("q", numbers)
    finally:
        chunks.PORTION = before


@given(st.integers(0, 50), st.integers(0, 50), st.integers(1, 9))
def test_ranges_cover_everything_once(first: int, end: int, size: int) -> None:
    parts = list(chunks.ranges(first, end, size))
    assert list(chain.from_iterable(range(*part) for part in parts)) == list(range(first, end))
    assert all(stop - start <= size for start, stop in parts)


def test_another_thread_has_its_turn_in_between() -> None:
    turns: list[bool] = []
    is_gathering, is_done = threading.Event(), threading.Event()

    def take_turns() -> None:
        while not is_done.is_set():
            turns.append(is_gathering.is_set())
            time.sleep(0)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(0.0001)
    other = threading.Thread(target=take_turns)
    other.start()
    try:
        is_gathering.set()
        chunks.collect_numbers(map(mul, range(3_000_000), range(3_000_000)))
        is_gathering.clear()
    finally:
        is_done.set()
        other.join()
        sys.setswitchinterval(interval)
    # In one piece there would be none, but for a first and a last one.
    assert turns.count(True) > 5
