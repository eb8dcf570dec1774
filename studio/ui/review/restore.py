"""Controllers of snapshots: list, create, delete, restore; revert of observed changes."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from contextlib import contextmanager
from functools import cached_property, partial
from typing import TYPE_CHECKING, Protocol

from msgspec import field
from PySide6.QtCore import QObject, Signal

from studio import engine
from studio.engine import Plan
from studio.errors import NotFound, StudioError
from studio.names import show_name
from studio.ui.actions.action import Action
from studio.ui.language import translator
from studio.ui.look import words
from studio.ui.look.words import counted, files, say
from studio.ui.review.guards import OWN_CHANGE_SECONDS, foreign_change_seconds
from studio.ui.review.state import StatusMessage
from studio.values import Value

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from studio.engine import ObservedChange, Step
    from studio.extras.snapshots import DiskUse, RestorePreview, SnapshotRecord, Snapshots
    from studio.ui.review.apply import Recovery
    from studio.ui.review.guards import Guards
    from studio.ui.review.project import Project
    from studio.ui.review.queue import Queue
    from studio.ui.review.rollback import Rollback
    from studio.workspace import Reviewer, Workspace

_tr = translator("Restore")


_PROGRESS_PAUSE = 0.1
"""Seconds between two progress reports."""

Listed = tuple[tuple["SnapshotRecord", ...], "DiskUse"]


class Stopped(Exception):
    """Raised when the user stops the reading, or the project closes."""


class Reading:
    """Stoppable long read of the project's files.

    `report` gets the share done, on the reading thread.
    """

    def __init__(self, report: Callable[[float], object]) -> None:
        self._report = report
        self._last_report = 0.0
        self.stop = threading.Event()

    def progress(self, done: int, total: int) -> None:
        """Report progress before each file; raise `Stopped` once stopped."""
        if self.stop.is_set():
            raise Stopped
        now = time.monotonic()
        if now - self._last_report >= _PROGRESS_PAUSE:
            self._last_report = now
            self._report(done / total if total else 1.0)


class SnapshotList(QObject):
    """Snapshot list, the snapshot being made, and the delete prompt."""

    changed = Signal()
    """The list, the snapshot being made or the prompt changed."""
    progressed = Signal()

    def __init__(self, project: Project, queue: Queue, guards: Guards) -> None:
        super().__init__(project)
        self._project, self._queue, self._guards = project, queue, guards
        self.records: tuple[SnapshotRecord, ...] = ()
        """Snapshots, newest first."""
        self.use: DiskUse | None = None
        self.prompt_snapshot: SnapshotRecord | None = None
        """The snapshot that the open prompt would delete."""
        self.reading: Reading | None = None
        """The running read for a new snapshot."""
        self.share = 0.0
        """Share read so far, 0.0 to 1.0."""
        project.closed.connect(self.stop)
        self.changed.connect(guards.allowed_changed)

    def read_list(self) -> None:
        """Read the list, but not while a snapshot is made.

        The list would have to wait for it.
        """
        if self.reading is None:
            self._project.ask_in_background(
                _read_list, self._project.workspace.snapshots, then=self._set_list
            )

    def create(self, tag: str) -> None:
        """Create a snapshot of the whole project."""
        if self._guards.can(Action.NEW_SNAPSHOT):
            return
        runner = self._project.runner
        self.reading = Reading(lambda share: runner.post(self._set_share, share))
        self.share = 0.0
        self.changed.emit()
        self._project.ask_in_background(
            _create_snapshot, self._project.workspace.snapshots, tag.strip(), self.reading,
            then=self._report_created, failed=self._report_not_created,
        )  # fmt: skip

    def stop(self) -> None:
        """Stop making the snapshot.

        What it stored so far is removed later.
        """
        if self.reading is not None:
            self.reading.stop.set()

    def ask_to_delete(self, snapshot_id: str) -> None:
        """Open the delete prompt; nothing is changed."""
        if not self._guards.can(Action.PREVIEW_RESTORE):
            found = next((record for record in self.records if record.id == snapshot_id), None)
            self._show_prompt(found)

    def close_prompt(self) -> None:
        """Close the prompt; nothing was changed."""
        self._show_prompt(None)

    def delete(self) -> None:
        """Delete the snapshot of the prompt."""
        if self.prompt_snapshot is None or self._guards.can(Action.DELETE_SNAPSHOT):
            return
        record = self.prompt_snapshot
        self._show_prompt(None)
        delete = partial(self._project.reviewer.snapshots.delete, [record.id])
        self._project.ask_in_background(
            delete, then=partial(self._report_deleted, record), failed=self._report_failure
        )

    def _show_prompt(self, record: SnapshotRecord | None) -> None:
        self.prompt_snapshot = record
        if record is not None:
            # The second click of a double click must not answer.
            self._guards.dead_time.begin(foreign_change_seconds())
        self.changed.emit()

    def _set_list(self, listed: Listed) -> None:
        records, self.use = listed
        self.records = records[::-1]
        if self.prompt_snapshot is not None and self.prompt_snapshot not in self.records:
            self.prompt_snapshot = None
        self.changed.emit()

    def _set_share(self, share: float) -> None:
        self.share = share
        self.progressed.emit()

    def _report_created(self, record: SnapshotRecord | None) -> None:
        self.reading = None
        if record is None:
            self._project.report_status(self.tr("The snapshot was cancelled. Nothing was stored."))
        else:
            amounts = {"files": words.files(record.files), "size": words.size(record.bytes)}
            message = self.tr("Created snapshot “{name}” ({files}, {size}).")
            self._project.report_status(say(message, name=show_name(record.name), **amounts))
        self.changed.emit()
        self.read_list()

    def _report_not_created(self, error: StudioError) -> None:
        self.reading = None
        self.changed.emit()
        self._report_failure(error)

    def _report_deleted(self, record: SnapshotRecord, freed: int) -> None:
        message = say(self.tr("Deleted snapshot “{name}”."), name=show_name(record.name))
        self._project.report_status(message, hint=say(self.tr("Freed {size}."), size=words.size(freed)))
        self.read_list()

    def _report_failure(self, error: StudioError) -> None:
        self._project.report(error)
        self.read_list()


def _read_list(snapshots: Snapshots) -> Listed:
    return snapshots.all(), snapshots.disk_use()


def _create_snapshot(snapshots: Snapshots, tag: str, reading: Reading) -> SnapshotRecord | None:
    """Create a snapshot; return None if it was stopped."""
    try:
        return snapshots.create(tag, progress=reading.progress)
    except Stopped:
        return None


class Restore(QObject):
    """Restore with preview, one at a time, carried out whole or not."""

    changed = Signal()
    """The preview, or the reading for one, changed."""
    progressed = Signal()

    def __init__(
        self, project: Project, queue: Queue, guards: Guards, recovery: Recovery, rollback: Rollback
    ) -> None:
        super().__init__(project)
        self._project, self._queue, self._guards = project, queue, guards
        self._recovery, self._rollback = recovery, rollback
        self.preview: RestorePreview | None = None
        self.restore_source: RestoreSource | None = None
        """What would be restored."""
        self.reading: Reading | None = None
        """The running read of the project for a preview."""
        self.share = 0.0
        self._is_refreshing = self._is_outdated = False
        project.closed.connect(self.stop)
        queue.previews_close_requested.connect(self.cancel)
        queue.tree_changed.connect(self._refresh_preview)
        # A snapshot may be deleted, or an observed change be another one by now.
        queue.store_changed.connect(self._refresh_preview)
        rollback.changed.connect(self._close_for_rollback)
        self.changed.connect(guards.allowed_changed)

    @property
    def refusal(self) -> str:
        """Why the previewed restore would be refused, "" if it would not."""
        error = self.preview.refusal if self.preview is not None else None
        return error.message if error is not None else ""

    def show(self, record: SnapshotRecord) -> None:
        """Preview the restore of a snapshot; writes nothing."""
        if not self._guards.can(Action.PREVIEW_RESTORE):
            self._request_preview(SnapshotReturn(record))

    def show_revert(self, restore_source: ObservedReturn) -> None:
        """Preview the revert of observed changes; writes nothing."""
        if not self._guards.can(Action.PREVIEW_REVERT):
            self._request_preview(restore_source)

    def _request_preview(self, restore_source: RestoreSource) -> None:
        runner = self._project.runner
        self.reading = Reading(lambda share: runner.post(self._set_share, share))
        self.share = 0.0
        self.changed.emit()
        self._project.ask_in_background(
            _read_preview, self._project.workspace, restore_source, self.reading,
            then=partial(self._show_preview, restore_source), failed=self._report_read_error,
        )  # fmt: skip

    def stop(self) -> None:
        """Stop reading the project; no preview follows."""
        if self.reading is not None:
            self.reading.stop.set()

    def carry_out(self) -> None:
        """Carry out the whole preview."""
        preview, restore_source = self.preview, self.restore_source
        if preview is None or restore_source is None or self._guards.can(Action.RESTORE):
            return
        self._guards.set_busy(restore_source.busy)
        self._project.runner.call(
            restore_source.carry_out, self._project.reviewer, preview,
            then=partial(self._finish, restore_source), failed=self._report_write_error,
        )  # fmt: skip

    def cancel(self) -> None:
        """Close the preview, if any; nothing was written."""
        if self.preview is not None:
            self._set_preview(None, None)

    def _set_preview(self, restore_source: RestoreSource | None, preview: RestorePreview | None) -> None:
        self.restore_source, self.preview = restore_source, preview
        self._guards.dead_time.begin(OWN_CHANGE_SECONDS)
        self.changed.emit()

    def _close_for_rollback(self) -> None:
        """Close the preview when another one opens: only one is shown."""
        if self._rollback.preview is not None:
            self.cancel()

    def _set_share(self, share: float) -> None:
        self.share = share
        self.progressed.emit()

    def _show_preview(self, restore_source: RestoreSource, preview: RestorePreview | None) -> None:
        self.reading = None
        if preview is None:
            self.changed.emit()
            return
        self._rollback.cancel()
        self._set_preview(restore_source, preview)

    def _report_read_error(self, error: StudioError) -> None:
        self.reading = None
        self.changed.emit()
        self._project.report(error)

    def report_unreadable(self, error: StudioError) -> None:
        """Report an unreadable path of the preview, and update the preview."""
        self._project.report(error)
        self._refresh_preview()

    def _refresh_preview(self) -> None:
        """Update the preview after a change of files or store.

        What is shown must be what would happen.
        """
        if self.preview is None or self.restore_source is None or self._guards.busy:
            return
        if self._is_refreshing:
            self._is_outdated = True
            return
        self._is_refreshing, self._is_outdated = True, False
        self._project.ask_in_background(
            self.restore_source.read_preview, self._project.workspace, None,
            then=partial(self._update_preview, self.restore_source), failed=self._close_void,
        )  # fmt: skip

    def _update_preview(self, restore_source: RestoreSource, preview: RestorePreview) -> None:
        self._is_refreshing = False
        if self.preview is None or self.restore_source != restore_source:
            return
        if _shown_content(self.preview) != _shown_content(preview):
            self._set_preview(restore_source, preview)
            self._guards.dead_time.begin(foreign_change_seconds())
        if self._is_outdated:
            self._refresh_preview()

    def _close_void(self, error: StudioError) -> None:
        self._is_refreshing = False
        if self.preview is not None:
            self._set_preview(None, None)
            self._project.report(error)

    def _report_write_error(self, error: StudioError) -> None:
        self._recovery.write_failed(error)
        self._refresh_preview()

    def _finish(self, restore_source: RestoreSource, plan: Plan) -> None:
        self._guards.set_busy("")
        self._set_preview(None, None)
        message = restore_source.done(len(plan.steps))
        self._queue.note_written(plan)
        self._project.status_reported.emit(StatusMessage(message, undo=plan.id))
        self._queue.disk_changed()


def _read_preview(
    workspace: Workspace, restore_source: RestoreSource, reading: Reading
) -> RestorePreview | None:
    """Return the preview of a restore, None if reading was stopped."""
    try:
        return restore_source.read_preview(workspace, reading.progress)
    except Stopped:
        return None


def _shown_content(preview: RestorePreview) -> tuple[object, ...]:
    """Return what the preview shows; its steps are new each time."""
    refusal = preview.refusal.message if preview.refusal is not None else ""
    return preview.fingerprint, preview.unplanned, dict(preview.left_out), refusal


# What a preview restores: a whole snapshot, or what observed changes removed.

Sides = tuple[bytes | None, bytes | None, str | None]
"""Current and restored content; the project's encoding for the path."""


class RestoreSource(Protocol):
    """Something to restore, with its words in the window.

    The engine previews it and carries it out, on another thread.
    """

    @property
    def title(self) -> str: ...

    @property
    def busy(self) -> str: ...

    @property
    def after(self) -> str:
        """Label of the right side of the diff."""
        ...

    def button(self, count: int) -> str:
        """Return the text of the button that writes this many paths."""
        ...

    def done(self, count: int) -> str:
        """Return the status message of a finished restore."""
        ...

    def read_preview(
        self, workspace: Workspace, progress: Callable[[int, int], None] | None
    ) -> RestorePreview: ...

    def carry_out(self, reviewer: Reviewer, preview: RestorePreview) -> Plan: ...

    def sides(self, workspace: Workspace, preview: RestorePreview, step: Step) -> Sides: ...


class SnapshotReturn(Value):
    """Restore of a whole project state."""

    record: SnapshotRecord

    @property
    def title(self) -> str:
        return say(_tr("Restore “{name}”"), name=show_name(self.record.name))

    @property
    def busy(self) -> str:
        return say(_tr("Restoring “{name}”…"), name=show_name(self.record.name))

    @property
    def after(self) -> str:
        return _tr("After restore")

    def button(self, count: int) -> str:
        return counted(count, _tr("Restore {n} file"), _tr("Restore {n} files")) if count else _tr("Restore")

    def done(self, count: int) -> str:
        return say(
            _tr("Restored {files} from “{name}”."), name=show_name(self.record.name), files=files(count)
        )

    def read_preview(
        self, workspace: Workspace, progress: Callable[[int, int], None] | None
    ) -> RestorePreview:
        with self._report_deletion():
            return workspace.snapshots.preview(self.record.id, progress=progress)

    def carry_out(self, reviewer: Reviewer, preview: RestorePreview) -> Plan:
        with self._report_deletion():
            return reviewer.snapshots.restore(self.record.id, shown=preview.fingerprint)

    @contextmanager
    def _report_deletion(self) -> Generator[None]:
        """Report a deleted snapshot by its name, not its id."""
        try:
            yield
        except NotFound as error:
            raise NotFound(
                error.code,
                say(
                    _tr("Snapshot “{name}” no longer exists. Nothing was restored."),
                    name=show_name(self.record.name),
                ),
                _tr("Choose another snapshot."),
            ) from error

    def sides(self, workspace: Workspace, preview: RestorePreview, step: Step) -> Sides:
        try:
            found = workspace.snapshots.sides(preview, step.path)
        except StudioError:
            with self._report_deletion():
                workspace.snapshots.find(self.record.id)
            raise
        return found.now, found.after, found.setting


class ObservedReturn(Value, dict=True):
    """Revert of observed changes; `choices` limits some to hunks (from 1)."""

    changes: tuple[ObservedChange, ...]
    choices: Mapping[str, frozenset[int]] = field(default_factory=dict[str, frozenset[int]])

    @property
    def title(self) -> str:
        if len(self.changes) == 1:
            name = show_name(self.changes[0].target)
            words = _tr("Revert part of {file}") if self.choices else _tr("Revert {file}")
            return say(words, file=name)
        return counted(len(self.changes), _tr("Revert {n} outside change"), _tr("Revert {n} outside changes"))

    @property
    def busy(self) -> str:
        return _tr("Reverting outside changes…")

    @property
    def after(self) -> str:
        return _tr("After revert")

    def button(self, count: int) -> str:
        return counted(count, _tr("Revert {n} file"), _tr("Revert {n} files")) if count else _tr("Revert")

    def done(self, count: int) -> str:
        return say(_tr("Reverted outside changes in {files}."), files=files(count))

    def read_preview(
        self, workspace: Workspace, progress: Callable[[int, int], None] | None
    ) -> RestorePreview:
        return workspace.observed.preview(self.changes, self.choices)

    def carry_out(self, reviewer: Reviewer, preview: RestorePreview) -> Plan:
        return reviewer.observed.revert(self.changes, self.choices)

    def sides(self, workspace: Workspace, preview: RestorePreview, step: Step) -> Sides:
        change = self._by_path.get(step.path)
        if change is None:
            return None, None, None
        contents = workspace.observed.contents(change)
        before, after, setting = contents.before, contents.after, contents.setting
        if change.id in self.choices and before is not None and after is not None:
            excluded = self.choices[change.id]
            hunks = engine.compute(before, after, setting=setting).hunks
            before = engine.choose(
                before, after, {hunk.number: hunk.number not in excluded for hunk in hunks}, setting
            )
        return after if step.base is not None else None, before if step.result is not None else None, setting

    @cached_property
    def _by_path(self) -> dict[str, ObservedChange]:
        return {path: change for change in self.changes for path in change.paths}
