"""Ticked (selected) steps of a plan: reject, undo decisions, mark viewed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from studio.engine import Plan, Step, StepState
from studio.names import show_name
from studio.ui.actions.action import Action
from studio.ui.look import words
from studio.ui.look.words import say
from studio.ui.review.decisions import SEVERAL, take_back
from studio.ui.review.state import DECIDED, RecentDecision, Ticked, Tone

if TYPE_CHECKING:
    from studio.ui.review.decision_input import Work
    from studio.ui.review.decisions import DecisionCall
    from studio.ui.review.guards import Guards
    from studio.ui.review.project import Project
    from studio.ui.review.queue import Queue
    from studio.ui.review.viewed import Viewed

_UNDECIDED = (StepState.PENDING, StepState.STALE)


def can_be_ticked(plan: Plan, step: Step) -> bool:
    """Return whether anything can still be done about a step."""
    return plan.state.is_open and step.state in (*_UNDECIDED, *DECIDED)


class TickedSteps(QObject):
    """The ticked steps; ticking decides nothing.

    A tick goes when its step changes or is decided, or when its plan is no longer shown.
    """

    changed = Signal()

    def __init__(
        self,
        project: Project,
        queue: Queue,
        guards: Guards,
        *,
        work: Work,
        viewed: Viewed,
        call: DecisionCall,
    ) -> None:
        super().__init__(project)
        self._queue, self._guards, self._project = queue, guards, project
        self._work, self._viewed, self._call = work, viewed, call
        self._plan_id = ""
        self._ticked: dict[int, Step] = {}
        self.changed.connect(guards.allowed_changed)
        call.decision_made.connect(self._untick_decided)
        queue.current_changed.connect(self._untick_other_plans)

    @property
    def steps(self) -> tuple[Step, ...]:
        """Ticked steps of the current plan, in its order."""
        plan = self._queue.current_plan
        if plan is None or plan.id != self._plan_id or not self._ticked:
            return ()
        return tuple(step for step in plan.steps if self._is_ticked(step))

    @property
    def numbers(self) -> frozenset[int]:
        """Numbers of the ticked steps."""
        return frozenset(step.number for step in self.steps)

    @property
    def undecided(self) -> tuple[Step, ...]:
        return tuple(step for step in self.steps if step.state in _UNDECIDED)

    def state(self) -> Ticked | None:
        """Return the ticked counts while the whole plan is current.

        None where nothing is ticked.
        """
        plan, steps = self._queue.current_plan, self.steps
        if plan is None or self._queue.current_step is not None or not steps:
            return None
        return Ticked(
            undecided=len(self.undecided),
            approvable=sum(self._work.is_approvable(plan, step) for step in steps),
            decided=sum(step.state in DECIDED for step in steps),
            steps=len(steps),
        )

    def tick(self, numbers: Iterable[int], ticked: bool) -> None:
        """Tick or untick steps of the current plan."""
        plan = self._queue.current_plan
        if plan is None:
            return
        if plan.id != self._plan_id:
            self._plan_id, self._ticked = plan.id, {}
        before = self.numbers
        for number in numbers:
            step = plan.step(number)
            if ticked and step is not None and can_be_ticked(plan, step):
                self._ticked[number] = step
            else:
                self._ticked.pop(number, None)
        if self.numbers != before:
            self.changed.emit()

    def clear(self) -> bool:
        """Untick all; return whether any was ticked."""
        had_any, self._ticked = bool(self.steps), {}
        if had_any:
            self.changed.emit()
        return had_any

    def reject(self, reason: str, *, comments: bool = True) -> None:
        """Reject the ticked undecided steps.

        The reason, and with `comments` those too, go to the agent.
        """
        plan = self._queue.current_plan
        if plan is None or self._guards.can(Action.REJECT_STEP):
            return
        message = say(self.tr("Rejected {steps} in “{title}”."), steps=words.steps(len(self.undecided)))
        self._reject(plan, reason, comments, message)

    def reject_silently(self) -> None:
        """Reject the ticked undecided steps without a message to the agent."""
        plan = self._queue.current_plan
        if plan is None or self._guards.can(Action.TOGGLE_HUNK):
            return
        message = say(
            self.tr("Rejected {steps} in “{title}” without a reason."),
            steps=words.steps(len(self.undecided)),
        )
        self._reject(plan, "", False, message)

    def take_back(self) -> None:
        """Undo the decisions on the ticked steps."""
        plan = self._queue.current_plan
        if plan is not None and not self._guards.can(Action.REVOKE_DECISION):
            numbers = [step.number for step in self.steps if step.state in DECIDED]
            self._call.take_back(plan.id, partial(take_back, numbers=numbers))

    def mark_viewed(self, others: Sequence[Step]) -> None:
        """Mark the ticked steps, else `others`, that were on screen as viewed.

        Unmark them if all are.
        """
        plan, steps = self._queue.current_plan, self.steps or others
        if plan is None or not steps or self._guards.can(Action.MARK_VIEWED):
            return
        seen = [step for step in steps if self._viewed.is_seen(plan, step)]
        is_viewed = len(seen) == len(steps) and all(self._viewed.has(plan, step) for step in seen)
        if unseen := len(steps) - len(seen):
            one = self.tr("{n} step has not been shown yet, so it was not marked as viewed. Open it first.")
            several = self.tr(
                "{n} steps have not been shown yet, so they were not marked as viewed. Open them first."
            )
            self._project.report_status(words.counted(unseen, one, several), Tone.NEWS)
        if self._viewed.set_all_viewed(plan, seen, viewed=not is_viewed):
            self._queue.plans_changed.emit()

    def _reject(self, plan: Plan, reason: str, comments: bool, message: str) -> None:
        steps = self.undecided
        numbers = tuple(step.number for step in steps)
        unit = plan.with_units(numbers)
        sent = {step.number: self._work.comments.of(plan, step) for step in steps} if comments else None
        self._call.send(
            plan.id,
            partial(
                self._project.reviewer.reject, plan.id, numbers, reason=reason, comments=sent,
                seen={step.number: step.revision for step in plan.steps if step.number in unit},
            ),
            about=unit,
            forget=(SEVERAL, *unit),
            message=say(message, title=show_name(plan.title)),
        )  # fmt: skip

    def _is_ticked(self, step: Step) -> bool:
        ticked_step = self._ticked.get(step.number)
        # A revision is an expensive hash; most steps are still the object that was ticked.
        return ticked_step is not None and (ticked_step is step or ticked_step.revision == step.revision)

    def _untick_decided(self, decision: RecentDecision) -> None:
        """Untick decided steps, even if the decision is undone later.

        After a failed decision the ticks stay.
        """
        if decision.plan_id == self._plan_id:
            self.tick(decision.decisions, False)

    def _untick_other_plans(self) -> None:
        plan = self._queue.current_plan
        if self._ticked and (plan is None or plan.id != self._plan_id):
            self._ticked = {}
            self.changed.emit()
