"""Common implementation of the filesystem protocol for all storage backends.

All rules are here, so that the same call has the same verdict, exception and message on every backend: the
path is parsed, the entries are checked, and only then a primitive is called.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import PureWindowsPath

import studio.engine.filesystem as room
from studio.engine.filesystem import refusals
from studio.engine.filesystem.access_log import AccessLog
from studio.engine.filesystem.backing import Backing
from studio.engine.filesystem.globbing import Glob
from studio.engine.filesystem.grep import Search
from studio.engine.filesystem.grep_pattern import read_expression
from studio.engine.filesystem.protocol import ByteReader
from studio.engine.filesystem.refusals import named
from studio.engine.filesystem.searching import find_files, find_lines
from studio.engine.filesystem.streams import LineReader, StreamReader, StreamWriter
from studio.engine.filesystem.types import (
    DEFAULT_READ_LINES,
    MAX_GREP_MATCHES,
    READ_ENTIRE_FILE,
    FileEntry,
    FileStat,
    GlobMatch,
    GrepMatch,
    PathLimits,
    ReadBytesResult,
    ReadResult,
    Results,
    ScannedEntry,
    WriteMode,
    WriteResult,
)
from studio.engine.root import EntryKind, FileState
from studio.errors import (
    FileError,
    LeadsOutside,
    PathOverLimit,
    PathTraversal,
    WriteError,
)
from studio.names import folded, parse_existing, parse_lexical, show_name
from studio.program.log_file import LOGGER
from studio.system.os_errors import wrap_os_errors
from studio.text.windows_paths import windows_path

_CHUNK_BYTES = 1 << 20


def read_lines(reader: ByteReader, offset: int, limit: int, most_bytes: int) -> ReadResult:
    """Return lines from a 0-based `offset`, without the last line end.

    `limit` is their maximum, or READ_ENTIRE_FILE. Only these lines are decoded. Raises TooLarge when they
    have more than `most_bytes`, Undecodable with the position in the file, FileError.
    """
    last = None if limit == READ_ENTIRE_FILE else offset + limit
    ends = 0
    parts: list[bytes] = []
    start, size = 0, 0
    tail = b""
    for chunk in reader.chunks(_CHUNK_BYTES):
        count = chunk.count(b"\n")
        tail = chunk[-1:]
        if ends + count >= offset and (last is None or ends < last):
            begin = 0 if ends >= offset else _skip_lines(chunk, offset - ends)
            end = len(chunk) if last is None or ends + count < last else _skip_lines(chunk, last - ends)
            if not parts:
                start = reader.position - len(chunk) + begin
            parts.append(chunk[begin:end])
            size += end - begin
            if size > most_bytes:
                raise refusals.too_large_to_read(reader.path, size=size, limit=most_bytes)
        ends += count
    total = ends + (tail not in (b"", b"\n"))
    content = _decode(reader.path, b"".join(parts), start)
    first = min(offset, total)
    returned = content.count("\n") + (content[-1:] not in ("", "\n"))
    if content.endswith("\r\n"):
        content = content[:-2]
    elif content.endswith("\n"):
        content = content[:-1]
    return ReadResult(content, reader.path, total, first, returned, first + returned < total)


def _skip_lines(chunk: bytes, count: int) -> int:
    """Return the offset after the first `count` line ends, which must exist."""
    at = 0
    for _ in range(count):
        at = chunk.index(b"\n", at) + 1
    return at


def _decode(path: str, data: bytes, start: int) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise refusals.undecodable(path, data, error.start, start + error.start) from error


_WINDOWS_ROOT = PureWindowsPath("C:/root")
_UTF8_NAMES = frozenset({"utf-8", "utf8"})


class BackedFilesystem:
    """A `Filesystem` over a backing; each backend is a subclass."""

    def __init__(
        self, backing: Backing, *, read_only: bool, limits: PathLimits, log: AccessLog | None = None
    ) -> None:
        self.backing = backing
        self._read_only = read_only
        self._limits = limits
        self._log = log
        self._warned = False

    @property
    def root(self) -> str:
        return self.backing.root

    @property
    def read_only(self) -> bool:
        return self._read_only

    @property
    def limits(self) -> PathLimits:
        return self._limits

    def open_read(self, path: str) -> StreamReader:
        found = self._parse_path(path)
        self._file(found)
        with wrap_os_errors(f"{named(found)} can't be read", path=found):
            return StreamReader(self.backing.open(found), found)

    def open_text(self, path: str, encoding: str = "utf-8") -> LineReader:
        if encoding.lower().replace("_", "-") not in _UTF8_NAMES:
            raise refusals.bad_encoding(path, encoding=encoding)
        return LineReader(self.open_read(path))

    def open_write(
        self, path: str, mode: str = WriteMode.OVERWRITE, create_parents: bool = True
    ) -> StreamWriter:
        found, how = self._parse_path(path), _parse_mode(path, mode)
        self._check_may_change(found)
        if not found:
            raise refusals.root_is_no_file(path)
        node = self._find_state(found)
        if node is not None:
            self._check_regular(found, node)
            if how is WriteMode.CREATE:
                raise refusals.exists(found)
        else:
            self._check_limits(found)
        created = self._make_parents(found, create=create_parents) if node is None else ()
        with self._wrap_change_errors(f"{named(found)} can't be written", found, created):
            writing = self.backing.start(found, how)
        return StreamWriter(writing, found, lambda: self._remove_made(created))

    def read_bytes(self, path: str, offset: int = 0, limit: int | None = None) -> ReadBytesResult:
        _check_number(path, "the offset", offset)
        if limit is not None:
            _check_number(path, "the limit", limit)
        with self.open_read(path) as reader:
            start = min(offset, reader.size)
            left = reader.size - start
            if limit is None and left > room.MAX_READ_BYTES:
                raise refusals.too_large_to_read(reader.path, size=left, limit=room.MAX_READ_BYTES)
            reader.seek(start)
            content = reader.read(left if limit is None else min(limit, left))
            return ReadBytesResult(
                content, reader.path, reader.size, start, len(content), len(content) < left
            )

    def read(
        self, path: str, offset: int = 0, limit: int | None = None, encoding: str = "utf-8"
    ) -> ReadResult:
        _check_number(path, "the offset", offset)
        if limit is None:
            limit = DEFAULT_READ_LINES
        elif limit != READ_ENTIRE_FILE:
            _check_number(path, "the limit", limit)
        with self.open_text(path, encoding) as text:
            return read_lines(text.reader, offset, limit, room.MAX_READ_BYTES)

    def write_bytes(
        self, path: str, content: bytes, mode: str = WriteMode.OVERWRITE, create_parents: bool = True
    ) -> WriteResult:
        _check_room(path, len(content), room.MAX_WRITE_BYTES, "bytes")
        with self.open_write(path, mode, create_parents) as writer:
            writer.write(content)
        return WriteResult(writer.path, writer.bytes_written, WriteMode(mode))

    def write(
        self, path: str, content: str, mode: str = WriteMode.OVERWRITE, create_parents: bool = True
    ) -> WriteResult:
        _check_room(path, len(content), room.MAX_WRITE_LENGTH, "characters")
        try:
            data = content.encode()
        except UnicodeEncodeError as error:
            raise refusals.bad_text(path, at=error.start) from error
        return self.write_bytes(path, data, mode, create_parents)

    def exists(self, path: str) -> bool:
        try:
            return self._find_state(self._parse_path(path)) is not None
        except (PathTraversal, LeadsOutside):
            return False

    def stat(self, path: str) -> FileStat:
        found = self._parse_path(path)
        node = self._require_state(found)
        with wrap_os_errors(f"{named(found)} can't be accessed", path=found):
            created = self.backing.created_ns(found)
        return FileStat(
            path=found or ".",
            is_file=node.kind is EntryKind.FILE,
            is_directory=node.kind is EntryKind.FOLDER,
            size_bytes=node.size if node.kind is EntryKind.FILE else 0,
            created_at=_to_datetime(created) if created is not None else None,
            modified_at=_to_datetime(node.modified_ns),
            changed_at=_to_datetime(node.changed_ns),
            mode=node.mode,
            is_link=node.kind is EntryKind.LINK,
            link_count=node.links if node.kind is EntryKind.FILE else 1,
        )

    def list(self, path: str = ".") -> Results[FileEntry]:
        found = self._folder(path)
        with wrap_os_errors(f"{named(found)} can't be listed", path=found):
            entries = self.backing.entries(found)
        above = f"{found}/" if found else ""
        listed = [FileEntry(name, above + name, True, False) for name in entries.files]
        listed += (FileEntry(name, above + name, False, True) for name in entries.folders)
        listed += (
            FileEntry(name, above + name, False, False, kind is EntryKind.LINK)
            for name, kind in entries.others
        )
        self._report_listing(path, "", (entry.path for entry in listed))
        return Results(sorted(listed, key=lambda entry: entry.name), unseen=entries.unseen)

    def scan(self, path: str = ".") -> Results[ScannedEntry]:
        found = self._parse_path(path)
        scan = None
        if not self.backing.is_layer:  # an overlay scans a folder that its base lost as empty
            # The state of a folder, and its rules, took a fifth of a listing when they were read first.
            with suppress(OSError, FileError):
                scan = self.backing.scan(found)
                self._warn_of_limits(found)
        if scan is None:
            self._folder(path)
            with wrap_os_errors(f"{named(found)} can't be listed", path=found):
                scan = self.backing.scan(found)
        self._report_listing(path, "", (f"{path}/{entry.name}" for entry in scan.found))
        return Results(scan.found, unseen=scan.unseen)

    def _folder(self, path: str) -> str:
        """Return the parsed path of an existing folder. Raises as `list`."""
        found = self._parse_path(path)
        node = self._require_state(found)
        if node.kind is EntryKind.LINK:
            raise self.backing.link_refused(found)
        if node.kind is not EntryKind.FOLDER:
            raise refusals.not_a_folder(found)
        return found

    def glob(self, pattern: str, path: str = ".") -> Results[GlobMatch]:
        glob = self._parse_glob(pattern)
        found = self._parse_path(path)
        with wrap_os_errors(f"{named(found)} can't be searched", path=found):
            matches = find_files(self.backing, found, glob)
        self._report_listing(path, pattern, (match.path for match in matches))
        return matches

    def grep(
        self, pattern: str, path: str = ".", glob: str | None = None, max_matches: int = MAX_GREP_MATCHES
    ) -> Results[GrepMatch]:
        _check_number(path, "the number of matches", max_matches)
        search = Search(
            read_expression(pattern), None if glob is None else self._parse_glob(glob), max_matches
        )
        found = self._parse_path(path)
        with wrap_os_errors(f"{named(found)} can't be searched", path=found):
            matches = find_lines(self.backing, found, search)
        self._report_listing(path, pattern, map(repr, matches))
        return matches

    def delete(self, path: str, recursive: bool = False) -> None:
        found = self._parse_path(path)
        self._check_may_change(found)
        if not found:
            raise refusals.root_stays(path)
        node = self._require_state(found)
        if node.kind is not EntryKind.FOLDER:
            self._check_regular(found, node)
        elif not recursive and not self._has_no_entries(found):
            raise refusals.not_empty(found)
        with wrap_os_errors(f"{named(found)} can't be deleted", path=found, role=WriteError):
            self.backing.remove(found, recursive=recursive)

    def mkdir(self, path: str, parents: bool = True, exist_ok: bool = True) -> None:
        found = self._parse_path(path)
        self._check_may_change(found)
        if not found:
            return
        node = self._find_state(found)
        if node is not None:
            if node.kind is EntryKind.FOLDER and exist_ok:
                return
            raise refusals.exists(found)
        self._check_limits(found)
        created = self._make_parents(found, create=parents)
        with self._wrap_change_errors(_folder_not_created(found), found, created):
            self.backing.make_folder(found)

    def move(self, source: str, destination: str, overwrite: bool = False) -> None:
        old, new = self._parse_path(source), self._parse_path(destination)
        self._check_may_change(old)
        if not old:
            raise refusals.root_stays(source)
        node = self._require_state(old)
        if node.kind is not EntryKind.FOLDER:
            self._check_regular(old, node)
        if old == new:
            return
        if self._key(new).startswith(f"{self._key(old)}/") and node.kind is EntryKind.FOLDER:
            raise refusals.into_itself(new, source=old)
        respelled = self._key(old) == self._key(new)
        created = self._make_room(node, new, destination, overwrite=overwrite, respelled=respelled)
        with self._wrap_change_errors(f"{named(old)} can't be moved to {named(new)}", old, created):
            self.backing.move(old, new, replace=overwrite and not respelled)

    def copy(self, source: str, destination: str, overwrite: bool = False) -> None:
        old, new = self._parse_path(source), self._parse_path(destination)
        self._check_may_change(new)
        node = self._file(old)
        if self._key(old) == self._key(new):
            raise refusals.exists(new)
        created = self._make_room(node, new, destination, overwrite=overwrite, respelled=False)
        with self._wrap_change_errors(f"{named(old)} can't be copied to {named(new)}", new, created):
            self.backing.copy(old, new, replace=overwrite)

    def _make_room(
        self, node: FileState, new: str, destination: str, *, overwrite: bool, respelled: bool
    ) -> Sequence[str]:
        """Check that `node` may be put at `new`, and make its parents.

        Returns the folders made.
        """
        if not new:
            raise refusals.root_is_no_file(destination)
        target_state = self._find_state(new)
        if target_state is None:
            self._check_limits(new)
            return self._make_parents(new, create=True)
        if not respelled:
            if target_state.kind is EntryKind.LINK:
                raise self.backing.link_refused(new)
            if not (overwrite and target_state.kind is EntryKind.FILE and node.kind is EntryKind.FILE):
                raise refusals.exists(new)
        return ()

    def _parse_path(self, path: str) -> str:
        found = parse_existing(lambda exists: parse_lexical(path, exists=exists), self.backing.has_name)
        if found and self.backing.windows:
            windows_path(_WINDOWS_ROOT, found)
        return found

    def _report_listing(self, path: str, pattern: str, lines: Iterable[str]) -> None:
        if self._log is not None:
            self._log.listed(path, pattern, list(lines))

    def _parse_glob(self, pattern: str) -> Glob:
        return Glob(pattern, ignore_case=self.backing.folds_case)

    def _key(self, path: str) -> str:
        return folded(path) if self.backing.folds_case else path

    def _find_state(self, path: str) -> FileState | None:
        with wrap_os_errors(f"{named(path)} can't be accessed", path=path):
            return self.backing.node(path)

    def _require_state(self, path: str) -> FileState:
        """Return the state of an existing entry.

        Raises FileMissing, NotAFolder where a parent is a file, PathOverLimit.
        """
        node = self._find_state(path)
        if node is None:
            self._find_nearest_folder(path)
            self._check_limits(path)
            raise refusals.missing(path)
        self._warn_of_limits(path)
        return node

    def _warn_of_limits(self, path: str) -> None:
        """Log the first existing path beyond the limits for new names."""
        if not self._warned and self._check_path_limits(path) is not None:
            self._warned = True
            LOGGER.warning("%s exceeds the limits for new names; it can be read.", show_name(path))

    def _file(self, path: str) -> FileState:
        node = self._require_state(path)
        self._check_regular(path, node)
        return node

    def _check_regular(self, path: str, node: FileState) -> None:
        if node.kind is EntryKind.LINK:
            raise self.backing.link_refused(path)
        if node.kind is not EntryKind.FILE:
            raise refusals.not_a_file(path, node.kind)

    def _find_nearest_folder(self, path: str) -> str:
        """Return the deepest existing folder above a path.

        Raises NotAFolder when a parent is something else.
        """
        above = path
        while above:
            above = above.rpartition("/")[0]
            node = self._find_state(above)
            if node is None:
                continue
            if node.kind is EntryKind.LINK:
                raise self.backing.link_refused(path)
            if node.kind is not EntryKind.FOLDER:
                raise refusals.beneath_file(path, above=above)
            break
        return above

    def _check_may_change(self, path: str) -> None:
        if self._read_only:
            raise refusals.read_only(path)

    def _check_limits(self, path: str) -> None:
        refused = self._check_path_limits(path)
        if refused is not None:
            raise refused

    def _check_path_limits(self, path: str) -> PathOverLimit | None:
        """Return why no such path may be created, or None.

        What exists already can be read, with one warning.
        """
        segments = path.split("/")
        if len(segments) > self._limits.depth:
            return refusals.too_deep(path, count=path.count("/") + 1, limit=self._limits.depth)
        longest = max(segments, key=len)
        if len(longest) > self._limits.segment:
            return refusals.segment_too_long(path, count=len(longest), limit=self._limits.segment)
        return None

    def _make_parents(self, path: str, *, create: bool) -> Sequence[str]:
        """Make a path's missing parents; return them, the deepest first."""
        nearest, above = self._find_nearest_folder(path), path.rpartition("/")[0]
        if nearest == above:
            return ()
        if not create:
            raise refusals.no_folder(path, folder=above)
        created: list[str] = []
        start = len(nearest) + 1 if nearest else 0
        for end in (at for at in range(start, len(path)) if path[at] == "/"):
            folder = path[:end]
            with self._wrap_change_errors(_folder_not_created(folder), folder, created):
                self.backing.make_folder(folder)
            created.insert(0, folder)
        return created

    @contextmanager
    def _wrap_change_errors(self, lead: str, path: str, created: Sequence[str]) -> Generator[None]:
        """Wrap errors of the block, after removing the folders made for it."""
        try:
            with wrap_os_errors(lead, path=path, role=WriteError):
                yield
        except BaseException:
            self._remove_made(created)
            raise

    def _remove_made(self, folders: Sequence[str]) -> None:
        """Remove folders made for a failed operation, unless they are in use."""
        with suppress(OSError):
            for folder in folders:
                self.backing.remove(folder, recursive=False)

    def _has_no_entries(self, folder: str) -> bool:
        with wrap_os_errors(f"{named(folder)} can't be listed", path=folder):
            return self.backing.entries(folder).is_empty


def _folder_not_created(path: str) -> str:
    return f"The folder {named(path)} can't be created"


def _check_number(path: str, name: str, value: int) -> None:
    if value < 0:
        raise refusals.bad_number(path, name=name, value=value, least=0)


def _check_room(path: str, size: int, limit: int, unit: str) -> None:
    """Raise where one call writes more than `limit` bytes or characters."""
    if size > limit:
        raise refusals.too_large_to_write(path, size=size, limit=limit, unit=unit)


def _parse_mode(path: str, mode: str) -> WriteMode:
    try:
        return WriteMode(mode)
    except ValueError:
        raise refusals.bad_mode(path, mode=mode) from None


def _to_datetime(nanoseconds: int) -> datetime:
    return datetime.fromtimestamp(nanoseconds / 1e9, UTC)
