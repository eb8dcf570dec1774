"""Looking at a project for what others wrote, against git's own ways of looking at the same files."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Mapping
from contextlib import closing
from itertools import count
from pathlib import Path

from studio.engine.root import ProjectRoot
from studio.engine.root.hash_cache import HashCache
from studio.engine.snapshot_store import Capture, ObjectFolder
from studio.workspace import Workspace
from tests.bench.perf import trees
from tests.bench.perf.comparison import Benchmark, Comparison, compare
from tests.bench.perf.processes import environment, milliseconds

_CHANGED = 20
_LONG_AGO = 3600


def _made(folder: Path) -> Path:
    """A project of many files, none of which changed just now: git and we read young files again."""
    root = folder / "tree"
    root.mkdir()
    trees.make_tree(root)
    before = time.time() - _LONG_AGO
    for file in root.rglob("module_*"):
        os.utime(file, (before, before))
    return root


def _timed_look(workspace: Workspace, paths: frozenset[str] = frozenset()) -> float:
    started = time.perf_counter()
    workspace.observed.look(paths)
    return (time.perf_counter() - started) * 1000


def _repository(root: Path, variables: Mapping[str, str]) -> None:
    subprocess.run(["git", "init", "-q"], cwd=root, env=dict(variables), check=True)


def _first(folder: Path, pairs: int) -> Comparison:
    root, variables = _made(folder), environment(folder)
    numbers = count()

    def ours() -> float:
        os.environ["STUDIO_STATE_DIR"] = str(folder / f"state-{next(numbers)}")
        with closing(Workspace.open(root)) as workspace:
            taken = _timed_look(workspace)
            assert workspace.observed.has_baseline
        shutil.rmtree(os.environ["STUDIO_STATE_DIR"])
        return taken

    def peer() -> float:
        _repository(root, variables)
        taken = milliseconds(["git", "-C", str(root), "add", "-A"], variables)
        shutil.rmtree(root / ".git")
        return taken

    mine, other = compare(ours, peer, pairs)
    return Comparison("the baseline made", "git add -A, a process", mine, other, 1.1)


def _looked(folder: Path, pairs: int, target: float, *, is_reported: bool) -> Comparison:
    root, variables = _made(folder), environment(folder)
    _repository(root, variables)
    subprocess.run(["git", "-C", str(root), "add", "-A"], env=variables, check=True)
    identity = ["-c", "user.name=n", "-c", "user.email=e@x", "-c", "gc.auto=0", "-c", "maintenance.auto=0"]
    subprocess.run(["git", "-C", str(root), *identity, "commit", "-qm", "all"], env=variables, check=True)
    files = sorted(str(file.relative_to(root)) for file in root.rglob("module_*"))
    changed = files[:: max(1, len(files) // _CHANGED)]
    numbers = count()

    def write() -> None:
        text = f"changed {next(numbers)}\n"
        for name in changed:
            (root / name).write_text(text)

    with closing(Workspace.open(root)) as workspace:
        workspace.observed.look()

        def ours() -> float:
            write()
            taken = _timed_look(workspace, frozenset(changed) if is_reported else frozenset())
            assert len(workspace.observed.open()) == len(changed)
            return taken

        def peer() -> float:
            write()
            return milliseconds(["git", "-C", str(root), "status", "--porcelain"], variables)

        mine, other = compare(ours, peer, pairs)
    what = f"a look at {len(changed)} changes, {'their paths' if is_reported else 'no path'} known"
    return Comparison(what, "git status, a process", mine, other, target)


def _known(folder: Path, pairs: int) -> Comparison:
    return _looked(folder, pairs, 0.75, is_reported=True)


def _unknown(folder: Path, pairs: int) -> Comparison:
    return _looked(folder, pairs, 2.0, is_reported=False)


def _rescan(folder: Path, pairs: int) -> Comparison:
    root = _made(folder)
    with closing(ProjectRoot(root)) as opened, ObjectFolder(folder / "objects") as objects:
        known = HashCache()
        is_new = True
        while is_new:  # what was young when it was read is read again
            capture = Capture(opened, objects, known)
            capture.scan()
            is_new = capture.bytes_to_read > 0
            capture.store()

        def ours() -> float:
            capture = Capture(opened, objects, known)
            started = time.perf_counter()
            capture.scan()
            taken = (time.perf_counter() - started) * 1000
            assert not capture.bytes_to_read
            return taken

        def peer() -> float:
            started = time.perf_counter()
            assert _walked(str(root)) >= trees.FILES
            return (time.perf_counter() - started) * 1000

        mine, other = compare(ours, peer, pairs)
    return Comparison("Capture.look, nothing changed", "scandir and stat of each", mine, other, 1.3)


def _walked(root: str) -> int:
    """The least that any walk does which looks at every file: its kind and its times."""
    seen, pending = 0, [root]
    while pending:
        with os.scandir(pending.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    pending.append(entry.path)
                else:
                    entry.stat(follow_symlinks=False)
                    seen += 1
    return seen


OBSERVING = (
    Benchmark("baseline", f"{trees.FILES:,} files noted for the first time", _first),
    Benchmark("look-told", f"{trees.FILES:,} files, {_CHANGED} changed and told of", _known),
    Benchmark("look-all", f"{trees.FILES:,} files, {_CHANGED} changed somewhere", _unknown),
    Benchmark("rescan", f"{trees.FILES:,} files looked at that are as they were", _rescan),
)
