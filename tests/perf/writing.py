"""A plan of many files, read and written, against git with the same diff."""

from __future__ import annotations

import os
import shutil
import time
from itertools import count
from pathlib import Path

from studio.engine.context import Person, PersonSource
from studio.engine.diff import parse_unified
from studio.engine.plan import PlanState
from studio.engine.system import Unsupported, flush_file_system
from studio.engine.workspace import Workspace
from studio.formats import detect
from tests.perf.comparison import Benchmark, Comparison, compare
from tests.perf.processes import environment, milliseconds

FILES = 1000
_FOLDERS = 20
_LINES = 60
_CHANGED = 30


def _name(number: int) -> str:
    return f"part{number % _FOLDERS:02d}/file{number:04d}.txt"


def _line(number: int, line: int) -> str:
    return f"file {number}, line {line}\n"


def make_tree(root: Path) -> None:
    """1,000 small files in twenty folders."""
    for number in range(FILES):
        file = root / _name(number)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("".join(_line(number, line) for line in range(_LINES)))


def make_diff() -> bytes:
    """One changed line in each of these files."""
    parts: list[str] = []
    first = _CHANGED - 3
    for number in range(FILES):
        name, old = _name(number), _line(number, _CHANGED)
        before = "".join(" " + _line(number, line) for line in range(first, _CHANGED))
        after = "".join(" " + _line(number, line) for line in range(_CHANGED + 1, _CHANGED + 4))
        parts.append(f"diff --git a/{name} b/{name}\n--- a/{name}\n+++ b/{name}\n")
        parts.append(f"@@ -{first + 1},7 +{first + 1},7 @@\n")
        parts.append(f"{before}-{old}+changed {old}{after}")
    return "".join(parts).encode()


def _apply(folder: Path, pairs: int) -> Comparison:
    diff = make_diff()
    patch = folder / "change.diff"
    patch.write_bytes(diff)
    variables = environment(folder)
    numbers = count()

    def fresh_tree() -> Path:
        root = folder / f"tree{next(numbers)}"
        make_tree(root)
        _flush(root)
        return root

    def ours() -> float:
        root = fresh_tree()
        workspace = Workspace.open(root)
        try:
            plan = workspace.proposer.propose(detect.read(diff, "unified"))
            reviewer = workspace.reviewer(Person(PersonSource.WINDOW, "benchmark"))
            reviewer.approve(plan.id)
            started = time.perf_counter()
            done = reviewer.apply(plan.id)
            taken = (time.perf_counter() - started) * 1000
            assert done.state is PlanState.COMPLETED
        finally:
            workspace.close()
        _check(root)
        return taken

    def peer() -> float:
        root = fresh_tree()
        git = ["git", "-C", str(root), "apply", str(patch)]
        taken = milliseconds(git, variables)
        started = time.perf_counter()
        _flush(root)
        taken += (time.perf_counter() - started) * 1000
        _check(root)
        return taken

    mine, other = compare(ours, peer, pairs)
    return Comparison("Reviewer.apply", "git apply, then syncfs", mine, other)


def _check(root: Path) -> None:
    """Both wrote what the diff says; then the tree may go."""
    last = root / _name(FILES - 1)
    assert last.read_text().splitlines()[_CHANGED].startswith("changed ")
    shutil.rmtree(root)


def _flush(root: Path) -> None:
    handle = os.open(root, os.O_RDONLY)
    try:
        flush_file_system(handle)
    except Unsupported:
        os.sync()
    finally:
        os.close(handle)


def _parse(folder: Path, pairs: int) -> Comparison:
    diff = make_diff()
    patch = folder / "change.diff"
    patch.write_bytes(diff)
    variables = environment(folder)

    def ours() -> float:
        started = time.perf_counter()
        parse_unified(diff)
        return (time.perf_counter() - started) * 1000

    numstat = ["git", "apply", "--numstat", str(patch)]
    mine, other = compare(ours, lambda: milliseconds(numstat, variables), pairs)
    return Comparison("parse_unified", "git apply --numstat, a whole process", mine, other)


APPLY = Benchmark("apply", f"a plan of {FILES} files written, flushed and journaled", _apply)
PARSE = Benchmark("parse", f"a diff of {FILES} files read strictly", _parse)
