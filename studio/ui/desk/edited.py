"""Step results edited by the reviewer, in place of the proposed ones.

They are stored as drafts: they survive a kill, and stay beside the decision, to be restored when that is
undone or becomes void because the file changed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from studio.engine.plan import Plan, Step, StepState, sha256
from studio.ui.desk.guards import OWN_CHANGE_SECONDS
from studio.ui.desk.unsent import BEGUN, BEGUN_ON, CHOICES, EDITED, USED, DraftKey
from studio.ui.desk.viewed import content_key

if TYPE_CHECKING:
    from studio.ui.desk.guards import Guards
    from studio.ui.desk.project import Project
    from studio.ui.desk.queue import Queue


class EditedResults(QObject):
    """Edited results in use.

    A draft that is not in use belongs to `EditDrafts`.
    """

    changed = Signal()
    """The result of the current step changed."""

    def __init__(self, project: Project, queue: Queue, guards: Guards) -> None:
        super().__init__(project)
        self._unsent, self._queue, self._guards = project.unsent, queue, guards

    @property
    def current(self) -> bytes | None:
        """The current step's edited result, None if it is as proposed."""
        plan, step = self._queue.current_plan, self._queue.current_step
        return self.of(plan, step) if plan is not None and step is not None else None

    def of(self, plan: Plan, step: Step) -> bytes | None:
        """Return the edited result of an undecided step, None if as proposed."""
        return self.last_edited(plan, step) if step.state is StepState.PENDING else None

    def last_edited(self, plan: Plan, step: Step) -> bytes | None:
        """Return the last edited result of a step, whatever its state now."""
        value = self._unsent.value(DraftKey(plan.id, step.number, EDITED, USED))
        key, line_end, content = value.partition(b"\n")
        return content if line_end and key.decode() == content_key(step) else None

    def keep(self, plan: Plan, step: Step, content: bytes) -> None:
        """Store an edited result; content equal to the proposal deletes it."""
        is_proposed = step.result is not None and step.result.sha256 == sha256(content)
        value = b"" if is_proposed else content_key(step).encode() + b"\n" + content
        self._unsent.keep(DraftKey(plan.id, step.number, EDITED, USED), value)

    def use(self, plan: Plan, step: Step, content: bytes) -> None:
        """Set the current step's result; discard its draft and selection."""
        self.keep(plan, step, content)
        for place in (BEGUN, BEGUN_ON):
            self._unsent.keep(DraftKey(plan.id, step.number, EDITED, place), "")
        self._unsent.keep(self._queue.draft_key(CHOICES), "")
        self._emit_changed()

    def drop(self) -> None:
        """Revert to the result as proposed."""
        if self.current is not None:
            self._unsent.keep(self._queue.draft_key(EDITED, USED), "")
            self._emit_changed()

    def _emit_changed(self) -> None:
        self._guards.dead_time.begin(OWN_CHANGE_SECONDS)
        self.changed.emit()
