"""The dock: applied plans, problems, folding."""

from __future__ import annotations

from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QPersistentModelIndex, QPoint, Qt
from PySide6.QtGui import QPixmap, QRegion
from PySide6.QtTest import QAbstractItemModelTester, QSignalSpy, QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from studio.engine.apply.retention import UndoLoss
from studio.engine.history import HistoryEntry
from studio.engine.plan import Part, PersonSource, PlanState, Problem, StepState
from studio.engine.project.rollback_titles import Turn
from studio.ui.history.history_rows import history_rows, problem_rows, why_not_rolled_back
from studio.ui.history.panels import ProblemsCard
from studio.ui.history.table import Cell, Column, TableModel, TableRow
from studio.ui.look.theme import set_theme
from studio.ui.review.reading import PlanLocation
from studio.ui.widgets import Button
from studio.ui.window.dock import Dock
from tests.tools.idle import run_until_idle

pytestmark = pytest.mark.usefixtures("qapp")


def entry(samples: SimpleNamespace, title: str, minutes: int, **changes: Any) -> HistoryEntry:
    state, applied = changes.pop("state", PlanState.COMPLETED), samples.now - timedelta(minutes=minutes)
    step_state = StepState.APPLIED if state is PlanState.COMPLETED else StepState.ROLLED_BACK
    plan = samples.readme()
    steps = tuple(replace(step, part=1, state=step_state) for step in plan.steps)
    plan = replace(plan, id=title, title=title, state=state, steps=steps, parts=(Part(1, applied),))
    values: dict[str, Any] = {
        "files": 3,
        "added": 31,
        "removed": 12,
        "rolled_back_by": None,
        "rolls_back": None,
        "kept": True,
        "turn": Turn(title, is_redo=False),
    }
    return HistoryEntry(plan, 1, applied, **(values | changes))


@pytest.fixture
def history(samples: SimpleNamespace) -> tuple[HistoryEntry, ...]:
    return (
        entry(samples, "Fix dates", 7),
        entry(samples, "Roll back “Rename”", 24, rolls_back="Rename"),
        entry(samples, "Rename", 40, rolled_back_by="Roll back “Rename”", state=PlanState.ROLLED_BACK),
        entry(samples, "First", 60 * 24 * 3, kept=False, files=1),
    )


def test_history_says_when_what_by_whom_and_what_became_of_it(
    samples: SimpleNamespace, history: tuple[HistoryEntry, ...]
) -> None:
    rows = history_rows(history, samples.now)
    said = [[cell.text for cell in row.cells] for row in rows]
    assert [line[1] for line in said] == ["Fix dates", "Roll back “Rename”", "Rename", "First"]
    assert [line[2].split(" · ")[0] for line in said] == ["applied", "applied", "rolled back", "applied"]
    assert said[1][2].startswith("applied · undoes ")
    assert said[3][2] == "applied · can no longer be rolled back"
    assert said[0][3:5] == ["codex", "3 files"] and said[3][4] == "1 file"
    assert said[1][3] == "you"
    assert [row.cells[1].icon for row in rows] == ["applied", "rolled-back", "rolled-back", "applied"]
    assert (rows[0].cells[5].added, rows[0].cells[5].removed) == (31, 12)
    assert why_not_rolled_back(history[0]) == ""
    assert "already" in why_not_rolled_back(history[2])
    assert "no longer stored" in why_not_rolled_back(history[3])


def test_problems_name_rule_place_and_way_out(samples: SimpleNamespace) -> None:
    failed = replace(
        samples.readme(),
        id="f",
        state=PlanState.FAILED,
        problems=(Problem("disk_full", "The disk is full.", "Free some space."),),
    )
    rows, places = problem_rows((samples.retry(), failed, samples.logo()), ("The store was damaged.",))
    said = [tuple(cell.text for cell in row.cells) for row in rows]
    assert said == [
        ("The store was damaged.", "", ""),
        (
            "File changed on disk after the step was proposed",
            "src/tidewatch/store.py",
            "Rebase the step, preview it again, or discard it",
        ),
        (
            "“.*/” denies folders that start with a dot (built-in default).",
            ".github/workflows/release.yml",
            "You may allow this path in your own rules and ask for the plan again.",
        ),
        ("The disk is full.", "German readme", "Free some space."),
    ]
    assert [rows[1].key in places, rows[0].key in places] == [True, False]
    counts = Problem("plan.steps_refused", "1 of 8 steps was refused.", "The others stay.")
    assert len(problem_rows((replace(samples.retry(), problems=(counts,)),), ())[0]) == 2
    done = replace(samples.retry(), state=PlanState.COMPLETED)
    assert problem_rows((done,), ()) == ((), {})


def test_a_plan_that_is_partly_back_says_so(samples: SimpleNamespace) -> None:
    steps = (samples.step(1, "a.py", StepState.ROLLED_BACK), samples.step(2, "b.py", StepState.APPLIED))
    partly = entry(samples, "Partly", 3)
    steps = tuple(replace(step, part=1) for step in steps)
    partly = replace(partly, plan=replace(partly.plan, steps=steps))
    assert history_rows((partly,), samples.now)[0].cells[2].text == "applied · partially rolled back"


def test_what_was_decided_outside_of_the_window_says_so(samples: SimpleNamespace) -> None:
    """A write that no press in the window began is told from one that did."""
    found = entry(samples, "Fix dates", 3)
    said: list[str] = []
    for seen in (PersonSource.WINDOW, PersonSource.TERMINAL, PersonSource.CONFIGURATION):
        decision = replace(samples.decision(), seen=seen)
        steps = tuple(replace(step, state=StepState.APPLIED, decision=decision) for step in found.plan.steps)
        row = history_rows((replace(found, plan=replace(found.plan, steps=steps)),), samples.now)[0]
        said.append(row.cells[2].text)
        assert row.cells[2].text in row.accessible_text
    assert said == [
        "applied",
        "applied · decided in a terminal",
        "applied · decided through your “command_line: allow” setting",
    ]


def test_tooltips_show_mark_up_as_it_stands() -> None:
    model = TableModel((Column("x", 0),))
    model.set_rows([row("a", "<img src=x> & more")])
    tip = model.data(model.index(0, 0), Qt.ItemDataRole.ToolTipRole)
    assert tip == "<span>&lt;img src=x&gt; &amp; more</span>"


def row(key: str, text: str = "") -> TableRow:
    return TableRow(key, (Cell(text or key),), key)


def test_tables_change_single_rows(samples: SimpleNamespace) -> None:
    model = TableModel((Column("x", 0),))
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal, model)
    model.set_rows([row("b"), row("d")])
    kept = QPersistentModelIndex(model.index_of("d"))
    resets = QSignalSpy(model.modelReset)
    model.set_rows([row("a"), row("b", "new words"), row("c"), row("d")])
    assert kept.row() == 3 and model.data(model.index_of("b")) == "new words"
    model.set_rows([row("c"), row("d")])
    assert kept.row() == 1 and resets.count() == 0
    model.set_rows([row("d"), row("c")])
    assert [each.key for each in model.rows] == ["d", "c"]


@pytest.fixture
def dock(qtbot: QtBot, qapp: QApplication, desk: Any, history: tuple[HistoryEntry, ...]) -> Dock:
    set_theme(qapp, "light")
    desk.queue.history = history
    dock = Dock(desk)
    qtbot.addWidget(dock)
    dock.resize(1100, 190)
    dock.set_folded(False)
    qtbot.waitExposed(dock)
    desk.asked.clear()
    return dock


def spot(dock: Dock, number: int, x: int = 300) -> QPoint:
    view = dock.history.view
    return view.viewport().mapTo(dock, QPoint(x, view.visualRect(view.rows.index(number, 0)).center().y()))


def click(dock: Dock, where: QPoint) -> None:
    QTest.mouseClick(dock.windowHandle(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, where)


def test_roll_back_is_offered_on_the_current_row(
    dock: Dock, desk: Any, history: tuple[HistoryEntry, ...]
) -> None:
    button = dock.history.button
    assert button.isVisible() and button.isEnabled()
    click(dock, button.mapTo(dock, button.rect().center()))
    assert desk.asked == [("preview_rollback", "Fix dates")]
    click(dock, spot(dock, 2))
    assert not button.isEnabled()
    assert "already" in button.toolTip() and "already" in button.accessibleDescription()


def test_discarding_undo_is_offered_asked_and_answered(
    dock: Dock, desk: Any, samples: SimpleNamespace
) -> None:
    """The key Delete and the cross ask; keeping has the keyboard, a dead time holds up the other answer."""
    panel, told = dock.history, desk.undo_discard.told
    click(dock, panel.discard.mapTo(dock, panel.discard.rect().center()))
    QTest.keyClick(panel.view, Qt.Key.Key_Delete)
    QTest.keyClick(panel.view, Qt.Key.Key_Delete, Qt.KeyboardModifier.ShiftModifier)
    assert told == [("ask", "Fix dates")] * 2
    desk.refusals["discard_undo"] = "One moment."
    loss = UndoLoss(samples.readme(), ("a.txt", "b.txt", "c.txt", "d.txt"), 3, 2048)
    desk.undo_discard.show(loss)
    question = panel.question
    assert question.words.text() == (
        "You will no longer be able to roll back 4 files (a.txt, b.txt, c.txt, …). "
        "This frees 2.0 KiB. No files are changed."
    )
    buttons = {button.objectName(): button for button in question.findChildren(Button)}
    now, keep = buttons["history-discard-now"], buttons["history-keep-undo"]
    assert not now.isEnabled() and keep.hasFocus()
    desk.refusals.clear()
    desk.guards.allowed_changed.emit()
    assert now.isEnabled()
    assert panel.close_innermost() and question.isHidden() and not panel.close_innermost()
    desk.undo_discard.show(loss)
    run_until_idle()
    (now,) = (each for each in question.findChildren(Button, "history-discard-now") if each.isVisible())
    click(dock, now.mapTo(dock, now.rect().center()))
    assert told[2:] == [("keep",), ("discard",)]


def test_enter_shows_a_plan_and_r_previews_its_way_back(dock: Dock, desk: Any) -> None:
    """A plan that is back already is only shown."""
    view = dock.history.view
    view.setFocus()
    QTest.keyClick(view, Qt.Key.Key_Return)
    assert desk.asked == [("read", PlanLocation("Fix dates"))]
    QTest.keyClick(view, Qt.Key.Key_R)
    assert desk.asked[1:] == [("preview_rollback", "Fix dates")]
    QTest.keyClick(view, Qt.Key.Key_Down)
    QTest.keyClick(view, Qt.Key.Key_Down)
    QTest.keyClick(view, Qt.Key.Key_R)
    assert len(desk.asked) == 2
    QTest.keyClick(view, Qt.Key.Key_Return)
    assert len(desk.asked) == 3


def test_the_button_follows_the_pointer(dock: Dock, desk: Any, qtbot: QtBot) -> None:
    QTest.mouseMove(dock.windowHandle(), spot(dock, 1))
    qtbot.waitUntil(lambda: dock.history.button.y() > dock.history.view.row_height // 2)
    dock.history.button.click()
    assert desk.asked[-1] == ("preview_rollback", "Roll back “Rename”")


def test_the_words_of_a_row_end_before_its_buttons(
    dock: Dock, desk: Any, samples: SimpleNamespace, qtbot: QtBot
) -> None:
    """Buttons have no ground of their own: what is painted beneath them is read through them."""
    found = entry(samples, "Decided elsewhere", 3)
    decision = replace(samples.decision(), seen=PersonSource.CONFIGURATION)
    steps = tuple(replace(step, state=StepState.APPLIED, decision=decision) for step in found.plan.steps)
    desk.queue.history = (replace(found, plan=replace(found.plan, steps=steps)),)
    desk.queue.history_changed.emit()
    panel = dock.history
    qtbot.waitUntil(panel.reply.isVisible)
    for width in (1130, 970, 700):  # the list in windows of 1440, 1280 and 1024 pixels
        dock.resize(width, dock.height())
        run_until_idle()
        viewport, row = panel.view.viewport(), panel.view.rows.index(0, 2)
        assert panel.view.visualRect(row).right() < panel.reply.x(), "the state is covered"
        picture = QPixmap(viewport.size())
        viewport.render(picture, QPoint(), QRegion(), QWidget.RenderFlag.DrawWindowBackground)
        beneath = picture.copy(panel.reply.geometry().united(panel.button.geometry())).toImage()
        middle = range(beneath.height() // 2 - 5, beneath.height() // 2 + 5)
        assert len({beneath.pixel(x, y) for x in range(beneath.width()) for y in middle}) == 1


@pytest.mark.parametrize("width", [1440, 1100, 700])
def test_the_lines_of_a_large_plan_are_painted(
    dock: Dock, desk: Any, samples: SimpleNamespace, width: int
) -> None:
    """Nothing was painted where the numbers were wider than their column."""
    desk.queue.history = (entry(samples, "First", 1), entry(samples, "All", 2, added=123_456, removed=98_765))
    desk.queue.history_changed.emit()
    dock.resize(width, dock.height())
    run_until_idle()
    view = dock.history.view
    cell = view.visualRect(view.rows.index(1, 5)).adjusted(0, 2, 0, -2)
    picture = view.viewport().grab(cell).toImage()
    painted = [picture.pixelColor(x, y) for x in range(picture.width()) for y in range(picture.height())]
    assert any(each.green() > each.red() + 40 for each in painted), "lines added"
    assert any(each.red() > each.green() + 40 for each in painted), "lines removed"


def test_a_new_entry_stands_on_top_and_the_row_stays_current(
    dock: Dock, desk: Any, samples: SimpleNamespace
) -> None:
    click(dock, spot(dock, 1))
    desk.queue.history = (entry(samples, "Newest", 1), *desk.queue.history)
    desk.queue.history_changed.emit()
    current = dock.history.view.current_row()
    assert current is not None and current.key == "Roll back “Rename”"
    assert dock.history.view.rows.rows[0].key == "Newest"


def test_a_problem_leads_to_its_step(qtbot: QtBot, desk: Any, samples: SimpleNamespace) -> None:
    card = ProblemsCard(desk)
    qtbot.addWidget(card)
    counts = QSignalSpy(card.count_changed)
    card.open_card()
    view = card.view
    qtbot.waitUntil(view.hasFocus)
    view.setCurrentIndex(view.rows.index(0, 0))
    QTest.keyClick(view, Qt.Key.Key_Return)
    assert desk.asked[-1] == ("select", samples.retry().id, 7)
    stale = samples.with_step(samples.readme(), 2, state=StepState.STALE)
    desk.show(samples.retry(), stale)
    assert card.count() == 3 and counts.at(counts.count() - 1)[0] == 3
    desk.show()
    assert card.count() == 0
    assert card.close_card() and card.isHidden() and not card.close_card()


def test_the_dock_closes_and_a_press_on_its_tab_opens_it(dock: Dock, qtbot: QtBot) -> None:
    tabs = dock.tabs

    def press(number: int) -> None:
        tabs.show()
        QTest.mouseClick(tabs, Qt.MouseButton.LeftButton, pos=tabs.tabRect(number).center())

    tabs.setParent(None)  # it is in the status bar
    qtbot.addWidget(tabs)
    press(0)
    assert dock.is_folded()
    press(0)
    assert not dock.is_folded()
    press(2)
    assert not dock.is_folded() and dock.panel is dock.search
    QTest.mouseClick(dock.fold, Qt.MouseButton.LeftButton)
    assert dock.is_folded()
    dock.show_tab(1)
    assert not dock.is_folded()
    qtbot.waitUntil(dock.history.view.hasFocus)
    dock.show_panel(dock.commands)
    assert dock.panel is dock.commands and tabs.currentIndex() == 3
    dock.show_tab(dock.tab_count() + 1)
    assert tabs.currentIndex() == 3


def test_outside_changes_have_a_tab_while_there_are_any(dock: Dock, desk: Any) -> None:
    assert not dock.tabs.isTabVisible(1)
    dock.observed.count_changed.emit(2)
    assert dock.tabs.isTabVisible(1) and dock.tabs.tabText(1) == "Outside changes 2"
    dock.show_panel(dock.observed)
    dock.observed.count_changed.emit(0)
    assert dock.tabs.isTabVisible(1), "the open tab stays"
    dock.show_tab(1)
    assert not dock.tabs.isTabVisible(1)


def test_what_takes_the_keyboard_has_a_name(dock: Dock, nameless: Any) -> None:
    assert nameless(dock) == []
