"""Uncaught exceptions of the window process: logged, counted, shown."""

from __future__ import annotations

import logging
import sys
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from studio.ui.help.fault_banner import Fault
from studio.ui.limits import FAULT_CHARACTERS, FAULT_SECONDS, FAULTS_LOGGED
from studio.ui.runner import disk_full, is_disk_full

if TYPE_CHECKING:
    import asyncio

_log = logging.getLogger("studio")
_PAUSE_MS = 1000
_NO_FAULTS = (KeyboardInterrupt, SystemExit, GeneratorExit)


class Faults(QObject):
    """Collector of uncaught exceptions, one for the process.

    `show` gets a `Fault` on the UI thread, at most once a second. Any thread may report. Exceptions raised
    while one is reported or shown are never reported in turn.
    """

    disk_filled = Signal(object)
    """Emitted with a `StudioError`: a full disk is no fault of the program."""
    _came = Signal()

    def __init__(
        self,
        show: Callable[[Fault], object],
        parent: QObject | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(parent)
        self._show: Callable[[Fault], object] = show
        self._clock = clock
        self._lock = threading.Lock()
        self._local = threading.local()
        self._count = self._unlogged = 0
        self._details = ""
        self._logged_since, self._logged = clock(), 0
        self._is_posted = False
        self._hooks: tuple[Any, Any, Any] | None = None
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._pause.timeout.connect(self._show_faults)
        self._came.connect(self._schedule_show, Qt.ConnectionType.QueuedConnection)

    def begin(self, loop: asyncio.AbstractEventLoop) -> None:
        """Install the hooks for uncaught exceptions, until `end`."""
        self._hooks = sys.excepthook, sys.unraisablehook, threading.excepthook
        # An exception in a slot, async or not, reaches the first of these, and one in a task that is not
        # awaited the loop's handler.
        sys.excepthook = lambda _kind, error, _trace: self.report(error)
        sys.unraisablehook = lambda event: self.report(event.exc_value, event.err_msg or "Ignored")
        threading.excepthook = lambda event: self.report(event.exc_value, "A thread ended")
        loop.set_exception_handler(self._report_from_loop)

    def end(self) -> None:
        """Restore the previous hooks."""
        if self._hooks is not None:
            sys.excepthook, sys.unraisablehook, threading.excepthook = self._hooks
            self._hooks = None

    def report(self, error: BaseException | None, words: str = "Uncaught") -> None:
        """Log an exception, count it and have it shown."""
        if error is None or isinstance(error, _NO_FAULTS) or getattr(self._local, "is_reporting", False):
            return
        if is_disk_full(error):
            self.disk_filled.emit(disk_full(error))
            return
        self._local.is_reporting = True
        try:
            # An exception in here would be reported again and again.
            with suppress(Exception):
                self._note(error, words)
        finally:
            self._local.is_reporting = False

    def _report_from_loop(self, _loop: object, context: dict[str, Any]) -> None:
        """Report an exception in a callback or a task never awaited."""
        error, words = context.get("exception"), str(context.get("message", ""))
        if isinstance(error, BaseException):
            self.report(error, words)
        else:
            _log.error(words)

    def _note(self, error: BaseException, words: str) -> None:
        with self._lock:
            self._count += 1
            logs, unlogged = self._may_log()
            is_first, self._is_posted = not self._is_posted, True
        if logs:
            self._details = "".join(traceback.format_exception(error))[-FAULT_CHARACTERS:]
            if unlogged:
                _log.error("%d more faults were counted and not written here", unlogged)
            _log.error(words, exc_info=error)
        if is_first:
            self._came.emit()

    def _may_log(self) -> tuple[bool, int]:
        """Return whether this minute's log has room, and the omitted count."""
        now = self._clock()
        if now - self._logged_since >= FAULT_SECONDS:
            self._logged_since, self._logged = now, 0
        if self._logged >= FAULTS_LOGGED:
            self._unlogged += 1
            return False, 0
        self._logged += 1
        unlogged, self._unlogged = self._unlogged, 0
        return True, unlogged

    def _schedule_show(self) -> None:
        if not self._pause.isActive():
            self._show_faults()

    def _show_faults(self) -> None:
        """Show new faults, and pause for a second."""
        with self._lock:
            is_posted, self._is_posted = self._is_posted, False
            fault = Fault(self._count, self._details)
        if not is_posted:
            return
        self._pause.start()
        try:
            self._show(fault)
        except Exception:
            # It would fail again: from now on faults are only logged.
            self._show = _show_nothing
            _log.exception("A fault can't be shown")


def _show_nothing(_fault: Fault) -> None:
    pass
