"""Places of agents' programs and settings that the user chose.

They are for agents that are not found by themselves: a program outside of the PATH, or settings in another
folder, which a variable names. Each process of ours takes them into its environment.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, cast

from studio.doors.clients.client import KnownClient
from studio.doors.clients.known import CLIENTS_BY_NAME
from studio.errors import StudioError, UsageError
from studio.extras.home_files import read_stored_file, write_stored_file
from studio.names import show_name

_NAME: Final = "agent-places.json"
_PATH: Final = "PATH"


def use_chosen_places() -> None:
    """Add the chosen places to the environment; what is set there stays."""
    for variable, folder in _read():
        if variable != _PATH:
            os.environ.setdefault(variable, folder)
        elif folder not in os.environ.get(_PATH, "").split(os.pathsep):
            # Last: nothing beside the agent's program may hide a program of the system.
            os.environ[_PATH] = os.pathsep.join(filter(None, (os.environ.get(_PATH), folder)))


def command_of_program(program: str) -> str:
    """Return a program's command for a terminal, whole where it was chosen."""
    found = shutil.which(program)
    folders = {folder for variable, folder in _read() if variable == _PATH}
    return found if found is not None and str(Path(found).parent) in folders else program


def choose_place(name: str, path: Path) -> None:
    """Remember the program or a settings file of an agent.

    Raises UsageError where the file is neither, or another place comes first; FileError.
    """
    client = CLIENTS_BY_NAME[name]
    is_program = path.name == client.program and os.access(path, os.X_OK)
    chosen = (_PATH, str(path.parent)) if is_program else _settings_place(client, path)
    before = list(_read())
    kept = [each for each in before if each[0] == _PATH or each[0] != chosen[0]]
    write_stored_file(_NAME, (json.dumps([*kept, chosen], indent=1) + "\n").encode())
    if dict(before).get(chosen[0]) == os.environ.get(chosen[0]) and not is_program:
        os.environ.pop(chosen[0], None)  # an earlier choice
    use_chosen_places()
    found = shutil.which(client.program) if is_program else os.environ.get(chosen[0])
    if found not in (str(path), chosen[1]):
        raise UsageError(
            "connect.other_place",
            f"{show_name(str(found))} takes precedence for {client.title}.",
            "Change that, then restart Exacta Studio.",
        )


def _settings_place(client: KnownClient, path: Path) -> tuple[str, str]:
    """Return the variable and folder by which the client reads this file."""
    for folder in path.parents[:2] if client.settings_variable else ():
        with _variable_set(client.settings_variable, str(folder)):
            if any(entry.path == path for entry in client.entries(Path("hook"))):
                return client.settings_variable, str(folder)
    raise UsageError(
        "connect.no_place",
        f"{show_name(str(path))} is neither the program {client.program} nor a settings file that "
        f"{client.title} can use.",
        "Choose another file, or link the program from a folder on PATH.",
    )


@contextmanager
def _variable_set(name: str, value: str) -> Generator[None]:
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        del os.environ[name]
        if before is not None:
            os.environ[name] = before


def _read() -> tuple[tuple[str, str], ...]:
    """Return the variables and folders; an unreadable file has none."""
    with suppress(StudioError, ValueError, TypeError, RecursionError):
        stored = cast("list[list[object]]", json.loads(read_stored_file(_NAME) or b"[]"))
        return tuple((str(variable), str(folder)) for variable, folder in stored)
    return ()
