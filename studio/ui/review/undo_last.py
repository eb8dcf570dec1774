"""Undo of the last decision or file write; discarding of undo data.

It names what it would undo beforehand, so that no stray key undoes something else. That is the last decision
made in this window if it came after the last write, else that write. A write is undone without preview only
while the status bar shows it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from studio.names import show_name
from studio.ui.actions.action import Action
from studio.ui.limits import UNDONE_DECISIONS_UP_TO
from studio.ui.look import words
from studio.ui.look.words import counted, say
from studio.ui.review.guards import foreign_change_seconds
from studio.ui.review.state import RecentDecision, StatusMessage, Tone, take_back_words
from studio.values import Value

if TYPE_CHECKING:
    from studio.engine import HistoryEntry, Plan, RetentionReport, Step, UndoLoss
    from studio.errors import StudioError
    from studio.ui.review.guards import Guards
    from studio.ui.review.project import Project
    from studio.ui.review.queue import Queue
    from studio.ui.review.restore import Restore
    from studio.ui.review.rollback import Rollback


class UndoWords(Value):
    """Label and tooltip of *Undo last*.

    `key` identifies what it would undo: a click carries it. Where space is short `name`, a part of the label,
    is elided, then only the `verb` is shown.
    """

    key: str
    label: str
    tip: str
    verb: str
    name: str = ""


class UndoLast(QObject):
    """Decisions of this window since the last write, newest last."""

    def __init__(
        self,
        project: Project,
        queue: Queue,
        guards: Guards,
        *,
        take_back: Callable[[RecentDecision], object],
        undo_write: Callable[[HistoryEntry, bool], object],
    ) -> None:
        """Create it with the callbacks for both kinds of undo.

        `undo_write` gets the history entry, and whether to skip the preview.
        """
        super().__init__(project)
        self._undo_write = undo_write
        self._project, self._queue, self._guards = project, queue, guards
        self._take_back = take_back
        self._decisions: deque[RecentDecision] = deque(maxlen=UNDONE_DECISIONS_UP_TO)
        self._decided_after = ""

    def remember(self, decision: RecentDecision) -> None:
        """Remember a decision made in this window."""
        if self._decided_after != self.newest_write:
            self._decisions.clear()
        # Not compared by time: the clock may be set back.
        self._decided_after = self.newest_write
        self._decisions.append(decision)

    @property
    def decision(self) -> RecentDecision | None:
        """The decision to undo next, None for a write or nothing."""
        if not self._decisions or self._decided_after != self.newest_write:
            return None
        return next(
            (decision for decision in reversed(self._decisions) if self._is_in_effect(decision)), None
        )

    def words(self, message: StatusMessage | None) -> UndoWords:
        """Return what would be undone now; `message` is the status message."""
        decision = self.decision
        if decision is not None:
            steps = self._steps_in_effect(decision)
            label, name = take_back_words(decision.title, steps)
            tip = say(self.tr("{what}. This does not change any files."), what=label)
            which = (f"{step.number}:{decision.decisions[step.number].when.isoformat()}" for step in steps)
            key = f"{decision.plan_id}/{','.join(which)}"
            return UndoWords(key, label, tip, self.tr("Undo decision"), name)
        entry = self._entry
        if entry is None:
            label = self.tr("Undo last")
            return UndoWords("", label, self.tr("Undoes the last decision or apply."), label)
        label = self._write_words(entry)
        tip = (
            self.tr("{what}. If the files are unchanged, this writes them immediately.")
            if self.is_reported(entry, message)
            else self.tr("{what}. Previews what would be written.")
        )
        verb = self.tr("Redo") if entry.turn.is_redo else self.tr("Undo")
        name = show_name(entry.turn.title)
        return UndoWords(f"write/{entry.key}", label, say(tip, what=label), verb, name)

    def is_reported(self, entry: HistoryEntry, message: StatusMessage | None) -> bool:
        """Return whether the status message is about this write."""
        return message is not None and message.undo == entry.key

    def redoes(self, key: str) -> bool:
        """Return whether undoing that write redoes a rolled back plan."""
        entry = next((entry for entry in self._queue.history if entry.key == key), None)
        return entry is not None and entry.turn.is_redo

    def why_not(self) -> str:
        """Return why there is nothing to undo, "" where there is."""
        guards = self._guards
        if guards.busy:
            return say(self.tr("Wait for this to finish: {what}"), what=guards.busy)
        if guards.deciding:
            return self.tr("Saving your last decision…")
        if self.decision is not None:
            return ""
        if not self._queue.is_loaded:
            return self.tr("Loading plans…")
        if not self._queue.history:
            return self.tr("Nothing to undo yet.")
        if self.is_history_behind:
            return self.tr("Loading history…")
        if self.undoable is None:
            return self.tr("The undo data for the last plan is no longer stored.")
        return ""

    def why_not_write(self, key: str) -> str:
        """Return why the write in the status message can't be undone."""
        reason = self.why_not()
        entry = self._entry
        if reason or (entry is not None and entry.key == key and self.decision is None):
            return reason
        return self.tr("This is no longer the last change. Roll it back in History.")

    def why_not_decision(self, decision: RecentDecision) -> str:
        """Return why the decision in the status message can't be undone."""
        if not self._is_in_effect(decision):
            return self.tr("This decision has already been undone.")
        if self._guards.busy:
            return say(self.tr("Wait for this to finish: {what}"), what=self._guards.busy)
        return self.tr("Saving your last decision…") if self._guards.deciding else ""

    def take_back(self, decision: RecentDecision) -> None:
        """Void that decision and nothing else, whatever is on screen."""
        if not self.why_not_decision(decision):
            self._take_back(decision)

    def press(self, key: str, message: StatusMessage | None) -> None:
        """Undo what `key` names; if that changed, only report it."""
        if self._guards.can(Action.UNDO_LAST):
            return
        decision, entry = self.decision, self._entry
        if key != self.words(message).key:
            self._project.report_status(
                self.tr("The action to undo just changed, so nothing was undone. Check it and try again."),
                Tone.WARNING,
            )
        elif decision is not None:
            self._take_back(decision)
        elif entry is not None:
            self._undo_write(entry, self.is_reported(entry, message))

    @property
    def undoable(self) -> HistoryEntry | None:
        """The newest history entry that *Undo last* would roll back."""
        newest = next((entry for entry in self._queue.history if entry.rolled_back_by is None), None)
        return newest if newest is not None and newest.kept else None

    @property
    def is_history_behind(self) -> bool:
        """Whether the last write is not in the history yet.

        Then the newest entry is another one.
        """
        last_written = self._queue.last_write
        return bool(last_written) and last_written not in [entry.key for entry in self._queue.history]

    @property
    def newest_write(self) -> str:
        """Key of what was written last, "" where nothing was."""
        if self.is_history_behind:
            return self._queue.last_write
        history = self._queue.history
        return history[0].key if history else ""

    @property
    def _entry(self) -> HistoryEntry | None:
        return None if self.is_history_behind else self.undoable

    def _steps_in_effect(self, decision: RecentDecision) -> tuple[Step, ...]:
        """Return the steps whose decision still holds and can be undone."""
        plan = self._plan_of(decision)
        return decision.steps_in_effect(plan) if plan is not None else ()

    def _is_in_effect(self, decision: RecentDecision) -> bool:
        plan = self._plan_of(decision)
        return plan is not None and decision.is_in_effect(plan)

    def _plan_of(self, decision: RecentDecision) -> Plan | None:
        return next((plan for plan in self._queue.plans if plan.id == decision.plan_id), None)

    def _write_words(self, entry: HistoryEntry) -> str:
        redo, undo = self.tr("Redo “{title}” ({files})"), self.tr("Undo “{title}” ({files})")
        sentence = redo if entry.turn.is_redo else undo
        return say(sentence, files=words.files(entry.files), title=show_name(entry.turn.title))


# Undo is kept for a limited number of plans; what the next apply discards is named before.


class UndoExpiry(QObject):
    """The undo data that the next apply will discard.

    The next apply is the current plan while it is open, a rollback or restore while one is previewed, else
    any plan.
    """

    changed = Signal()

    def __init__(self, project: Project, queue: Queue, rollback: Rollback, restore: Restore) -> None:
        super().__init__(project)
        self._rollback, self._restore = rollback, restore
        self._project, self._queue = project, queue
        self._request_key: object = None
        self.report: RetentionReport | None = None
        for part in (rollback, restore):
            part.changed.connect(self._request_report)
        for signal in (queue.current_changed, queue.history_changed, queue.plans_changed):
            signal.connect(self._request_report)

    @property
    def sentence(self) -> str:
        """Warning for the status bar, "" where no undo is discarded."""
        if self.report is None:
            return ""
        if not self.report.due:
            return self.tr(
                "The next apply can't be undone because there is not enough space for its undo data"
            )
        first = self.report.due[-1]
        sentence = self.tr("The next apply will discard the undo data for “{title}”")
        more = len({undo.plan_id for undo in self.report.due}) - 1
        if more:
            sentence += counted(more, self.tr(" and {n} more plan"), self.tr(" and {n} more plans"))
        return say(sentence, title=show_name(first.title))

    def _request_report(self) -> None:
        plan = self._queue.current_plan
        next_plan = plan.id if plan is not None and plan.state.is_open else None
        is_rollback = self._rollback.preview is not None or self._restore.preview is not None
        key = (None if is_rollback else next_plan, is_rollback, self._queue.history)
        if key == self._request_key:
            return
        self._request_key = key
        self._project.read_undo_expiry(
            key[0], next_is_rollback=is_rollback, then=partial(self._set_report, key)
        )

    def _set_report(self, key: object, report: RetentionReport | None) -> None:
        if key == self._request_key and report != self.report:
            self.report = report
            self.changed.emit()


# Discarding frees the undo of one plan for good, after a prompt.


class UndoDiscard(QObject):
    """Prompt to discard a plan's undo, and the discarding."""

    changed = Signal()

    def __init__(self, project: Project, queue: Queue, guards: Guards) -> None:
        super().__init__(project)
        self._project, self._queue, self._guards = project, queue, guards
        self.prompt_loss: UndoLoss | None = None
        """What the open prompt would discard."""

    def open_prompt(self, plan_id: str) -> None:
        """Read what discarding would mean and open the prompt."""
        if not self._guards.can(Action.PREVIEW_ROLLBACK):
            loss = self._project.workspace.proposer.undo_loss
            self._project.runner.call(loss, plan_id, then=self._show_prompt, failed=self._report_failure)

    def close_prompt(self) -> None:
        """Close the prompt; nothing was changed."""
        self._show_prompt(None)

    def discard(self) -> None:
        """Discard the undo of the prompt."""
        if self.prompt_loss is None or self._guards.can(Action.DISCARD_UNDO):
            return
        plan = self.prompt_loss.plan
        self._show_prompt(None)
        call = partial(self._project.reviewer.discard_undo, plan.id)
        self._project.runner.call(call, then=self._report_discarded, failed=self._report_failure)

    def _show_prompt(self, loss: UndoLoss | None) -> None:
        self.prompt_loss = loss
        if loss is not None:
            # The second click of a double click must not answer.
            self._guards.dead_time.begin(foreign_change_seconds())
        self.changed.emit()

    def _report_discarded(self, loss: UndoLoss) -> None:
        sentence = self.tr("“{title}” can no longer be rolled back.")
        self._project.status_reported.emit(StatusMessage(say(sentence, title=show_name(loss.plan.title))))
        self._queue.reload()

    def _report_failure(self, error: StudioError) -> None:
        self._project.report(error)
        self._queue.reload()
