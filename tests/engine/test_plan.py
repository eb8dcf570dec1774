"""The one table of states, as the cross product of all states."""

from __future__ import annotations

import itertools

import pytest

from studio.engine.plan import (
    PLAN_TRANSITIONS,
    STEP_TRANSITIONS,
    Operation,
    PlanState,
    Step,
    StepState,
    open_plan_state,
)
from studio.journal.file_image import FileImage

STEP_WAYS = """
pending: approved rejected stale already_applied invalid
approved: pending stale applied
rejected: pending
stale: pending approved rejected already_applied invalid
applied: rolled_back
rolled_back: applied
"""

PLAN_WAYS = """
draft: invalid pending
pending: approved rejected changes_requested cancelled executing completed rolled_back
approved: pending executing cancelled
rejected: pending dismissed
invalid: dismissed
cancelled: dismissed
changes_requested: dismissed
failed: dismissed
executing: pending approved completed paused failed cancelled
paused: executing cancelled
completed: rolled_back
rolled_back: completed
"""


def ways(text: str) -> set[tuple[str, str]]:
    rows = (line.split(":") for line in text.strip().splitlines())
    return {(source, target) for source, targets in rows for target in targets.split()}


@pytest.mark.parametrize(("source", "target"), list(itertools.product(StepState, StepState)))
def test_step_ways(source: StepState, target: StepState) -> None:
    assert (target in STEP_TRANSITIONS[source]) == ((source.value, target.value) in ways(STEP_WAYS))


@pytest.mark.parametrize(("source", "target"), list(itertools.product(PlanState, PlanState)))
def test_plan_ways(source: PlanState, target: PlanState) -> None:
    assert (target in PLAN_TRANSITIONS[source]) == ((source.value, target.value) in ways(PLAN_WAYS))


@pytest.mark.parametrize(
    ("states", "plan"),
    [
        ("", PlanState.INVALID),
        ("invalid", PlanState.INVALID),
        ("pending invalid", PlanState.PENDING),
        ("approved pending", PlanState.PENDING),
        ("approved stale", PlanState.PENDING),
        ("approved rejected", PlanState.APPROVED),
        ("approved already_applied", PlanState.APPROVED),
        ("rejected rejected", PlanState.REJECTED),
        ("rejected already_applied", PlanState.REJECTED),
        ("already_applied", PlanState.COMPLETED),
    ],
)
def test_an_open_plan_has_the_state_of_its_steps(states: str, plan: PlanState) -> None:
    """Approved is a plan only when every valid step is decided and at least one is approved."""
    assert open_plan_state(StepState(word) for word in states.split()) is plan


def test_a_revision_changes_with_what_a_reviewer_saw() -> None:
    step = Step(1, "id", Operation.MODIFY, "a", None, StepState.PENDING, image("a"), image("b"))
    others = [
        Step(1, "id", Operation.MODIFY, "a", None, StepState.STALE, image("a"), image("b")),
        Step(1, "id", Operation.MODIFY, "a", None, StepState.PENDING, image("c"), image("b")),
        Step(1, "id", Operation.MODIFY, "a", None, StepState.PENDING, image("a"), image("c")),
        Step(1, "other", Operation.MODIFY, "a", None, StepState.PENDING, image("a"), image("b")),
        Step(1, "id", Operation.MODIFY, "a", None, StepState.PENDING, image("a"), image("b", 0o755)),
        Step(1, "id", Operation.MOVE, "a", "c", StepState.PENDING, image("a"), image("b")),
    ]
    assert len({step.revision, *(other.revision for other in others)}) == 7


def image(content: str, mode: int = 0o644) -> FileImage:
    return FileImage(content * 64, 1, mode)
