"""Immutable file contents with shared parts, in memory or temporary files.

A content is a sequence of parts. Appends, copies and snapshots share the parts of the old one. Parts are
bytes; what one stream writes beyond SPOOL_BYTES is stored in an unnamed temporary file, so that memory use
does not grow with the stream.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import threading
import weakref
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate
from typing import Final

SPOOL_BYTES: Final = 8 * 1024 * 1024
"""Bytes that one stream keeps in memory; the rest goes to a temporary file."""

_JOINED_BYTES = 64 * 1024
"""Smaller parts are joined with the following one: many small appends stay few parts."""

_PART_BYTES = 1 << 20


class _Spooled:
    """Bytes in an unnamed temporary file, closed with its last user."""

    def __init__(self) -> None:
        with tempfile.TemporaryFile() as file:
            self._handle = os.dup(file.fileno())
        self._lock = threading.Lock()
        self._size = 0
        weakref.finalize(self, os.close, self._handle)

    def __len__(self) -> int:
        return self._size

    def append(self, data: bytes) -> None:
        with self._lock:
            os.lseek(self._handle, self._size, os.SEEK_SET)
            left = memoryview(data)
            while left:
                left = left[os.write(self._handle, left) :]
        self._size += len(data)

    def read_at(self, offset: int, size: int) -> bytes:
        # Contents are shared by layers in several threads, and so is the file position.
        with self._lock:
            os.lseek(self._handle, offset, os.SEEK_SET)
            return os.read(self._handle, size)


_Part = bytes | _Spooled


class Content:
    """The immutable bytes of one file; equal bytes may be several objects."""

    __slots__ = ("_ends", "_parts", "_sha256")

    def __init__(self, parts: Iterable[_Part] = ()) -> None:
        self._parts = tuple(part for part in parts if len(part))
        self._ends = tuple(accumulate(map(len, self._parts)))
        self._sha256 = ""

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    @property
    def part_count(self) -> int:
        """The number of parts that a reader may have to read."""
        return len(self._parts)

    @property
    def sha256(self) -> str:
        """The hash in lower-case hex, computed on first use."""
        if not self._sha256:
            digest = hashlib.sha256()
            for piece in self.pieces():
                digest.update(piece)
            self._sha256 = digest.hexdigest()
        return self._sha256

    def read_at(self, offset: int, size: int) -> bytes:
        """Return at most `size` bytes from `offset`; fewer only at the end.

        Raises OSError of a temporary file.
        """
        pieces: list[bytes] = []
        number = bisect_right(self._ends, offset)
        while size > 0 and number < len(self._parts):
            part = self._parts[number]
            start = offset - (self._ends[number] - len(part))
            piece = (
                part[start : start + size]
                if isinstance(part, bytes)
                else part.read_at(start, min(size, len(part) - start))
            )
            pieces.append(piece)
            offset += len(piece)
            size -= len(piece)
            number += 1
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def pieces(self) -> Iterator[bytes]:
        """Yield all bytes, in pieces of at most one MiB."""
        at = 0
        while piece := self.read_at(at, _PART_BYTES):
            yield piece
            at += len(piece)

    def __bytes__(self) -> bytes:
        return self.read_at(0, len(self))

    def followed_by(self, other: Content) -> Content:
        """Return both concatenated, sharing their parts."""
        if self._parts and other._parts:
            last, first = self._parts[-1], other._parts[0]
            if isinstance(last, bytes) and isinstance(first, bytes) and len(last) < _JOINED_BYTES:
                return Content((*self._parts[:-1], last + first, *other._parts[1:]))
        return Content((*self._parts, *other._parts))


class ContentReading:
    """A content as an open file."""

    def __init__(self, content: Content) -> None:
        self._content = content
        self.size = len(content)

    def read_at(self, offset: int, size: int) -> bytes:
        return self._content.read_at(offset, size)

    def close(self) -> None:
        self._content = Content()


class ContentWriting:
    """A content being written; `put` gets all of it at the end."""

    def __init__(self, store: Callable[[Content], None]) -> None:
        self._store = store
        self._pieces: list[bytes] = []
        self._size = 0
        self._spooled: _Spooled | None = None

    def write(self, data: bytes) -> None:
        """Append bytes. Raises OSError when the temporary folder is full."""
        if self._spooled is None and self._size + len(data) <= SPOOL_BYTES:
            self._pieces.append(bytes(data))
            self._size += len(data)
            return
        if self._spooled is None:
            self._spooled = _Spooled()
        self._spooled.append(data)

    def content(self) -> Content:
        """Return all that was written so far."""
        spooled = () if self._spooled is None else (self._spooled,)
        return Content((b"".join(self._pieces), *spooled))

    def finish(self) -> None:
        self._store(self.content())
        self.discard()

    def discard(self) -> None:
        self._pieces, self._size, self._spooled = [], 0, None
