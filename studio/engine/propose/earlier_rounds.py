"""Rounds: earlier plans that the same agent made for the same matter, and that came to nothing.

A plan is an earlier round of another when the same agent proposed it before, it ended without being applied
(changes asked for, rejected, withdrawn), and it has the same title or at least one path in common. An agent
is not asked to say so: names of plans are not known to it across sessions.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from studio.engine.plan import Plan, PlanState, Step

if TYPE_CHECKING:
    from studio.engine.store import Store

ENDED = (PlanState.CHANGES_REQUESTED, PlanState.REJECTED, PlanState.CANCELLED)
"""How a round ends that has another one after it."""


def rounds_of(store: Store, plan: Plan) -> tuple[Plan, ...]:
    """The earlier rounds of a plan, oldest first."""
    return earlier_rounds(store.plans.all(ENDED), plan)


def earlier_rounds(plans: Iterable[Plan], plan: Plan) -> tuple[Plan, ...]:
    """Those of `plans` (oldest first) that are earlier rounds of a plan; none without an agent's name."""
    paths = _paths(plan)
    return tuple(
        other
        for other in plans
        if plan.agent
        and other.agent == plan.agent
        and other.id != plan.id
        and other.state in ENDED
        and other.created <= plan.created
        and other.is_proposal
        and (other.title == plan.title or paths & _paths(other))
    )


def same_step(earlier: Plan, step: Step) -> Step | None:
    """The valid step of an earlier round that left its result at the same path."""
    return next((other for other in earlier.valid_steps if other.target == step.target), None)


def _paths(plan: Plan) -> frozenset[str]:
    return frozenset(path for step in plan.steps for path in step.written_paths)
