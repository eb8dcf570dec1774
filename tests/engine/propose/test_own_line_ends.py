"""Lines that a change keeps have the line ends that they had, in files of several kinds."""

from __future__ import annotations

import json
from dataclasses import dataclass

import pytest
from hypothesis import given, strategies as st

from studio.engine.draft import DraftStep
from studio.engine.propose.build_result import Built, build_changed
from studio.extras.tools.file_text import bytes_to_write
from studio.formats.plan_json import read_plan
from studio.formats.submission import SubmissionOptions, SubmittedText, read_submission

ENDS = st.sampled_from(["\n", "\r\n"])


@dataclass(frozen=True)
class Edit:
    """`count` lines from the 0-based line `first` go, and so many new ones come."""

    ends: tuple[str, ...]
    is_open: bool
    first: int
    count: int
    added: int

    @property
    def base(self) -> str:
        text = "".join(f"line {number:02}{end}" for number, end in enumerate(self.ends))
        return text.rstrip("\r\n") if self.is_open else text

    def lines(self, start: int, stop: int) -> list[str]:
        return [f"line {number:02}\n" for number in range(start, stop)]

    @property
    def new(self) -> list[str]:
        return [f"new {number}\n" for number in range(self.added)]

    @property
    def whole(self) -> str:
        behind = self.lines(self.first + self.count, len(self.ends))
        text = "".join([*self.lines(0, self.first), *self.new, *behind])
        return text.removesuffix("\n") if self.is_open else text


@st.composite
def edits(draw: st.DrawFn) -> Edit:
    ends = tuple(draw(st.lists(ENDS, min_size=2, max_size=12)))
    first = draw(st.integers(0, len(ends)))
    count = draw(st.integers(0, len(ends) - first))
    return Edit(ends, draw(st.booleans()), first, count, draw(st.integers(0, 3)))


def draft(step: dict[str, object]) -> DraftStep:
    read = read_plan(
        json.dumps({"title": "t", "steps": [{"path": "a.txt", "op": "modify", **step}]}).encode()
    )
    (single,) = read.steps
    assert not single.problems
    return single


def built(base: str, **step: object) -> Built:
    return build_changed(draft(step), base.encode(), None)


def check(edit: Edit, result: bytes) -> None:
    """Lines that stay have their bytes, and no line is lost or made; new ones have a neighbour's end."""
    lines = result.decode().split("\n")
    assert [line.removesuffix("\r") for line in lines] == edit.whole.split("\n")
    base = edit.base.split("\n")
    own = {line.removesuffix("\r"): line for line in base}
    for number, line in enumerate(lines[:-1]):
        text = line.removesuffix("\r")
        if own.get(text, "") and text != base[-1]:
            assert line == own[text]
        elif number:
            pair = {line.endswith("\r"), lines[number - 1].endswith("\r")}
            gone = {part.endswith("\r") for part in base[edit.first : edit.first + edit.count]}
            assert len(pair) == 1 or line.endswith("\r") in gone


@given(edits())
def test_lines_of_a_whole_content_keep_their_ends(edit: Edit) -> None:
    check(edit, built(edit.base, content=edit.whole).result)


@given(edits())
def test_lines_of_a_text_that_a_tool_writes_keep_their_ends(edit: Edit) -> None:
    check(edit, bytes_to_write(edit.whole, "a.txt", edit.base.encode(), named=None, setting=None))


@given(edits(), st.data())
def test_lines_around_an_edit_keep_their_ends(edit: Edit, data: st.DataObject) -> None:
    """The edit names a line before the new ones, without its end, as an agent does that sees LF alone."""
    number = data.draw(st.integers(0, len(edit.ends) - 1))
    edit = Edit(edit.ends, edit.is_open, number + 1, 0, edit.added)
    new = "".join([f"line {number:02}\n", *edit.new]).removesuffix("\n")
    check(edit, built(edit.base, edits=[{"old": f"line {number:02}", "new": new}]).result)


MIXED = b"a\r\nb\nc\r\nd\n"
TEXTS: dict[str, tuple[dict[str, object], bytes]] = {
    "a line behind one with CRLF": ({"edits": [{"old": "c", "new": "c\nx"}]}, b"a\r\nb\nc\r\nx\r\nd\n"),
    "a line behind one with LF": ({"edits": [{"old": "b", "new": "b\nx"}]}, b"a\r\nb\nx\nc\r\nd\n"),
    "a line before one": ({"edits": [{"old": "b", "new": "x\nb"}]}, b"a\r\nx\r\nb\nc\r\nd\n"),
    "a line at the top": ({"edits": [{"old": "a", "new": "x\na"}]}, b"x\r\na\r\nb\nc\r\nd\n"),
    "a line in place of another": ({"edits": [{"old": "b", "new": "x\ny"}]}, b"a\r\nx\ny\nc\r\nd\n"),
    "part of a line": ({"edits": [{"old": "c", "new": "see"}]}, b"a\r\nb\nsee\r\nd\n"),
    "a line end before": ({"edits": [{"old": "\nc", "new": "\nx\nc"}]}, b"a\r\nb\nx\nc\r\nd\n"),
    "the line end of CRLF before": ({"edits": [{"old": "\nb", "new": "\nx\nb"}]}, b"a\r\nx\r\nb\nc\r\nd\n"),
    "two lines that are joined": ({"edits": [{"old": "\nb", "new": "b"}]}, b"ab\nc\r\nd\n"),
    "a line that goes": ({"edits": [{"old": "b\n", "new": ""}]}, b"a\r\nc\r\nd\n"),
    "two edits": (
        {"edits": [{"old": "c", "new": "c\nx"}, {"old": "x", "new": "x\ny"}]},
        b"a\r\nb\nc\r\nx\r\ny\r\nd\n",
    ),
    "CRLF in the old text": ({"edits": [{"old": "a\r\nb", "new": "a\nx\nb"}]}, b"a\r\nx\r\nb\nc\r\nd\n"),
    "CRLF in the new text": ({"edits": [{"old": "b", "new": "b\r\nx"}]}, b"a\r\nb\r\nx\nc\r\nd\n"),
    "a change of line ends": ({"edits": [{"old": "a\r\n", "new": "a\n"}]}, b"a\nb\nc\r\nd\n"),
    "the whole content": ({"content": "a\nb\nx\nd\n"}, b"a\r\nb\nx\r\nd\n"),
    "the whole content with CRLF": ({"content": "a\nb\r\nc\nd\n"}, b"a\nb\r\nc\nd\n"),
    "a diff": ({"patch": "@@ -3 +3,2 @@\n c\r\n+x\r\n"}, b"a\r\nb\nc\r\nx\r\nd\n"),
    "text behind the end": ({"op": "append", "content": "x\n"}, b"a\r\nb\nc\r\nd\nx\n"),
}


@pytest.mark.parametrize("name", TEXTS)
def test_a_change_of_a_mixed_file_leaves_exactly_these_bytes(name: str) -> None:
    step, after = TEXTS[name]
    assert built(MIXED.decode(), **step).result == after


def test_a_fact_says_where_line_ends_were_adapted() -> None:
    adapted = [fact.kind for fact in built("a\r\nb\n", edits=[{"old": "a", "new": "a\nx"}]).facts]
    assert adapted == ["line_endings_adapted"]
    assert built("a\r\nb\n", edits=[{"old": "b", "new": "b\nx"}]).facts == ()
    assert built("a\r\nb\n", edits=[{"old": "b", "new": "c"}]).facts == ()


def test_a_carriage_return_within_a_line_is_part_of_it() -> None:
    """An agent that sends it back knows nothing of the line ends for that."""
    base = "10%\r20%\r\nb\r\nc\r\n"
    assert built(base, content="10%\r20%\nb\nx\n").result == b"10%\r20%\r\nb\r\nx\r\n"
    assert built("a\r\nb\r\n", content="10%\r20%\nb\n").result == b"10%\r20%\r\nb\r\n"


BLOCKS = {
    "search-replace": "f.txt\n<<<<<<< SEARCH\nd\n=======\nd\nx\n>>>>>>> REPLACE\n",
    "apply-patch": "*** Begin Patch\n*** Update File: f.txt\n d\n+x\n*** End Patch\n",
    "tool-calls": json.dumps(
        {"tool_name": "Edit", "tool_input": {"file_path": "f.txt", "old_string": "d", "new_string": "d\nx"}}
    ),
    "fences": "f.txt\n```\na\nb\nc\nd\nx\n```\n",
}


@pytest.mark.parametrize("name", BLOCKS)
def test_each_format_keeps_the_ends_of_the_other_lines(name: str) -> None:
    """A last line without an end gets that of the line before it where others follow."""
    (step,) = read_submission(
        [SubmittedText(BLOCKS[name].encode(), shown="text")], SubmissionOptions(name)
    ).steps
    result = build_changed(step, b"a\nb\r\nc\r\nd", None).result
    # A fence can't say whether its last line has an end.
    assert result == b"a\nb\r\nc\r\nd\r\nx" + (b"\r\n" if name == "fences" else b"")
