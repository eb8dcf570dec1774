"""From a text that is too much to its refusal: beside Python's reader of the same JSON, and beside git."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from studio.engine.plan import StepState
from studio.errors import Refused
from studio.formats import detect
from studio.workspace import Workspace
from tests.bench.perf.comparison import Benchmark, Comparison, compare
from tests.bench.perf.processes import environment

HUNKS = 200_000
STEPS = 300_000
FILES = 100_000
NAME_CHARACTERS = 10_000_000
_TARGET = 2.0


def _hunks() -> str:
    return "".join(f"@@ -{3 * hunk + 1} +{3 * hunk + 1} @@\n-old\n+new\n" for hunk in range(HUNKS))


def _plan(*steps: dict[str, Any]) -> bytes:
    return json.dumps({"title": "Too much", "steps": steps}).encode()


def _many_steps() -> bytes:
    return _plan(*({"op": "mkdir", "path": f"folder{number}"} for number in range(STEPS)))


def _odd_names() -> bytes:
    return _plan(*({"op": "mkdir", "path": f"\u202e{number}\u00e9/..."} for number in range(STEPS)))


def _long_name() -> bytes:
    return _plan({"op": "mkdir", "path": "x" * NAME_CHARACTERS}, {"op": "mkdir", "path": "folder"})


def _long_quoted_name() -> bytes:
    name = "\\303\\244" * (NAME_CHARACTERS // 8)
    new = "--- /dev/null\n+++ {}\n@@ -0,0 +1 @@\n+new\n"
    return (new.format(f'"b/{name}"') + new.format("b/new.txt")).encode()


def _patch() -> bytes:
    return _plan({"op": "modify", "path": "a.txt", "patch": _hunks()})


def _diff() -> bytes:
    return f"--- a/a.txt\n+++ b/a.txt\n{_hunks()}".encode()


def _files() -> bytes:
    names = "diff --git a/f{0} b/f{0}\nindex 1234567..89abcde 100644\n--- a/f{0}\n+++ b/f{0}\n"
    one = f"{names}@@ -1 +1 @@\n-a\n+b\n"
    return "".join(one.format(number) for number in range(FILES)).encode()


def _timed(call: Callable[[], object]) -> float:
    started = time.perf_counter()
    call()
    return (time.perf_counter() - started) * 1000


def _refused(data: bytes) -> None:
    try:
        detect.read(data)
    except Refused:
        return
    raise AssertionError("the text was not too much")


def _beside_json(make: Callable[[], bytes], _folder: Path, pairs: int) -> Comparison:
    data = make()
    mine, other = compare(
        lambda: _timed(partial(_refused, data)), lambda: _timed(partial(json.loads, data)), pairs
    )
    return Comparison("text to refusal", "json.loads of the same text", mine, other, _TARGET)


def _beside_git(make: Callable[[], bytes], folder: Path, pairs: int) -> Comparison:
    data = make()
    mine, other = compare(lambda: _timed(partial(_refused, data)), lambda: _timed(_git(data, folder)), pairs)
    return Comparison("text to refusal", "git apply --numstat, a whole process", mine, other, _TARGET)


def _name_beside_json(folder: Path, pairs: int) -> Comparison:
    data = _long_name()
    with _proposing(data, folder) as propose:
        mine, other = compare(lambda: _timed(propose), lambda: _timed(partial(json.loads, data)), pairs)
    return Comparison("text to a refused step", "json.loads of the same text", mine, other, _TARGET)


def _name_beside_git(folder: Path, pairs: int) -> Comparison:
    data = _long_quoted_name()
    with _proposing(data, folder) as propose:
        mine, other = compare(lambda: _timed(propose), lambda: _timed(_git(data, folder)), pairs)
    return Comparison("text to a refused step", "git apply --numstat, a whole process", mine, other, _TARGET)


@contextmanager
def _proposing(data: bytes, folder: Path) -> Iterator[Callable[[], None]]:
    """What proposes a text of two steps; for a name no whole plan is refused, but its step."""
    root = folder / "project"
    root.mkdir()
    workspace = Workspace.open(root)

    def propose() -> None:
        plan = workspace.proposer.propose(detect.read(data))
        assert [step.state for step in plan.steps] == [StepState.INVALID, StepState.PENDING]

    try:
        yield propose
    finally:
        workspace.close()


def _git(data: bytes, folder: Path) -> Callable[[], object]:
    patch = folder / "much.diff"
    patch.write_bytes(data)
    variables = {**environment(folder), "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    command = ["git", "apply", "--numstat", str(patch)]
    return partial(subprocess.run, command, cwd=folder, env=variables, stdout=subprocess.DEVNULL, check=True)


REFUSING = (
    Benchmark("no-steps", "a JSON plan of 300,000 steps refused", partial(_beside_json, _many_steps)),
    Benchmark("no-names", "a JSON plan of 300,000 odd names refused", partial(_beside_json, _odd_names)),
    Benchmark("no-name", "a name of 10,000,000 characters refused", _name_beside_json),
    Benchmark("no-quoted", "a quoted name of 10,000,000 characters refused", _name_beside_git),
    Benchmark("no-patch", "a JSON plan with 200,000 hunks refused", partial(_beside_json, _patch)),
    Benchmark("no-hunks", "a diff of 200,000 hunks refused", partial(_beside_git, _diff)),
    Benchmark("no-files", "a diff of 100,000 files refused", partial(_beside_git, _files)),
)
