"""How soon a large tree is watched, against a bare walk through its folders."""

from __future__ import annotations

import os
import time
from pathlib import Path

from studio.engine.observed import Watcher, WatchState
from tests.perf.comparison import Benchmark, Comparison, compare

FOLDERS = 5000


def _measured(folder: Path, pairs: int) -> Comparison:
    root = folder / "tree"
    for number in range(FOLDERS):
        (root / f"{number // 100}/{number % 100}").mkdir(parents=True)
        (root / f"{number // 100}/{number % 100}/file.txt").touch()

    def ours() -> float:
        watcher = Watcher(root, lambda _paths: None)
        started = time.perf_counter()
        watcher.start()
        taken = (time.perf_counter() - started) * 1000
        assert watcher.state == WatchState()
        watcher.stop()
        return taken

    def walked() -> float:
        started = time.perf_counter()
        assert sum(1 for _ in os.walk(root)) > FOLDERS
        return (time.perf_counter() - started) * 1000

    mine, other = compare(ours, walked, pairs)
    return Comparison("Watcher.start", "os.walk", mine, other, 2.5)


WATCH = Benchmark("watch", f"{FOLDERS:,} folders watched", _measured)
