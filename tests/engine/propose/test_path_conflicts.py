"""Two open plans that write one path know of each other before anything is written."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from studio.engine.plan import Plan
from studio.engine.propose.path_conflicts import PathConflict
from studio.engine.root import ProjectRoot
from studio.system import syscalls
from studio.workspace import Reviewer, Workspace

Propose = Callable[..., Plan]


@pytest.fixture
def plan(propose: Propose) -> Propose:
    return lambda *steps: propose(json.dumps({"title": "t", "steps": steps}))


def create(path: str, content: str) -> dict[str, Any]:
    return {"op": "create", "path": path, "content": content}


def test_both_plans_show_the_conflict(workspace: Workspace, plan: Propose) -> None:
    first = plan(create("a.txt", "1"), create("b.txt", "1"))
    second = plan(create("c.txt", "2"), create("b.txt", "2"))
    assert workspace.proposer.path_conflicts(first.id) == (PathConflict(2, "b.txt", second.id, 2, "b.txt"),)
    assert workspace.proposer.path_conflicts(second.id) == (PathConflict(2, "b.txt", first.id, 2, "b.txt"),)


def test_every_path_a_step_writes_counts(project: Path, workspace: Workspace, plan: Propose) -> None:
    """Both ends of a move, only the far end of a copy."""
    for name in ("m.txt", "c.txt"):
        (project / name).write_text("x")
    first = plan(
        {"op": "move", "path": "m.txt", "to": "n.txt"}, {"op": "copy", "path": "c.txt", "to": "d.txt"}
    )
    for path, conflicts in {"m.txt": 1, "n.txt": 1, "d.txt": 1, "c.txt": 0}.items():
        exists = (project / path).exists()
        other = plan({"op": "modify" if exists else "create", "path": path, "content": f"other {path}"})
        assert len(workspace.proposer.path_conflicts(other.id)) == conflicts, path
        workspace.proposer.withdraw(other.id)
    assert workspace.proposer.path_conflicts(first.id) == ()


@pytest.mark.parametrize("folds_case", [False, True])
def test_case_counts_where_the_volume_folds_it(
    workspace: Workspace, plan: Propose, monkeypatch: pytest.MonkeyPatch, folds_case: bool
) -> None:
    monkeypatch.setattr(ProjectRoot, "folds_case", folds_case)
    first, second = plan(create("Read.me", "1")), plan(create("read.ME", "2"))
    found = workspace.proposer.path_conflicts(second.id)
    assert found == ((PathConflict(1, "read.ME", first.id, 1, "Read.me"),) if folds_case else ())


@pytest.mark.parametrize("folds_case", [False, True])
def test_case_counts_in_a_folder_that_folds_it(
    workspace: Workspace, project: Path, plan: Propose, monkeypatch: pytest.MonkeyPatch, folds_case: bool
) -> None:
    """One folder of ext4 may fold case beside others that do not; what is made in it will, too."""
    (project / "folding").mkdir()
    folding = (project / "folding").stat().st_ino
    monkeypatch.setattr(
        syscalls,
        "inode_flags",
        lambda handle: syscalls.FS_CASE_FOLDED if folds_case and os.fstat(handle).st_ino == folding else 0,
    )
    twins = plan(*(create(f"{name}/x.txt", "1") for name in ("folding/Sub", "folding/sub", "Sub", "sub")))
    problems = [[problem.code for problem in step.problems] for step in twins.steps]
    assert problems == [[], ["path.twice"] if folds_case else [], [], []]
    other = plan(create("folding/SUB/X.txt", "2"), create("SUB/x.txt", "2"))
    found = [(conflict.path, conflict.other_path) for conflict in workspace.proposer.path_conflicts(other.id)]
    assert found == ([("folding/SUB/X.txt", "folding/Sub/x.txt")] if folds_case else [])


@pytest.mark.parametrize("folds_case", [False, True])
def test_move_to_another_spelling_of_its_name(
    project: Path, plan: Propose, monkeypatch: pytest.MonkeyPatch, folds_case: bool
) -> None:
    monkeypatch.setattr(ProjectRoot, "folds_case", folds_case)
    (project / "readme.md").write_text("x")
    (step,) = plan({"op": "move", "path": "readme.md", "to": "README.md"}).steps
    assert [problem.code for problem in step.problems] == (["path.same_name"] if folds_case else [])


def test_closed_plans_and_decided_steps_are_no_conflict(
    workspace: Workspace, reviewer: Reviewer, plan: Propose
) -> None:
    rejected, waiting = plan(create("a.txt", "1")), plan(create("a.txt", "2"))
    reviewer.reject(rejected.id, reason="no")
    assert workspace.proposer.path_conflicts(waiting.id) == ()
    assert workspace.proposer.path_conflicts(rejected.id) == ()
