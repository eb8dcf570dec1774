"""Deciding at the desk: approve, reject, take back. Nothing here writes a project file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from studio.engine.names import show_name
from studio.engine.plan import LineComment, Plan, Step, StepDecision, StepState
from studio.ui.actions.action import Action
from studio.ui.desk.made import MadeDecision
from studio.ui.desk.taken_back import take_back
from studio.ui.desk.unsent import NOTE, WHOLE_PLAN, UnsentPlace
from studio.ui.look import words
from studio.ui.look.words import say

if TYPE_CHECKING:
    from studio.ui.desk.decision_call import DecisionCall
    from studio.ui.desk.guards import Guards
    from studio.ui.desk.project import Project
    from studio.ui.desk.queue import Queue
    from studio.ui.desk.work import Work


CHANGES, SEVERAL = 1, 2
"""The places of what is begun to be asked for, and of a reason for rejecting what is ticked; one for
rejecting the plan stands at 0."""


class Decisions(QObject):
    """A press carries the revision that was painted, and is dropped during the dead time (look.md 9)."""

    def __init__(
        self, project: Project, queue: Queue, guards: Guards, *, work: Work, call: DecisionCall
    ) -> None:
        super().__init__(project)
        self._project, self._queue, self._guards = project, queue, guards
        self._work, self._call = work, call

    def approve_step(self, note: str = "") -> None:
        """Approve the current step as it is painted, then go to the next undecided one."""
        plan, step = self._queue.current_plan, self._queue.current_step
        if plan is None or step is None or self._guards.can(Action.APPROVE_STEP) or not self._is_painted():
            return
        chosen, edited = dict(self._work.choices.current.named), self._work.edited.current
        note = note or self._project.unsent.text(self._queue.unsent_place(NOTE))
        unit = _unit_of(plan, step)
        own = StepDecision(step.number, chosen, edited, note, self._work.comments.current)
        others = [self._decision(plan, each) for each in unit[1:] if each.state is StepState.PENDING]
        self._call.send(
            plan.id,
            partial(
                self._project.reviewer.approve, plan.id, [own, *others], seen=_revisions(unit)
            ),
            about=tuple(each.number for each in unit),
            jump=True,
        )  # fmt: skip

    def reject_step(self, reason: str, *, comments: bool = True) -> None:
        """Reject the current step; the reason, and if wanted the comments, go to the agent."""
        plan, step = self._queue.current_plan, self._queue.current_step
        if plan is None or step is None or self._guards.can(Action.REJECT_STEP):
            return
        numbers = plan.with_units([step.number])
        seen = _revisions(_unit_of(plan, step))
        seen[step.number] = self._work.shown.painted_revision.partition("/")[0]
        said = {step.number: self._work.comments.current} if comments else None
        self._call.send(
            plan.id,
            partial(
                self._project.reviewer.reject, plan.id, [step.number], reason=reason, comments=said, seen=seen
            ),
            about=numbers,
            forget=numbers,
            jump=True,
        )

    def take_back(self) -> None:
        """Take back the decision on the current step, or on every step of the current plan."""
        plan, step = self._queue.current_plan, self._queue.current_step
        if plan is not None and not self._guards.can(Action.TAKE_BACK):
            self._call.take_back(plan.id, partial(take_back, numbers=None if step is None else [step.number]))

    def take_back_decision(self, made: MadeDecision) -> None:
        """Void that decision where it still stands, and nothing that was decided before or after it."""
        self._call.take_back(made.plan_id, partial(take_back, made=made))

    def approve_undecided(self, seen: Mapping[int, str] | None = None) -> None:
        """Approve every pending step of the current plan; stale ones stay undecided, those with lines that
        were never shown and that nobody accepted, and those with a text that was begun and is not used.

        `seen` are the revisions that the person was asked about, by step number.
        """
        plan = self._queue.current_plan
        if plan is None or self._guards.can(Action.APPROVE_UNDECIDED):
            return
        pending = self._work.approvable(plan)
        shown = dict(seen) if seen is not None else {step.number: step.revision for step in pending}
        steps = [step for step in pending if step.number in shown]
        decisions = [self._decision(plan, step) for step in steps]
        numbers = [step.number for step in steps]
        said = say(self.tr("Approved {steps} of “{title}”."), steps=words.steps(len(steps)))
        self._call.send(
            plan.id,
            partial(self._project.reviewer.approve, plan.id, decisions, seen=shown),
            about=tuple(numbers),
            said=_about(said, plan),
        )  # fmt: skip

    def reject_plan(self, reason: str, *, comments: bool = True) -> None:
        """Reject every undecided step of the current plan."""
        plan = self._queue.current_plan
        if plan is None or self._guards.can(Action.REJECT_PLAN):
            return
        numbers = tuple(step.number for step in plan.undecided)
        self._call.send(
            plan.id,
            partial(
                self._project.reviewer.reject, plan.id, numbers, reason=reason,
                comments=self._all_comments(plan) if comments else None,
                seen=_revisions(plan.valid_steps),
            ),
            about=numbers,
            forget=(WHOLE_PLAN, *numbers),
            said=_about(self.tr("Rejected “{title}”."), plan),
        )  # fmt: skip

    def request_changes(self, reason: str, *, comments: bool = True) -> None:
        """Send the current plan back to its agent with what should be different."""
        plan = self._queue.current_plan
        if plan is None or self._guards.can(Action.REQUEST_CHANGES):
            return
        said = _about(self.tr("Asked for changes of “{title}”."), plan)
        sent = self._all_comments(plan) if comments else None
        self._call.send(
            plan.id,
            partial(
                self._project.reviewer.request_changes,
                plan.id,
                reason=reason,
                comments=sent,
                version=plan.version,
            ),
            forget=(WHOLE_PLAN, *(step.number for step in plan.steps)),
            said=said,
        )

    def dismiss(self) -> None:
        """Take the current plan, which is closed and was not applied, out of the queue for good."""
        plan = self._queue.current_plan
        if plan is None or self._guards.can(Action.DISMISS):
            return
        said = _about(self.tr("Dismissed “{title}”."), plan)
        self._call.send(
            plan.id, partial(self._project.reviewer.dismiss, plan.id), forget=(WHOLE_PLAN,), said=said
        )

    def discard_stale(self) -> None:
        """Reject the current stale step because its file has moved on."""
        plan, step = self._queue.current_plan, self._queue.current_step
        if plan is None or step is None or self._guards.can(Action.DISCARD_STALE):
            return
        discard = partial(self._project.reviewer.discard_stale, plan.id, [step.number])
        name = show_name(words.split_path(step.target)[1])
        said = say(self.tr("Discarded the step for {file}."), file=name)
        self._call.send(plan.id, discard, about=(step.number,), forget=(step.number,), jump=True, said=said)

    def _decision(self, plan: Plan, step: Step) -> StepDecision:
        """An approval of a step with what the person made of it."""
        work, note = self._work, self._project.unsent.text(UnsentPlace(plan.id, step.number, NOTE))
        choices, edited = work.choices.of(plan, step), work.edited.of(plan, step)
        return StepDecision(step.number, choices, edited, note, work.comments.of(plan, step))

    def _all_comments(self, plan: Plan) -> dict[int, tuple[LineComment, ...]]:
        return {step.number: self._work.comments.of(plan, step) for step in plan.steps}

    def _is_painted(self) -> bool:
        """Whether the current step stands on screen as it would be decided; says so where it does not."""
        if self._work.shown.painted_revision == self._work.choices.key:
            return True
        self._call.say_changed()
        return False


def _unit_of(plan: Plan, step: Step) -> tuple[Step, ...]:
    """The step and then the others of its unit."""
    found = (plan.step(number) for number in plan.with_units([step.number]))
    return tuple(each for each in found if each is not None)


def _revisions(steps: Iterable[Step]) -> dict[int, str]:
    return {step.number: step.revision for step in steps}


def _about(sentence: str, plan: Plan) -> str:
    return say(sentence, title=show_name(plan.title))
