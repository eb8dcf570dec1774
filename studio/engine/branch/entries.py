"""The journal's typed entries: requests, their replies and faults, and the store's own records (contract 7).

Correlation ids tie a reply to its request (R59). In a store, content stands as hash and size and the bytes
are blobs. `base` and `temporary` are what recovery needs to finish or undo a request after a crash.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import Any, cast, get_args, get_origin, get_type_hints

from studio.engine.errors import FaultKind
from studio.engine.names import show_name
from studio.engine.plan import FileImage, sha256


class CreateMode(Enum):
    """What a FileWrite does when the target exists, or doesn't (R74)."""

    CREATE_NEW = "CreateNew"
    CREATE_OR_REPLACE = "CreateOrReplace"
    CREATE_OR_APPEND = "CreateOrAppend"
    REPLACE_EXISTING = "ReplaceExisting"
    APPEND_EXISTING = "AppendExisting"


@dataclass(frozen=True, slots=True)
class Content:
    """Bytes by reference: SHA-256 in lower-case hex, and their number."""

    sha256: str
    size: int

    @classmethod
    def of(cls, data: bytes) -> Content:
        """The reference to some bytes."""
        return cls(sha256(data), len(data))


canonical_json = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode
"""The one spelling of a value in JSON: what hashes cover (contract 7)."""

Payload = bytes | Content
"""Bytes as they travel on a live journal, or the reference to where they are stored (C24)."""


@dataclass(frozen=True, slots=True)
class FileRead:
    """Ask for a file's bytes: all, or `length` of them from `offset`, both in bytes (R60)."""

    correlation_id: str
    path: str
    offset: int | None = None
    length: int | None = None


@dataclass(frozen=True, slots=True)
class FileWrite:
    """Put bytes at `path` (R61). `content` None: they follow as FileWriteChunk entries with the same id.

    For AppendExisting `content` is the appended bytes, `result` the file. `executable` None leaves the bit.
    `result`, `base` and `temporary` are recorded by the gateway.
    """

    correlation_id: str
    path: str
    content: Payload | None
    create_mode: CreateMode
    result: FileImage | None = None
    base: FileImage | None = None
    temporary: str = ""
    executable: bool | None = None


@dataclass(frozen=True, slots=True)
class FileWriteChunk:
    """A part of the bytes of a FileWrite; contiguous from 0, exactly one of them final (R71, C32)."""

    correlation_id: str
    offset: int
    data: Payload
    is_final: bool


@dataclass(frozen=True, slots=True)
class FileList:
    """Ask for the entries of a folder whose names match `pattern`, or whose paths from it do where that has
    a slash: then those of all folders beneath (R62, R195, C35)."""

    correlation_id: str
    path: str
    pattern: str | None = None
    recursive: bool = False


@dataclass(frozen=True, slots=True)
class FileDelete:
    """Remove a file or a folder (R63); with `if_empty` a folder that holds anything is left alone.

    The gateway never asks for `recursive`; `base` and `temporary` are recorded by it.
    """

    correlation_id: str
    path: str
    base: FileImage | None = None
    temporary: str = ""
    recursive: bool = False
    if_empty: bool = False


@dataclass(frozen=True, slots=True)
class FileStat:
    """Ask what is at a path (R64)."""

    correlation_id: str
    path: str


@dataclass(frozen=True, slots=True)
class FileMove:
    """Take the file at `path` away and put `result` at `to`, as one unit (C43)."""

    correlation_id: str
    path: str
    to: str
    content: Payload
    result: FileImage
    base: FileImage
    temporary: str
    to_temporary: str


@dataclass(frozen=True, slots=True)
class FileModeSet:
    """Change the permission bits; the bytes stay. `content` None: those of a folder."""

    correlation_id: str
    path: str
    content: Payload | None
    result: FileImage
    base: FileImage
    temporary: str


@dataclass(frozen=True, slots=True)
class DirectoryCreate:
    correlation_id: str
    path: str
    mode: int


@dataclass(frozen=True, slots=True)
class FileContent:
    """Bytes that were read. `total_size` is the size of the file, not of the reply (R65, Q43)."""

    correlation_id: str
    content: Payload
    total_size: int
    is_partial: bool


@dataclass(frozen=True, slots=True)
class FileContentChunk:
    """A part of a large file's bytes, from `offset` (R71)."""

    correlation_id: str
    offset: int
    data: Payload
    is_final: bool


@dataclass(frozen=True, slots=True)
class ListedEntry:
    """One row of a listing; `modified` is UTC, ISO-8601 with Z (Q45)."""

    name: str
    path: str
    is_directory: bool
    size: int
    modified: str
    is_symlink: bool = False


@dataclass(frozen=True, slots=True)
class FileListing:
    """The entries of a folder, sorted by name (R67)."""

    correlation_id: str
    entries: tuple[ListedEntry, ...]


@dataclass(frozen=True, slots=True)
class FileMetadata:
    """What is at a path; times are UTC, ISO-8601 with Z, `permissions` the mode bits (R69)."""

    correlation_id: str
    size: int
    modified: str
    created: str
    is_directory: bool
    permissions: int
    is_symlink: bool = False


@dataclass(frozen=True, slots=True)
class FileWritten:
    correlation_id: str
    path: str
    bytes_written: int
    exclusive: bool = True


@dataclass(frozen=True, slots=True)
class FileDeleted:
    correlation_id: str
    path: str
    deleted_count: int


@dataclass(frozen=True, slots=True)
class FileMoved:
    correlation_id: str
    path: str
    to: str
    bytes_written: int


@dataclass(frozen=True, slots=True)
class FileModeChanged:
    correlation_id: str
    path: str
    mode: int
    exclusive: bool = True


@dataclass(frozen=True, slots=True)
class DirectoryCreated:
    correlation_id: str
    path: str


@dataclass(frozen=True, slots=True)
class FileFault:
    correlation_id: str
    fault_kind: FaultKind
    path: str
    message: str


@dataclass(frozen=True, slots=True)
class JournalUpgraded:
    """From this position on hashes are made by the rule of that version of exports (contract 7)."""

    correlation_id: str
    from_position: int
    schema_version: str


@dataclass(frozen=True, slots=True)
class UndoDiscarded:
    """A person freed a plan's undo: so many files can't be taken back any more, so many contents and bytes
    are gone. `seen` is how that person was."""

    correlation_id: str
    plan_id: str
    who: str
    seen: str
    files: int
    contents: int
    freed: int


@dataclass(frozen=True, slots=True)
class SessionRead:
    """A session was given `length` bytes from `offset`, with this hash, of a file of `size` bytes: request
    and reply in one, without the bytes (contract 7)."""

    correlation_id: str
    session: str
    path: str
    offset: int
    length: int
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class SessionListing:
    """A session was given so many names, or matching lines, beneath a folder: `sha256` is the hash of them,
    `pattern` what it asked for, "" for all that is in the folder."""

    correlation_id: str
    session: str
    path: str
    pattern: str
    count: int
    sha256: str


@dataclass(frozen=True, slots=True)
class SessionChange:
    """A session is about to change something outside of the project, at once, where the user allowed that
    (C15). `change` is "write", "folder", "delete", "move" or "copy"; `path` is absolute, and so is `to`, the
    far end of the last two."""

    correlation_id: str
    session: str
    path: str
    change: str
    to: str = ""


WritingRequest = FileWrite | FileDelete | FileMove | FileModeSet | DirectoryCreate
"""What the gateway asks for, and nobody else of a project's journal (design 1)."""

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
"""What a store notes of itself: no leaf is asked for it and none answers."""

Entry = Request | Reply | Record

REQUEST_TYPES: tuple[type[Request], ...] = get_args(Request)
REPLY_TYPES: tuple[type[Reply], ...] = get_args(Reply)
RECORD_TYPES: tuple[type[Record], ...] = get_args(Record)


def new_correlation_id() -> str:
    """A fresh id for a request: 32 hex digits; to leaves it is opaque (R59)."""
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
    """Whether every field holds what its type says, and no number is negative. Raises TypeError."""
    for name, kind in _kinds(type(value)).items():
        found = getattr(value, name)
        if not isinstance(found, kind) or (isinstance(found, int) and found < 0):
            raise TypeError(f"{_camel(name)} can't be {show_name(repr(found)[:40])}")


@cache
def _kinds(kind: type[Entry | Content | FileImage]) -> dict[str, Any]:
    """By name of a field what it may hold, as isinstance wants it."""
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
    """The canonical JSON of an entry: `$type` first by sort order, camelCase keys, sorted, no spaces; bytes
    as hash and size (contract 7)."""
    kind = type(entry)
    fields = {key: _plain(getattr(entry, name)) for key, name in _FIELDS[kind]}
    return canonical_json({"$type": kind.__name__, **fields})


def from_json(text: str) -> Entry:
    """The entry that `to_json` wrote, with references for bytes. Raises ValueError for any other text."""
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
    """The bytes, or the reference to them, that an entry carries; None if it carries none."""
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
            return {_camel(name): getattr(value, name) for name in value.__dataclass_fields__}
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


_FIELDS = {kind: [(_camel(name), name) for name in kind.__dataclass_fields__] for kind in _BY_NAME.values()}
"""The key in JSON and the name of each field, by type."""

_PLAIN = frozenset({str, int, bool, type(None)})
