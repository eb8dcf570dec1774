"""Choosing single lines: what a person presses and sees."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from studio.engine.plan import HunkChoice, Step, StepState
from studio.ui.diff.model.cells import LineState, RowKind, Side

if TYPE_CHECKING:
    from tests.ui.diff.conftest import Shown

EVERY = frozenset({1, 2, 3})


@pytest.fixture
def pressed(shown: Shown) -> list[tuple[int, frozenset[int]]]:
    """The presses on lines, with hunk 1 of the usual diff open: line 10 replaced by two lines."""
    lines: list[tuple[int, frozenset[int]]] = []
    shown.view.lines_toggled.connect(lambda hunk, chosen: lines.append((hunk, chosen)))
    shown.show()
    shown.view.canvas.setFocus()
    shown.view.toggle_lines_mode()
    shown.settle()
    return lines


def step_and(shown: Shown, choices: dict[int, HunkChoice]) -> Step:
    shown.show_again(shown.step, choices)
    return shown.step


def test_each_changed_line_has_a_check_box(shown: Shown, pressed: list[tuple[int, frozenset[int]]]) -> None:
    assert shown.view.lines_hunk() == 1
    shown.click_line_box("base", 10)
    shown.click_line_box("result", 10)
    shown.click_line_box("result", 11)
    assert pressed == [(1, frozenset({number})) for number in (1, 2, 3)]
    assert shown.toggled == []


def test_a_press_beside_the_box_only_makes_the_line_current(
    shown: Shown, pressed: list[tuple[int, frozenset[int]]]
) -> None:
    half = shown.view.canvas.viewport().width() // 2
    shown.click(half + 200, shown.row_of("result", 11) + 9)
    assert pressed == []
    shown.view.toggle_current()
    assert pressed == [(1, frozenset({3}))]


def test_arrows_move_among_changed_lines_and_x_presses_them(
    shown: Shown, pressed: list[tuple[int, frozenset[int]]]
) -> None:
    for _ in range(3):
        shown.view.toggle_current()
        QTest.keyClick(shown.view.canvas, Qt.Key.Key_Down)
    shown.view.toggle_current()
    QTest.keyClick(shown.view.canvas, Qt.Key.Key_Up)
    shown.view.toggle_current()
    assert [chosen for _, chosen in pressed] == [frozenset({n}) for n in (1, 2, 3, 3, 2)]


def test_x_presses_all_selected_lines_of_one_side(
    shown: Shown, pressed: list[tuple[int, frozenset[int]]]
) -> None:
    half = shown.view.canvas.viewport().width() // 2
    first, last = shown.row_of("result", 9), shown.row_of("result", 12)
    shown.drag(QPoint(half + 80, first + 9), QPoint(half + 120, last + 9))
    shown.view.toggle_current()
    assert pressed == [(1, frozenset({2, 3}))]


def test_a_line_left_out_is_hatched_without_a_number_and_the_old_one_stays(
    shown: Shown, pressed: list[tuple[int, frozenset[int]]]
) -> None:
    step_and(shown, {1: frozenset({3})})
    layout = shown.view.canvas.layout_
    assert layout is not None
    rows = [layout.row(index) for index in range(*layout.hunk_rows(1))]
    changed = [row for row in rows if row.kind is RowKind.CODE and row.left != row.right]
    said = [
        (cell.side, cell.line + 1, cell.number, cell.sign, cell.state)
        for row in changed
        if (cell := row.right) is not None and cell.state is not LineState.PLAIN
    ]
    assert said == [
        (Side.BASE, 10, 10, "=", LineState.KEPT),
        (Side.RESULT, 10, None, "+", LineState.LEFT_OUT),
        (Side.RESULT, 11, 11, "+", LineState.ADDED),
    ]
    assert shown.view.headings.texts()[1] == "After this step · hunk 1: 1 of 3 lines included"
    shown.click_line_box("result", 10)
    assert pressed == [(1, frozenset({2}))]


def test_boxes_and_frame_are_painted_between_number_and_sign(
    shown: Shown, pressed: list[tuple[int, frozenset[int]]]
) -> None:
    top = shown.row_of("base", 10)
    picture = shown.picture()
    assert shown.is_token(picture.pixelColor(100, top), "accent")
    assert shown.has_ink("accentFill", range(39, 56), range(top + 2, top + 18))
    assert shown.has_ink("delSign", range(56, 72), range(top, top + 19))
    shown.view.toggle_lines_mode()
    shown.settle()
    assert not shown.is_token(shown.picture().pixelColor(100, top), "accent")


def test_the_button_on_the_band_opens_and_closes(shown: Shown) -> None:
    shown.show()
    shown.click_button("lines")
    assert shown.view.lines_hunk() == 1
    assert shown.view.toggles()["lines"]
    shown.click_button("lines")
    assert shown.view.lines_hunk() == 0
    shown.click(200, shown.band_top(2) + 13)
    shown.click_button("lines")
    assert shown.view.lines_hunk() == 2
    assert shown.view.close_innermost()
    assert shown.view.lines_hunk() == 0


def test_x_outside_of_the_chosen_hunk_presses_the_whole_hunk(
    shown: Shown, pressed: list[tuple[int, frozenset[int]]]
) -> None:
    shown.view.next_change()
    shown.view.toggle_current()
    assert (shown.toggled, pressed) == ([2], [])


def test_in_one_column_a_kept_line_has_the_box_of_the_old_one(
    shown: Shown, pressed: list[tuple[int, frozenset[int]]]
) -> None:
    shown.view.set_mode("unified")
    step_and(shown, {1: frozenset({2, 3})})
    shown.click_line_box("base", 10)
    assert pressed == [(1, frozenset({1}))]


@pytest.mark.parametrize("unified", [False, True])
def test_no_line_moves_up_or_down_past_another_when_one_is_left_out(shown: Shown, unified: bool) -> None:
    """10.6: nothing moves that the hand may be aiming at; in one column not a single row."""
    base = b"top\ndef load(path):\n    rows = read_rows(path)\n    return rows\nend\n"
    result = (
        b"top\nimport log\n\ndef load(path, limit):\n    rows = read_rows(path, limit)\n"
        b"    log.info(rows)\n    return list(rows)\nend\n"
    )
    step = shown.show(base, result)
    if unified:
        shown.view.toggle_mode()
    shown.view.toggle_lines_mode()
    shown.settle()

    def places() -> list[tuple[Side, int]]:
        layout = shown.view.canvas.layout_
        assert layout is not None
        rows = [layout.row(index) for index in range(layout.rows)]
        return [
            cell.line_key
            for row in rows
            for cell in (row.left, row.right)
            if cell is not None and cell.choice
        ]

    before = places()
    all_lines = frozenset(range(1, len(before) + 1))
    for left_out in sorted(all_lines):
        shown.view.show_step(step, shown.diff, base, result, {1: all_lines - {left_out}})
        shown.settle()
        after = places()
        assert sorted(after, key=str) == sorted(before, key=str)
        if unified:
            assert after == before, left_out
        else:
            for side in Side:
                assert [place for place in after if place[0] is side] == [
                    place for place in before if place[0] is side
                ]


def test_lines_of_a_decided_step_are_not_chosen(shown: Shown) -> None:
    shown.show(state=StepState.APPROVED)
    shown.view.toggle_lines_mode()
    assert shown.view.lines_hunk() == 0


def test_another_file_ends_the_choosing(shown: Shown, pressed: list[tuple[int, frozenset[int]]]) -> None:
    shown.show(b"a\n", b"b\n", id="other")
    assert shown.view.lines_hunk() == 0


def test_what_is_current_is_said(shown: Shown, pressed: list[tuple[int, frozenset[int]]]) -> None:
    assert shown.view.canvas.accessibleDescription() == "Line 10, -, included"
