"""The one table of actions: nothing twice, nothing out of reach, and a reason for what is off."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from studio.engine.draft import DraftStep
from studio.engine.plan import Operation, PersonSource, StepState
from studio.resources import resource
from studio.ui.actions.action import Action, Menu, Needs, Scope
from studio.ui.actions.table import ACTIONS, action_text, shown_key
from studio.ui.review import desk as desk_module
from studio.ui.review.reasons import DeskState, Reasons
from studio.ui.settings import Settings
from studio.ui.widgets import ToolIcon
from studio.ui.window.main_window import MainWindow
from studio.workspace import Person
from tests.tools.idle import run_until_idle
from tests.ui.shell.conftest import modified, shares_window


def test_no_id_and_no_key_is_there_twice() -> None:
    """The keys of the window work in every pane, so one key may stand only once in the whole table."""
    ids = Counter(entry.id for entry in ACTIONS)
    keys = Counter(QKeySequence(key).toString() for entry in ACTIONS for key in entry.keys)
    # Rebase opens the conflicts, and is off while they are on show: only then B shows their base.
    assert [name for name, count in (ids + keys).items() if count > 1] == ["B"]
    assert {entry.id for entry in ACTIONS if "B" in entry.keys} == {"rebase", "show_base"}


def test_every_key_is_one_that_qt_knows() -> None:
    for entry in ACTIONS:
        for key in entry.keys:
            assert QKeySequence(key).toString(), key
            assert shown_key(key), key


def test_single_letters_work_in_the_review_panes_only() -> None:
    """Letters belong to queue, diff and plan, never to the whole window."""
    for entry in ACTIONS:
        if any(len(key.removeprefix("Shift+")) == 1 for key in entry.keys):
            assert entry.scope is Scope.REVIEW, entry.id


def test_every_icon_is_drawn() -> None:
    for entry in ACTIONS:
        if entry.icon:
            assert resource("icons", f"{entry.icon}.svg").is_file(), entry.icon


BUTTONS_ALONE = frozenset(
    {
        Action.FINISH_EDIT,
        Action.ROLL_BACK,
        Action.DISCARD_UNDO,
        Action.PREVIEW_RESTORE,
        Action.RESTORE,
        Action.DELETE_SNAPSHOT,
        Action.PREVIEW_REVERT,
        Action.KEEP_OBSERVED,
        Action.START_COMMAND,
        Action.START_TRIAL,
    }
)
"""What only a button of its own runs: no menu, no key, and not in the palette."""


@shares_window
def test_every_action_does_something_and_stands_in_a_menu(desktop: Any) -> None:
    actions = desktop.control.actions
    in_menus = {
        action.objectName() for menu in desktop.window.findChildren(QMenu) for action in menu.actions()
    }
    in_table = {entry.id for entry in ACTIONS}
    assert in_table == set(Action) - BUTTONS_ALONE == actions.handled <= in_menus


@shares_window
def test_an_unknown_action_is_an_error_and_never_possible(desktop: Any) -> None:
    for action in Action:
        assert isinstance(desktop.desk.can(action), str)
    with pytest.raises(KeyError):
        desktop.desk.can("approve_everything")
    with pytest.raises(KeyError, match="approve_everything"):
        desktop.control.trigger("approve_everything")


def test_why_an_action_is_off_is_worked_out_once_for_each_change(
    desktop: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many menus, buttons and keys ask."""
    states: list[DeskState] = []

    def reasons_of(state: DeskState) -> Reasons:
        states.append(state)
        return real(state)

    real = desk_module.reasons_of
    monkeypatch.setattr(desk_module, "reasons_of", reasons_of)
    desktop.press(Qt.Key.Key_A)
    desktop.settle()
    assert desktop.desk.queue.plans[0].steps[0].state is StepState.APPROVED
    assert len(states) <= 10 and all(one != other for one, other in pairwise(states))
    del states[:]
    for _ in range(3):
        for action in Action:
            desktop.desk.can(action)
    assert len(states) <= 1


@shares_window
@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("shortcuts", ["Keyboard shortcuts", "Single-letter shortcuts"]),
        ("theme", ["Light", "Dark", "High contrast", "Follow system", "Colour-blind friendly"]),
        ("settings", ["Light", "Dark", "Keyboard shortcuts", "Code font…"]),
        ("blame", ["View file with blame"]),
        ("revert", ["Undo last", "Roll back…", "Revert to proposed result"]),
        ("history", ["Dock", "History"]),
        ("diff", ["Show diff as accessible text", "Paste plan"]),
    ],
)
def test_the_palette_finds_a_command_by_another_word_for_it(
    desktop: Any, typed: str, found: list[str]
) -> None:
    desktop.control.trigger(Action.PALETTE)
    desktop.type(typed)
    rows = desktop.find("palette-list").model()
    shown = [rows.index(row, 0).data().partition(":")[0] for row in range(rows.rowCount())]
    assert set(found) <= set(shown), shown
    if typed == "diff":
        assert shown.index(found[0]) < shown.index(found[1]), "what is called so comes first"


def test_f10_opens_the_first_menu_and_the_arrows_go_on(desktop: Any) -> None:
    desktop.press(Qt.Key.Key_F10)
    first, second = desktop.window.menus[:2]
    assert QApplication.activePopupWidget() is first
    QTest.keyClick(first, Qt.Key.Key_Right)
    assert QApplication.activePopupWidget() is second and not first.isVisible()
    QTest.keyClick(second, Qt.Key.Key_Escape)
    assert QApplication.activePopupWidget() is None


def test_the_menus_have_the_words_of_the_table(qapp: QApplication) -> None:
    window = MainWindow(Settings(None))
    assert [menu.title() for menu in window.menus] == [menu.value for menu in Menu]
    window.deleteLater()


@shares_window
def test_the_palette_finds_every_action_and_says_why_one_is_off(desktop: Any) -> None:
    desktop.control.actions.trigger(Action.PALETTE)
    run_until_idle()
    rows = desktop.find("palette-list").model()
    shown = [rows.index(row, 0).data() for row in range(rows.rowCount())]
    for entry in ACTIONS:
        if entry.id != "palette":
            assert any(text.split(":")[0] == action_text(entry) for text in shown), entry.id
    assert "Apply plan: 3 steps in “Three files” are undecided." in shown


@shares_window
def test_the_palette_runs_what_was_found_and_gives_the_keyboard_back(desktop: Any) -> None:
    desktop.press(Qt.Key.Key_P, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    assert desktop.focused().objectName() == "palette-field"
    desktop.type("next step")
    desktop.press(Qt.Key.Key_Return)
    assert desktop.desk.queue.current_step.number == 2
    assert desktop.focused().objectName() == "queue-list"


@shares_window
def test_the_palette_does_not_run_what_is_off(desktop: Any) -> None:
    desktop.control.actions.trigger(Action.PALETTE)
    desktop.type("apply plan")
    desktop.press(Qt.Key.Key_Return)
    assert desktop.find("palette-field").isVisible()
    assert desktop.bench.is_untouched()
    desktop.press(Qt.Key.Key_Escape)
    assert desktop.focused().objectName() == "queue-list"
    fields = desktop.window.findChildren(QWidget, "palette-field")
    assert fields and not any(field.isVisible() for field in fields)


@shares_window
def test_a_disabled_action_says_why_everywhere(desktop: Any) -> None:
    apply = desktop.control.actions["apply"]
    reason = "3 steps in “Three files” are undecided."
    assert not apply.isEnabled()
    assert (apply.statusTip(), apply.toolTip(), apply.whatsThis()) == (reason, reason, reason)
    button = desktop.window.toolbar.apply
    assert (button.toolTip(), button.statusTip(), button.accessibleDescription()) == (reason, reason, reason)


def test_without_a_project_only_what_makes_sense_is_on(qapp: QApplication, runner: Any, bench: Any) -> None:
    from studio.ui.window.control import WindowControl

    control = WindowControl(runner, Settings(None))
    control.finish_startup()
    for entry in ACTIONS:
        if entry.id is Action.DOCUMENTATION:
            continue  # whether that is there is a matter of the installation
        reason = control.actions.reason(entry.id)
        assert reason == ("" if entry.needs is Needs.NOTHING else "Open a project first."), entry.id
    control.window.close()
    control.window.deleteLater()
    control.deleteLater()


@shares_window
@pytest.mark.parametrize(
    ("key", "modifiers", "what"),
    [
        (Qt.Key.Key_B, Qt.KeyboardModifier.ControlModifier, lambda d: d.window.left.isHidden()),
        (Qt.Key.Key_F4, Qt.KeyboardModifier.NoModifier, lambda d: d.panes.facts.isVisible()),
        (Qt.Key.Key_J, Qt.KeyboardModifier.ControlModifier, lambda d: d.panes.dock.isVisible()),
        (Qt.Key.Key_U, Qt.KeyboardModifier.NoModifier, lambda d: d.panes.pages.step.diff.mode() == "unified"),
        (Qt.Key.Key_W, Qt.KeyboardModifier.NoModifier, lambda d: d.panes.pages.step.diff.whitespace()),
        (Qt.Key.Key_F, Qt.KeyboardModifier.NoModifier, lambda d: not d.panes.pages.step.diff.folds()),
        (Qt.Key.Key_V, Qt.KeyboardModifier.NoModifier, lambda d: bool(d.desk.viewed.marks)),
    ],
)
def test_keys_that_switch(
    desktop: Any, key: Qt.Key, modifiers: Qt.KeyboardModifier, what: Callable[[Any], bool]
) -> None:
    desktop.panes.pages.step.diff.setFocus()
    assert not what(desktop)
    desktop.press(key, modifiers)
    assert what(desktop)


@shares_window
def test_f6_goes_round_the_panes(desktop: Any) -> None:
    desktop.press(Qt.Key.Key_F4)
    desktop.press(Qt.Key.Key_J, Qt.KeyboardModifier.ControlModifier)
    seen = []
    for _ in range(6):
        desktop.press(Qt.Key.Key_F6)
        seen.append(desktop.focused())
    panes = (desktop.panes.tree, desktop.window.middle, desktop.panes.facts, desktop.panes.dock)
    for pane in panes:
        assert any(pane is widget or pane.isAncestorOf(widget) for widget in seen), pane.objectName()


def test_the_reply_for_the_agent_names_plan_step_and_reason(desktop: Any) -> None:
    desktop.press(Qt.Key.Key_Y)
    reply = QApplication.clipboard().text()
    assert desktop.desk.queue.plans[0].short_id in reply
    assert "Step 1, one.txt: not decided yet." in reply


def test_the_reply_about_an_applied_plan_is_copied_where_none_waits_and_from_the_history(
    bench: Any, open_window: Callable[[], Any]
) -> None:
    for title, name in (("First", "one.txt"), ("Second", "two.txt")):
        plan = bench.propose(title, modified(name, l3="x"))
        reviewer = bench.agent.reviewer(Person(PersonSource.WINDOW, "ada"))
        reviewer.approve(plan.id)
        reviewer.apply(plan.id)
    desktop = open_window()
    desktop.click(desktop.find("choice-copy"))
    assert "Second" in QApplication.clipboard().text() and "applied" in QApplication.clipboard().text()
    history = desktop.panes.dock.history
    history.view.setFocus()
    history.view.setCurrentIndex(history.view.rows.index(1, 0))
    desktop.press(Qt.Key.Key_Y)
    assert "First" in QApplication.clipboard().text()


def test_what_needs_lines_is_off_where_a_card_stands(bench: Any, open_window: Callable[[], Any]) -> None:
    """A key that would do nothing says why, in menus and in the palette."""
    move = DraftStep(Operation.MOVE, "one.txt", to="moved.txt")
    plan = bench.propose("Moved", move, modified("two.txt", l3="x"))
    desktop = open_window()
    lines = ("find_next", "go_to_line", "text", "next_change")
    actions = desktop.control.actions
    nothing = ("Nothing to search on this page.", "There are no lines on this page.")
    assert [actions.reason(name) for name in lines] == [*nothing, *["No lines are on screen."] * 2]
    assert not any(actions[name].isEnabled() for name in lines)
    desktop.press(Qt.Key.Key_J)
    desktop.settle()
    assert desktop.desk.queue.current_step.number == 2
    assert {actions.reason(name) for name in lines} == {""}
    assert all(actions[name].isEnabled() for name in lines)
    desktop.desk.select(plan.id, None)
    desktop.settle()
    assert [actions.reason(name) for name in lines] == [*nothing, *["Select a step first."] * 2]
    assert actions.reason("find") == "", "it says so in its own field"


@pytest.mark.parametrize(
    ("panel", "button"), [("observed", "keep_all"), ("history", "new_snapshot"), ("commands", "run_button")]
)
def test_a_panel_that_was_hidden_shows_at_once_why_its_button_is_off(
    desktop: Any, monkeypatch: pytest.MonkeyPatch, panel: str, button: str
) -> None:
    monkeypatch.setattr(
        desk_module, "reasons_of", lambda state: Reasons(dict.fromkeys(Action, f"For {state.busy}"))
    )
    monkeypatch.setattr(desktop.desk.snapshots, "read_list", lambda: None)
    desktop.desk.guards.set_busy("an apply")
    dock = desktop.panes.dock
    page = getattr(dock, panel)
    for shown in (page, dock.search):
        dock.show_panel(shown)
        run_until_idle()
    desktop.desk.guards.set_busy("a rollback")
    run_until_idle()
    assert getattr(page, button).accessibleDescription() == "For an apply"
    dock.show_panel(page)
    assert getattr(page, button).accessibleDescription() == "For a rollback"
    desktop.desk.guards.set_busy("")


def test_a_tip_names_the_key_that_the_user_chose(desktop: Any) -> None:
    find = next(each for each in ACTIONS if each.id is Action.FIND)
    button = desktop.window.findChild(ToolIcon, "tool-find")
    assert "Ctrl+F" in button.toolTip()
    desktop.control.bindings.choose(find, "Ctrl+Shift+J")
    assert "Ctrl+Shift+J" in button.toolTip()
    desktop.control.bindings.reset_keys(find)
    assert "Ctrl+F" in button.toolTip()
