"""File names in unified diff headers: quoting, prefixes and timestamps."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Final

from studio.engine.diff.cursor import Cursor
from studio.limits import QUOTED_CHARACTERS
from studio.names import show_name
from studio.values import Value

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
"""Prefixes of git 2.39.5 with diff.mnemonicPrefix; reversed with -R."""

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
    """A quoted name without end, or with an invalid escape.

    `offset` is in bytes.
    """

    def __init__(self, offset: int) -> None:
        super().__init__(offset)
        self.offset = offset


class Name(Value):
    """An unquoted header name with its prefix; None for /dev/null."""

    value: bytes | None
    quoted: bool
    timestamp: bytes = b""

    @property
    def is_nonexistent(self) -> bool:
        """Whether Subversion marks the file as missing on this side."""
        return self.timestamp in (b"(nonexistent)", b"(revision 0)")

    @property
    def is_missing(self) -> bool:
        """Whether the timestamp marks the file as missing on this side.

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
    """Parse a name after `---` or `+++`, perhaps quoted or timestamped.

    A TAB separates the timestamp. Raises QuotingError.
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
    """Parse a name without prefix or timestamp, as after `rename from `.

    Raises QuotingError.
    """
    if raw.startswith(b'"'):
        value, end = unquote(raw)
        if end != len(raw):
            raise QuotingError(end)
        return Name(value, True)
    return Name(raw, False)


def unquote(raw: bytes) -> tuple[bytes, int]:
    """Decode the C-quoted name at the start of `raw`.

    Returns it and the offset after its closing quote. Raises QuotingError.
    """
    quoted_text = _QUOTED.match(raw)
    end = quoted_text.end() if quoted_text else 0
    if end == len(raw) or raw[end] != ord('"'):
        raise QuotingError(end)
    # Only escapes that Python decodes as git does get here; its codec decodes other bytes as Latin-1.
    return raw[1:end].decode("unicode_escape").encode("latin-1"), end + 1


def quote(name: bytes) -> bytes:
    """Quote a name as git does where it has unusual characters."""
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
    """Strip `a/` and `b/`; None where unclear whether they are prefixes.

    Returns old name, new name and the prefixes. Both names must carry their prefix, or neither may begin with
    `a/` or `b/`. A name of None is /dev/null. A name with the other side's prefix, or only one prefixed name
    of two, is never guessed about.
    """
    marks = [
        (name.startswith(expected), name.startswith(other))
        for name, expected, other in ((old, b"a/", b"b/"), (new, b"b/", b"a/"))
        if name is not None
    ]
    if all(expected for expected, _ in marks):
        return (old[2:] if old is not None else None, new[2:] if new is not None else None, USUAL_MARKS)
    if not any(expected or other for expected, other in marks):
        return old, new, NO_MARKS
    return None


def git_line_names(rest: bytes, marks: Marks) -> bytes | None:
    """Return the one name that a `diff --git` line repeats.

    `rest` is what follows `diff --git `. None where the two halves are not the same name. Raises
    QuotingError.
    """
    if rest.startswith(b'"'):
        first, end = unquote(rest)
        second = read_plain_name(rest[end + 1 :]) if rest[end : end + 1] == b" " else None
        if second is None or second.value is None:
            return None
        value = second.value
    else:
        half, remainder = divmod(len(rest) - 1, 2)
        if remainder or half < 1 or rest[half : half + 1] != b" ":
            return None
        first, value = rest[:half], rest[half + 1 :]
    if not first.startswith(marks[0]) or not value.startswith(marks[1]):
        return None
    name = first[len(marks[0]) :]
    return name if name == value[len(marks[1]) :] else None


def git_line_agrees(rest: bytes, old: bytes, new: bytes) -> bool:
    """Return whether `rest`, after `diff --git `, is exactly these two names.

    Prefixes are included; the line may quote them. Raises QuotingError.
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


# Error messages for file names in diffs, with hints to fix them.

_KEPT_ENDINGS: Final = (b".orig", b".old", b".bak", b"~")


def report_names(cursor: Cursor, line: int, old: Name | None, new: Name | None) -> None:
    """Report that a file's headers disagree on its names (None: not given)."""
    first, second = (name.value if name is not None else None for name in (old, new))
    message = "The headers of this file don't name the same file everywhere."
    hint = "Use one name in all headers; a rename needs the headers 'rename from' and 'rename to'."
    if first is not None and second is not None and first != second:
        folders, names = zip(*(_split(name) for name in (first, second)), strict=True)
        if names[0] == names[1] and all(folders) and folders != (b"a", b"b"):
            shown_folders = " and ".join(map(shown_name, folders))
            message = f"The two names begin with different folders: {shown_folders}."
            hint = (
                "Make it with git diff --src-prefix=a/ --dst-prefix=b/, quilt diff -p ab, brz diff "
                "--prefix=a/:b/, or diff -ru a b of folders that are called a and b."
            )
        elif any(first == second + ending for ending in _KEPT_ENDINGS):
            message = f"The old name is that of a backup copy: {shown_name(first)}."
            hint = "Make it with git diff, or with diff -u --label a/NAME --label b/NAME OLD NEW."
    cursor.report("diff.names", message, hint, line=line)


def _split(name: bytes) -> tuple[bytes, bytes]:
    """Split a name into its first folder and the rest."""
    folder, _, rest = name.partition(b"/")
    return (folder, rest) if rest else (b"", name)


def shown_name(name: bytes) -> str:
    """Return a name for a message, truncated where it is too long."""
    return show_name(name.decode("utf-8", "surrogateescape")[:QUOTED_CHARACTERS])


def report_quoting(cursor: Cursor, column: int, *, line: int | None = None) -> None:
    """Report an invalid quoted name, at the cursor's line or another."""
    cursor.report(
        "diff.quoting",
        "A quoted file name can't be read.",
        'End it with " and use only the escapes that git writes: \\n, \\t, \\", \\\\ and three octal digits.',
        line=line,
        column=column,
    )
