"""Applies on disks that are full or read-only, in a mount name space of their own.

    python -m tests.faults.disks FOLDER

Each case mounts what it needs and tries in a fork, and one JSON object holds them all; the mounts end with
the process.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from studio.engine import disk
from studio.engine.branch.posix import PosixFS
from studio.errors import StudioError
from studio.formats import detect
from studio.workspace import Workspace
from tests.faults.bench import PERSON, Bench, plan_text, propose_and_approve, run_each, tree

OLD = "old\n" * 100
SMALL = (
    {"op": "modify", "path": "a.txt", "content": "new\n"},
    {"op": "create", "path": "n/b.txt", "content": "b"},
)
BIG = (
    {"op": "modify", "path": "a.txt", "content": "new\n"},
    {"op": "create", "path": "n/big.txt", "content": "many bytes " * 60_000},
)


def mount(place: Path, *options: str) -> None:
    subprocess.run(["mount", *options, str(place)], check=True)


def tmpfs(place: Path, options: str) -> None:
    mount(place, "-t", "tmpfs", "-o", options, "tmpfs")


def remount(place: Path, options: str) -> None:
    """With the disk named, `mount` does not repeat the options that a user's name space can't take."""
    mount(place, "-o", f"remount,{options}", "tmpfs")


def fill(folder: Path) -> Path:
    """Take every free byte of a disk."""
    filler = folder / "filler"
    with filler.open("wb", buffering=0) as stream:
        for size in (65536, 4096, 512, 1):
            try:
                while True:
                    stream.write(b"x" * size)
            except OSError:
                continue
    return filler


class Case:
    """One project on one disk, and what became of it."""

    def __init__(self, folder: Path) -> None:
        self.bench = Bench(folder)
        self.seen: dict[str, Any] = {}

    def lay_out(self) -> None:
        (self.bench.project / "a.txt").write_text(OLD)

    def refused(self, name: str, call: Callable[[], object]) -> None:
        """Note what a call is refused with, and whether the project is untouched."""
        before = tree(self.bench.project)
        told = ["nothing", "", ""]
        try:
            call()
        except StudioError as error:
            told = [error.code, error.message, error.hint]
        self.seen[name] = {"told": told, "untouched": tree(self.bench.project) == before}

    def applied(self, name: str, plan_id: str, workspace: Workspace) -> None:
        try:
            self.seen[name] = workspace.reviewer(PERSON).apply(plan_id).state.value
        except StudioError as error:
            self.seen[name] = f"{error.code}: {error}"

    def refused_and_applied(self, workspace: Workspace, plan_id: str, mend: Callable[[], object]) -> None:
        self.refused("apply", lambda: workspace.reviewer(PERSON).apply(plan_id))
        self.seen["state"] = workspace.proposer.plan(plan_id).state.value
        mend()
        self.applied("again", plan_id, workspace)


def small_disk(case: Case) -> None:
    """The result doesn't fit: found before anything is written."""
    tmpfs(case.bench.project, "size=512k")
    case.lay_out()
    workspace = case.bench.open()
    plan_id = propose_and_approve(workspace, *BIG)
    case.refused_and_applied(workspace, plan_id, lambda: remount(case.bench.project, "size=8m"))
    workspace.close()


def disk_fills_up(case: Case) -> None:
    """The room was there when it was looked for, and is gone when it is written."""
    tmpfs(case.bench.project, "size=512k")
    case.lay_out()
    workspace = case.bench.open()
    plan_id = propose_and_approve(workspace, *BIG)
    patch = pytest.MonkeyPatch()
    patch.setattr(disk, "free_space", lambda *_: (1 << 40, 1 << 20))
    case.refused_and_applied(workspace, plan_id, lambda: remount(case.bench.project, "size=8m"))
    patch.undo()
    workspace.close()


def tiny_disk(case: Case) -> None:
    """Not even the spare room is there."""
    tmpfs(case.bench.project, "size=64k")
    case.lay_out()
    workspace = case.bench.open()
    plan_id = propose_and_approve(workspace, *SMALL)
    case.refused_and_applied(workspace, plan_id, lambda: remount(case.bench.project, "size=8m"))
    workspace.close()


def no_entries(case: Case, *, seen_before: bool = True) -> None:
    """Bytes enough, but no room for names."""
    tmpfs(case.bench.project, "size=8m,nr_inodes=6")
    case.lay_out()
    for number in range(4):
        (case.bench.project / f"f{number}").touch()
    workspace = case.bench.open()
    plan_id = propose_and_approve(workspace, *SMALL)
    patch = pytest.MonkeyPatch()
    if not seen_before:
        patch.setattr(disk, "free_space", lambda *_: (1 << 40, 1 << 20))
    case.refused_and_applied(workspace, plan_id, lambda: remount(case.bench.project, "nr_inodes=100"))
    patch.undo()
    workspace.close()


def entries_run_out(case: Case) -> None:
    no_entries(case, seen_before=False)


def full_state(case: Case) -> None:
    """The state folder's disk is full: nothing can be proposed, nothing is applied."""
    tmpfs(case.bench.state, "size=1m")
    case.lay_out()
    workspace = case.bench.open()
    plan_id = propose_and_approve(workspace, *SMALL)
    filler = fill(case.bench.state)
    other = plan_text({"op": "create", "path": "other.txt", "content": "other " * 9999})
    case.refused("propose", lambda: workspace.proposer.propose(detect.read(other)))
    case.seen["plans"] = len(workspace.proposer.plans())
    case.refused_and_applied(workspace, plan_id, filler.unlink)
    workspace.close()


def no_room_for_a_store(case: Case) -> None:
    tmpfs(case.bench.state, "size=64k")
    case.lay_out()
    filler = fill(case.bench.state)
    case.refused("apply", lambda: case.bench.open().close())
    filler.unlink()
    remount(case.bench.state, "size=8m")
    workspace = case.bench.open()
    case.applied("again", propose_and_approve(workspace, *SMALL), workspace)
    workspace.close()


def read_only(case: Case) -> None:
    """The project is mounted read-only."""
    mount(case.bench.project, "--bind", str(case.bench.project))
    case.lay_out()
    workspace = case.bench.open()
    plan_id = propose_and_approve(workspace, *SMALL)
    again = ["mount", "-o", "remount,bind,rw", str(case.bench.project)]
    mount(case.bench.project, "-o", "remount,bind,ro")
    case.refused_and_applied(workspace, plan_id, lambda: subprocess.run(again, check=True))
    workspace.close()


def read_only_in_between(case: Case) -> None:
    """The disk turns read-only after the results were laid beside their targets."""
    tmpfs(case.bench.project, "size=8m")
    case.lay_out()
    before = tree(case.bench.project)
    workspace = case.bench.open()
    reviewer = workspace.reviewer(PERSON)
    plan_id = propose_and_approve(workspace, *SMALL)
    commit = PosixFS.commit

    def turn(leaf: PosixFS, staged: Any) -> Any:
        remount(case.bench.project, "ro")
        return commit(leaf, staged)

    patch = pytest.MonkeyPatch()
    patch.setattr(PosixFS, "commit", turn)
    try:
        reviewer.apply(plan_id)
    except StudioError as error:
        told = [error.code, error.message, error.hint]
    else:
        told = ["nothing", "", ""]
    patch.undo()
    remount(case.bench.project, "rw")
    reviewer.recover()
    case.seen["apply"] = {"told": told, "untouched": tree(case.bench.project) == before}
    case.seen["state"] = workspace.proposer.plan(plan_id).state.value
    case.applied("again", plan_id, workspace)
    workspace.close()


def read_only_state(case: Case) -> None:
    mount(case.bench.state, "--bind", str(case.bench.state))
    case.lay_out()
    workspace = case.bench.open()
    plan_id = propose_and_approve(workspace, *SMALL)
    workspace.close()
    mount(case.bench.state, "-o", "remount,bind,ro")

    def apply() -> None:
        opened = case.bench.open()
        try:
            opened.reviewer(PERSON).apply(plan_id)
        finally:
            opened.close()

    case.refused("apply", apply)
    mount(case.bench.state, "-o", "remount,bind,rw")
    workspace = case.bench.open()
    case.seen["state"] = workspace.proposer.plan(plan_id).state.value
    case.applied("again", plan_id, workspace)
    workspace.close()


CASES = {
    case.__name__: case
    for case in (
        small_disk,
        disk_fills_up,
        tiny_disk,
        no_entries,
        entries_run_out,
        full_state,
        no_room_for_a_store,
        read_only,
        read_only_in_between,
        read_only_state,
    )
}


def main() -> None:
    (folder,) = sys.argv[1:]
    print(json.dumps(run_each({name: partial(_seen, case) for name, case in CASES.items()}, Path(folder))))


def _seen(run: Callable[[Case], None], folder: Path) -> dict[str, Any]:
    case = Case(folder)
    run(case)
    return case.seen


if __name__ == "__main__":
    main()
