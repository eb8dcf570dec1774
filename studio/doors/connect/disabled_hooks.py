"""Search for settings that disable or bypass an agent's hooks.

Found by running the clients: one line in a project's own settings is enough, without any message.
"""

from __future__ import annotations

import json
import os
import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, cast

from studio import documents
from studio.documents import WHOLE, Spot, Unreadable
from studio.doors.clients.client import Client, OffReason, Switch, identity
from studio.engine import main_checkout
from studio.errors import Refused
from studio.extras.home_files import HomeFile, read_home_file
from studio.values import Value

_FOLDERS: Final = 2_000
"""Folders of a project to search, from the root down: 0.14 s."""
_NOT_SEARCHED: Final = frozenset({".git", "node_modules"})
_VARIABLE: Final = re.compile(r"^[ \t]*(?:export[ \t]+)?(\w+)[ \t]*[=:][ \t]*(.*?)[ \t]*$", re.MULTILINE)
_MEANINGS: Final = {
    OffReason.HOOKS_OFF: "has settings that disable hooks",
    OffReason.MOVED: "has settings that move its configuration",
    OffReason.UNTRUSTED: "marks a folder here as not trusted",
}
_ABSENT: Final = object()


class DisabledHooks(Value):
    """The file that switches an agent's hooks off, and why.

    `shown` is the file's name for messages.
    """

    shown: str
    reason: OffReason

    @property
    def sentence(self) -> str:
        """The beginning of a sentence."""
        return f"{self.shown} {_MEANINGS[self.reason]}"


def find_disabled_hooks(client: Client, projects: Iterable[Path]) -> DisabledHooks | None:
    """Return the first file that switches this agent's hooks off.

    Files in these projects are searched too. Raises Refused for a file that can't be read, or a FileError.
    """
    command = identity(client.entries[0].value)[0]
    for file, switch, value in _settings(client, projects):
        if switch.turns_off(value, command):
            return DisabledHooks(file.display_name, switch.reason)
    return None


def hook_settings(client: Client) -> list[str]:
    """Return the user's and the system's settings that affect hooks.

    Raises as `find_disabled_hooks`.
    """
    our_entry = client.entries[0]
    found = [f"{file.path} {switch.spot} {_text(value)}" for file, switch, value in _settings(client, ())]
    if our_entry.spot != WHOLE and not client.no_gate:
        # Entries of other tools: one before or after ours may change what the hook is asked for.
        for path in dict.fromkeys(path for path, _ in _files(client, ())):
            entries = _value(_document(client, read_home_file(path)), our_entry.spot)
            found += [] if entries is _ABSENT else [_text(entries)]
    return found


def _text(value: object) -> str:
    return json.dumps(value, sort_keys=True, default=str)


def _settings(client: Client, projects: Iterable[Path]) -> Iterator[tuple[HomeFile, Switch, object]]:
    """Yield each switch that is set in a file, with its value."""
    seen: set[tuple[Path, Spot]] = set()
    for path, switches in _files(client, projects):
        if not switches or (path, switches[0].spot) in seen:
            continue
        seen.add((path, switches[0].spot))
        file = read_home_file(path)
        document = _document(client, file)
        for switch in switches:
            value = _value(document, switch.spot)
            if value is not _ABSENT:
                yield file, switch, value


def _files(client: Client, projects: Iterable[Path]) -> Iterator[tuple[Path, Sequence[Switch]]]:
    our_entry, habits = client.entries[0], client.habits
    if our_entry.spot != WHOLE:
        yield our_entry.path, (*habits.switches, *habits.user_switches)
    for pattern in habits.beside:
        for path in sorted(our_entry.path.parent.glob(pattern)):
            yield path, habits.switches
    for path in habits.system():
        yield path, (*habits.switches, *habits.system_switches)
    for root in projects:
        for path in _start_folder_settings(root, habits.settings):
            yield path, habits.switches
        for path, switch in habits.external_switches(our_entry, root):
            yield path, (switch,)


def _start_folder_settings(root: Path, names: Sequence[str]) -> Iterator[Path]:
    """Yield the settings of each folder a client may start in.

    These are the folders from which it may work on the project at `root`.
    """
    if not names:
        return
    around = (root, *root.parents)
    checkouts = (main_checkout(folder) for folder in around)
    for folder in dict.fromkeys((*around, *filter(None, checkouts))):
        yield from (folder / name for name in names)
    queue = deque([root])
    for _ in range(_FOLDERS):
        if not queue:
            return
        folder = queue.popleft()
        try:
            with os.scandir(folder) as found:
                entries = list(found)
        except OSError:
            continue
        names_there = {entry.name for entry in entries}
        yield from (folder / name for name in names if name.partition("/")[0] in names_there)
        queue.extend(Path(entry.path) for entry in entries if _is_searched(entry))


def _is_searched(entry: os.DirEntry[str]) -> bool:
    return entry.name not in _NOT_SEARCHED and entry.is_dir(follow_symlinks=False)


def _document(client: Client, file: HomeFile) -> object:
    """Return a file's content; variables of a `.env` file as `env`."""
    try:
        if file.path.name == ".env" or file.path.name.startswith(".env."):
            text = (file.data or b"").decode("utf-8", "replace")
            return {"env": {name: value.strip("\"'") for name, value in _VARIABLE.findall(text)}}
        return documents.read(file.path.name, file.data)
    except Unreadable as error:
        raise Refused(
            "connect.unreadable",
            f"{file.display_name} can't be read and may disable the hooks of {client.title}: {error}.",
            "Fix the file there.",
        ) from error


def _value(document: object, spot: Spot) -> object:
    """Return the value at a spot, or `_ABSENT`."""
    for key in (*spot.keys, *(() if spot.name is None else (spot.name,))):
        if not isinstance(document, dict) or key not in document:
            return _ABSENT
        document = cast("dict[str, object]", document)[key]
    return document
