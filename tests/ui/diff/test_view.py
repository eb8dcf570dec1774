"""The diff on screen: what a person sees and does there."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QColor, QGuiApplication, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QWidget

from studio.engine.diff import compute
from studio.engine.disk import link_image
from studio.engine.plan import Decision, Fact, Operation, Severity, StepState, Verdict
from studio.journal.file_image import FileImage
from studio.ui.diff.canvas.canvas import REVEAL_STEP
from studio.ui.diff.canvas.painting import check_box
from studio.ui.diff.code import names
from studio.ui.diff.model.layout import Side
from studio.ui.look.theme import color, set_theme
from studio.ui.runner import Runner
from studio.ui.widgets import Button

if TYPE_CHECKING:
    from tests.ui.diff.conftest import Shown

MakeShown = Callable[[Any], "Shown"]


def right(shown: Shown) -> int:
    """A place at the right end of the right side, behind all code."""
    return shown.view.canvas.viewport().width() - 12


def left(shown: Shown) -> int:
    return shown.view.canvas.viewport().width() // 2 - 12


def inks(picture: QImage, x: range, y: range) -> set[int]:
    return {picture.pixelColor(column, row).rgb() for column in x for row in y}


def test_a_large_file_is_named_by_another_process_and_painted_once_more(
    make_shown: MakeShown, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(names, "NAMED_AT_ONCE_BYTES", 10)
    shown = make_shown(Runner(immediate=True))
    code = b"def f():\n" + b"    a\n" * 40
    shown.show(code, code.replace(b"    a\n" * 20, b"    a\n" * 19 + b"    b\n"))
    shown.view.toggle_text()
    assert shown.view.text.toPlainText().splitlines()[1].endswith("def f():")
    shown.view.toggle_text()
    shown.settle()
    before = shown.view.canvas.rows_painted
    shown.settle()
    assert shown.view.canvas.rows_painted == before, "frames come to an end"


@pytest.mark.parametrize("theme", ["light", "dark", "contrast"])
def test_rows_have_the_colours_of_what_happens_to_them(shown: Shown, qapp: QApplication, theme: str) -> None:
    set_theme(qapp, theme)
    shown.show()
    picture = shown.picture()
    expected = [
        ("base", 9, left(shown), "content"),
        ("base", 10, left(shown), "delBg"),
        ("result", 10, right(shown), "addBg"),
        ("result", 11, right(shown), "addBg"),
        ("result", 11, left(shown), "void"),
        ("base", 30, left(shown), "delBg"),
        ("base", 30, right(shown), "void"),
    ]
    for side, line, x, token in expected:
        seen = picture.pixelColor(x, shown.row_of(side, line) + 2)
        assert shown.is_token(seen, token), (side, line, token, seen.name())
    assert shown.is_token(picture.pixelColor(left(shown), shown.band_top(2) + 4), "band")
    assert shown.is_token(picture.pixelColor(1, shown.band_top(1) + 10), "curBar")
    assert not shown.is_token(picture.pixelColor(1, shown.band_top(2) + 10), "curBar")


def test_signs_stand_beside_colours(shown: Shown) -> None:
    shown.show()
    gutter = range(36, 54)
    removed, added = shown.row_of("base", 10), shown.row_of("result", 11)
    half = shown.view.canvas.viewport().width() // 2
    assert shown.has_ink("delSign", gutter, range(removed, removed + 19))
    assert shown.has_ink("addSign", range(half + 36, half + 54), range(added, added + 19))


def test_words_that_differ_are_marked_within_their_line(shown: Shown) -> None:
    shown.show()
    picture = shown.picture()
    half = shown.view.canvas.viewport().width() // 2
    top = shown.row_of("result", 10) + 1
    marked = [x for x in range(half, right(shown)) if shown.is_token(picture.pixelColor(x, top), "addWord")]
    assert marked
    advance = shown.view.canvas.painter_metrics().advance
    code_left = half + 54
    assert min(marked) - code_left == pytest.approx(advance * len("line 10 = "), abs=1.5)
    assert max(marked) + 1 - code_left == pytest.approx(advance * len("line 10 = 11"), abs=1.5)


def test_the_painted_revision_is_told_once_for_each_look(shown: Shown) -> None:
    step = shown.show()
    assert shown.painted == [step.revision]
    shown.show_again(step, {2: False})
    assert shown.painted == [step.revision, step.revision]
    approved = replace(step, state=StepState.APPROVED)
    shown.show_again(approved, {2: False})
    assert shown.painted[-1] == approved.revision != step.revision


def test_a_revision_that_was_not_painted_is_never_told(shown: Shown) -> None:
    shown.view.canvas.viewport().repaint()
    first, second = shown.step_of(b"a\n", b"b\n"), shown.step_of(b"a\n", b"c\n")
    diffs = [compute(b"a\n", result) for result in (b"b\n", b"c\n")]
    shown.view.show_step(first, diffs[0], b"a\n", b"b\n", {})
    shown.settle()
    shown.painted.clear()
    shown.view.show_step(second, diffs[1], b"a\n", b"c\n", {})
    shown.view.canvas.viewport().repaint()
    # The word about the second step is on its way; meanwhile another one is to be shown.
    shown.view.show_step(first, diffs[0], b"a\n", b"b\n", {})
    shown.settle()
    assert shown.painted == [second.revision, first.revision]
    shown.view.show_step(second, diffs[1], b"a\n", b"c\n", {})
    shown.view.clear("")
    shown.settle()
    assert shown.painted == [second.revision, first.revision]


def test_a_card_tells_its_revision_too(shown: Shown) -> None:
    step = shown.show(b"a\0b", b"a\0c")
    assert shown.painted == [step.revision]


def test_nothing_is_told_before_it_was_on_screen(shown: Shown) -> None:
    shown.view.hide()
    shown.show()
    assert shown.painted == []
    shown.view.show()
    shown.settle()
    assert len(shown.painted) == 1


def test_check_box_button_and_nothing_else_toggles_a_hunk(shown: Shown) -> None:
    shown.show()
    shown.click(19, shown.band_top(2) + 13)
    assert shown.toggled == [2]
    shown.click(200, shown.band_top(2) + 13)
    assert shown.toggled == [2]
    assert shown.view.current_hunk() == 2
    shown.click_button("toggle_hunk")
    assert shown.toggled == [2, 2]


def test_hunks_of_decided_steps_and_previews_are_not_toggled(shown: Shown) -> None:
    shown.show(state=StepState.APPROVED)
    shown.click(19, shown.band_top(2) + 13)
    shown.show()
    shown.view.set_read_only(True, "On disk now", "After rollback")
    shown.settle()
    shown.click(19, shown.band_top(2) + 13)
    assert shown.toggled == []
    assert shown.view.headings.texts() == ("On disk now", "After rollback")


def test_a_stale_step_offers_no_hunks(shown: Shown) -> None:
    shown.show(state=StepState.STALE)
    shown.click(19, shown.band_top(2) + 13)
    assert shown.toggled == []
    assert not shown.has_ink("accentFill", range(12, 27), range(shown.band_top(2), shown.band_top(2) + 26))
    assert shown.view.headings.texts() == ("Before · when proposed", "After this step · 3 hunks")


def test_a_left_out_hunk_is_hatched_and_keeps_its_place(shown: Shown) -> None:
    step = shown.show()
    shown.view.next_change()
    shown.settle()
    before = shown.band_top(2)
    shown.show_again(step, {2: False})
    assert shown.band_top(2) == before
    picture = shown.picture()
    row = shown.row_of("base", 30)
    seen = inks(picture, range(left(shown) - 60, left(shown)), range(row, row + 19))
    assert color("border").rgb() in seen
    assert color("delBg").rgb() not in seen
    assert shown.view.headings.texts()[1] == "After this step · hunk 2 excluded"
    shown.show_again(step, {1: False, 2: False, 3: False})
    assert shown.view.headings.texts()[1] == "After this step · no hunks included"


def test_a_decided_step_shows_what_was_decided(shown: Shown) -> None:
    decision = Decision(
        Verdict.APPROVE, "you", datetime(2026, 1, 1, tzinfo=UTC), "", None, None, {3: False}, False, "", ""
    )
    shown.show(state=StepState.APPROVED, decision=decision)
    assert shown.view.headings.texts()[1] == "After this step · hunk 3 excluded"


def test_looking_at_the_same_file_again_moves_nothing(shown: Shown) -> None:
    shown.show()
    shown.view.next_change()
    shown.view.next_change()
    shown.view.set_folds(False)
    place = shown.view.canvas.verticalScrollBar().value()
    current = shown.view.current_hunk()
    assert place > 0
    shown.show()
    assert shown.view.canvas.verticalScrollBar().value() == place
    assert shown.view.current_hunk() == current > 1
    shown.show(id="another-step")
    assert shown.view.canvas.verticalScrollBar().value() == 0
    assert shown.view.current_hunk() == 1


def test_changes_are_walked_by_commands_and_said(shown: Shown) -> None:
    shown.show()
    assert shown.changes[-1] == (1, 3)
    shown.view.previous_change()
    assert shown.view.current_hunk() == 1
    shown.view.next_change()
    shown.view.next_change()
    shown.view.next_change()
    assert shown.changes[-1] == (3, 3)
    assert shown.view.sub_bar.position.text() == "Change 3 of 3"
    assert not shown.view.sub_bar.next.isEnabled()
    assert shown.view.sub_bar.next.toolTip() == "This is the last change."


def test_folds_open_all_or_by_ten(shown: Shown) -> None:
    shown.show()
    rows = shown.view.row_count()
    fold = shown.band_top(2) - 11
    shown.click(200, fold, Qt.KeyboardModifier.ShiftModifier)
    assert shown.view.row_count() == rows + REVEAL_STEP
    shown.click(200, shown.band_top(2) - 11)
    layout = shown.view.canvas.layout_
    assert layout is not None
    assert [layout.gap_of(side, 20) for side in Side] == [None, None]
    shown.view.set_folds(False)
    assert shown.view.row_count() == 60 + 1 + 3


def test_the_first_line_in_view_stays_when_the_mode_changes(shown: Shown) -> None:
    lines = b"".join(b"line %d\n" % number for number in range(1, 1001))
    shown.show(lines, lines.replace(b"line 600\n", b"x = 1\n"))
    shown.view.set_folds(False)
    shown.view.go_to_line("base", 500)
    top = shown.row_of("base", 500)
    shown.view.toggle_mode()
    assert shown.view.mode() == "unified"
    assert abs(shown.row_of("base", 500) - top) <= 19


def test_selection_of_one_side_is_copied_without_signs(shown: Shown) -> None:
    shown.show(choices={1: False})
    half = shown.view.canvas.viewport().width() // 2
    # On the right, hunk 1 is left out: its proposed lines have no number and are not copied.
    start = QPoint(half + 54, shown.row_of("result", 9) + 9)
    end = QPoint(half + 54 + round(7.3 * 6), shown.row_of("result", 12) + 9)
    shown.drag(start, end)
    assert shown.view.copy()
    assert QGuiApplication.clipboard().text() == "line 9 = 9\nline 10 = 10\nline 1"
    picture = shown.picture()
    assert shown.is_token(picture.pixelColor(half + 56, shown.row_of("result", 9) + 1), "select")
    assert not shown.is_token(picture.pixelColor(56, shown.row_of("base", 9) + 1), "select")


def test_a_double_click_takes_a_word(shown: Shown) -> None:
    shown.show()
    place = QPoint(54 + 12, shown.row_of("base", 9) + 9)
    window = shown.view.window()
    at = shown.view.canvas.viewport().mapTo(window, place)
    QTest.mouseDClick(window.windowHandle(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, at)
    shown.settle()
    assert shown.view.copy()
    assert QGuiApplication.clipboard().text() == "line"


def test_an_invisible_character_is_a_red_box(shown: Shown) -> None:
    shown.show(b"a\n", "x = 1  # \u202e\n".encode())
    row = shown.row_of("result", 1)
    half = shown.view.canvas.viewport().width() // 2
    assert shown.has_ink("bad", range(half + 54, half + 250), range(row, row + 19))


def test_only_rows_in_view_are_painted(shown: Shown) -> None:
    lines = [b"line %d = %d\n" % (number, number) for number in range(100_000)]
    changed = list(lines)
    changed[::1000] = [b"changed\n"] * 100
    shown.show(b"".join(lines), b"".join(changed))
    shown.view.set_folds(False)
    canvas = shown.view.canvas
    assert shown.view.row_count() > 100_000
    most = canvas.viewport().height() // 19 + 2
    for place in (0, 500_000, canvas.verticalScrollBar().maximum()):
        shown.settle()
        before = canvas.rows_painted
        canvas.verticalScrollBar().setValue(place)
        canvas.viewport().grab()
        paints = 1 + canvas.rows_painted // max(1, before)
        assert 0 < canvas.rows_painted - before <= most * max(1, paints)


def test_the_mouse_asks_for_a_frame_only_where_something_looks_different(
    make_shown: Callable[[None], Shown],
) -> None:
    shown = make_shown(None)  # without colours, which come late and are painted then
    shown.show()
    canvas = shown.view.canvas
    assert canvas.layout_ is not None
    fold, code = shown.band_top(2) - 11, shown.band_top(1) + 40

    def rows_painted_by_moving_to(x: int, y: int) -> int:
        before = canvas.rows_painted
        place = canvas.viewport().mapTo(shown.view.window(), QPoint(x, y))
        QTest.mouseMove(shown.view.window().windowHandle(), place)
        shown.settle()
        return canvas.rows_painted - before

    rows_painted_by_moving_to(300, code + 3)
    assert rows_painted_by_moving_to(340, code + 8) == 0
    assert rows_painted_by_moving_to(340, fold) > 0
    assert rows_painted_by_moving_to(380, fold) == 0
    assert rows_painted_by_moving_to(380, code + 3) > 0
    height = canvas.layout_.row_height(canvas.layout_.hunk_rows(1)[0])
    box = check_box(QRect(0, shown.band_top(1), canvas.viewport().width(), height))
    assert rows_painted_by_moving_to(box.center().x(), box.center().y()) > 0
    assert rows_painted_by_moving_to(380, code + 3) > 0


def test_a_very_long_line_is_laid_out_in_slices(shown: Shown) -> None:
    shown.show(b"short\n", b"x" * 200_000 + b"\n")
    shown.view.set_wrap(False)
    shown.settle()
    canvas = shown.view.canvas
    bar = canvas.horizontalScrollBar()
    assert bar.maximum() > 1_000_000
    bar.setValue(bar.maximum())
    canvas.viewport().grab()
    layout = canvas.layout_
    assert layout is not None
    row = layout.row(layout.row_near(Side.RESULT, 0))
    assert row.right is not None
    drawn = canvas.drawn_line(row.right, row.pair)
    assert 0 < drawn.slices_laid_out <= 6


class SlowRunner:
    """A runner whose answers come when the test lets them come."""

    def __init__(self) -> None:
        self.waiting: list[Callable[[], None]] = []

    def compute_apart(self, function: Callable[..., Any], *args: object, then: Any, failed: Any) -> None:
        self.waiting.append(lambda: then(function(*args)))


def test_colours_come_late_and_never_to_another_step(make_shown: MakeShown) -> None:
    runner = SlowRunner()
    shown = make_shown(runner)
    shown.show(b"def one():\n    pass\n", b"def one():\n    return 1\n")
    row = shown.row_of("base", 1)
    code = range(54, 54 + 30)
    assert not shown.has_ink("kw", code, range(row, row + 19))
    late = list(runner.waiting)
    assert late
    shown.show(b"first\n", b"second\n", id="step-2")
    for answer in late:
        answer()
    shown.settle()
    assert not shown.has_ink("kw", code, range(row, row + 19))
    shown.show(b"def one():\n    pass\n", b"def one():\n    return 1\n", id="step-3")
    for answer in runner.waiting[len(late) :]:
        answer()
    shown.settle()
    assert shown.has_ink("kw", code, range(row, row + 19))


def test_find_counts_walks_and_opens_folds(shown: Shown) -> None:
    shown.show()
    shown.bars.open_find()
    QTest.keyClicks(shown.bars.find_bar.field, "line 20 =")
    shown.settle()
    assert shown.bars.find_bar.count.text() == "1 of 1"
    row = shown.row_of("result", 21)
    assert 0 <= row < shown.view.canvas.viewport().height()
    shown.bars.find_bar.field.setText("line 3")
    shown.settle()  # it searches in slices of time, of which a loaded machine needs several
    assert shown.bars.find_bar.count.text() == "1 of 11"
    shown.bars.step(1)
    assert shown.bars.find_bar.count.text() == "2 of 11"
    shown.bars.step(-1)
    shown.bars.step(-1)
    assert shown.bars.find_bar.count.text() == "11 of 11"
    shown.bars.find_bar.field.setText("not there")
    shown.settle()
    assert shown.bars.find_bar.count.text() == "Not found"
    assert shown.bars.close_innermost()
    assert not shown.bars.close_innermost()


def test_white_space_is_drawn_on_demand(shown: Shown) -> None:
    shown.show()
    row = shown.row_of("base", 9)
    space = range(54 + 29, 54 + 36)
    plain = inks(shown.picture(), space, range(row, row + 19))
    shown.view.set_whitespace(True)
    shown.settle()
    assert inks(shown.picture(), space, range(row, row + 19)) > plain


def test_zoom_changes_the_height_of_a_line_and_comes_back(shown: Shown) -> None:
    shown.show()
    height = shown.view.canvas.painter_metrics().line_height
    shown.view.zoom(1)
    shown.view.zoom(1)
    assert shown.view.canvas.painter_metrics().line_height > height
    shown.view.zoom(0)
    assert shown.view.canvas.painter_metrics().line_height == height


def test_keys_scroll_and_others_are_left_to_the_window(shown: Shown) -> None:
    shown.show()
    shown.view.set_folds(False)
    shown.view.canvas.setFocus()
    bar = shown.view.canvas.verticalScrollBar()
    bar.setValue(0)
    QTest.keyClick(shown.view.canvas, Qt.Key.Key_Down)
    assert bar.value() == bar.singleStep()
    QTest.keyClick(shown.view.canvas, Qt.Key.Key_End)
    assert bar.value() == bar.maximum() > 0
    assert not shown.view.page(1)
    assert shown.view.page(-1)
    for key in (Qt.Key.Key_A, Qt.Key.Key_R, Qt.Key.Key_Return, Qt.Key.Key_Space):
        QTest.keyClick(shown.view.canvas, key)
    assert shown.toggled == []


PNG = b"\x89PNG\r\n\x1a\n" + bytes(100)


@pytest.mark.parametrize(
    ("base", "result", "about", "title"),
    [
        (PNG, PNG + b"x", {}, "Binary file"),
        (None, PNG, {"op": Operation.CREATE}, "New binary file"),
        (PNG, None, {"op": Operation.DELETE}, "Binary file deleted"),
        (b"a\n", b"a\n", {"op": Operation.MOVE, "to": "b.md"}, "Moved, content unchanged"),
        (b"a\n", b"a\n", {"op": Operation.COPY, "to": "b.md"}, "Copied, content unchanged"),
        (b"#!/bin/sh\n", b"#!/bin/sh\n", {"result": FileImage("0" * 64, 10, 0o755)}, "Now executable"),
        (b"a.md", b"a.md", {"result": link_image(b"a.md")}, "Changed to a link"),
        (b"a.md", b"b.md", {"base": link_image(b"a.md")}, "Changed to a file"),
        (PNG, b"b.md", {"result": link_image(b"b.md")}, "Changed to a link"),
        (b"a", b"b", {"base": link_image(b"a"), "result": link_image(b"b")}, "Link target changed"),
        (None, b"b.md", {"op": Operation.CREATE, "result": link_image(b"b.md")}, "New link"),
        (b"b.md", None, {"op": Operation.DELETE, "base": link_image(b"b.md")}, "Link deleted"),
        (b"\ta\n", b"    a\n", {}, "Only whitespace differs"),
        (b"a\r\nb\r\n", b"a\nb\n", {}, "Only line endings differ"),
        (b"a\nb", b"a\nb\n", {}, "Only line endings differ"),
        (None, b"", {"op": Operation.CREATE}, "New empty file"),
        (b"", None, {"op": Operation.DELETE}, "Empty file deleted"),
        (b"\xff\xfea\0\n\0", b"a\n", {}, "Only the encoding changes"),
        (b"\x81\x8d\n", b"\x81\n", {}, "Unknown text encoding"),
        (b"a\n", b"a\n", {}, "No changes"),
        (None, None, {"op": Operation.MKDIR}, "New folder"),
        (None, b"a\n", {"op": Operation.CREATE}, ""),
        (b"a\n", b"b\n", {}, ""),
    ],
)
def test_never_an_empty_diff(
    shown: Shown, base: bytes | None, result: bytes | None, about: dict[str, Any], title: str
) -> None:
    shown.show_step(replace(shown.step_of(base, result), **about), base, result)
    assert shown.view.special_title() == title
    if title in ("", "Only whitespace differs", "Only line endings differ", "Changed to a file"):
        assert shown.view.row_count() > 0


def test_lines_of_an_unknown_encoding_are_compared_with_their_bytes_as_boxes(shown: Shown) -> None:
    shown.show(b"\x95\x5c = 1\n\x81\n", b"\x95\x5c = 2\n\x81\n")
    assert shown.view.special_title() == "Unknown text encoding"
    shown.view.toggle_text()
    assert "x95\\ = 2" in shown.view.text.toPlainText()


def test_unseen_characters_are_said_before_the_first_line(shown: Shown) -> None:
    lines = b"".join(b"line %d\n" % number for number in range(1, 61))
    result = lines + "total = 0  # \u202e\n".encode()
    fact = Fact("bidi", Severity.DANGER, "U+202E right-to-left override: reorders.", "result", 61, 13)
    shown.show(lines, result + lines * 3, facts=(fact,))
    assert shown.view.special_title() == "1 line has invisible characters"
    go = shown.view.notice.findChild(Button)
    assert go is not None
    assert go.text() == "Go to line 61"
    shown.view.canvas.verticalScrollBar().setValue(shown.view.canvas.verticalScrollBar().maximum())
    place = go.mapTo(shown.view.window(), go.rect().center())
    none = Qt.KeyboardModifier.NoModifier
    QTest.mouseClick(shown.view.window().windowHandle(), Qt.MouseButton.LeftButton, none, place)
    shown.settle()
    assert 0 <= shown.row_of("result", 61) < shown.view.canvas.viewport().height()


def test_a_new_file_stands_on_one_side_and_says_so(shown: Shown) -> None:
    shown.show(None, b"one\ntwo\n", op=Operation.CREATE)
    assert shown.view.headings.texts() == ("After this step · new file",)
    picture = shown.picture()
    assert shown.is_token(picture.pixelColor(left(shown), 2), "addBg")
    assert shown.is_token(picture.pixelColor(right(shown), 2), "addBg")
    assert not shown.view.sub_bar.unified.isEnabled()
    assert shown.view.sub_bar.unified.toolTip() == "This file exists only before or only after the change."


def test_a_theme_change_repaints_with_its_tokens(shown: Shown, qapp: QApplication) -> None:
    shown.show()
    set_theme(qapp, "dark")
    shown.settle()
    seen = shown.picture().pixelColor(left(shown), shown.row_of("base", 10) + 2)
    assert seen == QColor("#311C1B")


def test_clear_shows_the_text_and_no_rows(shown: Shown) -> None:
    shown.show()
    shown.view.clear("Nothing selected")
    shown.settle()
    assert shown.view.row_count() == 0
    assert shown.changes[-1] == (0, 0)


def test_every_part_has_a_name_and_outside_text_is_plain(shown: Shown) -> None:
    shown.show(b"a\n", b"a\n", op=Operation.MOVE, to="<b>bold</b>.md")
    for widget in shown.view.findChildren(QWidget):
        if isinstance(widget, QLabel):
            assert widget.textFormat() is Qt.TextFormat.PlainText, widget
        assert widget.objectName(), widget
    assert "<b>bold</b>.md" in [label.text() for label in shown.view.card.findChildren(QLabel)]


def test_the_last_line_without_a_newline_is_said(shown: Shown) -> None:
    shown.show(b"a\nb\n", b"a\nc")
    row = shown.row_of("result", 2)
    half = shown.view.canvas.viewport().width() // 2
    behind = range(half + 54 + 20, half + 54 + 140)
    assert shown.has_ink("off", behind, range(row, row + 19))
