"""A plan is applied while steps are undecided: its parts, what stays open, and what each rollback takes."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from studio.doors.gate import head_of
from studio.doors.outcomes import outcome_of
from studio.engine import proposer
from studio.engine.apply import ending, retention
from studio.engine.apply.progress import ApplyControl
from studio.engine.branch.posix import PosixFS
from studio.engine.plan import Plan, PlanState, StepDecision
from studio.engine.project.context import Context
from studio.errors import ApplyStopped, Conflict, DiskFailed, Refused
from studio.program.notify_socket import wait_until
from studio.workspace import Reviewer, Workspace
from tests.engine.apply.test_retention import age, settings
from tests.tools.inside import context_of

FILES = ("a.txt", "b.txt", "c.txt", "d.txt")
SWAP = (
    {"op": "move", "path": "left", "to": "third"},
    {"op": "move", "path": "right", "to": "left"},
    {"op": "move", "path": "third", "to": "right"},
)


@pytest.fixture
def context(workspace: Workspace) -> Context:
    return context_of(workspace)


@pytest.fixture
def plan(project: Path, propose: Callable[..., Plan]) -> Plan:
    """Four files, each modified by its step."""
    for name in FILES:
        (project / name).write_text("old\n")
    steps = [{"op": "modify", "path": name, "content": f"new {name}\n"} for name in FILES]
    return propose(json.dumps({"title": "Four", "steps": steps}))


def on_disk(project: Path) -> str:
    return " ".join((project / name).read_text().split()[0] for name in FILES)


def states(plan: Plan) -> list[str]:
    return [step.state.value for step in plan.steps]


def apply_part(reviewer: Reviewer, plan: Plan, *numbers: int) -> Plan:
    reviewer.approve(plan.id, numbers)
    return reviewer.apply(plan.id, approved_only=True)


def test_a_part_is_written_and_the_rest_stays_open(project: Path, plan: Plan, reviewer: Reviewer) -> None:
    reviewer.approve(plan.id, [1])
    with pytest.raises(Refused, match=r"3 steps of “Four” are undecided\."):
        reviewer.apply(plan.id)
    assert on_disk(project) == "old old old old"
    first = reviewer.apply(plan.id, approved_only=True)
    assert first.state is PlanState.PENDING and not first.state.is_decided
    assert states(first) == ["applied", "pending", "pending", "pending"]
    with pytest.raises(Refused, match="Nothing of “Four” is approved"):
        reviewer.apply(plan.id, approved_only=True)
    second = apply_part(reviewer, plan, 3)
    assert [(part.number, len(second.steps_of_part(part.number))) for part in second.parts] == [
        (1, 1),
        (2, 1),
    ]
    assert on_disk(project) == "new old new old"
    reviewer.reject(plan.id, [2], reason="no")
    reviewer.approve(plan.id, [4])
    last = reviewer.apply(plan.id)
    assert last.state is PlanState.COMPLETED and len(last.parts) == 3


def test_the_rest_is_on_the_new_base(project: Path, propose: Callable[..., Plan], reviewer: Reviewer) -> None:
    """A step whose source the part wrote is stale, all others are as they were."""
    (project / "source.txt").write_text("old\n")
    (project / "other.txt").write_text("old\n")
    steps = [
        {"op": "modify", "path": "source.txt", "content": "new\n"},
        {"op": "copy", "path": "source.txt", "to": "copy.txt"},
        {"op": "modify", "path": "other.txt", "content": "new\n"},
    ]
    plan = propose(json.dumps({"title": "Copy", "steps": steps}))
    apply_part(reviewer, plan, 1)
    with pytest.raises(Conflict, match="changed on disk"):
        reviewer.approve(plan.id, [2])
    done = apply_part(reviewer, plan, 3)
    assert states(done) == ["applied", "stale", "applied"] and done.state is PlanState.PENDING


def test_a_unit_is_in_one_part(project: Path, propose: Callable[..., Plan], reviewer: Reviewer) -> None:
    (project / "left").write_text("left\n")
    (project / "right").write_text("right\n")
    (project / "a.txt").write_text("old\n")
    steps = [
        *SWAP,
        {"op": "modify", "path": "a.txt", "content": "new\n"},
    ]
    plan = propose(json.dumps({"title": "Swap", "steps": steps}))
    unit = [step.number for step in plan.steps if step.unit is not None]
    done = apply_part(reviewer, plan, unit[0])
    assert {done.steps[number - 1].part for number in unit} == {1}
    assert (project / "left").read_text() == "right\n" and done.state is PlanState.PENDING


def test_each_part_is_taken_back_alone(
    project: Path, plan: Plan, reviewer: Reviewer, workspace: Workspace
) -> None:
    apply_part(reviewer, plan, 1)
    apply_part(reviewer, plan, 2, 3)
    second, first = workspace.proposer.history()
    assert (first.key, second.key) == (plan.id, f"{plan.id}/2") and second.rollback_steps == (2, 3)
    reviewer.rollback(plan.id, first.rollback_steps)
    assert on_disk(project) == "old new new old"
    now = workspace.proposer.plan(plan.id)
    assert states(now) == ["rolled_back", "applied", "applied", "pending"] and now.state is PlanState.PENDING
    reviewer.reject(plan.id, [4], reason="no")
    assert workspace.proposer.plan(plan.id).state is PlanState.COMPLETED
    back = reviewer.rollback(plan.id)
    assert on_disk(project) == "old old old old"
    assert workspace.proposer.plan(plan.id).state is PlanState.ROLLED_BACK
    reviewer.rollback(back.id)
    assert on_disk(project) == "old new new old"
    assert [entry.is_rolled_back for entry in workspace.proposer.history() if entry.plan.id == plan.id] == [
        False,
        True,
    ]


def _withdraw(workspace: Workspace, _reviewer: Reviewer, plan: Plan) -> None:
    workspace.proposer.withdraw(plan.id)


def _ask_again(_workspace: Workspace, reviewer: Reviewer, plan: Plan) -> None:
    reviewer.request_changes(plan.id, reason="again")


@pytest.mark.parametrize("way", [(_withdraw, "invalid"), (_ask_again, "rejected")])
def test_a_plan_that_ends_early_keeps_what_it_wrote(
    way: tuple[Callable[[Workspace, Reviewer, Plan], None], str],
    project: Path,
    plan: Plan,
    reviewer: Reviewer,
    workspace: Workspace,
) -> None:
    close, ends = way
    apply_part(reviewer, plan, 1)
    reviewer.approve(plan.id, [2])
    close(workspace, reviewer, plan)
    done = workspace.proposer.plan(plan.id)
    assert states(done) == ["applied", ends, ends, ends] and done.state is PlanState.COMPLETED
    reviewer.rollback(plan.id)
    assert on_disk(project) == "old old old old"


def test_a_part_that_was_stopped_leaves_the_plan_open(project: Path, plan: Plan, reviewer: Reviewer) -> None:
    apply_part(reviewer, plan, 1)
    reviewer.approve(plan.id, [2, 3])
    control = ApplyControl()
    control.pause.set()
    with pytest.raises(ApplyStopped):
        reviewer.apply(plan.id, approved_only=True, control=control)
    assert on_disk(project) == "new old old old"
    done = reviewer.apply(plan.id, approved_only=True)
    assert on_disk(project) == "new new new old" and done.state is PlanState.PENDING
    assert not [problem for problem in done.problems if problem.at == "target"]


def test_old_files_of_an_earlier_part_are_removed_with_the_next(
    project: Path, plan: Plan, reviewer: Reviewer, context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(ending, "sweep", lambda *_: None)
        apply_part(reviewer, plan, 1)
    assert context.store.plans.has_unfinished() and len(list(project.iterdir())) == 5
    apply_part(reviewer, plan, 2)
    assert not context.store.plans.has_unfinished() and len(list(project.iterdir())) == 4


def test_old_files_are_not_forgotten_when_the_next_part_fails(
    project: Path, plan: Plan, reviewer: Reviewer, context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise DiskFailed("disk.failed", "The disk failed.", "Try again.")

    with monkeypatch.context() as patch:
        patch.setattr(PosixFS, "finish", fail)
        apply_part(reviewer, plan, 1)
        patch.setattr(PosixFS, "commit", fail)
        with pytest.raises(DiskFailed):
            apply_part(reviewer, plan, 2)
    assert context.store.plans.has_unfinished() and len(list(project.iterdir())) == 5
    assert on_disk(project) == "new old old old"
    reviewer.recover()
    assert not context.store.plans.has_unfinished() and len(list(project.iterdir())) == 4


def test_retention_counts_parts(
    plan: Plan, reviewer: Reviewer, workspace: Workspace, context: Context
) -> None:
    """The first of two parts goes by its own age; the plan, and its other part, stay."""
    settings(plans=1, days=7)
    apply_part(reviewer, plan, 1)
    age(workspace, plan, 8)
    found = retention.report(context, plan.id)
    assert [(undo.key, undo.is_one_of_several) for undo in found.due] == [(plan.id, True)]
    done = apply_part(reviewer, plan, 2)
    assert [part.discarded is None for part in done.parts] == [False, True] and done.discarded is None
    assert [entry.kept for entry in workspace.proposer.history()] == [True, False]
    with pytest.raises(Refused, match="Part 1 of “Four” can't be rolled back"):
        reviewer.rollback(plan.id)
    reviewer.rollback(plan.id, [2])
    # What is open has its bytes, and is applied and discarded with the rest.
    reviewer.reject(plan.id, [3], reason="no")
    reviewer.approve(plan.id, [4])
    assert reviewer.apply(plan.id).state is PlanState.COMPLETED
    reviewer.discard_undo(plan.id)
    assert workspace.proposer.plan(plan.id).discarded is not None


def test_a_waiting_agent_hears_of_each_part_and_is_released_at_the_end(
    plan: Plan, reviewer: Reviewer, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[int] = []
    begun, parted, released = threading.Event(), threading.Event(), threading.Event()

    def begin(*arguments: Any) -> Any:
        begun.set()
        return wait_until(*arguments)

    monkeypatch.setattr(proposer, "wait_until", begin)

    def hear(now: Plan) -> None:
        heard.append(len(now.parts))
        parted.set()

    def wait() -> None:
        workspace.proposer.wait(plan.id, timeout=60, on_part=hear)
        released.set()
        workspace.close_thread()

    waiting = threading.Thread(target=wait)
    waiting.start()
    try:
        assert begun.wait(60), "a part of before is no news"
        apply_part(reviewer, plan, 1)
        assert parted.wait(60) and not released.is_set()
        assert "applied in part, 3 of 4 steps are still open" in workspace.proposer.reply(plan.id)
        reviewer.approve(plan.id)
        reviewer.apply(plan.id)
        assert released.wait(60) and heard == [1]
    finally:
        waiting.join()


def test_what_was_not_shown_as_approved_is_not_written(project: Path, plan: Plan, reviewer: Reviewer) -> None:
    seen = reviewer.approve(plan.id, [1]).approved_revisions
    reviewer.approve(plan.id, [2])
    with pytest.raises(Conflict, match="decided again"):
        reviewer.apply(plan.id, approved_only=True, seen=seen)
    assert on_disk(project) == "old old old old"


def test_a_divided_unit_stays_open_and_holds_up_nothing_else(
    project: Path, propose: Callable[..., Plan], reviewer: Reviewer, workspace: Workspace
) -> None:
    for name in ("left", "right", "a.txt"):
        (project / name).write_text(f"{name}\n")
    steps = [
        *SWAP,
        {"op": "modify", "path": "a.txt", "content": "new\n"},
    ]
    plan = propose(json.dumps({"title": "Swap", "steps": steps}))
    reviewer.approve(plan.id)
    (project / "left").write_text("moved on\n")
    workspace.proposer.refresh()
    done = reviewer.apply(plan.id, approved_only=True)
    assert states(done) == ["stale", "approved", "applied"] and done.state is PlanState.PENDING
    assert (project / "right").read_text() == "right\n" and (project / "a.txt").read_text() == "new\n"


def test_a_folder_of_two_parts_goes_with_the_last_of_them(
    project: Path, propose: Callable[..., Plan], reviewer: Reviewer
) -> None:
    steps = [{"op": "create", "path": f"new/{name}", "content": "x\n"} for name in ("a", "b")]
    plan = propose(json.dumps({"title": "Folder", "steps": steps}))
    apply_part(reviewer, plan, 1)
    apply_part(reviewer, plan, 2)
    reviewer.rollback(plan.id, [1])
    assert (project / "new" / "b").exists()
    reviewer.rollback(plan.id, [2])
    assert not (project / "new").exists()


def test_the_same_proposal_finds_its_open_plan_again(
    plan: Plan, propose: Callable[..., Plan], reviewer: Reviewer
) -> None:
    """A hook proposes anew after its time is over."""
    apply_part(reviewer, plan, 1)
    steps = [{"op": "modify", "path": name, "content": f"new {name}\n"} for name in FILES]
    again = propose(json.dumps({"title": "Four", "steps": steps}))
    assert again.id == plan.id and again.duplicate


def test_the_agent_hears_what_became_of_the_rest(
    plan: Plan, reviewer: Reviewer, workspace: Workspace
) -> None:
    def outcomes() -> list[str]:
        now = workspace.proposer.plan(plan.id)
        return [
            step["outcome"] for step in outcome_of(now, workspace.proposer.reply(plan.id)).document["steps"]
        ]

    reviewer.approve(plan.id, [StepDecision(1, edited=b"mine\n")])
    now = reviewer.apply(plan.id, approved_only=True)
    assert outcome_of(now, "").document["read_again"] == ["a.txt"]
    reviewer.rollback(plan.id)
    now = workspace.proposer.plan(plan.id)
    assert head_of(now).startswith("Nothing is written yet")
    apply_part(reviewer, plan, 2)
    reviewer.request_changes(plan.id, reason="again")
    now = workspace.proposer.plan(plan.id)
    assert outcomes() == ["rolled_back", "applied", "sent_back", "sent_back"]
    assert "requested changes to the rest" in head_of(now)
    assert "changes are requested" in workspace.proposer.reply(now.id)


def test_the_undo_of_a_part_that_goes_is_named_before_its_steps_are_approved(
    plan: Plan, reviewer: Reviewer, workspace: Workspace
) -> None:
    apply_part(reviewer, plan, 1)
    settings(bytes=1)
    found = workspace.proposer.undo_expiry(plan.id)
    assert found is not None and not found.keeps_next


def test_what_closes_after_its_undo_is_gone_expires(
    plan: Plan, reviewer: Reviewer, workspace: Workspace, context: Context
) -> None:
    """And who discarded it is said of the part."""
    apply_part(reviewer, plan, 1)
    reviewer.discard_undo(plan.id)
    (entry,) = workspace.proposer.history()
    assert entry.discarded is not None and entry.discarded.discarded_by == "tester"
    reviewer.reject(plan.id, [2, 3, 4], reason="no")
    age(workspace, plan, 400)
    retention.discard_due(context)
    assert workspace.proposer.plan(plan.id).discarded is not None
