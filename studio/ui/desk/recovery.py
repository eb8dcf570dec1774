"""An interrupted apply that could not be settled by itself, and a project folder that is another one.

A person says what comes next (design 5, promise 6).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from studio.engine.errors import StudioError, TimedOut
from studio.engine.plan import Plan
from studio.ui.desk.happening import Happening, Tone
from studio.ui.look.words import counted

if TYPE_CHECKING:
    from studio.engine.workspace import InterruptedFile, Workspace
    from studio.ui.desk.guards import Guards
    from studio.ui.desk.project import Project
    from studio.ui.desk.queue import Queue


@dataclass(frozen=True, slots=True)
class RecoveryNeed:
    """Why a person is asked. `is_same_folder` False: the folder is not the one the history belongs to."""

    is_same_folder: bool
    files: tuple[InterruptedFile, ...] = ()
    sentence: str = ""
    hint: str = ""


def read_need(workspace: Workspace) -> RecoveryNeed | None:
    """On the engine thread: try to settle what was interrupted; None where no person is needed."""
    if not workspace.is_same_folder:
        return RecoveryNeed(False, workspace.interrupted_files())
    if not workspace.needs_recovery:
        return None
    try:
        workspace.recover()
    except TimedOut:
        return None  # another process is writing: it is not interrupted
    except StudioError as error:
        return RecoveryNeed(True, workspace.interrupted_files(), error.message, error.hint)
    return None


class Recovery(QObject):
    """Asks the engine, at the start and after a write that failed, and carries out what the person says."""

    changed = Signal()

    def __init__(self, project: Project, queue: Queue, guards: Guards) -> None:
        super().__init__(project)
        self._project, self._queue, self._guards = project, queue, guards
        self.need: RecoveryNeed | None = None
        self.is_postponed = False
        """Whether the person has said "later"; it still waits."""
        self.is_busy = False

    def look(self) -> None:
        """Ask whether a person is needed."""
        self._project.runner.call(read_need, self._project.workspace, then=self.show, failed=self._failed)

    def settle(self) -> None:
        """Finish or undo what was interrupted; accepts the folder that is there now as the project."""
        if self.need is not None and not self.is_busy:
            self.is_busy = True
            self.changed.emit()
            self._project.runner.call(self._project.reviewer.recover, then=self._settled, failed=self._failed)

    def postpone(self) -> None:
        """Take the banner away until it is asked for; nothing can be written before it is settled."""
        self.is_postponed = True
        self.changed.emit()

    def ask_again(self) -> None:
        """Show again what was postponed."""
        self.is_postponed = False
        self.changed.emit()

    def show(self, need: RecoveryNeed | None) -> None:
        """Tell what has to be settled before anything can be written; None: nothing."""
        if need != self.need or self.is_postponed:
            self.need, self.is_postponed = need, False
            self.changed.emit()

    def write_failed(self, error: StudioError) -> None:
        """Nothing runs any more, and it was not written: say why, and look whether a person is needed."""
        self._guards.set_busy("")
        if error.code == "apply.paused":
            self._project.say(error.message, Tone.NEWS, error.hint)
        else:
            self._project.report(error)
        self.look()
        self._queue.disk_changed()

    def _settled(self, plans: tuple[Plan, ...]) -> None:
        self.is_busy = False
        self.need = None
        self.changed.emit()
        said = counted(
            len(plans), self.tr("Settled {n} interrupted apply."), self.tr("Settled {n} interrupted applies.")
        )
        if not plans:
            said = self.tr("This folder is the project from now on.")
        self._project.happened.emit(Happening(said))
        self._queue.disk_changed()

    def _failed(self, error: StudioError) -> None:
        self.is_busy = False
        self._project.happened.emit(Happening(error.message, Tone.BAD, error.hint))
        self.changed.emit()
