"""What the window starts as a process of its own: it says what would change, and does that at a press.

A press is heard at a pipe of which the window alone holds the other end. No command, variable or file leads
here: what an agent runs in a shell has no such pipe, and `studio connect` asks at the terminal (design 6).
"""

from __future__ import annotations

import signal
from collections.abc import Generator
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection as Pipe

from studio.doors.clients.known import client_of
from studio.doors.connect.agent_change import AgentChange, make_change, plan_change
from studio.doors.connect.connection import Connection
from studio.engine.agent_connection import (
    ChangeMade,
    ChangeNotMade,
    FileDifference,
    PlannedChange,
    ToldOfChange,
)
from studio.engine.errors import StudioError
from studio.engine.home_files import read_home_file
from studio.engine.names import show_name


def change_for_window(pipe: Pipe, *, name: str, removes: bool) -> None:
    """Say what connecting the agent, or taking that back, would change; at True do exactly that, and say what
    became of it. Anything else, and the end of the window, ends it with nothing done."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the window's Ctrl-C is the window's
    with suppress(EOFError, OSError):  # the window has gone
        try:
            change = plan_change(client_of(name), removes=removes)
        except StudioError as error:
            pipe.send(ChangeNotMade(error.message, error.hint))
            return
        pipe.send(_shown(change))
        if pipe.recv() is True:
            pipe.send(_made(change))


def _shown(change: AgentChange) -> PlannedChange:
    files = tuple(
        FileDifference(each.file.shown, each.diff, each.meanings) for each in change.connection.changes
    )
    return PlannedChange(files, change.meanings, tuple(change.remarks), change.is_done)


def _made(change: AgentChange) -> ToldOfChange:
    try:
        backups, trust = make_change(change, _held)
    except StudioError as error:
        made = tuple(_changed_already(change.connection))
        return ChangeNotMade(error.message, error.hint, made)
    return ChangeMade(tuple(show_name(backup) for backup in backups.values()), trust.missing)


@contextmanager
def _held() -> Generator[None]:
    """The end of the window waits until this is done, instead of ending it between two files."""
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _changed_already(connection: Connection) -> Generator[str]:
    """The files that hold what was to be written, as after a failure at a later one."""
    for change in connection.changes:
        with suppress(StudioError):
            if change.after != change.file.data and read_home_file(change.file.path).data == change.after:
                yield change.file.shown
