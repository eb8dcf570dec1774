"""A window of lines of a text file, found without keeping what lies before and behind it (R91)."""

from __future__ import annotations

from studio.engine.filesystem import refusals
from studio.engine.filesystem.protocol import ByteReader
from studio.engine.filesystem.types import READ_ENTIRE_FILE, ReadResult

_CHUNK_BYTES = 1 << 20


def read_lines(reader: ByteReader, offset: int, limit: int, most_bytes: int) -> ReadResult:
    """Lines from `offset` (0-based), at most `limit` or READ_ENTIRE_FILE; one line end is cut at the end.

    Only the window is decoded. Raises TooLarge when it has more than `most_bytes`, Undecodable with the
    position in the file, FileError.
    """
    last = None if limit == READ_ENTIRE_FILE else offset + limit
    ends = 0
    parts: list[bytes] = []
    start, taken = 0, 0
    tail = b""
    for chunk in reader.chunks(_CHUNK_BYTES):
        count = chunk.count(b"\n")
        tail = chunk[-1:]
        if ends + count >= offset and (last is None or ends < last):
            begin = 0 if ends >= offset else _after(chunk, offset - ends)
            end = len(chunk) if last is None or ends + count < last else _after(chunk, last - ends)
            if not parts:
                start = reader.position - len(chunk) + begin
            parts.append(chunk[begin:end])
            taken += end - begin
            if taken > most_bytes:
                raise refusals.too_large_to_read(reader.path, size=taken, limit=most_bytes)
        ends += count
    total = ends + (tail not in (b"", b"\n"))
    content = _decoded(reader.path, b"".join(parts), start)
    first = min(offset, total)
    held = content.count("\n") + (content[-1:] not in ("", "\n"))
    if content.endswith("\r\n"):
        content = content[:-2]
    elif content.endswith("\n"):
        content = content[:-1]
    return ReadResult(content, reader.path, total, first, held, first + held < total)


def _after(chunk: bytes, count: int) -> int:
    """Where the text behind the first `count` line ends begins; there are as many."""
    at = 0
    for _ in range(count):
        at = chunk.index(b"\n", at) + 1
    return at


def _decoded(path: str, data: bytes, start: int) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise refusals.undecodable(path, data, error.start, start + error.start) from error
