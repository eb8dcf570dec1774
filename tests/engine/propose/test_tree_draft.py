"""A folder compared with the project: nothing is taken for absent that nobody could look at."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from studio.engine.plan import StepState
from studio.engine.root import FileState, ProjectRoot, TreeEntry
from studio.errors import StudioError
from studio.workspace import Workspace
from tests.engine.git_data.repositories import init, write


def test_a_folder_that_cannot_be_read_is_no_empty_one(
    workspace: Workspace, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = tmp_path / "copy"
    (copy / "closed").mkdir(parents=True)
    (project / "closed").mkdir()
    (project / "closed/kept.txt").write_text("kept\n")
    listed = ProjectRoot.list_folder

    def refuse(root: ProjectRoot, path: str, *, up_to: int | None = None) -> tuple[TreeEntry, ...]:
        if root.path == copy and path == "closed":
            raise PermissionError(13, "Permission denied")
        return listed(root, path, up_to=up_to)

    monkeypatch.setattr(ProjectRoot, "list_folder", refuse)
    with pytest.raises(StudioError) as caught:
        workspace.proposer.propose_tree(copy, deletes=True)
    assert "can't be compared with the project" in caught.value.message
    assert workspace.proposer.plans() == ()


@pytest.mark.parametrize("side", ["tree", "project"])
def test_a_file_that_vanishes_while_it_is_compared_is_one_refused_step(
    workspace: Workspace, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, side: str
) -> None:
    copy = tmp_path / "copy"
    copy.mkdir()
    for folder in (copy, project):
        (folder / "going.txt").write_text("1\n")
    (copy / "other.txt").write_text("2\n")
    digested = ProjectRoot.digest
    vanishing = copy if side == "tree" else project

    def vanish(root: ProjectRoot, path: str) -> tuple[str, FileState] | None:
        if path == "going.txt":
            (vanishing / path).unlink(missing_ok=True)
        return digested(root, path)

    with monkeypatch.context() as patch:
        patch.setattr(ProjectRoot, "digest", vanish)
        plan = workspace.proposer.propose_tree(copy)
    assert plan is not None
    states = {step.path: step.state for step in plan.steps}
    assert states == {"going.txt": StepState.INVALID, "other.txt": StepState.PENDING}


def test_rules_that_cannot_be_read_leave_nothing_out(
    workspace: Workspace, project: Path, tmp_path: Path
) -> None:
    """A pipe as .gitignore held up whoever compared a folder, for ever."""
    init(project)
    write(project, {".git/info/exclude": "*.log\n"})
    os.mkfifo(project / ".gitignore")
    write(tmp_path / "copy", {"a.log": "", "deep/b.log": ""})
    plan = workspace.proposer.propose_tree(tmp_path / "copy")
    assert plan is not None
    assert {step.path for step in plan.steps} == {"a.log", "deep/b.log"}
    (told,) = [problem.message for problem in plan.problems if problem.code == "tree.git_unread"]
    assert ".gitignore is a pipe" in told
