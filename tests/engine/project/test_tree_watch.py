"""The watching of a tree ends, however late it began (Q21)."""

from __future__ import annotations

import threading
from pathlib import Path

from studio.engine.project.tree_watch import TreeWatch


def test_what_was_ended_before_it_began_watches_nothing(tmp_path: Path) -> None:
    told: list[frozenset[str]] = []
    before = threading.active_count()
    watch = TreeWatch(tmp_path, told.append)
    watch.end()
    watch.begin()
    (tmp_path / "late.txt").write_text("late")
    assert threading.active_count() == before
    assert told == []


def test_what_has_begun_is_told_until_it_is_ended(tmp_path: Path) -> None:
    told = threading.Event()
    watch = TreeWatch(tmp_path, lambda _paths: told.set())
    watch.begin()
    (tmp_path / "new.txt").write_text("new")
    assert told.wait(10)
    watch.end()
    told.clear()
    (tmp_path / "late.txt").write_text("late")
    assert not told.wait(0.3)
