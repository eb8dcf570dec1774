"""The shared parts: plain text, reasons, keys, and nothing that Enter presses."""

from __future__ import annotations

import itertools
from typing import Any, TypeVar

import pytest
from PySide6.QtCore import QEvent, QRect, Qt
from PySide6.QtGui import QAction, QColor, QImage, QKeyEvent, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QToolTip, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from studio.ui.look.theme import color, px, set_theme
from studio.ui.widgets import (
    Banner,
    BannerKind,
    Button,
    ButtonKind,
    ChangeCounts,
    CheckBox,
    CountBar,
    ElidedLabel,
    KeyHint,
    Label,
    PaneHeader,
    Surface,
    ToolIcon,
    buttons,
)
from studio.ui.widgets.painting import hatch, paint_outline
from tests.tools.idle import run_until_idle

Widget = TypeVar("Widget", bound=QWidget)


@pytest.fixture
def window(qapp: QApplication, qtbot: QtBot) -> QWidget:
    set_theme(qapp, "light")
    made = Surface("panel")
    QVBoxLayout(made)
    made.resize(420, 300)
    qtbot.addWidget(made)
    made.show()
    qtbot.waitExposed(made)
    return made


def put(window: QWidget, widget: Widget) -> Widget:
    layout = window.layout()
    assert layout is not None
    layout.addWidget(widget)
    widget.show()
    run_until_idle()
    return widget


def tokens_in(widget: QWidget) -> set[int]:
    picture = widget.grab().toImage()
    return {picture.pixelColor(x, y).rgb() for x in range(picture.width()) for y in range(picture.height())}


@pytest.mark.parametrize(
    "options", [{"decides": True}, {"kind": ButtonKind.PRIMARY}], ids=["approves", "writes"]
)
def test_space_and_click_press_a_button_and_enter_says_so(window: QWidget, options: dict[str, Any]) -> None:
    other, presses = put(window, Button("Edit")), list[int]()
    other.clicked.connect(lambda: presses.append(0))
    for key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
        QTest.keyClick(other, key)
    QTest.keyClick(other, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert presses == [0, 0]
    presses.clear()
    button = put(window, Button("Approve step", icon="check", key="A", **options))
    button.clicked.connect(lambda: presses.append(1))
    button.setFocus()
    for key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
        QTest.keyClick(button, key)
    assert presses == [] and QToolTip.text() == "Press Space instead of Enter."
    QTest.keyClick(button, Qt.Key.Key_Space)
    place = button.mapTo(window, button.rect().center())
    QTest.mouseClick(window.windowHandle(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place)
    assert presses == [1, 1]


def test_a_held_key_presses_once(window: QWidget) -> None:
    button = put(window, Button("Approve step"))
    presses: list[int] = []
    button.clicked.connect(lambda: presses.append(1))
    for repeated in (False, True, True, True):
        for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
            none = Qt.KeyboardModifier.NoModifier
            QApplication.sendEvent(button, QKeyEvent(kind, Qt.Key.Key_Space, none, " ", repeated))
    assert presses == [1]


def test_space_belongs_to_the_focused_button_and_not_to_the_pane(window: QWidget) -> None:
    reads_on: list[int] = []
    action = QAction("Page down", window)
    action.setShortcut(Qt.Key.Key_Space)
    action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
    action.triggered.connect(lambda: reads_on.append(1))
    window.addAction(action)
    presses: list[int] = []
    buttons = [put(window, made) for made in (Button("Go"), ToolIcon("find", "Find"), CheckBox("Viewed"))]
    for button in buttons:
        button.clicked.connect(lambda: presses.append(1))
        button.setFocus()
        QTest.keyClick(window.windowHandle(), Qt.Key.Key_Space)
    assert (presses, reads_on) == ([1, 1, 1], [])
    window.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    window.setFocus()
    QTest.keyClick(window.windowHandle(), Qt.Key.Key_Space)
    assert (presses, reads_on) == ([1, 1, 1], [1])


def test_a_disabled_button_says_why_and_does_nothing(window: QWidget) -> None:
    button = put(window, Button("Apply plan", icon="apply", kind=ButtonKind.PRIMARY))
    button.set_tip("Writes 6 files")
    assert color("accentFill").rgb() in tokens_in(button)
    button.set_reason("4 steps are undecided.")
    assert not button.isEnabled()
    assert button.toolTip() == button.statusTip() == button.accessibleDescription()
    assert button.toolTip() == "4 steps are undecided."
    assert color("accentFill").rgb() not in tokens_in(button)
    button.set_reason("")
    assert button.isEnabled()
    assert button.toolTip() == "Writes 6 files"


def test_where_nothing_is_to_move_a_dead_button_is_only_disabled(
    window: QWidget, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With reduced motion the line becomes a plain disabled state."""
    button = Button("Approve step", window)
    button.set_reason("The view just changed. Try again in a second.")
    button.show()
    still = button.grab().toImage()
    button.set_guard_share(0.5)
    assert button.grab().toImage() != still
    monkeypatch.setattr(buttons, "is_motion_wanted", lambda: False)
    button.set_guard_share(0.5)
    assert button.grab().toImage() == still


def test_focus_is_a_ring_and_dead_time_a_line(window: QWidget, qtbot: QtBot) -> None:
    button = put(window, Button("Reject…", icon="cross"))
    put(window, QLineEdit()).setFocus()
    assert color("accent").rgb() not in tokens_in(button)
    button.set_guard_share(0.5)
    assert color("accent").rgb() in tokens_in(button)
    button.set_guard_share(0.0)
    button.setFocus()
    window.activateWindow()
    qtbot.waitUntil(button.hasFocus)
    assert color("accent").rgb() in tokens_in(button)


def test_a_wider_word_makes_a_wider_button(window: QWidget) -> None:
    button = put(window, Button("Apply"))
    narrow = button.sizeHint().width()
    button.set_label("Apply 1,000 files")
    button.set_key("Ctrl+Shift+Enter")
    assert button.sizeHint().width() > narrow + px(100)
    assert button.accessibleName() == "Apply 1,000 files"


def test_icon_buttons_have_words_for_those_who_do_not_see_them(window: QWidget) -> None:
    button = put(window, ToolIcon("fold", "Fold unchanged lines", toggle=True, key="F"))
    assert button.accessibleName() == "Fold unchanged lines"
    assert button.toolTip() == "Fold unchanged lines (F)"
    plain = tokens_in(button)
    button.setChecked(True)
    assert color("select").rgb() in tokens_in(button) - plain
    button.set_reason("This file exists only before or only after the change.")
    assert button.toolTip() == "This file exists only before or only after the change."


def test_a_check_box_shows_its_three_states(window: QWidget) -> None:
    box = put(window, CheckBox("Viewed", key="V"))
    off = box.grab().toImage()
    box.setTristate(True)
    box.setCheckState(Qt.CheckState.PartiallyChecked)
    partly = box.grab().toImage()
    box.setCheckState(Qt.CheckState.Checked)
    on = box.grab().toImage()
    assert off != partly != on != off
    assert color("accentFill").rgb() in tokens_in(box)
    box.setCheckState(Qt.CheckState.Unchecked)
    QTest.mouseClick(box, Qt.MouseButton.LeftButton)
    assert box.checkState() is not Qt.CheckState.Unchecked


def test_text_from_outside_is_never_mark_up(window: QWidget) -> None:
    hostile = '<b>bold</b> <img src="x"> &amp;'
    for label in (put(window, Label(hostile)), put(window, ElidedLabel(hostile))):
        assert label.textFormat() is Qt.TextFormat.PlainText
        assert label.text() == hostile
    narrow = put(window, ElidedLabel(hostile * 20))
    narrow.resize(80, 20)
    assert "<b>" not in narrow.toolTip()
    assert "…" in narrow.shown_text()
    narrow.setText("short")
    assert narrow.toolTip() == ""


def test_a_long_path_wraps_inside_its_label(window: QWidget) -> None:
    label = Label("word " + "x" * 200, wrap=True)
    assert label.heightForWidth(100) >= 10 * label.fontMetrics().height()
    assert label.heightForWidth(10_000) < 2 * label.fontMetrics().lineSpacing() + 4


def test_a_path_is_elided_within_its_folder_and_keeps_its_name(window: QWidget) -> None:
    path = "src/a_package/of_many_folders/inside/of_another/settings_page.py"
    label = ElidedLabel(path, window, is_path=True)
    whole = label.sizeHint().width()
    for width in range(whole - 10, 130, -10):
        label.resize(width, 20)
        shown = label.shown_text()
        assert shown.endswith("/settings_page.py") and "…" in shown, (width, shown)
        assert label.fontMetrics().horizontalAdvance(shown) <= width
    label.resize(60, 20)
    assert label.shown_text().endswith(".py") and "/" not in label.shown_text()
    label.resize(whole, 20)
    assert label.shown_text() == path


def test_labels_take_the_colour_of_their_token(window: QWidget) -> None:
    label = put(window, Label("■■■■", token="bad"))
    assert color("bad").rgb() in tokens_in(label)
    label.set_token("ok")
    assert color("ok").rgb() in tokens_in(label)
    label.setEnabled(False)
    assert color("off").rgb() in tokens_in(label)


def test_counts_and_bars_say_their_numbers(window: QWidget) -> None:
    counts = put(window, ChangeCounts())
    counts.set_counts(18, 8)
    assert counts.accessibleName() == "18 lines added, 8 removed"
    bar = put(window, CountBar())
    bar.set_counts(0, 7)
    empty = bar.grab().toImage()
    bar.set_counts(7, 7)
    assert bar.grab().toImage() != empty
    assert bar.accessibleName() == "7 of 7"
    assert put(window, KeyHint("Ctrl+B")).sizeHint().width() > put(window, KeyHint("N")).sizeHint().width()


def test_a_strip_says_what_happened_and_what_can_be_done(window: QWidget, qtbot: QtBot) -> None:
    strip = put(window, Banner())
    strip.show_message(BannerKind.WARNING, "store.py changed on disk.", "Nothing was written.")
    rebase = strip.add_choice("Rebase", icon="merge", key="B", explanation="Rebases onto the current file.")
    strip.add_choice("Discard step", icon="cross")
    run_until_idle()
    assert rebase.toolTip() == "Rebases onto the current file."
    assert color("warnBg").rgb() in tokens_in(strip)
    assert strip.accessibleName() == "store.py changed on disk."
    assert [button.text() for button in strip.findChildren(Button)] == ["Rebase", "Discard step"]
    strip.show_message(BannerKind.DONE, "Applied 6 files.")
    qtbot.waitUntil(lambda: strip.findChildren(Button) == [])
    assert color("okBg").rgb() in tokens_in(strip)


def test_a_pane_header_shows_where_the_keyboard_is(window: QWidget, qtbot: QtBot) -> None:
    pane = put(window, QWidget())
    field = QLineEdit(pane)
    field.show()
    other = put(window, QLineEdit())
    header = put(window, PaneHeader("Queue"))
    header.set_detail("4 plans · 9 steps to decide")
    header.follow_focus_of(pane)
    window.activateWindow()
    field.setFocus()
    qtbot.waitUntil(header.has_focus_line)
    other.setFocus()
    assert not header.has_focus_line()


@pytest.mark.parametrize("scale", [1, 2, 3])
def test_an_outline_is_as_thick_on_every_side(qapp: QApplication, scale: int) -> None:
    picture = QImage(20 * scale, 12 * scale, QImage.Format.Format_RGB32)
    picture.setDevicePixelRatio(scale)
    picture.fill(color("content"))
    painter = QPainter(picture)
    paint_outline(painter, QRect(2, 2, 16, 8), "accent")
    painter.end()
    across = [picture.pixelColor(x, 6 * scale) == color("accent") for x in range(20 * scale)]
    down = [picture.pixelColor(10 * scale, y) == color("accent") for y in range(12 * scale)]
    assert [x for x, inked in enumerate(across) if inked] == [
        *range(2 * scale, 3 * scale), *range(17 * scale, 18 * scale)
    ]  # fmt: skip
    assert [y for y, inked in enumerate(down) if inked] == [
        *range(2 * scale, 3 * scale), *range(9 * scale, 10 * scale)
    ]  # fmt: skip


@pytest.mark.parametrize("ratio", [1, 2, 3])
def test_slanted_lines_are_as_thick_and_as_far_apart_at_every_scale(qapp: QApplication, ratio: int) -> None:
    """Those of Qt are one device pixel thick, and at 200 % only half as far apart."""
    picture = QImage(32 * ratio, 32 * ratio, QImage.Format.Format_RGB32)
    picture.setDevicePixelRatio(ratio)
    picture.fill(QColor("white"))
    painter = QPainter(picture)
    painter.fillRect(0, 0, 32, 32, hatch(painter, QColor("black")))
    painter.end()
    black = QColor("black")
    for y in (0, 5 * ratio, 31 * ratio):
        inked = [picture.pixelColor(x, y) == black for x in range(picture.width())]
        assert sum(inked) == 4 * ratio
        starts = [x for x in range(1, len(inked)) if inked[x] and not inked[x - 1]]
        assert {after - before for before, after in itertools.pairwise(starts)} == {8 * ratio}
