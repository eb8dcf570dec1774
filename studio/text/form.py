"""Detection of encoding and line ends in bytes; decoding, encoding, line splitting.

Bytes are authoritative. The result is used for display, for the text in which diffs are written, and to
refuse what can't be shown; nothing is ever written from decoded text that does not encode back to the same
bytes.
"""

from __future__ import annotations

import codecs
from array import array
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO, IncrementalNewlineDecoder
from itertools import accumulate
from typing import Literal, overload

from msgspec.structs import replace

from studio.errors import Refused
from studio.text.binary import BinarySign, binary_bytes, binary_name
from studio.text.charsets import guess_encoding
from studio.text.encodings import MULTI_BYTE, NAME_ONE, codec_of, encode
from studio.values import Value

LineEnding = Literal["LF", "CRLF", "CR", "mixed", "none"]
UTF16 = ("utf-16-le", "utf-16-be")
_BYTE_ORDER_MARKS: tuple[tuple[bytes, str], ...] = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_PORTION = 128 * 1024
_ENDINGS: Mapping[object, LineEnding] = {"\n": "LF", "\r\n": "CRLF", "\r": "CR"}
# The five bytes that are undefined in Windows-1252.
_UNDEFINED_IN_1252 = (b"\x81", b"\x8d", b"\x8f", b"\x90", b"\x9d")


class TextForm(Value):
    """How a file's bytes are text.

    `encoding` is a Python codec, `bom` the byte order mark itself, or empty. `guessed`: no mark, setting or
    strict test determined the encoding, only that every byte is defined in it and that the text does not look
    like another one. `final_newline` is false for an empty file. `on_bytes`: made by `form_on_bytes`.
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

    def with_line_ends(self, text: str) -> str:
        """Convert LF text to CRLF where the file has CRLF throughout."""
        if "\n" not in text or "\r\n" in text or self.line_ending != "CRLF":
            return text
        return text.replace("\n", "\r\n")


class NotText(Value):
    """Why bytes can't be decoded as text.

    `offset` is the byte, 0-based, that shows it. `sign` is what made a file binary, None for one that can't
    be decoded. `has_lines`: its bytes can still be compared and changed line by line, as it is neither binary
    nor UTF-16.
    """

    reason: Literal["binary", "undecodable"]
    offset: int | None
    sentence: str
    sign: BinarySign | None = None
    has_lines: bool = False


class Forms(Value):
    """Forms of both sides of a change; None for a missing side.

    Detected once for each side, and passed on.
    """

    base: TextForm | NotText | None = None
    result: TextForm | NotText | None = None

    @property
    def are_text(self) -> bool:
        """Whether every existing side is text."""
        return not isinstance(self.base, NotText) and not isinstance(self.result, NotText)

    @property
    def have_lines(self) -> bool:
        """Whether both sides can be compared line by line, decoded or not."""
        return has_lines(self.base) and has_lines(self.result)


def detect_forms(base: bytes | None, result: bytes | None, setting: str | None = None) -> Forms:
    """Detect the forms of both sides, which is slow for large files.

    `setting` is the configured encoding.
    """
    before = None if base is None else describe(base, setting)
    if result is base:
        return Forms(before, before)
    return Forms(before, None if result is None else describe(result, setting))


def describe(
    data: bytes,
    setting: str | None = None,
    *,
    path: str | None = None,
    source: str = "the project's settings",
) -> TextForm | NotText:
    """Detect how `data` is text.

    By byte order mark, then by the configured `setting`, then as strict UTF-8, then as Windows-1252 where
    every byte is defined in it and nothing contradicts.

    Binary data is no text: known first bytes, or a NUL in the first 8 KiB, unless a mark or setting says
    UTF-16; or by the extension of `path`, where given, see `by_name`. `source` is what named the setting, for
    the sentence. Raises Refused `text.encoding` for an unknown setting.
    """
    form = _detect_form(data, setting, source)
    return form if path is None else by_name(form, data, setting, path)


def by_name(form: TextForm | NotText, data: bytes, setting: str | None, path: str) -> TextForm | NotText:
    """Return `form`, or NotText where the extension of `path` is binary.

    The extension counts only if neither a mark nor a setting names an encoding, and the bytes are not binary
    themselves.
    """
    if setting is not None or _find_byte_order_mark(data)[1] is not None:
        return form
    if isinstance(form, NotText) and form.reason == "binary":
        return form
    binary = binary_name(path)
    return form if binary is None else NotText("binary", binary.offset, binary.sentence, binary.sign)


def _detect_form(data: bytes, setting: str | None, source: str) -> TextForm | NotText:
    bom, marked = _find_byte_order_mark(data)
    source = "its byte order mark" if marked else source
    chosen = marked or (_lookup_encoding(setting) if setting is not None else None)
    if chosen in UTF16:
        return _describe_utf16(data, bom, chosen, source)
    binary = binary_bytes(data)
    if binary is not None:
        return NotText("binary", binary.offset, binary.sentence, binary.sign)
    if chosen is not None:
        failure = first_bad_byte(data, chosen)
        if failure is not None:
            sentence = f"Byte {failure} is not valid {chosen}, the encoding named by {source}."
            return NotText("undecodable", failure, sentence, has_lines=True)
        return _build_form(data, chosen, bom, guessed=False)
    if data.isascii():
        return _build_form(data, "ascii", b"", guessed=False)
    failure = first_bad_byte(data, "utf-8")
    if failure is None:
        return _build_form(data, "utf-8", b"", guessed=False)
    legacy_failure = first_bad_byte(data, "windows-1252")
    if legacy_failure is not None:
        sentence = f"Byte {failure} is not UTF-8, and byte {legacy_failure} is not Windows-1252."
        return NotText("undecodable", failure, sentence, has_lines=True)
    # Not a detector alone: for 1 KB of French in this encoding chardet 7.7.0 returns cp437,
    # charset-normalizer 3.5.2 mac_latin2 or cp775.
    other = guess_encoding(data)
    if other is not None:
        sentence = (
            f"Byte {failure} is not UTF-8, and the text looks like {other}. "
            "Name its encoding under encodings in the configuration."
        )
        return NotText("undecodable", failure, sentence, has_lines=True)
    return _build_form(data, "windows-1252", b"", guessed=True)


def form_on_bytes(data: bytes) -> TextForm:
    """Return a form that decodes any bytes without loss.

    They are ASCII, and each other byte is a lone surrogate.
    """
    return replace(_build_form(data, "ascii", b"", guessed=False), on_bytes=True)


def has_lines(form: TextForm | NotText | None) -> bool:
    """Return whether bytes can be compared line by line, decoded or not.

    True for a missing file, which has nothing to compare.
    """
    return form.has_lines if isinstance(form, NotText) else True


def diff_text(data: bytes, setting: str | None = None) -> bytes:
    """Return the bytes that a diff of `data` refers to.

    UTF-16, by its mark or the configured `setting`, becomes UTF-8 without a mark; anything else is unchanged,
    including UTF-16 that does not decode.
    """
    _, encoding, text = _decode_utf16(data, setting)
    return data if encoding is None else text.encode("utf-8")


def from_diff_text(new: bytes, like: bytes, setting: str | None = None) -> bytes:
    """Convert diff bytes to file bytes, with encoding and mark of `like`.

    The inverse of diff_text. Raises Refused `text.not_encodable` where the text can't be encoded.
    """
    bom, encoding, _ = _decode_utf16(like, setting)
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
    """Return the text without its mark, line ends unchanged.

    The inverse of encode_text.
    """
    return data[len(form.bom) :].decode(form.encoding, "surrogateescape" if form.on_bytes else "strict")


def encode_text(text: str, form: TextForm) -> bytes:
    """Encode `text` in the file's encoding, with its mark.

    An ASCII file accepts any text as UTF-8, a superset. Raises Refused `text.not_encodable`, naming the first
    character that can't be encoded.
    """
    if form.on_bytes:
        return text.encode("ascii", "surrogateescape")
    return form.bom + encoded(text, "utf-8" if form.encoding == "ascii" else form.encoding)


def encoded(text: str, encoding: str, *, first_line: int = 1, path: str | None = None) -> bytes:
    """Encode `text`; `first_line` is its first line's number in the file.

    Raises Refused `text.not_encodable`, naming the first character that can't be encoded.
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
    """Decode one line of diff text for display.

    Never raises: undecodable bytes become U+FFFD. The line's own CR and LF are kept.
    """
    return line.decode(line_codec(form), "replace")


def line_codec(form: TextForm | NotText | None) -> str:
    """Return the codec of diff text.

    A file's own, or UTF-8 for UTF-16, ASCII and undecodable files.
    """
    if not isinstance(form, TextForm) or form.encoding in (*UTF16, "ascii"):
        return "utf-8"
    return form.encoding


class Lines(Sequence[bytes]):
    """Sequence of lines, split at LF only and created on access.

    Each line includes its LF. `starts` has the byte offset of each line and, as the last item, the total
    length.
    """

    __slots__ = ("data", "starts")

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.starts = array("q", [0])
        start = 0
        # In portions, so that other threads can run in between.
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
        count = len(self.starts) - 1
        position = index + count if index < 0 else index
        if not 0 <= position < count:
            raise IndexError(index)
        return self.data[self.starts[position] : self.starts[position + 1]]

    def __iter__(self) -> Iterator[bytes]:
        return iter(BytesIO(self.data))

    def block(self, first: int, count: int) -> bytes:
        """Return the bytes of `count` lines from line `first`, 0-based.

        Fewer where the text ends.
        """
        last = len(self)
        return self.data[self.starts[min(first, last)] : self.starts[min(first + count, last)]]

    def line_at(self, offset: int) -> int | None:
        """Return the line (0-based) that starts at byte `offset`, or None."""
        index = bisect_left(self.starts, offset)
        return index if index < len(self) and self.starts[index] == offset else None


def detect_line_ending(data: bytes) -> LineEnding:
    """Return the line ending of all lines.

    `mixed` where they differ, `none` for a single line without one.
    """
    if b"\r" not in data:
        return "LF" if b"\n" in data else "none"
    # The universal newlines decoder records the kinds it finds, in C and in one pass.
    decoder = IncrementalNewlineDecoder(None, translate=False)
    decoder.decode(data.decode("latin-1"), final=True)
    return _ENDINGS.get(decoder.newlines, "mixed")


def _find_byte_order_mark(data: bytes) -> tuple[bytes, str | None]:
    for bom, encoding in _BYTE_ORDER_MARKS:
        if data.startswith(bom):
            return bom, encoding
    return b"", None


def _decode_utf16(data: bytes, setting: str | None) -> tuple[bytes, str | None, str]:
    """Return mark, encoding and text of UTF-16 data.

    The encoding is None for other data and for invalid UTF-16.
    """
    bom, marked = _find_byte_order_mark(data)
    chosen = marked or (_lookup_encoding(setting) if setting is not None else None)
    if chosen in UTF16:
        try:
            return bom, chosen, data[len(bom) :].decode(chosen)
        except UnicodeDecodeError:
            pass
    return b"", None, ""


def _lookup_encoding(setting: str) -> str:
    codec = codec_of(setting)
    if codec is None:
        raise Refused("text.encoding", f"The encoding {setting!r} is not known.", NAME_ONE)
    return codec


def _describe_utf16(data: bytes, bom: bytes, encoding: str, source: str) -> TextForm | NotText:
    try:
        text = data[len(bom) :].decode(encoding)
    except UnicodeDecodeError as error:
        offset = len(bom) + error.start
        sentence = f"Byte {offset} is not valid {encoding}, the encoding named by {source}."
        return NotText("undecodable", offset, sentence)
    nul = text.find("\0")
    if nul >= 0:
        offset = len(bom) + len(text[:nul].encode(encoding))
        sentence = f"A NUL character at byte {offset}: this is not text."
        return NotText("binary", offset, sentence, BinarySign.NUL)
    return _build_form(text.encode("utf-8"), encoding, bom, guessed=False)


def first_bad_byte(data: bytes, encoding: str) -> int | None:
    """Return the offset of the first byte that is invalid in `encoding`.

    None where all are valid. A second byte sequence for a character is invalid, too, since encoding would not
    reproduce it.
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


def _build_form(content: bytes, encoding: str, bom: bytes, *, guessed: bool) -> TextForm:
    ending = detect_line_ending(content)
    final = content.endswith(b"\r" if ending == "CR" else b"\n")
    return TextForm(encoding, bom, ending, final, guessed)
