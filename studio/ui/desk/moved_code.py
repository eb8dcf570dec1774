"""Detection of code moved within a plan, in small background batches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from studio.engine.diff.moved import ChangedRuns, MovedBlock, StepSides, changed_runs, moved_blocks
from studio.engine.limits import MOVED_BATCH_BYTES
from studio.ui.diff.model.cells import Side
from studio.ui.diff.model.moved_lines import MovedLines, MovedPart

if TYPE_CHECKING:
    from studio.engine.plan import Plan
    from studio.ui.desk.project import Project
    from studio.ui.desk.queue import Queue
    from studio.ui.desk.shown_step import ShownStep


class MovedCode(QObject):
    """Search for moved lines, started when a plan's first step is shown.

    Another plan cancels it.
    """

    changed = Signal()

    def __init__(self, project: Project, queue: Queue, shown: ShownStep) -> None:
        super().__init__(project)
        self._project, self._queue, self._shown = project, queue, shown
        self._plan_version: tuple[str, int] | None = None
        self._blocks: tuple[MovedBlock, ...] = ()
        self._cached: dict[int, MovedLines] = {}
        """Moved lines of the step queried last."""
        shown.changed.connect(self._start_search)
        project.closed.connect(self._cancel)

    def of_current(self) -> MovedLines:
        """Return the current step's moved lines if it shows the proposal."""
        plan, step = self._queue.current_plan, self._queue.current_step
        is_searched = plan is not None and self._plan_version == (plan.id, plan.version)
        # The lines of an edited result have other numbers.
        if plan is None or step is None or not is_searched or not self._shown.is_as_proposed:
            return MovedLines()
        # Called on every update of the enabled actions.
        if step.number not in self._cached:
            self._cached = {step.number: MovedLines(self._parts(plan, step.number))}
        return self._cached[step.number]

    def _parts(self, plan: Plan, number: int) -> Iterator[MovedPart]:
        for block in self._blocks:
            source, target = plan.step(block.step), plan.step(block.to_step)
            if source is None or target is None:
                continue
            if block.step == number:
                yield MovedPart(
                    Side.BASE, block.first, block.count, block.to_step, block.to_first, target.target
                )
            if block.to_step == number:
                yield MovedPart(
                    Side.RESULT, block.to_first, block.count, block.step, block.first, source.path
                )

    def _start_search(self) -> None:
        plan = self._queue.current_plan
        if plan is None or self._shown.contents is None or self._plan_version == (plan.id, plan.version):
            return
        plan_version = self._plan_version = plan.id, plan.version
        self._blocks, self._cached = (), {}
        # Read errors are reported where the step is shown; here they only leave nothing marked.
        self._project.ask_in_background(
            partial(self._project.workspace.reader.sides, plan.id),
            then=partial(self._compare, plan_version, ChangedRuns((), ())), failed=lambda _error: None,
        )  # fmt: skip

    def _compare(self, plan_version: tuple[str, int], runs: ChangedRuns, sides: Sequence[StepSides]) -> None:
        """Compare one batch of files, then schedule the next.

        Syntax highlighting of what is on screen runs in between.
        """
        if self._plan_version != plan_version:
            return
        size = count = 0
        while count < len(sides) and size < MOVED_BATCH_BYTES:
            size += len(sides[count].base) + len(sides[count].result)
            count += 1
        if not count:
            self._project.runner.compute_apart(
                moved_blocks, runs, then=partial(self._set_blocks, plan_version)
            )
            return
        self._project.runner.compute_apart(
            changed_runs, sides[:count],
            then=lambda more: self._compare(plan_version, runs + more, sides[count:]),
        )  # fmt: skip

    def _set_blocks(self, plan_version: tuple[str, int], blocks: tuple[MovedBlock, ...]) -> None:
        if self._plan_version == plan_version and blocks:
            self._blocks, self._cached = blocks, {}
            self.changed.emit()

    def _cancel(self) -> None:
        self._plan_version, self._blocks, self._cached = None, (), {}
