"""A plan that leaves the queue while it is looked at stays as a dead page that says what became of it.

The window goes nowhere by itself: what is typed or pressed at that moment was meant for this plan.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from studio.engine.names import show_name
from studio.engine.plan import Plan, PlanState
from studio.ui.desk.queue_state import QueueState, is_put_aside
from studio.ui.language import translator
from studio.ui.look.words import say

_tr = translator("Departure")


@dataclass(frozen=True, slots=True)
class Departure:
    """The plan as it is now, and what became of it."""

    plan: Plan
    sentence: str


def departure_of(
    before: Plan, state: QueueState, known: Departure | None, *, is_own: bool
) -> Departure | None:
    """What became of the plan that is looked at; None while it stands in the queue.

    `known` is what was said of it so far; with `is_own` the person's own act took it out.
    """
    now = next((plan for plan in state.plans if plan.id == before.id), None)
    if now is not None:
        was_aside = is_put_aside(before) and known is None
        if not is_put_aside(now) or was_aside:
            return None
    elif state.looked_at is not None and state.looked_at.id == before.id:
        now = state.looked_at
    if now is None:
        # Nobody knows any more what it was; as a dismissed one it looks like nothing that waits.
        return Departure(replace(before, state=PlanState.DISMISSED), _tr("This plan is not kept any more."))
    return Departure(now, _own(now) if is_own else _by_others(now))


def with_departed(state: QueueState, departure: Departure | None) -> QueueState:
    """The state with the departed plan at its place in the queue."""
    if departure is None or any(plan.id == departure.plan.id for plan in state.plans):
        return state
    plans = sorted((*state.plans, departure.plan), key=lambda plan: (plan.created, plan.id))
    return replace(state, plans=tuple(plans))


def _own(plan: Plan) -> str:
    if plan.state is PlanState.COMPLETED:
        return _tr("This plan is applied now.")
    return say(_tr("This plan is {state} now."), state=plan.state.words)


def _by_others(plan: Plan) -> str:
    agent = show_name(plan.agent) or _tr("The agent")
    return {
        PlanState.CANCELLED: say(_tr("{agent} has withdrawn this plan."), agent=agent),
        PlanState.REJECTED: _tr("This plan was rejected in another window or on the command line."),
        PlanState.CHANGES_REQUESTED: _tr(
            "Changes of this plan were asked for in another window or on the command line."
        ),
        PlanState.COMPLETED: _tr("This plan was applied in another window or on the command line."),
        PlanState.DISMISSED: _tr("This plan was dismissed in another window or on the command line."),
    }.get(plan.state, say(_tr("This plan is {state} now."), state=plan.state.words))
