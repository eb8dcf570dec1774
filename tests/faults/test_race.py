"""A short race of the engine against a process that exchanges folders with links."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from studio.engine.root import reading
from tests.tools.race import WAYS, Outcome, Way, race

SECONDS = 0.7


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_the_engine_never_gets_out(way: Way, tmp_path: Path) -> None:
    outcome = race(tmp_path.resolve(), way, SECONDS)
    print(outcome)
    assert not outcome.escapes
    assert outcome.control, "the exchange never hit the moment between a check and its use"
    assert outcome.refusals, "the engine never met the link"
    assert outcome.ended["done"], "the engine never got through"
    assert outcome.exchanges > 100


def test_zero_hits_are_a_failure() -> None:
    outcome = Outcome(WAYS[0])
    outcome.ended["done"] = outcome.ended["path.link"] = 1
    assert not outcome.hit
    outcome.control = 1
    assert outcome.hit


def test_an_escape_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With an opening that follows links the same race does find the way out."""

    def careless(handle: int, path: str, flags: int) -> int:
        return os.open(path or ".", flags & ~os.O_NOFOLLOW, dir_fd=handle)

    monkeypatch.setattr(reading, "open_beneath", careless)
    escapes: set[str] = set()
    for attempt in range(20):  # on a busy machine the one process may not meet the other at once
        (tmp_path / str(attempt)).mkdir()
        escapes.update(race((tmp_path / str(attempt)).resolve(), WAYS[0], 0.2).escapes)
        if escapes:
            break
    assert "read saw the outside" in escapes
