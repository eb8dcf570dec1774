"""Apply of decided plans, with progress and stop."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from studio.engine.errors import StudioError
from studio.engine.names import show_name
from studio.engine.plan import Plan, PlanState, StepState
from studio.ui.actions.action import Action
from studio.ui.desk.state import StatusMessage, Tone
from studio.ui.look import words
from studio.ui.look.words import say

if TYPE_CHECKING:
    from studio.engine.reviewer import ApplyControl
    from studio.ui.desk.guards import Guards
    from studio.ui.desk.project import Project
    from studio.ui.desk.queue import Queue
    from studio.ui.desk.recovery import Recovery

_PROGRESS_PAUSE = 0.05
"""Seconds between two reports of an apply's progress."""

_DECIDED = (PlanState.APPROVED, PlanState.PAUSED)


class Apply(QObject):
    """Controller that applies the session's decided plans, one at a time."""

    def __init__(self, project: Project, queue: Queue, guards: Guards, recovery: Recovery) -> None:
        super().__init__(project)
        self._project, self._queue, self._guards = project, queue, guards
        self._recovery = recovery
        self.control: ApplyControl | None = None
        """Control to stop the running apply; None while none runs."""
        self._reported_at = 0.0

    @property
    def plans(self) -> tuple[Plan, ...]:
        """Decided plans of the session that the next apply writes, in order."""
        current = self._queue.current_plan
        if current is None or not _is_decided(current):
            return ()
        if current.session is None:
            return (current,)
        return tuple(
            plan for plan in self._queue.plans if plan.session == current.session and _is_decided(plan)
        )

    @property
    def has_waiting_agent(self) -> bool:
        """Whether an agent waits for the apply.

        An approval alone does not let it go on.
        """
        from studio.engine.proposer import SessionState

        sessions = (self._queue.sessions.get(plan.session or "") for plan in self.plans)
        return any(session is not None and session.state is SessionState.WAITING for session in sessions)

    def start(self) -> None:
        """Write every approved step of the session's decided plans.

        Each plan is written whole or not at all; a failure stops the plans after it.
        """
        plans = self.plans
        if plans and not self._guards.can(Action.APPLY):
            self._apply_first([plan.id for plan in plans], ())

    def stop(self) -> None:
        """Pause the apply while none of its files is written.

        The plan stays approved and can be resumed.
        """
        if self.control is not None and not self._guards.can(Action.STOP):
            self.control.pause.set()
            self._guards.set_busy(self.tr("Stopping…"))

    def _apply_first(self, plan_ids: Sequence[str], written: tuple[int, ...]) -> None:
        """Apply the first plan and queue the rest.

        `written` counts the files of each plan that the same click already applied.
        """
        from studio.engine.reviewer import ApplyControl

        first, *others = plan_ids
        plan = next((plan for plan in self._queue.plans if plan.id == first), None)
        total = len(plan.approved) if plan is not None else 0
        control = self.control = ApplyControl()
        self._guards.set_busy(say(self.tr("Applying {files}…"), files=words.files(total)))
        self._project.runner.call(
            partial(self._project.reviewer.apply, first, progress=self._forward_progress, control=control),
            then=partial(self._finish_plan, total, others, written),
            failed=self._report_failure,
        )

    def _forward_progress(self, done: int, total: int) -> None:
        """Forward progress from the engine thread, throttled."""
        now = time.monotonic()
        if done == total or now - self._reported_at > _PROGRESS_PAUSE:
            self._reported_at = now
            self._project.runner.post(self._show_progress, done, total)

    def _show_progress(self, done: int, total: int) -> None:
        if self._guards.busy and self.control is not None and not self.control.pause.is_set():
            sentence = self.tr("Applying {done} of {total}…")
            self._guards.set_busy(say(sentence, done=done, total=total), done / total if total else 0.0)

    def _finish_plan(self, total: int, others: Sequence[str], before: tuple[int, ...], plan: Plan) -> None:
        control, self.control = self.control, None
        self._guards.set_busy("")
        written = sum(step.state is StepState.APPLIED for step in plan.steps) or total
        if plan.state is PlanState.FAILED:
            sentence = say(self.tr("“{title}” was not applied."), title=show_name(plan.title))
            hint = " ".join(problem.message for problem in plan.problems)
            self._project.status_reported.emit(StatusMessage(sentence, Tone.BAD, hint))
        else:
            sentence = self.tr("Applied {files} of “{title}”.")
            if before:
                sentence = self.tr("Applied {files} of {n} plans of this session, “{title}” last.")
            counts = (*before, written)
            message = say(
                sentence, files=words.files(sum(counts)), title=show_name(plan.title), n=len(counts)
            )
            self._queue.note_written(plan.id, leaves=True)
            self._project.status_reported.emit(StatusMessage(message, undo=plan.id))
            is_stopped = control is not None and control.pause.is_set()
            if others and not is_stopped:
                self._apply_first(others, counts)
        self._queue.disk_changed()

    def _report_failure(self, error: StudioError) -> None:
        self.control = None
        self._recovery.write_failed(error)


def _is_decided(plan: Plan) -> bool:
    return plan.state in _DECIDED and bool(plan.approved)
