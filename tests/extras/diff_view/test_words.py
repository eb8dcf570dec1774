"""Word marks inside changed pairs."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from studio.extras.diff_view.words import Span, word_spans
from studio.limits import WORD_MARKED_CHARACTERS

TEXTS = st.text(alphabet=st.sampled_from("ab_1 .(,\u00e9\u4e2d\U0001f600\t"), max_size=40)


def unmarked(text: str, spans: tuple[Span, ...]) -> str:
    kept: list[str] = []
    done = 0
    for start, end in spans:
        kept.append(text[done:start])
        done = end
    kept.append(text[done:])
    return "".join(kept)


@given(TEXTS, TEXTS)
def test_spans_are_ascending_disjoint_and_apart(old: str, new: str) -> None:
    spans = word_spans(old, new)
    if spans is None:
        return
    for text, side in ((old, spans.old), (new, spans.new)):
        end = -2
        for start, stop in side:
            assert 0 <= start < stop <= len(text)
            assert start - end > 1
            end = stop
    assert (spans.old, spans.new) != ((), ()) or old == new


@given(st.lists(st.text(alphabet="abc", min_size=2, max_size=5), min_size=2, max_size=8), st.data())
def test_what_is_not_marked_is_equal(words: list[str], data: st.DataObject) -> None:
    """With longer words nothing is joined, so the unmarked rest of both lines is the same text."""
    other = list(words)
    other[data.draw(st.integers(0, len(words) - 1))] = "changed"
    old, new = "  ".join(words), "  ".join(other)
    spans = word_spans(old, new)
    if spans is not None:
        assert unmarked(old, spans.old) == unmarked(new, spans.new)


@pytest.mark.parametrize(
    ("old", "new", "old_marks", "new_marks"),
    [
        ("return fetch(url, 3)", "return fetch_all(url, 3)", ["fetch"], ["fetch_all"]),
        ("a = timeout", "a = timeout * 2", [], [" * 2"]),
        ("x = a.b + same_word", "x = c.d + same_word", ["a.b"], ["c.d"]),
        ("    indented", "  indented", ["    "], ["  "]),
        (" " * 40 + "}", " " * 20 + "}", [" " * 40], [" " * 20]),
        ("same", "same", [], []),
    ],
)
def test_marks(old: str, new: str, old_marks: list[str], new_marks: list[str]) -> None:
    spans = word_spans(old, new)
    assert spans is not None
    assert [old[start:end] for start, end in spans.old] == old_marks
    assert [new[start:end] for start, end in spans.new] == new_marks


@pytest.mark.parametrize(
    ("old", "new"),
    [("import os", "return None"), ("", "text"), ("aaaaaaaaaa b", "cccccccccc b"), ("f ( x )", "g [ y ]")],
)
def test_lines_that_share_little_have_no_marks(old: str, new: str) -> None:
    assert word_spans(old, new) is None


@given(st.integers(0, 50), st.integers(0, 50))
def test_long_lines_are_trimmed_first(before: int, after: int) -> None:
    long = "x" * WORD_MARKED_CHARACTERS + " "
    old, new = long + "y" * before + "old" + " z" * after, long + "y" * before + "new" + " z" * after
    spans = word_spans(old, new)
    assert spans is not None
    assert unmarked(old, spans.old) == unmarked(new, spans.new)
    (mark,) = spans.old
    assert mark[1] - mark[0] <= 3 + before


def test_a_long_different_middle_is_one_mark() -> None:
    head = "same " * 2000
    spans = word_spans(head + "a " * WORD_MARKED_CHARACTERS, head + "b " * WORD_MARKED_CHARACTERS)
    assert spans is not None
    assert len(spans.old) == len(spans.new) == 1
    assert word_spans("a " * WORD_MARKED_CHARACTERS, "b " * WORD_MARKED_CHARACTERS) is None
