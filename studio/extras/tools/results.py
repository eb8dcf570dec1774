"""Frozen result types of the file system tool."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import ClassVar, Literal

from msgspec import field

from studio.engine.filesystem import ScannedEntry
from studio.engine.root import EntryKind
from studio.errors import StudioError
from studio.extras.tools.shapes import ANY, Field, Kind, Shape
from studio.values import Value

EntryType = Literal["file", "directory", "link", "other"]

_UNSEEN = Shape(
    "UnseenEntry",
    (
        Field("path", Kind.STRING, "Path of the entry."),
        Field("reason", Kind.STRING, "Why it is not listed, in one sentence."),
    ),
)


def now() -> datetime:
    """Return the current time in UTC."""
    return datetime.now(UTC)


def utc(nanoseconds: int) -> datetime:
    """Convert a system time in nanoseconds to a datetime in UTC."""
    return datetime.fromtimestamp(nanoseconds / 1e9, UTC)


def extension_of(name: str) -> str | None:
    """Return the extension with its dot; ".profile" has none."""
    stem, dot, ending = name.rpartition(".")
    return f".{ending}" if dot and stem and ending else None


class FileContentResult(Value):
    """Contents of a text file.

    `content` has no byte order mark, and the line ends of the file. `size_bytes`, `line_count` and `checksum`
    are of the whole file, however much of it was requested.
    """

    path: str
    content: str
    encoding: str
    size_bytes: int
    line_count: int
    last_modified: datetime
    checksum: str
    truncated: bool = False

    SHAPE: ClassVar[Shape] = Shape(
        "FileContentResult",
        (
            Field("path", Kind.STRING, "Path of the file."),
            Field("content", Kind.STRING, "The text, without a byte order mark, with its own line ends."),
            Field("encoding", Kind.STRING, "The encoding used to read the file."),
            Field("size_bytes", Kind.INTEGER, "Size of the complete file, in bytes."),
            Field("line_count", Kind.INTEGER, "Number of lines in the file; a line ends at LF."),
            Field("last_modified", Kind.TIME, "When the file was last changed."),
            Field("checksum", Kind.STRING, "SHA-256 of the file's bytes, in hexadecimal."),
            Field("truncated", Kind.BOOLEAN, "Whether lines behind those in content were left out."),
        ),
    )


class FileSystemItem(Value, gc=False):
    """One file or folder of a listing, with details computed on access."""

    path: str
    entry: ScannedEntry

    SHAPE: ClassVar[Shape] = Shape(
        "FileSystemItem",
        (
            Field("name", Kind.STRING, "Name of the file or folder."),
            Field("path", Kind.STRING, "Path, in the same form as for other operations."),
            Field("type", Kind.STRING, 'Either "file" or "directory".'),
            Field("size_bytes", Kind.INTEGER, "Bytes of a file, 0 for a folder."),
            Field("created", Kind.TIME, "When it was created; null if the system does not provide it.", True),
            Field("modified", Kind.TIME, "When it was last changed."),
            Field("extension", Kind.STRING, "Ending of a file's name with its dot; null for none.", True),
            Field("is_hidden", Kind.BOOLEAN, "Whether its name begins with a dot."),
        ),
    )

    @property
    def name(self) -> str:
        return self.entry.name

    @property
    def type(self) -> Literal["file", "directory"]:
        return "directory" if self.entry.kind is EntryKind.FOLDER else "file"

    @property
    def size_bytes(self) -> int:
        return self.entry.size_bytes

    @property
    def created(self) -> datetime | None:
        return None if self.entry.created_ns is None else utc(self.entry.created_ns)

    @property
    def modified(self) -> datetime:
        return utc(self.entry.modified_ns)

    @property
    def extension(self) -> str | None:
        return extension_of(self.name) if self.entry.kind is EntryKind.FILE else None

    @property
    def is_hidden(self) -> bool:
        return self.name.startswith(".")


class UnseenEntry(Value):
    """An entry that a listing could not or may not include."""

    path: str
    reason: str

    SHAPE: ClassVar[Shape] = _UNSEEN


class DirectoryListingResult(Value):
    """Files and folders; the totals are of `items` alone.

    `truncated` is set where there are more.
    """

    path: str
    items: tuple[FileSystemItem, ...]
    total_files: int
    total_directories: int
    total_size_bytes: int
    truncated: bool
    unseen: tuple[UnseenEntry, ...] = ()

    SHAPE: ClassVar[Shape] = Shape(
        "DirectoryListingResult",
        (
            Field("path", Kind.STRING, "Path of the folder."),
            Field("items", Kind.LIST, "Files and folders.", shape=FileSystemItem.SHAPE),
            Field("total_files", Kind.INTEGER, "Number of files among the items."),
            Field("total_directories", Kind.INTEGER, "Folders among the items."),
            Field("total_size_bytes", Kind.INTEGER, "Total size of all files among the items, in bytes."),
            Field("truncated", Kind.BOOLEAN, "Whether there are more items than one listing gives."),
            Field("unseen", Kind.LIST, "What is there and is not listed, with the reason.", shape=_UNSEEN),
        ),
    )


class FileInfoResult(Value):
    """Metadata of one file or folder, without reading it."""

    path: str
    name: str
    type: EntryType
    size_bytes: int
    created: datetime | None
    modified: datetime | None
    permissions: str
    extension: str | None
    is_hidden: bool

    SHAPE: ClassVar[Shape] = Shape(
        "FileInfoResult",
        (
            Field("path", Kind.STRING, "Path of the file or folder."),
            Field("name", Kind.STRING, "Its name."),
            Field("type", Kind.STRING, 'One of "file", "directory", "link" and "other".'),
            Field("size_bytes", Kind.INTEGER, "Bytes of a file, 0 for all else."),
            Field("created", Kind.TIME, "When it was created; null if the system does not provide it.", True),
            Field("modified", Kind.TIME, "When it was last changed.", True),
            Field("permissions", Kind.STRING, "Permission bits as four octal digits, such as 0644."),
            Field("extension", Kind.STRING, "Ending of a file's name with its dot; null for none.", True),
            Field("is_hidden", Kind.BOOLEAN, "Whether its name begins with a dot."),
        ),
    )


class FileExistsResult(Value):
    """Whether something is at a path that may be read."""

    path: str
    exists: bool

    SHAPE: ClassVar[Shape] = Shape(
        "FileExistsResult",
        (
            Field("path", Kind.STRING, "The path as it was given."),
            Field("exists", Kind.BOOLEAN, "Also false for a refused path."),
        ),
    )


class SearchMatch(Value):
    """The first match in a line.

    `line_number` counts from 1, the other positions are characters from 0.
    """

    path: str
    line_number: int
    line: str
    match_start: int
    match_end: int

    SHAPE: ClassVar[Shape] = Shape(
        "SearchMatch",
        (
            Field("path", Kind.STRING, "Path of the file."),
            Field("line_number", Kind.INTEGER, "Line number, from 1."),
            Field("line", Kind.STRING, "The line without its end."),
            Field("match_start", Kind.INTEGER, "Character at which the match begins, from 0."),
            Field("match_end", Kind.INTEGER, "Character behind the match."),
        ),
    )


class SearchResult(Value):
    """Matching lines by path and line; `truncated` where there are more."""

    path: str
    matches: tuple[SearchMatch, ...]
    truncated: bool
    unseen: tuple[UnseenEntry, ...] = ()

    SHAPE: ClassVar[Shape] = Shape(
        "SearchResult",
        (
            Field("path", Kind.STRING, "Path of the folder."),
            Field("matches", Kind.LIST, "Lines that match.", shape=SearchMatch.SHAPE),
            Field("truncated", Kind.BOOLEAN, "Whether there are more."),
            Field("unseen", Kind.LIST, "Files that were not searched, with the reason.", shape=_UNSEEN),
        ),
    )


class FileOperationResult(Value):
    """Outcome of a change.

    `state` is "done" where it is already written, "unchanged" where there was nothing to do, else the plan's:
    "pending" until a person decides. In a session's files there is no backup: rolling back `plan` restores
    the previous contents.
    """

    success: bool
    operation: str
    path: str
    size_bytes: int | None = None
    backup_path: str | None = None
    timestamp: datetime = field(default_factory=now)
    plan: str | None = None
    state: str = "done"

    SHAPE: ClassVar[Shape] = Shape(
        "FileOperationResult",
        (
            Field("success", Kind.BOOLEAN, "True: treat failures as errors."),
            Field("operation", Kind.STRING, "Name of the operation."),
            Field("path", Kind.STRING, "Path of the changed entry; for a copy or move, the new path."),
            Field("size_bytes", Kind.INTEGER, "Bytes of the file as it is now; null for none.", True),
            Field("backup_path", Kind.STRING, "Where the file is that was replaced; null for none.", True),
            Field("timestamp", Kind.TIME, "When it was run or proposed."),
            Field("plan", Kind.STRING, "Id of the plan that a person decides; null for none.", True),
            Field("state", Kind.STRING, 'State of that plan; otherwise "done" or "unchanged".'),
        ),
    )


class FileOperationError(Value):
    """Why one of many operations failed."""

    code: str
    message: str
    hint: str
    path: str | None

    SHAPE: ClassVar[Shape] = Shape(
        "FileOperationError",
        (
            Field("code", Kind.STRING, "What happened, for programs."),
            Field("message", Kind.STRING, "What happened, in one sentence."),
            Field("hint", Kind.STRING, "What to do next."),
            Field("path", Kind.STRING, "The intended path.", True),
        ),
    )

    @classmethod
    def of(cls, error: StudioError) -> FileOperationError:
        return cls(error.code, error.message, error.hint, error.path)


class BulkItem(Value):
    """Outcome of one of many operations: result as JSON, or error."""

    operation: str
    success: bool
    result: dict[str, object] | None = None
    error: FileOperationError | None = None

    SHAPE: ClassVar[Shape] = Shape(
        "BulkItem",
        (
            Field("operation", Kind.STRING, "Name of the operation."),
            Field("success", Kind.BOOLEAN, "Whether it was run."),
            Field("result", Kind.OBJECT, "What it gave.", True, shape=ANY),
            Field("error", Kind.OBJECT, "Why it returned nothing.", True, shape=FileOperationError.SHAPE),
        ),
    )


class BulkResult(Value):
    """Outcome of many operations; `plan` and `state` as for one."""

    items: tuple[BulkItem, ...]
    truncated: bool
    timestamp: datetime = field(default_factory=now)
    plan: str | None = None
    state: str = "done"

    SHAPE: ClassVar[Shape] = Shape(
        "BulkResult",
        (
            Field("items", Kind.LIST, "One for each operation, in order.", shape=BulkItem.SHAPE),
            Field("truncated", Kind.BOOLEAN, "Whether operations behind the last item were left out."),
            Field("timestamp", Kind.TIME, "When they were run or proposed."),
            Field("plan", Kind.STRING, "Id of the plan that a person decides; null for none.", True),
            Field("state", Kind.STRING, 'State of that plan; otherwise "done" or "unchanged".'),
        ),
    )
