"""Sentences with gaps, and small words that many places say the same way (R176)."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from studio.ui.look.words import say


def test_the_gaps_of_a_sentence_are_filled_by_name() -> None:
    assert say("{files} of “{title}”", files="2 files", title="Three") == "2 files of “Three”"
    assert say("Line {n}: {text}", n=7, text="x") == "Line 7: x"


@given(st.text(), st.text())
def test_a_title_with_a_gap_of_its_own_stays_as_it_is(title: str, other: str) -> None:
    """A plan called “{files}” was told with the number of its files in its title."""
    title = f"{{files}}{title}"
    assert say("{title}, {files}", title=title, files=other) == f"{title}, {other}"


def test_a_gap_without_a_value_stays() -> None:
    assert say("{what} and {more}", what="this") == "this and {more}"
