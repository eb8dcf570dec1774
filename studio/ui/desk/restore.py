"""Restore of snapshots and revert of observed changes, with preview."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, Signal

from studio.engine.errors import NotFound, StudioError
from studio.engine.names import show_name
from studio.engine.plan import Plan
from studio.ui.actions.action import Action
from studio.ui.desk.guards import OWN_CHANGE_SECONDS, foreign_change_seconds
from studio.ui.desk.snapshots import Reading, Stopped
from studio.ui.desk.state import StatusMessage
from studio.ui.language import translator
from studio.ui.look.words import counted, files, say

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from studio.engine.errors import StudioError
    from studio.engine.observed_change import ObservedChange
    from studio.engine.plan import Plan, Step
    from studio.engine.snapshots import RestorePreview, SnapshotRecord
    from studio.engine.workspace import Reviewer, Workspace
    from studio.ui.desk.guards import Guards
    from studio.ui.desk.project import Project
    from studio.ui.desk.queue import Queue
    from studio.ui.desk.recovery import Recovery
    from studio.ui.desk.rollback import Rollback


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
        queue.left.connect(self.cancel)
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
        self._queue.note_written(plan.id)
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

_tr = translator("Restore")

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


@dataclass(frozen=True)
class SnapshotReturn:
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
        return _tr("After restoring")

    def button(self, count: int) -> str:
        return counted(count, _tr("Restore {n} file"), _tr("Restore {n} files")) if count else _tr("Restore")

    def done(self, count: int) -> str:
        return say(_tr("Restored “{name}”: {files}."), name=show_name(self.record.name), files=files(count))

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
                    _tr("The snapshot “{name}” is not there any more. Nothing was restored."),
                    name=show_name(self.record.name),
                ),
                _tr("Choose another one."),
            ) from error

    def sides(self, workspace: Workspace, preview: RestorePreview, step: Step) -> Sides:
        try:
            found = workspace.snapshots.sides(preview, step.path)
        except StudioError:
            with self._report_deletion():
                workspace.snapshots.find(self.record.id)
            raise
        return found.now, found.after, found.setting


@dataclass(frozen=True)
class ObservedReturn:
    """Revert of observed changes; `choices` limits some to hunks (from 1)."""

    changes: tuple[ObservedChange, ...]
    choices: Mapping[str, frozenset[int]] = field(default_factory=dict[str, frozenset[int]])

    @property
    def title(self) -> str:
        if len(self.changes) == 1:
            name = show_name(self.changes[0].target)
            words = _tr("Revert a part of {file}") if self.choices else _tr("Revert {file}")
            return say(words, file=name)
        return counted(
            len(self.changes), _tr("Revert {n} observed change"), _tr("Revert {n} observed changes")
        )

    @property
    def busy(self) -> str:
        return _tr("Reverting what was observed…")

    @property
    def after(self) -> str:
        return _tr("After reverting")

    def button(self, count: int) -> str:
        return counted(count, _tr("Revert {n} file"), _tr("Revert {n} files")) if count else _tr("Revert")

    def done(self, count: int) -> str:
        return say(_tr("Reverted what was observed: {files}."), files=files(count))

    def read_preview(
        self, workspace: Workspace, progress: Callable[[int, int], None] | None
    ) -> RestorePreview:
        return workspace.observed.preview(self.changes, self.choices)

    def carry_out(self, reviewer: Reviewer, preview: RestorePreview) -> Plan:
        return reviewer.observed.revert(self.changes, self.choices)

    def sides(self, workspace: Workspace, preview: RestorePreview, step: Step) -> Sides:
        from studio.engine.diff import choose, compute

        change = self._by_path.get(step.path)
        if change is None:
            return None, None, None
        contents = workspace.observed.contents(change)
        before, after, setting = contents.before, contents.after, contents.setting
        if change.id in self.choices and before is not None and after is not None:
            excluded = self.choices[change.id]
            hunks = compute(before, after, setting=setting).hunks
            before = choose(
                before, after, {hunk.number: hunk.number not in excluded for hunk in hunks}, setting
            )
        return after if step.base is not None else None, before if step.result is not None else None, setting

    @cached_property
    def _by_path(self) -> dict[str, ObservedChange]:
        return {path: change for change in self.changes for path in change.paths}
