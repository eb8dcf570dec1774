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
from studio.ui.review.queue_state import CachedPlans, refresh_and_read
from studio.workspace import Workspace
from tests.bench.perf.comparison import Benchmark, Comparison, compare

FILES = 600
LINES = 200
_GIT = ("git", "-c", "user.name=n", "-c", "user.email=e@localhost")


def _measure(folder: Path, pairs: int) -> Comparison:
    """The diff is read by a project that is as HEAD has it; both sides end as a stored plan."""
    changed, unchanged = folder / "changed", folder / "unchanged"
    for each in (changed, unchanged):
        _commit_files(each)
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
                draft = detect.read(diff)
                parsed.append((time.perf_counter() - started) * 1000)
                return ended(started, reading.proposer.propose(draft))

            parsed: list[float] = []
            mine, other = compare(ours, peer, pairs)
    legs = {"git diff HEAD and its parsing alone": tuple(parsed[-pairs:])}
    peer_name = "git diff HEAD, submitted as a plan"
    return Comparison(f"review of {FILES} files", peer_name, mine, other, 2.0, legs=legs)


def _measure_opening(folder: Path, pairs: int) -> Comparison:
    """What the window reads first: the queue, after a look at the files."""
    folders = folder / "review", folder / "plan"
    with pytest.MonkeyPatch.context() as patch:
        for variable in ("STUDIO_STATE_DIR", "STUDIO_CONFIG_DIR"):
            patch.setenv(variable, str(folder / "own"))
        for each in folders:
            _commit_files(each)
        for number in range(FILES):
            _write(folders[0], number, "changed")
        draft = detect.read(_git(folders[0], "diff", "HEAD"))
        with closing(Workspace.open(folders[0])) as workspace:
            workspace.reviews.work_tree()
        with closing(Workspace.open(folders[1])) as workspace:
            workspace.proposer.propose(draft)

        def timed(each: Path) -> float:
            with closing(Workspace.open(each)) as workspace:
                started = time.perf_counter()
                state = refresh_and_read(workspace, CachedPlans())
                taken = (time.perf_counter() - started) * 1000
            assert len(state.plans[0].undecided) == FILES
            return taken

        mine, other = compare(lambda: timed(folders[0]), lambda: timed(folders[1]), pairs)
    return Comparison(f"a review of {FILES} files read", f"a plan of {FILES} files read", mine, other, 1.0)


def _commit_files(folder: Path) -> None:
    folder.mkdir()
    for number in range(FILES):
        _write(folder, number, "")
    _git(folder, "init", "-q")
    _git(folder, "add", "-A")
    _git(folder, "commit", "-q", "-m", "all")


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
REVIEW_OPEN = Benchmark(
    "review-open", "the queue with a review of 600 files, beside a plan of 600", _measure_opening
)
