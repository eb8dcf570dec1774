"""What is gathered stays small, and nothing of it is lost: a folder stands for what lies in it."""

from __future__ import annotations

import pytest

from studio.extras.observed import hints
from studio.extras.observed.hints import EVERYTHING, Hints


@pytest.fixture
def four(monkeypatch: pytest.MonkeyPatch) -> Hints:
    monkeypatch.setattr(hints, "WATCH_PATHS_UP_TO", 4)
    return Hints()


def test_what_was_taken_is_forgotten() -> None:
    gathered = Hints()
    assert gathered.drain() is None
    for path in ("a", "b/c", "a"):
        gathered.add(path)
    assert gathered.wake.is_set()
    assert gathered.drain() == {"a", "b/c"}
    assert gathered.drain() is None


def test_everything_is_the_empty_set() -> None:
    gathered = Hints()
    gathered.add("a")
    gathered.add(EVERYTHING)
    assert gathered.drain() == frozenset()


def test_many_paths_become_their_folders(four: Hints) -> None:
    for number in range(102):
        four.add(f"a/{number}")
    four.add("b/1")
    assert four.drain() == {"a", "b/1"}
    four.add("a/1")
    assert four.drain() == {"a/1"}


def test_many_folders_become_everything(four: Hints) -> None:
    for number in range(100):
        four.add(f"{number}/x")
    assert four.drain() == frozenset()
    four.add("1/x")
    assert four.drain() == {"1/x"}


def test_a_file_at_the_top_among_many_is_everything(four: Hints) -> None:
    for number in range(5):
        four.add(f"{number}")
    assert four.drain() == frozenset()
