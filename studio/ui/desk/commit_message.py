"""What a person may commit after an apply, for the clipboard; the commit is theirs (R57)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication

from studio.engine.plan import Plan, StepState
from studio.ui.actions.action import Action
from studio.ui.desk.happening import Tone

if TYPE_CHECKING:
    from studio.engine.history import CommitMessage, HistoryEntry
    from studio.ui.desk.guards import Guards
    from studio.ui.desk.project import Project
    from studio.ui.desk.queue import Queue


class CommitMessages(QObject):
    """Asks the engine for the words about an applied plan that stands."""

    def __init__(self, project: Project, queue: Queue, guards: Guards) -> None:
        super().__init__(project)
        self._project, self._queue, self._guards = project, queue, guards

    @property
    def last(self) -> Plan | None:
        """The plan that was applied last and left something on disk, None where there is none."""
        return next((entry.plan for entry in self._queue.history if has_message(entry)), None)

    def copy(self) -> None:
        """Put the message about the plan that was applied last on the clipboard."""
        plan = self.last
        if plan is not None and not self._guards.can(Action.COPY_MESSAGE):
            self.copy_about(plan.id)

    def copy_about(self, plan_id: str) -> None:
        """Put the message about one applied plan on the clipboard."""
        self._project.runner.call(
            self._project.workspace.proposer.commit_message, plan_id,
            then=self._copy, failed=self._project.report,
        )  # fmt: skip

    def _copy(self, message: CommitMessage) -> None:
        QGuiApplication.clipboard().setText(message.text)
        self._project.say(self.tr("Copied the commit message. The commit is yours."), Tone.NEWS)


def has_message(entry: HistoryEntry) -> bool:
    """Whether something that the plan wrote is still there."""
    return any(step.state is StepState.APPLIED for step in entry.plan.steps)
