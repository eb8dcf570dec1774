"""The process beside the window that looks at the project for it: what others wrote costs no frame."""

from __future__ import annotations

import os
import signal
import time
from contextlib import closing
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

from studio.engine.errors import StudioError
from studio.engine.workspace import Workspace
from studio.ui.worker_process import end_with_parent

_NICENESS = 5
_SAID_EACH_SECONDS = 0.2


@dataclass(frozen=True, slots=True)
class Stop:
    """Asked while the project is noted for the first time: leave it, as if nobody had begun."""


@dataclass(frozen=True, slots=True)
class Noting:
    """Of the first look ever: so many bytes of those that are to be read were."""

    done: int
    total: int


@dataclass(frozen=True, slots=True)
class Looked:
    """A look has ended; `again` are paths of which nothing could be told yet, `loss` is a sentence on what
    can't be told any more, `unread` one on what can't be read."""

    again: frozenset[str] = frozenset()
    loss: str = ""
    unread: str = ""


@dataclass(frozen=True, slots=True)
class NotLooked:
    """Why there was no look, as sentences."""

    message: str
    hint: str


@dataclass(frozen=True, slots=True)
class Stopped:
    """The first look was left."""


Asked = frozenset[str] | Stop | None
Said = Noting | Looked | NotLooked | Stopped


class _Ended(Exception):
    """Nobody wants to know any more."""


class _Stopped(Exception):
    """A person stopped it."""


def look_for(connection: Connection, root: Path) -> None:
    """Look at the paths that are asked for, where there are none at everything, until None comes or the
    window is gone. Whoever lists changes is rung by the engine."""
    end_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the window's Ctrl-C is the window's
    if hasattr(os, "nice"):
        os.nice(_NICENESS)
    try:
        _look_on(connection, root)
    except (_Ended, EOFError, ConnectionError):
        return  # the window has gone, or closes


def _look_on(connection: Connection, root: Path) -> None:
    try:
        workspace = Workspace.open(root)
    except StudioError as error:
        while connection.recv() is not None:
            connection.send(NotLooked(error.message, error.hint))
        return
    with closing(workspace):
        asked: Asked
        while (asked := connection.recv()) is not None:
            if not isinstance(asked, Stop):  # what it was to stop has ended before it came
                connection.send(_looked(workspace, connection, asked))


def _looked(workspace: Workspace, connection: Connection, paths: frozenset[str]) -> Said:
    try:
        is_first = not workspace.observed.has_baseline
        workspace.observed.look(paths, progress=_Progress(connection, is_first=is_first))
    except StudioError as error:
        return NotLooked(error.message, error.hint)
    except _Stopped:
        return Stopped()
    observed = workspace.observed
    return Looked(observed.unsettled, observed.loss, observed.unread)


class _Progress:
    """Hears what is asked while it looks, and says how far the first look is."""

    def __init__(self, connection: Connection, *, is_first: bool) -> None:
        self._connection = connection
        self._is_first = is_first
        self._said = time.monotonic()

    def __call__(self, done: int, total: int) -> None:
        if self._connection.poll():  # only these come while it looks
            asked: Asked = self._connection.recv()
            if not isinstance(asked, Stop):
                raise _Ended
            if self._is_first:
                raise _Stopped
        if self._is_first and time.monotonic() - self._said >= _SAID_EACH_SECONDS:
            self._said = time.monotonic()
            try:
                self._connection.send(Noting(done, total))
            except OSError as error:
                raise _Ended from error
