"""What all formats of replies ask of a text: what is found once, and where fences may begin and end."""

from __future__ import annotations

import re

from hypothesis import given, strategies as st

from studio.formats.reply_text import ReplyText

_FENCE = re.compile(r"^( {0,3})(`{3,}|~{3,})([^\n]*)$", re.MULTILINE)
"""What a mark is, in one slow expression."""


@given(st.text(alphabet="`~ \n\tx\r\u2028", max_size=60))
def test_the_marks_of_fences_are_the_lines_that_begin_so(text: str) -> None:
    reply = ReplyText(text)
    wanted = [(found.start(), len(found[1]), found[2], found[3]) for found in _FENCE.finditer(reply.text)]
    assert [tuple(mark) for mark in reply.fence_marks] == wanted
    for position in range(len(reply.text) + 1):
        behind = [tuple(mark) for mark in reply.fence_marks_from(position)]
        assert behind == [mark for mark in wanted if mark[0] >= position]


def test_what_is_found_in_a_reply_is_looked_for_once() -> None:
    asked: list[ReplyText] = []

    def find(reply: ReplyText) -> int:
        asked.append(reply)
        return len(asked)

    one, other = ReplyText("one"), ReplyText("other")
    assert [
        one.compute_once(find),
        one.compute_once(find),
        other.compute_once(find),
        one.compute_once(find),
    ] == [1, 1, 2, 1]
    assert asked == [one, other]
