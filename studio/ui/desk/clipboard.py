"""What goes to the clipboard: a reply to the agent, a commit message, typed text."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication

from studio.engine.names import show_name
from studio.engine.plan import Plan, StepState
from studio.ui.actions.action import Action
from studio.ui.desk.happening import Tone
from studio.ui.desk.unsent import COMMENT, NOTE, REASON
from studio.ui.look.words import say

if TYPE_CHECKING:
    from studio.engine.history import CommitMessage, HistoryEntry
    from studio.ui.desk.guards import Guards
    from studio.ui.desk.kept_text import KeptTexts
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


# What was typed about a plan, for the clipboard: also where nothing can be decided about it any more.


class TypedCopy(QObject):
    """Collects it from everywhere it is kept."""

    def __init__(self, project: Project, queue: Queue, kept: KeptTexts) -> None:
        super().__init__(project)
        self._project, self._queue, self._kept = project, queue, kept

    def texts(self) -> tuple[str, ...]:
        """Every text that was begun about the current plan, that of an editor too."""
        plan_id, unsent = self._queue.plan_id, self._project.unsent
        if plan_id is None:
            return ()
        found: list[str] = []
        for kind in (REASON, NOTE, COMMENT):
            places = (place for place in unsent.every(kind) if place.plan_id == plan_id)
            found += [unsent.text(place) for place in sorted(places, key=lambda at: (at.step, at.place))]
        found += self._kept.texts_of(plan_id)
        return tuple(text for text in found if text.strip())

    def copy(self) -> None:
        """Put what was typed about the current plan on the clipboard."""
        texts = self.texts()
        if texts:
            QGuiApplication.clipboard().setText("\n\n".join(texts))
            self._project.say(self.tr("Copied what you typed."), Tone.NEWS)
        else:
            self._project.say(self.tr("Nothing that you typed about this plan is kept."), Tone.NEWS)


# What a person may commit after an apply, for the clipboard; the commit is theirs (R57).


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
