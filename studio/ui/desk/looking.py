"""Has a process beside the window look at the project, whenever something may have changed (design 7)."""

from __future__ import annotations

import multiprocessing
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from studio.engine.observed.hints import EVERYTHING, Hints

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from studio.ui.looking_process import Said
    from studio.ui.runner import Runner

_AGAIN_MS = 250
_FAILED_MS = 30_000
_STARTS = 3
_SENT_CHARACTERS = 16_000
"""A longer message could wait for the process to read it, and the window with it."""
THREAD = "looking process"
"""What the thread is called that hears that process."""


class Looking(QObject):
    """The looking process, and where it is to look next. Nothing here waits for it."""

    failed = Signal(str, str)
    """Why nothing is observed, in other words than before: a sentence, and what to do."""
    looked = Signal()

    def __init__(self, runner: Runner, root: Path, parent: QObject) -> None:
        super().__init__(parent)
        self._runner = runner
        self._root = root
        self._hints = Hints()
        self._connection: Connection | None = None
        self._is_busy = self._is_stopped = self._is_behind = False
        self._started = 0
        self._said = ""
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.timeout.connect(self._feed)
        self._start()

    def disk_changed(self, paths: Iterable[str]) -> None:
        """Look at these paths and beneath them soon; at everything where there are none."""
        for path in frozenset(paths) or (EVERYTHING,):
            self._hints.add(path)
        if self._is_behind:
            self._is_behind = False
            self._hints.add(EVERYTHING)
        self._feed()

    def stop(self) -> None:
        """Look no more; the process ends by itself."""
        self._is_stopped = True
        self._pause.stop()
        connection, self._connection = self._connection, None
        if connection is not None:
            self._tell(connection, None)

    def _start(self) -> None:
        self._started += 1
        self._is_busy = False
        threading.Thread(target=self._hear, name=THREAD, daemon=True).start()

    def _hear(self) -> None:
        """On a thread of its own: the process from its start to its end."""
        from studio.ui.looking_process import look_for

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
        self._connection = connection
        self._hints.add(EVERYTHING)
        self._feed()

    def _feed(self) -> None:
        """Ask for one look at all that was gathered; more is asked once it is answered."""
        if self._connection is None or self._is_busy or self._pause.isActive():
            return
        paths = self._hints.take()
        if paths is not None:
            self._is_busy = True
            if sum(map(len, paths)) > _SENT_CHARACTERS:
                paths = frozenset[str]()
            self._tell(self._connection, paths)

    def _heard(self, said: Said) -> None:
        from studio.ui.looking_process import Looked, NotLooked

        if self._is_stopped or not isinstance(said, Looked | NotLooked):
            return
        self._is_busy = False
        if isinstance(said, NotLooked):
            # Not before something changes: to look again for nothing would never end.
            self._is_behind = True
            self._pause.start(_FAILED_MS)
            if said.message != self._said:
                self._said = said.message
                self.failed.emit(said.message, said.hint)
            return
        self._said, self._started = "", 1
        if said.again:
            for path in said.again:
                self._hints.add(path)
            self._pause.start(_AGAIN_MS)
        self._feed()
        self.looked.emit()

    def _gone(self, connection: Connection) -> None:
        """The process ended, by our word or by somebody's."""
        connection.close()
        if self._is_stopped:
            return
        self._connection = None
        if self._started < _STARTS:
            self._start()
            return
        self.failed.emit(
            self.tr(
                "Changes by others are not listed any more: what looks for them was ended again and again."
            ),
            self.tr("Open the project anew, or list them in a terminal: studio observed list"),
        )

    def _tell(self, connection: Connection, paths: frozenset[str] | None) -> None:
        try:
            connection.send(paths)
        except OSError:
            return  # it is gone: its thread says so
