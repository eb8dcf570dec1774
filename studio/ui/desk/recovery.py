"""Recovery of an interrupted apply, and of a replaced project folder.

The user decides what could not be settled alone: all approved steps of a plan are written, or none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from studio.engine.errors import StudioError, TimedOut
from studio.engine.plan import Plan
from studio.ui.desk.state import StatusMessage, Tone
from studio.ui.look.words import counted

if TYPE_CHECKING:
    from studio.engine.workspace import InterruptedFile, Workspace
    from studio.ui.desk.guards import Guards
    from studio.ui.desk.project import Project
    from studio.ui.desk.queue import Queue


@dataclass(frozen=True, slots=True)
class RecoveryNeed:
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
        return RecoveryNeed(True, workspace.interrupted_files(), error.message, error.hint)
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
            self._project.say(error.message, Tone.NEWS, error.hint)
        else:
            self._project.report(error)
        self.check()
        self._queue.disk_changed()

    def _finish_recovery(self, plans: tuple[Plan, ...]) -> None:
        self.is_busy = False
        self.need = None
        self.changed.emit()
        message = counted(
            len(plans), self.tr("Settled {n} interrupted apply."), self.tr("Settled {n} interrupted applies.")
        )
        if not plans:
            message = self.tr("This folder is the project from now on.")
        self._project.status_reported.emit(StatusMessage(message))
        self._queue.disk_changed()

    def _report_failure(self, error: StudioError) -> None:
        self.is_busy = False
        self._project.status_reported.emit(StatusMessage(error.message, Tone.BAD, error.hint))
        self.changed.emit()
