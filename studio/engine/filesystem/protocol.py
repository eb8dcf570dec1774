"""Abstract filesystem interface for tools: files, streams, search, snapshots.

Paths are relative to the root, with slashes; a leading slash, "//" and "." are dropped, ".." is resolved in
the text, and what would leave the root is refused. Links are never followed. The same call gives the same
verdict, the same exception and the same message on every backend. An object belongs to one thread.
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
    GlobMatch,
    GrepMatch,
    ReadBytesResult,
    ReadResult,
    Results,
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
    """The bytes of a file as of opening; iterates in chunks.

    Chunks have 64 KiB. After `close` every call but `close` and `closed` raises ValueError "I/O operation on
    closed file".
    """

    @property
    def size(self) -> int:
        """Size of the file in bytes when it was opened."""
        ...

    @property
    def position(self) -> int:
        """The 0-based offset in bytes of the next read."""
        ...

    def read(self, size: int = -1) -> bytes:
        """Return at most `size` bytes, the rest for -1, b"" at end.

        Raises a FileError with the position when the file has become shorter, or its disk fails.
        """
        ...

    def seek(self, offset: int, whence: int = 0) -> int:
        """Move to an offset, and return the new position.

        It counts from the start (0), the position (1) or the end (2). Raises ValueError for another `whence`,
        and for a position before the start or after the end.
        """
        ...

    def chunks(self, size: int = CHUNK_BYTES) -> Iterator[bytes]:
        """Yield the rest in pieces of `size` bytes, the last one shorter."""
        ...

    def __iter__(self) -> Iterator[bytes]: ...


class ByteWriter(_Stream, Protocol):
    """New content of a file, installed atomically on close.

    Leaving the `with` block by an exception discards it: the file is unchanged, or does not exist.
    """

    @property
    def bytes_written(self) -> int:
        """Bytes written by this stream; those that an append keeps don't count."""
        ...

    def write(self, data: bytes) -> int:
        """Write bytes, and return how many. Raises a FileError on failure."""
        ...

    def write_all(self, chunks: Iterable[bytes]) -> int:
        """Write chunks in order without buffering; return the number of bytes.

        Raises as `write`, and what `chunks` raises: the stream is discarded then.
        """
        ...

    def seek(self, offset: int, whence: int = 0) -> int:
        """Raise OSError "Illegal seek", always."""
        ...

    def discard(self) -> None:
        """Close without any effect on the file."""
        ...


class TextReader(_Stream, Protocol):
    """The lines of a UTF-8 file, decoded as read, line ends unchanged.

    A line ends at LF. Raises UnicodeDecodeError that names the file and the byte.
    """

    @property
    def encoding(self) -> str:
        """The name of the encoding."""
        ...

    @property
    def line_number(self) -> int:
        """The number of lines read so far."""
        ...

    def read(self, size: int = -1) -> str:
        """Return at most `size` characters, all for -1, "" at the end."""
        ...

    def readline(self) -> str:
        """Return the next line with its end, "" at end of file."""
        ...

    def lines(self, *, strip: bool = False) -> Iterator[str]:
        """Yield the remaining lines; `strip` removes trailing white space."""
        ...

    def __iter__(self) -> Iterator[str]: ...


@runtime_checkable
class Filesystem(Protocol):
    """Files beneath one root.

    Every path argument raises InvalidPath (a ValueError) or PathTraversal.
    """

    @property
    def root(self) -> str:
        """Location of the files, for display only."""
        ...

    @property
    def read_only(self) -> bool:
        """Whether every change is refused with PermissionError."""
        ...

    def open_read(self, path: str) -> ByteReader:
        """Open a file for reading.

        Raises FileNotFoundError, IsADirectoryError, NotADirectoryError, PermissionError.
        """
        ...

    def open_write(
        self, path: str, mode: str = WriteMode.OVERWRITE, create_parents: bool = True
    ) -> ByteWriter:
        """Open a file for writing; its content changes on close.

        Raises FileExistsError (create), FileNotFoundError (no folder and no `create_parents`),
        IsADirectoryError, NotADirectoryError, PermissionError, ValueError (root, mode, limits).
        """
        ...

    def open_text(self, path: str, encoding: str = "utf-8") -> TextReader:
        """Open a text file. Raises as `open_read`.

        Also raises ValueError for an encoding other than UTF-8.
        """
        ...

    def read_bytes(self, path: str, offset: int = 0, limit: int | None = None) -> ReadBytesResult:
        """Return bytes from a 0-based `offset`, at most `limit`.

        An offset after the end is the end. Raises as `open_read`, ValueError for negative numbers, and for
        more than MAX_READ_BYTES when no limit is given.
        """
        ...

    def read(
        self, path: str, offset: int = 0, limit: int | None = None, encoding: str = "utf-8"
    ) -> ReadResult:
        """Return lines from a 0-based `offset`, at most `limit`.

        2,000 without a limit; READ_ENTIRE_FILE for all. Raises as `open_text`, ValueError for negative
        numbers and for more than MAX_READ_BYTES, UnicodeDecodeError.
        """
        ...

    def write_bytes(
        self, path: str, content: bytes, mode: str = WriteMode.OVERWRITE, create_parents: bool = True
    ) -> WriteResult:
        """Write bytes. Raises as `open_write`, and ValueError above MAX_WRITE_BYTES."""
        ...

    def write(
        self, path: str, content: str, mode: str = WriteMode.OVERWRITE, create_parents: bool = True
    ) -> WriteResult:
        """Write text as UTF-8, exactly as given. Raises as `write_bytes`."""
        ...

    def exists(self, path: str) -> bool:
        """Return whether something is at a path; a link counts as itself.

        Outside of the root nothing exists. Raises PermissionError where that can't be determined.
        """
        ...

    def stat(self, path: str) -> FileStat:
        """Return the metadata of an entry.

        Raises FileNotFoundError, PermissionError.
        """
        ...

    def list(self, path: str = ".") -> Results[FileEntry]:
        """Return the entries of a folder, sorted by name.

        Raises FileNotFoundError, NotADirectoryError, PermissionError.
        """
        ...

    def scan(self, path: str = ".") -> Results[ScannedEntry]:
        """Return a folder's entries with size and times, in one pass.

        A folder that the rules deny is included, marked. Raises as `list`.
        """
        ...

    def glob(self, pattern: str, path: str = ".") -> Results[GlobMatch]:
        """Return the files beneath a folder whose path from there matches.

        Empty where the folder is missing. Raises ValueError for an invalid pattern.
        """
        ...

    def grep(
        self, pattern: str, path: str = ".", glob: str | None = None, max_matches: int = MAX_GREP_MATCHES
    ) -> Results[GrepMatch]:
        """Return the lines matching a regular expression in a folder or file.

        Only text files are searched. Sorted by path and line. Raises ValueError for an invalid pattern,
        TimeoutError for one that does not finish.
        """
        ...

    def delete(self, path: str, recursive: bool = False) -> None:
        """Delete a file or folder.

        Raises FileNotFoundError, IsADirectoryError for a folder that is not empty unless `recursive`,
        PermissionError (also for the root).
        """
        ...

    def mkdir(self, path: str, parents: bool = True, exist_ok: bool = True) -> None:
        """Make a folder; on the root this does nothing.

        Raises FileExistsError (a file, or a folder without `exist_ok`), FileNotFoundError (no folder above
        and no `parents`), NotADirectoryError, PermissionError, ValueError (limits).
        """
        ...

    def move(self, source: str, destination: str, overwrite: bool = False) -> None:
        """Move a file or folder, making missing parent folders.

        Raises FileNotFoundError, FileExistsError unless `overwrite` and both are files, PermissionError,
        ValueError for a folder into itself.
        """
        ...

    def copy(self, source: str, destination: str, overwrite: bool = False) -> None:
        """Copy one file with its mode. Raises as `move`.

        Also raises IsADirectoryError for a folder.
        """
        ...


@runtime_checkable
class SnapshotableFilesystem(Filesystem, Protocol):
    """A filesystem whose whole state can be stored and restored."""

    def snapshot(self, tag: str | None = None) -> FilesystemSnapshot:
        """Store the current state. Raises SnapshotError (a RuntimeError), FileError."""
        ...

    def restore(self, snapshot: FilesystemSnapshot) -> None:
        """Restore a stored state, all or nothing. Raises as `snapshot`."""
        ...
