"""The settings of an agent that turn all of its hooks off, and our gate with them, wherever they may stand.

Found by running the clients: one line in a project's own settings is enough, and says nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from studio.doors.connect.clients import Client, Switch, identity
from studio.engine import documents
from studio.engine.documents import Unreadable
from studio.engine.errors import Refused
from studio.engine.home_files import read_home_file


def hooks_off(client: Client, projects: Iterable[Path]) -> str:
    """Which file says what that turns this agent's hooks off, the user's or one of these projects', as the
    beginning of a sentence; "" where none does.

    Raises Refused for a file that can't be read, or a FileError.
    """
    own = client.entries[0]
    roots = tuple(projects)
    for path in (own.path, *(root / name for root in roots for name in client.habits.settings)):
        for switch in client.habits.switches:
            if _turns_off(client, path, switch):
                return _said(path, switch)
    for root in roots:
        # The first that is said of it counts.
        for path, switch in client.habits.elsewhere(own, root):
            turns_off = _turns_off(client, path, switch)
            if turns_off:
                return _said(path, switch)
            if turns_off is not None:
                break
    return ""


def _turns_off(client: Client, path: Path, switch: Switch) -> bool | None:
    """Whether this setting in this file does; None where it does not stand there."""
    file = read_home_file(path)
    try:
        found = documents.find(path.name, file.data, switch.spot)
    except Unreadable as error:
        raise Refused(
            "connect.unreadable",
            f"Whether {file.shown} turns the hooks of {client.title} off can't be read: {error}.",
            "Mend the file there.",
        ) from error
    values = list(found.values())
    return switch.turns_off(values[0], identity(client.entries[0].value)[0]) if values else None


def _said(path: Path, switch: Switch) -> str:
    return f"{read_home_file(path).shown} says {switch.name}"
