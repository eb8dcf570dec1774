"""Check whether an agent's MCP server of our name is ours.

A project may bring another one of that name. Our tools propose and never write, so no hook stops them; those
of another server may do anything.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import cast

from studio.doors.clients.client import PASSED_ON, Client, server_entry
from studio.engine import documents
from studio.engine.documents import Spot, Unreadable
from studio.engine.errors import StudioError
from studio.engine.home_files import read_home_file


def is_own_server(entry: object) -> bool:
    """Return whether a configuration entry starts this very program as its server.

    Its variables must be those that `connect` writes: others could make it load other code.
    """
    if not isinstance(entry, dict):
        return False
    members = cast("dict[str, object]", entry)
    words = members.get("command")
    if isinstance(words, list):  # opencode's form
        listed = cast("list[object]", words)
        command = listed[0] if listed else None
        members = {"command": command, "args": listed[1:], "env": members.get("environment")}
    variables = members.get("env")
    # Codex reports none as null.
    if variables is not None and not _are_passed_on(variables):
        return False
    return all(members.get(name) == value for name, value in server_entry().items())


def _are_passed_on(variables: object) -> bool:
    return isinstance(variables, dict) and set(cast("dict[str, object]", variables)) <= set(PASSED_ON)


def only_own_server(client: Client, folder: Path) -> bool:
    """Return whether only our server has our name in this folder.

    That is, for an agent started there. The entry must be in the user's own file and in no other. False, too,
    for what can't be read.
    """
    our_entry = client.entries[1]
    try:
        ours = list(_entries_at(our_entry.path, our_entry.spot))
        places = client.habits.servers(our_entry, folder)
        others = [entry for path, spot in places for entry in _entries_at(path, spot)]
        return bool(ours) and all(map(is_own_server, ours)) and not others
    except (StudioError, Unreadable):
        return False


def _entries_at(path: Path, spot: Spot) -> Iterator[object]:
    yield from documents.find(path.name, read_home_file(path).data, spot).values()
