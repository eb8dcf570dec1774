"""One line as it is drawn, and where each of its bytes stands on screen.

What is drawn is not what is in the file: a tab becomes spaces, a character that can't be seen becomes a
boxed escape such as U+202E, a byte that is no text becomes xFF. This module maps between three ways to
count, all from 0: bytes of the line, characters of its text, columns of the drawn text (UTF-16 units, as
Qt counts).
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from dataclasses import dataclass
from enum import Enum

from studio.engine.names import is_hidden_character
from studio.engine.text import NotText, TextForm

TAB_COLUMNS = 4

_PLAIN = re.compile(rb"[\x20-\x7e]*")
_LONE = re.compile("[\ud800-\udfff]")


class MarkKind(Enum):
    """Why a part of a drawn line does not look like its text."""

    BOX = "box"
    BLANK = "blank"
    ENDING = "ending"


@dataclass(frozen=True, slots=True)
class Mark:
    """A part of the drawn line, in columns: a boxed escape, a drawn blank, or the name of the line ending."""

    start: int
    end: int
    kind: MarkKind


@dataclass(frozen=True, slots=True)
class DisplayLine:
    """A line as drawn.

    `text` is what is drawn; `source` the line's text without its ending, one character per character, with
    U+FFFD for each byte that is no text. `ending` is "LF", "CRLF" or "" for a line without one. The two
    tables hold, for each character of `source` and for its end, the column and the byte where it begins;
    None says that all three ways to count are the same.
    """

    text: str
    source: str
    ending: str
    marks: tuple[Mark, ...] = ()
    columns: array[int] | None = None
    offsets: array[int] | None = None

    @property
    def width(self) -> int:
        """Columns of the drawn text, the drawn ending included."""
        return len(self.text) if self.columns is None else _units(self.text)

    @property
    def last_column(self) -> int:
        """Column behind the last character."""
        return len(self.source) if self.columns is None else self.columns[-1]

    def column_of(self, character: int) -> int:
        """Column where a character begins; of the line's end for an index behind it."""
        character = max(0, min(character, len(self.source)))
        return character if self.columns is None else self.columns[character]

    def character_at(self, column: int) -> int:
        """The character that covers a column; the number of characters behind the last one."""
        if column < 0:
            return 0
        if self.columns is None:
            return min(column, len(self.source))
        return bisect_right(self.columns, column) - 1 if column < self.columns[-1] else len(self.source)

    def boundary_near(self, column: int) -> int:
        """The boundary between characters nearest to a column: where a click puts a selection's end."""
        character = self.character_at(column)
        if character >= len(self.source):
            return len(self.source)
        before, after = self.column_of(character), self.column_of(character + 1)
        return character if column - before <= after - column else character + 1

    def byte_of(self, character: int) -> int:
        """Byte where a character begins; of the line's end for an index behind it."""
        character = max(0, min(character, len(self.source)))
        return character if self.offsets is None else self.offsets[character]

    def byte_at(self, column: int) -> int:
        """First byte of the character that covers a column."""
        return self.byte_of(self.character_at(column))

    def column_of_byte(self, byte: int) -> int:
        """Column of the character that holds a byte."""
        if self.offsets is None:
            return self.column_of(byte)
        return self.column_of(bisect_right(self.offsets, max(0, byte)) - 1)


def split_ending(line: bytes) -> tuple[bytes, str]:
    """The line without its ending, and the ending's name: "LF", "CRLF" or "" for none."""
    if line.endswith(b"\r\n"):
        return line[:-2], "CRLF"
    if line.endswith(b"\n"):
        return line[:-1], "LF"
    return line, ""


def source_text(line: bytes, form: TextForm | NotText | None) -> str:
    """The line's text without its ending; each byte that is no text becomes one U+FFFD."""
    content, _ending = split_ending(line)
    return _LONE.sub("\ufffd", _decode(content, form))


def display_line(
    line: bytes,
    form: TextForm | NotText | None,
    *,
    show_blanks: bool = False,
    show_ending: bool = False,
    no_newline: str = "",
) -> DisplayLine:
    """Lay out one line, with its ending, for drawing. Never raises, whatever the bytes are.

    `show_blanks` draws spaces and tabs; `show_ending` names the line's ending, or `no_newline` where it has
    none.
    """
    content, ending = split_ending(line)
    if not show_blanks and not show_ending and _PLAIN.fullmatch(content):
        plain = content.decode("ascii")
        return DisplayLine(plain, plain, ending)
    text = _decode(content, form)
    drawn: list[str] = []
    marks: list[Mark] = []
    columns = array("l", [0])
    offsets = array("l", [0])
    single_bytes = _is_single_byte(form)
    column = offset = 0
    for character in text:
        piece, kind = _drawn(character, column, show_blanks=show_blanks)
        drawn.append(piece)
        width = _units(piece)
        if kind is not None:
            marks.append(Mark(column, column + width, kind))
        column += width
        offset += 1 if single_bytes else _utf8_bytes(character)
        columns.append(column)
        offsets.append(offset)
    if show_ending:
        name = f"↵{ending}" if ending else f" {no_newline}"
        drawn.append(name)
        marks.append(Mark(column, column + _units(name), MarkKind.ENDING))
    return DisplayLine("".join(drawn), _LONE.sub("\ufffd", text), ending, tuple(marks), columns, offsets)


def _decode(content: bytes, form: TextForm | NotText | None) -> str:
    """Bytes that are no text come back as lone surrogates, one per byte."""
    encoding = "windows-1252" if _is_single_byte(form) else "utf-8"
    return content.decode(encoding, "surrogateescape")


def _is_single_byte(form: TextForm | NotText | None) -> bool:
    return isinstance(form, TextForm) and form.encoding == "windows-1252"


def _drawn(character: str, column: int, *, show_blanks: bool) -> tuple[str, MarkKind | None]:
    if character == "\t":
        width = TAB_COLUMNS - column % TAB_COLUMNS
        return ("→" + " " * (width - 1), MarkKind.BLANK) if show_blanks else (" " * width, None)
    if character == " ":
        return ("·", MarkKind.BLANK) if show_blanks else (" ", None)
    if "\ud800" <= character <= "\udfff":
        return f"x{ord(character) & 0xFF:02X}", MarkKind.BOX
    if is_hidden_character(character):
        return f"U+{ord(character):04X}", MarkKind.BOX
    return character, None


def _units(text: str) -> int:
    """Length in UTF-16 units."""
    return len(text) if text.isascii() else len(text) + sum(character > "\uffff" for character in text)


def _utf8_bytes(character: str) -> int:
    code = ord(character)
    if code < 0x80 or 0xDC80 <= code <= 0xDCFF:
        return 1
    return 2 if code < 0x800 else 3 if code < 0x10000 else 4
