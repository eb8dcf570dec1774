"""Icons, colours and words for plan states, step states and warnings."""

from __future__ import annotations

from studio.engine import (
    Fact,
    Operation,
    Plan,
    PlanState,
    Problem,
    Severity,
    Step,
    StepState,
    Verdict,
    is_lock_file,
)
from studio.ui.language import translator
from studio.ui.limits import SHOWN_PROBLEMS_UP_TO
from studio.ui.look.words import say
from studio.values import Value

_word = translator("States")

NO_LINES = "–"
"""Text instead of line counts where no line is added or removed."""

STEPS_REFUSED = "plan.steps_refused"
"""Code of the plan problem that only counts refused steps, which are listed themselves."""
_EXPIRED = "decision.expired"
_GENERATED = frozenset({"generated", "vendored"})
_GRAVE = (Severity.DANGER, Severity.WARNING)


class StateStyle(Value):
    """Display of a state: icon, colour token for icon and word, word."""

    icon: str
    token: str
    word: str


def step_style(plan: Plan, step: Step) -> StateStyle:
    """Return the display of a step, or of its plan once closed."""
    if is_over(plan, step):
        return plan_style(plan)
    if step.state is StepState.APPROVED and approved_in_part(step):
        return StateStyle("partly", "ok", _word("approved in part"))
    icon, token, word = STEP_LOOKS[step.state]
    return StateStyle(icon, token, _word("approved as edited") if approved_edited(step) else _word(word))


def is_over(plan: Plan, step: Step) -> bool:
    """Return whether an undecided or unwritten step belongs to a closed plan."""
    return step.state.is_open and plan.state in _CLOSED


def plan_style(plan: Plan) -> StateStyle:
    """Return the display of a plan."""
    icon, token, word = PLAN_LOOKS[plan.state]
    return StateStyle(icon, token, _word(word))


def approved_edited(step: Step) -> bool:
    """Return whether the reviewer approved a result that they had edited."""
    return step.state is StepState.APPROVED and step.decision is not None and step.decision.edited


def approved_in_part(step: Step) -> bool:
    """Return whether an approval excludes a part, without an edit."""
    decision = step.decision
    if decision is None or decision.verdict is not Verdict.APPROVE or decision.edited:
        return False
    return any(choice is not True for choice in decision.choices.values())


def expired(plan: Plan) -> Problem | None:
    """Return the plan's expiry problem while steps can be approved again."""
    if not any(step.state is StepState.PENDING for step in plan.steps):
        return None
    return next((problem for problem in plan.problems if problem.code == _EXPIRED), None)


def problem_words(plan: Plan) -> tuple[Problem, ...]:
    """Return a plan's own problems that are shown to the reviewer now.

    Refused steps show theirs themselves.
    """
    old = expired(plan)
    problems = (
        problem
        for problem in plan.problems
        if problem.code != STEPS_REFUSED and (problem.code != _EXPIRED or problem is old)
    )
    return Problem.shorten(problems, SHOWN_PROBLEMS_UP_TO)


def message_with_line(problem: Problem) -> str:
    """Return a problem's message, with its line in the submitted text."""
    if problem.line is None or problem.at != "input":
        return problem.message
    place = _word("Line {n}: {said}")
    return say(place, n=str(problem.line), said=problem.message)


def operation_word(step: Step) -> str:
    """Return a word for what the step does to its file."""
    return _word(OPERATIONS[step.op])


def warnings_of(step: Step) -> tuple[Fact, ...]:
    """Return the facts a reviewer must not miss, dangers first."""
    warnings = [fact for fact in step.facts if fact.severity in _GRAVE]
    return tuple(sorted(warnings, key=lambda fact: fact.severity is not Severity.DANGER))


def has_warnings(step: Step) -> bool:
    """Return whether the step has warnings; refused steps are listed separately."""
    if step.state is StepState.INVALID:
        return False
    return step.state is StepState.STALE or any(fact.severity in _GRAVE for fact in step.facts)


def is_generated(step: Step) -> bool:
    """Return whether a step's file is generated or vendored."""
    return any(fact.kind in _GENERATED for fact in step.facts)


def is_collapsed(step: Step) -> bool:
    """Return whether a step is a generated file with no warning.

    A lock file is, if its change was read: another source of a package is in none of its counts.
    """
    if not is_generated(step) or has_warnings(step) or step.state is StepState.INVALID:
        return False
    is_read = any(fact.kind == "lock_file" for fact in step.facts)
    return is_read or not is_lock_file(step.target)


def decided_steps(plan: Plan) -> int:
    """Return how many valid steps have a verdict or need none."""
    return len(plan.valid_steps) - len(plan.undecided)


_CLOSED = frozenset(
    {
        PlanState.INVALID,
        PlanState.REJECTED,
        PlanState.CHANGES_REQUESTED,
        PlanState.CANCELLED,
        PlanState.FAILED,
        PlanState.DISMISSED,
    }
)

STEP_LOOKS: dict[StepState, tuple[str, str, str]] = {
    StepState.PENDING: ("pending", "muted", "pending"),
    StepState.APPROVED: ("approved", "ok", "approved"),
    StepState.REJECTED: ("rejected", "bad", "rejected"),
    StepState.STALE: ("stale", "warn", "stale"),
    StepState.INVALID: ("refused", "bad", "refused"),
    StepState.APPLIED: ("applied", "ok", "applied"),
    StepState.ROLLED_BACK: ("rolled-back", "muted", "rolled back"),
    StepState.ALREADY_APPLIED: ("applied", "muted", "already applied"),
}

PLAN_LOOKS: dict[PlanState, tuple[str, str, str]] = {
    PlanState.DRAFT: ("pending", "muted", "draft"),
    PlanState.INVALID: ("refused", "bad", "refused"),
    PlanState.PENDING: ("pending", "muted", "pending"),
    PlanState.APPROVED: ("approved", "ok", "approved"),
    PlanState.REJECTED: ("rejected", "bad", "rejected"),
    PlanState.CHANGES_REQUESTED: ("comment", "muted", "changes requested"),
    PlanState.CANCELLED: ("cross", "muted", "withdrawn"),
    PlanState.EXECUTING: ("apply", "accent", "applying"),
    PlanState.PAUSED: ("look-out", "warn", "paused"),
    PlanState.COMPLETED: ("applied", "ok", "applied"),
    PlanState.FAILED: ("danger", "bad", "failed"),
    PlanState.ROLLED_BACK: ("rolled-back", "muted", "rolled back"),
    PlanState.DISMISSED: ("cross", "muted", "dismissed"),
}

OPERATIONS: dict[Operation, str] = {
    Operation.CREATE: "create",
    Operation.MODIFY: "modify",
    Operation.APPEND: "append",
    Operation.DELETE: "delete",
    Operation.MOVE: "move",
    Operation.COPY: "copy",
    Operation.MKDIR: "new folder",
    Operation.MODE: "change mode",
}
