"""Bounded buffer for a command's output."""

from __future__ import annotations


class BoundedOutput:
    """Buffer that keeps the first and last bytes of a stream.

    Together they are at most `most` bytes.
    """

    def __init__(self, most: int) -> None:
        self._first_bytes = most - most // 2
        self._last_bytes = most // 2
        self._first = bytearray()
        self._last = bytearray()
        self._dropped = 0

    @property
    def cut_at(self) -> int:
        """Offset in `value` after which bytes are missing, if any are."""
        return len(self._first)

    @property
    def left_out_bytes(self) -> int:
        return self._dropped

    @property
    def value(self) -> bytes:
        return bytes(self._first + self._last)

    def add(self, data: bytes) -> None:
        room = self._first_bytes - len(self._first)
        self._first += data[:room]
        self._last += data[room:] if room < len(data) else b""
        over = len(self._last) - self._last_bytes
        if over > 0:
            del self._last[:over]
            self._dropped += over
