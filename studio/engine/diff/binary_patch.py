"""Strict parser and writer of `GIT binary patch` blocks (base 85 lines).

Only the form is checked here. Whether the bytes unpack, and to what, is checked by `binary_apply`, which has
the file and the limit.
"""

from __future__ import annotations

import base64
import re
import zlib
from enum import Enum

from studio.engine.diff.cursor import Cursor
from studio.engine.diff.hunk_problems import report_crlf
from studio.values import Value

BINARY_PATCH = b"GIT binary patch"

_METHOD = re.compile(rb"(literal|delta) (0|[1-9][0-9]{0,18})\n")
_LETTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_NO_SIGN = re.compile(rb"[^0-9A-Za-z!#$%&()*+;<=>?@^_`{|}~-]")
_GROUP = 5
"""Characters that encode four bytes."""

_LINE_BYTES = len(_LETTERS)
_LINE_SIGNS = _LINE_BYTES // 4 * _GROUP


class Method(Enum):
    """Encoding of a block: literal content or delta from the other side."""

    LITERAL = "literal"
    DELTA = "delta"


class BinaryBlock(Value):
    """A block of a binary patch: unpacked size and zlib stream."""

    method: Method
    size: int
    packed: bytes


class BinaryPatch(Value):
    """A binary patch between two git object ids, with its blocks.

    Ids are complete, all zeros for no file. `backward`, which git writes as well, leads from the result to
    the base.
    """

    old_id: str
    new_id: str
    forward: BinaryBlock
    backward: BinaryBlock | None

    @property
    def sizes(self) -> tuple[int, ...]:
        """The stated unpacked sizes of all blocks."""
        return tuple(block.size for block in (self.forward, self.backward) if block is not None)


Blocks = tuple[BinaryBlock, BinaryBlock | None]


def read_blocks(cursor: Cursor) -> Blocks | None:
    """Parse the blocks after `GIT binary patch`; None after reporting a problem."""
    before = len(cursor.problems)
    if cursor.current() != BINARY_PATCH:
        _report_line(cursor, "Something follows the words 'GIT binary patch'.")
        cursor.skip_to_file()
        return None
    cursor.advance()
    forward = _read_block(cursor)
    backward = (
        _read_block(cursor) if forward is not None and cursor.starts((b"literal ", b"delta ")) else None
    )
    if forward is None or len(cursor.problems) > before:
        if not cursor.starts(b"diff --git "):
            cursor.skip_to_file()
        return None
    return forward, backward


def format_block(data: bytes) -> bytes:
    """Return a literal block of these bytes, as git writes it."""
    packed = zlib.compress(data)
    signs = base64.b85encode(packed, pad=True)
    lines = [
        b"%c%s\n"
        % (
            _LETTERS[min(_LINE_BYTES, len(packed) - line * _LINE_BYTES) - 1],
            signs[start : start + _LINE_SIGNS],
        )
        for line, start in enumerate(range(0, len(signs), _LINE_SIGNS))
    ]
    return b"literal %d\n%s\n" % (len(data), b"".join(lines))


def _read_block(cursor: Cursor) -> BinaryBlock | None:
    method = _METHOD.match(cursor.data, cursor.position)
    if method is None:
        _report_line(cursor, "Expected 'literal' or 'delta' with a size in bytes.")
        return None
    cursor.jump(method.end(), 1)
    packed: list[bytes] = []
    while not cursor.starts(b"\n"):
        data = _read_line(cursor)
        if data is None:
            return None
        packed.append(data)
        cursor.advance()
    cursor.advance()
    return BinaryBlock(Method(method[1].decode()), int(method[2]), b"".join(packed))


def _read_line(cursor: Cursor) -> bytes | None:
    """Decode a line: a length letter, then five characters per four bytes."""
    line = cursor.current()
    if cursor.at_end or line.startswith((b"diff --git ", b"--- ", b"literal ", b"delta ")):
        _report_line(cursor, "The binary patch ends without its empty line; something was cut off.")
        return None
    signs = line[1:]
    count = _LETTERS.find(line[:1]) + 1
    invalid = _NO_SIGN.search(signs)
    if count == 0:
        _report_line(cursor, "The line does not start with its length, a letter from A to z.")
    elif invalid is not None:
        _report_line(cursor, "This character is not valid base 85.", column=2 + invalid.start())
    elif len(signs) != -(-count // 4) * _GROUP:
        _report_line(cursor, f"This line declares {count} bytes but has {len(signs)} characters.")
    else:
        try:
            data = base64.b85decode(signs)
        except ValueError:
            _report_line(cursor, "Five characters in this line encode more than four bytes.")
            return None
        if not any(data[count:]):
            return data[:count]
        _report_line(cursor, f"This line contains more than its declared {count} bytes.")
    return None


def _report_line(cursor: Cursor, message: str, *, column: int = 1) -> None:
    if cursor.current().endswith(b"\r"):
        report_crlf(cursor)
        return
    hint = "Send the patch exactly as git diff --binary writes it, with the empty line after each block."
    cursor.report("diff.binary", message, hint, column=column)
