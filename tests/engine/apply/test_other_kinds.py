"""Folders that become files or links, and these folders, in one plan; and folders that are closed by one."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from studio.engine.apply.gateway import ApplyRefused
from studio.engine.branch.posix import PosixFS
from studio.engine.branch.replay import replay
from studio.engine.disk import TargetChanged, batch, files, folders
from studio.engine.plan import Operation, Plan, PlanState, StepState
from studio.engine.root import ProjectRoot
from studio.workspace import Reviewer, Workspace
from tests.engine.apply.test_links import FOLDER, file, ground, link
from tests.faults.bench import lay_tree, tree
from tests.faults.test_recovery import once, temporaries
from tests.tools.inside import context_of
from tests.tools.restoring import plan_to
from tests.tools.rights import IS_ROOT

__all__ = ["ground"]


def test_a_folder_is_closed_over_what_changes_in_it(
    ground: Path, workspace: Workspace, reviewer: Reviewer
) -> None:
    """By its owner, who needs no right of root's; to take that back he has to open it first."""
    before = tree(ground)
    wanted = {
        **before,
        "sub": ("folder", 0o555, b""),
        "sub/in.txt": file(b"new\n", 0o400),
        "made": ("folder", 0o555, b""),
        "made/in": link("in"),
    }
    plan = reviewer.apply(plan_to(workspace, wanted))
    assert tree(ground) == wanted
    if not IS_ROOT:
        with pytest.raises(ApplyRefused, match="its folder is not writable"):
            reviewer.rollback(plan.id)
        assert tree(ground) == wanted
        for folder in ("sub", "made"):
            (ground / folder).chmod(0o755)
        return
    reviewer.rollback(plan.id)
    assert tree(ground) == before


def test_a_replay_makes_the_same_of_other_kinds(
    ground: Path, workspace: Workspace, reviewer: Reviewer, tmp_path: Path
) -> None:
    """Beneath an empty folder, and beneath a copy of what was there."""
    first = {"a": FOLDER, "a/b": file(b"b\n"), "c": link("a"), "d": file(b"d\n")}
    last = {"a": link("c"), "c": FOLDER, "c/e": FOLDER, "c/e/f": file(b"f\n"), "d": ("folder", 0o700, b"")}
    lay_tree(ground, first)
    plan = reviewer.apply(plan_to(workspace, last))
    reviewer.rollback(reviewer.rollback(plan.id).id)
    assert tree(ground) == last
    store = context_of(workspace).store
    for start in ({}, first):
        (tmp_path / "again").mkdir(exist_ok=True)
        lay_tree(tmp_path / "again", start)
        with ProjectRoot(tmp_path / "again") as root:
            replay(store.journal.tail(timeout=0), root, store.blobs.get)
        assert tree(tmp_path / "again") == last
    assert store.journal.verify().damaged_at is None


def test_a_folder_in_which_something_stays_becomes_nothing_else(
    ground: Path, workspace: Workspace, reviewer: Reviewer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither what is there when it is looked at, nor what somebody lays there in the last moment."""
    before = tree(ground)
    plan_id = plan_to(workspace, {"own.txt": before["own.txt"], "sub": link("../outside")})
    (ground / "sub/more.txt").write_bytes(b"more\n")
    with pytest.raises(ApplyRefused, match=r"sub can't be deleted: sub/more\.txt remains in it"):
        reviewer.apply(plan_id)
    (ground / "sub/more.txt").unlink()
    once(monkeypatch, PosixFS, "commit", lambda *_: (ground / "sub/more.txt").write_bytes(b"more\n"))
    with pytest.raises(TargetChanged):
        reviewer.apply(plan_id)
    (ground / "sub/more.txt").unlink()
    assert tree(ground) == before and temporaries(ground) == []


@pytest.mark.parametrize("theirs", ["file", "folder", "link"])
@pytest.mark.parametrize("wanted", ["file", "folder"])
def test_what_somebody_lays_at_a_path_that_changes_its_kind_stays(
    *,
    theirs: str,
    wanted: str,
    ground: Path,
    workspace: Workspace,
    reviewer: Reviewer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In the moment when what was there is gone; everything that can goes back."""
    monkeypatch.setattr(batch, "AGAIN_SECONDS", 0.0)
    bare = tree(ground)
    sides = {"file": {"a": file(b"text\n")}, "folder": {"a": FOLDER, "a/b": file(b"b\n")}}
    other = {"file": "folder", "folder": "file"}[wanted]
    lay_tree(ground, {**bare, **sides[other]})
    plan_id = plan_to(workspace, {**bare, **sides[wanted], "first": link("own.txt")})

    def lay(*_: object) -> None:
        if theirs == "folder":
            (ground / "a").mkdir()
            (ground / "a/theirs").write_bytes(b"theirs\n")
        elif theirs == "link":
            (ground / "a").symlink_to("theirs")
        else:
            (ground / "a").write_bytes(b"theirs\n")

    owner, name = {"file": (files, "put_in_place"), "folder": (folders, "make_folder")}[wanted]
    original, seen = getattr(owner, name), list[str]()

    def watched(*arguments: Any) -> Any:
        if arguments[-1 if wanted == "file" else 1] == "a" and not os.path.lexists(ground / "a") and not seen:
            seen.append(name)
            lay()
        return original(*arguments)

    monkeypatch.setattr(owner, name, watched)
    with pytest.raises(TargetChanged):
        reviewer.apply(plan_id)
    found = tree(ground)
    assert seen and found["a"][0] == theirs and "first" not in found and temporaries(ground) == []
    assert theirs != "folder" or found["a/theirs"] == file(b"theirs\n", found["a/theirs"][1])
    assert workspace.proposer.plan(plan_id).state is PlanState.FAILED


def test_no_single_step_makes_a_folder_of_a_file_or_a_file_of_a_folder(
    ground: Path, propose: Callable[..., Plan]
) -> None:
    """Only steps that take the old away and put the new in its place."""
    asked: list[list[dict[str, str]]] = [
        [{"op": "modify", "path": "sub", "content": "text\n"}],
        [{"op": "create", "path": "sub", "content": "text\n"}],
        [{"op": "mkdir", "path": "own.txt"}],
        [{"op": "create", "path": "own.txt/in", "content": "text\n"}],
        [{"op": "delete", "path": "own.txt"}, {"op": "mkdir", "path": "own.txt"}],
    ]
    for steps in asked:
        plan = propose(json.dumps({"title": "t", "steps": steps}))
        open_steps = [step for step in plan.steps if step.state is not StepState.INVALID]
        assert all(step.op is Operation.DELETE for step in open_steps), steps
