"""A review of 600 changed files, beside git's diff of them and our reading of that diff as a plan."""

from __future__ import annotations

import os
import subprocess
import time
from contextlib import closing
from pathlib import Path

import pytest

from studio.engine.plan import Plan
from studio.formats import detect
from studio.workspace import Workspace
from tests.bench.perf.comparison import Benchmark, Comparison, compare

FILES = 600
LINES = 200
_GIT = ("git", "-c", "user.name=n", "-c", "user.email=e@localhost")


def _measure(folder: Path, pairs: int) -> Comparison:
    """The diff is read by a project that is as HEAD has it; both sides end as a stored plan."""
    changed, unchanged = folder / "changed", folder / "unchanged"
    for each in (changed, unchanged):
        each.mkdir()
        for number in range(FILES):
            _write(each, number, "")
        _git(each, "init", "-q")
        _git(each, "add", "-A")
        _git(each, "commit", "-q", "-m", "all")
    turns = iter(range(10**6))
    with pytest.MonkeyPatch.context() as patch:
        for variable in ("STUDIO_STATE_DIR", "STUDIO_CONFIG_DIR"):
            patch.setenv(variable, str(folder / "own"))
        with closing(Workspace.open(changed)) as workspace, closing(Workspace.open(unchanged)) as reading:

            def change() -> float:
                turn = next(turns)
                for number in range(FILES):
                    _write(changed, number, f"turn {turn}")
                return time.perf_counter()

            def ended(started: float, plan: Plan | None) -> float:
                taken = (time.perf_counter() - started) * 1000
                assert plan is not None and len(plan.undecided) == FILES
                return taken

            def ours() -> float:
                started = change()
                return ended(started, workspace.reviews.work_tree())

            def peer() -> float:
                started = change()
                diff = _git(changed, "diff", "HEAD")
                return ended(started, reading.proposer.propose(detect.read(diff)))

            mine, other = compare(ours, peer, pairs)
    return Comparison(f"review of {FILES} files", "git diff HEAD, submitted as a plan", mine, other, 2.0)


def _write(folder: Path, number: int, text: str) -> None:
    lines = [f"line {line} of {number}\n" for line in range(LINES)]
    if text:
        lines[20] = lines[120] = f"{text}, file {number}\n"
    file = folder / f"part_{number % 20}" / f"file_{number}.py"
    file.parent.mkdir(exist_ok=True)
    file.write_text("".join(lines))


def _git(folder: Path, *words: str) -> bytes:
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    return subprocess.run(
        [*_GIT, "-C", str(folder), *words], check=True, capture_output=True, env=environment
    ).stdout


REVIEW = Benchmark("review", "600 changed files as a review, beside git's diff of them as a plan", _measure)
