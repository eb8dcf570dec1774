"""Where the time of an apply goes, leg by leg of the protocol."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pkgutil import resolve_name
from typing import Any

import pytest

Laps = dict[str, list[float]]
"""Milliseconds of the legs of one side, by their names; the first is of the turn that only warms caches."""

_GATEWAY = "studio.engine.apply.gateway"
_CALLED: tuple[tuple[str, str], ...] = (
    ("plan read from the store; of a rollback also made and stored", f"{_GATEWAY}.apply_locked"),
    ("validate: decisions, rules, targets hashed", f"{_GATEWAY}.job_of"),
    ("validate: requests made", f"{_GATEWAY}._check_obstacles"),
    ("validate: contents verified, obstacles, locks", f"{_GATEWAY}.begin"),
    ("journal: requests recorded", f"{_GATEWAY}._write"),
    ("stage: results written beside", "studio.engine.disk.files.flush_files"),
    ("place: exchanged, what came out hashed", "studio.engine.disk.folders.flush_folders"),
    ("reply: replies and states recorded", "studio.engine.apply.ending.sweep"),
)
"""These legs end where that is called for the first time."""

_RETURNED: tuple[tuple[str, str], ...] = (
    ("lock, recovery if any is due", "studio.engine.apply.recovery.finish_interrupted"),
    ("flush: one for all results", "studio.engine.disk.files.flush_files"),
    ("stage: read back, compared", "studio.engine.disk.batch.Batch.prepare"),
    ("flush folders", "studio.engine.disk.folders.flush_folders"),
    ("finish: old files removed, flushed", "studio.engine.apply.ending.sweep"),
)
"""These where it returns for the first time."""

_ANSWER = "answer: what may go is freed, plan read again"


def _nothing() -> None:
    return None


@contextmanager
def legs_of(laps: Laps) -> Generator[None]:
    """Add to `laps` how long every leg of the one apply in the block takes; together they are the block."""
    ends: dict[str, float] = {}

    def end(leg: str) -> None:
        ends.setdefault(leg, time.perf_counter())

    with pytest.MonkeyPatch.context() as patch:
        for leg, name in _CALLED:
            patch.setattr(name, _watched(name, before=lambda leg=leg: end(leg)))
        for leg, name in _RETURNED:
            patch.setattr(name, _watched(name, after=lambda leg=leg: end(leg)))
        started = time.perf_counter()
        yield
        end(_ANSWER)
    assert len(ends) == len(_CALLED) + len(_RETURNED) + 1, f"legs that never ended: only {list(ends)} did"
    for leg, ended in ends.items():
        laps.setdefault(leg, []).append((ended - started) * 1000)
        started = ended


def _watched(name: str, before: Callable[[], None] = _nothing, after: Callable[[], None] = _nothing) -> Any:
    """Whatever has that name, with these called around it."""
    original = resolve_name(name)

    def watched(*arguments: Any, **named: Any) -> Any:
        before()
        result = original(*arguments, **named)
        after()
        return result

    return watched
