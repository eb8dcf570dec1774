"""What an agent should know of what became of its plan, for the clipboard."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication

from studio.engine.names import show_name
from studio.engine.plan import Plan
from studio.ui.actions.action import Action
from studio.ui.desk.happening import Tone
from studio.ui.look.words import say

if TYPE_CHECKING:
    from studio.ui.desk.guards import Guards
    from studio.ui.desk.project import Project
    from studio.ui.desk.queue import Queue


class Reply(QObject):
    """Asks the engine for the words; an agent without a door of its own gets them pasted."""

    def __init__(self, project: Project, queue: Queue, guards: Guards) -> None:
        super().__init__(project)
        self._project, self._queue, self._guards = project, queue, guards

    def copy(self) -> None:
        """Put what the agent should know on the clipboard: about the current step or plan, and where none
        waits about the plan that was applied last."""
        plan, step = self._queue.current_plan, self._queue.current_step
        if self._guards.can(Action.COPY_REPLY):
            return
        if plan is not None:
            self._ask(plan, None if step is None else [step.number])
        elif self.last_applied is not None:
            self._ask(self.last_applied)

    @property
    def last_applied(self) -> Plan | None:
        """The newest plan of an agent in the history, None where there is none."""
        return next((entry.plan for entry in self._queue.history if entry.rolls_back is None), None)

    def copy_about(self, plan_id: str) -> None:
        """Put what the agent should know about an applied plan on the clipboard."""
        plan = next((entry.plan for entry in self._queue.history if entry.plan.id == plan_id), None)
        if plan is not None:
            self._ask(plan)

    def _ask(self, plan: Plan, numbers: Sequence[int] | None = None) -> None:
        self._project.runner.call(
            self._project.workspace.proposer.reply, plan.id, numbers,
            then=partial(self._copy, plan), failed=self._project.report,
        )  # fmt: skip

    def _copy(self, plan: Plan, reply: str) -> None:
        QGuiApplication.clipboard().setText(reply)
        agent = show_name(plan.agent) or self.tr("the agent")
        self._project.say(say(self.tr("Copied the reply for {agent}."), agent=agent), Tone.NEWS)
