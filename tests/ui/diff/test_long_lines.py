"""A very long line shows what it changes, and how much is left out between."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hypothesis import given, settings, strategies as st
from PySide6.QtCore import QObject, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication

from studio.engine.diff import compute
from studio.engine.plan import Fact, Severity
from studio.text import describe
from studio.ui.diff.code.document import DiffDocument
from studio.ui.diff.model.cells import Side

if TYPE_CHECKING:
    from tests.ui.diff.conftest import Shown

LONG = "".join(f"word{number} " for number in range(6000))
_OMISSION = re.compile(r" … ([\d,]+) characters … ")


def document_of(old: str, new: str) -> DiffDocument:
    base, result = f"first\n{old}\nlast\n".encode(), f"first\n{new}\nlast\n".encode()
    forms = describe(base), describe(result)
    document = DiffDocument(
        compute(base, result), forms, ("a.txt", "a.txt"), None, no_newline="", parent=QObject()
    )
    document.set_omits(True)
    return document


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, len(LONG)), st.integers(0, 30), st.text("ab \té漢😀\u202e", max_size=12)),
        min_size=1,
        max_size=3,
    )
)
def test_nothing_that_is_changed_is_hidden_and_every_character_is_counted(
    edits: list[tuple[int, int, str]],
) -> None:
    new = LONG
    for start, count, text in edits:
        new = new[:start] + text + new[start + count :]
    document = document_of(LONG, new)
    for side, source in ((Side.BASE, LONG), (Side.RESULT, new)):
        shown, omitted = document.display(side, 1), document.omitted(side, 1)
        assert shown.source == source
        parts, at = list[str](), 0
        for start, end in omitted:
            parts, at = [*parts, source[at:start]], end
        counts = [int(count.replace(",", "")) for count in _OMISSION.findall(shown.text)]
        assert counts == [end - start for start, end in omitted]
        assert "".join(parts) + source[at:] == "".join(
            character for index, character in enumerate(source)
            if not any(start <= index < end for start, end in omitted)
        )  # fmt: skip
        words = document.words(1, 1)
        for start, end in words[0 if side is Side.BASE else 1] if words else ((0, len(source)),):
            left, right = max(0, start - 200), min(len(source), end + 200)
            assert all(stop <= left or first >= right for first, stop in omitted) or new == LONG
            assert shown.column_of(end) - shown.column_of(start) >= end - start


def test_a_long_line_is_shown_whole_by_a_press_and_with_all_lines_and_copied_as_it_is(shown: Shown) -> None:
    new = LONG[:30_000] + "CHANGED" + LONG[30_000:]
    shown.show(LONG.encode() + b"\n", new.encode() + b"\n")
    canvas, view = shown.view.canvas, shown.view
    layout = canvas.layout_
    assert layout is not None
    row = layout.row(layout.row_of(Side.RESULT, 0) or 0)
    assert row.right is not None

    def text() -> str:
        assert row.right is not None
        return canvas.drawn_line(row.right, row.pair).shown.text

    assert "CHANGED" in text() and len(text()) < 800 and text().count("…") == 4
    view.select_all()
    assert view.copy() and QApplication.clipboard().text() == new
    drawn = canvas.drawn_line(row.right, row.pair)
    x, below = drawn.position_of(text().index("…") + 4)
    height = canvas.painter_metrics().line_height
    place = canvas.panes()[1].code_left + round(x), shown.row_of("result", 1) + below * height + height // 2
    shown.click(*place)
    assert text() == new
    shown.show(LONG.encode() + b"\n", new.encode() + b"\n", id="again")
    assert len(text()) < 800
    view.toggle_folds()
    assert text() == new
    view.toggle_folds()
    assert len(text()) < 800
    canvas.show_column_of(Side.RESULT, 0, 10_000)
    assert text() == new


def test_single_lines_of_a_shortened_diff_are_chosen_by_their_boxes_and_keys(shown: Shown) -> None:
    base = f"{LONG}\nsecond\n".encode()
    result = f"{LONG[:30_000]}CHANGED{LONG[30_000:]}\nsecond, too\n".encode()
    chosen: list[tuple[int, frozenset[int]]] = []
    shown.view.lines_toggled.connect(lambda hunk, lines: chosen.append((hunk, lines)))
    shown.show(base, result)
    shown.view.canvas.setFocus()
    shown.view.toggle_lines_mode()
    shown.settle()
    for side, line in (("base", 1), ("result", 1), ("result", 2)):
        shown.click_line_box(side, line)
    assert chosen == [(1, frozenset({1})), (1, frozenset({3})), (1, frozenset({4}))]
    QTest.keyClick(shown.view.canvas, Qt.Key.Key_Up)
    shown.view.toggle_current()
    assert chosen[-1] != chosen[-2]
    shown.view.show_step(shown.step, shown.diff, base, result, {1: frozenset({3})})
    shown.settle()
    canvas, layout = shown.view.canvas, shown.view.canvas.layout_
    assert layout is not None
    row = layout.row(layout.row_of(Side.RESULT, 0) or 0)
    assert row.right is not None
    text = canvas.drawn_line(row.right, row.pair).shown.text
    assert "CHANGED" in text and len(text) < 800, "the choice leaves the line shortened"


def test_a_character_that_is_warned_of_is_shown_in_the_unchanged_part_of_a_long_line(shown: Shown) -> None:
    old = LONG[:9_000] + "\u202e" + LONG[9_000:]
    message = "A character turns the direction."
    fact = Fact("bidi", Severity.DANGER, message, "result", 1, 9_001)
    shown.show(f"{old}\n".encode(), f"{old}CHANGED\n".encode(), facts=(fact,))
    offer = shown.view.notice.findChild(QAbstractButton, "card-line")
    assert isinstance(offer, QAbstractButton) and offer.text() == "Go to line 1"
    QTest.mouseClick(offer, Qt.MouseButton.LeftButton)
    canvas, layout = shown.view.canvas, shown.view.canvas.layout_
    assert layout is not None
    row = layout.row(layout.row_of(Side.RESULT, 0) or 0)
    assert row.right is not None
    text = canvas.drawn_line(row.right, row.pair).shown.text
    assert "CHANGED" in text and old[8_900:9_000] in text and len(text) < 1_200
