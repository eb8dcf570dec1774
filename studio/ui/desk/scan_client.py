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
from studio.ui.desk.status_message import StatusMessage, Tone
from studio.ui.look.words import say

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from studio.ui.desk.project import Project
    from studio.ui.desk.queue import Queue
    from studio.ui.runner import Runner
    from studio.ui.scan_process import Asked, Said, ScanFailed

_AGAIN_MS = 250
_FAILED_MS = 30_000
_STARTS = 3
_LIVED_SECONDS = 60.0
"""A process that ran this long did not fail at its start."""
_SENT_CHARACTERS = 16_000
"""A longer message could block the window until the process reads it."""
THREAD = "looking process"
"""Name of the thread that reads the scan process's messages."""


class ScanClient(QObject):
    """Owner of the scan process, which gets paths to scan.

    Nothing here waits for the process.
    """

    failed = Signal(str, str)
    """Scans fail for a new reason: a sentence, and what to do."""
    untold = Signal(str)
    """Changes that can't be reported, because the baseline is damaged or a file unreadable: a sentence, once.
    """
    looked = Signal()
    answered = Signal()
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
        self._is_stopped = self._is_behind = self._is_asked = False
        self.is_busy = False
        """Whether a requested scan was not answered yet."""
        self._started = 0
        self._began = 0.0
        self._unread = ""
        """What the last scan reported as unreadable."""
        self.why = ""
        """Why changes by others are not listed now, "" where they are."""
        self.noting: tuple[int, int] | None = None
        """Bytes read and total of the first scan; None where none runs, or not for long."""
        self.is_held = False
        """Whether the user stopped the first scan, which disables scanning."""
        self._pause = QTimer(self, singleShot=True)
        self._pause.timeout.connect(self._feed)
        self._start()

    def disk_changed(self, paths: Iterable[str]) -> None:
        """Scan these paths and below soon, everything if there are none."""
        for path in frozenset(paths) or (EVERYTHING,):
            self._hints.add(path)
        if self._is_behind:
            self._is_behind = False
            self._hints.add(EVERYTHING)
        self._feed()

    def rescan(self) -> None:
        """Scan everything now, even after a stop or a failure."""
        self.is_held, self._is_behind, self._is_asked = False, False, True
        self._pause.stop()
        self._hints.add(EVERYTHING)
        if self._connection is None and self._started >= _STARTS:
            self._started = 0
            self._start()
        self._feed()

    def stop_indexing(self) -> None:
        """Stop the first scan.

        Nothing is listed then until `rescan`.
        """
        if self.noting is not None and self._connection is not None:
            from studio.ui.scan_process import Stop

            self._tell(self._connection, Stop())

    def stop(self) -> None:
        """Stop scanning; the process ends by itself."""
        self._is_stopped = True
        self._pause.stop()
        connection, self._connection = self._connection, None
        if connection is not None:
            self._tell(connection, None)

    def _start(self) -> None:
        self._started += 1
        self.is_busy = False
        threading.Thread(target=self._hear, name=THREAD, daemon=True).start()

    def _hear(self) -> None:
        """Run the process and forward its messages, on its own thread."""
        from studio.ui.scan_process import look_for

        spawn = multiprocessing.get_context("spawn")
        ours, theirs = spawn.Pipe()
        process = spawn.Process(target=look_for, args=(theirs, self._root), name=THREAD, daemon=True)
        try:
            process.start()
            theirs.close()
            self._runner.post(self._begun, ours)
            while True:
                self._runner.post(self._heard, ours.recv())
        except (EOFError, OSError):
            self._runner.post(self._gone, ours)
            process.join()
        finally:
            theirs.close()

    def _begun(self, connection: Connection) -> None:
        if self._is_stopped:
            self._tell(connection, None)
            return
        self._connection, self._began = connection, time.monotonic()
        self._hints.add(EVERYTHING)
        self._feed()

    def _feed(self) -> None:
        """Request one scan of all gathered paths, unless one is pending."""
        if self._connection is None or self.is_busy or self._pause.isActive() or self.is_held:
            return
        paths = self._hints.take()
        if paths is not None:
            self.is_busy = True
            if sum(map(len, paths)) > _SENT_CHARACTERS:
                paths = frozenset[str]()
            self._tell(self._connection, paths)

    def _heard(self, said: Said) -> None:
        from studio.ui.scan_process import BaselineProgress, ScanDone, ScanFailed

        if self._is_stopped:
            return
        self.is_busy = isinstance(said, BaselineProgress)
        self._set_noting((said.done, said.total) if isinstance(said, BaselineProgress) else None)
        if isinstance(said, ScanFailed):
            self._not_looked(said)
        elif isinstance(said, ScanDone):
            self._has_looked(said.again)
            self._tell_untold(said.loss, said.unread)
        elif not isinstance(said, BaselineProgress):
            self.is_held = True
            self._set_why(self.tr("Nothing is listed: noting how the project is was stopped."))
            self.stopped.emit()

    def _tell_untold(self, loss: str, unread: str) -> None:
        is_news, self._unread = unread != self._unread, unread
        for sentence in (loss, unread if is_news else ""):
            if sentence:
                self.untold.emit(sentence)

    def _not_looked(self, said: ScanFailed) -> None:
        # Not before something changes, else a failing scan would be repeated for ever.
        self._is_behind = True
        self._pause.start(_FAILED_MS)
        if said.message != self.why or self._is_asked:
            self.failed.emit(said.message, said.hint)
        self._is_asked = False
        self._set_why(said.message)

    def _has_looked(self, again: frozenset[str]) -> None:
        self._set_why("")
        if again:
            for path in again:
                self._hints.add(path)
            self._pause.start(_AGAIN_MS)
        self._feed()
        self.looked.emit()
        if self._is_asked and not self.is_busy:
            self._is_asked = False
            self.answered.emit()

    def _set_noting(self, noting: tuple[int, int] | None) -> None:
        if noting != self.noting:
            self.noting = noting
            self.indexing_changed.emit()

    def _set_why(self, why: str) -> None:
        if why != self.why:
            self.why = why
            self.why_changed.emit()

    def _gone(self, connection: Connection) -> None:
        """Restart the process after an unexpected end.

        After a few quick ends it stays off, and an error is reported.
        """
        connection.close()
        if self._is_stopped:
            return
        self._connection = None
        self._set_noting(None)
        if time.monotonic() - self._began >= _LIVED_SECONDS:
            self._started = 0
        if self._started < _STARTS:
            self._start()
            return
        why = self.tr(
            "Changes by others are not listed any more: what looks for them was ended again and again."
        )
        self._set_why(why)
        self.failed.emit(why, self.tr("Try again: View, Look for changes by others."))

    def _tell(self, connection: Connection, asked: Asked) -> None:
        try:
            connection.send(asked)
        except OSError:
            return  # the process ended: its thread reports that


# The project's folder may be moved, deleted or unmounted while it is open.


class RootWatch(QObject):
    """Watch on the project's root folder, checked on each poll.

    While it is gone nothing can be decided.
    """

    changed = Signal()
    came_back = Signal()
    """The folder is there again; watchers have to be restarted."""

    def __init__(self, project: Project, queue: Queue) -> None:
        super().__init__(project)
        self._project, self._queue = project, queue
        self.is_gone = False

    def look(self) -> None:
        """Check whether the path still names the folder that was opened."""
        self._project.runner.call(lambda: self._project.workspace.is_there, then=self._got)

    def _got(self, is_there: bool) -> None:
        if is_there is not self.is_gone:
            return
        self.is_gone = not is_there
        name = show_name(str(self._project.root_path))
        if self.is_gone:
            said = self.tr("{folder} is not there any more: it was moved, deleted or unmounted.")
            hint = self.tr("Put it back, or open it where it is now. Nothing is decided meanwhile.")
            self._project.happened.emit(StatusMessage(say(said, folder=name), Tone.BAD, hint))
        else:
            self._project.happened.emit(StatusMessage(say(self.tr("{folder} is back."), folder=name)))
            self.came_back.emit()
            self._queue.disk_changed()
        self.changed.emit()
