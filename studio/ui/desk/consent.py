"""Changed lines that are too long to be read on screen: nobody approves them without saying so."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from studio.engine.plan import Step

if TYPE_CHECKING:
    from studio.ui.desk.guards import Guards
    from studio.ui.desk.queue import Queue
    from studio.ui.desk.shown_step import ShownStep


class Consent(QObject):
    """A consent is about one revision of a step, and ends with the window."""

    def __init__(self, queue: Queue, guards: Guards, shown: ShownStep) -> None:
        super().__init__(queue)
        self._queue, self._guards, self._shown = queue, guards, shown
        self._revisions: set[str] = set()

    @property
    def unread(self) -> int:
        """Changed lines of what is shown that are too long to be read on screen."""
        return self._shown.unshown if self._shown.diff is not None else 0

    @property
    def is_given(self) -> bool:
        """Whether the person accepts what is shown with the lines they could not read."""
        step = self._queue.current_step
        return not self.unread or (step is not None and step.revision in self._revisions)

    def give(self, accepted: bool) -> None:
        """Accept the lines of the current step that were never shown, or no longer."""
        step = self._queue.current_step
        if step is not None:
            (self._revisions.add if accepted else self._revisions.discard)(step.revision)
            self._guards.allowed_changed.emit()

    def is_missing(self, step: Step) -> bool:
        """Whether a step has lines nobody can have read, and nobody has accepted that."""
        too_long = any(fact.kind == "long_line" for fact in step.facts)
        return too_long and step.revision not in self._revisions
