"""Display text of a line, and conversion between bytes, characters and columns.

The drawn text differs from the file: a tab becomes spaces, an invisible character a boxed escape such as
U+202E, an undecodable byte xFF. Three units are converted, all from 0: bytes of the line, characters of its
text, columns of the drawn text (UTF-16 units, as in Qt).
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Callable, Sequence
from enum import Enum
from itertools import groupby

from studio.names import is_hidden_character, show_name
from studio.text import NotText, TextForm, line_codec
from studio.text.encodings import MULTI_BYTE
from studio.ui.look.tab_stops import TAB_COLUMNS
from studio.values import Value

_PLAIN = bytes(range(0x20, 0x7F))
_SEGMENTS = re.compile(
    "(?P<plain>[\x20-\x7e]+)|(?P<tabs>\t+)|[\x80-\u07ff]+|[\u0800-\ud7ff\ue000-\uffff]+"
    "|[\U00010000-\U0010ffff]+|.",
    re.DOTALL,
)
_BLANKS = re.compile(" +")
_LONE = re.compile("[\ud800-\udfff]")


class MarkKind(Enum):
    """Reason why a part of a drawn line differs from its text."""

    BOX = "box"
    OMITTED = "omitted"
    BLANK = "blank"
    ENDING = "ending"


class Mark(Value):
    """A boxed escape, visible blank, ending's name or omission, in columns."""

    start: int
    end: int
    kind: MarkKind


class ColumnMap:
    """Run-length map of a line's characters to columns and bytes.

    In a run, all characters take the same number of columns and bytes. `characters`, `columns` and `offsets`
    hold the starts of the runs and then the end of the line, `widths` and `sizes` the columns and bytes per
    character.
    """

    __slots__ = ("characters", "columns", "offsets", "sizes", "widths")

    def __init__(self) -> None:
        self.characters, self.columns, self.offsets = array("l", [0]), array("l", [0]), array("l", [0])
        self.widths, self.sizes = array("l"), array("l")

    def add(self, count: int, width: int, size: int) -> None:
        """Append a run."""
        self.widths.append(width)
        self.sizes.append(size)
        self.characters.append(self.characters[-1] + count)
        self.columns.append(self.columns[-1] + count * width)
        self.offsets.append(self.offsets[-1] + count * size)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ColumnMap) and all(
            getattr(self, name) == getattr(other, name) for name in self.__slots__
        )

    def __hash__(self) -> int:
        return hash(self.characters.tobytes())

    def forward(self, character: int, starts: array[int], per_character: array[int]) -> int:
        """Return the column or byte of a character, depending on the tables."""
        run = bisect_right(self.characters, character) - 1
        if run >= len(self.widths):
            return starts[-1]
        return starts[run] + (character - self.characters[run]) * per_character[run]

    def back(self, place: int, starts: array[int], per_character: array[int]) -> int:
        """Return the character at a column or byte, or the character count."""
        run = bisect_right(starts, place) - 1
        if run >= len(self.widths):
            return self.characters[-1]
        return self.characters[run] + (place - starts[run]) // per_character[run]


class DisplayLine(Value):
    """A line as drawn.

    `text` is the drawn text, `source` the line's text without its ending, with U+FFFD for each undecodable
    byte. `ending` is "LF", "CRLF" or "" for none. Where `places` is None, bytes, characters and columns
    agree.
    """

    text: str
    source: str
    ending: str
    marks: tuple[Mark, ...] = ()
    column_map: ColumnMap | None = None

    @property
    def width(self) -> int:
        """The columns of the drawn text, including a visible ending."""
        return len(self.text) if self.column_map is None else _units(self.text)

    def column_of(self, character: int) -> int:
        """Return the column of a character, or of the line's end."""
        character = max(0, min(character, len(self.source)))
        places = self.column_map
        return character if places is None else places.forward(character, places.columns, places.widths)

    def character_at(self, column: int) -> int:
        """Return the character at a column, past the end the character count."""
        if column < 0:
            return 0
        places = self.column_map
        if places is None:
            return min(column, len(self.source))
        return places.back(column, places.columns, places.widths)

    def boundary_near(self, column: int) -> int:
        """Return the character boundary nearest to a column, as for a click."""
        character = self.character_at(column)
        if character >= len(self.source):
            return len(self.source)
        before, after = self.column_of(character), self.column_of(character + 1)
        return character if column - before <= after - column else character + 1

    def column_of_byte(self, byte: int) -> int:
        """Return the column of the character that contains a byte."""
        places = self.column_map
        if places is None:
            return self.column_of(byte)
        return self.column_of(places.back(max(0, byte), places.offsets, places.sizes))


def ending_of(line: bytes) -> str:
    """Return the name of a line's ending: "LF", "CRLF" or ""."""
    return _without_ending(line)[1]


def _without_ending(line: bytes) -> tuple[int, str]:
    """Return a line's length without its ending, and the ending's name."""
    if line.endswith(b"\r\n"):
        return len(line) - 2, "CRLF"
    if line.endswith(b"\n"):
        return len(line) - 1, "LF"
    return len(line), ""


def source_text(line: bytes, form: TextForm | NotText | None) -> str:
    """Return a line's text without ending, with U+FFFD per undecodable byte."""
    return _replace_lone(_decode(line[: _without_ending(line)[0]], form))


def display_line(
    line: bytes,
    form: TextForm | NotText | None,
    *,
    show_blanks: bool = False,
    show_ending: bool = False,
    no_newline: str = "",
    omitted: Sequence[tuple[int, int]] = (),
    omission: Callable[[int], str] = str,
) -> DisplayLine:
    """Return one line as drawn; never raises, whatever the bytes are.

    `omitted` are ascending ranges of characters that are replaced by `omission` of their count.

    `show_blanks` draws spaces and tabs; `show_ending` names the line's ending, or writes `no_newline` where
    there is none.
    """
    size, ending = _without_ending(line)
    if not show_blanks and not show_ending and not omitted and line.translate(None, _PLAIN) == line[size:]:
        # A line may be as long as its file, so it is copied only once.
        plain = str(memoryview(line)[:size], "ascii")
        return DisplayLine(plain, plain, ending)
    text = _decode(line[:size], form)
    drawing = _Drawing(show_blanks=show_blanks, codec=line_codec(form))
    at = 0
    for start, end in omitted:
        drawing.add_all(text[at:start])
        drawing.omit(text[start:end], omission(end - start))
        at = end
    drawing.add_all(text[at:])
    if show_ending:
        drawing.mark(f"↵{ending}" if ending else f" {no_newline}", MarkKind.ENDING)
    source = _replace_lone(text)
    return DisplayLine("".join(drawing.pieces), source, ending, tuple(drawing.marks), drawing.places)


class _Drawing:
    """Builder of a drawn line, run by run."""

    def __init__(self, *, show_blanks: bool, codec: str) -> None:
        self.pieces: list[str] = []
        self.marks: list[Mark] = []
        self.places = ColumnMap()
        self._show_blanks = show_blanks
        self._codec = codec

    def add_all(self, text: str) -> None:
        for match in _SEGMENTS.finditer(text):
            self.add(match.group(), match.lastgroup or "")

    def omit(self, text: str, words: str) -> None:
        """Add words for characters, of which the first has their columns."""
        self.mark(words, MarkKind.OMITTED)
        width = _units(words)
        for character, same in groupby(text, self._size):
            count = len(list(same))
            self.places.add(1, width, character)
            self.places.add(count - 1, 0, character)
            width = 0

    def add(self, run: str, kind: str) -> None:
        """Add characters of one kind: "plain", "tabs", or neither."""
        if kind == "plain":
            self._add_plain(run)
        elif kind == "tabs":
            self._add_tabs(len(run))
        elif self._codec not in MULTI_BYTE and show_name(run) == run:
            self._add_run(run, len(run))
        else:
            for character, same in groupby(run):
                self._add_same(character, len(list(same)))

    def mark(self, piece: str, kind: MarkKind) -> None:
        """Add a mark that is no character of the line."""
        start = self.places.columns[-1]
        self.pieces.append(piece)
        self.marks.append(Mark(start, start + _units(piece), kind))

    def _add_plain(self, run: str) -> None:
        if self._show_blanks and " " in run:
            start = self.places.columns[-1]
            self.marks += [
                Mark(start + blanks.start(), start + blanks.end(), MarkKind.BLANK)
                for blanks in _BLANKS.finditer(run)
            ]
            self.pieces.append(run.replace(" ", "·"))
        else:
            self.pieces.append(run)
        self.places.add(len(run), 1, 1)

    def _add_tabs(self, count: int) -> None:
        """Add tabs: the first reaches the next tab stop."""
        start = self.places.columns[-1]
        first = TAB_COLUMNS - start % TAB_COLUMNS
        self.places.add(1, first, 1)
        if count > 1:
            self.places.add(count - 1, TAB_COLUMNS, 1)
        if self._show_blanks:
            self.marks.append(Mark(start, self.places.columns[-1], MarkKind.BLANK))
            self.pieces.append("→" + " " * (first - 1) + ("→" + " " * (TAB_COLUMNS - 1)) * (count - 1))
        else:
            self.pieces.append(" " * (first + TAB_COLUMNS * (count - 1)))

    def _add_same(self, character: str, count: int) -> None:
        if "\ud800" <= character <= "\udfff":
            self._add_boxes(f"x{ord(character) & 0xFF:02X}", character, count)
        elif is_hidden_character(character):
            self._add_boxes(f"U+{ord(character):04X}", character, count)
        else:
            self._add_run(character * count, count)

    def _add_boxes(self, name: str, character: str, count: int) -> None:
        start, width = self.places.columns[-1], len(name)
        self.pieces.append(name * count)
        self.marks += [
            Mark(start + place * width, start + (place + 1) * width, MarkKind.BOX) for place in range(count)
        ]
        self.places.add(count, width, self._size(character))

    def _add_run(self, run: str, count: int) -> None:
        self.pieces.append(run)
        self.places.add(count, 2 if run[0] > "\uffff" else 1, self._size(run[0]))

    def _size(self, character: str) -> int:
        if self._codec == "utf-8":
            return _utf8_bytes(character)
        return len(character.encode(self._codec, "surrogateescape")) if self._codec in MULTI_BYTE else 1


def _decode(content: bytes, form: TextForm | NotText | None) -> str:
    """Decode bytes, with a lone surrogate per undecodable byte."""
    return content.decode(line_codec(form), "surrogateescape")


def _replace_lone(text: str) -> str:
    """Replace each lone surrogate by U+FFFD."""
    return text if text.isascii() else _LONE.sub("\ufffd", text)


def _units(text: str) -> int:
    """Return the length in UTF-16 units."""
    return len(text) if text.isascii() else len(text) + sum(character > "\uffff" for character in text)


def _utf8_bytes(character: str) -> int:
    code = ord(character)
    if code < 0x80 or 0xDC80 <= code <= 0xDCFF:
        return 1
    return 2 if code < 0x800 else 3 if code < 0x10000 else 4
