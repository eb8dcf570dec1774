"""Start page, empty page, window frame, status bar and lamp."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import pytest
import shiboken6
from msgspec.structs import replace
from PySide6.QtCore import QMimeData, QObject, QPoint, QPointF, QRect, Qt, QUrl, Slot
from PySide6.QtGui import QDesktopServices, QDragEnterEvent, QDropEvent, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QHeaderView, QLabel, QWidget

from studio.engine.draft import DraftStep
from studio.engine.plan import Operation, PersonSource
from studio.extras.agents import Gate, GateStatus
from studio.ui.actions.action import Action
from studio.ui.configuration.setting_row import SettingRow
from studio.ui.help import documentation
from studio.ui.look.theme import px, set_theme
from studio.ui.plan.pane import PlanPane
from studio.ui.review.queue import Queue
from studio.ui.review.state import StatusMessage, Tone
from studio.ui.settings import Settings
from studio.ui.step.pane import StepPane
from studio.ui.widgets import Surface
from studio.ui.window.control import WindowControl
from studio.ui.window.main_window import MainWindow
from studio.ui.window.start_page import StartPage
from studio.workspace import Person
from tests.tools.idle import run_until_idle
from tests.ui.shell.conftest import shares_window


@pytest.fixture
def start(qapp: QApplication, runner: Any, tmp_path: Path) -> Any:
    set_theme(qapp, "light")
    there = tmp_path / "tide<b>watch"
    there.mkdir()
    settings = Settings(None)
    settings.store_recent_project(tmp_path / "gone")
    settings.store_recent_project(there)
    control = WindowControl(runner, settings)
    control.finish_startup()
    control.window.show()
    QTest.qWaitForWindowActive(control.window)
    control.show_start_page()
    run_until_idle()
    yield control
    control.window.close()
    control.window.deleteLater()
    control.deleteLater()


def test_the_start_page_says_what_to_do_first(start: WindowControl) -> None:
    page: Any = start.window.findChild(StartPage)
    assert page.open.hasFocus()
    assert not page.paste.isEnabled()
    assert page.paste.accessibleDescription() == "Open a project first"
    assert start.window.status.rule.text().startswith("Version ")
    reason = start.actions.reason(Action.DOCUMENTATION)
    assert reason.startswith("The documentation is not installed.")


def test_enter_opens_and_a_recent_project_can_be_chosen(start: WindowControl, tmp_path: Path) -> None:
    page: Any = start.window.findChild(StartPage)
    pressed: list[str] = []
    page.pressed.connect(pressed.append)
    demo: list[bool] = []
    start.demo_wanted.connect(lambda: demo.append(True))
    page.demo.setFocus()
    QTest.keyClick(page.demo, Qt.Key.Key_Return)
    assert pressed == ["demo"]
    assert demo == [True]
    QTest.mouseClick(page.connect_agents, Qt.MouseButton.LeftButton)
    assert pressed == ["demo", "connect_agents"]
    assert start.window.over is not None
    start.window.close_over()
    QTest.mouseClick(page.open, Qt.MouseButton.LeftButton)
    dialog: Any = start.window.findChild(QFileDialog, "file-dialog")
    assert pressed[-1] == "open" and dialog.isVisible()
    dialog.reject()
    chosen: list[Path] = []
    start.project_wanted.connect(chosen.append)
    rows = page.findChildren(QWidget, "choice-folder")
    assert [row.isEnabled() for row in rows] == [True, False], "the second folder is gone"
    QTest.mouseClick(rows[0], Qt.MouseButton.LeftButton)
    assert chosen == [tmp_path / "tide<b>watch"]


def test_a_project_that_can_not_be_opened_is_a_sentence(start: WindowControl, tmp_path: Path) -> None:
    start.open_project(tmp_path / "gone")
    assert start.failure is not None
    assert "gone" in start.window.status.sentence.text()
    shown: Any = start.window.pages.currentWidget()
    assert shown.objectName() == "start-page"


def test_esc_leaves_the_diagnostics_for_the_start_page(start: WindowControl) -> None:
    start.trigger(Action.DIAGNOSTICS)
    page: Any = start.window.over
    assert page.objectName() == "diagnostics" and page.isVisible()
    QTest.keyClick(page.view, Qt.Key.Key_Escape)
    shown: Any = start.window.pages.currentWidget()
    assert start.window.over is None and shown.objectName() == "start-page" and shown.isVisible()


@shares_window
def test_a_project_that_is_open_stays_in_the_list_of_projects(desktop: Any) -> None:
    desktop.control.trigger(Action.SWITCH_PROJECT)
    switcher = desktop.find("switcher")
    desktop.press(Qt.Key.Key_Delete)
    assert "is open. Close its window first" in switcher.note.text()
    row = switcher.list.model().index(0, 0)
    assert row.data(Qt.ItemDataRole.AccessibleTextRole).startswith("tidewatch, this window")


def test_other_colours_do_not_scroll_the_settings_past_what_is_typed(
    qapp: QApplication, bench: Any, open_window: Callable[[], Any]
) -> None:
    """The change below it grew with the dark theme, and the page scrolled to its end."""
    for number in range(9):
        (bench.root / f"{number}.txt").write_text("")
    desktop = open_window()
    desktop.window.resize(px(1440), px(380))  # too low for the field and all of the change
    desktop.control.trigger(Action.SETTINGS)
    page = desktop.window.over
    row = next(each for each in page.findChildren(SettingRow) if each.key == "file_rules.deny")
    row.field.field.setFocus()
    desktop.type("*.txt")
    while row.rule_preview.is_trying or not row.change_preview.difference:
        desktop.settle()
    for theme in ("dark", "light"):
        set_theme(qapp, theme)
        desktop.control.show_theme(theme, colour_blind=False)
        desktop.settle()
        area, field = page.area.viewport(), row.field.field
        assert area.rect().contains(QRect(field.mapTo(area, QPoint()), field.size())), theme


def test_the_empty_page_says_what_to_do_next(bench: Any, open_window: Callable[[], Any]) -> None:
    desktop = open_window()
    assert desktop.window.middle.currentWidget() is desktop.panes.pages.empty
    assert any(
        label.text() == "Nothing to review"
        for label in desktop.panes.pages.empty.findChildren(QWidget, "label")
    )
    assert not desktop.panes.facts.isVisible(), "there is nothing to tell facts about"
    assert desktop.panes.pages.empty.paste.isVisible()
    assert not desktop.panes.pages.empty.history.isVisible(), "nothing was applied yet"
    QApplication.clipboard().setText("--- a/two.txt\n+++ b/two.txt\n@@ -1 +1 @@\n-line 1\n+first\n")
    desktop.click(desktop.panes.pages.empty.paste)
    desktop.click(desktop.find("paste-propose"))
    assert [plan.agent for plan in desktop.desk.queue.plans] == ["you"]
    desktop.settle()
    assert desktop.panes.facts.line.isVisible() and not desktop.panes.facts.isVisible()


@shares_window
def test_what_just_happened_stays_until_the_next_thing(desktop: Any) -> None:
    status = desktop.window.status
    status.show_status_message(StatusMessage("Applied 2 files.", Tone.DONE, undo="x"))
    assert desktop.find("status-undo").isVisible()
    shown = (each for each in desktop.window.findChildren(QWidget) if each.isVisible() and each.statusTip())
    control, handle = next(shown), desktop.window.windowHandle()
    for _ in range(2):  # the same tip twice
        QTest.mouseMove(handle, control.mapTo(desktop.window, control.rect().center()))
        QTest.mouseMove(handle, control.mapTo(desktop.window, control.rect().center() + QPoint(1, 0)))
        assert status.sentence.text() == control.statusTip()
        QTest.mouseMove(handle, desktop.window.rect().bottomLeft() - QPoint(-5, 5))
        assert status.sentence.text() == "Applied 2 files."
    assert not desktop.window.statusBar().isVisible(), "Qt's own bar only receives the tips"
    status.show_status_message(StatusMessage("2 new plans received.", Tone.NEWS))
    assert not status.undo.isVisible()


def test_the_lamp_is_red_while_the_command_line_may_approve(
    bench: Any, open_window: Callable[[], Any], private_folders: Path
) -> None:
    config = private_folders / "studio-config" / "config.yaml"
    desktop = open_window()
    assert desktop.window.toolbar.gate_indicator.words() == "Checking gates…"
    config.write_text("schema_version: 1\nreview: {command_line: allow}\n")
    desktop.desk.queue.refresh()
    desktop.settle()
    assert desktop.window.toolbar.gate_indicator.words() == "Command-line approval is on"
    assert desktop.window.toolbar.gate_indicator.warns()


_SAFE = GateStatus("claude-code", Gate.CLOSED, True, "Every write was stopped.")
_UNPROVED = GateStatus("codex", Gate.CLOSED, False, "Never tried here: studio doctor codex")
_HALF = GateStatus("aider", Gate.OPEN_ON_FAILURE, True, "A hook that failed let the write pass.")
_OPEN = GateStatus("kilo", Gate.NONE, True, "No hook was asked.")


@shares_window
@pytest.mark.parametrize(
    ("standings", "words", "detail", "warns"),
    [
        ((), "No agent connected", "", False),
        ((_SAFE,), "Protected", "1 agent", False),
        ((_SAFE, _SAFE), "Protected", "2 agents", False),
        ((_SAFE, _UNPROVED), "Not verified", "codex", True),
        ((_SAFE, _UNPROVED, _HALF), "Protected, fails open", "aider", True),
        ((_SAFE, _UNPROVED, _HALF, _OPEN), "Not protected", "1 agent", True),
        ((_OPEN, _OPEN), "Not protected", "2 agents", True),
    ],
)
def test_the_lamp_says_the_worst_of_the_connected_gates(
    desktop: Any, standings: tuple[GateStatus, ...], words: str, detail: str, warns: bool
) -> None:
    """A gate that can't be closed, or was not tried, is said."""
    desktop.control.show_gates(standings)
    run_until_idle()
    gate_indicator = desktop.window.toolbar.gate_indicator
    assert (gate_indicator.words(), gate_indicator.detail(), gate_indicator.warns()) == (words, detail, warns)
    for each in standings:
        assert f"{each.agent}: {each.why}" in gate_indicator.toolTip()
        assert f"{each.agent}: {each.why}" in gate_indicator.accessibleDescription()


@shares_window
def test_the_file_that_switches_a_gate_off_is_named_in_windows_of_all_widths(desktop: Any) -> None:
    """Beside an Apply that needs its room; in the narrowest alone the tooltip has it."""
    toolbar = desktop.window.toolbar
    desktop.control.show_gates((replace(_OPEN, file="~/work/harbour/.claude/settings.local.json"),))
    for width in (1440, 1180, 900):
        desktop.window.resize(width, 900)
        run_until_idle()
        shown = toolbar.gate_indicator.shown_detail()
        assert shown.startswith("~/") and shown.endswith("json"), (width, shown)
        assert toolbar.apply.isVisible() and toolbar.apply.x() >= toolbar.undo.geometry().right(), width
        assert toolbar.gate_indicator.width() >= toolbar.gate_indicator.sizeHint().width(), width
        assert toolbar.gate_indicator.geometry().right() < toolbar.width(), width
    assert "settings.local.json" in toolbar.gate_indicator.accessibleName()


@shares_window
def test_the_page_behind_the_lamp_says_all_of_every_gate(desktop: Any) -> None:
    """It follows what is found while it is open."""
    gate_indicator = desktop.window.toolbar.gate_indicator
    desktop.click(gate_indicator)
    page = desktop.find("gates-page")
    assert page.isVisible() and desktop.focused().objectName() == "gates-close"
    assert "Connect agents…" in page.text
    tried = replace(_HALF, version="2.1.330", when=datetime(2026, 11, 20, 9, 30, tzinfo=UTC))
    desktop.control.show_gates((_SAFE, _UNPROVED, tried, _OPEN))
    titles = ("kilo: Not protected", "aider: Protected, fails open", "codex: Not verified")
    places = [page.text.index(title) for title in (*titles, "claude-code: Protected")]
    assert places == sorted(places), "the worst comes first"
    for standing in (_SAFE, _UNPROVED, _HALF, _OPEN):
        assert standing.why in page.accessibleDescription()
    assert "Verified in an empty home folder with 2.1.330, " in page.text and "2026" in page.text
    desktop.press(Qt.Key.Key_Escape)
    assert page.isHidden() and desktop.focused().objectName() == "queue-list"


@shares_window
@pytest.mark.parametrize("standings", [(), (_SAFE, _OPEN)])
def test_the_page_behind_the_lamp_leads_to_the_agents(
    desktop: Any, standings: tuple[GateStatus, ...]
) -> None:
    desktop.control.show_gates(standings)
    desktop.click(desktop.window.toolbar.gate_indicator)
    gates = desktop.find("gates-page")
    desktop.click(desktop.find("gates-connect_agents"))
    assert gates.isHidden() and desktop.window.over is desktop.find("settings-page")
    desktop.press(Qt.Key.Key_Escape)
    assert desktop.window.over is None


def test_the_page_behind_the_lamp_leads_to_the_setting_of_the_command_line(
    desktop: Any, private_folders: Path
) -> None:
    """The user's own file lets it approve, in a folder in which a person has decided."""
    reviewer = desktop.bench.agent.reviewer(Person(PersonSource.WINDOW, "tester"))
    reviewer.approve(desktop.desk.queue.plans[0].id)
    (private_folders / "studio-config" / "config.yaml").write_text("review: {command_line: allow}\n")
    desktop.desk.queue.reload()
    desktop.settle()
    gate_indicator = desktop.window.toolbar.gate_indicator
    assert gate_indicator.words() == "Command-line approval is on"
    desktop.click(gate_indicator)
    desktop.click(desktop.find("gates-settings"))
    assert desktop.window.over is desktop.find("settings-page")


@shares_window
def test_the_page_behind_the_lamp_says_what_can_be_written_unseen(desktop: Any) -> None:
    """Each gate that is not closed has its own sentence, beside why; a closed one needs no button."""
    desktop.click(desktop.window.toolbar.gate_indicator)
    page = desktop.find("gates-page")
    said: list[str] = []
    for standing in (_OPEN, _HALF, _UNPROVED):
        desktop.control.show_gates((standing,))
        run_until_idle()
        lines = page.text.splitlines()
        assert lines[2] == standing.why
        said.append(lines[1])
    assert len(set(said)) == 3 and all("review" in line or "verified" in line for line in said)
    desktop.control.show_gates((_SAFE,))
    run_until_idle()
    assert page.text.splitlines()[1:] == [_SAFE.why]
    buttons = [each for each in page.findChildren(QWidget, "gates-connect_agents") if each.isVisible()]
    assert buttons == []


def test_the_page_behind_the_lamp_stays_below_it_in_a_window_of_another_size(desktop: Any) -> None:
    gate_indicator = desktop.window.toolbar.gate_indicator
    desktop.control.show_gates((_SAFE, _UNPROVED, _HALF, _OPEN))
    desktop.click(gate_indicator)
    page = desktop.find("gates-page")
    for size in ((1024, 600), (1440, 900)):
        desktop.window.resize(*size)
        run_until_idle()
        corner = gate_indicator.mapTo(desktop.window, gate_indicator.rect().bottomRight())
        assert page.geometry().right() + 1 == corner.x() and page.geometry().bottom() < size[1] - 50


@shares_window
def test_the_page_behind_the_lamp_opens_and_goes_by_keyboard(desktop: Any) -> None:
    desktop.control.actions.trigger(Action.GATES)
    page = desktop.find("gates-page")
    assert page.isVisible()
    desktop.press(Qt.Key.Key_Space)
    assert page.isHidden() and desktop.focused().objectName() == "queue-list"
    gate_indicator = desktop.window.toolbar.gate_indicator
    gate_indicator.setFocus()
    desktop.press(Qt.Key.Key_Space)
    assert page.isVisible()
    desktop.click(gate_indicator)
    assert page.isHidden() and desktop.focused() is gate_indicator
    desktop.click(gate_indicator)
    desktop.click(desktop.find("queue-list"))
    assert page.isHidden(), "it goes when the hand goes elsewhere"


@shares_window
def test_a_red_gate_is_said_beside_a_command_line_that_may_approve(
    desktop: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two reasons to warn: neither takes the other one away."""
    said = ["allow"]
    monkeypatch.setattr(Queue, "command_line", property(lambda _queue: said[0]))
    desktop.control.show_gates((_OPEN,))
    gate_indicator = desktop.window.toolbar.gate_indicator
    gate_indicator.set_command_line_allowed(True)
    assert gate_indicator.words() == "Command-line approval is on" and _OPEN.why in gate_indicator.toolTip()
    desktop.click(gate_indicator)
    text = desktop.find("gates-page").text
    assert "Command-line approval is on" in text and _OPEN.why in text
    said[0] = "ask"
    gate_indicator.set_command_line_allowed(False)
    assert gate_indicator.words() == "Not protected"
    assert "Command-line approval is on" not in desktop.find("gates-page").text


def test_sizes_are_kept_per_project(bench: Any, open_window: Callable[[], Any]) -> None:
    bench.propose("Tidy", DraftStep(Operation.DELETE, "two.txt"))
    first = open_window()
    first.window.whole.setSizes([400, 1040])
    run_until_idle()
    width = first.window.left.width()
    first.press(Qt.Key.Key_F4)
    first.press(Qt.Key.Key_1, Qt.KeyboardModifier.AltModifier)
    first.window.right.setSizes([500, 260])
    run_until_idle()
    height = first.panes.dock.height()
    first.window.close()
    second = open_window()
    run_until_idle()
    assert second.panes.facts.isVisible() and second.panes.dock.isVisible(), "what was open is open"
    assert second.panes.dock.height() == height
    assert second.window.left.width() == width == 400


@shares_window
def test_a_narrow_window_gives_the_room_to_the_diff(desktop: Any) -> None:
    """Open facts fold below 1100 px, the left column below 860 px."""
    desktop.press(Qt.Key.Key_F4)
    for width, facts, left in (
        (1440, True, True),
        (1060, False, True),
        (800, False, False),
        (1440, True, True),
    ):
        desktop.window.resize(px(width), px(700))
        run_until_idle()
        assert desktop.window.width() == px(width)
        assert (desktop.panes.facts.isVisible(), desktop.window.left.isVisible()) == (facts, left), width


def test_what_apply_writes_is_said_in_whole_parts(desktop: Any) -> None:
    sentence = desktop.find("apply-sentence")
    sentence.setText("“Fix dates” · 2 steps approved · can be undone")
    said: list[str] = []
    for width in (400, 220, 110, 40):
        sentence.resize(width, sentence.height())
        said.append(sentence.shown_text())
    assert said[:3] == [sentence.text(), "“Fix dates” · can be undone", "“Fix dates”"]
    assert "…" in said[3] and "undone" not in said[3], "no part is cut into another"


@shares_window
def test_a_page_that_is_read_lifts_the_dock_as_long_as_it_is_shown(desktop: Any) -> None:
    dock = desktop.panes.dock
    desktop.press(Qt.Key.Key_1, Qt.KeyboardModifier.AltModifier)
    desktop.settle()
    before = dock.height()
    desktop.press(Qt.Key.Key_4, Qt.KeyboardModifier.AltModifier)
    desktop.settle()
    assert dock.height() > 1.5 * before, "what is said can be read"
    desktop.window.resize(desktop.window.width(), desktop.window.height() - px(40))
    desktop.settle()
    desktop.press(Qt.Key.Key_1, Qt.KeyboardModifier.AltModifier)
    desktop.settle()
    assert dock.height() == before, "the other pages leave the room to the diff"
    desktop.window.resize(px(1024), px(600))
    desktop.settle()
    desktop.press(Qt.Key.Key_4, Qt.KeyboardModifier.AltModifier)
    desktop.settle()
    assert dock.height() * 2 > sum(desktop.window.right.sizes()), "a low window has room for a list"
    for button in (dock.agents.ask_button, dock.agents.send_button):
        assert button.height() >= button.sizeHint().height(), "the agents have room in a low window"


def test_a_pane_that_was_put_away_stays_away(desktop: Any) -> None:
    for is_open in (True, False):
        desktop.press(Qt.Key.Key_F4)
        desktop.window.resize(px(1060), px(700))
        desktop.window.resize(px(1440), px(900))
        run_until_idle()
        assert desktop.panes.facts.isVisible() == is_open


@shares_window
def test_everything_has_a_name(desktop: Any) -> None:
    """Every control that can take the keyboard has a name for assistive programs; all have object names."""
    for step in (1, None):
        desktop.desk.select(desktop.desk.queue.plans[0].id, step)
        desktop.settle()
        for widget in desktop.window.findChildren(QWidget):
            ours = type(widget).__module__.startswith("studio.") and not isinstance(widget, QHeaderView)
            if not ours or not widget.isVisible():
                continue
            assert widget.objectName(), widget
            if widget.focusPolicy() is not Qt.FocusPolicy.NoFocus:
                assert widget.accessibleName(), widget.objectName()


@shares_window
def test_every_theme_paints_every_page(desktop: Any, qapp: QApplication) -> None:
    for name in ("dark", "contrast", "light"):
        set_theme(qapp, name)
        for step in (1, None):
            desktop.desk.select(desktop.desk.queue.plans[0].id, step)
            desktop.settle()
            picture = desktop.window.grab().toImage()
            assert picture.width() >= desktop.window.width(), name


def test_memory_survives_a_damaged_file(tmp_path: Path) -> None:
    file = tmp_path / "window.ini"
    file.write_bytes(b"\x00\xff[General\nrecent_projects={}\n")
    settings = Settings(file)
    assert settings.recent_projects() == ()
    settings.store_text("queue_order", "kept")
    assert Settings(file).text("queue_order") == "kept"


@shares_window
def test_a_failure_stands_in_a_strip_until_it_is_closed(desktop: Any) -> None:
    desktop.control.show_status_message(
        StatusMessage("Nothing was written: the disk is full.", Tone.BAD, "Free some space.")
    )
    run_until_idle()
    notice = desktop.window.notice
    assert (notice.title.text(), notice.words.text()) == (
        "Nothing was written: the disk is full.",
        "Free some space.",
    )
    top = notice.mapTo(desktop.window, notice.rect().topLeft()).y()
    assert top > desktop.window.height() / 2, "it moves nothing that the hand may be aiming at"
    desktop.press(Qt.Key.Key_Escape)
    assert not notice.isVisible()
    desktop.control.show_status_message(StatusMessage("Again.", Tone.BAD))
    desktop.control.show_status_message(StatusMessage("Applied 1 file.", Tone.DONE))
    assert not notice.isVisible()


def test_a_plan_file_can_be_dropped_on_the_window(desktop: Any, tmp_path: Path) -> None:
    diff = tmp_path / "first.diff"
    diff.write_text("--- a/two.txt\n+++ b/two.txt\n@@ -1 +1 @@\n-line 1\n+first\n")
    dropped = QMimeData()
    dropped.setUrls([QUrl.fromLocalFile(str(diff)), QUrl("https://example.org/x.diff")])
    place = desktop.window.rect().center()
    action, button = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
    enter = QDragEnterEvent(place, action, dropped, button, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(desktop.window, enter)
    assert enter.isAccepted()
    drop = QDropEvent(QPointF(place), action, dropped, button, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(desktop.window, drop)
    assert [plan.agent for plan in desktop.desk.queue.plans] == ["claude-code", "you"]
    assert desktop.bench.is_untouched()


def test_a_page_is_made_when_it_is_first_needed_and_shows_what_there_is(desktop: Any) -> None:
    pages = desktop.panes.pages
    assert pages.is_created(StepPane) and not pages.is_created(PlanPane)
    plan = desktop.desk.queue.plans[0]
    desktop.desk.select(plan.id, None)
    desktop.settle()
    assert pages.current is pages.plan and len(pages.created_pages()) == 3, (
        "the empty page, the step's, the plan's"
    )
    assert desktop.find("plan-tools").isVisible()
    desktop.desk.select(plan.id, 2)
    desktop.settle()
    assert pages.current is pages.step and pages.step.diff.row_count()


@shares_window
def test_tab_leads_from_the_lines_to_the_bar_below_them(desktop: Any) -> None:
    """Also on a page that was made after the bar; Shift+Tab leads back."""
    desktop.desk.select(desktop.desk.queue.plans[0].id, None)
    desktop.settle()
    desktop.desk.select(desktop.desk.queue.plans[0].id, 1)
    desktop.settle()
    desktop.press(Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    field = desktop.panes.bars.find_bar.field
    assert field.hasFocus()
    desktop.press(Qt.Key.Key_Backtab, Qt.KeyboardModifier.ShiftModifier)
    assert desktop.panes.pages.step.isAncestorOf(desktop.focused())
    desktop.press(Qt.Key.Key_Tab)
    assert field.hasFocus()


def test_nothing_in_the_window_owns_it(desktop: Any) -> None:
    """PySide counts what some calls return among the children of the one asked; all that was got from the
    window would be void once that one goes."""
    for step in (None, 1):
        desktop.desk.select(desktop.desk.queue.plans[0].id, step)
        desktop.settle()
    assert "parent" not in str(shiboken6.dump(desktop.window))


def test_a_project_that_opens_closes_the_page_above(start: WindowControl, bench: Any) -> None:
    pages = [Surface("content"), Surface("content")]
    for page in pages:
        page.setAccessibleName("Some page")
        start.window.show_over(page)
    assert start.window.over is pages[1] and pages[0].isHidden()
    start.open_project(bench.root)
    assert start.window.over is None and start.panes is not None
    for page in pages:
        page.deleteLater()


@shares_window
def test_no_press_decides_below_a_page_or_right_after_it(desktop: Any) -> None:
    """What comes out from under a page was not in sight."""
    page = Surface("content")
    page.setAccessibleName("Some page")
    below = desktop.focused()
    desktop.window.show_over(page)
    assert desktop.control.actions.reason(Action.APPROVE_STEP) == "Close “Some page” first."
    assert not desktop.control.actions.reason(Action.PALETTE), "what needs no project goes on"
    assert "Close" not in desktop.control.actions.reason(Action.STOP), "what ends something is not held up"
    desktop.press(Qt.Key.Key_A)
    desktop.press(Qt.Key.Key_Escape)
    assert desktop.window.over is None and desktop.focused() is below
    desktop.press(Qt.Key.Key_A)
    assert not desktop.desk.queue.current_plan.steps[0].decision
    page.deleteLater()


class Browser(QObject):
    """What the desktop would show pages with."""

    def __init__(self) -> None:
        super().__init__()
        self.shown: list[str] = []

    @Slot("QUrl")
    def show(self, url: QUrl) -> None:
        self.shown.append(url.toLocalFile())


@pytest.fixture
def installed_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    page = tmp_path / "index.html"
    monkeypatch.setattr(documentation, "first_page", lambda: page)
    return page


def test_the_installed_pages_are_opened_or_where_they_are_is_said(
    installed_page: Path, start: WindowControl, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The site that came with the program, in the person's browser."""
    browser = Browser()
    # The stubs say bytes, and text is what it takes (PySide6 6.11.3).
    cast("Any", QDesktopServices).setUrlHandler("file", browser, "show")
    try:
        start.trigger(Action.DOCUMENTATION)
    finally:
        QDesktopServices.unsetUrlHandler("file")
    notice = start.window.notice
    assert browser.shown == [str(installed_page)] and notice.isHidden()
    monkeypatch.setattr(documentation, "open_page", lambda page: False)
    start.trigger(Action.DOCUMENTATION)
    said = " ".join(label.text() for label in notice.findChildren(QLabel))
    assert notice.isVisible() and "No web browser was found." in said
    assert str(installed_page.parent) in said


@pytest.mark.parametrize(("platform", "is_maximized"), [("wayland", True), ("xcb", False)])
def test_the_first_window_on_a_small_wayland_screen_is_maximized(
    qapp: QApplication, monkeypatch: pytest.MonkeyPatch, platform: str, is_maximized: bool
) -> None:
    """With weston's panel on 1024×600 (Qt 6.11.3, weston 10) the frame reached 25 px below the screen."""
    monkeypatch.setattr(QGuiApplication, "platformName", lambda: platform)
    window = MainWindow(Settings(None))
    room = QGuiApplication.primaryScreen().size()
    assert window.width() < room.width() and window.height() < room.height()
    assert window.isMaximized() is is_maximized
    window.deleteLater()
