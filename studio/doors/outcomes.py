"""Report to an agent on its plan's outcome: text and JSON document.

It is text plus a document that includes the text, as clients pass a model either the one or the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from studio.doors.limits import OUTCOME_CHARACTERS
from studio.engine import Plan, PlanState, Step, StepState, Verdict
from studio.limits import NAMED_FILES_UP_TO
from studio.names import show_name
from studio.values import Value

_ADAPTED = frozenset({"encoding_adapted", "line_endings_adapted", "repaired"})
"""Facts by which the result's bytes differ from those sent."""

_STATE_WORDS: Final[Mapping[StepState, str]] = {
    StepState.PENDING: "waiting",
    StepState.APPROVED: "approved",
    StepState.REJECTED: "left_out",
    StepState.STALE: "stale",
    StepState.INVALID: "refused",
    StepState.APPLIED: "applied",
    StepState.ROLLED_BACK: "rolled_back",
    StepState.ALREADY_APPLIED: "already_there",
}
_ENDED: Final[Mapping[PlanState, str]] = {
    PlanState.CHANGES_REQUESTED: "sent_back",
    PlanState.CANCELLED: "withdrawn",
    PlanState.FAILED: "not_written",
    PlanState.DISMISSED: "not_written",
}
"""Step outcomes of a plan that ended undecided or unwritten."""
_NOT_ALL = frozenset({"in_part", "left_out", "refused", "rolled_back", "sent_back", "withdrawn"})
_UNDONE = frozenset({StepState.PENDING, StepState.APPROVED, StepState.STALE})

_TEXT: Final = {"type": "string"}
_PATHS: Final = {"type": "array", "items": _TEXT}
OUTCOME_SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "title": "Outcome",
    "properties": {
        "plan": {**_TEXT, "description": "The plan's id."},
        "title": _TEXT,
        "state": {**_TEXT, "enum": [state.value for state in PlanState]},
        "decided": {
            "type": "boolean",
            "description": "Whether the plan is decided, with nothing left to wait for.",
        },
        "steps": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "step": {"type": "integer"},
                    "op": _TEXT,
                    "path": {**_TEXT, "description": "The path of the step's result."},
                    "outcome": {
                        **_TEXT,
                        "enum": sorted({*_STATE_WORDS.values(), *_ENDED.values(), "changed", "in_part"}),
                    },
                    "reason": {
                        **_TEXT,
                        "description": "The reviewer's note or reason, or why a check refused the step.",
                    },
                },
                "required": ["step", "op", "path", "outcome", "reason"],
                "additionalProperties": False,
            },
        },
        "read_again": {**_PATHS, "description": "Files whose content differs from what you read or sent."},
        "text": {**_TEXT, "description": "The outcome as text, with diffs of what was not applied."},
    },
    "required": ["plan", "title", "state", "decided", "steps", "read_again", "text"],
    "additionalProperties": False,
}
"""JSON Schema of `Outcome.document`."""


class Outcome(Value):
    """A report to an agent about its plan; `document` conforms to OUTCOME_SCHEMA."""

    text: str
    document: Mapping[str, Any]


def outcome_of(plan: Plan, reply: str) -> Outcome:
    """Return the report on a plan; `reply` is the proposer's text.

    Adds which files to read again, and cuts a reply that is too long for a model. Reads no files.
    """
    files = unexpected_results(plan)
    text = _text(plan, reply, files)
    document = {
        "plan": plan.id,
        "title": plan.title,
        "state": plan.state.value,
        "decided": plan.state.is_decided,
        "steps": [_step(plan, step) for step in plan.steps],
        "read_again": files,
        "text": text,
    }
    return Outcome(text, document)


def part_sentence(plan: Plan) -> str:
    """Report the last part of a plan that is still open."""
    written = len(plan.steps_of_part(len(plan.parts)))
    waiting = sum(step.state.is_open for step in plan.steps)
    wait = "waits" if waiting == 1 else "wait"
    return (
        f"Part {len(plan.parts)} is applied ({written} {('step' if written == 1 else 'steps')}); "
        f"{waiting} of {len(plan.valid_steps)} steps still {wait} for review."
    )


def unexpected_results(plan: Plan) -> list[str]:
    """Return a plan's paths whose content differs from the agent's."""
    return [step.target for step in plan.steps if _is_other_on_disk(plan, step)]


def is_partly_applied(plan: Plan) -> bool:
    """Return whether part of the proposal was rejected or refused."""
    return any(_outcome(plan, step) in _NOT_ALL for step in plan.steps)


def _step(plan: Plan, step: Step) -> dict[str, Any]:
    return {
        "step": step.number,
        "op": step.op.value,
        "path": step.target,
        "outcome": _outcome(plan, step),
        "reason": _reason(step),
    }


def _outcome(plan: Plan, step: Step) -> str:
    if plan.state in _ENDED and step.state in _UNDONE:
        return _ENDED[plan.state]
    if step.is_withdrawn:
        return "withdrawn"
    decision = step.decision
    if (
        step.state is StepState.REJECTED
        and decision is not None
        and decision.verdict is Verdict.REQUEST_CHANGES
    ):
        return "sent_back"
    if step.state is StepState.APPLIED and step.decision is not None:
        if step.decision.edited:
            return "changed"
        if any(choice is not True for choice in step.decision.choices.values()):
            return "in_part"
    return _STATE_WORDS[step.state]


def _reason(step: Step) -> str:
    if step.decision is not None and step.decision.text:
        return step.decision.text
    return " ".join(f"{problem.message} {problem.hint}".strip() for problem in step.problems[:1])


def _is_other_on_disk(plan: Plan, step: Step) -> bool:
    """Return whether the agent's own copy of the file is now wrong.

    A refused step does not count: its reply already asks for a new one. A stale one does, unless the plan
    whose result it changes is still to be applied.
    """
    if step.state in (StepState.INVALID, StepState.ALREADY_APPLIED):
        return False
    if step.state is StepState.STALE and not plan.state.is_decided:
        return not any(fact.kind == "waits_for_plan" for fact in step.facts)
    if not plan.state.is_decided and step.part is None:
        return False
    if step.state is not StepState.APPLIED:
        # A new file was not created, or is gone again: there is nothing to read.
        return step.effects[-1].before is not None
    sent = step.result if step.rebased_from is None else step.rebased_from.after
    decided = step.decided
    if (sent is None) is not (decided is None):
        return True
    is_other = sent is not None and decided is not None and sent.sha256 != decided.sha256
    return is_other or any(fact.kind in _ADAPTED for fact in step.facts)


def _text(plan: Plan, reply: str, files: list[str]) -> str:
    parts = [reply.rstrip("\n")]
    if len(reply) > OUTCOME_CHARACTERS:
        parts = [
            reply[:OUTCOME_CHARACTERS],
            f"This text is truncated. Print all of it with: studio show {plan.short_id} --reply",
        ]
    if not plan.state.is_decided and plan.has_applied_step:
        parts.append(part_sentence(plan))
    elif not plan.state.is_decided:
        parts.append("Nothing is written before the reviewer approves and applies the plan.")
    if files:
        named = ", ".join(map(show_name, files[:NAMED_FILES_UP_TO]))
        more = len(files) - NAMED_FILES_UP_TO
        others = f" and {more} more" if more > 0 else ""
        them = "the file" if len(files) == 1 else "these files"
        parts.append(
            f"Read {them} again before you continue; the content differs from what you sent: {named}{others}."
        )
    return "\n\n".join(parts) + "\n"
