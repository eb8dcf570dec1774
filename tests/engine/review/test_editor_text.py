"""A result as text for an editor and back: what a person leaves alone keeps its bytes."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from studio.engine.review import editor_text
from studio.engine.review.editor_text import editable
from studio.errors import Refused

_LINES = st.lists(
    st.tuples(st.text("ab é\t", max_size=5), st.sampled_from(["\n", "\r\n", "\r"])), max_size=12
)


def text_of(lines: list[tuple[str, str]]) -> str:
    return "".join(words + end for words, end in lines)


@given(_LINES, st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]), st.text("ab", max_size=3))
def test_untouched_text_comes_back_byte_for_byte(
    lines: list[tuple[str, str]], encoding: str, last: str
) -> None:
    content = (text_of(lines) + last).encode(encoding)
    part = editable("a.txt", content)
    assert "\r" not in part.text
    assert not part.text.startswith("\N{BYTE ORDER MARK}")
    assert part.with_text(part.text) == content
    assert part.is_whole


@given(_LINES, st.integers(0, 12), st.text("xyz", min_size=1, max_size=4))
def test_a_changed_line_changes_nothing_else(lines: list[tuple[str, str]], at: int, new: str) -> None:
    """Also where line ends are mixed: each line that stays keeps its own."""
    content = (text_of(lines) + "end").encode()
    part = editable("a.txt", content)
    texts = part.text.split("\n")
    at = min(at, len(texts) - 1)
    ends = [*part.ends, ""]
    texts[at] = new
    expected = "".join(each + end for each, end in zip(texts, ends, strict=True))
    written = part.with_text("\n".join(texts)).decode()
    # The changed line itself may take the file's usual end.
    before = len("".join(each + end for each, end in zip(texts[:at], ends[:at], strict=True)))
    assert written[: before + len(new)] == expected[: before + len(new)]
    behind = "".join(each + end for each, end in zip(texts[at + 1 :], ends[at + 1 :], strict=True))
    assert written.endswith(behind)


def test_a_new_line_gets_the_line_end_of_the_file() -> None:
    part = editable("a.txt", b"one\r\ntwo\r\n")
    assert part.text == "one\ntwo\n"
    assert part.with_text("one\nmore\ntwo\n") == b"one\r\nmore\r\ntwo\r\n"


def test_a_large_file_is_edited_around_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(editor_text, "EDITOR_BYTES", 100)
    monkeypatch.setattr(editor_text, "EDITOR_LINES_AROUND", 3)
    content = b"".join(b"line %d\n" % number for number in range(100))
    part = editable("a.txt", content, 50)
    assert part.first_line == 47
    assert part.text.splitlines() == [f"line {number}" for number in range(47, 53)]
    changed = part.with_text(part.text.replace("line 50\n", "LINE 50\nand more\n"))
    assert changed == content.replace(b"line 50\n", b"LINE 50\nand more\n")


def test_the_files_encoding_must_hold_the_text() -> None:
    part = editable("a.txt", "süß\n".encode("windows-1252"))
    assert part.with_text("süßer\n") == "süßer\n".encode("windows-1252")
    with pytest.raises(Refused) as caught:
        part.with_text("ok\n→\n")
    assert caught.value.code == "text.not_encodable"
    assert "U+2192 in line 2" in caught.value.message


def test_what_an_editor_cannot_hold_is_refused() -> None:
    with pytest.raises(Refused) as caught:
        editable("a.png", b"\x89PNG\r\n\x1a\n\0\0")
    assert caught.value.code == "edit.not_text"
    with pytest.raises(Refused) as caught:
        editable("a.js", b"x" * (editor_text.EDITOR_LINE_CHARACTERS + 1))
    assert caught.value.code == "edit.long_line"
