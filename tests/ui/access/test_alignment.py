"""What stands below each other begins at one line, and what has little room gives way in the right order."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QTabBar, QWidget

from studio.engine.history import DriftResolution
from studio.engine.plan import StepState
from studio.ui.diff.canvas.overview import OverviewMap
from studio.ui.diff.special.card import SpecialCard
from studio.ui.finders.finder import ROW_HEIGHT, Finder
from studio.ui.history.table import CHOICE_WIDTH
from studio.ui.look.theme import color, px, ui_font
from studio.ui.widgets import RING, Banner, Button, ElidedLabel, Label
from tests.tools.stage import ODD_NAME, Stage


def left_of_words(label: Label, within: QWidget) -> int:
    return label.mapTo(within, label.contentsRect().topLeft()).x()


def left_of_face(button: Button, within: QWidget) -> int:
    return button.mapTo(within, QPoint(RING, 0)).x()


def shown_strip(stage: Stage) -> Banner:
    return next(strip for strip in stage.control.window.findChildren(Banner) if strip.isVisible())


def test_words_and_buttons_of_a_strip_begin_at_one_line(stage: Stage) -> None:
    stage.select_state(StepState.STALE)
    strip = shown_strip(stage)
    first = strip.findChildren(Button)[0]
    choice = first.parentWidget()
    assert choice is not None
    below = choice.findChildren(Label)[0]
    lines = {left_of_words(label, strip) for label in (strip.title, strip.words, below)}
    assert lines == {left_of_face(first, strip)} == {px(40)}


def test_the_field_of_a_strip_is_as_wide_as_its_words(stage: Stage) -> None:
    stage.trigger("reject_step")
    strip, pane = stage.panes.pages.step.reason, stage.panes.pages.step
    field = QRect(strip.editor.mapTo(strip, QPoint(0, 0)), strip.editor.size())
    assert field.left() == left_of_words(strip.title, strip)
    assert field.right() + 1 == strip.width() - px(12)
    assert strip.reject.mapTo(strip, strip.reject.rect().topRight()).x() - RING == field.right()
    assert strip.grab().toImage().pixelColor(strip.width() // 2, 2) == color("content"), "nothing went wrong"
    assert pane.isVisible()


@pytest.mark.parametrize("stage_of_file", ["panels"], indirect=True)
def test_words_and_the_button_of_a_card_begin_at_one_line(stage: Stage) -> None:
    step = next(step for step in stage.plan("Tidy up").steps if step.to)
    stage.select("Tidy up", step.number)
    card = next(card for card in stage.control.window.findChildren(SpecialCard) if card.isVisible())
    labels = [label for label in card.findChildren(Label) if label.isVisible() and label.text()]
    lefts = {left_of_words(label, card) for label in labels if label.text() in (card.title(), "From", "To")}
    assert lefts == {left_of_face(card.findChildren(Button)[0], card)} == {px(78)}


@pytest.mark.parametrize("stage_of_file", ["panels"], indirect=True)
def test_what_happens_to_a_file_is_said_beside_the_longest_name(stage: Stage) -> None:
    step = next(step for step in stage.plan("Tidy up").steps if step.target == ODD_NAME)
    stage.select("Tidy up", step.number)
    said = stage.control.window.findChild(ElidedLabel, "step-operation")
    assert said is not None
    assert said.shown_text() == said.text() == "create"


@pytest.mark.parametrize("stage_of_file", ["drifted"], indirect=True)
@pytest.mark.parametrize("way", list(DriftResolution))
@pytest.mark.parametrize("width", [1440, 1024])
def test_what_becomes_of_a_drifted_file_is_said_whole(stage: Stage, way: DriftResolution, width: int) -> None:
    usual = stage.control.window.size()
    stage.control.window.resize(width, usual.height())
    stage.desk.rollback.show(stage.desk.queue.history[0].plan.id)
    stage.settle()
    assert stage.desk.rollback.preview is not None
    number = stage.desk.rollback.preview.drifted[0].step
    if way is not DriftResolution.KEEP:
        stage.desk.rollback.resolutions.choose(number, way)
        stage.settle()
    table = stage.panes.pages.rollback.table
    table.setCurrentIndex(table.rows.index_of(str(number)))
    stage.settle()
    said = table.rows.row(table.currentIndex())
    assert said is not None
    words = said.cells[2].text
    room = table.columnWidth(2) - px(8) - px(CHOICE_WIDTH) - px(16)
    if stage.desk.rollback.resolutions.refusals:
        # Why a way leads nowhere is longer than any row.
        below = stage.panes.pages.rollback.diff.findChildren(Label)
        assert any(label.isVisible() and words in label.text() for label in below)
    else:
        assert QFontMetrics(ui_font(12)).horizontalAdvance(words) <= room, words
    stage.control.window.resize(usual)


def test_a_table_in_a_narrow_window_still_names_its_rows(stage: Stage) -> None:
    stage.trigger("dock_1")
    table = stage.panes.dock.history.view
    usual = [table.columnWidth(column) for column in range(7)]
    stage.control.window.resize(1000, 760)
    stage.settle()
    narrow = [table.columnWidth(column) for column in range(7)]
    assert narrow[1] >= px(180)
    assert narrow[5] < usual[5]
    assert sum(narrow) <= table.viewport().width()
    stage.control.window.resize(1440, 900)
    stage.settle()
    assert [table.columnWidth(column) for column in range(7)] == usual


def test_a_fold_begins_where_code_begins(stage: Stage) -> None:
    """Also in one column, whose gutter is wider."""
    stage.trigger("unified")
    canvas = stage.panes.pages.step.diff.canvas
    picture = canvas.viewport().grab().toImage()
    height = px(22)
    ground = picture.pixelColor(2, height // 2)
    inked = [x for x in range(4, 300) for y in range(4, height - 4) if picture.pixelColor(x, y) != ground]
    assert min(inked) > px(70), "the sign stands in the gutter of the second numbers"


def test_the_current_hunk_is_marked_on_the_map_within_the_view_too(stage: Stage) -> None:
    shown = stage.control.window.findChildren(OverviewMap)
    overview = next(each for each in shown if each.isVisible())
    picture = overview.grab().toImage()
    marked = [y for y in range(picture.height()) if picture.pixelColor(0, y) == color("curBar")]
    view_top, view_bottom = stage.panes.pages.step.diff.canvas.view_lines()
    inside = [y for y in marked if view_top * overview.scale() < y < view_bottom * overview.scale()]
    assert len(inside) > 20


def test_a_finder_shows_whole_rows_only(stage: Stage) -> None:
    for action in ("keys", "palette"):
        stage.trigger(action)
        finder = next(each for each in stage.control.window.findChildren(Finder) if each.isVisible())
        assert finder.list.viewport().height() == 12 * px(ROW_HEIGHT), action
        stage.trigger("back")


def test_the_lamp_keeps_its_sign_in_the_narrowest_window(stage: Stage) -> None:
    toolbar = stage.control.window.toolbar
    stage.control.window.resize(820, 700)
    stage.settle()
    assert toolbar.gate_indicator.isVisible()
    assert not toolbar.gate_indicator.has_words()
    assert toolbar.open.text() == ""
    assert toolbar.open.accessibleName() == "Open"
    toolbar.gate_indicator.set_command_line_allowed(True)
    assert toolbar.gate_indicator.has_words(), "a warning is said in words, however narrow the window is"
    stage.control.window.resize(1440, 900)
    stage.settle()
    assert toolbar.open.text() == "Open ▾"


@pytest.mark.parametrize("stage_of_file", ["images"], indirect=True)
def test_images_of_a_rollback_are_named_as_its_lines_are(stage: Stage) -> None:
    stage.desk.rollback.show(stage.desk.queue.history[0].plan.id)
    stage.settle()
    assert stage.desk.rollback.preview is not None
    stage.desk.rollback.resolutions.choose(
        stage.desk.rollback.preview.drifted[0].step, DriftResolution.RESTORE
    )
    stage.settle()
    images = stage.panes.pages.rollback.diff.card.images
    assert images.isVisible()
    assert images.accessibleDescription().startswith("On disk now · 256 × 256")
    assert "After rollback · 224 × 224" in images.accessibleDescription()


@pytest.mark.parametrize("stage_of_file", ["panels"], indirect=True)
def test_one_line_parts_the_header_from_what_stands_below(stage: Stage) -> None:
    """A deleted image has one picture and nothing to compare: no bar, and no line of a bar."""
    step = next(step for step in stage.plan("Tidy up").steps if step.path.endswith(".png"))
    stage.select("Tidy up", step.number)
    window, header = stage.control.window, stage.panes.pages.step.header
    below = header.mapTo(window, QPoint(200, header.height()))
    picture = stage.picture()
    assert picture.pixelColor(below - QPoint(0, 1)) == color("border")
    assert picture.pixelColor(below) != color("border")


def test_a_strip_at_the_end_of_the_window_has_its_line_above(stage: Stage) -> None:
    notice = stage.control.window.notice
    stage.control.window.show_failure("Nothing was written.", "Free some space.")
    stage.settle()
    picture = notice.grab().toImage()
    middle = picture.width() // 2
    assert picture.pixelColor(middle, 0) == color("border")
    assert picture.pixelColor(middle, picture.height() - 1) == color("badBg")


@pytest.mark.parametrize("stage_of_file", ["drifted"], indirect=True)
def test_words_beside_the_tabs_stand_on_their_line_and_whole(stage: Stage) -> None:
    dock = stage.panes.dock
    kept, tabs = dock.history.kept, dock.findChild(QTabBar, "dock-history-views")
    assert isinstance(tabs, QTabBar)
    assert kept.contentsRect().height() >= kept.fontMetrics().height(), "nothing is cut off below"
    middle = kept.mapTo(dock, kept.contentsRect().center()).y()
    tab = tabs.mapTo(dock, tabs.tabRect(0).center()).y()
    assert abs(middle - tab) <= 1


def test_a_finder_without_rows_says_so(stage: Stage) -> None:
    stage.trigger("keys")
    stage.write("lighthouse")
    finder = next(each for each in stage.control.window.findChildren(Finder) if each.isVisible())
    assert finder.list.model().rowCount() == 0
    assert finder.list.accessibleDescription() == "No matches."
    picture = finder.list.viewport().grab().toImage()
    inked = {picture.pixelColor(x, picture.height() // 2).name() for x in range(picture.width())}
    assert len(inked) > 2


def test_a_finder_has_room_for_a_long_line_below_its_rows(stage: Stage) -> None:
    stage.trigger("keys")
    finder = next(each for each in stage.control.window.findChildren(Finder) if each.isVisible())
    rows = finder.list.viewport().height()
    for words in ("Short.", "Compare images in another way: " + "a long sentence, " * 8):
        finder.show_note(words)
        stage.settle()
        assert finder.note.height() >= finder.note.heightForWidth(finder.note.width()), words
        assert finder.list.viewport().height() == rows, words


def test_the_bars_of_a_plan_stand_at_its_top(stage: Stage) -> None:
    """Where nothing was said about it the room at the bottom is left; it stood between the bars once."""
    pane = stage.panes.pages.plan
    stage.select("Show the next high water", None)
    header, bar = (pane.findChild(QWidget, name) for name in ("plan-header", "plan-bar"))
    assert header is not None and bar is not None
    assert (header.y(), bar.y()) == (0, header.height() + stage.panes.facts.line.height())
    assert pane.tools.y() < pane.height() // 2
