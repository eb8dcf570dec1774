"""How a state is said: one sign, one colour token and one word for every state (look.md 5 and 7)."""

from __future__ import annotations

from dataclasses import dataclass

from studio.engine.limits import SHOWN_PROBLEMS_UP_TO
from studio.engine.plan import (
    OPEN_STEP_STATES,
    Fact,
    Operation,
    Plan,
    PlanState,
    Problem,
    Severity,
    Step,
    StepState,
    Verdict,
)
from studio.engine.problem_lists import shortened
from studio.ui.language import translator
from studio.ui.look.words import say

_word = translator("States")

NO_LINES = "–"
"""In the place of counts, where no line of text comes or goes."""

STEPS_REFUSED = "plan.steps_refused"
"""Code of the plan's problem that only counts its refused steps; these speak for themselves on screen."""
_EXPIRED = "decision.expired"
_GRAVE = (Severity.DANGER, Severity.WARNING)


@dataclass(frozen=True, slots=True)
class StateLook:
    """What stands for a state: icon name, token that colours icon and word, the word itself."""

    icon: str
    token: str
    word: str


def step_look(plan: Plan, step: Step) -> StateLook:
    """Sign, colour and word of a step; where its plan waits for nobody any more, those of the plan."""
    if is_over(plan, step):
        return plan_look(plan)
    if step.state is StepState.APPROVED and approved_in_part(step):
        return StateLook("partly", "ok", _word("approved in part"))
    icon, token, word = STEP_LOOKS[step.state]
    return StateLook(icon, token, _word("approved, edited") if approved_edited(step) else _word(word))


def is_over(plan: Plan, step: Step) -> bool:
    """Whether a step that was still to decide or to write is no longer, because its plan was closed."""
    return step.state in OPEN_STEP_STATES and plan.state in _CLOSED


def plan_look(plan: Plan) -> StateLook:
    """Sign, colour and word of a whole plan."""
    icon, token, word = PLAN_LOOKS[plan.state]
    return StateLook(icon, token, _word(word))


def approved_edited(step: Step) -> bool:
    """Whether a person approved a result that they had changed."""
    return step.state is StepState.APPROVED and step.decision is not None and step.decision.edited


def approved_in_part(step: Step) -> bool:
    """Whether something of the proposal was left out, and nothing edited."""
    decision = step.decision
    if decision is None or decision.verdict is not Verdict.APPROVE or decision.edited:
        return False
    return any(choice is not True for choice in decision.choices.values())


def expired(plan: Plan) -> Problem | None:
    """What is told of approvals that count no more, while there are steps that could be approved again."""
    if not any(step.state is StepState.PENDING for step in plan.steps):
        return None
    return next((problem for problem in plan.problems if problem.code == _EXPIRED), None)


def told_problems(plan: Plan) -> tuple[Problem, ...]:
    """Problems of a plan as a whole that a reviewer is told of now; refused steps tell theirs themselves."""
    old = expired(plan)
    told = (
        problem
        for problem in plan.problems
        if problem.code != STEPS_REFUSED and (problem.code != _EXPIRED or problem is old)
    )
    return shortened(told, SHOWN_PROBLEMS_UP_TO)


def placed(problem: Problem) -> str:
    """What a problem says, with its line where that counts in the text that was submitted."""
    if problem.line is None or problem.at != "input":
        return problem.message
    place = _word("Line {n}: {said}")
    return say(place, n=problem.line, said=problem.message)


def operation_word(step: Step) -> str:
    """What the step does to its file, one word."""
    return _word(OPERATIONS[step.op])


def warnings_of(step: Step) -> tuple[Fact, ...]:
    """The facts a reviewer must not miss, gravest first."""
    grave = [fact for fact in step.facts if fact.severity in _GRAVE]
    return tuple(sorted(grave, key=lambda fact: fact.severity is not Severity.DANGER))


def has_warnings(step: Step) -> bool:
    """Whether the step counts among its plan's things to look out for; refused steps have their own word."""
    if step.state is StepState.INVALID:
        return False
    return step.state is StepState.STALE or any(fact.severity in _GRAVE for fact in step.facts)


def decided_steps(plan: Plan) -> int:
    """How many valid steps have a verdict or are beyond needing one."""
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
    StepState.ALREADY_APPLIED: ("applied", "muted", "already there"),
}

PLAN_LOOKS: dict[PlanState, tuple[str, str, str]] = {
    PlanState.DRAFT: ("pending", "muted", "draft"),
    PlanState.INVALID: ("refused", "bad", "refused"),
    PlanState.PENDING: ("pending", "muted", "pending"),
    PlanState.APPROVED: ("approved", "ok", "approved"),
    PlanState.REJECTED: ("rejected", "bad", "rejected"),
    PlanState.CHANGES_REQUESTED: ("comment", "muted", "changes asked"),
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
    Operation.MODE: "mode",
}
