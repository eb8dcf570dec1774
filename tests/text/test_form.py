"""Bytes and lines without loss."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from studio.errors import Refused
from studio.text import (
    Lines,
    NotText,
    TextForm,
    decode_line,
    decode_text,
    describe,
    detect_line_ending,
    diff_text,
    encode_text,
    from_diff_text,
)
from studio.text.binary import BinarySign


def form_of(data: bytes, setting: str | None = None) -> TextForm:
    form = describe(data, setting)
    assert isinstance(form, TextForm), form
    return form


def not_text(data: bytes, setting: str | None = None) -> NotText:
    form = describe(data, setting)
    assert isinstance(form, NotText), form
    return form


@pytest.mark.parametrize(
    ("data", "encoding", "bom", "guessed"),
    [
        (b"", "ascii", b"", False),
        (b"plain\n", "ascii", b"", False),
        ("caf\u00e9\n".encode(), "utf-8", b"", False),
        (b"\xef\xbb\xbfplain\n", "utf-8", b"\xef\xbb\xbf", False),
        ("\ufeffa\n".encode("utf-16-le"), "utf-16-le", b"\xff\xfe", False),
        ("\ufeffa\n".encode("utf-16-be"), "utf-16-be", b"\xfe\xff", False),
        (b"caf\xe9 \x80\n", "windows-1252", b"", True),
    ],
)
def test_ladder(data: bytes, encoding: str, bom: bytes, guessed: bool) -> None:
    form = form_of(data)
    assert (form.encoding, form.bom, form.guessed) == (encoding, bom, guessed)


def test_setting_comes_before_utf8_and_after_the_mark() -> None:
    """The project's setting decides where no mark does."""
    assert form_of("\u00e9\n".encode(), "windows-1252").encoding == "windows-1252"
    assert form_of(b"caf\xe9", "windows-1252").guessed is False
    assert form_of(b"\xef\xbb\xbfa", "windows-1252").encoding == "utf-8"
    assert form_of("ab\n".encode("utf-16-le"), "utf-16-le").encoding == "utf-16-le"
    assert not_text(b"caf\xe9", "utf-8").reason == "undecodable"
    assert not_text(b"abc", "utf-16-le").reason == "undecodable"
    with pytest.raises(Refused) as caught:
        describe(b"", "rot13")
    assert caught.value.code == "text.encoding"


@pytest.mark.parametrize(
    ("data", "offset"),
    [
        (b"ab\0c", 2),
        (b"\xef\xbb\xbfa\0", 4),
        ("\ufeffab\0".encode("utf-16-le"), 6),
        (b"%PDF-1.7\n", 0),
        (b"\x89PNG\r\n\x1a\n", 0),
        (b"\x1f\x8b\x08", 0),
        (b"\xff\xfe\x00\x00a\x00\x00\x00", 2),
    ],
)
def test_binary(data: bytes, offset: int) -> None:
    """The mark comes first, then magic bytes, then a NUL in the first 8 KiB."""
    verdict = not_text(data)
    assert (verdict.reason, verdict.offset) == ("binary", offset)
    assert verdict.sentence.endswith(".")


@pytest.mark.parametrize(
    ("data", "sign", "words"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", BinarySign.MAGIC, "a PNG image by its first bytes"),
        (b"\xff\xd8\xff\xe0\0\x10JFIF", BinarySign.MAGIC, "a JPEG image"),
        (b"RIFF\x24\0\0\0WEBPVP8 ", BinarySign.MAGIC, "a WebP image"),
        (b"RIFF\x24\0\0\0WAVEfmt ", BinarySign.MAGIC, "a WAV sound"),
        (b"MZ\x90\0" + b"\0" * 56 + b"\x80\0\0\0", BinarySign.MAGIC, "a Windows program"),
        (b"BM\x46\0\0\0\0\0\0\0\x36\0\0\0", BinarySign.MAGIC, "a BMP image"),
        (b"\0\0\1\0\1\0\x10\x10", BinarySign.MAGIC, "a Windows icon"),
        (b"BZh91AY&SY\x8e", BinarySign.MAGIC, "bzip2 data"),
        (b"ID3\x04\0\0", BinarySign.MAGIC, "an MP3 sound"),
        (b"!<arch>\n/ 0 ", BinarySign.MAGIC, "an archive of object files"),
        (b"wOF2\0\x01\0\0", BinarySign.MAGIC, "a font"),
        (b"SQLite format 3\0", BinarySign.MAGIC, "an SQLite database"),
        (b"words \0 and words", BinarySign.NUL, "A NUL byte at byte 6"),
    ],
)
def test_the_verdict_says_what_made_it_binary(data: bytes, sign: BinarySign, words: str) -> None:
    verdict = not_text(data, None)
    assert verdict.sign is sign
    assert words in verdict.sentence


@pytest.mark.parametrize(
    "text",
    [
        b"BZh is no bzip2 here",
        b"MZ is how programs start",
        b"RIFF raff",
        b"BMW, and other makes\n",
        b"ID3 tags",
        b"wOFF is a font format",
    ],
)
def test_words_that_start_like_magic_bytes_are_text(text: bytes) -> None:
    assert isinstance(describe(text), TextForm)


@pytest.mark.parametrize("path", ["a.png", "docs/A.PnG", "lib/x.so", "a.tar.gz", "font.woff2", "a.b.pdf"])
def test_a_name_alone_can_say_binary(path: str) -> None:
    """After the bytes, the ending; in any case, at any depth."""
    verdict = describe(b"only words\n", path=path)
    assert isinstance(verdict, NotText)
    assert (verdict.reason, verdict.sign, verdict.offset) == ("binary", BinarySign.EXTENSION, None)
    assert f".{path.rpartition('.')[2].lower()}" in verdict.sentence


@pytest.mark.parametrize(
    "path", ["a.py", "png", ".png", "a.png/readme", "a.png.txt", "a.svg", "a.", "x.bin", ""]
)
def test_other_names_say_nothing(path: str) -> None:
    assert isinstance(describe(b"only words\n", path=path), TextForm)


def test_mark_and_setting_come_before_the_name_and_bytes_before_it_too() -> None:
    """The mark first; what the project says of a file it knows."""
    assert isinstance(describe(b"\xef\xbb\xbfwords\n", path="a.png"), TextForm)
    assert isinstance(describe("\ufeffwords\n".encode("utf-16-le"), path="a.png"), TextForm)
    assert isinstance(describe(b"words\n", "utf-8", path="a.png"), TextForm)
    assert not_text(b"\x89PNG\r\n\x1a\n", "utf-8").sign is BinarySign.MAGIC
    assert not_text(b"caf\xe9 \x81").sign is None


@pytest.mark.parametrize("undefined", [0x81, 0x8D, 0x8F, 0x90, 0x9D])
def test_every_byte_must_be_defined_in_windows_1252(undefined: int) -> None:
    """The fallback is for bytes that all have a meaning; else the first bad byte is named."""
    everything = bytes(range(1, 256)).translate(None, b"\x81\x8d\x8f\x90\x9d")
    form = form_of(everything)
    assert (form.encoding, form.guessed) == ("windows-1252", True)
    assert encode_text(decode_text(everything, form), form) == everything
    with pytest.raises(UnicodeDecodeError):
        bytes([undefined]).decode("windows-1252")
    verdict = not_text(b"ok \xe9 " + bytes([undefined]))
    assert (verdict.reason, verdict.offset) == ("undecodable", 3)
    assert "byte 5 is not Windows-1252" in verdict.sentence
    assert not_text(b"ab" + bytes([undefined]), "windows-1252").offset == 2


def test_binary_test_looks_at_8_kib_only() -> None:
    assert describe(b"a" * 8191 + b"\0") != describe(b"a" * 8192)
    assert isinstance(describe(b"a" * 8192 + b"\0"), TextForm)
    assert isinstance(describe(b"BZh is no bzip2 here"), TextForm)


def test_undecodable_names_the_byte() -> None:
    verdict = not_text(b"ok \x81 caf\xe9")
    assert (verdict.reason, verdict.offset) == ("undecodable", 3)
    assert not_text(b"\xff\xfea").reason == "undecodable"


@pytest.mark.parametrize(
    ("data", "ending", "final"),
    [
        (b"", "none", False),
        (b"a", "none", False),
        (b"a\nb", "LF", False),
        (b"a\nb\n", "LF", True),
        (b"a\r\nb\r\n", "CRLF", True),
        (b"a\r\nb", "CRLF", False),
        (b"a\rb\r", "CR", True),
        (b"a\r\nb\n", "mixed", True),
        (b"a\n\rb\n", "mixed", True),
        (b"a\rb\n", "mixed", True),
        ("\ufeffa\r\nb\r\n".encode("utf-16-be"), "CRLF", True),
    ],
)
def test_line_endings(data: bytes, ending: str, final: bool) -> None:
    form = form_of(data)
    assert (form.line_ending, form.final_newline) == (ending, final)


def test_utf16_is_spoken_of_as_utf8_without_mark() -> None:
    """A UTF-16 mark is never part of a diff, a UTF-8 one stands in line 1."""
    assert diff_text("\ufeffa\u20ac\n".encode("utf-16-le")) == "a\u20ac\n".encode()
    assert diff_text(b"\xef\xbb\xbfa\n") == b"\xef\xbb\xbfa\n"
    assert diff_text(b"caf\xe9\n") == b"caf\xe9\n"
    assert diff_text("a\n".encode("utf-16-le"), "utf-16-le") == b"a\n"
    assert from_diff_text(b"b\n", "\ufeffa\n".encode("utf-16-be")) == "\ufeffb\n".encode("utf-16-be")
    assert from_diff_text(b"b\n", "a\n".encode("utf-16-le"), "utf-16-le") == "b\n".encode("utf-16-le")


def test_what_is_not_utf8_can_not_go_back_into_utf16() -> None:
    with pytest.raises(Refused) as caught:
        from_diff_text(b"caf\xe9", "\ufeffa\n".encode("utf-16-le"))
    assert caught.value.code == "text.not_encodable"


@given(st.binary(max_size=80), st.sampled_from([b"", b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf"]))
def test_diff_text_round_trips_any_bytes(data: bytes, mark: bytes) -> None:
    """No byte string is changed by going through the diff's space."""
    whole = mark + data
    assert from_diff_text(diff_text(whole), whole) == whole


@given(st.text(max_size=60), st.sampled_from(["utf-16-le", "utf-16-be"]))
def test_utf16_text_round_trips(text: str, encoding: str) -> None:
    clean = text.encode("utf-8", "replace").decode()
    like = "\ufeffx".encode(encoding)
    data = like[:2] + clean.encode(encoding)
    assert diff_text(data) == clean.encode()
    assert from_diff_text(clean.encode(), like) == data


@given(st.binary(max_size=60), st.sampled_from([None, "windows-1252", "utf-16-le"]))
def test_describe_never_fails_and_text_round_trips(data: bytes, setting: str | None) -> None:
    form = describe(data, setting)
    if isinstance(form, TextForm):
        assert encode_text(decode_text(data, form), form) == data
    else:
        assert form.offset is not None and form.offset <= len(data)


def test_encoding_names_the_character_that_does_not_fit() -> None:
    """A mismatch is a character the target's encoding can't hold."""
    with pytest.raises(Refused) as caught:
        encode_text("a\nb\u4e2d\n", form_of(b"caf\xe9"))
    assert "U+4E2D in line 2" in caught.value.message
    assert encode_text("\u4e2d", form_of(b"ascii")) == "\u4e2d".encode()


@given(st.binary(max_size=40))
def test_display_never_raises(line: bytes) -> None:
    for form in (None, describe(line), form_of(b"caf\xe9"), form_of(b"")):
        assert isinstance(decode_line(line, form), str)


def test_display_shows_odd_bytes_as_replacement() -> None:
    assert decode_line(b"a\xff", form_of(b"")) == "a\ufffd"
    assert decode_line(b"caf\xe9\x81", form_of(b"caf\xe9")) == "caf\u00e9\ufffd"


@given(st.lists(st.sampled_from([b"a", b"\n", b"\r", b"\x0b", b"\xe2\x80\xa8", b"\0"]), max_size=30))
def test_lines_split_at_lf_only(parts: list[bytes]) -> None:
    data = b"".join(parts)
    lines = Lines(data)
    expected = [line + b"\n" for line in data.split(b"\n")[:-1]]
    expected += [data.rsplit(b"\n", 1)[-1]] if not data.endswith(b"\n") and data else []
    assert list(lines) == expected
    assert [lines[index] for index in range(len(lines))] == expected
    assert lines[1:3] == expected[1:3]
    assert b"".join(lines) == data
    for index in range(len(lines)):
        assert lines.line_at(lines.starts[index]) == index
        assert lines.block(index, 2) == b"".join(expected[index : index + 2])
    with pytest.raises(IndexError):
        lines[len(lines)]


def test_line_at_knows_only_starts() -> None:
    lines = Lines(b"ab\ncd\n")
    assert [lines.line_at(offset) for offset in range(7)] == [0, None, None, 1, None, None, None]


def test_line_ending_of_counts_what_belongs_together() -> None:
    assert detect_line_ending(b"a\r\r\n") == "mixed"
    assert detect_line_ending(b"a\r\n\r") == "mixed"
    assert detect_line_ending(b"\r") == "CR"


@given(st.binary(max_size=60) | st.text("\r\na\x85\u2028", max_size=12).map(str.encode))
def test_line_ending_is_what_counting_says(data: bytes) -> None:
    """Kinds as counted one by one; bytes that only some programs break lines at are none."""
    pairs, feeds, returns = data.count(b"\r\n"), data.count(b"\n"), data.count(b"\r")
    kinds = {
        name for name, count in (("CRLF", pairs), ("LF", feeds - pairs), ("CR", returns - pairs)) if count
    }
    expected = kinds.pop() if len(kinds) == 1 else "mixed" if kinds else "none"
    assert detect_line_ending(data) == expected


@pytest.mark.parametrize("unit", [b"x", "\u00e9".encode(), b"caf\xe9 "])
def test_a_line_of_16_megabytes_is_one_line(unit: bytes) -> None:
    line = unit * (16 * 1024 * 1024 // len(unit))
    form = describe(line)
    assert isinstance(form, TextForm)
    assert (form.line_ending, form.final_newline, len(Lines(line))) == ("none", False, 1)
    assert encode_text(decode_text(line, form), form) == line
