"""Blocks in fences and lists: what is around them belongs to them, and their indentation to no line."""

from __future__ import annotations

import re

import pytest

from studio.formats.blocks import (
    BrokenBlock,
    closes,
    extend_to_fence,
    opening_fence,
    search_outside,
    strip_indent,
)
from studio.formats.reply_text import ReplyText, Span


def around(text: str, block: str) -> str:
    start = text.index(block)
    span = extend_to_fence(text, Span(start, start + len(block)))
    return text[span.start : span.end]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\n```x\nB\n```\nc\n", "```x\nB\n```\n"),
        ("```\n\nB\n\n```", "```\n\nB\n\n```"),
        ("  ~~~~ py\nB\n  ~~~~\n", "  ~~~~ py\nB\n  ~~~~\n"),
        ("````\nB\n```\n````\n", "B\n"),
        ("```\nwords\nB\n```\n", "B\n"),
        ("```\nB\n", "B\n"),
        ("B\n", "B\n"),
    ],
)
def test_a_fence_directly_around_a_block_belongs_to_it(text: str, expected: str) -> None:
    assert around(text, "B\n") == expected


def test_marks_of_a_fence() -> None:
    assert [opening_fence(line) for line in ("```py", "~~~~ a`b", "```a`b", "``", "x ```")] == [
        "```",
        "~~~~",
        "",
        "",
        "",
    ]
    assert [closes(line, "```") for line in ("```\n", "  ````\r\n", "``", "``` py", "~~~")] == [
        True,
        True,
        False,
        False,
        False,
    ]


def test_lines_lose_the_indentation_of_their_marks_and_no_more() -> None:
    reply = ReplyText("x\n  a\n\n    b\n c\n")
    assert strip_indent(reply, Span(2, 13), 2, "x.indent") == "a\n\n  b\n"
    with pytest.raises(BrokenBlock) as broken:
        strip_indent(reply, Span(2, 16), 2, "x.indent")
    assert (broken.value.problem.code, broken.value.problem.line) == ("x.indent", 5)


def test_what_stands_around_blocks_is_found_at_its_line() -> None:
    reply = ReplyText("mark\nblock mark\nmark\n")
    pattern = re.compile(r"\nmark")
    assert search_outside(reply, [Span(0, 5)], pattern) == ("mark", 16)
    assert search_outside(reply, [], pattern) == ("mark", 0)
    assert search_outside(reply, [Span(0, 5), Span(16, 21)], pattern) is None
