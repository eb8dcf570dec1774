"""Bytes and lines without loss: encoding, byte order mark, line ending, final newline.

Bytes are the truth. What this module finds out serves display, the space in which diffs speak, and
the refusal of what can't be shown; nothing is ever written from a decoded copy that does not encode
back to the same bytes.
"""

from __future__ import annotations

import codecs
from array import array
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from io import BytesIO, IncrementalNewlineDecoder
from itertools import accumulate
from typing import Literal, overload

from studio.engine.encodings import MULTI_BYTE, NAME_ONE, codec_of, encode
from studio.engine.errors import Refused
from studio.engine.text.binary import BinarySign, binary_bytes, binary_name
from studio.engine.text.charsets import looks_like

LineEnding = Literal["LF", "CRLF", "CR", "mixed", "none"]
UTF16 = ("utf-16-le", "utf-16-be")
_BYTE_ORDER_MARKS: tuple[tuple[bytes, str], ...] = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_PORTION = 128 * 1024
_ENDINGS: Mapping[object, LineEnding] = {"\n": "LF", "\r\n": "CRLF", "\r": "CR"}
# The five bytes to which Windows-1252 gives no character.
_UNDEFINED_IN_1252 = (b"\x81", b"\x8d", b"\x8f", b"\x90", b"\x9d")


@dataclass(frozen=True, slots=True)
class TextForm:
    """How a file's bytes are text, `encoding` as Python's codec. `bom` is the mark itself, empty without one.

    `guessed` says that no mark, setting or strict test named the encoding, only that every byte is
    defined in it and that the text does not look like another (Q14). `final_newline` is false for an
    empty file. `on_bytes` is that of `form_on_bytes`.
    """

    encoding: str
    bom: bytes
    line_ending: LineEnding
    final_newline: bool
    guessed: bool
    on_bytes: bool = False

    @property
    def is_utf16(self) -> bool:
        return self.encoding in UTF16


@dataclass(frozen=True, slots=True)
class NotText:
    """Why bytes can't be decoded as text; `offset` is the byte (0-based) that says so.

    `sign` is what made a file binary; None for one that can't be decoded. `has_lines` says that its bytes can
    still be compared and changed line by line: it is neither binary nor UTF-16.
    """

    reason: Literal["binary", "undecodable"]
    offset: int | None
    sentence: str
    sign: BinarySign | None = None
    has_lines: bool = False


@dataclass(frozen=True, slots=True)
class Forms:
    """How both sides of a change are text; None for a side that does not exist.

    Found out once for each side, and handed on to whoever needs to know.
    """

    base: TextForm | NotText | None = None
    result: TextForm | NotText | None = None

    @property
    def are_text(self) -> bool:
        """Whether no side is something else."""
        return not isinstance(self.base, NotText) and not isinstance(self.result, NotText)

    @property
    def have_lines(self) -> bool:
        """Whether both sides can be compared line by line, by their bytes where they can't be decoded."""
        return has_lines(self.base) and has_lines(self.result)


def forms_of(base: bytes | None, result: bytes | None, setting: str | None = None) -> Forms:
    """Look at both sides' bytes, by the project's encoding for them. Takes time for large files."""
    before = None if base is None else describe(base, setting)
    if result is base:
        return Forms(before, before)
    return Forms(before, None if result is None else describe(result, setting))


def describe(data: bytes, setting: str | None = None, *, path: str | None = None) -> TextForm | NotText:
    """Say how `data` is text: byte order mark, then the project's `setting`, then strict UTF-8, then
    Windows-1252 where every byte is defined in it and nothing contradicts (R162, C19, Q9, Q14).

    What is binary is no text: by its first bytes or a NUL in the first 8 KiB, unless a mark or setting
    says UTF-16; by the ending of `path`, where one is given, see `by_name`.
    Raises Refused `text.encoding` for a setting that is no encoding of the list (Q13).
    """
    form = _described(data, setting)
    return form if path is None else by_name(form, data, setting, path)


def by_name(form: TextForm | NotText, data: bytes, setting: str | None, path: str) -> TextForm | NotText:
    """`form`, which `describe` gives for `data`, or what the ending of `path` says against it: that the file
    is binary, unless its bytes say so themselves, or any mark or setting names an encoding."""
    if setting is not None or _byte_order_mark(data)[1] is not None:
        return form
    if isinstance(form, NotText) and form.reason == "binary":
        return form
    binary = binary_name(path)
    return form if binary is None else NotText("binary", binary.offset, binary.sentence, binary.sign)


def _described(data: bytes, setting: str | None) -> TextForm | NotText:
    bom, marked = _byte_order_mark(data)
    chosen = marked or (_known_encoding(setting) if setting is not None else None)
    if chosen in UTF16:
        return _describe_utf16(data, bom, chosen, from_setting=marked is None)
    binary = binary_bytes(data)
    if binary is not None:
        return NotText("binary", binary.offset, binary.sentence, binary.sign)
    if chosen is not None:
        failure = first_bad_byte(data, chosen)
        if failure is not None:
            source = "its byte order mark says" if marked else "the project's settings say"
            sentence = f"Byte {failure} is not {chosen}, as {source}."
            return NotText("undecodable", failure, sentence, has_lines=True)
        return _form(data, chosen, bom, guessed=False)
    if data.isascii():
        return _form(data, "ascii", b"", guessed=False)
    failure = first_bad_byte(data, "utf-8")
    if failure is None:
        return _form(data, "utf-8", b"", guessed=False)
    legacy_failure = first_bad_byte(data, "windows-1252")
    if legacy_failure is not None:
        sentence = f"Byte {failure} is not UTF-8, and byte {legacy_failure} is not Windows-1252."
        return NotText("undecodable", failure, sentence, has_lines=True)
    # No detector alone: of 1 KB of French in this encoding chardet 7.7.0 says cp437, charset-normalizer 3.5.2
    # mac_latin2 or cp775.
    other = looks_like(data)
    if other is not None:
        sentence = (
            f"Byte {failure} is not UTF-8, and the text looks like {other}. "
            "Name its encoding under encodings in the configuration."
        )
        return NotText("undecodable", failure, sentence, has_lines=True)
    return _form(data, "windows-1252", b"", guessed=True)


def form_on_bytes(data: bytes) -> TextForm:
    """Return a form that reads any bytes without loss: ASCII, and each other byte as a lone surrogate."""
    return replace(_form(data, "ascii", b"", guessed=False), on_bytes=True)


def has_lines(form: TextForm | NotText | None) -> bool:
    """Whether bytes can be compared line by line, decoded or not; of no file there is nothing to compare."""
    return form.has_lines if isinstance(form, NotText) else True


def diff_text(data: bytes, setting: str | None = None) -> bytes:
    """The bytes a diff of `data` speaks about: UTF-16 becomes UTF-8 without its mark, all else is itself.

    UTF-16 is known by its mark or by the project's `setting`; what does not decode is itself too.
    """
    _, encoding, text = _decoded_utf16(data, setting)
    return data if encoding is None else text.encode("utf-8")


def from_diff_text(new: bytes, like: bytes, setting: str | None = None) -> bytes:
    """Turn diff bytes back into file bytes with the encoding and mark of `like`: inverse of diff_text.

    Raises Refused `text.not_encodable` where the text can't be written in that encoding (R143).
    """
    bom, encoding, _ = _decoded_utf16(like, setting)
    if encoding is None:
        return new
    try:
        return bom + new.decode("utf-8").encode(encoding)
    except (UnicodeDecodeError, UnicodeEncodeError) as error:
        raise Refused(
            "text.not_encodable",
            f"The new text can't be written as {encoding}: {error.reason}.",
            "Use only text that is valid UTF-8 in a change to this file.",
        ) from error


def decode_text(data: bytes, form: TextForm) -> str:
    """The file's text without its mark; line ends stay as they are. Inverse of encode_text."""
    return data[len(form.bom) :].decode(form.encoding, "surrogateescape" if form.on_bytes else "strict")


def encode_text(text: str, form: TextForm) -> bytes:
    """The file's bytes for `text` in the file's own encoding and with its mark.

    An ASCII file takes any text as UTF-8, of which it is a subset.
    Raises Refused `text.not_encodable`, naming the first character that does not fit (R143).
    """
    if form.on_bytes:
        return text.encode("ascii", "surrogateescape")
    return form.bom + encoded(text, "utf-8" if form.encoding == "ascii" else form.encoding)


def encoded(text: str, encoding: str, *, first_line: int = 1, path: str | None = None) -> bytes:
    """`text` in `encoding`; `first_line` is the line of the file, from 1, at which it begins.

    Raises Refused `text.not_encodable`, naming the first character that does not fit (R143).
    """
    try:
        return encode(text, encoding)
    except UnicodeEncodeError as error:
        line = first_line + text.count("\n", 0, error.start)
        raise Refused(
            "text.not_encodable",
            f"U+{ord(text[error.start]):04X} in line {line} does not exist in {encoding}, "
            "the encoding of this file.",
            "Leave the character out, or write it with characters that the encoding has.",
            path=path,
        ) from error


def decode_line(line: bytes, form: TextForm | NotText | None) -> str:
    """Decode one line of diff text for display only: never raises, odd bytes become U+FFFD.

    The line's own CR and LF stay in the string.
    """
    return line.decode(line_codec(form), "replace")


def line_codec(form: TextForm | NotText | None) -> str:
    """Return the codec of diff text: a file's own, or UTF-8 for UTF-16, ASCII and what is no text."""
    if not isinstance(form, TextForm) or form.encoding in (*UTF16, "ascii"):
        return "utf-8"
    return form.encoding


class Lines(Sequence[bytes]):
    """The lines of some bytes, split only at LF, each with its LF; lines are cut out when asked for.

    `starts` holds the byte offset of each line and, as its last item, the length of the bytes.
    """

    __slots__ = ("data", "starts")

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.starts = array("q", [0])
        start = 0
        # In portions, between which other threads have their turn.
        while start < len(data):
            end = data.find(b"\n", start + _PORTION) + 1 or len(data)
            portion = data if end - start == len(data) else data[start:end]
            # BytesIO iterates lines in C and splits at LF only, unlike bytes.splitlines.
            lengths = accumulate(map(len, BytesIO(portion)), initial=start)
            next(lengths)
            self.starts.extend(lengths)
            start = end

    def __len__(self) -> int:
        return len(self.starts) - 1

    @overload
    def __getitem__(self, index: int) -> bytes: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[bytes]: ...
    def __getitem__(self, index: int | slice) -> bytes | Sequence[bytes]:
        if isinstance(index, slice):
            return [self[position] for position in range(*index.indices(len(self)))]
        position = index + len(self) if index < 0 else index
        if not 0 <= position < len(self):
            raise IndexError(index)
        return self.data[self.starts[position] : self.starts[position + 1]]

    def __iter__(self) -> Iterator[bytes]:
        return iter(BytesIO(self.data))

    def block(self, first: int, count: int) -> bytes:
        """The bytes of `count` lines from the 0-based line `first`; less where the text ends."""
        last = len(self)
        return self.data[self.starts[min(first, last)] : self.starts[min(first + count, last)]]

    def line_at(self, offset: int) -> int | None:
        """The 0-based line that starts at byte `offset`, None where no line starts there."""
        index = bisect_left(self.starts, offset)
        return index if index < len(self) and self.starts[index] == offset else None


def line_ending_of(data: bytes) -> LineEnding:
    """The line ending that all lines share; `mixed` where they don't, `none` in a single open line."""
    if b"\r" not in data:
        return "LF" if b"\n" in data else "none"
    # The decoder of universal newlines notes the kinds it meets, in C and in one pass.
    decoder = IncrementalNewlineDecoder(None, translate=False)
    decoder.decode(data.decode("latin-1"), final=True)
    return _ENDINGS.get(decoder.newlines, "mixed")


def _byte_order_mark(data: bytes) -> tuple[bytes, str | None]:
    for bom, encoding in _BYTE_ORDER_MARKS:
        if data.startswith(bom):
            return bom, encoding
    return b"", None


def _decoded_utf16(data: bytes, setting: str | None) -> tuple[bytes, str | None, str]:
    """The mark, encoding and text of what is UTF-16; no encoding for all else and for what is damaged."""
    bom, marked = _byte_order_mark(data)
    chosen = marked or (_known_encoding(setting) if setting is not None else None)
    if chosen in UTF16:
        try:
            return bom, chosen, data[len(bom) :].decode(chosen)
        except UnicodeDecodeError:
            pass
    return b"", None, ""


def _known_encoding(setting: str) -> str:
    codec = codec_of(setting)
    if codec is None:
        raise Refused("text.encoding", f"The encoding {setting!r} is not known.", NAME_ONE)
    return codec


def _describe_utf16(data: bytes, bom: bytes, encoding: str, *, from_setting: bool) -> TextForm | NotText:
    try:
        text = data[len(bom) :].decode(encoding)
    except UnicodeDecodeError as error:
        offset = len(bom) + error.start
        source = "the project's settings say" if from_setting else "its byte order mark says"
        return NotText("undecodable", offset, f"Byte {offset} is not {encoding}, as {source}.")
    nul = text.find("\0")
    if nul >= 0:
        offset = len(bom) + len(text[:nul].encode(encoding))
        sentence = f"A NUL character at byte {offset}: this is not text."
        return NotText("binary", offset, sentence, BinarySign.NUL)
    return _form(text.encode("utf-8"), encoding, bom, guessed=False)


def first_bad_byte(data: bytes, encoding: str) -> int | None:
    """The offset of the first byte that `encoding` gives no meaning, None if all have one.

    A second spelling of a character, which would not be written again, has none either.
    """
    if encoding == "windows-1252":
        found = [offset for byte in _UNDEFINED_IN_1252 if (offset := data.find(byte)) >= 0]
        return min(found, default=None)
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        return error.start
    if encoding not in MULTI_BYTE:
        return None
    try:
        again = encode(text, encoding)
    except UnicodeEncodeError as error:
        again = encode(text[: error.start], encoding)
    differ = (at for at, (old, new) in enumerate(zip(data, again, strict=False)) if old != new)
    return None if again == data else next(differ, len(again))


def _form(content: bytes, encoding: str, bom: bytes, *, guessed: bool) -> TextForm:
    ending = line_ending_of(content)
    final = content.endswith(b"\r" if ending == "CR" else b"\n")
    return TextForm(encoding, bom, ending, final, guessed)
