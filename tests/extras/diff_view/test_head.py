"""The beginning of a long diff is the beginning of the whole one, or is not given."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st

from studio.engine.diff import compute
from studio.extras.diff_view.on_screen import HEAD_BYTES, head_diff


def lines_of(count: int) -> list[bytes]:
    return [b"line %d of many\n" % number for number in range(count)]


@settings(max_examples=40)
@given(
    st.lists(st.tuples(st.integers(0, 2999), st.sampled_from(["change", "drop", "add"])), max_size=30),
    st.integers(0, 3),
)
def test_its_hunks_are_the_first_ones_of_the_whole(edits: list[tuple[int, str]], context: int) -> None:
    base = lines_of(3000)
    result = list(base)
    for place, kind in edits:
        result[place] = {"change": b"other %d\n" % place, "drop": b"", "add": base[place] + b"new\n"}[kind]
    old, new = b"".join(base), b"".join(result)
    part, whole = head_diff(old, new, context), compute(old, new, context)
    if part is None:
        assert not whole.hunks
        return
    assert not part.is_exact
    assert old.startswith(part.base) and new.startswith(part.result)
    count = len(part.changes)
    assert list(part.changes) == list(whole.changes)[:count]
    certain = len(part.hunks) - 1
    assert list(part.hunks)[:certain] == list(whole.hunks)[:certain]
    assert part.hunks[certain].old_start == whole.hunks[certain].old_start
    assert part.base_total == part.base.count(b"\n")


def test_a_first_change_far_down_is_found() -> None:
    base = b"".join(lines_of(200_000))
    result = base.replace(b"line 150000 of", b"line 150000 out of")
    part = head_diff(base, result)
    assert part is not None
    assert part.changes[0] == compute(base, result).changes[0]
    assert part.changes[0].old_first == 150_000


def test_texts_that_are_short_are_whole() -> None:
    part = head_diff(b"a\nb\n", b"a\nc")
    assert part is not None
    assert (part.base, part.result) == (b"a\nb\n", b"a\nc")


@pytest.mark.parametrize(
    ("base", "result"),
    [
        (b"same\n" * 5000, b"same\n" * 5000),
        (b"a%d\n" * 5000, b"b%d\n" * 5000),
        (b"x" * HEAD_BYTES * 2, b"y" * HEAD_BYTES * 2),
    ],
    ids=["equal", "all lines differ", "one endless line"],
)
def test_what_is_not_sure_is_not_given(base: bytes, result: bytes) -> None:
    assert head_diff(base, result) is None
