"""Navigation from step to step, with prefetch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from studio.engine import Plan, Step, StepState
from studio.ui.actions.action import Action
from studio.ui.review.queue_state import (
    StepRef,
    adjacent_step,
    compare_step,
    is_large,
    ordered_steps,
    steps_to_decide,
)
from studio.ui.review.state import Tone
from studio.values import Value

if TYPE_CHECKING:
    from studio.engine import StepContents
    from studio.ui.review.guards import Guards
    from studio.ui.review.project import Project
    from studio.ui.review.queue import Queue
    from studio.ui.review.queue_state import Compared
    from studio.ui.review.viewed import Viewed


class StepFilter(QObject):
    """Words by which the queue lists steps."""

    changed = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.words = ""

    def set_words(self, words: str) -> None:
        if words != self.words:
            self.words = words
            self.changed.emit()

    def toggle(self, word: str, instead_of: str = "") -> None:
        """Add a word, or remove it; either removes `instead_of`."""
        typed = self.words.split()
        others = [each for each in typed if each not in (word, instead_of)]
        self.set_words(" ".join(others if word in typed else [*others, word]))


class Walk(QObject):
    """Navigation between steps in the order that the queue lists."""

    def __init__(self, project: Project, queue: Queue, guards: Guards, viewed: Viewed) -> None:
        super().__init__(project)
        self._project, self._queue, self._guards, self._viewed = project, queue, guards, viewed
        self.listed_steps: tuple[StepRef, ...] | None = None
        """Plan id and step number as the queue lists them; None: in plan order."""
        self.folded_steps: tuple[StepRef, ...] = ()
        """Steps in closed folders: decided with the others, passed by until their row is open."""
        self.steps_of_row: Callable[[], Sequence[Step]] = tuple
        """Returns the listed steps of the folder that is the queue's current row."""
        self.filter = StepFilter(self)

    def order(self) -> list[StepRef]:
        """Return every step in the order shown in the queue."""
        queue = self._queue
        if self.listed_steps is not None:
            return ordered_steps(queue.plans, self.listed_steps)
        return ordered_steps((plan for plan in queue.plans if not queue.is_archived(plan)), None)

    def shown_numbers(self, plan: Plan) -> frozenset[int] | None:
        """Return the plan's steps that the queue's filter shows, None for all."""
        listed = (*(self.listed_steps or ()), *self.folded_steps)
        shown = frozenset(number for plan_id, number in listed if plan_id == plan.id)
        return shown if self.filter.words.split() and len(shown) < len(plan.steps) else None

    def next_step(self) -> None:
        self._move(1)

    def previous_step(self) -> None:
        self._move(-1)

    def next_unviewed(self) -> None:
        """Go to the next step not marked as viewed, across plans."""
        every = self.tr("You have viewed all listed steps.")
        self._go_to_next(lambda plan, step: not self._viewed.has(plan, step), every)

    def next_undecided(self) -> None:
        """Go to the next step that is still to decide, across plans."""
        every = self.tr("All listed steps are decided.")
        undecided = (StepState.PENDING, StepState.STALE)
        self._go_to_next(lambda plan, step: plan.state.is_open and step.state in undecided, every)

    def _go_to_next(self, is_wanted: Callable[[Plan, Step], bool], none_left: str) -> None:
        order, here = [*self.order(), *self.folded_steps], self._queue.current_ref
        start = order.index(here) + 1 if here in order else 0
        plans = {plan.id: plan for plan in self._queue.plans}
        for plan_id, number in order[start:] + order[:start]:
            plan = plans[plan_id]
            step = plan.step(number)
            if step is not None and (plan_id, number) != here and is_wanted(plan, step):
                self._queue.select(plan_id, number)
                return
        self._project.report_status(none_left, Tone.NEWS)

    def next_plan(self, by: int) -> None:
        """Go to the next (1) or previous (-1) listed plan.

        Its first undecided step becomes current.
        """
        plans = list(dict.fromkeys(plan_id for plan_id, _ in self.order()))
        here = self._queue.current_ref[0]
        at = plans.index(here) + by if here in plans else 0
        plan = next((each for each in self._queue.plans if plans[at : at + 1] == [each.id]), None)
        if at < 0 or plan is None:
            message = self.tr("This is the last plan.") if by > 0 else self.tr("This is the first plan.")
            self._project.report_status(message, Tone.NEWS)
            return
        listed = [number for plan_id, number in (*self.order(), *self.folded_steps) if plan_id == plan.id]
        open_ones = {step.number for step in plan.undecided}
        number = next((each for each in listed if each in open_ones), listed[0])
        self._queue.select(plan.id, number)

    def steps_to_decide(self, plan: Plan, number: int) -> list[Step]:
        """Return the plan's other undecided steps, folded ones last."""
        folded = {step for plan_id, step in self.folded_steps if plan_id == plan.id}
        found = steps_to_decide(plan, number, (*self.order(), *self.folded_steps))
        return sorted(found, key=lambda step: step.number in folded)

    def mark_viewed(self, viewed: bool) -> None:
        """Mark the current step as viewed, or clear the mark."""
        plan, step = self._queue.current_plan, self._queue.current_step
        if plan is None or step is None or self._guards.can(Action.MARK_VIEWED):
            return
        if self._viewed.set_viewed(plan, step, viewed):
            self._queue.plans_changed.emit()

    def _move(self, by: int) -> None:
        place = adjacent_step(self.order(), self._queue.current_ref, by)
        if place is not None:
            self._queue.select(*place)


# Prefetch of the step to be decided next.


class PrefetchedSides(Value):
    """Prefetched sides and diff of an undecided step."""

    contents: StepContents
    compared: Compared


class StepPrefetch:
    """Prefetch of one step, by revision; long ones are skipped."""

    def __init__(self, project: Project, queue: Queue, walk: Walk) -> None:
        self._project, self._queue, self._walk = project, queue, walk
        self._revision = ""
        """Revision of the step requested or read."""
        self._sides: PrefetchedSides | None = None
        self._is_stopped = False

    def of(self, step: Step) -> PrefetchedSides | None:
        """Return the prefetched step, None if missing or decided."""
        return self._sides if step.revision == self._revision and step.decision is None else None

    def stop(self) -> None:
        """Stop reading: the project is being closed."""
        self._is_stopped = True

    def read(self) -> None:
        """Prefetch the step that follows the current one."""
        plan, step = self._queue.current_plan, self._queue.current_step
        if plan is None or step is None or self._is_stopped:
            return
        following = next(iter(self._walk.steps_to_decide(plan, step.number)), None)
        if following is None or following.decision is not None or following.revision == self._revision:
            return
        self._revision, self._sides = following.revision, None
        if not is_large(_bytes_of(following)):  # a long read would delay a decision
            self._project.runner.call(
                self._project.workspace.proposer.contents, plan.id, following.number,
                then=partial(self._compare_contents, following),
                failed=partial(self._forget_revision, following),
            )  # fmt: skip

    def _compare_contents(self, step: Step, contents: StepContents) -> None:
        if step.revision == self._revision and not self._is_stopped:
            self._project.runner.compute(
                compare_step, step, contents, contents.result,
                then=partial(self._store_diff, step, contents), failed=partial(self._forget_revision, step),
            )  # fmt: skip

    def _store_diff(self, step: Step, contents: StepContents, compared: Compared) -> None:
        if step.revision == self._revision:
            self._sides = PrefetchedSides(contents, compared)

    def _forget_revision(self, step: Step, _: object) -> None:
        # The error is reported when the step is shown and read again.
        if step.revision == self._revision:
            self._revision = ""


def _bytes_of(step: Step) -> int:
    return sum(side.size for side in (step.base, step.result) if side is not None)
