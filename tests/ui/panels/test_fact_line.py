"""The facts in one line, while their pane is closed."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from studio.ui.facts.facts_view import FactsView, WarningText
from studio.ui.facts.panel import FactLine
from studio.ui.look.theme import color, ui_font
from tests.tools.stage import Stage

NARROW, USUAL = 1000, 1440


def line_of(stage: Stage) -> FactLine:
    return stage.control.window.findChildren(FactLine)[0]


def make_wide(stage: Stage, width: int) -> None:
    stage.control.window.resize(width, 800)
    stage.settle()


def test_the_line_stands_for_the_pane_until_it_is_opened_and_below_1100_pixels(stage: Stage) -> None:
    line = line_of(stage)
    assert line.isVisible() and not stage.panes.facts.isVisible()
    assert line.words() == "No warnings"
    assert "Encoding UTF-8" in line.accessibleDescription()
    stage.trigger("facts")
    assert stage.panes.facts.isVisible() and not line.isVisible()
    make_wide(stage, NARROW)
    assert not stage.panes.facts.isVisible() and line.isVisible()
    make_wide(stage, USUAL)
    assert stage.panes.facts.isVisible() and not line.isVisible()


def test_no_reason_of_an_agent_is_long_enough_to_hide_a_warning(stage: Stage) -> None:
    """It is drawn as a quotation, and what is unusual keeps its room and colour."""
    line = line_of(stage)
    warning = WarningText("danger", "Possible secret")
    for width in (NARROW, USUAL):
        make_wide(stage, width)
        line.show_facts(FactsView(warnings=(warning,), reason="All is well. " * 200))
        picture = line.grab().toImage()
        bad = [
            x for x in range(picture.width()) for y in range(2, 20)
            if (shade := picture.pixelColor(x, y)).red() > shade.green() + 40  # smoothed edges, too
        ]  # fmt: skip
        words = QFontMetrics(ui_font(12, 500)).horizontalAdvance(warning.title)
        assert max(bad) - min(bad) > words, "the sign and every word"


def test_a_danger_is_said_in_a_narrow_window_too(stage: Stage) -> None:
    """In words and with the sign in the colour of danger."""
    make_wide(stage, NARROW)
    stage.select("Let the gauge sign in", 1)
    line = line_of(stage)
    assert "Bidirectional Unicode text" in line.words()
    assert "Possible secret" in line.words()
    picture = line.grab().toImage()
    sign = {picture.pixelColor(x, y).name() for x in range(12, 28) for y in range(2, 20)}
    assert color("bad").name() in sign


def test_a_click_on_the_line_shows_the_pane_and_f4_hides_it(stage: Stage, qtbot: QtBot) -> None:
    make_wide(stage, NARROW)
    line = line_of(stage)
    window = stage.control.window
    place = line.mapTo(window, QPoint(40, 8))
    QTest.mouseClick(window.windowHandle(), Qt.MouseButton.LeftButton, pos=place)
    stage.settle()
    assert stage.panes.facts.isVisible()
    assert not line.isVisible()
    stage.trigger("facts")
    assert not stage.panes.facts.isVisible()
    assert line.isVisible()
