"""How soon a large tree is watched, against a bare walk through its folders."""

from __future__ import annotations

import os
import subprocess
import time
from contextlib import closing
from functools import partial
from pathlib import Path

from studio.engine.git_data import GitData
from studio.engine.patterns import PatternList
from studio.extras.observed import Watcher, WatchState
from studio.extras.observed.ignored import IgnoredPaths
from studio.extras.observed.unwatched import Unwatched
from tests.bench.perf.comparison import Benchmark, Comparison, compare
from tests.bench.perf.processes import environment

FOLDERS = 5000


def _measured(folder: Path, pairs: int, *, in_repository: bool) -> Comparison:
    root = folder / "tree"
    for number in range(FOLDERS):
        (root / f"{number // 100}/{number % 100}").mkdir(parents=True)
        (root / f"{number // 100}/{number % 100}/file.txt").touch()
    if in_repository:
        variables = environment(folder)
        (root / ".gitignore").write_text("/made/\n")
        subprocess.run(["git", "init", "-q"], cwd=root, env=variables, check=True)
        subprocess.run(["git", "add", "-A"], cwd=root, env=variables, check=True)

    def unwatched(git: GitData) -> Unwatched:
        return Unwatched(lambda: IgnoredPaths(PatternList(()), git)) if in_repository else Unwatched()

    def ours() -> float:
        with closing(GitData(root)) as git:
            watcher = Watcher(root, lambda _paths: None, unwatched(git))
            started = time.perf_counter()
            watcher.start()
            taken = (time.perf_counter() - started) * 1000
            assert watcher.state == WatchState()
            watcher.stop()
        return taken

    def walked() -> float:
        started, count = time.perf_counter(), 0
        for _, folders, _ in os.walk(root):
            count += 1
            if ".git" in folders:
                folders.remove(".git")  # its inside takes no watch
        assert count > FOLDERS
        return (time.perf_counter() - started) * 1000

    mine, other = compare(ours, walked, pairs)
    return Comparison("Watcher.start", "os.walk", mine, other, 2.5)


WATCHING = (
    Benchmark("watch", f"{FOLDERS:,} folders watched", partial(_measured, in_repository=False)),
    Benchmark(
        "watch-git", f"{FOLDERS:,} folders of a repository watched", partial(_measured, in_repository=True)
    ),
)
