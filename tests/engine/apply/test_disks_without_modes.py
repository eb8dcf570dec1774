"""Plans on disks that keep no permission bits: their results are what the disk gave, and go back."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from studio.engine.apply import ending
from studio.engine.plan import Plan, PlanState
from studio.errors import Conflict
from studio.workspace import Reviewer, Workspace
from tests.engine.conftest import PERSON
from tests.tools.disks_without_modes import ROUNDINGS, rounded_modes

Propose = Callable[..., Plan]

STEPS = (
    {"op": "create", "path": "new/deep/a.txt", "content": "hello\n"},
    {"op": "create", "path": "run.sh", "content": "#!/bin/sh\n", "executable": True},
    {"op": "modify", "path": "b.txt", "content": "new\n"},
    {"op": "copy", "path": "c.txt", "to": "d.txt"},
    {"op": "move", "path": "e.txt", "to": "there/e.txt"},
    {"op": "mode", "path": "f.sh", "executable": True},
    {"op": "delete", "path": "g.txt"},
    {"op": "mkdir", "path": "empty"},
)


@pytest.fixture(params=ROUNDINGS)
def disk(request: pytest.FixtureRequest, project: Path) -> Iterator[Path]:
    for name in ("b.txt", "c.txt", "e.txt", "f.sh", "g.txt"):
        (project / name).write_text(f"{name}\n")
    with rounded_modes(project, ROUNDINGS[request.param]):
        yield project


def tree(folder: Path) -> dict[str, tuple[int, bytes]]:
    return {
        path.relative_to(folder).as_posix(): (
            stat.S_IMODE(path.stat().st_mode),
            b"" if path.is_dir() else path.read_bytes(),
        )
        for path in folder.rglob("*")
    }


def proposed(propose: Propose) -> Plan:
    return propose(json.dumps({"title": "t", "steps": STEPS}))


def test_what_a_plan_wrote_goes_back_and_comes_again(
    disk: Path, workspace: Workspace, propose: Propose, reviewer: Reviewer
) -> None:
    workspace.observed.look()
    before = tree(disk)
    plan = proposed(propose)
    reviewer.approve(plan.id)
    assert reviewer.apply(plan.id).state is PlanState.COMPLETED
    workspace.observed.look()
    assert workspace.observed.open() == (), "what we wrote ourselves is no change by others"
    after = tree(disk)
    assert after["new/deep/a.txt"][1] == b"hello\n"
    back = reviewer.rollback(plan.id)
    assert tree(disk) == before
    reviewer.rollback(back.id)
    assert tree(disk) == after
    workspace.observed.look()
    assert workspace.observed.open() == ()


def test_another_mode_than_the_disk_gave_is_still_a_change(
    project: Path, propose: Propose, reviewer: Reviewer
) -> None:
    plan = propose('{"title": "t", "steps": [{"op": "create", "path": "a.txt", "content": "a\\n"}]}')
    reviewer.approve(plan.id)
    reviewer.apply(plan.id)
    (project / "a.txt").chmod(0o600)
    with pytest.raises(Conflict, match=r"a\.txt changed after the plan was applied"):
        reviewer.rollback(plan.id)


def test_an_apply_that_was_not_recorded_is_finished(
    disk: Path, workspace: Workspace, propose: Propose, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after a kill between the last file and the record: all results are there."""
    plan = proposed(propose)
    reviewer = workspace.reviewer(PERSON)
    reviewer.approve(plan.id)

    class Killed(BaseException):
        pass

    def kill(*_words: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(ending, "record_done", kill)
        with pytest.raises(Killed):
            reviewer.apply(plan.id)
    after = tree(disk)
    with closing(Workspace.open(disk)) as again:
        reviewer = again.reviewer(PERSON)
        reviewer.recover()
        left = again.proposer.plan(plan.id)
        assert left.state is PlanState.COMPLETED, left.problems
        assert {path for path in after if ".exacta" not in path} == set(tree(disk))
        reviewer.rollback(plan.id)
        assert not (disk / "run.sh").exists() and not os.path.lexists(disk / "new")


def test_a_step_that_was_rebased_goes_back(
    disk: Path, workspace: Workspace, propose: Propose, reviewer: Reviewer
) -> None:
    (disk / "b.txt").write_text("1\n2\n3\n4\n5\n6\n7\n8\n")
    edits = [{"old": "1\n", "new": "one\n"}]
    step = {"op": "modify", "path": "b.txt", "edits": edits, "executable": True}
    plan = propose(json.dumps({"title": "t", "steps": [step]}))
    (disk / "b.txt").write_text("1\n2\n3\n4\n5\n6\n7\neight\n")
    workspace.proposer.refresh()
    reviewer.rebase(plan.id, 1)
    reviewer.approve(plan.id)
    reviewer.apply(plan.id)
    assert (disk / "b.txt").read_text() == "one\n2\n3\n4\n5\n6\n7\neight\n"
    reviewer.rollback(plan.id)
    assert (disk / "b.txt").read_text() == "1\n2\n3\n4\n5\n6\n7\neight\n"
