"""What gathers steps for a person: names of the user's own, and what was decided of such files before."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from msgspec.structs import replace

from studio.engine.plan import Fact, Plan, Severity, StepDecision, StepState
from studio.extras.grouping import ReviewGroup, can_be_grouped
from studio.workspace import Reviewer, Workspace

Propose = Callable[..., Plan]
GROUP = ReviewGroup("catalogues", ("*.po", "!/sources/*.po"))


def test_a_group_takes_what_waits_and_no_danger_and_no_delete(project: Path, propose: Propose) -> None:
    (project / "gone.po").write_text("x\n")
    names = ("a/de.po", "sources/en.po", "main.c")
    steps: list[dict[str, str]] = [{"op": "create", "path": name, "content": "x\n"} for name in names]
    plan = propose(json.dumps({"title": "T", "steps": [{"op": "delete", "path": "gone.po"}, *steps]}))
    assert [GROUP.gathers(step) for step in plan.steps] == [False, True, False, False]
    step = plan.steps[1]
    danger = Fact("bidi", Severity.DANGER, "It reads differently than it runs.")
    for other in (
        replace(step, facts=(danger,)),
        *(replace(step, state=state) for state in StepState if state is not StepState.PENDING),
    ):
        assert not can_be_grouped(other) and not GROUP.gathers(other)
    assert can_be_grouped(replace(step, facts=(replace(danger, severity=Severity.WARNING),)))


def test_what_was_decided_before_is_counted_by_the_ending(
    workspace: Workspace, reviewer: Reviewer, project: Path, propose: Propose
) -> None:
    """Approved as proposed, in part, edited, rejected, and taken back."""
    lines = "".join(f"line {number}\n" for number in range(1, 41))
    for name in ("a.po", "b.PO", "c.po", "d.po", "e.c"):
        (project / name).write_text(lines)
    changed = lines.replace("line 3\n", "three\n").replace("line 30\n", "thirty\n")
    names = ("a.po", "b.PO", "c.po", "d.po", "e.c")
    steps = [{"op": "modify", "path": name, "content": changed} for name in names]
    plan = propose(json.dumps({"title": "T", "steps": steps}))
    reviewer.approve(plan.id, [StepDecision(1), StepDecision(2, {1: False})])
    reviewer.approve(plan.id, [StepDecision(3, edited=b"mine\n")])
    reviewer.reject(plan.id, [4], reason="No.")
    reviewer.approve(plan.id, [StepDecision(5)])
    reviewer.take_back(plan.id, [5])
    found = workspace.reader.gathering().precedents
    assert found is not None
    assert {ending: (each.decided, each.approved) for ending, each in found.items()} == {".po": (4, 1)}
