"""Byte reader, byte writer and text line reader over storage backends."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from types import TracebackType
from typing import Self

from studio.engine.filesystem import refusals
from studio.engine.filesystem.backing import Reading, Writing
from studio.engine.filesystem.protocol import ByteReader
from studio.engine.filesystem.refusals import IllegalSeek, StreamClosed, named
from studio.engine.filesystem.types import CHUNK_BYTES
from studio.errors import WriteError
from studio.system.closing import Closing
from studio.system.os_errors import wrap_os_errors

_READ_SIZE = 1 << 20
"""Maximum for one read of a backing, so that a file's size alone reserves no memory."""


class _Closable(Closing):
    """Base of all streams; leaving its `with` block closes it."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._closed = False

    def __enter__(self) -> Self:
        self._check_open()
        return self

    @property
    def path(self) -> str:
        return self._path

    @property
    def closed(self) -> bool:
        return self._closed

    def _check_open(self) -> None:
        if self._closed:
            raise StreamClosed(self._path)


class StreamReader(_Closable):
    """`ByteReader` over an open file."""

    def __init__(self, reading: Reading, path: str) -> None:
        super().__init__(path)
        self._reading = reading
        self._size = reading.size
        self._position = 0

    @property
    def size(self) -> int:
        return self._size

    @property
    def position(self) -> int:
        self._check_open()
        return self._position

    def read(self, size: int = -1) -> bytes:
        self._check_open()
        left = self._size - self._position
        remaining = left if size < 0 else min(size, left)
        if remaining <= _READ_SIZE:
            return self._read_part(remaining)
        parts: list[bytes] = []
        while remaining > 0:
            part = self._read_part(min(remaining, _READ_SIZE))
            parts.append(part)
            remaining -= len(part)
        return b"".join(parts)

    def _read_part(self, size: int) -> bytes:
        if not size:
            return b""
        with wrap_os_errors(f"{named(self._path)} can't be read at byte {self._position}", path=self._path):
            part = self._reading.read_at(self._position, size)
        self._position += len(part)
        if len(part) < size:
            raise refusals.shrank(self._path, position=self._position, size=self._size)
        return part

    def seek(self, offset: int, whence: int = 0) -> int:
        self._check_open()
        if whence not in (0, 1, 2):
            raise refusals.bad_whence(self._path, whence=whence)
        position = offset + (0, self._position, self._size)[whence]
        if not 0 <= position <= self._size:
            raise refusals.seek_out_of_range(self._path, position=position, size=self._size)
        self._position = position
        return position

    def chunks(self, size: int = CHUNK_BYTES) -> Iterator[bytes]:
        self._check_open()
        if size <= 0:
            raise refusals.bad_number(self._path, name="the size of a chunk", value=size, least=1)
        return self._read_chunks(size)

    def _read_chunks(self, size: int) -> Iterator[bytes]:
        while chunk := self.read(size):
            yield chunk

    def __iter__(self) -> Iterator[bytes]:
        return self.chunks()

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            self._reading.close()

    def __del__(self) -> None:
        self.close()


class StreamWriter(_Closable):
    """`ByteWriter` over new content; `undone` is called unless it succeeds."""

    def __init__(self, writing: Writing, path: str, undone: Callable[[], None]) -> None:
        super().__init__(path)
        self._writing = writing
        self._on_abort = undone
        self._written = 0

    @property
    def bytes_written(self) -> int:
        return self._written

    def write(self, data: bytes) -> int:
        self._check_open()
        try:
            with wrap_os_errors(f"{named(self._path)} can't be written", path=self._path, role=WriteError):
                self._writing.write(data)
        except BaseException:
            self.discard()  # a part may be missing: do not install it
            raise
        self._written += len(data)
        return len(data)

    def write_all(self, chunks: Iterable[bytes]) -> int:
        self._check_open()
        before = self._written
        try:
            for chunk in chunks:
                self.write(chunk)
        except BaseException:
            self.discard()
            raise
        return self._written - before

    def seek(self, offset: int, whence: int = 0) -> int:
        self._check_open()
        raise IllegalSeek(self._path, offset, whence)

    def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        try:
            with wrap_os_errors(f"{named(self._path)} can't be written", path=self._path, role=WriteError):
                self._writing.finish()
        except BaseException:
            self._on_abort()
            raise

    def discard(self) -> None:
        """Discard the content unless the stream is closed. Raises FileError."""
        if self._closed:
            return
        self._closed = True
        try:
            with wrap_os_errors(f"{named(self._path)} can't be cleaned up", path=self._path, role=WriteError):
                self._writing.discard()
        finally:
            self._on_abort()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()
        else:
            self.discard()

    def __del__(self) -> None:
        self.discard()  # without close() it may be incomplete


class LineReader(_Closable):
    """`TextReader` that owns a byte reader; buffers a chunk and a line."""

    def __init__(self, reader: ByteReader) -> None:
        super().__init__(reader.path)
        self._reader = reader
        self._lines: list[bytes] = []
        """Complete lines in reverse order, the next one last."""
        self._start = b""
        """Bytes after them without a line end yet."""
        self._offset = 0
        """The offset of the next line in the file."""
        self._text = ""
        """The rest of a line that `read` returned in part."""
        self._number = 0

    @property
    def reader(self) -> ByteReader:
        """The underlying byte reader."""
        return self._reader

    @property
    def encoding(self) -> str:
        return "utf-8"

    @property
    def line_number(self) -> int:
        return self._number

    def readline(self) -> str:
        self._check_open()
        if self._text:
            line, self._text = self._text, ""
            return line
        return self._read_decoded_line()

    def _read_decoded_line(self) -> str:
        line = self._read_line()
        try:
            text = line.decode()
        except UnicodeDecodeError as error:
            at = self._offset + error.start
            raise refusals.undecodable(self._path, line, error.start, at) from error
        self._offset += len(line)
        self._number += bool(line)
        return text

    def _read_line(self) -> bytes:
        if self._lines:
            return self._lines.pop()
        parts = [self._start]
        while chunk := self._reader.read(CHUNK_BYTES):
            parts.append(chunk)
            if b"\n" in chunk:
                *lines, self._start = b"".join(parts).split(b"\n")
                self._lines = [line + b"\n" for line in reversed(lines)]
                return self._lines.pop()
        self._start = b""
        return b"".join(parts)

    def read(self, size: int = -1) -> str:
        self._check_open()
        parts: list[str] = []
        left = size
        while left:
            text = self._text or self._read_decoded_line()
            self._text = ""
            if not text:
                break
            if 0 <= left < len(text):
                text, self._text = text[:left], text[left:]
            parts.append(text)
            left -= len(text) if left > 0 else 0
        return "".join(parts)

    def lines(self, *, strip: bool = False) -> Iterator[str]:
        self._check_open()
        return self._yield_lines(strip=strip)

    def _yield_lines(self, *, strip: bool) -> Iterator[str]:
        while line := self.readline():
            yield line.rstrip() if strip else line

    def __iter__(self) -> Iterator[str]:
        return self.lines()

    def close(self) -> None:
        self._closed = True
        self._reader.close()
