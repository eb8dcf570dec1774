"""Edits of an agent's configuration files: plan, write, back up, remove entries.

Nothing is decided here: the caller has shown the changes to a person, who confirmed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from enum import Enum
from pathlib import Path
from typing import Final, cast

from msgspec.structs import replace

from studio import __version__, documents
from studio.documents import WHOLE, Key, Spot, Trace, Unreadable, check_json
from studio.doors.clients.client import PASSED_ON, Client, Entry, identity, is_group, server_entry
from studio.doors.clients.opencode_plugin import loaded_name
from studio.doors.connect import whole_file
from studio.doors.connect.record import Written, read_record, write_record
from studio.engine import compute, format_unified
from studio.errors import Conflict, Refused, StudioError
from studio.extras.home_files import (
    HomeFile,
    check_home_file,
    find_missing_folder,
    read_home_file,
    read_stored_file,
    remove_empty_folders,
    remove_stored_file,
    replace_home_file,
    write_stored_file,
)
from studio.journal.file_image import sha256
from studio.values import Value

_REMOVED: Final = "Removes the entries of Exacta Studio."


class EntryState(Enum):
    """Whether our entry is in its file."""

    THERE = "there"
    CHANGED = "changed"
    MISSING = "missing"


class EntryChange(Value):
    """One entry's change in a file.

    `found` is its state before, `was_written` whether the record has it, and `written` is its record
    afterwards, None for a removed entry.
    """

    meaning: str
    found: EntryState
    written: Written | None
    was_written: bool = False


class FileChange(Value):
    """One file of an agent, before and with every entry.

    `after` None removes it, and `mode` is the mode that it must have then, None for unchanged. `is_ours`: it
    was missing before we wrote it, with every folder from `folder` on.
    """

    file: HomeFile
    after: bytes | None
    entries: tuple[EntryChange, ...]
    mode: int | None = None
    is_ours: bool = False
    folder: str = ""

    @property
    def meanings(self) -> tuple[str, ...]:
        """One sentence for each entry's effect, or that they are removed."""
        return tuple(dict.fromkeys(entry.meaning for entry in self.entries))

    @property
    def is_lost(self) -> bool:
        """Whether an entry of ours was changed or removed by someone else."""
        return any(entry.was_written and entry.found is not EntryState.THERE for entry in self.entries)

    @property
    def is_change(self) -> bool:
        """Whether a byte of the file, or its mode, would change."""
        return self.after != self.file.data or self.mode is not None

    @property
    def diff(self) -> str:
        """The change as a unified diff."""
        path = self.file.place.as_posix().lstrip("/")
        old = path if self.file.data is not None else None
        computed = compute(self.file.data or b"", self.after or b"")
        text = format_unified(computed, old, path if self.after is not None else None)
        return text.decode("utf-8", "replace")


class Connection(Value):
    """Everything that one command would change.

    `hook` is the new hook program, None for none; `removes` whether our entries are removed.
    """

    client: Client
    files: tuple[FileChange, ...]
    hook: bytes | None
    removes: bool = False

    @property
    def changes(self) -> tuple[FileChange, ...]:
        """The files of which a byte would change."""
        return tuple(change for change in self.files if change.is_change)

    @property
    def is_done(self) -> bool:
        """Whether there is nothing to change."""
        return not self.changes and read_stored_file(self.client.hook_name) == self.hook


def plan_connection(client: Client) -> Connection:
    """Return the changes that add every entry of ours.

    Raises Refused where a file can't be read, or has another program's entry under our name.
    """
    record = read_record()
    paths = dict.fromkeys(entry.path for entry in client.entries)
    return Connection(client, tuple(_plan_file_addition(client, path, record) for path in paths), client.hook)


def plan_removal(client: Client) -> Connection:
    """Return the changes that remove every entry of ours.

    The record says where they were written. Raises as `plan_connection`.
    """
    record = [written for written in read_record() if written.client == client.name]
    recorded = {(written.path, written.spot) for written in record}
    removals = [_Removal(Path(it.path), it.spot, it.value, it) for it in record]
    # Entries without a record, as after a crash between both writes, at the location of a new one.
    ours = (*client.entries, *client.obsolete_entries)
    others = [entry for entry in ours if (str(entry.path), entry.spot) not in recorded]
    removals += [_Removal(entry.path, entry.spot, entry.value, None) for entry in others]
    paths = dict.fromkeys(each.path for each in removals)
    # In reverse order, so that each removal restores the text that the entry was added to.
    files = (
        _plan_file_removal(client, path, [it for it in reversed(removals) if it.path == path])
        for path in paths
    )
    return Connection(client, tuple(files), None, removes=True)


def check_connection(connection: Connection) -> None:
    """Check, before any write, for most of what could stop it halfway.

    Raises Conflict where a file changed since, Refused where it is not the user's own.
    """
    for change in connection.changes:
        check_home_file(change.file)
        _check_unchanged(change)


def carry_out(connection: Connection) -> dict[Path, str]:
    """Write the changes: back up, write, read back and record each.

    Returns the backup of each file. The hook program is written first and removed last, so that no entry
    names a missing one. Raises Conflict where a file changed since, Refused or FileError; what was written
    before is recorded, and running the command again continues.
    """
    check_connection(connection)
    if connection.hook is not None:
        write_stored_file(connection.client.hook_name, connection.hook, executable=True)
    backups: dict[Path, str] = {}
    for change in connection.files:
        written = [entry.written for entry in change.entries if entry.written is not None]
        if change.is_change:
            backup = _back_up(connection.client, change)
            backups |= {change.file.path: backup} if backup else {}
            replace_home_file(change.file, change.after, mode=change.mode)
            digest = sha256(change.after or b"")
            written = [replace(each, backup=backup, sha256=digest) for each in written]
        _update_record(connection.client.name, change.file.path, written)
    if connection.removes:
        remove_stored_file(connection.client.hook_name)
        remove_stored_file(loaded_name(connection.client.hook_name))
    return backups


def remove_empty_files(connection: Connection) -> None:
    """Remove the empty files and folders of a removed connection.

    Codex itself empties its settings when it forgets the hook. Raises as `replace_home_file`.
    """
    for change in connection.files:
        file = read_home_file(change.file.path)
        if change.is_ours and file.data is not None and _is_blank(file.data):
            replace_home_file(file, None)
            file = read_home_file(change.file.path)
        if file.data is None:
            remove_empty_folders(file, change.folder)


def has_written_entries(client: Client) -> bool:
    """Return whether entries of ours were written and not removed.

    Raises as `read_record`.
    """
    return any(written.client == client.name for written in read_record())


def entry_states(client: Client) -> tuple[EntryState, ...]:
    """Return the state of each entry, in order; change nothing.

    Raises as `plan_connection`.
    """
    found = {change.file.path: iter(change.entries) for change in plan_connection(client).files}
    return tuple(next(found[entry.path]).found for entry in client.entries)


def _plan_file_addition(client: Client, path: Path, record: Sequence[Written]) -> FileChange:
    """Return the change of one file that adds its entries in order."""
    file = read_home_file(path)
    after, mode = file.data, None
    changes: list[EntryChange] = []
    for entry in client.entries:
        if entry.path != path:
            continue
        if entry.needs_file and file.data is None:
            raise Refused(
                "connect.no_settings",
                f"{file.display_name} does not exist, and would be invalid with only our entry.",
                f"Set up {client.title} first.",
            )
        before = next((it for it in record if (it.path, it.spot) == (str(path), entry.spot)), None)
        current = after
        try:
            after, trace, state = _add_entry(file, current, entry, before)
            if entry.spot != WHOLE:
                check_json(path.name, file.data or b"", client.json_extra)
        except Unreadable as error:
            raise _unreadable(file, error) from error
        if entry.spot == WHOLE and state is not EntryState.THERE:
            mode = whole_file.mode_of(entry.value)
        written = before
        if before is None or after != current:
            is_new = file.data is None
            if before is not None and state is not EntryState.MISSING:
                is_new = is_new or before.is_new
            written = Written(
                client=client.name,
                path=str(path),
                keys=entry.spot.keys,
                name=entry.spot.name,
                value=entry.value,
                depth=trace.depth,
                inner=trace.inner,
                is_new=is_new,
                sha256=sha256(after),
                backup="",
                when=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
                version=__version__,
                folder=find_missing_folder(file) or ("" if before is None else before.folder),
            )
        changes.append(EntryChange(entry.meaning, state, written, was_written=before is not None))
    for entry in client.obsolete_entries:
        before = next((it for it in record if (it.path, it.spot) == (str(path), entry.spot)), None)
        if entry.path == path and after is not None:
            value = entry.value if before is None else before.value
            removal = _Removal(path, entry.spot, value, before)
            after, change = _remove_entry(client, file, after, removal)
            changes += [] if change.found is EntryState.MISSING else [change]
    return FileChange(file, after, tuple(changes), mode)


def _add_entry(
    file: HomeFile, data: bytes | None, entry: Entry, before: Written | None
) -> tuple[bytes, Trace, EntryState]:
    """Return the bytes with this entry, its trace and prior state.

    The trace is what its removal needs. Raises Unreadable.
    """
    values = (entry.value,) if before is None else (entry.value, before.value)
    name = entry.path.name
    if entry.spot == WHOLE:
        existing = whole_file.find_entry(file, values, was_written=before is not None, refuses_others=True)
        state = EntryState.THERE if existing is not None and existing[1] in values else EntryState.CHANGED
        state = EntryState.MISSING if existing is None else state
        return whole_file.content_of(entry.value), whole_file.trace(), state
    found = _find_ours(file, data, entry.spot, values)
    if found is None:
        after, trace = documents.put(name, data, entry.spot, dict(entry.value))
        return after, trace, EntryState.MISSING
    key, value = found
    # An entry of another version, or made under other environment variables, still counts as unchanged.
    state = EntryState.THERE if value in values else EntryState.CHANGED
    trace = before.trace if before is not None else Trace(len(entry.spot.keys), None)
    after = data or b""
    if value != entry.value:
        after = documents.change(name, after, entry.spot, key, dict(entry.value))
    return after, trace, state


class _Removal(Value):
    """An entry to remove; `written` is its record, None without one."""

    path: Path
    spot: Spot
    value: Mapping[str, object]
    written: Written | None


def _plan_file_removal(client: Client, path: Path, removals: Sequence[_Removal]) -> FileChange:
    file = read_home_file(path)
    after = file.data
    changes: list[EntryChange] = []
    for each in removals:
        after, change = _remove_entry(client, file, after, each)
        changes.append(change)
    ours = [each.written for each in removals if each.written is not None and each.written.is_new]
    folder = next((each.written.folder for each in removals if each.written and each.written.folder), "")
    return FileChange(file, after, tuple(changes), is_ours=bool(ours), folder=folder)


def _remove_entry(
    client: Client, file: HomeFile, data: bytes | None, removal: _Removal
) -> tuple[bytes | None, EntryChange]:
    """Return the bytes without an entry, and its state before.

    Raises as `plan_connection`.
    """
    state, written = EntryState.MISSING, removal.written
    trace = None if written is None else written.trace
    try:
        if removal.spot == WHOLE:
            existing = whole_file.find_entry(
                file, (removal.value,), was_written=written is not None, refuses_others=False
            )
            if existing is not None:
                data, state = None, EntryState.THERE if existing[1] == removal.value else EntryState.CHANGED
        elif data is not None:
            found = _find_ours(file, data, removal.spot, (removal.value,), refuses_others=False)
            if found is not None:
                state = EntryState.THERE if found[1] == removal.value else EntryState.CHANGED
                data = documents.remove(file.path.name, data, removal.spot, found[0], trace)
                check_json(file.path.name, file.data or b"", client.json_extra)
                if written is not None and written.is_new and _is_blank(data):
                    data = None
    except Unreadable as error:
        raise _unreadable(file, error) from error
    return data, EntryChange(_REMOVED, state, None, was_written=written is not None)


def _is_blank(data: bytes) -> bool:
    """Return whether the data is only whitespace and an object's braces."""
    return not data.strip(b" \t\r\n{}")


def _find_ours(
    file: HomeFile, data: bytes | None, spot: Spot, values: tuple[object, ...], *, refuses_others: bool = True
) -> tuple[Key, object] | None:
    """Return our entry and its key.

    Ours is one that starts the same as one of `values`; other parts may have changed. Raises Unreadable;
    Refused where ours is in one group with others and, with `refuses_others`, where another program's entry
    has the name.
    """
    ours = {identity(value) for value in values}
    entries = documents.find(file.path.name, data, spot)
    for key, value in entries.items():
        if identity(value) in ours:
            return key, value
        if is_group(value) and not {each for one in ours for each in one}.isdisjoint(identity(value)):
            raise Refused(
                "connect.shared_group",
                f"In {file.display_name} the hook of Exacta Studio shares a group with other hooks.",
                "Move it out of that group, then try again.",
            )
    if entries and spot.name is not None and refuses_others:
        raise Refused(
            "connect.name_taken",
            f"{file.display_name} has an entry {spot.name} for another program; it was not replaced.",
            "Rename or remove that entry, then try again.",
        )
    return None


def _check_unchanged(change: FileChange) -> None:
    if read_home_file(change.file.path) != change.file:
        raise Conflict(
            "file.changed",
            f"{change.file.display_name} changed since it was shown. Nothing was written.",
            "Try again, and check the new diff.",
        )


def _back_up(client: Client, change: FileChange) -> str:
    if change.file.data is None:
        return ""
    moment = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%fZ")
    return str(write_stored_file(f"backups/{moment}-{client.name}-{change.file.path.name}", change.file.data))


def _update_record(client: str, path: Path, written: Iterable[Written]) -> None:
    others = [it for it in read_record() if (it.client, it.path) != (client, str(path))]
    record = (*others, *written)
    if record != read_record():
        write_record(record)


def _unreadable(file: HomeFile, error: Unreadable) -> Refused:
    return Refused(
        "connect.unreadable",
        f"{file.display_name} was not changed: {error}.",
        "Fix the file there, then try again.",
    )


# Check whether an agent's MCP server of our name is ours.
#
# A project may bring another one of that name. Our tools propose and never write, so no hook stops them;
# those of another server may do anything.


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
