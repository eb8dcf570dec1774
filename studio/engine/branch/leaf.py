"""Base class `Leaf`: executor of a journal's file requests on any filesystem.

Leaves serve journals of their own: tests, replay, embedding. A project's journal is carried out by the
gateway alone.
"""

from __future__ import annotations

import fnmatch
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from msgspec import Struct

from studio.engine import filesystem
from studio.errors import (
    AccessDenied,
    DiskFailed,
    FaultKind,
    FileError,
    FileExists,
    FileLocked,
    FileMissing,
    FileTimedOut,
    InvalidPath,
    NotAFile,
    StudioError,
)
from studio.journal.entries import (
    CreateMode,
    DirectoryCreate,
    DirectoryCreated,
    FileContent,
    FileContentChunk,
    FileDelete,
    FileDeleted,
    FileFault,
    FileList,
    FileListing,
    FileMetadata,
    FileModeSet,
    FileMove,
    FileMoved,
    FileRead,
    FileStat,
    FileWrite,
    FileWriteChunk,
    FileWritten,
    ListedEntry,
    Payload,
    Reply,
    Request,
)
from studio.limits import CHUNK_SILENCE_SECONDS, LOCK_TIMEOUT_SECONDS
from studio.names import parse_branch, parse_existing, show_name
from studio.system.os_errors import failure
from studio.values import Value

if TYPE_CHECKING:
    # A leaf behind the gateway never opens a filesystem.
    from studio.engine.filesystem import ByteWriter, FileEntry, FileStat as Found, Filesystem

T = TypeVar("T")

_FIRST_PAUSE = 0.02


class LeafSettings(Value):
    """Settings of every leaf; `chunk_size` and `streaming_threshold` are in bytes."""

    allow_write: bool = True
    allow_delete: bool = True
    chunk_size: int = 65_536
    streaming_threshold: int = 1_048_576

    def __post_init__(self) -> None:
        """Check the values. Raises ValueError."""
        if self.chunk_size < 1:
            raise ValueError("chunk_size must be at least 1 byte")
        if self.streaming_threshold < 0:
            raise ValueError("streaming_threshold can't be negative")


class _Spool(Struct):
    """A write that waits for more chunks, invisible until the last."""

    path: str
    writer: ByteWriter
    started: float

    @property
    def expected(self) -> int:
        return self.writer.bytes_written


class Leaf:
    """Carries out requests one after another; belongs to one thread."""

    def __init__(
        self,
        filesystem: Filesystem | Callable[[], Filesystem],
        settings: LeafSettings,
        bytes_of: Callable[[Payload], bytes],
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Create a leaf over a filesystem.

        `filesystem` may be a callable that opens it at the first request; `bytes_of` returns the bytes that
        an entry carries or names (`Journal.bytes_of`).
        """
        self._filesystem_source = filesystem
        self._settings = settings
        self._bytes_of = bytes_of
        self._clock = clock
        self._sleep = sleep
        self._spools: dict[str, _Spool] = {}
        self._requested_paths: dict[str, str] = {}
        """The path of every request so far by its id: chunks carry the id alone."""

    @cached_property
    def _filesystem(self) -> Filesystem:
        return self._filesystem_source() if callable(self._filesystem_source) else self._filesystem_source

    def execute(self, request: Request) -> Iterator[Reply]:
        """Yield the replies to a request, in order.

        None while chunks are still to come; one FileFault for whatever goes wrong. No content of a request
        makes it raise.
        """
        try:
            yield from self._replies(request)
        except StudioError as error:
            yield self._fault(request, error)
        except OSError as error:
            shown_path = show_name(self._path(request))
            yield self._fault(request, failure(error, "Nothing was done", it=shown_path))

    def fail_overdue_writes(self) -> Iterator[Reply]:
        """Yield a fault for each write whose next chunk is overdue.

        What it had sent is dropped.
        """
        for correlation_id, spool in tuple(self._spools.items()):
            if self._clock() - spool.started > CHUNK_SILENCE_SECONDS:
                self._drop_spool(correlation_id)
                late = FileTimedOut(
                    "leaf.silent",
                    f"The next chunk of {show_name(spool.path)} did not arrive in time.",
                    "Send the file again.",
                )
                yield FileFault(correlation_id, FaultKind.TIMEOUT, spool.path, str(late))

    def close(self) -> None:
        """Drop every write that has not received its last chunk."""
        for correlation_id in tuple(self._spools):
            self._drop_spool(correlation_id)

    def _replies(self, request: Request) -> Iterator[Reply]:
        self._check_allowed(request)
        if isinstance(request, FileWriteChunk):
            yield from self._take_chunk(request)
            return
        if request.correlation_id in self._requested_paths:
            raise DiskFailed(
                "leaf.twice",
                f"A request with the id {show_name(request.correlation_id)} already exists.",
                "Use a new id for every request.",
            )
        self._requested_paths[request.correlation_id] = request.path
        match request:
            case FileRead():
                yield from self._read(request)
            case FileWrite():
                yield from self._write(request)
            case FileList():
                yield self._list(request)
            case FileDelete():
                yield self._delete(request)
            case FileStat():
                yield self._stat(request)
            case DirectoryCreate():
                self._filesystem.mkdir(self._inside(request.path), exist_ok=False)
                yield DirectoryCreated(request.correlation_id, request.path)
            case FileMove():
                yield self._move(request)
            case FileModeSet():
                raise AccessDenied(
                    "leaf.mode", "This leaf can't change permission bits.", "Use the plan's gateway."
                )

    def _check_allowed(self, request: Request) -> None:
        """Check the leaf's settings before the path is used."""
        deletes = isinstance(request, FileDelete)
        writes = isinstance(request, FileWrite | FileWriteChunk | FileMove | FileModeSet | DirectoryCreate)
        if (deletes and not self._settings.allow_delete) or (writes and not self._settings.allow_write):
            raise AccessDenied(
                "leaf.not_allowed",
                "This leaf may not delete." if deletes else "This leaf may not write.",
                "Use a leaf that allows it.",
            )

    def _read(self, request: FileRead) -> Iterator[Reply]:
        offset, length = request.offset or 0, request.length
        if offset < 0 or (length is not None and length < 0):
            raise DiskFailed(
                "leaf.range", "A range of a file can't be negative.", "Count offset and length from 0."
            )
        path = self._for_reading(request.path)
        with self._retry_while_locked(lambda: self._filesystem.open_read(path)) as reader:
            offset = min(offset, reader.size)
            end = reader.size if length is None else min(reader.size, offset + length)
            byte_count = end - offset
            reader.seek(offset)
            is_partial = byte_count != reader.size
            if byte_count <= self._settings.streaming_threshold:
                content = reader.read(byte_count)
                yield FileContent(request.correlation_id, content, reader.size, is_partial)
                return
            while offset < end:
                part = reader.read(min(self._settings.chunk_size, end - offset))
                is_final = offset + len(part) >= end
                yield FileContentChunk(request.correlation_id, offset, part, is_final)
                offset += len(part)

    def _write(self, request: FileWrite) -> Iterator[Reply]:
        path = self._inside(request.path)
        if not path:
            raise NotAFile("path.folder", "The root is a folder, not a file.", "Name a file.", path=path)
        if request.result is not None and request.result.is_link:
            raise AccessDenied("leaf.link", "This leaf can't create links.", "Use the plan's gateway.")
        mode = self._write_mode(request.create_mode, path, request.path)
        if request.content is None:
            writer = self._retry_while_locked(lambda: self._filesystem.open_write(path, mode))
            self._spools[request.correlation_id] = _Spool(request.path, writer, self._clock())
            return
        data = memoryview(self._bytes_of(request.content))
        with self._retry_while_locked(lambda: self._filesystem.open_write(path, mode)) as writer:
            for start in range(0, len(data), self._settings.chunk_size):
                writer.write(bytes(data[start : start + self._settings.chunk_size]))
        yield FileWritten(request.correlation_id, request.path, len(data))

    def _write_mode(self, create_mode: CreateMode, path: str, shown_path: str) -> str:
        """Return the filesystem's write mode for a create mode and this path."""
        needed = create_mode in (CreateMode.REPLACE_EXISTING, CreateMode.APPEND_EXISTING)
        if needed and not self._is_there(path):
            raise FileMissing(
                "disk.missing", f"{show_name(shown_path)} does not exist.", "Create it.", path=shown_path
            )
        if create_mode is CreateMode.CREATE_NEW:
            if self._is_there(path):
                raise FileExists(
                    "disk.exists", f"{show_name(shown_path)} exists already.", "Replace it.", path=shown_path
                )
            return "create"
        return (
            "append"
            if create_mode in (CreateMode.CREATE_OR_APPEND, CreateMode.APPEND_EXISTING)
            else ("overwrite")
        )

    def _is_there(self, path: str) -> bool:
        """Return whether a path exists; unlike `exists`, raise for an escaping one."""
        try:
            self._filesystem.stat(path)
        except (FileNotFoundError, NotADirectoryError):
            return False
        return True

    def _take_chunk(self, request: FileWriteChunk) -> Iterator[Reply]:
        """Write the next chunk; the last one puts the file in place.

        Chunks must be contiguous: a gap or an overlap drops the write.
        """
        spool = self._spools.get(request.correlation_id)
        if spool is None or request.offset != spool.expected:
            self._drop_spool(request.correlation_id)
            raise DiskFailed(
                "leaf.chunk",
                f"A chunk of {show_name(spool.path)} arrived out of order."
                if spool is not None
                else f"A chunk of {self._shown_path(request)} belongs to no open write.",
                "Send the file again, with its chunks in order.",
            )
        data = self._bytes_of(request.data)
        try:
            spool.writer.write(data)
            if request.is_final:
                spool.writer.close()
        except (OSError, StudioError):
            self._drop_spool(request.correlation_id)
            raise
        spool.started = self._clock()
        if request.is_final:
            del self._spools[request.correlation_id]
            yield FileWritten(request.correlation_id, spool.path, spool.expected)

    def _drop_spool(self, correlation_id: str) -> None:
        spool = self._spools.pop(correlation_id, None)
        if spool is not None:
            spool.writer.discard()

    def _list(self, request: FileList) -> FileListing:
        path = self._inside(request.path)
        pattern = request.pattern
        is_of_paths = pattern is not None and "/" in pattern
        means = self._path_matcher(pattern) if pattern and is_of_paths else self._name_matcher(pattern)
        start = len(path) + 1 if path else 0
        rows = [
            self._listed_entry(entry)
            for entry in self._walk(path, recursive=request.recursive or is_of_paths)
            if means(entry.path[start:])
        ]
        return FileListing(request.correlation_id, tuple(rows))

    def _name_matcher(self, pattern: str | None) -> Callable[[str], bool]:
        """Return a predicate that matches an entry's name, at any depth."""
        folded_pattern = self._spelled("*" if pattern is None else pattern)
        return lambda path: fnmatch.fnmatchcase(self._spelled(path.rpartition("/")[2]), folded_pattern)

    def _path_matcher(self, pattern: str) -> Callable[[str], bool]:
        """Return a predicate for a glob over paths from the listed folder.

        `**` matches any folders. Raises BadPattern.
        """
        glob = filesystem.Glob(self._spelled(pattern.removeprefix("/")))
        return lambda path: glob.matches(self._spelled(path))

    def _spelled(self, text: str) -> str:
        """Return the spelling in which names and patterns are compared."""
        return text

    def _walk(self, path: str, *, recursive: bool) -> Iterator[FileEntry]:
        """Yield entries by name, each folder followed by its contents."""
        for entry in self._filesystem.list(path or "."):
            yield entry
            if recursive and entry.is_directory:
                yield from self._walk(entry.path, recursive=True)

    def _listed_entry(self, entry: FileEntry) -> ListedEntry:
        found = self._filesystem.stat(entry.path)
        return ListedEntry(
            entry.name,
            entry.path,
            entry.is_directory,
            found.size_bytes,
            _format_time(found.modified_at),
            entry.is_link,
        )

    def _delete(self, request: FileDelete) -> FileDeleted:
        path = self._inside(request.path)
        if not path:
            raise InvalidPath("path.root", "The root itself can't be deleted.", "Specify an entry in it.")
        found = self._filesystem.stat(path)
        count = 1
        if found.is_directory and request.recursive:
            count += sum(1 for _ in self._walk(path, recursive=True))
        # No retry: a delete does not wait for a locked file.
        self._filesystem.delete(path, recursive=request.recursive)
        return FileDeleted(request.correlation_id, request.path, count)

    def _stat(self, request: FileStat) -> FileMetadata:
        found: Found = self._filesystem.stat(self._for_reading(request.path) or ".")
        return FileMetadata(
            request.correlation_id,
            found.size_bytes,
            _format_time(found.modified_at),
            _format_time(found.created_at or found.changed_at),
            found.is_directory,
            found.mode,
            found.is_link,
        )

    def _move(self, request: FileMove) -> FileMoved:
        source, target = self._inside(request.path), self._inside(request.to)
        size = self._filesystem.stat(source).size_bytes
        self._retry_while_locked(lambda: self._filesystem.move(source, target))
        return FileMoved(request.correlation_id, request.path, request.to, size)

    def _fault(self, request: Request, error: StudioError) -> FileFault:
        kind = error.fault if isinstance(error, FileError) else None
        path = self._path(request)
        return FileFault(request.correlation_id, kind or FaultKind.IO_ERROR, path, error.message)

    def _path(self, request: Request) -> str:
        """Return a request's path, "" for a chunk of no open write."""
        if isinstance(request, FileWriteChunk):
            return self._requested_paths.get(request.correlation_id, "")
        return request.path

    def _shown_path(self, request: Request) -> str:
        return show_name(self._path(request)) or "a file"

    def _inside(self, path: str) -> str:
        """Return a request path relative to the root, "" for the root.

        Raises InvalidPath.
        """
        return parse_existing(lambda exists: parse_branch(path, exists=exists), self._filesystem.exists)

    def _for_reading(self, path: str) -> str:
        """Return the path for a request that only reads. Raises InvalidPath."""
        return self._inside(path)

    def _retry_while_locked(self, call: Callable[[], T]) -> T:
        """Retry while another program holds the file, for 5 seconds in all.

        The pauses grow.
        """
        deadline = self._clock() + LOCK_TIMEOUT_SECONDS
        pause = _FIRST_PAUSE
        while True:
            try:
                return call()
            except FileLocked:
                if self._clock() + pause > deadline:
                    raise
            self._sleep(pause)
            pause *= 2


def _format_time(moment: datetime | None) -> str:
    if moment is None:
        return ""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
