"""Client of the process that scans the project for changes."""

from __future__ import annotations

import multiprocessing
import threading
import time
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from studio.engine.names import show_name
from studio.engine.observed.hints import EVERYTHING, Hints
from studio.ui.desk.state import StatusMessage, Tone
from studio.ui.look.words import say

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from studio.ui.desk.project import Project
    from studio.ui.desk.queue import Queue
    from studio.ui.runner import Runner
    from studio.ui.scan_process import Asked, Said, ScanFailed

_RESCAN_MS = 250
_RETRY_MS = 30_000
_MAX_STARTS = 3
_STABLE_SECONDS = 60.0
"""A process that ran this long did not fail at its start."""
_MAX_SENT_CHARACTERS = 16_000
"""A longer message could block the window until the process reads it."""
THREAD = "looking process"
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
            from studio.ui.scan_process import Stop

            self._send(self._connection, Stop())

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
        from studio.ui.scan_process import serve_scan_requests

        spawn = multiprocessing.get_context("spawn")
        connection, child_connection = spawn.Pipe()
        process = spawn.Process(
            target=serve_scan_requests, args=(child_connection, self._root), name=THREAD, daemon=True
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
        paths = self._hints.take()
        if paths is not None:
            self.is_busy = True
            if sum(map(len, paths)) > _MAX_SENT_CHARACTERS:
                paths = frozenset[str]()
            self._send(self._connection, paths)

    def _handle_message(self, message: Said) -> None:
        from studio.ui.scan_process import BaselineProgress, ScanDone, ScanFailed

        if self._is_stopped:
            return
        self.is_busy = isinstance(message, BaselineProgress)
        self._set_noting((message.done, message.total) if isinstance(message, BaselineProgress) else None)
        if isinstance(message, ScanFailed):
            self._handle_failed_scan(message)
        elif isinstance(message, ScanDone):
            self._handle_finished_scan(message.again)
            self._report_losses(message.loss, message.unread)
        elif not isinstance(message, BaselineProgress):
            self.is_held = True
            self._set_why(self.tr("Nothing is listed: noting how the project is was stopped."))
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
        why = self.tr(
            "Changes by others are not listed any more: what looks for them was ended again and again."
        )
        self._set_why(why)
        self.failed.emit(why, self.tr("Try again: View, Look for changes by others."))

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
            sentence = self.tr("{folder} is not there any more: it was moved, deleted or unmounted.")
            hint = self.tr("Put it back, or open it where it is now. Nothing is decided meanwhile.")
            self._project.status_reported.emit(StatusMessage(say(sentence, folder=name), Tone.BAD, hint))
        else:
            self._project.status_reported.emit(StatusMessage(say(self.tr("{folder} is back."), folder=name)))
            self.root_restored.emit()
            self._queue.disk_changed()
        self.changed.emit()
