"""Earlier versions of the current plan, and the diff between versions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from studio.engine.plan import Plan, Step
from studio.engine.proposer import same_step
from studio.ui.desk.guards import OWN_CHANGE_SECONDS
from studio.ui.desk.queue_state import diff_of

if TYPE_CHECKING:
    from studio.engine.diff import FileDiff
    from studio.engine.errors import StudioError
    from studio.engine.workspace import StepContents
    from studio.ui.desk.guards import Guards
    from studio.ui.desk.project import Project
    from studio.ui.desk.queue import Queue
    from studio.ui.desk.shown_step import ShownStep


@dataclass(frozen=True, slots=True)
class Comparison:
    """Diff of a step's result against that of version `number` (from 1)."""

    number: int
    diff: FileDiff | None
    before: bytes | None
    after: bytes | None


class Rounds(QObject):
    """Versions of the current plan; a comparison is read-only."""

    changed = Signal()

    def __init__(self, project: Project, queue: Queue, guards: Guards, shown: ShownStep) -> None:
        super().__init__(project)
        self._project, self._queue, self._guards = project, queue, guards
        self._shown = shown
        self._plan_id = ""
        self._earlier: tuple[Plan, ...] = ()
        self.comparison: Comparison | None = None
        queue.current_changed.connect(self._follow_plan)
        shown.changed.connect(self.close)

    @property
    def earlier(self) -> tuple[Plan, ...]:
        """Earlier versions of the current plan, oldest first."""
        plan = self._queue.current_plan
        return self._earlier if plan is not None and plan.id == self._plan_id else ()

    @property
    def number(self) -> int:
        """Version number of the current plan, from 1."""
        return len(self.earlier) + 1

    def before(self) -> tuple[int, Plan, Step] | None:
        """Return the newest earlier version (from 1) with this file, or None."""
        step = self._queue.current_step
        if step is None:
            return None
        numbered = list(enumerate(self.earlier, 1))
        for number, plan in reversed(numbered):
            same = same_step(plan, step)
            if same is not None and same.result is not None:
                return number, plan, same
        return None

    def compare(self) -> None:
        """Show the diff against the previous version."""
        found, contents, step = self.before(), self._shown.contents, self._queue.current_step
        if found is None or contents is None or step is None:
            return
        number, plan, earlier = found
        self._project.runner.call(
            self._project.workspace.proposer.contents, plan.id, earlier.number,
            then=partial(self._compare_with, number, step.revision), failed=self._ignore_failure,
        )  # fmt: skip

    def close(self) -> None:
        """Show the step itself again."""
        if self.comparison is not None:
            self.comparison = None
            self._guards.dead_time.begin(OWN_CHANGE_SECONDS)
            self.changed.emit()

    def _follow_plan(self) -> None:
        self.close()
        plan = self._queue.current_plan
        if plan is None or plan.id == self._plan_id:
            self.changed.emit()
            return
        self._plan_id, self._earlier = plan.id, ()
        self.changed.emit()
        self._project.runner.call(
            self._project.workspace.proposer.rounds, plan.id, then=partial(self._set_rounds, plan.id),
            failed=self._ignore_failure,
        )  # fmt: skip

    def _set_rounds(self, plan_id: str, earlier: tuple[Plan, ...]) -> None:
        if plan_id == self._plan_id and earlier != self._earlier:
            self._earlier = earlier
            self.changed.emit()

    def _compare_with(self, number: int, revision: str, earlier: StepContents) -> None:
        contents = self._shown.contents
        if contents is None or not self._is_current(revision):
            return
        self._project.runner.compute(
            diff_of, earlier.result, contents.result, contents.setting,
            then=partial(self._show_comparison, number, revision, earlier.result, contents.result),
            failed=self._ignore_failure,
        )  # fmt: skip

    def _show_comparison(
        self, number: int, revision: str, before: bytes | None, after: bytes | None, diff: FileDiff | None
    ) -> None:
        if self._is_current(revision):
            self.comparison = Comparison(number, diff, before, after)
            self.changed.emit()

    def _is_current(self, revision: str) -> bool:
        step = self._queue.current_step
        return step is not None and step.revision == revision

    def _ignore_failure(self, _error: StudioError) -> None:
        """Ignore the error: without that version there is nothing to compare."""
