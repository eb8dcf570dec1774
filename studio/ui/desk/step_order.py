"""The order in which one walks from step to step: as the queue lists them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from studio.engine.plan import Plan, Step, StepState

Place = tuple[str, int]
"""Plan id and step number; 0 is the plan as a whole, which stands above its first step."""


def places_of(plans: Iterable[Plan], listed: Sequence[Place] | None) -> list[Place]:
    """Every step one can move to; as they came where the queue lists none yet (None)."""
    known = {(plan.id, step.number): None for plan in plans for step in plan.steps}
    return list(known) if listed is None else [place for place in listed if place in known]


def next_place(order: Sequence[Place], here: Place, by: int) -> Place | None:
    """The step after (1) or before (-1) a place, None at the end."""
    if here in order:
        at = order.index(here)
        ahead = order[at + 1 :] if by > 0 else order[:at][::-1]
    else:
        first = next((at for at, place in enumerate(order) if place[0] == here[0]), 0)
        ahead = order[first:] if by > 0 else order[:first][::-1]
    return ahead[0] if ahead else None


def steps_after(plan: Plan, number: int, order: Iterable[Place]) -> list[Step]:
    """A plan's other steps in that order: those below a step, then those above it."""
    listed = [at for plan_id, at in order if plan_id == plan.id]
    numbers = listed if number in listed else [step.number for step in plan.steps]
    here = numbers.index(number)
    after = (plan.step(at) for at in numbers[here + 1 :] + numbers[:here])
    return [step for step in after if step is not None]


def steps_to_decide(plan: Plan, number: int, order: Iterable[Place]) -> Iterator[Step]:
    """Those of them that wait for a decision, stale ones last."""
    after = steps_after(plan, number, order)
    return (step for state in (StepState.PENDING, StepState.STALE) for step in after if step.state is state)
