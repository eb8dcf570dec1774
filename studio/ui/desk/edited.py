"""A step's result as a person wrote it, in place of the proposed one.

It is an unsent text: it survives a kill, and stays beside the decision, so that it is there again when that
is taken back, or void because the file changed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from studio.engine.plan import Plan, Step, StepState, sha256
from studio.ui.desk.guards import OWN_MOVE
from studio.ui.desk.unsent import BEGUN, BEGUN_ON, CHOICES, EDITED, USED, UnsentPlace
from studio.ui.desk.viewed import content_key

if TYPE_CHECKING:
    from studio.ui.desk.guards import Guards
    from studio.ui.desk.project import Project
    from studio.ui.desk.queue import Queue


class EditedResults(QObject):
    """Those that are used; a text that was begun and is not used is a kept text."""

    changed = Signal()
    """The current step would be written otherwise than before."""

    def __init__(self, project: Project, queue: Queue, guards: Guards) -> None:
        super().__init__(project)
        self._unsent, self._queue, self._guards = project.unsent, queue, guards

    @property
    def current(self) -> bytes | None:
        """The current step's result as the person wrote it, None where it is as proposed."""
        plan, step = self._queue.current_plan, self._queue.current_step
        return self.of(plan, step) if plan is not None and step is not None else None

    def of(self, plan: Plan, step: Step) -> bytes | None:
        """The same for any step that is still to decide."""
        return self.kept(plan, step) if step.state is StepState.PENDING else None

    def kept(self, plan: Plan, step: Step) -> bytes | None:
        """What the person last made of the result, whatever became of the step since."""
        value = self._unsent.value(UnsentPlace(plan.id, step.number, EDITED, USED))
        key, line_end, content = value.partition(b"\n")
        return content if line_end and key.decode() == content_key(step) else None

    def keep(self, plan: Plan, step: Step, content: bytes) -> None:
        """Make that the result of a step that would be written; what is proposed is no edit."""
        proposed = step.result is not None and step.result.sha256 == sha256(content)
        kept = b"" if proposed else content_key(step).encode() + b"\n" + content
        self._unsent.keep(UnsentPlace(plan.id, step.number, EDITED, USED), kept)

    def use(self, plan: Plan, step: Step, content: bytes) -> None:
        """Make that the result of the current step; a text that was begun and chosen hunks are in it."""
        self.keep(plan, step, content)
        for place in (BEGUN, BEGUN_ON):
            self._unsent.keep(UnsentPlace(plan.id, step.number, EDITED, place), "")
        self._unsent.keep(self._queue.unsent_place(CHOICES), "")
        self._tell()

    def drop(self) -> None:
        """Go back to the result as it was proposed."""
        if self.current is not None:
            self._unsent.keep(self._queue.unsent_place(EDITED, USED), "")
            self._tell()

    def _tell(self) -> None:
        self._guards.dead_time.begin(OWN_MOVE)
        self.changed.emit()
