"""File headers of unified diffs: names with their quoting and prefixes, and git's extended headers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Final

DEV_NULL = b"/dev/null"
_DATE = re.compile(rb"(19(?:69|70)-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.0+)? ([-+]\d\d:?\d\d)")
Marks = tuple[bytes, bytes]
"""The prefixes of the old and the new name of a file."""

NO_MARKS: Final = (b"", b"")
USUAL_MARKS: Final = (b"a/", b"b/")
MNEMONIC_MARKS: Final = tuple(
    pair
    for old, new in ((b"i/", b"w/"), (b"c/", b"w/"), (b"c/", b"i/"), (b"o/", b"w/"), (b"1/", b"2/"))
    for pair in ((old, new), (new, old))
)
"""What git 2.39.5 writes for a/ and b/ with diff.mnemonicPrefix, and the other way round with -R."""

_QUOTED = re.compile(rb'"(?:[^"\\]|\\(?:[0-3][0-7]{2}|[abtnvfr"\\]))*+')
_SIMPLE_ESCAPES = {
    ord("a"): 7,
    ord("b"): 8,
    ord("t"): 9,
    ord("n"): 10,
    ord("v"): 11,
    ord("f"): 12,
    ord("r"): 13,
    ord('"'): ord('"'),
    ord("\\"): ord("\\"),
}
_NEEDS_QUOTES = re.compile(rb'[\x00-\x1f\x7f-\xff"\\]')


class QuotingError(ValueError):
    """A quoted name that does not end, or holds an escape git does not write; `offset` in bytes."""

    def __init__(self, offset: int) -> None:
        super().__init__(offset)
        self.offset = offset


@dataclass(frozen=True, slots=True)
class Name:
    """One name of a header line: its bytes unquoted and still with prefix; None means /dev/null."""

    value: bytes | None
    quoted: bool
    timestamp: bytes = b""

    @property
    def is_nonexistent(self) -> bool:
        """Whether Subversion names the file here for a side on which it does not exist."""
        return self.timestamp in (b"(nonexistent)", b"(revision 0)")

    @property
    def is_missing(self) -> bool:
        """Whether what follows the name says that the file does not exist on this side.

        GNU diff 3.8 -N dates it 0 seconds since the epoch in the local zone, as GNU patch 2.7.6 and git apply
        2.39.5 read it; Subversion 1.14.2 writes `(nonexistent)`, and 1.6 wrote `(revision 0)`.
        """
        if self.is_nonexistent:
            return True
        found = _DATE.fullmatch(self.timestamp)
        if found is None:
            return False
        day, clock, zone = (part.decode() for part in found.groups())
        try:
            return datetime.strptime(f"{day} {clock} {zone}", "%Y-%m-%d %H:%M:%S %z").timestamp() == 0
        except ValueError:
            return False


def read_name(raw: bytes) -> Name:
    """Read what follows `--- ` or `+++ `: a name, quoted or not, perhaps a TAB and a timestamp (Q58).

    Raises QuotingError.
    """
    if raw.startswith(b'"'):
        value, end = unquote(raw)
        rest = raw[end:]
        if rest and not rest.startswith(b"\t"):
            raise QuotingError(end)
        return Name(value, True, rest[1:])
    value, _, timestamp = raw.partition(b"\t")
    return Name(None if value == DEV_NULL else value, False, timestamp)


def read_plain_name(raw: bytes) -> Name:
    """Read what follows `rename from ` and its like: a name without prefix or timestamp.

    Raises QuotingError.
    """
    if raw.startswith(b'"'):
        value, end = unquote(raw)
        if end != len(raw):
            raise QuotingError(end)
        return Name(value, True)
    return Name(raw, False)


def unquote(raw: bytes) -> tuple[bytes, int]:
    """Decode the C-quoted name at the start of `raw`; returns it and the offset after its last quote.

    Raises QuotingError.
    """
    inside = _QUOTED.match(raw)
    end = inside.end() if inside else 0
    if end == len(raw) or raw[end] != ord('"'):
        raise QuotingError(end)
    # Only escapes that Python reads as git does are let through; its codec takes other bytes for Latin-1.
    return raw[1:end].decode("unicode_escape").encode("latin-1"), end + 1


def quote(name: bytes) -> bytes:
    """Write a name as git does: in double quotes with escapes where it holds anything unusual."""
    if not _NEEDS_QUOTES.search(name):
        return name
    names_of_escapes = {code: letter for letter, code in _SIMPLE_ESCAPES.items()}
    quoted = bytearray(b'"')
    for byte in name:
        if byte in names_of_escapes:
            quoted += b"\\" + bytes((names_of_escapes[byte],))
        elif byte < 0x20 or byte >= 0x7F:
            quoted += b"\\%03o" % byte
        else:
            quoted.append(byte)
    return bytes(quoted + b'"')


def split_prefix(old: bytes | None, new: bytes | None) -> tuple[bytes | None, bytes | None, Marks] | None:
    """Take `a/` and `b/` off; returns old, new and the prefixes, None where it is unclear.

    The rule (R137, D31): both names carry their prefix, or neither begins with `a/` or `b/`. A name of
    None is /dev/null. A name that begins with the other side's prefix, or only one prefixed name of two,
    is never guessed about.
    """
    marks = [
        (name.startswith(own), name.startswith(other))
        for name, own, other in ((old, b"a/", b"b/"), (new, b"b/", b"a/"))
        if name is not None
    ]
    if all(own for own, _ in marks):
        return (old[2:] if old is not None else None, new[2:] if new is not None else None, USUAL_MARKS)
    if not any(own or other for own, other in marks):
        return old, new, NO_MARKS
    return None


def git_line_names(rest: bytes, marks: Marks) -> bytes | None:
    """The one name that `diff --git` repeats (`rest` follows it), for headers that name no file again.

    None where the two halves are not the same name. Raises QuotingError.
    """
    if rest.startswith(b'"'):
        first, end = unquote(rest)
        second = read_plain_name(rest[end + 1 :]) if rest[end : end + 1] == b" " else None
        if second is None or second.value is None:
            return None
        value = second.value
    else:
        half, odd = divmod(len(rest) - 1, 2)
        if odd or half < 1 or rest[half : half + 1] != b" ":
            return None
        first, value = rest[:half], rest[half + 1 :]
    if not first.startswith(marks[0]) or not value.startswith(marks[1]):
        return None
    name = first[len(marks[0]) :]
    return name if name == value[len(marks[1]) :] else None


def git_line_agrees(rest: bytes, old: bytes, new: bytes) -> bool:
    """Whether what follows `diff --git ` is exactly these two names (prefixes included), quoted or not.

    Raises QuotingError.
    """
    if rest.startswith(b'"'):
        first, end = unquote(rest)
    else:
        first, end = old, len(old)
        if not rest.startswith(old):
            return False
    if first != old or rest[end : end + 1] != b" ":
        return False
    return read_plain_name(rest[end + 1 :]).value == new
