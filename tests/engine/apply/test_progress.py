"""An apply paused or cancelled between two files: everything is as it was."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from studio.engine.apply.progress import ApplyControl
from studio.engine.plan import Plan, PlanState, StepState
from studio.errors import ApplyStopped
from studio.workspace import Reviewer, Workspace

COUNT = 6


@pytest.fixture
def approved(project: Path, propose: Callable[..., Plan], reviewer: Reviewer) -> Plan:
    for number in range(COUNT):
        (project / f"{number}.txt").write_text("old\n")
    steps = [{"op": "modify", "path": f"{number}.txt", "content": "new\n"} for number in range(COUNT)]
    return reviewer.approve(propose(json.dumps({"title": "t", "steps": steps})).id)


def texts(project: Path) -> list[str]:
    return [path.read_text() for path in sorted(project.iterdir())]


class Stopper:
    """Sets an event of the control at the given call of the progress report."""

    def __init__(self, at: int, name: str) -> None:
        self.control = ApplyControl()
        self.seen: list[tuple[int, int]] = []
        self._at = at
        self._event = getattr(self.control, name)

    def report(self, done: int, total: int) -> None:
        self.seen.append((done, total))
        if len(self.seen) == self._at:
            self._event.set()


@pytest.mark.parametrize("at", range(1, 2 * COUNT + 1))
def test_cancelled_at_every_safe_point(
    project: Path, approved: Plan, reviewer: Reviewer, workspace: Workspace, at: int
) -> None:
    """A change of many files is all or nothing."""
    stopper = Stopper(at, "cancel")
    with pytest.raises(ApplyStopped, match="nothing was written"):
        reviewer.apply(approved.id, progress=stopper.report, control=stopper.control)
    assert texts(project) == ["old\n"] * COUNT
    assert workspace.proposer.plan(approved.id).state is PlanState.CANCELLED
    assert not workspace.needs_recovery


@pytest.mark.parametrize("at", range(1, COUNT + 1))
def test_paused_while_nothing_is_in_place_and_applied_again(
    project: Path, approved: Plan, reviewer: Reviewer, workspace: Workspace, at: int
) -> None:
    stopper = Stopper(at, "pause")
    with pytest.raises(ApplyStopped, match="Paused"):
        reviewer.apply(approved.id, progress=stopper.report, control=stopper.control)
    assert texts(project) == ["old\n"] * COUNT
    assert workspace.proposer.plan(approved.id).state is PlanState.PAUSED
    assert reviewer.apply(approved.id).state is PlanState.COMPLETED
    assert texts(project) == ["new\n"] * COUNT


def test_a_pause_that_comes_too_late_lets_the_apply_end(
    project: Path, approved: Plan, reviewer: Reviewer
) -> None:
    """A project half changed is no place to wait in."""
    stopper = Stopper(COUNT + 2, "pause")
    done = reviewer.apply(approved.id, progress=stopper.report, control=stopper.control)
    assert done.state is PlanState.COMPLETED and texts(project) == ["new\n"] * COUNT
    counts = [count for count, _ in stopper.seen]
    assert counts == sorted(counts) and stopper.seen[0] == (0, COUNT) and stopper.seen[-1] == (COUNT, COUNT)


def test_a_paused_plan_looks_at_everything_again(
    project: Path, approved: Plan, reviewer: Reviewer, workspace: Workspace
) -> None:
    stopper = Stopper(2, "pause")
    with pytest.raises(ApplyStopped):
        reviewer.apply(approved.id, progress=stopper.report, control=stopper.control)
    (project / "3.txt").write_text("theirs\n")
    with pytest.raises(Exception, match="changed after it was reviewed"):
        reviewer.apply(approved.id)
    assert texts(project) == ["old\n"] * 3 + ["theirs\n"] + ["old\n"] * 2
    assert StepState.APPLIED not in {step.state for step in workspace.proposer.plan(approved.id).steps}
