"""Search for matching lines in the bytes of one file.

A line ends at LF, and one CR before that does not belong to it. A file is searched only if all of it is UTF-8
and it is not binary; large files are processed in blocks.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Final

from studio.engine.filesystem.grep_pattern import Expression
from studio.limits import SEARCH_LINE_BYTES
from studio.text.binary import BINARY_TEST_BYTES, binary_bytes

# read() and not mmap: over 50,000 small files mmap took 1.0 s and read 0.7 s.
BLOCK_BYTES: Final = 4 * 1024 * 1024
"""Size of the blocks in which a file is read; a line is never split."""

Line = tuple[int, str, int, int]
"""A matching line: 1-based number, text, start and end of its first match in characters."""


class NotText(Exception):
    """A file that is binary, not UTF-8, or has an overlong line."""


def matching_lines(expression: Expression, blocks: Iterable[bytes], limit: int) -> list[Line]:
    """Return the first `limit` matching lines of a file.

    It comes in blocks, each but the last ending in LF. Raises NotText, even for what comes after the last
    line returned.
    """
    found: list[Line] = []
    number = 1
    rest = iter(blocks)
    first = next(rest, b"")
    following = next(rest, None)
    if following is None:
        # Most files: one block without a match.
        if expression.needle not in first:
            return []
        text = _decode(first)
        found = _search_block(expression, text, number, limit)
        if found:
            _check_not_binary(first)
        return found
    start = b""
    block: bytes | None = first
    while block is not None:
        if len(start) < BINARY_TEST_BYTES:
            start += block[: BINARY_TEST_BYTES - len(start)]
            _check_not_binary(start)
        text = _decode(block)
        if len(found) < limit and expression.needle in block:
            found += _search_block(expression, text, number, limit - len(found))
        number += text.count("\n")
        block, following = following, next(rest, None)
    return found


def _decode(block: bytes) -> str:
    try:
        text = block.decode()
    except UnicodeDecodeError:
        raise NotText from None
    return text.replace("\r\n", "\n") if "\r" in text else text


def _check_not_binary(start: bytes) -> None:
    if binary_bytes(start) is not None:
        raise NotText


def _search_block(expression: Expression, text: str, number: int, limit: int) -> list[Line]:
    """Search a block whose first line has the given number."""
    if not expression.as_whole:
        return _search_each(expression, text, number, limit)
    found: list[Line] = []
    search = expression.whole.search
    match_line = expression.compiled.search
    size, at, counted_to = len(text), 0, 0
    while at < size and len(found) < limit:
        hint = search(text, at)
        if hint is None or (hint.start() == size and text.endswith("\n")):
            break
        start = text.rfind("\n", at, hint.start()) + 1 or at
        end = text.find("\n", hint.start())
        end = size if end < 0 else end
        line = text[start:end]
        match = match_line(line)
        if match is not None:
            number += text.count("\n", counted_to, start)
            counted_to = start
            found.append((number, line, match.start(), match.end()))
        at = end + 1
    return found


def _search_each(expression: Expression, text: str, number: int, limit: int) -> list[Line]:
    found: list[Line] = []
    match_line = expression.compiled.search
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    for at, line in enumerate(lines, number):
        match = match_line(line)
        if match is not None:
            found.append((at, line, match.start(), match.end()))
            if len(found) == limit:
                break
    return found


def blocks_of_bytes(content: bytes) -> Iterator[bytes]:
    """Yield the content in blocks that end in LF.

    Raises NotText for a line that is too long.
    """
    at = 0
    while at < len(content):
        end = at + BLOCK_BYTES
        if end < len(content):
            cut = content.rfind(b"\n", at, end) + 1 or content.find(b"\n", end) + 1
            end = cut or len(content)
        if end - at > SEARCH_LINE_BYTES:
            raise NotText
        yield content if end - at == len(content) else content[at:end]
        at = end


def blocks_of_file(handle: int, size: int) -> Iterator[bytes]:
    """Yield an open file in blocks that end in LF.

    `size` is its stated size. Raises OSError, or NotText for a line that is too long.
    """
    return blocks_as_read(partial(os.read, handle), size)


def blocks_as_read(read: Callable[[int], bytes], size: int) -> Iterator[bytes]:
    """Yield what `read` returns in blocks that end in LF.

    `read` gets a maximum size and returns no bytes at the end. Raises as `blocks_of_file`.
    """
    rest = b""
    wanted = min(size + 1, BLOCK_BYTES)
    while part := read(wanted):
        if not rest and len(part) < wanted:
            yield part  # one call returned all of it
            return
        wanted = BLOCK_BYTES
        rest += part
        cut = rest.rfind(b"\n") + 1
        if cut:
            yield rest[:cut]
            rest = rest[cut:]
        if len(rest) > SEARCH_LINE_BYTES:
            raise NotText
    if rest:
        yield rest
