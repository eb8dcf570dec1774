"""What an apply looks at before it asks for anything: else the journal holds no request."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from studio.engine.apply.gateway import ApplyRefused, Drifted
from studio.engine.plan import Plan, PlanState, StepState
from studio.errors import StudioError
from studio.limits import DISK_SPARE_BYTES
from studio.workspace import Reviewer, Workspace
from tests.engine.conftest import PERSON
from tests.tools.inside import context_of

OLD, NEW = "old\n", "new\n"


@pytest.fixture
def approved(project: Path, propose: Callable[..., Plan], reviewer: Reviewer) -> Plan:
    (project / "a.txt").write_text(OLD)
    step = {"op": "modify", "path": "a.txt", "content": NEW}
    return reviewer.approve(propose(json.dumps({"title": "t", "steps": [step]})).id)


def refused(workspace: Workspace, plan: Plan) -> StudioError:
    """Why the apply was refused; nothing is written, and nothing was asked for."""
    with pytest.raises(StudioError) as caught:
        workspace.reviewer(PERSON).apply(plan.id)
    assert (workspace.root_path / "a.txt").read_text() == OLD
    assert workspace.journal.newest() == () and not workspace.needs_recovery
    return caught.value


@pytest.mark.parametrize(
    "rules",
    [
        'file_rules: {deny: ["elsewhere/"]}',
        'file_rules: {secrets: ["vault/"]}',
        'tool_configuration: {file_system: {allowed_extensions: [".txt"]}}',
        "limits: {file_bytes: 1000}",
        "limits: {depth: 7}",
        'encodings: {"legacy/**": windows-1252}',
    ],
)
def test_other_rules_void_an_approval_though_they_allow_the_file_as_before(
    approved: Plan, project: Path, workspace: Workspace, rules: str
) -> None:
    """Who approved did so under the rules of that moment."""
    (project / "studio.yaml").write_text(f"{rules}\n")
    error = refused(workspace, approved)
    assert isinstance(error, Drifted) and error.code == "policy.changed"
    assert workspace.proposer.plan(approved.id).steps[0].state is StepState.PENDING


def test_an_approval_is_for_the_folder_it_was_given_in(
    approved: Plan, project: Path, workspace: Workspace
) -> None:
    """A copy in its place that a person accepted as the same project: decisions are made anew."""
    project.rename(project.with_name("before"))
    shutil.copytree(project.with_name("before"), project)
    copy = Workspace.open(project)
    copy.reviewer(PERSON).recover()
    error = refused(copy, approved)
    assert isinstance(error, Drifted) and error.code == "step.decision_void"
    copy.close()


@pytest.mark.parametrize("side", ["base", "result"])
def test_what_could_not_be_put_back_is_not_written(approved: Plan, workspace: Workspace, side: str) -> None:
    """The stored bytes of both sides must be there and sound."""
    image = getattr(approved.steps[0], side)
    with context_of(workspace).store.database.write() as connection:
        connection.execute("UPDATE blobs SET packed = x'00' WHERE sha256 = ?", (bytes.fromhex(image.sha256),))
    error = refused(workspace, approved)
    assert isinstance(error, ApplyRefused) and error.code == "store.content_lost"
    assert workspace.proposer.plan(approved.id).state is PlanState.APPROVED


@pytest.mark.parametrize(
    ("free", "entries", "total"),
    [(0, 9, 9), (len(NEW) + DISK_SPARE_BYTES - 1, 9, 9), (1 << 40, 0, 9)],
    ids=["no room", "no room to spare", "no entry left"],
)
def test_a_disk_without_room_is_told_before(
    approved: Plan,
    workspace: Workspace,
    reviewer: Reviewer,
    monkeypatch: pytest.MonkeyPatch,
    *,
    free: int,
    entries: int,
    total: int,
) -> None:
    def told(room: int, left: int, files: int) -> Callable[[int], object]:
        return lambda _: SimpleNamespace(
            f_bavail=room, f_frsize=1, f_files=files, f_favail=left, f_flag=0, f_namemax=255
        )

    with monkeypatch.context() as patch:
        patch.setattr(os, "fstatvfs", told(free, entries, total))
        error = refused(workspace, approved)
        assert isinstance(error, ApplyRefused) and error.code == "disk.full"
        assert workspace.proposer.plan(approved.id).state is PlanState.APPROVED
        # Exactly enough, on a disk that counts no entries.
        patch.setattr(os, "fstatvfs", told(len(NEW) + DISK_SPARE_BYTES, 0, 0))
        assert reviewer.apply(approved.id).state is PlanState.COMPLETED


@pytest.mark.parametrize(
    ("count", "undecided", "more"),
    [
        (1, "1 step of “t” is", ""),
        (2, "2 steps of “t” are", " One more step changed too."),
        (3, "3 steps of “t” are", " 2 more steps changed too."),
    ],
)
def test_the_steps_in_the_way_are_counted(
    project: Path,
    propose: Callable[..., Plan],
    reviewer: Reviewer,
    *,
    count: int,
    undecided: str,
    more: str,
) -> None:
    files = [project / f"{number}.txt" for number in range(count)]
    for file in files:
        file.write_text(OLD)
    steps = [{"op": "modify", "path": file.name, "content": NEW} for file in files]
    plan = propose(json.dumps({"title": "t", "steps": steps}))
    with pytest.raises(StudioError) as early:
        reviewer.apply(plan.id)
    assert early.value.message == f"{undecided} undecided."
    reviewer.approve(plan.id)
    for file in files:
        file.write_text("drift\n")
    with pytest.raises(Drifted) as drifted:
        reviewer.apply(plan.id)
    assert drifted.value.message == f"Nothing was written: 0.txt changed after it was reviewed.{more}"
