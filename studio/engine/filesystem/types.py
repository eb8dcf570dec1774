"""Result values and limits of the filesystem protocol; all are immutable."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from enum import StrEnum
from typing import Final, Self, TypeVar

from studio import limits
from studio.engine.root import EntryKind, Unseen
from studio.values import Value

READ_ENTIRE_FILE: Final = -1
"""Value of `limit` in `read` for all lines."""

DEFAULT_READ_LINES: Final = 2000
"""Lines that `read` returns without a limit."""

CHUNK_BYTES: Final = 65_536
"""Default size of a stream's chunks in bytes."""

MAX_READ_BYTES = limits.FILESYSTEM_READ_BYTES
"""Maximum that one call of `read` returns, and `read_bytes` without a limit."""

MAX_WRITE_LENGTH = limits.FILESYSTEM_WRITE_CHARACTERS
"""Maximum of characters in one call of `write`."""

MAX_WRITE_BYTES = limits.FILESYSTEM_WRITE_BYTES
"""Maximum of bytes in one call of `write` or `write_bytes`."""

MAX_GREP_MATCHES: Final = limits.FILESYSTEM_MATCHES_UP_TO
"""Matches that `grep` returns without a limit."""


class WriteMode(StrEnum):
    """What a write does to an existing file; plain strings are accepted."""

    CREATE = "create"
    """Refuse to write."""
    OVERWRITE = "overwrite"
    """Replace the whole content, keeping the mode."""
    APPEND = "append"
    """Keep the content and write after it; a missing file is created."""


class PathLimits(Value):
    """Maximum depth and name length of paths that a filesystem creates.

    `depth` counts segments, `segment` characters. What exists already beyond them can be read.
    """

    depth: int = 16
    segment: int = 80


class FileStat(Value):
    """Metadata of one entry; `path` is relative, "." for the root.

    A link, pipe, socket or device is neither file nor directory. `size_bytes` is 0 for all but files. Times
    are UTC; `created_at` is None where the system does not report it, `changed_at` is when mode or name last
    changed. `mode` is the permission bits, `link_count` the number of names of the file.
    """

    path: str
    is_file: bool
    is_directory: bool
    size_bytes: int
    created_at: datetime | None
    modified_at: datetime | None
    changed_at: datetime | None
    mode: int
    is_link: bool
    link_count: int


class FileEntry(Value):
    """A folder entry; links, pipes, sockets and devices are neither type."""

    name: str
    path: str
    is_file: bool
    is_directory: bool
    is_link: bool = False


class ScannedEntry(Value, gc=False):
    """One row of a folder listing.

    `size_bytes` is 0 for all but files, times are in nanoseconds, `created_ns` is None where the system does
    not report it. `is_denied` marks a folder that the rules forbid to enter.
    """

    name: str
    kind: EntryKind
    size_bytes: int
    modified_ns: int
    created_ns: int | None = None
    is_denied: bool = False


class GlobMatch(Value):
    """One file that a pattern matched."""

    path: str
    is_file: bool = True


class GrepMatch(Value):
    """The first match in one line.

    `line_number` is 1-based; `line_content` has no line end; `match_start` and `match_end` count its
    characters, 0-based, the end not included.
    """

    path: str
    line_number: int
    line_content: str
    match_start: int
    match_end: int


class ReadResult(Value):
    """A range of lines of a text file.

    `content` has the file's own line ends, but without the last one. `offset` and `limit` count lines: where
    the range begins, 0-based, at most `total_lines`, and its length. `truncated` when lines follow.
    """

    content: str
    path: str
    total_lines: int
    offset: int
    limit: int
    truncated: bool


class ReadBytesResult(Value):
    """A range of bytes of a file.

    `offset` is at most `size_bytes`, `limit` the number of bytes returned.
    """

    content: bytes
    path: str
    size_bytes: int
    offset: int
    limit: int
    truncated: bool


class WriteResult(Value):
    """Result of one write; `bytes_written` are those of this call."""

    path: str
    bytes_written: int
    mode: WriteMode


class FilesystemSnapshot(Value):
    """A snapshot; `commit_ref` and `git_dir` locate it."""

    snapshot_id: str
    created_at: datetime
    commit_ref: str
    root_path: str
    git_dir: str | None = None
    tag: str | None = None


T = TypeVar("T")


class Results(tuple[T, ...]):
    """Sorted results of a listing or search; equal to a plain tuple.

    `unseen` are names and folders that could not be read, each with its reason. `truncated` when a limit
    ended the search early.
    """

    unseen: tuple[Unseen, ...]
    truncated: bool

    def __new__(
        cls, found: Iterable[T] = (), *, unseen: Iterable[Unseen] = (), truncated: bool = False
    ) -> Self:
        result = super().__new__(cls, found)
        result.unseen = tuple(unseen)
        result.truncated = truncated
        return result
