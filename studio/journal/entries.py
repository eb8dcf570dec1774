"""Journal entry types (requests, replies, faults, records) and their JSON conversion.

A correlation id ties a reply to its request. In a store, an entry has the hash and size of its content, and
the bytes are blobs. `base` and `temporary` are what recovery needs to finish or undo a request after a crash.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable
from enum import Enum
from functools import cache
from typing import Any, cast, get_args, get_origin, get_type_hints

from studio.errors import FaultKind
from studio.journal.file_image import FileImage, sha256
from studio.names import show_name
from studio.values import Value


class CreateMode(Enum):
    """Behavior of a FileWrite for an existing and for a missing target."""

    CREATE_NEW = "CreateNew"
    CREATE_OR_REPLACE = "CreateOrReplace"
    CREATE_OR_APPEND = "CreateOrAppend"
    REPLACE_EXISTING = "ReplaceExisting"
    APPEND_EXISTING = "AppendExisting"


class Content(Value, gc=False):
    """Reference to stored bytes: SHA-256 in lower-case hex, and size."""

    sha256: str
    size: int

    @classmethod
    def of(cls, data: bytes) -> Content:
        """Return the reference to the given bytes."""
        return cls(sha256(data), len(data))


canonical_json = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode
"""Encode a value as canonical JSON, the form that hashes cover."""

Payload = bytes | Content
"""Bytes in a live journal, or a reference to stored bytes."""


class FileRead(Value):
    """Request for a file's bytes: all, or `length` bytes from `offset`."""

    correlation_id: str
    path: str
    offset: int | None = None
    length: int | None = None


class FileWrite(Value, gc=False):
    """Request to write a file.

    `content` None: the bytes follow as FileWriteChunk entries with the same id. For AppendExisting `content`
    is the appended bytes, `result` the whole file. `executable` None leaves the bit. `result`, `base` and
    `temporary` are recorded by the gateway.
    """

    correlation_id: str
    path: str
    content: Payload | None
    create_mode: CreateMode
    result: FileImage | None = None
    base: FileImage | None = None
    temporary: str = ""
    executable: bool | None = None


class FileWriteChunk(Value):
    """Part of a FileWrite's bytes.

    Parts are contiguous from 0, and exactly one, the last, is final.
    """

    correlation_id: str
    offset: int
    data: Payload
    is_final: bool


class FileList(Value):
    """Request for the entries of a folder, optionally filtered by a pattern.

    `pattern` is matched against names. With a slash it is matched against paths from the folder, and all
    folders beneath are searched.
    """

    correlation_id: str
    path: str
    pattern: str | None = None
    recursive: bool = False


class FileDelete(Value):
    """Request to remove a file or folder.

    With `if_empty`, a folder that is not empty is left alone. The gateway never sets `recursive`; it records
    `base` and `temporary`.
    """

    correlation_id: str
    path: str
    base: FileImage | None = None
    temporary: str = ""
    recursive: bool = False
    if_empty: bool = False


class FileStat(Value):
    """Request for the metadata of a path."""

    correlation_id: str
    path: str


class FileMove(Value):
    """Request to move a file, as one unit: remove `path`, write `to`."""

    correlation_id: str
    path: str
    to: str
    content: Payload
    result: FileImage
    base: FileImage
    temporary: str
    to_temporary: str


class FileModeSet(Value):
    """Request to change permission bits alone; `content` is None for a folder."""

    correlation_id: str
    path: str
    content: Payload | None
    result: FileImage
    base: FileImage
    temporary: str


class DirectoryCreate(Value):
    correlation_id: str
    path: str
    mode: int


class FileContent(Value):
    """Reply with bytes; `total_size` is the size of the whole file."""

    correlation_id: str
    content: Payload
    total_size: int
    is_partial: bool


class FileContentChunk(Value):
    """Reply with a part of a large file's bytes, from `offset`."""

    correlation_id: str
    offset: int
    data: Payload
    is_final: bool


class ListedEntry(Value):
    """Row of a listing; `modified` is UTC, ISO 8601 with Z."""

    name: str
    path: str
    is_directory: bool
    size: int
    modified: str
    is_symlink: bool = False


class FileListing(Value):
    """Reply with the entries of a folder, sorted by name."""

    correlation_id: str
    entries: tuple[ListedEntry, ...]


class FileMetadata(Value):
    """Reply with the metadata of a path.

    Times are UTC, ISO 8601 with Z; `permissions` are the mode bits.
    """

    correlation_id: str
    size: int
    modified: str
    created: str
    is_directory: bool
    permissions: int
    is_symlink: bool = False


class FileWritten(Value, gc=False):
    correlation_id: str
    path: str
    bytes_written: int
    exclusive: bool = True


class FileDeleted(Value):
    correlation_id: str
    path: str
    deleted_count: int


class FileMoved(Value):
    correlation_id: str
    path: str
    to: str
    bytes_written: int


class FileModeChanged(Value):
    correlation_id: str
    path: str
    mode: int
    exclusive: bool = True


class DirectoryCreated(Value):
    correlation_id: str
    path: str


class FileFault(Value):
    correlation_id: str
    fault_kind: FaultKind
    path: str
    message: str


class JournalUpgraded(Value):
    """Record that hashes from `from_position` on follow the rule of `schema_version`.

    That is a version of the export schema.
    """

    correlation_id: str
    from_position: int
    schema_version: str


class UndoDiscarded(Value):
    """Record that a person freed a plan's undo.

    `files` can't be rolled back any more; `contents` and `freed` bytes were removed. `seen` is how the person
    was identified.
    """

    correlation_id: str
    plan_id: str
    who: str
    seen: str
    files: int
    contents: int
    freed: int


class SessionRead(Value):
    """Record of a read by a session, without the bytes.

    `length` bytes from `offset` of a file of `size` bytes were returned; `sha256` is their hash.
    """

    correlation_id: str
    session: str
    path: str
    offset: int
    length: int
    size: int
    sha256: str


class SessionListing(Value):
    """Record of names or matching lines that a session was given.

    `count` of them beneath `path`, with the hash `sha256`; `pattern` is the query, "" for all entries of the
    folder.
    """

    correlation_id: str
    session: str
    path: str
    pattern: str
    count: int
    sha256: str


class SessionChange(Value):
    """Record of a session's direct change outside of the project.

    This version reads it and never writes it. `change` is "write", "folder", "delete", "move" or "copy";
    `path` is absolute, and so is `to`, the target of the last two. The entry precedes the change, which the
    user allowed.
    """

    correlation_id: str
    session: str
    path: str
    change: str
    to: str = ""


WritingRequest = FileWrite | FileDelete | FileMove | FileModeSet | DirectoryCreate
"""Requests that only the gateway writes to a project's journal."""

Request = WritingRequest | FileWriteChunk | FileRead | FileList | FileStat
Reply = (
    FileWritten
    | FileDeleted
    | FileMoved
    | FileModeChanged
    | DirectoryCreated
    | FileContent
    | FileContentChunk
    | FileListing
    | FileMetadata
    | FileFault
)
Record = JournalUpgraded | UndoDiscarded | SessionRead | SessionListing | SessionChange
"""Records of the store itself: no leaf carries them out or replies."""

Entry = Request | Reply | Record

REQUEST_TYPES: tuple[type[Request], ...] = get_args(Request)
REPLY_TYPES: tuple[type[Reply], ...] = get_args(Reply)
RECORD_TYPES: tuple[type[Record], ...] = get_args(Record)


def new_correlation_id() -> str:
    """Return a new request id of 32 hex digits, opaque to leaves."""
    return uuid.uuid4().hex


def _content(value: dict[str, Any] | None) -> Content | None:
    if value is None:
        return None
    content = Content(**value)
    _check_kinds(content)
    return content


def _image(value: dict[str, Any] | None) -> FileImage | None:
    if value is None:
        return None
    image = FileImage(**value)
    _check_kinds(image)
    return image


def _check_kinds(value: Entry | Content | FileImage) -> None:
    """Check the type of every field. Raises TypeError, also for negative numbers."""
    for name, kind in _kinds(type(value)).items():
        found = getattr(value, name)
        if not isinstance(found, kind) or (isinstance(found, int) and found < 0):
            raise TypeError(f"{_camel(name)} can't be {show_name(repr(found)[:40])}")


@cache
def _kinds(kind: type[Entry | Content | FileImage]) -> dict[str, Any]:
    """Return the allowed type of each field, in a form for isinstance."""
    hints = get_type_hints(kind).items()
    return {name: tuple if get_origin(hint) is tuple else hint for name, hint in hints}


def _listed(values: list[dict[str, Any]]) -> tuple[ListedEntry, ...]:
    return tuple(ListedEntry(**{_snake(name): value for name, value in fields.items()}) for fields in values)


_KINDS: tuple[type[Entry], ...] = (*REQUEST_TYPES, *REPLY_TYPES, *RECORD_TYPES)
_BY_NAME: dict[str, type[Entry]] = {kind.__name__: kind for kind in _KINDS}

# Fields whose JSON value is more than a plain string, number or bool.
_CONVERTERS: dict[str, Callable[[Any], Any]] = {
    "content": _content,
    "data": _content,
    "result": _image,
    "base": _image,
    "create_mode": CreateMode,
    "fault_kind": FaultKind,
    "entries": _listed,
}


def to_json(entry: Entry) -> str:
    """Return an entry's canonical JSON, with hash and size for bytes.

    Keys are camelCase and sorted, with `$type` first by that order, and no spaces.
    """
    kind = type(entry)
    fields = {key: _plain(getattr(entry, name)) for key, name in _FIELDS[kind]}
    return canonical_json({"$type": kind.__name__, **fields})


def from_json(text: str) -> Entry:
    """Parse an entry from the JSON of `to_json`, with references for bytes.

    Raises ValueError for any other text.
    """
    try:
        raw = cast("dict[str, Any]", json.loads(text))
        kind = _BY_NAME[raw.pop("$type")]
        fields = {_snake(name): value for name, value in raw.items()}
        entry = kind(**{name: _CONVERTERS.get(name, _same)(value) for name, value in fields.items()})
        _check_kinds(entry)
        return entry
    except (KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"not a journal entry: {error}") from error


def payload_of(entry: Entry) -> Payload | None:
    """Return an entry's bytes or the reference to them, if any."""
    match entry:
        case FileWrite() | FileMove() | FileModeSet() | FileContent():
            return entry.content
        case FileWriteChunk() | FileContentChunk():
            return entry.data
        case _:
            return None


def _same(value: Any) -> Any:
    return value


def _plain(value: object) -> object:
    if type(value) in _PLAIN:
        return value
    match value:
        case bytes():
            return _plain(Content.of(value))
        case Enum():
            return value.value
        case tuple():
            return [_plain(item) for item in cast("tuple[object, ...]", value)]
        case ListedEntry():
            return {_camel(name): getattr(value, name) for name in value.__struct_fields__}
        case Content():
            return {"sha256": value.sha256, "size": value.size}
        case FileImage():
            return {"sha256": value.sha256, "size": value.size, "mode": value.mode}
        case _:
            return value


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(part.capitalize() for part in others)


def _snake(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)


_FIELDS = {kind: [(_camel(name), name) for name in kind.__struct_fields__] for kind in _BY_NAME.values()}
"""The JSON key and the name of each field, by type."""

_PLAIN = frozenset({str, int, bool, type(None)})
