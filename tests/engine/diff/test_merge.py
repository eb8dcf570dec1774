"""Three-way merging: nothing lost, nothing doubled, and a conflict wherever two changes touch."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from studio.engine.diff import merge, merge_typed, only_formatting
from studio.engine.diff.three_way_merge import LineRange, MergeConflict, MergePlace
from studio.errors import Refused

TEXTS = st.builds(
    lambda lines, end: b"\n".join(lines) + end,
    st.lists(st.sampled_from([b"a", b"b", b"c", b"d", b"e", b"", b"x\r"]), max_size=14),
    st.sampled_from([b"", b"\n"]),
)


@given(TEXTS, TEXTS)
def test_an_unchanged_side_gives_the_other(base: bytes, changed: bytes) -> None:
    assert merge(base, base, changed).result == changed
    assert merge(base, changed, base).result == changed
    assert merge(base, changed, changed).result == changed


@given(TEXTS, TEXTS, TEXTS)
def test_both_sides_count_alike(base: bytes, one: bytes, other: bytes) -> None:
    there, back = merge(base, one, other), merge(base, other, one)
    assert there.result == back.result
    assert [(c.base, c.current, c.proposed) for c in there.conflicts] == [
        (c.base, c.proposed, c.current) for c in back.conflicts
    ]
    assert (there.result is None) == bool(there.conflicts)


def blocks(texts: list[bytes]) -> bytes:
    """Each text between a head and a tail; no line of one stands in another: a diff keeps them apart."""
    return b"".join(
        b"head %d\n%stail %d\n" % (number, text.replace(b"\n", b" of %d\n" % number), number)
        for number, text in enumerate(texts)
    )


BLOCK = st.lists(st.sampled_from([b"a\n", b"b\n", b"c\n"]), max_size=3).map(b"".join)


@given(st.lists(st.tuples(BLOCK, BLOCK, st.integers(0, 2)), max_size=6))
def test_changes_that_keep_apart_all_go_in(drawn: list[tuple[bytes, bytes, int]]) -> None:
    """0: only the file changed, 1: only the proposal, 2: both in the same way."""
    base = blocks([old for old, _, _ in drawn])
    current = blocks([new if who != 1 else old for old, new, who in drawn])
    proposed = blocks([new if who != 0 else old for old, new, who in drawn])
    assert merge(base, current, proposed).result == blocks([new for _, new, _ in drawn])


@pytest.mark.parametrize(
    ("current", "proposed", "places"),
    [
        (b"a\nB\nc\nd\n", b"a\nx\nc\nd\n", [(1, 1, 1, 1, 1, 1)]),
        (b"a\nB\nc\nd\n", b"a\nb\nC\nd\n", [(1, 2, 1, 2, 1, 2)]),
        (b"a\nb\nnew\nc\nd\n", b"a\nb\nC\nd\n", [(2, 1, 2, 2, 2, 1)]),
        (b"a\nb\nx\nc\nd\n", b"a\nb\ny\nc\nd\n", [(2, 0, 2, 1, 2, 1)]),
        (b"a\nc\nd\n", b"a\nB\nc\nd\n", [(1, 1, 1, 0, 1, 1)]),
        (b"", b"a\nb\nc\nD\n", [(0, 4, 0, 0, 0, 4)]),
        (b"A\nb\nc\nD\n", b"1\nb\nc\n4\n", [(0, 1, 0, 1, 0, 1), (3, 1, 3, 1, 3, 1)]),
        (b"a\nb\nc\nd\nmore\n", b"a\nb\nc\nd", [(3, 1, 3, 2, 3, 1)]),
    ],
)
def test_what_touches_is_a_conflict_with_its_lines(
    current: bytes, proposed: bytes, places: list[tuple[int, ...]]
) -> None:
    merged = merge(b"a\nb\nc\nd\n", current, proposed)
    assert merged.result is None
    assert list(merged.conflicts) == [
        MergeConflict(LineRange(*place[:2]), LineRange(*place[2:4]), LineRange(*place[4:]))
        for place in places
    ]


def test_what_is_settled_beside_a_conflict_is_a_place_too() -> None:
    """Who settles the conflict sees what else both sides changed, each at its lines."""
    merged = merge(b"a\nb\nc\nd\ne\nf\ng\n", b"A\nnew\nb\nX\nd\ne\nf\nG\n", b"a\nb\nY\nd\nE\nf\nG\n")
    conflict = MergeConflict(LineRange(2, 1), LineRange(3, 1), LineRange(2, 1))
    assert merged.conflicts == (conflict,)
    assert merged.pieces == (b"", b"A\nnew\n", b"b\n", conflict, b"d\n", b"E\n", b"f\n", b"G\n", b"")
    assert merged.places == (
        MergePlace(LineRange(0, 1), LineRange(0, 2), LineRange(0, 1)),
        conflict,
        MergePlace(LineRange(4, 1), LineRange(5, 1), LineRange(4, 1)),
        MergePlace(LineRange(6, 1), LineRange(7, 1), LineRange(6, 1)),
    )


def test_one_line_between_is_enough() -> None:
    assert merge(b"a\nb\nc\n", b"A\nb\nc\n", b"a\nb\nC\n").result == b"A\nb\nC\n"


def test_utf16_is_merged_as_text() -> None:
    """The merged file keeps the encoding and the mark of the file as it is."""

    def utf16(text: str) -> bytes:
        return ("\ufeff" + text).encode("utf-16-le")

    merged = merge(utf16("a\nb\nc\n"), utf16("\u00c4\nb\nc\n"), utf16("a\nb\n\u20ac\n"))
    assert merged.result == utf16("\u00c4\nb\n\u20ac\n")


def test_what_can_t_be_merged_is_refused() -> None:
    with pytest.raises(Refused) as caught:
        merge(b"a\0\n", b"b\0\n", b"c\0\n")
    assert caught.value.code == "merge.binary"
    with pytest.raises(Refused) as caught:
        merge(b"a\nb\nc\n", "\u00e4\nb\nc\n".encode(), "a\nb\n\u00e4\n".encode("windows-1252"))
    assert caught.value.code == "merge.encoding"


@pytest.mark.parametrize(
    ("base", "current", "expected"),
    [
        (b"f(a,b)\n", b"f(a, b)\n", True),
        (b"f(a,b)\n", b"f(\r\n\ta,\r\n\tb\r\n)\r\n", True),
        (b"a\n", b"a", True),
        (b"a\n", b"a\n", False),
        (b"f(a,b)\n", b"f(a,b,)\n", False),
        (b"ab\n", b"a\nc\n", False),
        ("\ufeffa b\n".encode("utf-16-le"), b"a\tb\n", True),
    ],
)
def test_what_a_formatter_explains(base: bytes, current: bytes, expected: bool) -> None:
    assert only_formatting(base, current) is expected
    assert only_formatting(current, base) is expected


def test_text_typed_on_one_text_is_put_on_another() -> None:
    assert merge_typed(b"a\nb\nc\n", b"a\nb\nC\n", b"A\nb\nc\n") == b"A\nb\nC\n"
    assert merge_typed(b"a\nb\nc\n", b"a\nB\nc\n", b"a\nmine\nc\n") == b"a\nmine\nc\n"
