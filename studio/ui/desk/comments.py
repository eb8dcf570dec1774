"""What is said about single lines of a step, until it goes to the agent with a decision."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from studio.engine.plan import LineComment, Plan, Step, StepState
from studio.ui.desk.unsent import COMMENT, UnsentPlace

if TYPE_CHECKING:
    from studio.ui.desk.project import Project
    from studio.ui.desk.queue import Queue


class Comments(QObject):
    """Comments are unsent texts: they survive a kill, and a decision that is taken back brings them again."""

    changed = Signal()

    def __init__(self, project: Project, queue: Queue) -> None:
        super().__init__(project)
        self._unsent, self._queue = project.unsent, queue
        self._unsent.loaded.connect(self.changed)

    @property
    def current(self) -> tuple[LineComment, ...]:
        """What was said about lines of the current step: with its decision, else so far."""
        plan, step = self._queue.current_plan, self._queue.current_step
        if plan is None or step is None:
            return ()
        if step.decision is not None and step.state is not StepState.PENDING:
            return step.decision.comments
        return self.of(plan, step)

    def of(self, plan: Plan, step: Step) -> tuple[LineComment, ...]:
        """What was begun to be said about a step's lines; the base's first."""
        return _comments(self._unsent.of(plan.id, step.number, COMMENT))

    def of_plan(self, plan: Plan) -> Mapping[int, tuple[LineComment, ...]]:
        """The same of all its steps of which anything was begun to be said, by their numbers."""
        begun = self._unsent.of_plan(plan.id, COMMENT)
        return {number: _comments(values) for number, values in begun.items()}

    def text(self, side: str, line: int) -> str:
        """What was said about a line (from 1) of the "base" or the "result" of the current step."""
        return self._unsent.text(self.place(side, line))

    def place(self, side: str, line: int) -> UnsentPlace:
        """Where a comment on a line (from 1) of the current step is kept."""
        return self._queue.unsent_place(COMMENT, -line if side == "base" else line)

    def keep(self, place: UnsentPlace, text: str) -> None:
        """Say something about a line, whatever is current by now; "" takes it away."""
        self._unsent.keep(place, text)
        self.changed.emit()


def _comments(begun: Mapping[int, bytes]) -> tuple[LineComment, ...]:
    return tuple(
        LineComment("base" if place < 0 else "result", abs(place), value.decode("utf-8", "replace"))
        for place, value in begun.items()
    )
