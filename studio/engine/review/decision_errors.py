"""Errors for decisions that can't be made, and checks that raise them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from studio.engine.plan import HunkChoice, LineComment, Plan, Step, StepDecision, StepState
from studio.errors import Conflict, Refused, UsageError


def other_version(plan: Plan) -> Conflict:
    """Return the error for a plan that its agent changed meanwhile."""
    return Conflict(
        "plan.other_version",
        f"“{plan.title}” was just changed by its agent. Nothing was decided.",
        "Review it again.",
    )


def changed_under_you(step: Step) -> Conflict:
    return Conflict(
        "step.changed_under_you",
        "This step just changed. Nothing was decided.",
        "Review it again.",
        path=step.path,
    )


def nothing_chosen(step: Step) -> UsageError:
    """Return the error for a choice that changes nothing in the file."""
    return UsageError(
        "step.nothing_chosen",
        f"Step {step.number} would change nothing.",
        "Reject the step instead.",
        path=step.path,
    )


def no_such_hunk(step: Step, number: int) -> UsageError:
    """Return the error for a hunk that the step does not have."""
    return UsageError(
        "hunk.not_found",
        f"Step {step.number} has no hunk {number}.",
        f"Its hunks are numbered from 1 to {len(step.hunks)}." if step.hunks else "It has no hunks.",
        path=step.path,
    )


def stale(step: Step, *, is_review: bool = False) -> Conflict:
    """Return the error for a step whose file has changed."""
    waits = next((fact for fact in step.facts if fact.kind == "waits_for_plan"), None)
    if waits is not None:
        return Conflict(
            "step.stale",
            waits.message,
            "Apply that plan first, or rebase or reject this step.",
            path=step.path,
        )
    return Conflict(
        "step.stale",
        f"{step.path} changed on disk after step {step.number} was proposed.",
        "Start the review again." if is_review else "Rebase the step, reject it, or have it proposed again.",
        path=step.path,
    )


def closed(plan: Plan) -> Refused:
    """Return the error for a plan with nothing left to decide."""
    return Refused(
        "plan.state",
        f"“{plan.title}” is {plan.state.words}; it can't be decided.",
        "Choose an open plan.",
    )


def hint(step: Step) -> str:
    """Return the hint for a step that can't be decided."""
    if step.state is StepState.INVALID:
        return step.problems[0].message if step.problems else "A check refused it."
    if step.state in (StepState.APPROVED, StepState.REJECTED):
        return "Undo the decision first."
    return "Review the plan again."


def build_decision(
    step: Step, reason: str, comments: Mapping[int, Sequence[LineComment]] | None
) -> StepDecision:
    """Return a decision with a person's text and line comments."""
    return StepDecision(step.number, text=reason, comments=(comments or {}).get(step.number, ()))


def is_other(step: Step, decided: str | None) -> bool:
    """Return whether the decided result differs from the proposed one."""
    return step.result is not None and step.result.sha256 != decided


def check_hunks(step: Step, choices: Mapping[int, HunkChoice]) -> None:
    """Check that the step has all chosen hunks.

    Raises UsageError.
    """
    numbers = {hunk.hunk for hunk in step.hunks}
    for number in choices:
        if number not in numbers:
            raise no_such_hunk(step, number)


def check_whole(step: Step, choices: Mapping[int, HunkChoice]) -> None:
    """Check that a step of a unit is approved whole.

    Raises Refused.
    """
    if step.unit is not None and any(choice is not True for choice in choices.values()):
        raise Refused(
            "step.unit_in_part",
            f"Step {step.number} can't be approved in part: other steps of the same change need all of it.",
            "Approve all of it, or reject it with those steps.",
            path=step.path,
        )
