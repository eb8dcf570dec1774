"""What a decision or an apply that comes after another one finds, and leaves."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from studio.engine.apply import ending
from studio.engine.apply.gateway import Drifted
from studio.engine.plan import Plan, PlanState, StepState
from studio.engine.policy import Policy
from studio.errors import Conflict, DiskFailed, Refused
from studio.system import syscalls
from studio.workspace import Reviewer, Workspace
from tests.tools.inside import context_of

OLD, NEW = "old\n", "new\n"


@pytest.fixture
def plan(project: Path, propose: Callable[..., Plan]) -> Plan:
    steps = [{"op": "modify", "path": f"{name}.txt", "content": NEW} for name in "ab"]
    for step in steps:
        (project / step["path"]).write_text(OLD)
    return propose(json.dumps({"title": "t", "agent": "tester", "steps": steps}))


@pytest.fixture
def paused(plan: Plan, reviewer: Reviewer, workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> Plan:
    """The disk failed in the middle of its apply."""

    def fail(*_: object) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    reviewer.approve(plan.id)
    with monkeypatch.context() as patch:
        patch.setattr(syscalls, "exchange", fail)
        with pytest.raises(DiskFailed):
            reviewer.apply(plan.id)
    found = workspace.proposer.plan(plan.id)
    assert found.state is PlanState.PAUSED and found.problems
    return found


def test_a_step_that_was_not_seen_is_not_approved_with_those_that_were(
    plan: Plan, reviewer: Reviewer, workspace: Workspace
) -> None:
    with pytest.raises(Conflict, match="just changed"):
        reviewer.approve(plan.id, seen={1: plan.steps[0].revision})
    assert workspace.proposer.plan(plan.id).undecided == plan.steps


def test_a_plan_that_was_approved_can_still_be_sent_back(plan: Plan, reviewer: Reviewer) -> None:
    reviewer.approve(plan.id)
    assert reviewer.request_changes(plan.id, reason="No.").state is PlanState.CHANGES_REQUESTED


def test_a_step_taken_back_is_stale_where_its_file_has_moved_on(
    plan: Plan, project: Path, reviewer: Reviewer
) -> None:
    reviewer.approve(plan.id)
    (project / "a.txt").write_text("theirs\n")
    assert [step.state for step in reviewer.take_back(plan.id).steps] == [StepState.STALE, StepState.PENDING]


def test_an_apply_that_goes_on_and_ends_well_says_nothing_of_the_failure(
    paused: Plan, reviewer: Reviewer
) -> None:
    done = reviewer.apply(paused.id)
    assert done.state is PlanState.COMPLETED and done.problems == ()


def test_an_apply_that_can_not_go_on_has_failed(
    paused: Plan, project: Path, reviewer: Reviewer, workspace: Workspace
) -> None:
    """Its steps are approved for files that are no longer there; it waits for nobody any more."""
    (project / "a.txt").write_text("theirs\n")
    with pytest.raises(Drifted):
        reviewer.apply(paused.id)
    assert workspace.proposer.plan(paused.id).state is PlanState.FAILED
    assert (project / "b.txt").read_text() == OLD


def test_stored_bytes_that_are_damaged_are_stored_anew_with_the_next_proposal(
    plan: Plan, project: Path, reviewer: Reviewer, workspace: Workspace, propose: Callable[..., Plan]
) -> None:
    with context_of(workspace).store.database.write() as connection:
        connection.execute("UPDATE blobs SET packed = x'00'")
    create = {"op": "create", "path": "c.txt", "content": NEW}
    again = propose(json.dumps({"title": "t", "agent": "tester", "steps": [create]}))
    reviewer.approve(again.id)
    assert reviewer.apply(again.id).state is PlanState.COMPLETED
    assert (project / "c.txt").read_text() == NEW


def test_a_project_is_not_forgotten_while_an_apply_of_it_is_unfinished(
    plan: Plan, reviewer: Reviewer, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its store alone knows how to finish it, or what was there before."""

    def kill(*_: object) -> None:
        raise KeyboardInterrupt

    reviewer.approve(plan.id)
    with monkeypatch.context() as patch:
        patch.setattr(ending, "record_done", kill)
        with pytest.raises(KeyboardInterrupt):
            reviewer.apply(plan.id)
    with pytest.raises(Refused) as caught:
        reviewer.delete_store()
    assert caught.value.code == "forget.unfinished"
    (done,) = reviewer.recover()
    assert done.state is PlanState.COMPLETED


def test_a_decision_made_while_the_files_were_looked_at_is_not_replaced(
    plan: Plan, reviewer: Reviewer, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two people, or a window and a terminal: the second one is told to look again."""
    policy_of = context_of(workspace).policy_of

    def meanwhile(of: Plan) -> Policy:
        monkeypatch.setattr(context_of(workspace), "policy_of", policy_of)
        reviewer.approve(plan.id, [1], note="the other one")
        return policy_of(of)

    monkeypatch.setattr(context_of(workspace), "policy_of", meanwhile)
    with pytest.raises(Conflict, match="just changed"):
        reviewer.approve(plan.id, [1, 2], note="mine")
    states = [step.state for step in workspace.proposer.plan(plan.id).steps]
    assert states == [StepState.APPROVED, StepState.PENDING]
    decision = workspace.proposer.plan(plan.id).steps[0].decision
    assert decision is not None and decision.text == "the other one"
