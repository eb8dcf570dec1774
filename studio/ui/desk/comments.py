"""Line comments on a step, drafts until a decision sends them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from studio.engine.plan import LineComment, Plan, Step, StepState
from studio.ui.desk.unsent import COMMENT, DraftKey

if TYPE_CHECKING:
    from studio.ui.desk.project import Project
    from studio.ui.desk.queue import Queue


class Comments(QObject):
    """Line comments, stored as drafts.

    They survive a kill, and undoing a decision restores them.
    """

    changed = Signal()

    def __init__(self, project: Project, queue: Queue) -> None:
        super().__init__(project)
        self._unsent, self._queue = project.unsent, queue
        self._unsent.loaded.connect(self.changed)

    @property
    def current(self) -> tuple[LineComment, ...]:
        """Comments on the current step.

        Those of its decision once it is decided, else the drafts.
        """
        plan, step = self._queue.current_plan, self._queue.current_step
        if plan is None or step is None:
            return ()
        if step.decision is not None and step.state is not StepState.PENDING:
            return step.decision.comments
        return self.of(plan, step)

    def of(self, plan: Plan, step: Step) -> tuple[LineComment, ...]:
        """Return the draft comments on a step, the base's first."""
        return _comments(self._unsent.of(plan.id, step.number, COMMENT))

    def of_plan(self, plan: Plan) -> Mapping[int, tuple[LineComment, ...]]:
        """Return the draft comments of a plan by step number."""
        drafts = self._unsent.of_plan(plan.id, COMMENT)
        return {number: _comments(values) for number, values in drafts.items()}

    def text(self, side: str, line: int) -> str:
        """Return the comment on a "base" or "result" line (from 1)."""
        return self._unsent.text(self.place(side, line))

    def place(self, side: str, line: int) -> DraftKey:
        """Return the storage key of a line's comment (from 1)."""
        return self._queue.draft_key(COMMENT, -line if side == "base" else line)

    def keep(self, key: DraftKey, text: str) -> None:
        """Store a comment, whichever step is current; "" deletes it."""
        self._unsent.keep(key, text)
        self.changed.emit()


def _comments(drafts: Mapping[int, bytes]) -> tuple[LineComment, ...]:
    return tuple(
        LineComment("base" if place < 0 else "result", abs(place), value.decode("utf-8", "replace"))
        for place, value in drafts.items()
    )
