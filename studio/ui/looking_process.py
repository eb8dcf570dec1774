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
class Reading:
    """So many bytes of those that are to be read were."""

    done: int
    total: int


@dataclass(frozen=True, slots=True)
class Looked:
    """A look has ended; `again` are paths of which nothing could be told yet."""

    again: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class NotLooked:
    """Why there was no look, as sentences."""

    message: str
    hint: str


Said = Reading | Looked | NotLooked


class _Ended(Exception):
    """Nobody wants to know any more."""


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
        while (paths := connection.recv()) is not None:
            connection.send(_looked(workspace, connection, paths))


def _looked(workspace: Workspace, connection: Connection, paths: frozenset[str]) -> Said:
    said = time.monotonic()

    def progress(done: int, total: int) -> None:
        nonlocal said
        if connection.poll():  # only the end comes while it looks
            raise _Ended
        if time.monotonic() - said >= _SAID_EACH_SECONDS:
            said = time.monotonic()
            connection.send(Reading(done, total))

    try:
        workspace.observed.look(paths, progress=progress)
    except StudioError as error:
        return NotLooked(error.message, error.hint)
    return Looked(workspace.observed.unsettled)
