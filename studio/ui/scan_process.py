"""Child process that scans project files for changes made outside plans.

It finds what others wrote.
"""

from __future__ import annotations

import os
import signal
import time
from contextlib import closing
from multiprocessing.connection import Connection
from pathlib import Path

from studio.errors import StudioError
from studio.ui.process_pool import end_with_parent
from studio.values import Value
from studio.workspace import Workspace

_NICENESS = 5
_SAID_EACH_SECONDS = 0.2


class Stop(Value):
    """Request to cancel the first scan, leaving no trace of it."""


class BaselineProgress(Value):
    """Progress of the first scan ever, in bytes."""

    done: int
    total: int


class ScanDone(Value):
    """Result of a scan.

    `again` are paths without a result yet, `loss` is a sentence on what can't be determined any more,
    `unread` one on what can't be read.
    """

    again: frozenset[str] = frozenset()
    loss: str = ""
    unread: str = ""


class ScanFailed(Value):
    """Error of a scan, as message and hint."""

    message: str
    hint: str


class Stopped(Value):
    """Report that the first scan was cancelled."""


Asked = frozenset[str] | Stop | None
Said = BaselineProgress | ScanDone | ScanFailed | Stopped


class _Ended(Exception):
    """Raised when no more results are needed."""


class _Stopped(Exception):
    """Raised when the user cancelled the scan."""


def serve_scan_requests(connection: Connection, root: Path) -> None:
    """Scan requested paths, all if empty, until None or disconnection.

    The engine notifies the processes that list changes.
    """
    end_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is handled by the window's process
    if hasattr(os, "nice"):
        os.nice(_NICENESS)
    try:
        _serve_scans(connection, root)
    except (_Ended, EOFError, ConnectionError):
        return  # the window's process has ended, or closes the project


def _serve_scans(connection: Connection, root: Path) -> None:
    try:
        workspace = Workspace.open(root)
    except StudioError as error:
        while connection.recv() is not None:
            connection.send(ScanFailed(error.message, error.hint))
        return
    with closing(workspace):
        request: Asked
        while (request := connection.recv()) is not None:
            if not isinstance(request, Stop):  # a late cancellation: the scan is over
                connection.send(_scan_once(workspace, connection, request))


def _scan_once(workspace: Workspace, connection: Connection, paths: frozenset[str]) -> Said:
    try:
        is_first = not workspace.observed.has_baseline
        workspace.observed.look(paths, progress=_Progress(connection, is_first=is_first))
    except StudioError as error:
        return ScanFailed(error.message, error.hint)
    except _Stopped:
        return Stopped()
    observed = workspace.observed
    return ScanDone(observed.unsettled, observed.loss, observed.unread)


class _Progress:
    """Progress callback that reads requests and reports the first scan."""

    def __init__(self, connection: Connection, *, is_first: bool) -> None:
        self._connection = connection
        self._is_first = is_first
        self._last_sent = time.monotonic()

    def __call__(self, done: int, total: int) -> None:
        if self._connection.poll():  # only these arrive during a scan
            request: Asked = self._connection.recv()
            if not isinstance(request, Stop):
                raise _Ended
            if self._is_first:
                raise _Stopped
        if self._is_first and time.monotonic() - self._last_sent >= _SAID_EACH_SECONDS:
            self._last_sent = time.monotonic()
            try:
                self._connection.send(BaselineProgress(done, total))
            except OSError as error:
                raise _Ended from error
