"""The queue under mouse and keyboard."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QEvent, QModelIndex, QPoint, QPointF, Qt
from PySide6.QtGui import QEnterEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from studio.engine.plan import StepState
from studio.ui.look.theme import color, px, set_theme
from studio.ui.queue import QueuePanel
from studio.ui.queue.model import Role


@pytest.fixture
def panel(qtbot: QtBot, qapp: QApplication, desk: Any, samples: SimpleNamespace) -> QueuePanel:
    set_theme(qapp, "light")
    panel = QueuePanel(desk, now=lambda: samples.now)
    qtbot.addWidget(panel)
    panel.resize(304, 500)
    panel.show()
    qtbot.waitExposed(panel)
    panel.activateWindow()
    panel.view.setFocus()
    return panel


def click(panel: QueuePanel, index: QModelIndex, x: int = 120) -> None:
    row = panel.view.visualRect(index)
    spot = panel.view.viewport().mapTo(panel, QPoint(x, row.top() + 8))
    QTest.mouseClick(panel.windowHandle(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, spot)


def test_a_click_selects_the_step_on_the_desk(panel: QueuePanel, desk: Any, samples: SimpleNamespace) -> None:
    plan = samples.retry()
    click(panel, panel.model.index_of(plan.id, 7))
    assert desk.asked == [("select", plan.id, 7)]
    click(panel, panel.model.index_of(plan.id))
    assert desk.asked[-1] == ("select", plan.id, None)


def test_keys_move_fold_and_go_on(
    panel: QueuePanel, desk: Any, samples: SimpleNamespace, qtbot: QtBot
) -> None:
    plan = samples.retry()
    desk.select(plan.id, 1)
    QTest.keyClick(panel.view, Qt.Key.Key_Down)
    assert desk.asked[-1] == ("select", plan.id, 2)
    QTest.keyClick(panel.view, Qt.Key.Key_Left)
    assert desk.asked[-1] == ("select", plan.id, None)
    QTest.keyClick(panel.view, Qt.Key.Key_Left)
    assert not panel.view.isExpanded(panel.model.index_of(plan.id))
    QTest.keyClick(panel.view, Qt.Key.Key_Right)
    assert panel.view.isExpanded(panel.model.index_of(plan.id))
    with qtbot.waitSignal(panel.activated):
        QTest.keyClick(panel.view, Qt.Key.Key_Return)


def test_letters_never_move_the_selection(panel: QueuePanel, desk: Any, samples: SimpleNamespace) -> None:
    desk.select(samples.retry().id, 1)
    asked = len(desk.asked)
    QTest.keyClicks(panel.view, "config")
    assert len(desk.asked) == asked


def test_the_chevron_folds_without_choosing(panel: QueuePanel, desk: Any, samples: SimpleNamespace) -> None:
    index = panel.model.index_of(samples.readme().id)
    assert panel.view.isExpanded(index)
    click(panel, index, x=8)
    assert not panel.view.isExpanded(index)
    assert desk.asked == []


def test_the_desk_moves_the_selection_without_being_asked_back(
    panel: QueuePanel, desk: Any, samples: SimpleNamespace
) -> None:
    desk.select(samples.readme().id, 2)
    assert panel.view.currentIndex().data(Role.STEP).path == "web/index.html"
    assert len(desk.asked) == 1


def test_selection_folding_and_scroll_outlive_an_update(
    panel: QueuePanel, desk: Any, samples: SimpleNamespace
) -> None:
    panel.resize(304, 220)
    desk.select(samples.readme().id, 1)
    panel.view.setExpanded(panel.model.index_of(samples.logo().id), False)
    panel.view.verticalScrollBar().setValue(60)
    before = panel.view.verticalScrollBar().value()
    assert before == 60
    changed = samples.with_step(samples.retry(), 1, state=StepState.STALE)
    desk.show(changed, samples.readme(), samples.logo(), samples.pasted())
    assert panel.view.currentIndex().data(Role.STEP).path == "legacy/readme_de.txt"
    assert not panel.view.isExpanded(panel.model.index_of(samples.logo().id))
    assert panel.view.verticalScrollBar().value() == before


def test_no_row_moves_under_the_pointer(panel: QueuePanel, desk: Any, samples: SimpleNamespace) -> None:
    middle = QPointF(100, 100)
    QApplication.sendEvent(panel.view.viewport(), QEnterEvent(middle, middle, middle))
    panel.view.viewport().setAttribute(Qt.WidgetAttribute.WA_UnderMouse, True)
    target = panel.model.index_of(samples.readme().id)
    place = panel.view.visualRect(target).top()
    desk.show(samples.readme(), samples.logo(), samples.pasted())
    assert panel.view.visualRect(panel.model.index_of(samples.readme().id)).top() == place
    panel.view.viewport().setAttribute(Qt.WidgetAttribute.WA_UnderMouse, False)
    QApplication.sendEvent(panel.view.viewport(), QEvent(QEvent.Type.Leave))
    assert panel.model.plans[0].id == samples.readme().id


def test_the_header_counts(panel: QueuePanel, desk: Any, samples: SimpleNamespace) -> None:
    assert panel.header.detail.text() == "4 plans · 9 to decide"
    fresh = replace(samples.readme(), id="9", title="Fresh")
    desk.queue.new_plans = frozenset({"9"})
    desk.show(*desk.queue.plans, fresh)
    assert panel.header.detail.text() == "1 new · 5 plans · 11 to decide"
    assert panel.view.isExpanded(panel.model.index_of("9"))
    desk.queue.new_plans = frozenset()
    panel.tools.filter_menu.actions()[2].trigger()
    assert panel.header.detail.text() == "14 hidden · 11 to decide"
    panel.tools.show_all()
    desk.show()
    assert panel.header.detail.text() == "nothing pending"


def test_an_empty_queue_says_what_comes_here(panel: QueuePanel, desk: Any) -> None:
    desk.show()
    assert "when an agent proposes changes" in panel.view.empty_text
    shown = panel.view.viewport().grab().toImage()
    ink = {shown.pixelColor(x, y).name() for x in range(10, 200) for y in range(8, 40)}
    assert len(ink) > 1, "the sentence is painted"


def test_the_selected_row_is_painted_as_the_look_says(
    panel: QueuePanel, desk: Any, samples: SimpleNamespace, qtbot: QtBot
) -> None:
    desk.select(samples.retry().id, 1)
    row = panel.view.visualRect(panel.model.index_of(samples.retry().id, 1))
    assert row.height() == px(26)
    qtbot.waitUntil(panel.view.hasFocus)
    shown = panel.view.viewport().grab().toImage()
    assert shown.pixelColor(1, row.center().y()) == color("accent")
    assert shown.pixelColor(px(20), row.center().y()) == color("select")
    assert shown.pixelColor(px(20), row.top()) == color("accent")
    panel.view.clearFocus()
    shown = panel.view.viewport().grab().toImage()
    assert shown.pixelColor(px(20), row.center().y()) == color("selectOff")


def test_hostile_names_are_shown_escaped(panel: QueuePanel, desk: Any, samples: SimpleNamespace) -> None:
    hostile = replace(samples.readme(), id="h", title="<b>x</b>\u202e", agent="\x1b[31m")
    desk.show(hostile)
    panel.view.viewport().grab()
    row = panel.model.index(0, 0)
    assert row.data() == "<b>x</b>\\u202e"
    spoken = row.data(Qt.ItemDataRole.AccessibleTextRole)
    assert spoken.startswith("<b>x</b>\\u202e, \\x1b[31m, ")
    assert row.data(Role.PLAN).title == "<b>x</b>\u202e", "the plan itself keeps it"


def test_what_takes_the_keyboard_has_a_name(panel: QueuePanel, nameless: Any) -> None:
    assert nameless(panel) == []
