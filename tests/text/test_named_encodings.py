"""Encodings that are named: what may be, and that text of each is read, changed and shown without loss."""

from __future__ import annotations

import difflib
from functools import cache

import pytest
from hypothesis import assume, given, settings, strategies as st
from msgspec.structs import replace

from studio.engine.draft import DraftStep, TextEdit
from studio.engine.plan import Operation
from studio.engine.propose.build_result import build_changed, build_new
from studio.errors import Refused
from studio.formats.unified import read_unified_diff
from studio.text import Lines, NotText, TextForm, decode_text, describe, encode_text, line_codec
from studio.text.encodings import ENCODINGS, codec_of, encode, title_of
from studio.ui.diff.model.cells import Side
from studio.ui.diff.model.columns import display_line
from studio.ui.diff.model.find import Hit, find_in

NAMES = sorted(
    {name for name in ENCODINGS.values() if name not in ("ascii", "utf-8", "utf-16-le", "utf-16-be")}
)
ASCII = bytes(range(128))


def codec(name: str) -> str:
    found = codec_of(name)
    assert found is not None
    return found


@pytest.mark.parametrize("name", NAMES)
def test_each_holds_ascii_and_gives_back_what_it_reads(name: str) -> None:
    assert ASCII.decode(codec(name)).encode("ascii") == ASCII and title_of(codec(name))
    assert not isinstance(describe(ASCII[1:], name), NotText)
    for byte in range(0x80, 0x100):
        form = describe(bytes([byte]), name)
        if isinstance(form, TextForm):
            assert encode_text(decode_text(bytes([byte]), form), form) == bytes([byte])


@pytest.mark.parametrize("label", ENCODINGS)
def test_labels_are_read_in_any_case_with_either_line(label: str) -> None:
    assert codec_of(f" {label.upper().replace('-', '_')} ") == codec_of(label) is not None


@pytest.mark.parametrize(
    "label",
    [
        *"rot13 rot_13 zip zlib bz2 hex base64 uu quopri idna punycode utf-7 utf-8-sig".split(),
        *"unicode_escape raw_unicode_escape hz".split(),
        *"iso2022_jp iso-2022-kr utf-16 utf-32 cp037 mbcs undefined klingon".split(),
        *("", "utf\0"),
    ],
)
def test_what_is_no_text_or_no_bytes_of_ascii_is_no_name(label: str) -> None:
    assert codec_of(label) is None
    with pytest.raises(Refused, match="is not known") as caught:
        describe(b"", label)
    assert "shift_jis" in caught.value.hint


@cache
def beyond_ascii(name: str) -> list[str]:
    """The characters that an encoding has beyond ASCII."""
    found = list[str]()
    for code in (*range(0xA1, 0xD800), *range(0xE000, 0x10000)):
        try:
            encode(chr(code), codec(name))
        except UnicodeEncodeError:
            continue
        found.append(chr(code))
    return found


@st.composite
def files(draw: st.DrawFn) -> tuple[str, bytes, bytes]:
    """A name, and lines in that encoding before and after one is replaced."""
    name = draw(st.sampled_from(NAMES))
    letters = st.one_of(st.sampled_from("\\|@a "), st.sampled_from(beyond_ascii(name)))
    words = st.text(letters, max_size=6)
    lines = draw(st.lists(words, min_size=1, max_size=6))
    at, new = draw(st.integers(0, len(lines) - 1)), draw(words)
    sides = (lines, [*lines[:at], new, *lines[at + 1 :]])
    before, after = ("".join(f"{line}\n" for line in side).encode(codec(name)) for side in sides)
    return name, before, after


@settings(max_examples=50)
@given(files())
def test_diffs_in_its_own_bytes_and_in_utf_8_leave_the_same(made: tuple[str, bytes, bytes]) -> None:
    name, before, after = made
    assume(before != after)
    assume(not any(isinstance(describe(side, name), NotText) for side in (before, after)))
    texts = [side.decode(codec(name)).encode() for side in (before, after)]
    assert build_changed(step_of(*texts), before, name).result == after
    if not is_utf8(before + after):
        old, new = before, after
        assert build_changed(step_of(old, new), before, name).result in (
            after,
            *other_reading(old, new, name),
        )


def other_reading(old: bytes, new: bytes, name: str) -> list[bytes]:
    """What is left where the lines of a diff of bytes are UTF-8 by chance, which is read first."""
    try:
        return [build_changed(step_of(old, new), old, name).result] if is_utf8(diff_of(old, new)) else []
    except Refused:
        return []


@given(files(), st.text("\\|@a ", min_size=1, max_size=2))
def test_text_is_found_as_characters_and_never_inside_one(
    made: tuple[str, bytes, bytes], wanted: str
) -> None:
    name, before, _ = made
    form = describe(before, name)
    assume(isinstance(form, TextForm))
    text = before.decode(codec(name))
    hits = [
        hit for hit in find_in(Lines(before), Side.BASE, wanted, line_codec(form)) if isinstance(hit, Hit)
    ]
    places = [line.count(wanted) for line in text.lower().split("\n")]
    assert len(hits) == sum(places)
    for line in Lines(before):
        shown = display_line(line, form)
        assert shown.source == line.decode(codec(name)).removesuffix("\n")
        if shown.column_map is not None:
            assert shown.column_map.offsets[-1] == len(line) - 1
    edit = DraftStep(Operation.MODIFY, "a.txt", edits=(TextEdit(wanted, "+"),))
    if text.count(wanted) == 1:
        assert build_changed(edit, before, name).result == text.replace(wanted, "+").encode(codec(name))


@pytest.mark.parametrize(("name", "data"), [("shift_jis", b"\xed\x40 = 1\n"), ("big5", b"\xa2\xcc = 1\n")])
def test_a_second_spelling_is_changed_by_its_bytes_alone(name: str, data: bytes) -> None:
    form = describe(data, name)
    assert isinstance(form, NotText) and form.offset == 0 and form.has_lines
    edit = DraftStep(Operation.MODIFY, "a.txt", edits=(TextEdit(" = 1", " = 2"),))
    assert build_changed(edit, data, name).result == data.replace(b"1", b"2")


def test_a_step_names_the_encoding_of_its_file() -> None:
    base = "設定\n表 = 1\n".encode("cp932")
    edit = DraftStep(Operation.MODIFY, "a.txt", encoding="shift_jis", edits=(TextEdit("表", "一覧"),))
    built = build_changed(edit, base, None)
    assert built.result == "設定\n一覧 = 1\n".encode("cp932")
    assert [fact.kind for fact in built.facts] == ["encoding_adapted"]
    append = DraftStep(Operation.APPEND, "a.txt", encoding="shift_jis", content="終\n".encode())
    assert build_changed(append, base, "koi8-r").result == base + "終\n".encode("cp932")
    create = DraftStep(Operation.CREATE, "a.txt", encoding="euc-kr", content="설정\n".encode())
    assert build_new(create).result == "설정\n".encode("cp949")
    with pytest.raises(Refused, match="the encoding named by the plan") as caught:
        build_changed(edit, b"\x81\n", None)
    assert caught.value.code == "text.uneditable"
    with pytest.raises(Refused, match=r"U\+C124 in line 2 does not exist in cp932"):
        build_changed(replace(edit, edits=(TextEdit("表", "설"),)), base, None)


@pytest.mark.parametrize(
    ("name", "text", "data"),
    [("shift_jis", "\u9ad9\ufa11", b"\xfb\xfc\xfa\xb1"), ("shift_jis", "\u2170\u2160\xac", None)],
)
def test_characters_have_the_spelling_of_windows(name: str, text: str, data: bytes | None) -> None:
    if data is None:
        data = b"\xfa\x40\x87\x54"
        text = text[:2]
    assert encode(text, codec(name)) == data
    assert isinstance(describe(data, name), TextForm)


@pytest.mark.parametrize(
    ("name", "character"),
    [
        ("shift_jis", "\u2212"),
        ("shift_jis", "\u301c"),
        ("shift_jis", "\xa2"),
        ("euc-jp", "\xa5"),
        ("big5", "\xa5"),
    ],
)
def test_no_character_is_written_as_another_one(name: str, character: str) -> None:
    base = b"a\n"
    edit = DraftStep(Operation.MODIFY, "a.txt", edits=(TextEdit("a", character),))
    with pytest.raises(Refused, match="does not exist in") as caught:
        build_changed(edit, base, name)
    assert caught.value.code == "text.not_encodable"
    with pytest.raises(Refused, match="does not exist in"):
        build_changed(step_of(base, f"{character}\n".encode()), base, name)


def step_of(before: bytes, after: bytes) -> DraftStep:
    (step,) = read_unified_diff(diff_of(before, after)).steps
    return step


def diff_of(before: bytes, after: bytes) -> bytes:
    old, new = (data.splitlines(keepends=True) for data in (before, after))
    return b"".join(difflib.diff_bytes(difflib.unified_diff, old, new, b"a/f", b"b/f", n=1))


def is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
