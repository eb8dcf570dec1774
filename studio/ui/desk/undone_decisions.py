"""Undo of decisions, which restores their drafts.

These functions run on the engine thread.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from studio.engine.plan import Plan, Step, StepState
from studio.ui.desk.recent_decision import DECIDED, RecentDecision
from studio.ui.desk.unsent import CHOICES, COMMENT, EDITED, NOTE, REASON, DraftKey, format_choices
from studio.ui.desk.viewed import content_key

if TYPE_CHECKING:
    from studio.engine.workspace import Reviewer, Workspace

Unsent = Mapping[DraftKey, bytes]


class UndoneDecisions(NamedTuple):
    """The plan after the undo, the decided steps and their restored drafts."""

    plan: Plan
    steps: tuple[Step, ...]
    unsent: Unsent


def take_back(
    workspace: Workspace,
    reviewer: Reviewer,
    plan_id: str,
    *,
    numbers: Sequence[int] | None = None,
    decision: RecentDecision | None = None,
) -> UndoneDecisions:
    """Void the decisions on those steps, or on all.

    Those of `decision` only where they were not decided again since. Raises Refused where no such decision is
    left.
    """
    before = workspace.proposer.plan(plan_id)
    steps = tuple(step for step in before.steps if step.state in DECIDED)
    if decision is not None:
        steps = decision.steps_in_effect(before)
    elif numbers is not None:
        steps = tuple(step for step in steps if step.number in numbers)
    unsent: dict[DraftKey, bytes] = {}
    for step in steps:
        unsent |= _unsent_of(plan_id, step)
        if step.decision is not None and step.decision.edited:
            content = workspace.proposer.contents(plan_id, step.number).decided
            if content is not None:
                key = content_key(step).encode()
                unsent[DraftKey(plan_id, step.number, EDITED)] = key + b"\n" + content
    return UndoneDecisions(reviewer.take_back(plan_id, [step.number for step in steps]), steps, unsent)


def _unsent_of(plan_id: str, step: Step) -> Unsent:
    decision = step.decision
    if decision is None:
        return {}
    kind = NOTE if step.state is StepState.APPROVED else REASON
    unsent = {DraftKey(plan_id, step.number, kind): decision.text.encode("utf-8", "surrogatepass")}
    for comment in decision.comments:
        place = -comment.line if comment.side == "base" else comment.line
        text = comment.text.encode("utf-8", "surrogatepass")
        unsent[DraftKey(plan_id, step.number, COMMENT, place)] = text
    if not decision.edited:
        selection = format_choices(content_key(step), decision.choices)
        unsent[DraftKey(plan_id, step.number, CHOICES)] = selection.encode()
    return unsent
