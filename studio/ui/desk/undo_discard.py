"""One plan's undo, freed for good by a person who was told what that means (contract 9)."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from studio.engine.names import show_name
from studio.ui.actions.action import Action
from studio.ui.desk.dead_time import surprise
from studio.ui.desk.happening import Happening
from studio.ui.look.words import say

if TYPE_CHECKING:
    from studio.engine.errors import StudioError
    from studio.engine.proposer import UndoLoss
    from studio.ui.desk.guards import Guards
    from studio.ui.desk.project import Project
    from studio.ui.desk.queue import Queue


class UndoDiscard(QObject):
    """What is asked about a plan's undo, and what is done once the person said so."""

    changed = Signal()

    def __init__(self, project: Project, queue: Queue, guards: Guards) -> None:
        super().__init__(project)
        self._project, self._queue, self._guards = project, queue, guards
        self.asked: UndoLoss | None = None
        """What would be lost: the question that stands on screen."""

    def ask(self, plan_id: str) -> None:
        """Look what discarding would mean, and put the question; nothing is changed."""
        if not self._guards.can(Action.PREVIEW_ROLLBACK):
            loss = self._project.workspace.proposer.undo_loss
            self._project.runner.call(loss, plan_id, then=self._show, failed=self._failed)

    def keep(self) -> None:
        """Take the question away; nothing was changed."""
        self._show(None)

    def discard(self) -> None:
        """Free what the question is about."""
        if self.asked is None or self._guards.can(Action.DISCARD_UNDO):
            return
        plan = self.asked.plan
        self._show(None)
        call = partial(self._project.reviewer.discard_undo, plan.id)
        self._project.runner.call(call, then=self._done, failed=self._failed)

    def _show(self, loss: UndoLoss | None) -> None:
        self.asked = loss
        if loss is not None:
            # The second press of a double click must not answer.
            self._guards.dead_time.begin(surprise())
        self.changed.emit()

    def _done(self, loss: UndoLoss) -> None:
        sentence = self.tr("“{title}” can't be rolled back any more.")
        self._project.happened.emit(Happening(say(sentence, title=show_name(loss.plan.title))))
        self._queue.reload()

    def _failed(self, error: StudioError) -> None:
        self._project.report(error)
        self._queue.reload()
