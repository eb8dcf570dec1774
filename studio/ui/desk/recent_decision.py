"""Decisions made in this window, and the sentences about them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from studio.engine.names import show_name
from studio.engine.plan import OPEN_PLAN_STATES, Decision, Plan, PlanState, Step, StepState
from studio.ui.language import translator
from studio.ui.look import words
from studio.ui.look.words import say

_tr = translator("Decided")

DECIDED = (StepState.APPROVED, StepState.REJECTED)
"""Step states that come from a reviewer's decision and can be undone."""


@dataclass(frozen=True, slots=True)
class RecentDecision:
    """The decisions that one click made, by step number."""

    plan_id: str
    title: str
    decisions: Mapping[int, Decision]

    def is_in_effect(self, plan: Plan) -> bool:
        """Return whether any of its decisions still holds and can be undone."""
        return next(self._find_in_effect(plan), None) is not None

    def steps_in_effect(self, plan: Plan) -> tuple[Step, ...]:
        """Return the steps whose decision still holds and can be undone."""
        return tuple(self._find_in_effect(plan))

    def _find_in_effect(self, plan: Plan) -> Iterator[Step]:
        if not can_take_back(plan):
            return
        for number, decision in self.decisions.items():
            step = plan.step(number)
            if step is not None and step.state in DECIDED and step.decision == decision:
                yield step


def recent_decision(plan: Plan, numbers: Sequence[int]) -> RecentDecision:
    """Return the decisions just made on these steps of a plan."""
    found = (plan.step(number) for number in numbers)
    steps = [step for step in found if step is not None]
    decisions = {step.number: step.decision for step in steps if step.decision is not None}
    return RecentDecision(plan.id, plan.title, decisions)


def can_take_back(plan: Plan) -> bool:
    """Return whether decisions on the plan's steps can still be undone."""
    return plan.state in OPEN_PLAN_STATES or plan.state is PlanState.REJECTED


def decided_words(step: Step) -> str:
    """Return the sentence that reports the decision on one step."""
    decision, file = step.decision, _file(step)
    if step.state is StepState.REJECTED:
        sentence = _tr("Rejected {file}.")
    elif decision is not None and decision.edited:
        sentence = _tr("Approved {file} as you edited it.")
    elif decision is not None and any(choice is not True for choice in decision.choices.values()):
        sentence = _tr("Approved part of {file}.")
    else:
        sentence = _tr("Approved {file}.")
    return say(sentence, file=file)


def take_back_words(title: str, steps: Sequence[Step]) -> str:
    """Return the button text for undoing the decisions on these steps."""
    return _about(
        title, steps,
        one=(_tr("Take back approval of {file}"), _tr("Take back rejection of {file}")),
        many=(
            _tr("Take back {n} approvals in “{title}”"),
            _tr("Take back {n} rejections in “{title}”"),
            _tr("Take back {n} decisions in “{title}”"),
        ),
    )  # fmt: skip


def undone_words(title: str, steps: Sequence[Step]) -> str:
    """Return the sentence that reports which decisions were undone."""
    return _about(
        title, steps,
        one=(_tr("Took back the approval of {file}."), _tr("Took back the rejection of {file}.")),
        many=(
            _tr("Took back {n} approvals in “{title}”."),
            _tr("Took back {n} rejections in “{title}”."),
            _tr("Took back {n} decisions in “{title}”."),
        ),
    )  # fmt: skip


def _about(title: str, steps: Sequence[Step], *, one: tuple[str, str], many: tuple[str, str, str]) -> str:
    """Return the words for one step, or several: approvals, rejections, both."""
    states = [step.state for step in steps]
    if len(steps) == 1:
        return say(one[states[0] is StepState.REJECTED], file=_file(steps[0]))
    kind = 2 if len(set(states)) > 1 else int(StepState.REJECTED in states)
    return say(words.counted(len(steps), many[kind], many[kind]), title=show_name(title))


def _file(step: Step) -> str:
    return show_name(words.split_path(step.target)[1])
