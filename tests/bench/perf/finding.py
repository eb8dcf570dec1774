"""A line looked for across a plan of hundreds of files, beside ripgrep over the same bytes."""

from __future__ import annotations

import json
import random
import subprocess
import threading
import time
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest
from msgspec.structs import replace

from studio.extras.reader import LineHit, LineQuery, SearchPlace
from studio.formats import detect
from studio.workspace import Workspace
from tests.bench.perf.comparison import Benchmark, Comparison, compare

FILES = 600
_LINES = 250
_SEED = 22
_RARE = "quick_lantern"
_FIRST_MS = 100.0


def _stage(folder: Path) -> tuple[Path, str]:
    """A project with a plan that changes every file; beside it both sides of each as files. Returns the
    folder of these, and the plan's text."""
    chance = random.Random(_SEED)
    words = "if for return self value = None ( ) name text line with else def import from".split()
    steps: list[dict[str, str]] = []
    both = folder / "both"
    for number in range(FILES):
        lines = [" ".join(chance.choices(words, k=8)) for _ in range(_LINES)]
        path = f"part{number // 40}/file{number}.py"
        after = list(lines)
        after[chance.randrange(_LINES)] = f"{_RARE} = {number}" if number % 20 == 0 else "changed = 1"
        for top, text in ((folder / "project", lines), (both / "base", lines), (both / "result", after)):
            (top / path).parent.mkdir(parents=True, exist_ok=True)
            (top / path).write_text("\n".join(text) + "\n")
        steps.append({"op": "modify", "path": path, "content": "\n".join(after) + "\n"})
    return both, json.dumps({"title": "Much", "steps": steps})


def _find(folder: Path, pairs: int, *, first: bool = False, anew: bool = False) -> Comparison:
    both, text = _stage(folder)
    with pytest.MonkeyPatch.context() as patch:
        for variable in ("STUDIO_STATE_DIR", "STUDIO_CONFIG_DIR"):
            patch.setenv(variable, str(folder / "own"))
        with closing(Workspace.open(folder / "project")) as workspace:
            plan = workspace.proposer.propose(detect.read(text.encode()))
            query = LineQuery(_RARE, SearchPlace.PLAN, plan.id)

            # Contents of another place take the room of those that were kept.
            elsewhere = LineQuery(_RARE, SearchPlace.HISTORY)

            def ours() -> float:
                before = elsewhere if first or anew else replace(query, words=_RARE[:-1])
                workspace.reader.search(before, str, threading.Event())
                told: list[tuple[float, int]] = []

                def tell(hits: tuple[LineHit, ...]) -> None:
                    told.append(((time.perf_counter() - started) * 1000, len(hits)))

                started = time.perf_counter()
                assert workspace.reader.search(query, tell, threading.Event())
                taken = (time.perf_counter() - started) * 1000
                assert sum(count for _, count in told) == -(-FILES // 20)
                return told[0][0] if first else taken

            def peer() -> float:
                if first:
                    return _FIRST_MS
                started = time.perf_counter()
                words = ["rg", "--no-config", "-i", "--fixed-strings", "-n", _RARE, str(both)]
                said = subprocess.run(words, capture_output=True, check=True).stdout
                taken = (time.perf_counter() - started) * 1000
                assert said.count(b"\n") == -(-FILES // 20)
                return taken

            mine, other = compare(ours, peer, pairs)
    if first:
        return Comparison("the first lines that are told", f"{_FIRST_MS:g} ms", mine, other, 1.0)
    return Comparison("all lines of a plan that match", "ripgrep over both sides as files", mine, other, 2.0)


FINDING = (
    Benchmark("find", f"the next letter of a word in a plan of {FILES} files", _find),
    Benchmark("find-anew", f"a word in a plan of {FILES} files", partial(_find, anew=True)),
    Benchmark(
        "find-first", f"the first lines with a word in a plan of {FILES} files", partial(_find, first=True)
    ),
)
