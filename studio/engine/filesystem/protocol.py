"""The one way in which tools reach files, whatever holds them (R110).

Paths are relative to the root, with slashes; a leading slash, "//" and "." are left out, ".." is resolved
in the text, and what would leave the root is refused (C1, C2). Links are never followed. The same call
gives the same verdict, the same exception and the same sentence on every backend. An object belongs to
one thread (C30).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import Protocol, Self, runtime_checkable

from studio.engine.filesystem.types import (
    CHUNK_BYTES,
    MAX_GREP_MATCHES,
    FileEntry,
    FileStat,
    FilesystemSnapshot,
    Found,
    GlobMatch,
    GrepMatch,
    ReadBytesResult,
    ReadResult,
    ScannedEntry,
    WriteMode,
    WriteResult,
)


class _Stream(Protocol):
    @property
    def path(self) -> str: ...

    @property
    def closed(self) -> bool: ...

    def close(self) -> None: ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class ByteReader(_Stream, Protocol):
    """The bytes of a file as it was when it was opened; iteration gives chunks of 64 KiB (R92, R119).

    After `close` every call but `close` and `closed` raises ValueError "I/O operation on closed file".
    """

    @property
    def size(self) -> int:
        """Bytes of the file when it was opened."""
        ...

    @property
    def position(self) -> int:
        """Offset in bytes of what is read next, 0-based."""
        ...

    def read(self, size: int = -1) -> bytes:
        """At most `size` bytes, all that are left for -1, b"" at the end.

        Raises a FileError that says where when the file has become shorter, or its disk fails.
        """
        ...

    def seek(self, offset: int, whence: int = 0) -> int:
        """Go to an offset from the start (0), the position (1) or the end (2), and return it.

        Raises ValueError for another `whence`, and for what lies before the start or behind the end.
        """
        ...

    def chunks(self, size: int = CHUNK_BYTES) -> Iterator[bytes]:
        """What is left in pieces of `size` bytes, the last one shorter."""
        ...

    def __iter__(self) -> Iterator[bytes]: ...


class ByteWriter(_Stream, Protocol):
    """New bytes for a file, which has them all when it is closed; nobody sees a part before (R91, R131).

    Leaving the `with` block by an exception discards them: the file is as it was, or is not there.
    """

    @property
    def bytes_written(self) -> int:
        """Bytes taken by this stream; those an append keeps don't count."""
        ...

    def write(self, data: bytes) -> int:
        """Take bytes, and return how many. Raises a FileError when they can't be kept."""
        ...

    def write_all(self, chunks: Iterable[bytes]) -> int:
        """Take every chunk in order, and return how many bytes they are; none is kept beside.

        Raises as `write`, and what `chunks` raises: the stream is discarded then.
        """
        ...

    def seek(self, offset: int, whence: int = 0) -> int:
        """Always raises OSError "Illegal seek"."""
        ...

    def discard(self) -> None:
        """Close without any effect on the file."""
        ...


class TextReader(_Stream, Protocol):
    """The lines of a UTF-8 file, decoded as they are read, with the line ends they have (T5).

    A line ends at LF. Raises UnicodeDecodeError that names the file and the byte.
    """

    @property
    def encoding(self) -> str: ...

    @property
    def line_number(self) -> int:
        """Lines read so far."""
        ...

    def read(self, size: int = -1) -> str:
        """At most `size` characters, all that are left for -1, "" at the end."""
        ...

    def readline(self) -> str:
        """The next line with its end, "" at the end of the file."""
        ...

    def lines(self, *, strip: bool = False) -> Iterator[str]:
        """The lines that are left; `strip` takes blanks and line ends off their ends."""
        ...

    def __iter__(self) -> Iterator[str]: ...


@runtime_checkable
class Filesystem(Protocol):
    """Files beneath one root. Every path argument raises InvalidPath (a ValueError) or PathTraversal."""

    @property
    def root(self) -> str:
        """Where the files are, for display only."""
        ...

    @property
    def read_only(self) -> bool:
        """Whether every change is refused with PermissionError (R6)."""
        ...

    def open_read(self, path: str) -> ByteReader:
        """Raises FileNotFoundError, IsADirectoryError, NotADirectoryError, PermissionError."""
        ...

    def open_write(
        self, path: str, mode: str = WriteMode.OVERWRITE, create_parents: bool = True
    ) -> ByteWriter:
        """A stream whose bytes are the file, or are behind the file's, once it is closed.

        Raises FileExistsError (create), FileNotFoundError (no folder and no `create_parents`),
        IsADirectoryError, NotADirectoryError, PermissionError, ValueError (root, mode, limits).
        """
        ...

    def open_text(self, path: str, encoding: str = "utf-8") -> TextReader:
        """Raises as `open_read`, and ValueError for an encoding other than UTF-8 (R115)."""
        ...

    def read_bytes(self, path: str, offset: int = 0, limit: int | None = None) -> ReadBytesResult:
        """Bytes from `offset` (0-based), at most `limit`; an offset behind the end is the end.

        Raises as `open_read`, ValueError for negative numbers, and for more than MAX_READ_BYTES when no
        limit is given (Q64).
        """
        ...

    def read(
        self, path: str, offset: int = 0, limit: int | None = None, encoding: str = "utf-8"
    ) -> ReadResult:
        """Lines from `offset` (0-based), at most `limit`, 2,000 without one; READ_ENTIRE_FILE for all.

        Raises as `open_text`, ValueError for negative numbers (Q66) and for more than MAX_READ_BYTES,
        UnicodeDecodeError.
        """
        ...

    def write_bytes(
        self, path: str, content: bytes, mode: str = WriteMode.OVERWRITE, create_parents: bool = True
    ) -> WriteResult:
        """Raises as `open_write`, and ValueError for more than MAX_WRITE_BYTES."""
        ...

    def write(
        self, path: str, content: str, mode: str = WriteMode.OVERWRITE, create_parents: bool = True
    ) -> WriteResult:
        """Write text as UTF-8, exactly as given. Raises as `write_bytes`."""
        ...

    def exists(self, path: str) -> bool:
        """Whether something is there, a link itself and not where it leads; outside of the root nothing is
        (C38). Raises PermissionError where that can't be seen."""
        ...

    def stat(self, path: str) -> FileStat:
        """Raises FileNotFoundError, PermissionError."""
        ...

    def list(self, path: str = ".") -> Found[FileEntry]:
        """The entries of a folder by name. Raises FileNotFoundError, NotADirectoryError, PermissionError."""
        ...

    def scan(self, path: str = ".") -> Found[ScannedEntry]:
        """The entries of a folder by name, each with its size and times, in one look (ours).

        A folder that the rules deny is among them, marked. Raises as `list`.
        """
        ...

    def glob(self, pattern: str, path: str = ".") -> Found[GlobMatch]:
        """Files beneath a folder whose path from there matches (C35); none where the folder is missing.

        Raises ValueError for a pattern that can't be read.
        """
        ...

    def grep(
        self, pattern: str, path: str = ".", glob: str | None = None, max_matches: int = MAX_GREP_MATCHES
    ) -> Found[GrepMatch]:
        """Lines that a regular expression matches, in text files beneath a folder, or in one file (R113).

        Sorted by path and line. Raises ValueError for a pattern that can't be read, TimeoutError for one
        that does not come to an end.
        """
        ...

    def delete(self, path: str, recursive: bool = False) -> None:
        """Raises FileNotFoundError, IsADirectoryError for a folder that is not empty unless `recursive`,
        PermissionError (also for the root)."""
        ...

    def mkdir(self, path: str, parents: bool = True, exist_ok: bool = True) -> None:
        """Make a folder; on the root nothing happens.

        Raises FileExistsError (a file, or a folder without `exist_ok`), FileNotFoundError (no folder above
        and no `parents`), NotADirectoryError, PermissionError, ValueError (limits).
        """
        ...

    def move(self, source: str, destination: str, overwrite: bool = False) -> None:
        """Give a file or folder another path, with the folders above it.

        Raises FileNotFoundError, FileExistsError unless `overwrite` and both are files, PermissionError,
        ValueError for a folder into itself.
        """
        ...

    def copy(self, source: str, destination: str, overwrite: bool = False) -> None:
        """Copy one file with its mode (ours). Raises as `move`, and IsADirectoryError for a folder."""
        ...


@runtime_checkable
class SnapshotableFilesystem(Filesystem, Protocol):
    """A filesystem whose whole state can be kept and brought back (R121)."""

    def snapshot(self, tag: str | None = None) -> FilesystemSnapshot:
        """Keep the current state."""
        ...

    def restore(self, snapshot: FilesystemSnapshot) -> None:
        """Bring a kept state back, all of it or nothing."""
        ...
