"""F7: the same diff as one text, and the same place in both."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from studio.ui.diff.bars.accessible_text import WINDOW_ROWS
from studio.ui.diff.model.cells import Side
from studio.ui.look.theme import code_font, color, set_theme

if TYPE_CHECKING:
    from tests.ui.diff.conftest import Shown


def current(shown: Shown) -> str:
    return shown.view.text.textCursor().block().text()


def test_the_text_says_hunks_signs_numbers_and_folds_in_unified_order(shown: Shown) -> None:
    shown.show()
    shown.view.toggle_text()
    said = shown.view.text.toPlainText().splitlines()
    assert said[:2] == ["6 unchanged lines", "Hunk 1 of 3"]
    assert said[5:9] == [
        "-    10 line 10 = 10",
        "+    10 line 10 = 11",
        "+    11 added = 1",
        "     12 line 11 = 11",
    ]
    assert shown.view.text.isReadOnly()
    assert shown.view.focusProxy() is shown.view.text


def test_what_is_left_out_is_said_in_a_word(shown: Shown) -> None:
    shown.show(choices={1: frozenset({1, 2})})
    shown.view.toggle_text()
    assert "+ excluded       added = 1" in shown.view.text.toPlainText().splitlines()


def test_the_place_is_the_same_in_both(shown: Shown) -> None:
    shown.show()
    shown.view.next_change()
    shown.view.toggle_text()
    assert current(shown) == "-    30 line 30 = 30"
    text = shown.view.text
    assert text.cursorRect().top() > text.viewport().height() / 4, "what stands above it is in view, too"
    shown.view.next_change()
    assert current(shown).startswith("-    50 line 50")
    assert shown.view.current_hunk() == 3
    shown.view.text.go_to(Side.RESULT, 9)
    QTest.keyClick(shown.view.text, Qt.Key.Key_Down)
    shown.view.toggle_text()
    assert not shown.view.is_text()
    assert 0 <= shown.row_of("result", 11) < shown.view.canvas.viewport().height()


def test_folds_are_those_of_the_painted_diff(shown: Shown) -> None:
    """F shows all, a line that is gone to opens its fold, in the text as in the rows."""
    shown.show()
    shown.view.toggle_text()
    text = shown.view.text
    assert "unchanged lines" in text.toPlainText()
    shown.view.go_to_line("result", 21)
    assert current(shown) == "     21 line 20 = 20"
    assert "6 unchanged lines" in text.toPlainText(), "the other folds stay"
    shown.view.set_folds(False)
    assert "unchanged lines" not in text.toPlainText()
    assert text.document().blockCount() == 60 + 3 + 3, "the lines of the base, what is added, the hunks"


def test_a_long_diff_is_held_in_a_window_that_moves(shown: Shown) -> None:
    base = b"".join(b"line %d\n" % number for number in range(1, 20_001))
    shown.show(base, base.replace(b"line 5\n", b"line five\n"))
    shown.view.set_folds(False)
    result = base.replace(b"0\n", b"0 changed\n")
    shown.show(base, result, id="long")
    shown.view.go_to_line("result", 10_000)
    shown.settle()
    shown.view.toggle_text()
    text = shown.view.text
    assert text.blockCount() == WINDOW_ROWS
    before = text.row()
    for _ in range(WINDOW_ROWS // 2):
        QTest.keyClick(text, Qt.Key.Key_Down)
    assert text.row() == before + WINDOW_ROWS // 2
    assert text.blockCount() == WINDOW_ROWS
    text.go_to(Side.RESULT, 19_999)
    assert current(shown) == "+ 20000 line 20000 changed"


def test_escape_goes_back_and_another_step_ends_it(shown: Shown) -> None:
    shown.show()
    shown.view.toggle_text()
    assert shown.view.close_innermost()
    assert not shown.view.is_text()
    shown.view.toggle_text()
    shown.show(b"one\n", b"two\n", id="other")
    assert not shown.view.is_text()
    shown.view.toggle_text()
    assert shown.view.text.toPlainText().splitlines() == ["Hunk 1 of 1", "-     1 one", "+     1 two"]


def test_code_keeps_its_font_and_its_size(shown: Shown, qapp: QApplication) -> None:
    """A new theme takes fonts from what is on screen; zoom is for the text, too."""
    shown.show()
    shown.view.toggle_text()
    text = shown.view.text
    shown.view.zoom(1)
    shown.view.zoom(1)
    size = text.font().pixelSize()
    assert size > code_font().pixelSize()
    assert size == shown.view.canvas.painter_metrics().font.pixelSize()
    for theme in ("dark", "light"):
        set_theme(qapp, theme)
        shown.settle()
        assert (text.font().family(), text.font().pixelSize()) == (code_font().family(), size)
        assert text.extraSelections()[0].format.background().color() == color("select")
    shown.view.zoom(0)
    assert text.font().pixelSize() == code_font().pixelSize()
