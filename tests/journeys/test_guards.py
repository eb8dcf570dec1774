"""Presses that must decide nothing, in the real window (look.md 9)."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from tests.journeys.desktop import Desktop
from tests.journeys.hands import let_pass, wait_for
from tests.journeys.harbour import Harbour, lines_with
from tests.journeys.person import Person

LONGER_THAN_ANY_DEAD_TIME = 0.7


def nothing_is_decided(person: Person) -> bool:
    return all(step.decision is None for plan in person.desk.queue.plans for step in plan.steps)


def test_a_refused_step_cannot_be_approved_and_holds_up_no_other(harbour: Harbour, desktop: Desktop) -> None:
    harbour.write(".env", "KEY=1\n")
    plan = harbour.propose("Two files", _env="KEY=2\n", two_txt=lines_with(l5="changed 5"))
    person = desktop.open(harbour.root)
    person.click_step(plan, 1)
    strip = person.find("step-strip")
    assert strip.isVisible()
    wait_for(lambda: person.desk.guards.dead_time.left <= 0, "the end of the dead time")
    let_pass(0.1)
    approve = person.find("step-approve_step")
    assert not approve.isEnabled()
    assert "cannot be approved" in approve.toolTip()
    person.click_on(approve)
    person.press("A")
    let_pass(0.2)
    assert nothing_is_decided(person)
    assert harbour.agent.states(plan) == ["invalid", "pending"]

    person.click_step(plan, 2)
    person.wait_for_step(2)
    person.press("A")
    person.wait_until_on("apply")
    person.click("toolbar-apply")
    person.wait_until_said("Applied 1 file of “Two files”.")
    assert harbour.read(".env") == "KEY=1\n"
    assert harbour.read("two.txt") == lines_with(l5="changed 5")


def test_a_press_right_after_a_change_under_the_hand_decides_nothing(
    harbour: Harbour, desktop: Desktop
) -> None:
    """9.1: the file moves away and comes back; the step is open again, and the hand is already falling."""
    plan = harbour.propose("One place", two_txt=lines_with(l5="changed 5"))
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    approve = person.find("step-approve_step")
    harbour.write("two.txt", "something else\n")
    wait_for(lambda: person.desk.queue.plans[0].stale, "the step to turn stale")
    let_pass(LONGER_THAN_ANY_DEAD_TIME)
    person.clock.stop()
    harbour.write("two.txt", lines_with())
    wait_for(lambda: not person.desk.queue.plans[0].stale, "the step to be open again")
    person.click_on(approve)
    person.press("A")
    assert person.desk.guards.dead_time.left > 0, "no dead time began"
    person.clock.go_on()
    let_pass(LONGER_THAN_ANY_DEAD_TIME)
    assert nothing_is_decided(person), "the presses were kept and carried out later"

    person.wait_for_step(1)
    person.click_on(approve)
    wait_for(lambda: not nothing_is_decided(person), "the decision")
    assert harbour.agent.states(plan) == ["approved"]


def test_the_jump_after_a_decision_does_not_take_the_next_press(harbour: Harbour, desktop: Desktop) -> None:
    """9.1: pressing twice as fast as one can approves one step."""
    plan = harbour.propose_three()
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    person.clock.stop()
    person.press("A")
    wait_for(lambda: person.place == (plan, 2), "the second step")
    person.press("A")
    person.click_on(person.find("step-approve_step"))
    assert person.desk.guards.dead_time.left > 0, "no dead time began"
    person.clock.go_on()
    let_pass(LONGER_THAN_ANY_DEAD_TIME)
    assert harbour.agent.states(plan) == ["approved", "pending", "pending"]


def test_a_withdrawn_plan_leaves_its_press_to_nobody(harbour: Harbour, desktop: Desktop) -> None:
    """The agent takes its plan back while the hand falls: its page stays, dead, until the person moves."""
    first = harbour.propose("First", one_txt=lines_with(l3="changed 3"))
    second = harbour.propose("Second", two_txt=lines_with(l5="changed 5"))
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    harbour.agent.run("withdraw", first)
    strip = person.find("departed-strip")
    person.press("A")
    person.click_on(person.find("step-approve_step"))
    let_pass(LONGER_THAN_ANY_DEAD_TIME)
    assert person.place == (first, 1)
    assert "has withdrawn this plan" in strip.accessibleName()
    assert harbour.agent.states(second) == ["pending"]
    person.press("Escape")
    person.press("J")
    wait_for(lambda: person.place == (second, 1), "the next plan, when the person goes there")
    person.wait_for_step(1)
    person.press("A")
    wait_for(lambda: harbour.agent.states(second) == ["approved"], "the decision")


def test_the_click_that_brings_the_window_to_the_front_decides_nothing(
    harbour: Harbour, desktop: Desktop
) -> None:
    """9.2, with another window of this program before it."""
    plan = harbour.propose_three()
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    other = QWidget()
    other.show()
    other.activateWindow()
    QTest.qWaitForWindowActive(other)
    let_pass(LONGER_THAN_ANY_DEAD_TIME)
    assert not person.window.isActiveWindow()
    person.clock.stop()
    person.window.activateWindow()
    QTest.qWaitForWindowActive(person.window)
    person.click_on(person.find("step-approve_step"))
    assert person.desk.guards.dead_time.left > 0, "no dead time began"
    person.clock.go_on()
    let_pass(LONGER_THAN_ANY_DEAD_TIME)
    assert harbour.agent.states(plan) == ["pending"] * 3
    other.close()
    other.deleteLater()


@pytest.mark.parametrize("enter", ["Return", "Enter"])
def test_enter_never_approves(harbour: Harbour, desktop: Desktop, enter: str) -> None:
    """9.4: in the queue, the diff, on the verdicts, in the plan's table and on its strip."""
    plan = harbour.propose_three()
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    person.press(enter)
    wait_for(lambda: person.focused().objectName() == "diff-canvas", "the diff to have the keyboard")
    person.press(enter)
    for name in ("step-approve_step", "step-reject_step", "toolbar-apply"):
        person.find(name).setFocus()
        person.press(enter)
    person.click_step(plan)
    person.click("plan-approve_undecided")
    person.find("plan-approve-now").setFocus()
    person.press(enter)
    person.find("plan-approve_undecided").setFocus()
    person.press(enter)
    let_pass(0.2)
    assert nothing_is_decided(person)
    assert harbour.agent.states(plan) == ["pending"] * 3
    assert harbour.untouched()


def test_a_key_that_is_held_down_sends_no_rejection(harbour: Harbour, desktop: Desktop) -> None:
    """9.1: repeats of Ctrl+Enter are no press. (Letters that are held: with_window_manager.py.)"""
    plan = harbour.propose_three()
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    person.press("R")
    person.type("because")
    wait_for(person.panes.pages.step.reason.reject.isEnabled, "Reject step to be on")
    held = Qt.KeyboardModifier.ControlModifier
    for _ in range(5):
        repeat = QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Return, held, "\r", True)
        QApplication.sendEvent(person.window.windowHandle(), repeat)
    let_pass(0.2)
    assert harbour.agent.states(plan) == ["pending"] * 3
    assert person.sees("reason-editor")
    person.press("Ctrl+Return")
    person.wait_for_step(2)
    assert harbour.agent.states(plan) == ["rejected", "pending", "pending"]


def test_a_new_plan_takes_neither_the_keyboard_nor_a_row_under_the_pointer(
    harbour: Harbour, desktop: Desktop
) -> None:
    """9.3: it comes from another process while somebody types, and the pointer rests on the queue."""
    plan = harbour.propose_three()
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    person.press("R")
    person.type("half a sen")
    queue = person.panes.queue
    row = queue.model.index_of(plan, 2)
    place = queue.view.visualRect(row)
    person.hover(queue.view.viewport(), place.center())

    harbour.propose("Another one", two_txt=lines_with(l9="changed 9"))
    person.wait_until_said("1 new plan arrived.")
    assert "1 new" in queue.header.detail.text()
    assert person.queue_titles() == ["Three files", "Another one"]
    assert queue.view.visualRect(queue.model.index_of(plan, 2)) == place
    assert queue.view.indexAt(QPoint(place.center())) == queue.model.index_of(plan, 2)
    assert person.place == (plan, 1)
    assert person.focused().objectName() == "reason-editor"
    person.type("tence")
    assert person.find("reason-editor").toPlainText() == "half a sentence"
    assert nothing_is_decided(person)
