"""The watcher is a hint that arrives, gathers, and does not drown (notes: watchdog without a filter does)."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path

from studio.engine.observed import Watcher


class Heard:
    def __init__(self) -> None:
        self.paths: set[str] = set()
        self.calls = 0
        self.event = threading.Event()

    def __call__(self, paths: frozenset[str]) -> None:
        self.calls += 1
        self.paths |= paths or {""}
        self.event.set()

    def until(self, done: Callable[[], bool], seconds: float = 10) -> bool:
        deadline = time.monotonic() + seconds
        while not done() and time.monotonic() < deadline:
            self.event.wait(0.1)
            self.event.clear()
        return done()


def test_changes_of_every_kind_are_told(project: Path) -> None:
    (project / "old.txt").write_text("old")
    heard = Heard()
    watcher = Watcher(project, heard)
    watcher.start()
    try:
        (project / "a.txt").write_text("a")
        (project / "sub").mkdir()
        (project / "old.txt").rename(project / "new.txt")
        assert heard.until(lambda: {"a.txt", "sub", "old.txt", "new.txt"} <= heard.paths)
    finally:
        watcher.stop()
    calls = heard.calls
    (project / "late.txt").write_text("late")
    assert heard.calls == calls


def test_our_own_temporary_files_are_not_told(project: Path) -> None:
    heard = Heard()
    watcher = Watcher(project, heard)
    watcher.start()
    try:
        (project / ".exacta-01234567-89ab-cdef-0123-456789abcdef-1.tmp").write_text("x")
        (project / "mark.txt").write_text("x")
        assert heard.until(lambda: "mark.txt" in heard.paths)
        assert heard.paths == {"mark.txt"}
    finally:
        watcher.stop()


def test_a_big_tree_is_watched_without_drowning(project: Path) -> None:
    """5,000 folders: with its default mask watchdog 7.1.0 delivers nothing here, for ever."""
    for outer in range(50):
        for inner in range(100):
            (project / f"{outer}/{inner}").mkdir(parents=True)
    heard = Heard()
    watcher = Watcher(project, heard)
    watcher.start()
    try:
        for number in range(5):
            (project / f"7/{number}/x.txt").write_text("x")
        assert heard.until(lambda: {f"7/{number}/x.txt" for number in range(5)} <= heard.paths)
    finally:
        watcher.stop()


def test_lost_events_say_look_at_everything(project: Path) -> None:
    heard = Heard()
    watcher = Watcher(project, heard)
    watcher.start()
    try:
        watcher.look_at_everything()
        assert heard.until(lambda: "" in heard.paths)
    finally:
        watcher.stop()
