"""Controller of file changes made outside plans: scan, list, keep, revert."""

from __future__ import annotations

import multiprocessing
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from studio.engine import Step, StepState
from studio.errors import StudioError
from studio.extras.observed.hints import EVERYTHING, Hints
from studio.journal.file_image import sha256
from studio.names import show_name
from studio.ui import review
from studio.ui.actions.action import Action
from studio.ui.limits import OBSERVED_COUNTED_UP_TO
from studio.ui.look.words import counted, say
from studio.ui.review.guards import OWN_CHANGE_SECONDS, foreign_change_seconds
from studio.ui.review.queue_state import diff_of
from studio.ui.review.restore import ObservedReturn
from studio.ui.review.state import StatusMessage, Tone
from studio.values import Value

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from studio.engine import FileDiff, ObservedChange
    from studio.extras.observed.observed import Observed
    from studio.ui.review.guards import Guards
    from studio.ui.review.project import Project
    from studio.ui.review.queue import Queue
    from studio.ui.review.restore import Restore
    from studio.ui.runner import Runner
    from studio.ui.scan_process import Asked, Said, ScanFailed

_RESCAN_MS = 250
_RETRY_MS = 30_000
_MAX_STARTS = 3
_STABLE_SECONDS = 60.0
"""A process that ran this long did not fail at its start."""
_MAX_SENT_CHARACTERS = 16_000
"""A longer message could block the window until the process reads it."""
THREAD = "scan process reader"
"""Name of the thread that reads the scan process's messages."""


class ScanClient(QObject):
    """Owner of the scan process, which gets paths to scan.

    Nothing here waits for the process.
    """

    failed = Signal(str, str)
    """Scans fail for a new reason: a sentence, and what to do."""
    changes_lost = Signal(str)
    """Changes that can't be reported, because the baseline is damaged or a file unreadable: a sentence, once.
    """
    scan_finished = Signal()
    full_scan_finished = Signal()
    """The full scan that the user asked for is done."""
    stopped = Signal()
    """The user stopped the first scan."""
    indexing_changed = Signal()
    why_changed = Signal()

    def __init__(self, runner: Runner, root: Path, parent: QObject) -> None:
        super().__init__(parent)
        self._runner = runner
        self._root = root
        self._hints = Hints()
        self._connection: Connection | None = None
        self._is_stopped = self._needs_full_scan = self._is_full_requested = False
        self.is_busy = False
        """Whether a requested scan was not answered yet."""
        self._start_count = 0
        self._started_at = 0.0
        self._unreadable = ""
        """What the last scan reported as unreadable."""
        self.why = ""
        """Why changes by others are not listed now, "" where they are."""
        self.index_progress: tuple[int, int] | None = None
        """Bytes read and total of the first scan; None where none runs, or not for long."""
        self.is_held = False
        """Whether the user stopped the first scan, which disables scanning."""
        self._pause_timer = QTimer(self, singleShot=True)
        self._pause_timer.timeout.connect(self._request_scan)
        self._start()

    def disk_changed(self, paths: Iterable[str]) -> None:
        """Scan these paths and below soon, everything if there are none."""
        for path in frozenset(paths) or (EVERYTHING,):
            self._hints.add(path)
        if self._needs_full_scan:
            self._needs_full_scan = False
            self._hints.add(EVERYTHING)
        self._request_scan()

    def rescan(self) -> None:
        """Scan everything now, even after a stop or a failure."""
        self.is_held, self._needs_full_scan, self._is_full_requested = False, False, True
        self._pause_timer.stop()
        self._hints.add(EVERYTHING)
        if self._connection is None and self._start_count >= _MAX_STARTS:
            self._start_count = 0
            self._start()
        self._request_scan()

    def stop_indexing(self) -> None:
        """Stop the first scan.

        Nothing is listed then until `rescan`.
        """
        if self.index_progress is not None and self._connection is not None:
            self._send(self._connection, review.scan_process.Stop())

    def stop(self) -> None:
        """Stop scanning; the process ends by itself."""
        self._is_stopped = True
        self._pause_timer.stop()
        connection, self._connection = self._connection, None
        if connection is not None:
            self._send(connection, None)

    def _start(self) -> None:
        self._start_count += 1
        self.is_busy = False
        threading.Thread(target=self._run_process, name=THREAD, daemon=True).start()

    def _run_process(self) -> None:
        """Run the process and forward its messages, on its own thread."""
        spawn = multiprocessing.get_context("spawn")
        connection, child_connection = spawn.Pipe()
        process = spawn.Process(
            target=review.scan_process.serve_scan_requests,
            args=(child_connection, self._root),
            name=THREAD,
            daemon=True,
        )
        try:
            process.start()
            child_connection.close()
            self._runner.post(self._set_connection, connection)
            while True:
                self._runner.post(self._handle_message, connection.recv())
        except (EOFError, OSError):
            self._runner.post(self._handle_exit, connection)
            process.join()
        finally:
            child_connection.close()

    def _set_connection(self, connection: Connection) -> None:
        if self._is_stopped:
            self._send(connection, None)
            return
        self._connection, self._started_at = connection, time.monotonic()
        self._hints.add(EVERYTHING)
        self._request_scan()

    def _request_scan(self) -> None:
        """Request one scan of all gathered paths, unless one is pending."""
        if self._connection is None or self.is_busy or self._pause_timer.isActive() or self.is_held:
            return
        paths = self._hints.drain()
        if paths is not None:
            self.is_busy = True
            if sum(map(len, paths)) > _MAX_SENT_CHARACTERS:
                paths = frozenset[str]()
            self._send(self._connection, paths)

    def _handle_message(self, message: Said) -> None:
        if self._is_stopped:
            return
        messages = review.scan_process
        progress = message if isinstance(message, messages.BaselineProgress) else None
        self.is_busy = progress is not None
        self._set_noting((progress.done, progress.total) if progress is not None else None)
        if isinstance(message, messages.ScanFailed):
            self._handle_failed_scan(message)
        elif isinstance(message, messages.ScanDone):
            self._handle_finished_scan(message.again)
            self._report_losses(message.loss, message.unread)
        elif progress is None:
            self.is_held = True
            self._set_why(self.tr("Outside changes are not listed because indexing was stopped."))
            self.stopped.emit()

    def _report_losses(self, loss: str, unread: str) -> None:
        is_news, self._unreadable = unread != self._unreadable, unread
        for sentence in (loss, unread if is_news else ""):
            if sentence:
                self.changes_lost.emit(sentence)

    def _handle_failed_scan(self, message: ScanFailed) -> None:
        # Not before something changes, else a failing scan would be repeated for ever.
        self._needs_full_scan = True
        self._pause_timer.start(_RETRY_MS)
        if message.message != self.why or self._is_full_requested:
            self.failed.emit(message.message, message.hint)
        self._is_full_requested = False
        self._set_why(message.message)

    def _handle_finished_scan(self, again: frozenset[str]) -> None:
        self._set_why("")
        if again:
            for path in again:
                self._hints.add(path)
            self._pause_timer.start(_RESCAN_MS)
        self._request_scan()
        self.scan_finished.emit()
        if self._is_full_requested and not self.is_busy:
            self._is_full_requested = False
            self.full_scan_finished.emit()

    def _set_noting(self, index_progress: tuple[int, int] | None) -> None:
        if index_progress != self.index_progress:
            self.index_progress = index_progress
            self.indexing_changed.emit()

    def _set_why(self, why: str) -> None:
        if why != self.why:
            self.why = why
            self.why_changed.emit()

    def _handle_exit(self, connection: Connection) -> None:
        """Restart the process after an unexpected end.

        After a few quick ends it stays off, and an error is reported.
        """
        connection.close()
        if self._is_stopped:
            return
        self._connection = None
        self._set_noting(None)
        if time.monotonic() - self._started_at >= _STABLE_SECONDS:
            self._start_count = 0
        if self._start_count < _MAX_STARTS:
            self._start()
            return
        why = self.tr("Outside changes are no longer listed because the scanner keeps stopping unexpectedly.")
        self._set_why(why)
        self.failed.emit(why, self.tr("To try again, choose View ▸ Scan for outside changes."))

    def _send(self, connection: Connection, request: Asked) -> None:
        try:
            connection.send(request)
        except OSError:
            return  # the process ended: its thread reports that


# The project's folder may be moved, deleted or unmounted while it is open.


class RootWatch(QObject):
    """Watch on the project's root folder, checked on each poll.

    While it is gone nothing can be decided.
    """

    changed = Signal()
    root_restored = Signal()
    """The folder is there again; watchers have to be restarted."""

    def __init__(self, project: Project, queue: Queue) -> None:
        super().__init__(project)
        self._project, self._queue = project, queue
        self.is_gone = False

    def check_root(self) -> None:
        """Check whether the path still names the folder that was opened."""
        self._project.runner.call(lambda: self._project.workspace.is_there, then=self._set_is_there)

    def _set_is_there(self, is_there: bool) -> None:
        if is_there is not self.is_gone:
            return
        self.is_gone = not is_there
        name = show_name(str(self._project.root_path))
        if self.is_gone:
            sentence = self.tr("{folder} was moved, deleted or unmounted.")
            hint = self.tr(
                "Restore the folder or open its new location. You can't decide on changes until then."
            )
            self._project.status_reported.emit(StatusMessage(say(sentence, folder=name), Tone.BAD, hint))
        else:
            self._project.status_reported.emit(
                StatusMessage(say(self.tr("{folder} is available again."), folder=name))
            )
            self.root_restored.emit()
            self._queue.disk_changed()
        self.changed.emit()


Lines = dict[str, tuple[int, int]]
"""Added and removed line counts by change revision."""


class ObservedRow(Value):
    """List row: one change, or all changes of a group.

    `key` is stable across readings.
    """

    key: str
    changes: tuple[ObservedChange, ...]

    @property
    def is_group(self) -> bool:
        return len(self.changes) > 1


class ObservedFile(Value):
    """One change ready for display.

    `is_other` is true where the disk holds something else by now.
    """

    change: ObservedChange
    step: Step
    diff: FileDiff | None = None
    before: bytes | None = None
    after: bytes | None = None
    setting: str | None = None
    is_other: bool = False


class _Listing(Value):
    """Open changes as read, their rows, and the rows that are new."""

    read: tuple[ObservedChange, ...] = ()
    rows: tuple[ObservedRow, ...] = ()
    news: tuple[ObservedRow, ...] = ()


class ObservedChanges(QObject):
    """Open changes, the row shown, and the prompt to keep all."""

    changed = Signal()
    """The list or the prompt changed."""
    shown_changed = Signal()
    """Another row is shown in the middle, or the same with other changes."""
    chosen_changed = Signal()
    """The excluded hunks changed."""
    indexing_changed = Signal()
    """The first scan has progressed or ended."""

    def __init__(self, project: Project, queue: Queue, guards: Guards, restore: Restore) -> None:
        super().__init__(project)
        self._project, self._guards, self._restore = project, guards, restore
        self._listing = _Listing()
        self.count = 0
        """Number of open changes."""
        self.lines: Lines = {}
        self.shown_row: ObservedRow | None = None
        """The row shown in the middle."""
        self.prompt_changes: tuple[ObservedChange, ...] = ()
        """The changes that the open prompt would keep."""
        self._excluded: dict[str, frozenset[int]] = {}
        self._scan_client: ScanClient | None = None
        self._is_reading = self._is_outdated = False
        queue.store_changed.connect(self.refresh)
        queue.previews_close_requested.connect(self.cancel)
        self.changed.connect(guards.allowed_changed)
        self.shown_changed.connect(guards.allowed_changed)

    @property
    def rows(self) -> tuple[ObservedRow, ...]:
        """The listed rows."""
        return self._listing.rows

    def follow(self, client: ScanClient) -> None:
        """Report the status of the scan process."""
        self._scan_client = client
        client.indexing_changed.connect(self.indexing_changed)
        client.indexing_changed.connect(self._guards.allowed_changed)
        client.why_changed.connect(self.changed)
        client.failed.connect(
            lambda message, hint: self._project.status_reported.emit(
                StatusMessage(message, Tone.WARNING, hint)
            )
        )
        client.changes_lost.connect(
            lambda message: self._project.status_reported.emit(StatusMessage(message, Tone.WARNING))
        )
        client.stopped.connect(self._report_stopped)
        client.full_scan_finished.connect(
            lambda: self._project.report_status(
                self.tr("Scanned the whole project. Outside changes are now listed.")
            )
        )

    @property
    def has_scan_client(self) -> bool:
        """Whether a scan process runs for this window."""
        return self._scan_client is not None

    @property
    def index_progress(self) -> tuple[int, int] | None:
        """Bytes read and total of the first scan; None without one."""
        return self._scan_client.index_progress if self._scan_client is not None else None

    @property
    def why_not(self) -> str:
        """Why changes by others are not listed, "" where they are."""
        return self._scan_client.why if self._scan_client is not None else ""

    def stop_indexing(self) -> None:
        """Stop the first scan; changes by others are not listed then."""
        if self._scan_client is not None:
            self._scan_client.stop_indexing()

    def rescan(self) -> None:
        """Start a full scan, the first or another one."""
        if self._scan_client is not None and not self._guards.can(Action.RESCAN_OBSERVED):
            self._scan_client.rescan()
            self._project.workspace.scan_all()

    def refresh(self) -> None:
        """Read the changed part of the list.

        Changes during a read cause another one.
        """
        self._is_outdated = self._is_reading
        if self._is_reading:
            return
        self._is_reading = True
        self._project.ask_in_background(
            _list_rows,
            self._project.workspace.observed,
            self._listing,
            then=self._set_listing,
            failed=self._report_read_error,
        )

    def show(self, key: str) -> None:
        """Show a row in the middle; nothing is decided."""
        self._show_row(next((row for row in self.rows if row.key == key), None))

    def cancel(self) -> None:
        """Close the row shown."""
        if self.shown_row is not None:
            self._show_row(None)

    def file_of(self, change: ObservedChange, then: Callable[[ObservedFile], object]) -> None:
        """Pass both sides of a change and their diff to `then`."""
        self._project.ask_in_background(_file_of, self._project.workspace.observed, change, then=then)

    def excluded_hunks(self, change: ObservedChange) -> frozenset[int]:
        """Return the hunks (from 1) excluded from a revert of this change.

        The empty set means the whole change.
        """
        return self._excluded.get(change.revision, frozenset())

    def toggle_hunk(self, change: ObservedChange, number: int) -> None:
        """Toggle the exclusion of a hunk; nothing is decided."""
        self._excluded[change.revision] = self.excluded_hunks(change) ^ {number}
        self.chosen_changed.emit()

    def keep(self, changes: Sequence[ObservedChange]) -> None:
        """Accept changes into the baseline; no project file is written."""
        if changes and not self._guards.can(Action.KEEP_OBSERVED):
            accept = partial(self._project.reviewer.observed.keep, tuple(changes))
            self._project.ask_in_background(accept, then=self._report_kept, failed=self._report_failure)

    def confirm_keep_all(self) -> None:
        """Open the prompt to keep all listed changes."""
        if not self._guards.can(Action.KEEP_ALL_OBSERVED):
            self.prompt_changes = tuple(change for row in self.rows for change in row.changes)
            # The second click of a double click must not answer.
            self._guards.dead_time.begin(foreign_change_seconds())
            self.changed.emit()

    def keep_prompted(self) -> None:
        """Keep the changes of the prompt, nothing that came since."""
        if self.prompt_changes and not self._guards.can(Action.KEEP_ALL_OBSERVED):
            changes = self.prompt_changes
            self.close_prompt()
            self.keep(changes)

    def close_prompt(self) -> None:
        """Close the prompt without keeping anything."""
        self.prompt_changes = ()
        self.changed.emit()

    def revert(self, changes: Sequence[ObservedChange]) -> None:
        """Preview the revert of changes.

        A single change's excluded hunks are not reverted.
        """
        choices = {}
        if len(changes) == 1 and (hunks := self.excluded_hunks(changes[0])):
            choices = {changes[0].id: hunks}
        if changes:
            self._restore.show_revert(ObservedReturn(tuple(changes), choices))

    def _show_row(self, row: ObservedRow | None) -> None:
        self.shown_row = row
        self._guards.dead_time.begin(OWN_CHANGE_SECONDS)
        self.shown_changed.emit()

    def _set_listing(self, listing: _Listing) -> None:
        self._is_reading = False
        rows, before = listing.rows, self._listing.rows
        self._listing = listing
        if rows is not before:
            self.count = len(listing.read)
            if self.prompt_changes:
                # The changes of the prompt may be others by now.
                self.prompt_changes = ()
            self._update_shown()
            self.changed.emit()
            uncounted = [row.changes[0] for row in listing.news if not row.is_group]
            uncounted = [each for each in uncounted if each.revision not in self.lines]
            if uncounted:
                self._count_lines(uncounted[:OBSERVED_COUNTED_UP_TO])
        if self._is_outdated:
            self.refresh()

    def _update_shown(self) -> None:
        """Update the row shown to the one listed now."""
        shown = self.shown_row
        if shown is None:
            return
        listed = next((row for row in self.rows if row.key == shown.key), None)
        if listed is not shown:
            self.shown_row = listed
            self._guards.dead_time.begin(foreign_change_seconds())
            self.shown_changed.emit()

    def _count_lines(self, changes: Sequence[ObservedChange]) -> None:
        self._project.ask_in_background(
            _line_counts, self._project.workspace.observed, changes, then=self._add_lines
        )

    def _add_lines(self, lines: Lines) -> None:
        self.lines = {**self.lines, **lines}
        self.changed.emit()

    def _report_stopped(self) -> None:
        self._project.status_reported.emit(
            StatusMessage(
                self.tr("The project was not indexed, so outside changes are not listed."),
                Tone.NEWS,
                self.tr("To index it later, choose View ▸ Scan for outside changes."),
            )
        )

    def _report_kept(self, changes: Sequence[ObservedChange]) -> None:
        message = counted(
            len(changes), self.tr("Kept the outside change to {file}."), self.tr("Kept {n} outside changes.")
        )
        self._project.report_status(say(message, file=show_name(changes[0].target)))
        self.refresh()

    def _report_read_error(self, error: StudioError) -> None:
        self._is_reading = False
        self._project.report(error)

    def _report_failure(self, error: StudioError) -> None:
        self._project.report(error)
        self.refresh()


def _list_rows(observed: Observed, before: _Listing) -> _Listing:
    """Return the new listing: a row per group or single change.

    Rows are in the order first seen. An unchanged row is the same object, and without changes so is the whole
    listing.
    """
    changes = observed.open()
    if changes is before.read:
        return before
    groups: dict[str, list[ObservedChange]] = {}
    for change in changes:
        key = f"group/{change.group.number}" if change.group is not None else change.id
        groups.setdefault(key, []).append(change)
    rows_before = {row.key: row for row in before.rows}
    rows: list[ObservedRow] = []
    news: list[ObservedRow] = []
    for key, members in groups.items():
        row = ObservedRow(key if len(members) > 1 else members[0].id, tuple(members))
        before_row = rows_before.get(row.key)
        if before_row is not None and before_row == row:
            row = before_row
        else:
            news.append(row)
        rows.append(row)
    is_same = not news and len(rows) == len(before.rows)
    return _Listing(changes, before.rows if is_same else tuple(rows), tuple(news))


def _line_counts(observed: Observed, changes: Sequence[ObservedChange]) -> Lines:
    """Return the line counts of changes that are still readable."""
    counts: Lines = {}
    for change in changes:
        try:
            file = _file_of(observed, change)
        except StudioError:
            continue
        if not file.is_other:
            diff = file.diff if not file.step.has_link_side else None
            counts[change.revision] = (diff.added, diff.removed) if diff is not None else (0, 0)
    return counts


def _file_of(observed: Observed, change: ObservedChange) -> ObservedFile:
    """Read both sides of a change and their diff.

    Slow for large files.
    """
    step = Step(
        1, change.id, change.op, change.path, change.to, StepState.PENDING, change.before, change.after
    )
    if change.is_before_unknown:
        return ObservedFile(change, step)
    contents = observed.contents(change)
    if _is_other(change, contents.after):
        return ObservedFile(change, step, is_other=True)
    diff = diff_of(contents.before, contents.after, contents.setting)
    return ObservedFile(change, step, diff, contents.before, contents.after, contents.setting)


def _is_other(change: ObservedChange, after: bytes | None) -> bool:
    """Return whether the bytes differ from those of the change."""
    image = change.after
    if image is None or image.is_folder:
        return after is not None
    return after is None or (not image.is_link and sha256(after) != image.sha256)
