"""Clipboard copies of agent replies, commit messages and typed text."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication

from studio.engine.names import show_name
from studio.engine.plan import Plan, StepState
from studio.ui.actions.action import Action
from studio.ui.desk.state import Tone
from studio.ui.desk.unsent import COMMENT, NOTE, REASON
from studio.ui.look.words import say

if TYPE_CHECKING:
    from studio.engine.history import CommitMessage, HistoryEntry
    from studio.ui.desk.edit_drafts import EditDrafts
    from studio.ui.desk.guards import Guards
    from studio.ui.desk.project import Project
    from studio.ui.desk.queue import Queue


class Reply(QObject):
    """Copier of replies, for agents that need them pasted."""

    def __init__(self, project: Project, queue: Queue, guards: Guards) -> None:
        super().__init__(project)
        self._project, self._queue, self._guards = project, queue, guards

    def copy(self) -> None:
        """Copy the reply about the current step or plan.

        Without a current plan, the reply about the plan applied last.
        """
        plan, step = self._queue.current_plan, self._queue.current_step
        if self._guards.can(Action.COPY_REPLY):
            return
        if plan is not None:
            self._request_reply(plan, None if step is None else [step.number])
        elif self.last_applied is not None:
            self._request_reply(self.last_applied)

    @property
    def last_applied(self) -> Plan | None:
        """The newest agent's plan in the history, None if there is none."""
        return next((entry.plan for entry in self._queue.history if entry.rolls_back is None), None)

    def copy_for_plan(self, plan_id: str) -> None:
        """Copy the reply about an applied plan."""
        plan = next((entry.plan for entry in self._queue.history if entry.plan.id == plan_id), None)
        if plan is not None:
            self._request_reply(plan)

    def _request_reply(self, plan: Plan, numbers: Sequence[int] | None = None) -> None:
        self._project.runner.call(
            self._project.workspace.proposer.reply, plan.id, numbers,
            then=partial(self._copy, plan), failed=self._project.report,
        )  # fmt: skip

    def _copy(self, plan: Plan, reply: str) -> None:
        QGuiApplication.clipboard().setText(reply)
        agent = show_name(plan.agent) or self.tr("the agent")
        self._project.say(say(self.tr("Copied the reply for {agent}."), agent=agent), Tone.NEWS)


# Also where nothing can be decided about the plan any more.


class TypedCopy(QObject):
    """Copier of all texts the reviewer typed about a plan."""

    def __init__(self, project: Project, queue: Queue, edit_drafts: EditDrafts) -> None:
        super().__init__(project)
        self._project, self._queue, self._edit_drafts = project, queue, edit_drafts

    def texts(self) -> tuple[str, ...]:
        """Return every draft about the current plan, edited results included."""
        plan_id, unsent = self._queue.plan_id, self._project.unsent
        if plan_id is None:
            return ()
        found: list[str] = []
        for kind in (REASON, NOTE, COMMENT):
            keys = (key for key in unsent.every(kind) if key.plan_id == plan_id)
            found += [unsent.text(key) for key in sorted(keys, key=lambda at: (at.step, at.place))]
        found += self._edit_drafts.texts_of(plan_id)
        return tuple(text for text in found if text.strip())

    def copy(self) -> None:
        """Copy what was typed about the current plan."""
        texts = self.texts()
        if texts:
            QGuiApplication.clipboard().setText("\n\n".join(texts))
            self._project.say(self.tr("Copied what you typed."), Tone.NEWS)
        else:
            self._project.say(self.tr("Nothing that you typed about this plan is kept."), Tone.NEWS)


# The program makes no commits: content, branch, signature and hooks are the repository owner's decision.


class CommitMessages(QObject):
    """Copier of the commit message of an applied plan."""

    def __init__(self, project: Project, queue: Queue, guards: Guards) -> None:
        super().__init__(project)
        self._project, self._queue, self._guards = project, queue, guards

    @property
    def last(self) -> Plan | None:
        """The last applied plan with changes still on disk, or None."""
        return next((entry.plan for entry in self._queue.history if has_message(entry)), None)

    def copy(self) -> None:
        """Copy the commit message of the plan applied last."""
        plan = self.last
        if plan is not None and not self._guards.can(Action.COPY_MESSAGE):
            self.copy_for_plan(plan.id)

    def copy_for_plan(self, plan_id: str) -> None:
        """Copy the commit message of an applied plan."""
        self._project.runner.call(
            self._project.workspace.proposer.commit_message, plan_id,
            then=self._copy, failed=self._project.report,
        )  # fmt: skip

    def _copy(self, message: CommitMessage) -> None:
        QGuiApplication.clipboard().setText(message.text)
        self._project.say(self.tr("Copied the commit message. The commit is yours."), Tone.NEWS)


def has_message(entry: HistoryEntry) -> bool:
    """Return whether something the plan wrote is still applied."""
    return any(step.state is StepState.APPLIED for step in entry.plan.steps)
