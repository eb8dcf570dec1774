"""Child process previewing an agent's connection or removal, executing after window confirmation.

It reports what would change, and does that when the user confirms. The confirmation arrives on a pipe whose
other end only the window has. No command, variable or file leads here: what an agent runs in a shell has no
such pipe, and `studio connect` asks at the terminal.
"""

from __future__ import annotations

import signal
from collections.abc import Generator
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection as Pipe

from studio.doors.clients.chosen_places import use_chosen_places
from studio.doors.clients.known import client_of
from studio.doors.connect.connection import Connection
from studio.doors.connect.connection_change import AgentChange, make_change, plan_change
from studio.errors import StudioError
from studio.extras.agents import (
    ChangeMade,
    ChangeMessage,
    ChangeNotMade,
    FileDifference,
    PlannedChange,
)
from studio.extras.home_files import read_home_file
from studio.names import show_name


def change_for_window(pipe: Pipe, *, name: str, removes: bool) -> None:
    """Send the planned change and carry it out on confirmation.

    The reply True confirms; the result is sent. On any other reply, and when the window ends, nothing is
    done.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in the terminal is for the window
    use_chosen_places()
    with suppress(EOFError, OSError):  # the window is gone
        try:
            change = plan_change(client_of(name), removes=removes)
        except StudioError as error:
            pipe.send(ChangeNotMade(error.message, error.hint))
            return
        pipe.send(_preview(change))
        if pipe.recv() is True:
            pipe.send(_carry_out(change))


def _preview(change: AgentChange) -> PlannedChange:
    files = tuple(
        FileDifference(each.file.display_name, each.diff, each.meanings) for each in change.connection.changes
    )
    return PlannedChange(files, change.meanings, tuple(change.remarks), change.is_done)


def _carry_out(change: AgentChange) -> ChangeMessage:
    try:
        backups, trust = make_change(change, _delayed_sigterm)
    except StudioError as error:
        written = tuple(_written_files(change.connection))
        return ChangeNotMade(error.message, error.hint, written)
    return ChangeMade(tuple(show_name(backup) for backup in backups.values()), trust.missing)


@contextmanager
def _delayed_sigterm() -> Generator[None]:
    """Delay the window's SIGTERM until all files are written.

    Else it would end this process between two files.
    """
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _written_files(connection: Connection) -> Generator[str]:
    """Yield the files that were already written when a later one failed."""
    for change in connection.changes:
        with suppress(StudioError):
            if change.after != change.file.data and read_home_file(change.file.path).data == change.after:
                yield change.file.display_name
