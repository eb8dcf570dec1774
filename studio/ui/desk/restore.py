"""Bringing back what was: previewed first, and carried out as it was shown."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from studio.engine.plan import Plan
from studio.ui.actions.action import Action
from studio.ui.desk.guards import OWN_MOVE, surprise
from studio.ui.desk.happening import Happening
from studio.ui.desk.returning import ObservedReturn, Returning, SnapshotReturn
from studio.ui.desk.snapshots import Reading, Stopped

if TYPE_CHECKING:
    from studio.engine.errors import StudioError
    from studio.engine.snapshots import RestorePreview, SnapshotRecord
    from studio.engine.workspace import Workspace
    from studio.ui.desk.guards import Guards
    from studio.ui.desk.project import Project
    from studio.ui.desk.queue import Queue
    from studio.ui.desk.recovery import Recovery
    from studio.ui.desk.rollback import Rollback


class Restore(QObject):
    """One restore at a time: what it would do to each path. All of it is done, or nothing."""

    changed = Signal()
    """Another preview, or none; or the project is being read for one."""
    progressed = Signal()

    def __init__(
        self, project: Project, queue: Queue, guards: Guards, recovery: Recovery, rollback: Rollback
    ) -> None:
        super().__init__(project)
        self._project, self._queue, self._guards = project, queue, guards
        self._recovery, self._rollback = recovery, rollback
        self.preview: RestorePreview | None = None
        self.returning: Returning | None = None
        """What would come back."""
        self.reading: Reading | None = None
        """What reads the project for a preview that the person waits for."""
        self.share = 0.0
        self._is_looking_again = self._is_outdated = False
        project.closed.connect(self.stop)
        queue.left.connect(self.cancel)
        queue.tree_changed.connect(self._look_again)
        # A snapshot may be deleted, or what was observed be another change by now.
        queue.store_changed.connect(self._look_again)
        rollback.changed.connect(self._make_room)
        self.changed.connect(guards.allowed_changed)

    @property
    def refusal(self) -> str:
        """Why what is shown would not be done, "" when it would."""
        refused = self.preview.refusal if self.preview is not None else None
        return refused.message if refused is not None else ""

    def show(self, record: SnapshotRecord) -> None:
        """Show what bringing a snapshot back would do; writes nothing."""
        if not self._guards.can(Action.PREVIEW_RESTORE):
            self._read(SnapshotReturn(record))

    def show_revert(self, returning: ObservedReturn) -> None:
        """Show what taking observed changes back would do; writes nothing."""
        if not self._guards.can(Action.PREVIEW_REVERT):
            self._read(returning)

    def _read(self, returning: Returning) -> None:
        runner = self._project.runner
        self.reading = Reading(lambda share: runner.post(self._progressed, share))
        self.share = 0.0
        self.changed.emit()
        self._project.ask_aside(
            _looked, self._project.workspace, returning, self.reading,
            then=partial(self._came, returning), failed=self._not_read,
        )  # fmt: skip

    def stop(self) -> None:
        """Stop reading the project; no preview comes."""
        if self.reading is not None:
            self.reading.stop.set()

    def carry_out(self) -> None:
        """Do what is shown, all of it."""
        preview, returning = self.preview, self.returning
        if preview is None or returning is None or self._guards.can(Action.RESTORE):
            return
        self._guards.set_busy(returning.busy)
        self._project.runner.call(
            returning.carry_out, self._project.reviewer, preview,
            then=partial(self._done, returning), failed=self._not_written,
        )  # fmt: skip

    def cancel(self) -> None:
        """Close the preview, where one is open; nothing was written."""
        if self.preview is not None:
            self._set(None, None)

    def _set(self, returning: Returning | None, preview: RestorePreview | None) -> None:
        self.returning, self.preview = returning, preview
        self._guards.dead_time.begin(OWN_MOVE)
        self.changed.emit()

    def _make_room(self) -> None:
        """One preview at a time stands in the middle."""
        if self._rollback.preview is not None:
            self.cancel()

    def _progressed(self, share: float) -> None:
        self.share = share
        self.progressed.emit()

    def _came(self, returning: Returning, preview: RestorePreview | None) -> None:
        self.reading = None
        if preview is None:
            self.changed.emit()
            return
        self._rollback.cancel()
        self._set(returning, preview)

    def _not_read(self, error: StudioError) -> None:
        self.reading = None
        self.changed.emit()
        self._project.report(error)

    def not_shown(self, error: StudioError) -> None:
        """A path of what is previewed can't be read: perhaps it is all gone by now."""
        self._project.report(error)
        self._look_again()

    def _look_again(self) -> None:
        """A file or the store may have changed: what is shown must be what would happen."""
        if self.preview is None or self.returning is None or self._guards.busy:
            return
        if self._is_looking_again:
            self._is_outdated = True
            return
        self._is_looking_again, self._is_outdated = True, False
        self._project.ask_aside(
            self.returning.look, self._project.workspace, None,
            then=partial(self._came_again, self.returning), failed=self._is_void,
        )  # fmt: skip

    def _came_again(self, returning: Returning, preview: RestorePreview) -> None:
        self._is_looking_again = False
        if self.preview is None or self.returning != returning:
            return
        if _says(self.preview) != _says(preview):
            self._set(returning, preview)
            self._guards.dead_time.begin(surprise())
        if self._is_outdated:
            self._look_again()

    def _is_void(self, error: StudioError) -> None:
        self._is_looking_again = False
        if self.preview is not None:
            self._set(None, None)
            self._project.report(error)

    def _not_written(self, error: StudioError) -> None:
        self._recovery.write_failed(error)
        self._look_again()

    def _done(self, returning: Returning, plan: Plan) -> None:
        self._guards.set_busy("")
        self._set(None, None)
        said = returning.done(len(plan.steps))
        self._queue.note_written(plan.id)
        self._project.happened.emit(Happening(said, undo=plan.id))
        self._queue.disk_changed()


def _looked(workspace: Workspace, returning: Returning, reading: Reading) -> RestorePreview | None:
    """What bringing it back would do, None where the reading was stopped."""
    try:
        return returning.look(workspace, reading.progress)
    except Stopped:
        return None


def _says(preview: RestorePreview) -> tuple[object, ...]:
    """What a preview tells a person; each has steps of its own."""
    refusal = preview.refusal.message if preview.refusal is not None else ""
    return preview.fingerprint, preview.unplanned, dict(preview.left_out), refusal
