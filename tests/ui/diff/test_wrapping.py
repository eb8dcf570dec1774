"""Wrapped lines: both sides stay beside each other, to the pixel, whatever is in the lines."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings, strategies as st
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from studio.engine.diff.line_diff import compute
from studio.text import Lines
from studio.ui.diff.canvas.comment_rows import ShownComment
from studio.ui.diff.code.wrapping import WrappedLines, word_breaks
from studio.ui.diff.model.cells import Heights, Mode, RowKind, Side
from studio.ui.diff.model.layout import Layout

if TYPE_CHECKING:
    from tests.ui.diff.conftest import Shown

HEIGHTS = Heights(code=19, band=26, fold=22)
LONG = st.lists(
    st.sampled_from([b"a\n", b"b" * 25 + b"\n", b"c" * 9 + b"\n", b"d" * 41 + b"\n"]), max_size=20
)
TEXTS = LONG.map(b"".join)


def by_bytes(lines: dict[Side, Lines], columns: int) -> WrappedLines:
    return WrappedLines(columns, lines.__getitem__, lambda side, line: lines[side][line].decode().strip("\n"))


@settings(max_examples=60)
@given(TEXTS, TEXTS, st.sampled_from([Mode.SIDE_BY_SIDE, Mode.UNIFIED]), st.booleans(), st.booleans())
def test_a_row_is_as_high_as_its_longer_line(
    base: bytes, result: bytes, mode: Mode, folds: bool, leave_out: bool
) -> None:
    diff = compute(base, result, context=1)
    lines = {Side.BASE: diff.base_lines, Side.RESULT: diff.result_lines}
    layout = Layout(
        diff,
        HEIGHTS,
        mode=mode,
        folds=folds,
        choices={1: False} if leave_out and diff.hunks else {},
        extents=by_bytes(lines, 10),
    )
    while layout.lay_out_more():
        pass
    assert layout.is_exact
    y = 0
    for index in range(layout.rows):
        row = layout.row(index)
        assert layout.top(index) == y
        if row.kind is RowKind.CODE:
            shown = [cell for cell in (row.left, row.right) if cell is not None]
            lengths = [len(lines[cell.side][cell.line].rstrip(b"\n")) for cell in shown]
            assert layout.row_height(index) == 19 * max(1, *(-(-length // 10) for length in lengths))
        assert layout.row_at(y) == layout.row_at(y + layout.row_height(index) - 1) == index
        y += layout.row_height(index)
    assert layout.height == y


def test_both_sides_scroll_as_one_and_end_together(shown: Shown) -> None:
    base = b"".join(b"line %d %s\n" % (n, b"word " * (n % 40)) for n in range(80))
    shown.show(base, base.replace(b"line 40 ", b"line forty "))
    shown.view.set_folds(False)
    shown.view.set_wrap(True)
    shown.settle()
    canvas = shown.view.canvas
    assert canvas.horizontalScrollBar().maximum() == 0
    layout, bar = canvas.layout_, canvas.verticalScrollBar()
    assert layout is not None
    assert layout.is_exact
    bar.setValue(bar.maximum())
    shown.settle()
    assert canvas.layout_ is layout, "painting taught nothing new: every height was exact before"
    last = layout.rows - 1
    assert layout.top(last) + layout.row_height(last) - bar.value() <= canvas.viewport().height()


@pytest.mark.parametrize("wraps", [True, False])
def test_the_line_in_hand_stays_when_the_view_is_resized(shown: Shown, *, wraps: bool) -> None:
    """Wrapped lines and comments are laid out anew; an X server resizes a page after it was shown."""
    shown.show()
    canvas = shown.view.canvas
    if wraps:
        shown.view.set_wrap(True)
    else:
        canvas.set_comments({(Side.RESULT, 9): ShownComment("ada · line 10", "Why?", "sent")})
    shown.view.go_to_line("result", 50)
    shown.view.resize(700, 560)
    shown.settle()
    assert canvas.clicked_line() == (Side.RESULT, 49)


def test_switching_wrap_keeps_the_line_in_view_where_it_is(shown: Shown) -> None:
    base = b"".join(b"line %d %s\n" % (n, b"word " * 40) for n in range(200))
    shown.show(base, base.replace(b"line 100 ", b"line hundred "))
    shown.view.set_folds(False)
    shown.view.go_to_line("result", 100)
    shown.settle()
    before = shown.view.canvas.scroll_state()[0]
    line = next(number for number in range(1, 101) if shown.row_of("result", number) > -19)
    y = shown.row_of("result", line)
    shown.view.set_wrap(True)
    shown.settle()
    assert shown.row_of("result", line) == y
    shown.view.set_wrap(False)
    shown.settle()
    assert shown.view.canvas.scroll_state()[0] == before


@pytest.mark.parametrize(
    "tail", ["\t" * 30, "漢" * 90, "\u202e" * 20, "\x01" * 30], ids=lambda text: text[:1]
)
def test_wide_lines_get_the_height_they_take_when_they_are_painted(shown: Shown, tail: str) -> None:
    base = f"one\nlong {tail}end\nthree\n".encode()
    shown.show(base, base.replace(b"three", b"four"))
    shown.view.set_wrap(True)
    shown.settle()
    layout = shown.view.canvas.layout_
    assert layout is not None
    row = layout.row_of(Side.RESULT, 1)
    assert row is not None
    cell = layout.row(row).right
    assert cell is not None
    lines = shown.view.canvas.drawn_line(cell, None).lines
    assert lines > 1
    assert layout.row_height(row) == lines * shown.view.canvas.painter_metrics().line_height


def test_a_press_in_a_wrapped_line_finds_its_character(shown: Shown) -> None:
    base = b"".join(b"%04d " % number for number in range(100)) + b"\n"
    shown.show(base, base + b"new\n")
    shown.view.set_wrap(True)
    shown.settle()
    canvas = shown.view.canvas
    metrics = canvas.painter_metrics()
    first = shown.row_of("base", 1) + metrics.line_height // 2

    def characters_before(line: int) -> int:
        """How many there are before the fourth character of a drawn line, counted from 0."""
        shown.click(54 + round(metrics.advance * 3), first + line * metrics.line_height)
        shown.click(54, first, Qt.KeyboardModifier.ShiftModifier)
        assert canvas.copy()
        text = QApplication.clipboard().text()
        assert base.decode().startswith(text)
        return len(text)

    lengths = [characters_before(line) for line in range(3)]
    columns = lengths[1] - lengths[0]
    assert columns > 10 and lengths == [3, columns + 3, 2 * columns + 3]


def test_one_line_of_two_million_characters_is_laid_out_only_where_it_is_seen(shown: Shown) -> None:
    base = b"x" * 2_000_000 + b"\n"
    shown.show(base, base[:1_000_000] + b"y" + base[1_000_000:])
    shown.view.set_wrap(True)
    shown.view.set_folds(False)
    shown.settle()
    canvas = shown.view.canvas
    layout = canvas.layout_
    assert layout is not None
    assert layout.height > 19 * 2_000_000 // 100
    bar = canvas.verticalScrollBar()
    for part in range(5):
        bar.setValue(bar.maximum() * part // 4)
        canvas.viewport().repaint()
    row = layout.row_of(Side.BASE, 0)
    assert row is not None
    cell = layout.row(row).left
    assert cell is not None
    assert 0 < canvas.drawn_line(cell, layout.row(row).pair).slices_laid_out < 300


def test_prose_and_files_of_few_long_lines_wrap_until_a_person_chooses(shown: Shown) -> None:
    """What is chosen for one kind of file stays, and says nothing of the others."""
    canvas = shown.view.canvas
    words = b"Some words of prose. " * 30 + b"\n"

    def wraps(name: str, text: bytes) -> bool:
        shown.show(text, text + b"new\n", path=name)
        return canvas.wraps

    code = b"x = 1\n" * 40 + words
    assert wraps("README", words) and wraps("docs/a.md", b"short\n" + words) and wraps("a.min.js", b"x" * 900)
    assert not wraps("a.py", code) and not wraps("a.lock", code)
    QTest.mouseClick(shown.view.sub_bar.wrap, Qt.MouseButton.LeftButton)
    assert canvas.wraps and wraps("b.py", code)
    assert wraps("b.md", words * 2 + b"short\n" * 9)
    QTest.mouseClick(shown.view.sub_bar.wrap, Qt.MouseButton.LeftButton)
    assert not canvas.wraps and not wraps("c.rst", b"short\n") and wraps("c.js", b"x" * 900)


@given(st.text("ab ", max_size=60), st.integers(1, 12))
def test_lines_break_after_blanks_and_lose_nothing(text: str, columns: int) -> None:
    breaks = word_breaks(text, columns)
    pieces = [text[start:end] for start, end in pairwise([*breaks, len(text)])]
    assert "".join(pieces) == text and all(len(piece) <= columns + piece.endswith(" ") for piece in pieces)
    for before, after in pairwise(pieces):
        assert before.endswith(" ") or (" " not in before[1:] and not after.startswith(" "))
