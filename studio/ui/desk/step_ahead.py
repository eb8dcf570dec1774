"""The step to be decided next, read and compared while the one before it is looked at."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from studio.ui.desk.queue_state import compare_step, is_much
from studio.ui.desk.step_order import steps_to_decide

if TYPE_CHECKING:
    from studio.engine.plan import Step
    from studio.engine.workspace import StepContents
    from studio.ui.desk.project import Project
    from studio.ui.desk.queue import Queue
    from studio.ui.desk.queue_state import Compared
    from studio.ui.desk.walk import Walk


@dataclass(frozen=True, slots=True)
class SidesAhead:
    """Both sides of a step that nobody decided yet, and their diff."""

    contents: StepContents
    compared: Compared


class StepAhead:
    """One step's sides at a time, known by its revision; a long one is not read before it is wanted."""

    def __init__(self, project: Project, queue: Queue, walk: Walk) -> None:
        self._project, self._queue, self._walk = project, queue, walk
        self._revision = ""
        """Which revision of a step was asked for, or has come."""
        self._sides: SidesAhead | None = None
        self._is_stopped = False

    def of(self, step: Step) -> SidesAhead | None:
        """What was read of a step as it was proposed, None where it was not or is not wanted so."""
        return self._sides if step.revision == self._revision and step.decision is None else None

    def stop(self) -> None:
        """Read nothing any more: the project is being closed."""
        self._is_stopped = True

    def read(self) -> None:
        """Begin with the step that follows the current one."""
        plan, step = self._queue.current_plan, self._queue.current_step
        if plan is None or step is None or self._is_stopped:
            return
        following = next(steps_to_decide(plan, step.number, self._walk.order()), None)
        if following is None or following.decision is not None or following.revision == self._revision:
            return
        self._revision, self._sides = following.revision, None
        if not is_much(_bytes_of(following)):  # or it would hold up a decision
            self._project.runner.call(
                self._project.workspace.proposer.contents, plan.id, following.number,
                then=partial(self._got_contents, following), failed=partial(self._not_read, following),
            )  # fmt: skip

    def _got_contents(self, step: Step, contents: StepContents) -> None:
        if step.revision == self._revision and not self._is_stopped:
            self._project.runner.compute(
                compare_step, step, contents, contents.result,
                then=partial(self._got_diff, step, contents), failed=partial(self._not_read, step),
            )  # fmt: skip

    def _got_diff(self, step: Step, contents: StepContents, compared: Compared) -> None:
        if step.revision == self._revision:
            self._sides = SidesAhead(contents, compared)

    def _not_read(self, step: Step, _: object) -> None:
        # Told once it is wanted: it is asked for again then.
        if step.revision == self._revision:
            self._revision = ""


def _bytes_of(step: Step) -> int:
    return sum(side.size for side in (step.base, step.result) if side is not None)
