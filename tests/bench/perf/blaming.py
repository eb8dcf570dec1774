"""What it costs to find out who wrote the lines of a file, beside git over the same history."""

from __future__ import annotations

import json
import os
import random
import subprocess
import time
from contextlib import closing
from pathlib import Path

import pytest

from studio.engine.plan import PersonSource
from studio.engine.project.context import Person
from studio.formats import detect
from studio.workspace import Workspace
from tests.bench.perf.comparison import Benchmark, Comparison, compare

LINES = 5_000
PLANS = 50
_CHANGED = 8
_SEED = 21
_PERSON = Person(PersonSource.WINDOW, "benchmark")
_GIT = ("git", "-c", "user.name=n", "-c", "user.email=e@localhost")


def _measure(folder: Path, pairs: int) -> Comparison:
    """Each version is a plan in the one project and a commit in the other one, which has no journal."""
    chance = random.Random(_SEED)
    project, repository = folder / "project", folder / "repository"
    for each in (project, repository):
        each.mkdir()
    _git(repository, "init", "-q")
    lines = [f"    value_{number} = {chance.randrange(10**6)}" for number in range(LINES)]
    with pytest.MonkeyPatch.context() as patch:
        for variable in ("STUDIO_STATE_DIR", "STUDIO_CONFIG_DIR"):
            patch.setenv(variable, str(folder / "own"))
        with closing(Workspace.open(project)) as workspace:
            for version in range(PLANS):
                for _ in range(_CHANGED):
                    at = chance.randrange(LINES)
                    lines[at : at + 1] = [f"    new_{version} = {chance.randrange(10**6)}", lines[at]][:2]
                _write(workspace, repository, "\n".join(lines) + "\n", version)

            def ours() -> float:
                started = time.perf_counter()
                found = workspace.reader.blame("code.py")
                taken = (time.perf_counter() - started) * 1000
                assert len({each.plan_id for each in found.lines}) == PLANS
                return taken

            def peer() -> float:
                started = time.perf_counter()
                said = _git(repository, "blame", "--porcelain", "code.py")
                taken = (time.perf_counter() - started) * 1000
                assert said.count(b"\nsummary ") == PLANS
                return taken

            mine, other = compare(ours, peer, pairs)
    return Comparison("Reader.blame", "git blame of the same versions as commits", mine, other, 1.0)


def _write(workspace: Workspace, repository: Path, text: str, version: int) -> None:
    step = {"op": "modify" if version else "create", "path": "code.py", "content": text}
    plan = workspace.proposer.propose(detect.read(json.dumps({"title": "t", "steps": [step]}).encode()))
    reviewer = workspace.reviewer(_PERSON)
    reviewer.approve(plan.id)
    reviewer.apply(plan.id)
    (repository / "code.py").write_text(text)
    _git(repository, "add", "code.py")
    _git(repository, "commit", "-q", "-m", f"version {version}")


def _git(repository: Path, *words: str) -> bytes:
    done = subprocess.run(
        [*_GIT, *words],
        cwd=repository,
        capture_output=True,
        check=True,
        env={**os.environ, "HOME": "/nowhere"},
    )
    return done.stdout


BLAME = Benchmark("blame", "who wrote the lines of a file of 5,000 lines and 50 plans", _measure)
