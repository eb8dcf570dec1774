"""What calls of the protocol give back, and its limits (R112). All values are frozen."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final, NamedTuple, Self, TypeVar

from studio.engine import limits
from studio.engine.root import EntryKind, Unseen

READ_ENTIRE_FILE: Final = -1
"""As `limit` of `read`: all lines."""

DEFAULT_READ_LINES: Final = 2000
"""Lines that `read` gives without a limit."""

CHUNK_BYTES: Final = 65_536
"""Bytes of one chunk of a stream, unless another size is asked for (R119)."""

MAX_READ_BYTES = limits.FILESYSTEM_READ_BYTES
"""Most bytes that one call of `read` gives, and `read_bytes` without a limit (R94, Q64)."""

MAX_WRITE_LENGTH = limits.FILESYSTEM_WRITE_CHARACTERS
"""Most characters that one call of `write` takes (R94)."""

MAX_WRITE_BYTES = limits.FILESYSTEM_WRITE_BYTES
"""Most bytes that one call of `write` or `write_bytes` takes (R94, T15)."""

MAX_GREP_MATCHES: Final = limits.FILESYSTEM_MATCHES_UP_TO
"""Matches that `grep` gives without a limit (R113)."""


class WriteMode(StrEnum):
    """What a write does to a file that exists (R111); the plain words serve as well."""

    CREATE = "create"
    """Refuse."""
    OVERWRITE = "overwrite"
    """Replace the whole content, keeping the mode."""
    APPEND = "append"
    """Keep the content and write behind it; a missing file is made (C11)."""


@dataclass(frozen=True, slots=True)
class PathLimits:
    """How deep and how long the names may be that a filesystem makes (R23, C8).

    `depth` counts segments, `segment` characters. What exists already beyond them can be read.
    """

    depth: int = 16
    segment: int = 80


@dataclass(frozen=True, slots=True)
class FileStat:
    """One entry. `path` is relative to the root, with slashes; "." is the root itself.

    A link, pipe, socket or device is neither file nor directory (Q65). `size_bytes` is 0 for all but
    files. Times are UTC; `created_at` is None where the system does not say, `changed_at` is when mode or
    name last changed. `mode` is the permission bits, `link_count` the number of names of the file.
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


@dataclass(frozen=True, slots=True)
class FileEntry:
    """One name in a folder; a link, pipe, socket or device is neither file nor directory (Q65)."""

    name: str
    path: str
    is_file: bool
    is_directory: bool
    is_link: bool = False


class ScannedEntry(NamedTuple):
    """One entry of a folder as a listing saw it in passing: a tuple, for there may be very many.

    `size_bytes` is 0 for all but files, times are in nanoseconds, `created_ns` is None where the system does
    not say. `is_denied`: a folder that the rules let nobody look into (Q61).
    """

    name: str
    kind: EntryKind
    size_bytes: int
    modified_ns: int
    created_ns: int | None = None
    is_denied: bool = False


@dataclass(frozen=True, slots=True)
class GlobMatch:
    """One file that a pattern matched."""

    path: str
    is_file: bool = True


@dataclass(frozen=True, slots=True)
class GrepMatch:
    """The first match in one line.

    `line_number` is 1-based; `line_content` has no line end; `match_start` and `match_end` count its
    characters, 0-based, the end not included.
    """

    path: str
    line_number: int
    line_content: str
    match_start: int
    match_end: int


@dataclass(frozen=True, slots=True)
class ReadResult:
    """A window of a text file.

    `content` has its line ends as they are in the file, but for one at its end, which is cut (C36).
    `offset` and `limit` count lines: where the window begins, 0-based, at most `total_lines`, and how many
    it holds. `truncated` when lines follow.
    """

    content: str
    path: str
    total_lines: int
    offset: int
    limit: int
    truncated: bool


@dataclass(frozen=True, slots=True)
class ReadBytesResult:
    """A window of a file, in bytes: `offset` at most `size_bytes`, `limit` as many as it holds."""

    content: bytes
    path: str
    size_bytes: int
    offset: int
    limit: int
    truncated: bool


@dataclass(frozen=True, slots=True)
class WriteResult:
    """What one write wrote; `bytes_written` are those of this call."""

    path: str
    bytes_written: int
    mode: WriteMode


@dataclass(frozen=True, slots=True)
class FilesystemSnapshot:
    """A state that can be restored (R122). `commit_ref` and `git_dir` say where it is kept."""

    snapshot_id: str
    created_at: datetime
    commit_ref: str
    root_path: str
    git_dir: str | None = None
    tag: str | None = None


T = TypeVar("T")


class Found(tuple[T, ...]):
    """What a listing or search found, sorted; equal to the tuple of the same values.

    `unseen` are names and folders that could not be looked at, each with its reason. `truncated` when a
    limit ended the search before all was found.
    """

    unseen: tuple[Unseen, ...]
    truncated: bool

    def __new__(
        cls, found: Iterable[T] = (), *, unseen: Iterable[Unseen] = (), truncated: bool = False
    ) -> Self:
        made = super().__new__(cls, found)
        made.unseen = tuple(unseen)
        made.truncated = truncated
        return made
