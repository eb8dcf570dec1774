"""Whether the server that an agent calls by our name is ours: a project may bring one of that name, too.

Our tools propose and never write, so that no hook stops them; those of another server may do anything.
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
    """Whether this entry of an agent's configuration starts this very program as its server, with no variable
    but those that `connect` writes: others could have it load something else."""
    if not isinstance(entry, dict):
        return False
    members = cast("dict[str, object]", entry)
    words = members.get("command")
    if isinstance(words, list):  # as opencode has it
        listed = cast("list[object]", words)
        command = listed[0] if listed else None
        members = {"command": command, "args": listed[1:], "env": members.get("environment")}
    variables = members.get("env")
    # Codex tells of none as null.
    if variables is not None and not _are_passed_on(variables):
        return False
    return all(members.get(name) == value for name, value in server_entry().items())


def _are_passed_on(variables: object) -> bool:
    return isinstance(variables, dict) and set(cast("dict[str, object]", variables)) <= set(PASSED_ON)


def only_own_server(client: Client, folder: Path) -> bool:
    """Whether our server is all that this agent can mean by our name where it was started in this folder: in
    the user's own file it stands, and nowhere else any. False, too, for what can't be read."""
    own = client.entries[1]
    try:
        ours = list(_named_so(own.path, own.spot))
        places = client.habits.servers(own, folder)
        others = [entry for path, spot in places for entry in _named_so(path, spot)]
        return bool(ours) and all(map(is_own_server, ours)) and not others
    except (StudioError, Unreadable):
        return False


def _named_so(path: Path, spot: Spot) -> Iterator[object]:
    yield from documents.find(path.name, read_home_file(path).data, spot).values()
