"""Snapshots of the project: list, create and delete."""

from __future__ import annotations

import threading
import time
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from studio.engine.names import show_name
from studio.ui.actions.action import Action
from studio.ui.desk.guards import foreign_change_seconds
from studio.ui.look import words
from studio.ui.look.words import say

if TYPE_CHECKING:
    from collections.abc import Callable

    from studio.engine.errors import StudioError
    from studio.engine.snapshots import DiskUse, SnapshotRecord, Snapshots
    from studio.ui.desk.guards import Guards
    from studio.ui.desk.project import Project
    from studio.ui.desk.queue import Queue

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
        self.asked: SnapshotRecord | None = None
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

    def keep(self) -> None:
        """Close the prompt; nothing was changed."""
        self._show_prompt(None)

    def delete(self) -> None:
        """Delete the snapshot of the prompt."""
        if self.asked is None or self._guards.can(Action.DELETE_SNAPSHOT):
            return
        record = self.asked
        self._show_prompt(None)
        delete = partial(self._project.reviewer.snapshots.delete, [record.id])
        self._project.ask_in_background(
            delete, then=partial(self._report_deleted, record), failed=self._report_failure
        )

    def _show_prompt(self, record: SnapshotRecord | None) -> None:
        self.asked = record
        if record is not None:
            # The second click of a double click must not answer.
            self._guards.dead_time.begin(foreign_change_seconds())
        self.changed.emit()

    def _set_list(self, listed: Listed) -> None:
        records, self.use = listed
        self.records = records[::-1]
        if self.asked is not None and self.asked not in self.records:
            self.asked = None
        self.changed.emit()

    def _set_share(self, share: float) -> None:
        self.share = share
        self.progressed.emit()

    def _report_created(self, record: SnapshotRecord | None) -> None:
        self.reading = None
        if record is None:
            self._project.say(self.tr("No snapshot was made: you stopped it."))
        else:
            amounts = {"files": words.files(record.files), "size": words.size(record.bytes)}
            message = self.tr("Snapshot “{name}” was made: {files}, {size}.")
            self._project.say(say(message, name=show_name(record.name), **amounts))
        self.changed.emit()
        self.read_list()

    def _report_not_created(self, error: StudioError) -> None:
        self.reading = None
        self.changed.emit()
        self._report_failure(error)

    def _report_deleted(self, record: SnapshotRecord, freed: int) -> None:
        message = say(self.tr("Snapshot “{name}” is deleted."), name=show_name(record.name))
        self._project.say(message, hint=say(self.tr("{size} were freed."), size=words.size(freed)))
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
