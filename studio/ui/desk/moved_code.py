"""Code that the current plan moves: found out once for each plan, in parts, beside all else."""

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
    """Looked for once the first step of a plan stands on screen; another plan ends it."""

    changed = Signal()

    def __init__(self, project: Project, queue: Queue, shown: ShownStep) -> None:
        super().__init__(project)
        self._project, self._queue, self._shown = project, queue, shown
        self._of: tuple[str, int] | None = None
        self._blocks: tuple[MovedBlock, ...] = ()
        self._known: dict[int, MovedLines] = {}
        """Those of the step that was asked for last."""
        shown.changed.connect(self._look)
        project.closed.connect(self._forget)

    def of_current(self) -> MovedLines:
        """The moved lines of the current step, where it stands as it was proposed."""
        plan, step = self._queue.current_plan, self._queue.current_step
        is_known = plan is not None and self._of == (plan.id, plan.version)
        # The lines of a result that a person wrote stand elsewhere.
        if plan is None or step is None or not is_known or not self._shown.is_as_proposed:
            return MovedLines()
        # Asked for whenever anything may be possible or not.
        if step.number not in self._known:
            self._known = {step.number: MovedLines(self._parts(plan, step.number))}
        return self._known[step.number]

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

    def _look(self) -> None:
        plan = self._queue.current_plan
        if plan is None or self._shown.contents is None or self._of == (plan.id, plan.version):
            return
        wanted = self._of = plan.id, plan.version
        self._blocks, self._known = (), {}
        # What can't be read is told where it is shown; nothing is marked then.
        self._project.ask_aside(
            partial(self._project.workspace.reader.sides, plan.id),
            then=partial(self._compare, wanted, ChangedRuns((), ())), failed=lambda _error: None,
        )  # fmt: skip

    def _compare(self, wanted: tuple[str, int], runs: ChangedRuns, sides: Sequence[StepSides]) -> None:
        """Compare a part of the files, then the next one: what is on screen is coloured in between."""
        if self._of != wanted:
            return
        size = count = 0
        while count < len(sides) and size < MOVED_BATCH_BYTES:
            size += len(sides[count].base) + len(sides[count].result)
            count += 1
        if not count:
            self._project.runner.compute_apart(moved_blocks, runs, then=partial(self._found, wanted))
            return
        self._project.runner.compute_apart(
            changed_runs, sides[:count],
            then=lambda more: self._compare(wanted, runs + more, sides[count:]),
        )  # fmt: skip

    def _found(self, wanted: tuple[str, int], blocks: tuple[MovedBlock, ...]) -> None:
        if self._of == wanted and blocks:
            self._blocks, self._known = blocks, {}
            self.changed.emit()

    def _forget(self) -> None:
        self._of, self._blocks, self._known = None, (), {}
