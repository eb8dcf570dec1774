"""What was said about each file of a plan, round by round: by the person on lines and steps, by the agent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from studio.engine.plan import LineComment, Plan, Step, StepState


@dataclass(frozen=True, slots=True)
class SaidThing:
    """One thing that was said. `line` (from 1) of `side`, 0 about the step as a whole; `who` is "" for the
    person before this window. `is_draft`: it goes to the agent with the decision."""

    plan_id: str
    step: int
    round: int
    side: str
    line: int
    who: str
    text: str
    is_draft: bool = False


@dataclass(frozen=True, slots=True)
class CommentThread:
    """All that was said about one file, the first round first."""

    path: str
    said: tuple[SaidThing, ...]


def comment_threads(
    plan: Plan, earlier: Sequence[Plan], begun: Mapping[int, Sequence[LineComment]]
) -> tuple[CommentThread, ...]:
    """The threads of a plan and its earlier rounds, by path; files about which the person said nothing have
    none. `begun` has what stands at the lines of the plan's steps that are still to be decided, by number."""
    said: dict[str, list[SaidThing]] = {}
    for number, each in enumerate((*earlier, plan), 1):
        for step in each.steps:
            own = _of_person(each, step, number, begun.get(step.number, ()) if each is plan else ())
            things = said.get(step.target, [])
            if number > 1 and things and step.reason:
                things.append(SaidThing(each.id, step.number, number, "result", 0, each.agent, step.reason))
            if own:
                said.setdefault(step.target, []).extend(own)
    return tuple(CommentThread(path, tuple(things)) for path, things in sorted(said.items()))


def _of_person(plan: Plan, step: Step, number: int, begun: Sequence[LineComment]) -> list[SaidThing]:
    decision = step.decision if step.state is not StepState.PENDING else None
    if decision is None and not begun:
        return []
    comments = begun if decision is None else decision.comments
    things = [
        SaidThing(plan.id, step.number, number, each.side, each.line, "", each.text, decision is None)
        for each in comments
    ]
    if decision is not None and decision.text:
        things.append(SaidThing(plan.id, step.number, number, "result", 0, "", decision.text))
    return things
