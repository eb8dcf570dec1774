"""A small project with a plan of every operation, its store, and both put back in place for the next try.

The project folder itself stays the same folder: a decision is bound to its device and inode.
"""

from __future__ import annotations

import json
import mmap
import os
import shutil
import stat
import subprocess
import sys
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from studio.engine.plan import PersonSource, PlanState
from studio.engine.project.context import Person
from studio.formats import detect
from studio.workspace import Workspace
from tests.tools.mounts import namespace

PERSON = Person(PersonSource.WINDOW, "tester")

Tree = dict[str, tuple[str, int, bytes]]
"""Path → kind, permission bits, bytes."""

ALL_OPERATIONS: tuple[Mapping[str, Any], ...] = (
    {"op": "create", "path": "new/deep/file.txt", "content": "hello\n"},
    {"op": "modify", "path": "a.txt", "edits": [{"old": "two", "new": "zwei"}]},
    {"op": "modify", "path": "sub/b.txt", "content": "B\n" * 5000},
    {"op": "append", "path": "log.txt", "content": "more\n"},
    {"op": "delete", "path": "old.txt"},
    {"op": "move", "path": "here.txt", "to": "there/it.txt", "edits": [{"old": "x", "new": "y"}]},
    {"op": "copy", "path": "c.bin", "to": "d.bin"},
    {"op": "mkdir", "path": "empty"},
    {"op": "mode", "path": "run.sh", "executable": True},
    {"op": "delete", "path": "gone"},
    # Two units: a file that becomes a folder, and two files that are swapped.
    {"op": "delete", "path": "conf"},
    {"op": "create", "path": "conf/base.txt", "content": "base\n"},
    {"op": "move", "path": "left.txt", "to": "third.txt"},
    {"op": "move", "path": "right.txt", "to": "left.txt"},
    {"op": "move", "path": "third.txt", "to": "right.txt"},
)

MANY: tuple[Mapping[str, Any], ...] = tuple(
    {"op": "modify", "path": f"many/{number:02}.txt", "content": f"new {number}\n"} for number in range(10)
)
"""More results than are flushed one by one."""

TOGETHER: tuple[Mapping[str, Any], ...] = tuple(
    {"op": "modify", "path": f"together{number % 3}/{number:02}.txt", "content": f"new {number}\n"}
    for number in range(70)
)
"""More files than one thread alone removes when they were displaced."""


LINKED: tuple[Tree, Tree] = (
    {
        "bits.txt": ("file", 0o640, b"bits\n"),
        "going": ("link", 0o777, b"bits.txt"),
        "file": ("file", 0o600, b"text\n"),
        "link": ("link", 0o777, b"gone/nowhere"),
        "other": ("link", 0o777, b"bits.txt"),
        "same": ("link", 0o777, b"text"),
        "old": ("folder", 0o750, b""),
        "old/in": ("link", 0o777, b".."),
        "there": ("folder", 0o755, b""),
        "there/in": ("file", 0o644, b"in\n"),
        "shrinks": ("folder", 0o755, b""),
        "shrinks/deep": ("folder", 0o750, b""),
        "shrinks/deep/in": ("file", 0o600, b"deep\n"),
        "grows": ("link", 0o777, b"there"),
        "turns": ("folder", 0o2750, b""),
        "turns/in": ("link", 0o777, b".."),
    },
    {
        "bits.txt": ("file", 0o2604, b"bits\n"),
        "coming": ("link", 0o777, b"../state"),
        "file": ("link", 0o777, b"bits.txt"),
        "link": ("file", 0o755, b"text\n" * 100),
        "other": ("link", 0o777, b"there"),
        "same": ("file", 0o644, b"text"),
        "new": ("folder", 0o750, b""),
        "new/in": ("link", 0o777, b"/"),
        "there": ("folder", 0o555, b""),
        "there/in": ("file", 0o640, b"in it\n"),
        "shrinks": ("file", 0o755, b"shrunk\n"),
        "grows": ("folder", 0o555, b""),
        "grows/deep": ("folder", 0o700, b""),
        "grows/deep/in": ("file", 0o600, b"deep\n"),
        "turns": ("link", 0o777, b"there"),
    },
)
"""A tree, and the one that a plan of the app's own makes of it."""


def lay_together(project: Path) -> None:
    """Write the files that TOGETHER changes."""
    for step in TOGETHER:
        file = project / step["path"]
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"old {file.name}\n")


def lay_out(project: Path) -> None:
    """Write the files that the other plans above change."""
    for folder in ("sub", "many", "gone/inner", "gone/void"):
        (project / folder).mkdir(parents=True)
    for folder in ("gone/inner", "gone/void"):
        (project / folder).chmod(0o775)
    (project / "a.txt").write_bytes(b"one\r\ntwo\r\nthree\r\n")
    (project / "sub/b.txt").write_bytes(b"b\n" * 6000)
    (project / "sub/b.txt").chmod(0o664)
    (project / "log.txt").write_bytes(b"first\n")
    (project / "old.txt").write_bytes(b"going\n")
    (project / "old.txt").chmod(0o640)
    (project / "here.txt").write_bytes(b"x\n")
    (project / "here.txt").chmod(0o600)
    (project / "c.bin").write_bytes(b"\0\1\2")
    (project / "run.sh").write_bytes(b"#!/bin/sh\n")
    (project / "conf").write_bytes(b"all\n")
    (project / "left.txt").write_bytes(b"left\n")
    (project / "right.txt").write_bytes(b"right\n")
    (project / "gone/one.txt").write_bytes(b"1\n")
    (project / "gone/inner/two.txt").write_bytes(b"2\n")
    for number in range(10):
        (project / f"many/{number:02}.txt").write_bytes(f"old {number}\n".encode())


def tree(folder: Path) -> Tree:
    """Every entry of a folder; links are not followed."""
    found: Tree = {}
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        if stat.S_ISLNK(status.st_mode):
            kind, data = "link", os.fsencode(path.readlink())
        elif stat.S_ISDIR(status.st_mode):
            kind, data = "folder", b""
        else:
            kind, data = "file", path.read_bytes()
        found[path.relative_to(folder).as_posix()] = (kind, stat.S_IMODE(status.st_mode), data)
    return found


def lay_tree(folder: Path, wanted: Tree) -> None:
    """Make the contents of an existing folder those of `wanted`."""
    for place, folders, _ in os.walk(folder):
        for name in folders:
            inner = Path(place, name)
            if not inner.is_symlink():
                inner.chmod(0o700)  # only root removes what lies in a closed one
    for entry in folder.iterdir():
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        else:
            entry.unlink()
    for name, (kind, _, data) in wanted.items():
        path = folder / name
        if kind == "folder":
            path.mkdir()
        elif kind == "link":
            path.symlink_to(os.fsdecode(data))
        else:
            path.write_bytes(data)
    for name, (kind, mode, _) in wanted.items():
        if kind != "link":
            (folder / name).chmod(mode)


def plan_text(*steps: Mapping[str, Any], title: str = "A plan") -> bytes:
    return json.dumps({"title": title, "agent": "tester", "steps": list(steps)}).encode()


def propose_and_approve(workspace: Workspace, *steps: Mapping[str, Any]) -> str:
    """The id of a new plan whose every step is valid and approved."""
    plan = workspace.proposer.propose(detect.read(plan_text(*steps)))
    assert not plan.problems, plan.problems
    approved = workspace.reviewer(PERSON).approve(plan.id)
    assert approved.state is PlanState.APPROVED, approved
    return plan.id


@dataclass(frozen=True, slots=True)
class Saved:
    """Project and state folder at one moment."""

    project: Tree
    state: Tree


class Bench:
    """A project and its state in one folder; one at a time, because their places are in the environment."""

    def __init__(self, folder: Path, name: str = "project") -> None:
        self.project = folder / name
        self.state = folder / "state"
        self._answer = mmap.mmap(-1, 1 << 20)
        for made in (self.project, self.state, folder / "config"):
            made.mkdir(parents=True, exist_ok=True)
        os.environ["STUDIO_STATE_DIR"] = str(self.state)
        os.environ["STUDIO_CONFIG_DIR"] = str(folder / "config")

    def tell(self, answer: Any) -> None:
        """Leave something for the parent in shared memory: that takes no system call that could fail."""
        data = json.dumps(answer).encode()
        self._answer[: len(data) + 1] = data + b"\0"

    def told(self) -> Any:
        return json.loads(self._answer[: self._answer.find(b"\0")])

    def save(self) -> Saved:
        return Saved(tree(self.project), tree(self.state))

    def restore(self, saved: Saved) -> None:
        lay_tree(self.project, saved.project)
        lay_tree(self.state, saved.state)

    def open(self) -> Workspace:
        return Workspace.open(self.project)


def run_each(cases: Mapping[str, Callable[[Path], object]], folder: Path) -> dict[str, Any]:
    """Run each case in a fork, with a folder of its own; returns its result, or the traceback of its failure.

    A process that imports the program for each case takes three times as long.
    """
    seen: dict[str, Any] = {}
    for name, case in cases.items():
        answer = folder / f"{name}.json"
        (folder / name).mkdir()
        if (child := os.fork()) == 0:
            try:
                answer.write_text(json.dumps(case(folder / name)))
            except BaseException:
                answer.write_text(json.dumps(traceback.format_exc()))
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        seen[name] = json.loads(answer.read_text()) if answer.exists() else "it was killed"
    return seen


def outcomes_of(module: str, folder: Path) -> dict[str, Any]:
    """What became of the cases of a module, run in a mount name space of their own."""
    done = subprocess.run(
        [*namespace(), sys.executable, "-m", module, str(folder)],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
