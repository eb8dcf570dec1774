"""Bringing back what was: previewed first, and carried out as it was shown."""

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
from studio.ui.desk.guards import OWN_MOVE, surprise
from studio.ui.desk.happening import Happening
from studio.ui.desk.snapshots import Reading, Stopped
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


# What a preview in the middle brings back: a whole snapshot, or what observed changes took away.

_tr = translator("Restore")

Sides = tuple[bytes | None, bytes | None, str | None]
"""What is there now and what would be there after; the project's encoding for the path."""


class Returning(Protocol):
    """Looked at and carried out by the engine, on another thread; the rest is what the window says of it."""

    @property
    def title(self) -> str: ...

    @property
    def busy(self) -> str: ...

    @property
    def after(self) -> str:
        """What the right side of the diff is."""
        ...

    def button(self, count: int) -> str:
        """What the button says that writes so many paths."""
        ...

    def done(self, count: int) -> str:
        """What is said once that is done."""
        ...

    def look(self, workspace: Workspace, progress: Callable[[int, int], None] | None) -> RestorePreview: ...

    def carry_out(self, reviewer: Reviewer, preview: RestorePreview) -> Plan: ...

    def sides(self, workspace: Workspace, preview: RestorePreview, step: Step) -> Sides: ...


@dataclass(frozen=True)
class SnapshotReturn:
    """A whole state of the project."""

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

    def look(self, workspace: Workspace, progress: Callable[[int, int], None] | None) -> RestorePreview:
        with self._told_if_deleted():
            return workspace.snapshots.preview(self.record.id, progress=progress)

    def carry_out(self, reviewer: Reviewer, preview: RestorePreview) -> Plan:
        with self._told_if_deleted():
            return reviewer.snapshots.restore(self.record.id, shown=preview.fingerprint)

    @contextmanager
    def _told_if_deleted(self) -> Generator[None]:
        """By its name, not by its id."""
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
            with self._told_if_deleted():
                workspace.snapshots.find(self.record.id)
            raise
        return found.now, found.after, found.setting


@dataclass(frozen=True)
class ObservedReturn:
    """What observed changes took away; of those that `choices` names only these hunks (from 1)."""

    changes: tuple[ObservedChange, ...]
    choices: Mapping[str, frozenset[int]] = field(default_factory=dict[str, frozenset[int]])

    @property
    def title(self) -> str:
        if len(self.changes) == 1:
            named = show_name(self.changes[0].target)
            words = _tr("Revert a part of {file}") if self.choices else _tr("Revert {file}")
            return say(words, file=named)
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

    def look(self, workspace: Workspace, progress: Callable[[int, int], None] | None) -> RestorePreview:
        return workspace.observed.preview(self.changes, self.choices)

    def carry_out(self, reviewer: Reviewer, preview: RestorePreview) -> Plan:
        return reviewer.observed.revert(self.changes, self.choices)

    def sides(self, workspace: Workspace, preview: RestorePreview, step: Step) -> Sides:
        from studio.engine.diff import choose, compute

        change = self._by_path.get(step.path)
        if change is None:
            return None, None, None
        found = workspace.observed.contents(change)
        before, after, setting = found.before, found.after, found.setting
        if change.id in self.choices and before is not None and after is not None:
            back = self.choices[change.id]
            hunks = compute(before, after, setting=setting).hunks
            before = choose(before, after, {hunk.number: hunk.number not in back for hunk in hunks}, setting)
        return after if step.base is not None else None, before if step.result is not None else None, setting

    @cached_property
    def _by_path(self) -> dict[str, ObservedChange]:
        return {path: change for change in self.changes for path in change.paths}
