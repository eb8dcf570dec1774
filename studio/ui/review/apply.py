"""Controllers for applying decided plans to disk and recovering an interrupted apply."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from studio import engine
from studio.engine import Plan, PlanState
from studio.errors import StudioError, TimedOut
from studio.names import show_name
from studio.ui.actions.action import Action
from studio.ui.look import words
from studio.ui.look.words import counted, say
from studio.ui.review.state import StatusMessage, Tone
from studio.ui.runner import disk_full, is_disk_full, window_hint
from studio.values import Value

if TYPE_CHECKING:
    from studio.engine import ApplyControl
    from studio.ui.review.guards import Guards
    from studio.ui.review.project import Project
    from studio.ui.review.queue import Queue
    from studio.workspace import InterruptedFile, Workspace


class RecoveryNeed(Value):
    """Why the user is asked.

    `is_same_folder` is False where the history belongs to another folder.
    """

    is_same_folder: bool
    files: tuple[InterruptedFile, ...] = ()
    sentence: str = ""
    hint: str = ""


def read_need(workspace: Workspace) -> RecoveryNeed | None:
    """Try to recover; return what still needs the user, or None.

    Runs on the engine thread.
    """
    if not workspace.is_same_folder:
        return RecoveryNeed(False, workspace.interrupted_files())
    if not workspace.needs_recovery:
        return None
    try:
        workspace.recover()
    except TimedOut:
        return None  # another process is writing: nothing is interrupted
    except StudioError as error:
        return RecoveryNeed(True, workspace.interrupted_files(), error.message, window_hint(error))
    return None


class Recovery(QObject):
    """Recovery at startup and after failed writes."""

    changed = Signal()

    def __init__(self, project: Project, queue: Queue, guards: Guards) -> None:
        super().__init__(project)
        self._project, self._queue, self._guards = project, queue, guards
        self.need: RecoveryNeed | None = None
        self.is_postponed = False
        """Whether the user postponed it; it still waits."""
        self.is_busy = False

    def check(self) -> None:
        """Check whether the user is needed."""
        self._project.runner.call(
            read_need, self._project.workspace, then=self.show, failed=self._report_failure
        )

    def settle(self) -> None:
        """Finish or undo the interrupted apply.

        Accepts the folder that is there now as the project.
        """
        if self.need is not None and not self.is_busy:
            self.is_busy = True
            self.changed.emit()
            self._project.runner.call(
                self._project.reviewer.recover, then=self._finish_recovery, failed=self._report_failure
            )

    def postpone(self) -> None:
        """Hide the banner; nothing can be written before recovery."""
        self.is_postponed = True
        self.changed.emit()

    def ask_again(self) -> None:
        """Show the postponed banner again."""
        self.is_postponed = False
        self.changed.emit()

    def show(self, need: RecoveryNeed | None) -> None:
        """Show what has to be recovered before any write; None: nothing."""
        if need != self.need or self.is_postponed:
            self.need, self.is_postponed = need, False
            self.changed.emit()

    def write_failed(self, error: StudioError) -> None:
        """Report a failed write and check whether the user is needed."""
        self._guards.set_busy("")
        if error.code == "apply.paused":
            self._project.report_status(error.message, Tone.NEWS, error.hint)
        else:
            self._project.report(error)
        self.check()
        self._queue.disk_changed()

    def _finish_recovery(self, plans: tuple[Plan, ...]) -> None:
        self.is_busy = False
        self.need = None
        self.changed.emit()
        message = counted(
            len(plans),
            self.tr("Resolved {n} interrupted apply."),
            self.tr("Resolved {n} interrupted applies."),
        )
        if not plans:
            message = self.tr("This folder is now the project folder.")
        self._project.status_reported.emit(StatusMessage(message))
        self._queue.disk_changed()

    def _report_failure(self, error: StudioError) -> None:
        self.is_busy = False
        self._project.status_reported.emit(StatusMessage(error.message, Tone.BAD, error.hint))
        self.changed.emit()


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
        """The plans that the next apply writes, in order.

        They are the decided ones of the session, or the approved part of one that is not decided yet.
        """
        current = self._queue.current_plan
        if current is None or current.is_review or not (_is_decided(current) or _has_part(current)):
            return ()
        if current.session is None or _has_part(current):
            return (current,)
        return tuple(
            plan for plan in self._queue.plans if plan.session == current.session and _is_decided(plan)
        )

    @property
    def has_waiting_agent(self) -> bool:
        """Whether an agent waits for the apply.

        An approval alone does not let it go on.
        """
        sessions = (self._queue.sessions.get(plan.session or "") for plan in self.plans)
        return any(
            session is not None and session.state is engine.SessionState.WAITING for session in sessions
        )

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
        first, *others = plan_ids
        plan = next((plan for plan in self._queue.plans if plan.id == first), None)
        total = len(plan.approved) if plan is not None else 0
        control = self.control = engine.ApplyControl()
        self._guards.set_busy(say(self.tr("Applying {files}…"), files=words.files(total)))
        self._project.runner.call(
            partial(
                self._project.reviewer.apply,
                first,
                approved_only=plan is not None and _has_part(plan),
                seen=plan.approved_revisions if plan is not None else None,
                progress=self._forward_progress,
                control=control,
            ),
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
        written = len(plan.steps_of_part(len(plan.parts))) or total
        if plan.state is PlanState.FAILED:
            sentence = say(self.tr("“{title}” was not applied."), title=show_name(plan.title))
            hint = " ".join(problem.message for problem in plan.problems)
            if any(map(is_disk_full, plan.problems)):
                full = disk_full()
                sentence, hint = full.message, full.hint
            self._project.status_reported.emit(StatusMessage(sentence, Tone.BAD, hint))
        else:
            sentence = self.tr("Applied {files} from “{title}”.")
            waiting = sum(step.state.is_open for step in plan.steps)
            if waiting:
                sentence = counted(
                    waiting,
                    self.tr("Applied {files} from “{title}”. {n} step is still open."),
                    self.tr("Applied {files} from “{title}”. {n} steps are still open."),
                )
            if before:
                sentence = self.tr("Applied {files} from {n} plans in this session, ending with “{title}”.")
            counts = (*before, written)
            message = say(
                sentence, files=words.files(sum(counts)), title=show_name(plan.title), n=len(counts),
            )  # fmt: skip
            self._queue.note_written(plan, leaves=not waiting)
            self._project.status_reported.emit(StatusMessage(message, undo=plan.last_part_key))
            is_stopped = control is not None and control.pause.is_set()
            if others and not is_stopped:
                self._apply_first(others, counts)
        self._queue.disk_changed()

    def _report_failure(self, error: StudioError) -> None:
        self.control = None
        self._recovery.write_failed(error)


def _is_decided(plan: Plan) -> bool:
    return plan.state in _DECIDED and bool(plan.approved)


def _has_part(plan: Plan) -> bool:
    """Return whether steps are approved while others are undecided."""
    return plan.state is PlanState.PENDING and bool(plan.approved)
