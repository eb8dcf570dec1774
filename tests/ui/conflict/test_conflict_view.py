"""The three columns on screen: colours, words that differ, folds, and what is said of them."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from studio.extras.conflict_choices import ConflictChoice, Kind, LineStyle, Settlement
from studio.ui.conflict.painting import fold_words
from studio.ui.conflict.view import ConflictView
from studio.ui.look.theme import color, set_theme
from studio.ui.runner import Runner
from tests.extras.test_conflict_choices import settlement
from tests.tools.idle import run_until_idle

BASE = [f"value_{number} = compute({number})\n" for number in range(1, 61)]


def code(**changed: str) -> bytes:
    """The sixty lines, some replaced: `l3="x"`."""
    lines = list(BASE)
    for name, text in changed.items():
        lines[int(name[1:]) - 1] = text + "\n"
    return "".join(lines).encode()


def two_conflicts() -> Settlement:
    return settlement(
        code(),
        code(l5="value_5 = compute(5, disk)", l40="def on_disk():", l20="merged_by_disk = 20"),
        code(l5="value_5 = compute(5, proposed)", l40="class Proposed:"),
    )


class Columns:
    """The view on screen and what a person sees and does there."""

    def __init__(self, view: ConflictView) -> None:
        self.view = view

    def show(self, shown: Settlement) -> None:
        self.view.show_settlement(shown, "src/code.py", Runner(immediate=True))
        self.settle()

    def settle(self) -> None:
        run_until_idle()

    def picture(self) -> QImage:
        return self.view.viewport().grab().toImage()

    def rows(self, kind: Kind) -> list[int]:
        return [at for at, row in enumerate(self.view.rows) if row.kind is kind]

    def top(self, row: int) -> int:
        return self.view.tops[row] - self.view.verticalScrollBar().value()

    def has(self, token: str, row: int, column: int) -> bool:
        """Whether a colour is to be seen in the code of a column's row; edges of letters are blends."""
        picture, wanted = self.picture(), color(token)
        place = self.view.column(column)
        height = self.view.tops[row + 1] - self.view.tops[row]
        return any(
            _far(picture.pixelColor(x, y), wanted) <= 24
            for x in range(place.left() + 54, place.right())
            for y in range(self.top(row), self.top(row) + height)
        )

    def click_row(self, row: int, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        place = QPoint(self.view.viewport().width() // 2, self.top(row) + 5)
        window = self.view.window().windowHandle()
        QTest.mouseClick(
            window, Qt.MouseButton.LeftButton, modifiers, self.view.viewport().mapTo(self.view, place)
        )
        self.settle()


def _far(seen: QColor, wanted: QColor) -> int:
    differences = seen.red() - wanted.red(), seen.green() - wanted.green(), seen.blue() - wanted.blue()
    return max(map(abs, differences))


@pytest.fixture
def columns(qapp: QApplication, qtbot: QtBot) -> Columns:
    set_theme(qapp, "light")
    view = ConflictView()
    qtbot.addWidget(view)
    view.resize(1300, 620)
    view.show()
    qtbot.waitExposed(view)
    return Columns(view)


def clashes(columns: Columns, conflict: int) -> list[int]:
    return [at for at in columns.rows(Kind.CODE) if columns.view.rows[at].conflict == conflict]


def test_code_has_the_colours_it_has_in_the_diff(columns: Columns) -> None:
    shown = two_conflicts()
    columns.show(shown)
    row = clashes(columns, 1)[0]
    assert columns.has("kw", row, 0), "def"
    assert columns.has("kw", row, 2), "class"
    shown.choose(1, ConflictChoice.PROPOSED)
    columns.view.refresh()
    columns.settle()
    assert columns.has("kw", row, 1), "the result holds the proposed line"


def test_words_that_differ_are_marked(columns: Columns) -> None:
    """Open: a line below them; settled: what goes and what stays, as in the diff."""
    shown = two_conflicts()
    columns.show(shown)
    row = clashes(columns, 0)[0]
    assert columns.has("warn", row, 0)
    assert columns.has("warn", row, 2)
    assert not columns.has("warn", clashes(columns, 1)[0], 0), "two other lines have nothing in common"
    shown.choose(0, ConflictChoice.PROPOSED)
    columns.view.refresh()
    assert columns.has("delWord", row, 0)
    assert columns.has("addWord", row, 1)
    assert columns.has("addWord", row, 2)
    assert not columns.has("warn", row, 0)


def test_folds_open_all_or_by_ten(columns: Columns) -> None:
    """As in the diff: a click shows all, Shift+click ten lines; F shows and hides all of them."""
    columns.show(two_conflicts())
    fold = columns.rows(Kind.FOLD)[1]
    before = columns.view.rows[fold]
    # Of the 34 lines between the two conflicts three stand below the first and three above the second.
    assert (before.hidden, before.merged) == (28, 1)
    assert fold_words(before) == "28 lines without a conflict, 1 change auto-merged"
    columns.click_row(fold, Qt.KeyboardModifier.ShiftModifier)
    fold = columns.rows(Kind.FOLD)[1]
    assert columns.view.rows[fold].hidden == 18
    columns.click_row(fold)
    assert len(columns.rows(Kind.FOLD)) == 2
    columns.view.toggle_folds()
    assert len(columns.rows(Kind.FOLD)) == 3
    columns.view.toggle_folds()
    assert not columns.rows(Kind.FOLD)


def test_lines_stand_beside_each_other_and_merged_ones_say_so(columns: Columns) -> None:
    """Where a side alone added lines, what follows still stands in one row."""
    added = code(l5="value_5 = disk", l20="value_20 = compute(20)\nadded_1 = 1\nadded_2 = 2")
    columns.show(settlement(code(), added, code(l5="value_5 = proposed")))
    columns.view.toggle_folds()
    beside = [row for row in columns.view.rows if row.kind is Kind.CODE and row.conflict < 0]
    for row in beside:
        disk, result, proposed = row.cells
        assert result is not None
        if proposed is None:
            assert disk is not None
            assert disk.line == result.line
            assert disk.style is result.style is LineStyle.TAKEN
        else:
            assert disk is not None
            assert disk.line == result.line == proposed.line
    taken = [row.cells[0].line for row in beside if row.cells[0] and row.cells[0].style is LineStyle.TAKEN]
    assert taken == [b"added_1 = 1\n", b"added_2 = 2\n"]


def test_both_sides_of_a_conflict_are_said(columns: Columns) -> None:
    columns.show(two_conflicts())
    said = columns.view.accessible_text(0)
    assert said == "On disk now: value_5 = compute(5, disk). Proposed: value_5 = compute(5, proposed)"
    columns.show(settlement(code(), code(l5="x = 1"), code().replace(b"value_5 = compute(5)\n", b"")))
    assert columns.view.accessible_text(0) == "On disk now: x = 1. Proposed: no lines"


def test_keys_scroll_and_leave_letters_to_the_window(columns: Columns) -> None:
    columns.show(two_conflicts())
    columns.view.toggle_folds()
    bar = columns.view.verticalScrollBar()
    QTest.keyClick(columns.view, Qt.Key.Key_End)
    assert bar.value() == bar.maximum() > 0
    QTest.keyClick(columns.view, Qt.Key.Key_Home)
    assert bar.value() == 0
    QTest.keyClick(columns.view, Qt.Key.Key_2)
    assert columns.view.settlement is not None
    assert columns.view.settlement.open == 2


def test_a_new_theme_repaints_and_nothing_shown_paints_nothing(columns: Columns, qapp: QApplication) -> None:
    columns.show(two_conflicts())
    row = clashes(columns, 0)[0]
    set_theme(qapp, "dark")
    columns.settle()
    assert columns.picture().pixelColor(columns.view.column(0).left() + 50, columns.top(row) + 2) == color(
        "warnBg"
    )
    columns.view.show_settlement(None)
    columns.settle()
    assert columns.view.rows == []
    assert columns.picture().pixelColor(20, 20) == color("content")


def test_the_bar_stands_beside_all_that_belongs_to_the_current_conflict(columns: Columns) -> None:
    """From its band to its last line, also beside the lines around it."""
    columns.show(two_conflicts())
    band, last = columns.rows(Kind.BAND)[0], clashes(columns, 0)[-1]
    picture = columns.picture()
    beside = {picture.pixelColor(1, y).name() for y in range(columns.top(band), columns.top(last + 1))}
    assert beside == {color("curBar").name()}
    assert picture.pixelColor(1, columns.top(last + 1) + 2) != color("curBar")


def test_the_base_stands_below_a_conflict_that_waits(columns: Columns) -> None:
    """The field that waits, or the one somebody types in, covers neither it nor what follows."""
    columns.show(two_conflicts())
    columns.view.set_show_base(True)
    base = next(at for at, row in enumerate(columns.view.rows) if row.is_base)
    assert base == clashes(columns, 0)[-1]
    ground = columns.view.column(1).left() + 6, columns.top(base) + 2
    assert columns.picture().pixelColor(*ground) == color("band")
    columns.view.make_room(0, 96)
    place = columns.view.place_of(0)
    assert place.height() == 96
    assert place.bottom() + 1 == columns.top(base)
    columns.view.make_room(-1)
    assert columns.view.place_of(0).height() == columns.top(base) - place.top() < 96


def test_the_placeholder_of_a_narrow_result_stays_within_its_dashes(columns: Columns) -> None:
    columns.show(two_conflicts())
    columns.view.resize(480, 400)
    columns.settle()
    row = clashes(columns, 0)[0]
    place, picture = columns.view.column(1), columns.picture()
    edge = {picture.pixelColor(place.left() + 1, columns.top(row) + y).name() for y in range(3, 16)}
    assert edge == {color("warnBg").name()}
