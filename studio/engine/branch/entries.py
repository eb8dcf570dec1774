"""The journal's typed entries: requests that change files, their replies, and faults (seed 1, contract 7).

Correlation ids tie a reply to its request (R59). Content stands as hash and size; the bytes are blobs in
the store. `base` and `temporary` are what recovery needs to finish or undo a request after a crash.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any, ClassVar, cast

from studio.engine.plan import FileImage


class CreateMode(Enum):
    """What a FileWrite does when the target exists, or doesn't (R74)."""

    CREATE_NEW = "CreateNew"
    CREATE_OR_REPLACE = "CreateOrReplace"
    CREATE_OR_APPEND = "CreateOrAppend"
    REPLACE_EXISTING = "ReplaceExisting"
    APPEND_EXISTING = "AppendExisting"


class FaultKind(Enum):
    """Why an operation failed (R75); the same operation on the same state gives the same kind (R76)."""

    NOT_FOUND = "NotFound"
    ALREADY_EXISTS = "AlreadyExists"
    ACCESS_DENIED = "AccessDenied"
    INVALID_PATH = "InvalidPath"
    DIRECTORY_NOT_EMPTY = "DirectoryNotEmpty"
    NOT_A_DIRECTORY = "NotADirectory"
    NOT_A_FILE = "NotAFile"
    DISK_FULL = "DiskFull"
    IO_ERROR = "IoError"
    PATH_TOO_LONG = "PathTooLong"
    TIMEOUT = "Timeout"


@dataclass(frozen=True, slots=True)
class Content:
    """Bytes by reference: SHA-256 in lower-case hex, and their number."""

    sha256: str
    size: int


@dataclass(frozen=True, slots=True)
class FileWrite:
    """Put a whole file at `path`. For AppendExisting `content` is the appended bytes, `result` the file."""

    correlation_id: str
    path: str
    content: Content
    create_mode: CreateMode
    result: FileImage
    base: FileImage | None
    temporary: str


@dataclass(frozen=True, slots=True)
class FileDelete:
    """Remove one file or one empty folder; with `if_empty` a folder that holds anything is left alone."""

    correlation_id: str
    path: str
    base: FileImage
    temporary: str
    recursive: bool = False
    if_empty: bool = False


@dataclass(frozen=True, slots=True)
class FileMove:
    """Take the file at `path` away and put `result` at `to`, as one unit (C43)."""

    correlation_id: str
    path: str
    to: str
    content: Content
    result: FileImage
    base: FileImage
    temporary: str
    to_temporary: str


@dataclass(frozen=True, slots=True)
class FileModeSet:
    """Change the permission bits; the bytes stay."""

    correlation_id: str
    path: str
    content: Content
    result: FileImage
    base: FileImage
    temporary: str


@dataclass(frozen=True, slots=True)
class DirectoryCreate:
    correlation_id: str
    path: str
    mode: int


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


Request = FileWrite | FileDelete | FileMove | FileModeSet | DirectoryCreate
Reply = FileWritten | FileDeleted | FileMoved | FileModeChanged | DirectoryCreated | FileFault
Entry = Request | Reply


def _content(value: dict[str, Any]) -> Content:
    return Content(**value)


def _image(value: dict[str, Any] | None) -> FileImage | None:
    return None if value is None else FileImage(**value)


class _Types:
    by_name: ClassVar[dict[str, type[Entry]]] = {
        kind.__name__: kind
        for kind in (
            FileWrite,
            FileDelete,
            FileMove,
            FileModeSet,
            DirectoryCreate,
            FileWritten,
            FileDeleted,
            FileMoved,
            FileModeChanged,
            DirectoryCreated,
            FileFault,
        )
    }
    # Fields whose JSON value is more than a plain string, number or bool.
    converters: ClassVar[dict[str, Callable[[Any], Any]]] = {
        "content": _content,
        "result": _image,
        "base": _image,
        "create_mode": CreateMode,
        "fault_kind": FaultKind,
    }


REQUEST_TYPES = frozenset(
    kind.__name__ for kind in (FileWrite, FileDelete, FileMove, FileModeSet, DirectoryCreate)
)


def to_json(entry: Entry) -> str:
    """The canonical JSON of an entry: `$type` first by sort order, camelCase keys, sorted, no spaces."""
    fields = {_camel(name): value for name, value in dataclasses.asdict(entry).items()}
    return json.dumps(
        {"$type": type(entry).__name__, **fields}, sort_keys=True, separators=(",", ":"), default=_value
    )


def from_json(text: str) -> Entry:
    """The entry that `to_json` wrote. Raises ValueError for any other text."""
    try:
        raw = cast("dict[str, Any]", json.loads(text))
        kind = _Types.by_name[raw.pop("$type")]
        fields = {_snake(name): value for name, value in raw.items()}
        return kind(**{name: _Types.converters.get(name, _same)(value) for name, value in fields.items()})
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"not a journal entry: {error}") from error


def _same(value: Any) -> Any:
    return value


def _value(value: object) -> object:
    if isinstance(value, Enum):
        return value.value
    raise TypeError(f"{value!r} has no place in an entry")


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(part.capitalize() for part in others)


def _snake(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)
