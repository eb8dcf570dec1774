"""The mapping between bytes, characters and drawn columns."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from studio.text import TextForm
from studio.ui.diff.canvas.painted_rows import changed_columns_words
from studio.ui.diff.model.columns import DisplayLine, Mark, MarkKind, display_line, ending_of, source_text

WINDOWS_1252 = TextForm("windows-1252", b"", "CRLF", True, True)
UTF_8 = TextForm("utf-8", b"", "LF", True, False)
FORMS = st.sampled_from([WINDOWS_1252, UTF_8, None])


def content_of(line: bytes) -> bytes:
    return line[: len(line) - {"": 0, "LF": 1, "CRLF": 2}[ending_of(line)]]


def units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def byte_of(shown: DisplayLine, character: int) -> int:
    places = shown.column_map
    return character if places is None else places.forward(character, places.offsets, places.sizes)


@given(st.binary(max_size=60), FORMS, st.booleans(), st.booleans())
def test_every_byte_has_one_place(line: bytes, form: TextForm | None, blanks: bool, ending: bool) -> None:
    shown = display_line(line, form, show_blanks=blanks, show_ending=ending, no_newline="none")
    content = content_of(line)
    assert shown.width == units(shown.text)
    assert byte_of(shown, len(shown.source)) == len(content)
    assert shown.column_of(len(shown.source)) <= shown.width
    previous_byte, previous_column = -1, -1
    for character in range(len(shown.source) + 1):
        byte, column = byte_of(shown, character), shown.column_of(character)
        assert byte > previous_byte
        assert column > previous_column
        assert shown.character_at(column) == character
        assert shown.column_of_byte(byte) == column
        previous_byte, previous_column = byte, column


@given(st.text(max_size=40).filter(lambda text: "\n" not in text), st.integers(-2, 200))
def test_a_column_lies_in_the_character_that_covers_it(text: str, column: int) -> None:
    shown = display_line(text.encode("utf-8") + b"\n", UTF_8)
    character = shown.character_at(column)
    assert 0 <= character <= len(shown.source)
    if 0 <= column < shown.column_of(len(shown.source)):
        assert shown.column_of(character) <= column < shown.column_of(character + 1)
    near = shown.boundary_near(column)
    assert near in (character, character + 1)


@given(st.binary(max_size=60), FORMS)
def test_bytes_of_any_part_come_back(line: bytes, form: TextForm | None) -> None:
    shown = display_line(line, form)
    content = content_of(line)
    pieces = [
        content[byte_of(shown, index) : byte_of(shown, index + 1)] for index in range(len(shown.source))
    ]
    assert b"".join(pieces) == content


@given(st.binary(max_size=60), FORMS)
def test_source_is_the_text_the_colouring_sees(line: bytes, form: TextForm | None) -> None:
    assert display_line(line, form).source == source_text(line, form)


def test_an_invisible_character_is_a_box_with_its_code() -> None:
    shown = display_line("a\u202eb\n".encode(), UTF_8)
    assert shown.text == "aU+202Eb"
    assert shown.marks == (Mark(1, 7, MarkKind.BOX),)
    assert shown.column_of_byte(4) == 7
    assert [shown.boundary_near(column) for column in (1, 3, 5, 7)] == [1, 1, 2, 2]


@pytest.mark.parametrize(
    "character", ["\u200b", "\u2066", "\ufeff", "\u00a0", "\x1b", "\x7f", "\u3164", "\U000e0041"]
)
def test_what_cannot_be_seen_never_reaches_the_screen(character: str) -> None:
    shown = display_line(f"x{character}y".encode(), UTF_8)
    assert character not in shown.text
    assert f"U+{ord(character):04X}" in shown.text


def test_a_carriage_return_inside_a_line_is_seen() -> None:
    shown = display_line(b"one\rtwo\r\n", UTF_8)
    assert shown.text == "oneU+000Dtwo"
    assert shown.ending == "CRLF"


def test_a_byte_that_is_no_text_is_named() -> None:
    assert display_line(b"a\xffb", UTF_8).text == "axFFb"
    assert display_line(b"a\x81b", WINDOWS_1252).text == "ax81b"
    assert display_line(b"\xfc", WINDOWS_1252).text == "\u00fc"


def test_tabs_go_to_the_next_stop_and_are_drawn_on_demand() -> None:
    assert display_line(b"a\tb\tc\n", UTF_8).text == "a   b   c"
    shown = display_line(b"\ta b\n", UTF_8, show_blanks=True)
    assert shown.text == "→   a·b"
    assert [mark.kind for mark in shown.marks] == [MarkKind.BLANK, MarkKind.BLANK]


def test_a_character_outside_the_basic_plane_takes_two_columns_as_qt_counts() -> None:
    shown = display_line("\U0001f30ax".encode(), UTF_8)
    assert shown.column_of(1) == 2
    assert byte_of(shown, 1) == 4


def test_the_ending_is_named_only_when_asked() -> None:
    assert display_line(b"a\r\n", UTF_8).text == "a"
    shown = display_line(b"a\r\n", UTF_8, show_ending=True)
    assert shown.text == "a↵CRLF"
    assert shown.column_of(1) == 1
    assert shown.marks == (Mark(1, 6, MarkKind.ENDING),)
    assert display_line(b"a", UTF_8, show_ending=True, no_newline="no newline").text == "a no newline"


def test_plain_lines_take_the_short_way() -> None:
    assert display_line(b"plain = 1\n", None) == DisplayLine("plain = 1", "plain = 1", "LF")


def test_the_places_of_a_line_are_told_with_their_columns() -> None:
    assert changed_columns_words([]) == ""
    assert changed_columns_words([(0, 4), (1203, 1230)]) == "Changed columns: 1–4, 1,204–1,230"
    assert changed_columns_words([(at, at + 1) for at in range(20)]).endswith("12–12…")
