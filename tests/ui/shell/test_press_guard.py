"""Keys that were meant for a text field run no command, with keys of the system."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QKeyEvent, QWindow
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from studio.engine.plan import PersonSource, Plan, PlanState, StepState
from studio.ui.actions.action import Action
from studio.ui.actions.key_guard import QUIET, KeyGuard
from studio.ui.runner import Runner
from studio.ui.widgets import Button
from studio.workspace import Person
from tests.tools.idle import run_until_idle
from tests.ui.shell.conftest import Clock, modified, shares_window

PROSE = "a very zany reason to leave it out"
"""Holds the keys of nearly every command of one letter."""


def type_keys(desktop: Any, text: str) -> None:
    """As a keyboard does: to the window, wherever the focus is by now."""
    for letter in text:
        QTest.keyClick(desktop.window.windowHandle(), ord(letter))
        run_until_idle()


def press_key(desktop: Any, key: Qt.Key, *modifiers: Qt.KeyboardModifier) -> None:
    held = Qt.KeyboardModifier.NoModifier
    for each in modifiers:
        held |= each
    handle = desktop.window.windowHandle()
    # All keys of QTest come at one moment, and the same one again would count as held.
    QTest.keyClick(handle, Qt.Key.Key_Shift)
    QTest.keyClick(handle, key, held)
    run_until_idle()


def letter(when: float) -> QKeyEvent:
    """The letter A, pressed at that second of the monotonic clock."""
    made = QKeyEvent(QEvent.Type.ShortcutOverride, Qt.Key.Key_A, Qt.KeyboardModifier.NoModifier, "a")
    made.setTimestamp(int(when * 1000) % 2**32)
    return made


def stop_typing(desktop: Any) -> None:
    desktop.bench.clock.now += QUIET
    desktop.settle()


def is_undecided(desktop: Any) -> bool:
    return all(
        step.decision is None and not desktop.desk.viewed.has(plan, step)
        for plan in desktop.desk.queue.plans
        for step in plan.steps
    )


def tip(desktop: Any) -> str:
    """Why the last key did nothing."""
    return desktop.window.status.sentence.text()


@shares_window
@pytest.mark.parametrize("name", ["R", "X", "E", "C"])
def test_what_is_typed_after_a_key_that_is_off_runs_nothing(desktop: Any, name: str) -> None:
    """On the page of a whole plan R opens nothing; "a" after it approved."""
    plan = desktop.desk.queue.plans[0]
    desktop.desk.select(plan.id, None)
    desktop.panes.queue.setFocus()
    desktop.settle()
    press_key(desktop, getattr(Qt.Key, f"Key_{name}"))
    assert tip(desktop) == "Select a step first."
    QApplication.clipboard().setText("mine")
    press_key(desktop, Qt.Key.Key_Down)
    desktop.desk.select(plan.id, None)
    press_key(desktop, getattr(Qt.Key, f"Key_{name}"))
    type_keys(desktop, PROSE)
    desktop.settle()
    assert is_undecided(desktop)
    assert QApplication.clipboard().text() == "mine"
    assert desktop.desk.queue.current_step is None


def test_a_second_without_keys_brings_them_back(desktop: Any) -> None:
    desktop.desk.guards.key_guard.block_keys()
    for _ in range(3):
        desktop.bench.clock.now += QUIET * 0.7
        press_key(desktop, Qt.Key.Key_A)
    assert is_undecided(desktop), "each key renews it"
    assert "click or stop typing" in tip(desktop)
    lines = desktop.panes.pages.step.diff.canvas.viewport()
    for y in range(2, lines.height(), 10):
        shown = desktop.window.childAt(lines.mapTo(desktop.window, QPoint(lines.width() // 2, y)))
        assert shown is lines, "the sentence covers no line of the diff"
    stop_typing(desktop)
    press_key(desktop, Qt.Key.Key_A)
    assert desktop.desk.queue.plans[0].step(1).state is StepState.APPROVED


def test_letters_that_come_late_but_were_typed_quickly_are_dropped(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A busy window takes keys late; when they were pressed is what tells a word from a command."""
    clock, window = Clock(), QWindow()
    guard = KeyGuard(clock)
    guard.watch(window, lambda _key: False)
    monkeypatch.setattr(time, "monotonic_ns", lambda: int(clock.now * 1e9))
    guard.block_keys()
    dropped: list[bool] = []
    for late in (1.9, 1.9, 0.0):
        clock.now += 2 * QUIET
        dropped.append(guard.eventFilter(window, letter(clock.now - late)))
    assert dropped == [True, True, False]


@shares_window
@pytest.mark.parametrize("key", [Qt.Key.Key_Escape, Qt.Key.Key_Tab, Qt.Key.Key_F6, Qt.Key.Key_PageDown])
def test_an_own_key_that_moves_brings_them_back(desktop: Any, key: Qt.Key) -> None:
    desktop.desk.guards.key_guard.block_keys()
    press_key(desktop, key)
    assert not desktop.desk.guards.key_guard.is_holding


def test_a_click_brings_them_back(desktop: Any) -> None:
    desktop.desk.guards.key_guard.block_keys()
    desktop.click(desktop.panes.pages.step.diff.canvas)
    press_key(desktop, Qt.Key.Key_A)
    assert desktop.desk.queue.plans[0].step(1).state is StepState.APPROVED


def test_the_field_that_an_action_opens_ends_it(desktop: Any) -> None:
    """Between E and the editor nothing runs; in the editor everything is text."""
    press_key(desktop, Qt.Key.Key_E)
    assert desktop.focused().objectName() == "result-text"
    assert not desktop.desk.guards.key_guard.is_holding
    type_keys(desktop, "a")
    assert "\nachanged 3\n" in desktop.panes.pages.step.editor.field.text()
    press_key(desktop, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    desktop.settle()
    press_key(desktop, Qt.Key.Key_A)
    assert desktop.desk.queue.plans[0].step(1).state is StepState.APPROVED, (
        "Ctrl+Enter is the person's own key"
    )


def test_a_field_that_loses_the_keyboard_by_itself_holds_single_keys(desktop: Any) -> None:
    press_key(desktop, Qt.Key.Key_R)
    type_keys(desktop, "no")
    desktop.panes.pages.step.reason.hide()
    type_keys(desktop, PROSE)
    press_key(desktop, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    desktop.settle()
    assert is_undecided(desktop)


def test_a_quick_second_press_costs_no_pause(desktop: Any) -> None:
    """What is dropped in the dead time holds up nothing but itself."""
    press_key(desktop, Qt.Key.Key_A)
    press_key(desktop, Qt.Key.Key_A)
    assert [step.state for step in desktop.desk.queue.plans[0].steps].count(StepState.APPROVED) == 1
    desktop.settle()
    press_key(desktop, Qt.Key.Key_A)
    assert [step.state for step in desktop.desk.queue.plans[0].steps].count(StepState.APPROVED) == 2


def test_a_key_that_is_off_holds_what_follows_while_a_decision_is_saved(desktop: Any) -> None:
    """A decision on its way is not why there are no images: V, typed next, marked the step as viewed."""
    desktop.desk.guards.deciding = True
    press_key(desktop, Qt.Key.Key_I)
    assert tip(desktop)
    press_key(desktop, Qt.Key.Key_V)
    assert is_undecided(desktop)


def test_the_window_stays_where_somebody_began_to_type_while_a_decision_is_saved(
    desktop: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The store is held for seconds: the next step is on screen, and a comment on it stays open."""
    queue, runner = desktop.desk.queue, desktop.desk.project.runner
    decided = queue.current_step.number
    held: list[Callable[[], object]] = []
    with monkeypatch.context() as patch:
        patch.setattr(
            runner,
            "call_at_once",
            lambda *call, **then: held.append(partial(Runner.call, runner, *call, **then)),
        )
        press_key(desktop, Qt.Key.Key_A)
        desktop.settle()
    assert desktop.desk.guards.deciding
    began_at = queue.current_step.number
    assert began_at != decided
    press_key(desktop, Qt.Key.Key_C)
    type_keys(desktop, "why ")
    for call in held:
        call()
    desktop.settle()
    type_keys(desktop, "ave")
    assert queue.current_step.number == began_at
    assert queue.current_plan.step(decided).state is StepState.APPROVED
    assert desktop.find("comment-editor").toPlainText() == "why ave"
    assert [step.decision is not None for step in desktop.desk.queue.plans[0].steps] == [True, False, False]


def test_an_own_apply_jumps_nowhere_while_a_reason_was_to_be_typed(
    desktop: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R is off while files are written; the window went on to another agent's plan under the word."""
    plan = desktop.desk.queue.plans[0]
    another_plan(desktop)
    desktop.bench.agent.reviewer(Person(PersonSource.TERMINAL, "tester")).approve(plan.id)
    desktop.desk.queue.reload()
    desktop.settle()
    held: list[Callable[[], object]] = []
    runner = desktop.desk.project.runner
    with monkeypatch.context() as patch:
        patch.setattr(
            runner, "call", lambda *call, **then: held.append(partial(Runner.call, runner, *call, **then))
        )
        desktop.desk.apply.start()
    press_key(desktop, Qt.Key.Key_R)
    for call in held:
        call()
    run_until_idle()
    assert desktop.bench.agent.proposer.plan(plan.id).state is PlanState.COMPLETED
    assert desktop.desk.queue.current_plan.id == plan.id
    type_keys(desktop, "a")
    assert is_undecided_of(desktop, "Another plan")


def is_undecided_of(desktop: Any, title: str) -> bool:
    (plan,) = (plan for plan in desktop.desk.queue.plans if plan.title == title)
    return all(step.decision is None for step in plan.steps)


def test_a_reason_that_is_asked_for_too_early_is_no_command(desktop: Any) -> None:
    """R in the dead time opens nothing, so the reason typed after it must not be read as keys."""
    press_key(desktop, Qt.Key.Key_A)
    press_key(desktop, Qt.Key.Key_R)
    for letter in PROSE:
        desktop.bench.clock.now += 0.2
        desktop.desk.guards.dead_time.changed.emit()
        type_keys(desktop, letter)
    assert [step.state for step in desktop.desk.queue.plans[0].steps].count(StepState.APPROVED) == 1


def another_plan(desktop: Any) -> Plan:
    """What the window went to when the plan before it left."""
    steps = [modified(f"{name}.txt", l9="other") for name in ("one", "two", "three")]
    return desktop.bench.propose("Another plan", *steps, agent="codex")


def leave(desktop: Any, how: str) -> PlanState | None:
    """Another process takes the current plan away."""
    plan, agent = desktop.desk.queue.current_plan, desktop.bench.agent
    other = agent.reviewer(Person(PersonSource.TERMINAL, "tester"))
    match how:
        case "withdrawn":
            agent.proposer.withdraw(plan.id)
        case "rejected":
            other.reject(plan.id, reason="not now")
        case "sent back":
            other.request_changes(plan.id, reason="other names")
        case "applied":
            other.approve(plan.id)
            other.apply(plan.id)
    desktop.desk.queue.reload()
    desktop.settle()
    return agent.proposer.plan(plan.id).state


LEAVING = ["withdrawn", "rejected", "sent back", "applied"]


@pytest.mark.parametrize("how", LEAVING)
def test_a_reason_goes_on_being_typed_on_the_page_of_a_plan_that_left(
    desktop: Any, how: str, qtbot: QtBot
) -> None:
    """The banner closed, the window went to the next plan, and the rest of the word approved that."""
    other = another_plan(desktop)
    desktop.desk.queue.reload()
    first = desktop.desk.queue.current_plan.id
    desktop.settle()
    press_key(desktop, Qt.Key.Key_R)
    type_keys(desktop, PROSE[:6])
    state = leave(desktop, how)
    type_keys(desktop, PROSE[6:])
    press_key(desktop, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    desktop.settle()
    assert desktop.desk.queue.current_plan.id == first and desktop.desk.queue.current_plan.state is state
    assert desktop.panes.pages.step.reason.editor.toPlainText() == PROSE
    assert desktop.find("departed-strip").isVisible()
    assert all(step.decision is None for step in desktop.bench.agent.proposer.plan(other.id).steps)
    assert desktop.bench.agent.proposer.plan(first).state is state
    qtbot.waitUntil(lambda: desktop.find("departed-strip").findChildren(Button, "departed-copy") != [])
    run_until_idle()
    desktop.click(desktop.find("departed-copy"))
    assert QApplication.clipboard().text() == PROSE

    press_key(desktop, Qt.Key.Key_Escape)
    press_key(desktop, Qt.Key.Key_J)
    press_key(desktop, Qt.Key.Key_J)
    press_key(desktop, Qt.Key.Key_J)
    assert desktop.desk.queue.current_plan.id == other.id, "the person goes on"
    assert desktop.desk.queue.current_step.number == 1
    assert all(plan.id != first or desktop.desk.queue.is_archived(plan) for plan in desktop.desk.queue.plans)
    assert not desktop.panes.pages.step.closed_sentence.isVisible()


@pytest.mark.parametrize("how", LEAVING)
@pytest.mark.parametrize("field", ["N", "C", "E"])
def test_notes_comments_and_results_stay_in_their_fields(desktop: Any, how: str, field: str) -> None:
    other = another_plan(desktop)
    desktop.desk.queue.reload()
    first = desktop.desk.queue.current_plan.id
    desktop.settle()
    press_key(desktop, getattr(Qt.Key, f"Key_{field}"))
    type_keys(desktop, PROSE[:6])
    leave(desktop, how)
    where = desktop.focused().objectName()
    type_keys(desktop, PROSE[6:])
    assert where == desktop.focused().objectName() == {
        "N": "note-text", "C": "comment-editor", "E": "result-text"
    }[field]  # fmt: skip
    assert PROSE in desktop.focused().toPlainText()
    assert desktop.desk.queue.current_plan.id == first
    desktop.control.trigger(Action.COPY_TYPED)
    assert PROSE in QApplication.clipboard().text()
    untouched = desktop.bench.agent.proposer.plan(other.id)
    assert all(step.decision is None for step in untouched.steps)


def test_nothing_is_possible_on_a_dead_page(desktop: Any) -> None:
    another_plan(desktop)
    desktop.desk.queue.reload()
    desktop.settle()
    leave(desktop, "withdrawn")
    assert desktop.desk.queue.closed_plan.sentence == "claude-code withdrew this plan."
    banner = desktop.find("departed-strip")
    assert not banner.findChildren(Button, "departed-copy"), "nothing was typed"
    for letter in "arznvxec":
        press_key(desktop, getattr(Qt.Key, f"Key_{letter.upper()}"))
        assert tip(desktop) == "claude-code withdrew this plan."
        stop_typing(desktop)
    assert is_undecided(desktop)


def test_an_own_apply_goes_on_unless_the_person_types(desktop: Any) -> None:
    other = another_plan(desktop)
    desktop.desk.queue.reload()
    first = desktop.desk.queue.current_plan.id
    for _ in range(3):
        desktop.settle()
        press_key(desktop, Qt.Key.Key_A)
    desktop.settle()
    desktop.desk.apply.start()
    desktop.settle()
    assert desktop.desk.queue.current_plan.id == other.id
    assert desktop.desk.queue.closed_plan is None
    assert first not in {plan.id for plan in desktop.desk.queue.plans}


def test_a_plan_that_comes_back_can_be_decided(desktop: Any) -> None:
    """Rejected in another window and taken back there: the page is alive again."""
    plan = desktop.desk.queue.current_plan
    leave(desktop, "rejected")
    assert desktop.desk.queue.closed_plan is not None
    desktop.bench.agent.reviewer(Person(PersonSource.TERMINAL, "tester")).take_back(plan.id)
    desktop.desk.queue.reload()
    desktop.settle()
    assert desktop.desk.queue.closed_plan is None and not desktop.panes.pages.step.closed_sentence.isVisible()
    press_key(desktop, Qt.Key.Key_A)
    assert desktop.desk.queue.plans[0].step(1).state is StepState.APPROVED


@shares_window
def test_space_presses_the_button_that_has_the_keyboard(desktop: Any) -> None:
    """On a plan's page there is nothing to read on: Space belongs to its buttons, and ticks in the queue."""
    desktop.desk.select(desktop.desk.queue.plans[0].id, None)
    desktop.settle()
    desktop.panes.pages.plan.approve.setFocus()
    press_key(desktop, Qt.Key.Key_Space)
    assert desktop.find("plan-confirm").isVisible()
    desktop.panes.pages.plan.confirm.hide()
    desktop.panes.queue.view.setFocus()
    press_key(desktop, Qt.Key.Key_Space)
    assert len(desktop.desk.ticked.steps) == len(desktop.desk.queue.plans[0].steps)


def test_an_editor_that_comes_late_takes_no_field_from_the_hand(
    desktop: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """E, then N before the text has come (another process held the store): the note goes on."""
    asked: list[Callable[[], object]] = []
    real = desktop.desk.project.runner.call

    def later(*call: Any, **answers: Any) -> None:
        asked.append(partial(real, *call, **answers))

    with monkeypatch.context() as patch:
        patch.setattr(desktop.desk.project.runner, "call", later)
        press_key(desktop, Qt.Key.Key_E)
    press_key(desktop, Qt.Key.Key_Escape)
    press_key(desktop, Qt.Key.Key_N)
    type_keys(desktop, "go")
    for answer in asked:
        answer()
    type_keys(desktop, "od")
    assert desktop.focused().objectName() == "note-text"
    assert desktop.focused().toPlainText() == "good"
    assert desktop.desk.editor.part is None


def test_an_editor_asked_for_from_the_palette_opens_over_a_note(desktop: Any) -> None:
    press_key(desktop, Qt.Key.Key_N)
    type_keys(desktop, "good")
    control, shift = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
    press_key(desktop, Qt.Key.Key_P, control, shift)
    type_keys(desktop, "edit result")
    press_key(desktop, Qt.Key.Key_Return)
    assert desktop.focused().objectName() == "result-text"
