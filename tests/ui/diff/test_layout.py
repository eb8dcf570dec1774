"""The rows on screen: every line once, numbers of what will be in the file."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given, strategies as st

from studio.engine.diff.hunk_selection import select
from studio.engine.diff.line_diff import FileDiff, compute
from studio.engine.plan import HunkChoice
from studio.ui.diff.model.layout import Heights, Layout, LineState, Mode, Row, RowKind, Side

HEIGHTS = Heights(code=19, band=26, fold=22)
TEXTS = st.one_of(
    st.lists(st.sampled_from([b"a\n", b"b\n", b"c\n", b"d\n"]), max_size=40).map(b"".join),
    # Lines that are versions of each other stand beside each other, wherever in a change they are.
    st.lists(
        st.sampled_from(
            [b"total = add(1)\n", b"total = add(2)\n", b"return None\n", b"return none\n", b"x\n"]
        ),
        max_size=12,
    ).map(b"".join),
)
MODES = st.sampled_from([Mode.SIDE_BY_SIDE, Mode.UNIFIED])


@st.composite
def chosen_diffs(draw: st.DrawFn) -> tuple[FileDiff, dict[int, HunkChoice]]:
    diff = compute(draw(TEXTS), draw(TEXTS), context=1)
    choices: dict[int, HunkChoice] = {}
    for hunk in diff.hunks:
        lines = st.frozensets(st.integers(1, hunk.changed_lines))
        choices[hunk.number] = draw(st.one_of(st.booleans(), lines))
    return diff, choices


def rows(layout: Layout) -> list[Row]:
    return [layout.row(index) for index in range(layout.rows)]


def text_of(diff: FileDiff, side: Side, line: int) -> bytes:
    return (diff.base_lines if side is Side.BASE else diff.result_lines)[line]


@given(chosen_diffs(), MODES)
def test_what_is_numbered_on_the_right_is_what_is_written(
    chosen: tuple[FileDiff, dict[int, HunkChoice]], mode: Mode
) -> None:
    diff, choices = chosen
    layout = Layout(diff, HEIGHTS, mode=mode, choices=choices, folds=False)
    numbered = [row.right for row in rows(layout) if row.right is not None and row.right.number is not None]
    assert [cell.number for cell in numbered] == list(range(1, len(numbered) + 1))
    assert b"".join(text_of(diff, cell.side, cell.line) for cell in numbered) == select(diff, choices)


@given(chosen_diffs(), MODES)
def test_the_left_side_is_the_base_whatever_is_chosen(
    chosen: tuple[FileDiff, dict[int, HunkChoice]], mode: Mode
) -> None:
    diff, choices = chosen
    layout = Layout(diff, HEIGHTS, mode=mode, choices=choices, folds=False)
    left = [row.left for row in rows(layout) if row.left is not None]
    assert [cell.line for cell in left] == list(range(len(diff.base_lines)))
    assert all(cell.side is Side.BASE and cell.number == cell.line + 1 for cell in left)


@given(chosen_diffs(), MODES, st.booleans(), st.dictionaries(st.integers(0, 5), st.integers(0, 9)))
def test_places_and_rows_agree(
    chosen: tuple[FileDiff, dict[int, HunkChoice]], mode: Mode, folds: bool, revealed: Mapping[int, int]
) -> None:
    diff, choices = chosen
    layout = Layout(diff, HEIGHTS, mode=mode, choices=choices, folds=folds, revealed=revealed)
    y = 0
    for index in range(layout.rows):
        assert layout.top(index) == y
        height = layout.row_height(index)
        assert layout.row_at(y) == layout.row_at(y + height - 0.5) == index
        y += height
    assert layout.height == layout.top(layout.rows) == y
    for hunk in diff.hunks:
        first, behind = layout.hunk_rows(hunk.number)
        assert layout.row(first) == Row(RowKind.BAND, hunk.number)
        assert {layout.hunk_at(row) for row in range(first, behind)} == {hunk.number}


@given(chosen_diffs(), MODES, st.dictionaries(st.integers(0, 5), st.integers(0, 9)))
def test_every_line_is_shown_or_folded(
    chosen: tuple[FileDiff, dict[int, HunkChoice]], mode: Mode, revealed: Mapping[int, int]
) -> None:
    diff, choices = chosen
    layout = Layout(diff, HEIGHTS, mode=mode, choices=choices, revealed=revealed)
    for side, lines in ((Side.BASE, diff.base_lines), (Side.RESULT, diff.result_lines)):
        for line in range(len(lines)):
            row, gap = layout.row_of(side, line), layout.gap_of(side, line)
            assert (row is None) != (gap is None)
            if row is not None:
                shown = layout.row(row)
                cells = [cell for cell in (shown.left, shown.right) if cell is not None]
                assert any(cell.side is side and cell.line == line for cell in cells)


BASE = b"".join(b"line %d\n" % number for number in range(1, 41))
RESULT = BASE.replace(b"line 10\n", b"line ten\nline ten and a half\n").replace(b"line 30\n", b"")


def test_folds_hide_what_is_far_from_a_change_and_open_by_parts() -> None:
    diff = compute(BASE, RESULT)
    layout = Layout(diff, HEIGHTS)
    folds = [row for row in rows(layout) if row.kind is RowKind.FOLD]
    assert [(fold.gap, fold.hidden) for fold in folds] == [(0, 6), (1, 13), (2, 7)]
    opened = Layout(diff, HEIGHTS, revealed={0: 2, 1: 10, 2: 99})
    assert [(row.gap, row.hidden) for row in rows(opened) if row.kind is RowKind.FOLD] == [(0, 4), (1, 3)]
    first_revealed = opened.row(1).left
    assert first_revealed is not None
    assert first_revealed.number == 5


def test_a_left_out_hunk_keeps_its_old_lines_and_renumbers_what_follows() -> None:
    diff = compute(BASE, RESULT)
    layout = Layout(diff, HEIGHTS, choices={1: False}, folds=False)
    all_rows = rows(layout)
    first = next(
        index for index, row in enumerate(all_rows) if row.left and row.left.state is LineState.LEFT_OUT
    )
    kept, proposed, also_proposed, after = all_rows[first : first + 4]
    assert kept.right is not None
    assert (kept.right.number, kept.right.sign, kept.right.state) == (10, "=", LineState.KEPT)
    for row in (proposed, also_proposed):
        assert row.left is None
        assert row.right is not None
        assert (row.right.number, row.right.sign, row.right.state) == (None, "+", LineState.LEFT_OUT)
    assert after.right is not None
    assert after.right.number == 11


def test_versions_of_one_line_stand_in_one_row_or_know_each_other() -> None:
    diff = compute(BASE, RESULT)
    beside = [row.pair for row in rows(Layout(diff, HEIGHTS)) if row.pair]
    assert beside == [(9, 9)]
    below = [row for row in rows(Layout(diff, HEIGHTS, mode=Mode.UNIFIED)) if row.pair]
    assert [row.pair for row in below] == [(9, 9), (9, 9)]
    assert below[0].right is None
    assert below[1].left is None


def test_a_new_file_is_one_side_without_bands() -> None:
    layout = Layout(compute(b"", b"one\ntwo\n"), HEIGHTS, mode=Mode.ONE_SIDE)
    assert [row.kind for row in rows(layout)] == [RowKind.CODE, RowKind.CODE]


def test_map_marks_stand_beside_their_rows() -> None:
    diff = compute(BASE, RESULT)
    layout = Layout(diff, HEIGHTS)
    for mark in layout.map_marks():
        for row in range(layout.row_at(mark.top), layout.row_at(mark.top + mark.height - 1) + 1):
            cell = layout.row(row).left if mark.side is Side.BASE else layout.row(row).right
            assert cell is not None
            assert cell.state in (LineState.REMOVED, LineState.ADDED)
    assert not list(Layout(diff, HEIGHTS, choices={1: False, 2: False}).map_marks())


def test_outside_of_the_rows() -> None:
    layout = Layout(compute(b"", b""), HEIGHTS)
    assert (layout.rows, layout.height, layout.row_at(5), layout.hunk_at(0)) == (0, 0, -1, 0)
    with pytest.raises(IndexError):
        layout.row(0)
