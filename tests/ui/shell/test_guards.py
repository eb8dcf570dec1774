"""The guards against a wrong approval, with real keys and clicks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QPushButton

from studio.engine.plan import PlanState, StepState
from studio.ui.actions.action import Action
from studio.ui.review.guards import OWN_CHANGE_SECONDS, foreign_change_seconds
from studio.ui.widgets import Button, ButtonKind
from tests.tools.idle import run_until_idle
from tests.ui.shell.conftest import shares_window

NONE, SHIFT = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier
CONTROL = Qt.KeyboardModifier.ControlModifier


def states(desktop: Any) -> list[StepState]:
    return [step.state for step in desktop.desk.queue.plans[0].steps]


def test_a_key_in_the_queue_approves_what_was_painted(desktop: Any) -> None:
    assert desktop.focused().objectName() == "queue-list"
    desktop.press(Qt.Key.Key_A)
    assert states(desktop) == [StepState.APPROVED, StepState.PENDING, StepState.PENDING]


def test_a_click_at_its_place_approves(desktop: Any) -> None:
    desktop.click(desktop.panes.pages.step.header.approve)
    assert states(desktop)[0] is StepState.APPROVED


def test_after_a_decision_the_next_press_is_dropped_for_a_while(desktop: Any) -> None:
    """9.1: the jump that follows a decision starts a dead time; presses in it are dropped, not queued."""
    desktop.press(Qt.Key.Key_A)
    run_until_idle()
    assert desktop.desk.queue.current_step.number == 2
    desktop.press(Qt.Key.Key_A)
    desktop.click(desktop.panes.pages.step.header.approve)
    assert states(desktop) == [StepState.APPROVED, StepState.PENDING, StepState.PENDING]
    desktop.settle()
    assert states(desktop)[1] is StepState.PENDING
    desktop.press(Qt.Key.Key_A)
    assert states(desktop)[1] is StepState.APPROVED


@shares_window
def test_the_buttons_show_the_dead_time(desktop: Any) -> None:
    desktop.desk.guards.dead_time.begin(0.5)
    header = desktop.panes.pages.step.header
    QApplication.processEvents()
    assert not header.approve.isEnabled()
    assert "just changed" in header.approve.toolTip()
    desktop.settle()
    assert header.approve.isEnabled()


@shares_window
def test_own_moves_wait_shorter_than_surprises(desktop: Any) -> None:
    desktop.press(Qt.Key.Key_J)
    assert 0 < desktop.desk.guards.dead_time.seconds_left <= OWN_CHANGE_SECONDS
    assert foreign_change_seconds() >= 0.5


def test_a_change_under_the_hand_holds_up_the_press(desktop: Any) -> None:
    """9.1: the file changes on disk while the step is on screen."""
    (desktop.bench.root / "one.txt").write_text("something else\n")
    desktop.desk.queue.disk_changed()
    assert desktop.desk.guards.dead_time.seconds_left >= 0.5
    assert states(desktop)[0] is StepState.STALE


def test_a_press_carries_the_painted_revision(desktop: Any, qtbot: Any) -> None:
    """9.2: the step changed in the store between painting and pressing; nothing is decided."""
    (desktop.bench.root / "one.txt").write_text("something else\n")
    desktop.press(Qt.Key.Key_A)
    assert states(desktop)[0] is StepState.STALE
    assert "no decision was saved" in desktop.said()


def test_a_step_that_is_not_painted_yet_cannot_be_approved(desktop: Any) -> None:
    desktop.desk.shown.painted_revision = ""
    assert desktop.desk.can("approve_step") == "This step is not on screen yet."
    desktop.press(Qt.Key.Key_A)
    assert states(desktop)[0] is StepState.PENDING


@shares_window
def test_a_repeated_key_never_decides(desktop: Any) -> None:
    target = desktop.focused()
    for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
        QApplication.sendEvent(target, QKeyEvent(kind, Qt.Key.Key_A, NONE, "a", True))
    run_until_idle()
    assert states(desktop)[0] is StepState.PENDING
    for entry in ("approve_step", "reject_step", "take_back", "apply", "undo_last", "request_changes"):
        assert not desktop.control.actions[entry].autoRepeat()


@shares_window
def test_the_click_that_activates_the_window_decides_nothing(desktop: Any) -> None:
    """9.2: activation starts a dead time, so that the release of that click meets a disabled button."""
    QApplication.sendEvent(desktop.window, QEvent(QEvent.Type.ActivationChange))
    desktop.click(desktop.panes.pages.step.header.approve)
    assert states(desktop)[0] is StepState.PENDING


@shares_window
@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Enter])
def test_enter_never_approves(desktop: Any, key: Qt.Key) -> None:
    """9.4, wherever the focus is."""
    header = desktop.panes.pages.step.header
    for target in (
        desktop.panes.queue.view,
        desktop.panes.pages.step.diff.canvas,
        header.approve,
        header.reject,
    ):
        target.setFocus()
        desktop.press(key)
    assert set(states(desktop)) == {StepState.PENDING}


@shares_window
def test_there_is_no_default_button(desktop: Any) -> None:
    for button in desktop.window.findChildren(QPushButton):
        assert not button.isDefault()
        assert not button.autoDefault()


def test_only_a_button_that_writes_is_filled(desktop: Any) -> None:
    """9.4: Apply is filled only once everything is decided; nothing else is."""

    def filled() -> list[str]:
        buttons = [b for b in desktop.window.findChildren(Button) if b.isVisible() and b.isEnabled()]
        return [button.objectName() for button in buttons if button.kind() is ButtonKind.PRIMARY]

    assert filled() == []
    for _ in range(3):
        desktop.settle()
        desktop.press(Qt.Key.Key_A)
    desktop.settle()
    assert desktop.desk.queue.plans[0].state is PlanState.APPROVED
    assert filled() == ["toolbar-apply"]


def test_letters_in_a_text_field_are_letters(desktop: Any) -> None:
    desktop.press(Qt.Key.Key_R)
    editor = desktop.focused()
    assert editor.objectName() == "reason-editor"
    desktop.type("azrvjkx ")
    assert editor.toPlainText() == "azrvjkx "
    assert set(states(desktop)) == {StepState.PENDING}
    assert desktop.desk.queue.current_step.number == 1


def test_letters_in_the_note_and_the_palette_are_letters(desktop: Any) -> None:
    desktop.press(Qt.Key.Key_N)
    desktop.type("az")
    assert desktop.desk.project.unsent.text(desktop.desk.queue.draft_key("note")) in ("", "az")
    assert set(states(desktop)) == {StepState.PENDING}
    desktop.control.actions.trigger(Action.PALETTE)
    desktop.type("a")
    assert desktop.find("palette-field").text() == "a"
    assert set(states(desktop)) == {StepState.PENDING}


@shares_window
def test_letters_do_not_decide_in_tree_facts_and_dock(desktop: Any) -> None:
    for pane in (desktop.panes.tree, desktop.panes.facts, desktop.panes.dock):
        pane.setFocus()
        desktop.press(Qt.Key.Key_A)
    assert set(states(desktop)) == {StepState.PENDING}


@shares_window
def test_space_presses_the_button_that_has_the_focus(desktop: Any) -> None:
    """Space reads on in the diff; on a focused button it must still press it."""
    desktop.panes.pages.step.header.reject.setFocus()
    desktop.press(Qt.Key.Key_Space)
    assert not desktop.panes.pages.step.reason.isHidden()
    assert desktop.desk.queue.current_step.number == 1


def test_new_plans_take_neither_focus_nor_place(desktop: Any) -> None:
    """9.3: they go below, and only a line in the header says so."""
    desktop.press(Qt.Key.Key_R)
    desktop.type("half typed")
    desktop.bench.propose_three("Another plan of three")
    desktop.bench.propose("A fourth file", _created("four.txt"))
    desktop.desk.queue.reload()
    run_until_idle()
    assert desktop.focused().objectName() == "reason-editor"
    assert desktop.focused().toPlainText() == "half typed"
    assert desktop.desk.queue.current_step.number == 1
    assert desktop.desk.queue.plans[-1].title == "A fourth file"
    assert "1 new" in desktop.panes.queue.header.detail.text()
    assert "1 new plan received." in desktop.said()


@shares_window
def test_approve_and_reject_stand_apart(desktop: Any) -> None:
    """9.5: at least 20 px between the faces of the two verdicts."""
    header = desktop.panes.pages.step.header
    assert header.approve.x() - (header.reject.x() + header.reject.width()) + 6 >= 20


def test_leaving_a_hunk_out_renames_the_button(desktop: Any) -> None:
    """9.6, and the diff says so."""
    header = desktop.panes.pages.step.header
    assert header.approve.text() == "Approve step"
    desktop.press(Qt.Key.Key_X)
    assert header.approve.text() == "Approve part"
    desktop.settle()
    desktop.press(Qt.Key.Key_A)
    decision = desktop.desk.queue.plans[0].steps[0].decision
    assert dict(decision.choices) == {1: False}


def test_esc_decides_nothing_and_keeps_the_draft(desktop: Any) -> None:
    """9.7: closing the innermost banner keeps what was typed."""
    desktop.press(Qt.Key.Key_R)
    desktop.type("because")
    desktop.press(Qt.Key.Key_Escape)
    assert desktop.panes.pages.step.reason.isHidden()
    assert set(states(desktop)) == {StepState.PENDING}
    assert desktop.desk.project.unsent.text(desktop.desk.queue.draft_key("reason")) == "because"
    desktop.settle()
    desktop.press(Qt.Key.Key_R)
    assert desktop.focused().toPlainText() == "because"


def test_a_filter_takes_no_half_typed_text(desktop: Any) -> None:
    """9.7: the step under the open editor is filtered away, and comes back with the text."""
    desktop.press(Qt.Key.Key_R)
    desktop.type("half a rea")
    tools = desktop.panes.queue.tools
    tools.open_field()
    tools.row.field.setText("three.txt")
    desktop.settle()
    assert desktop.panes.queue.model.hidden == 1, "the step on screen stays listed"
    tools.show_all()
    desktop.settle()
    assert set(states(desktop)) == {StepState.PENDING}
    desktop.desk.select(desktop.desk.queue.plans[0].id, 1)
    desktop.settle()
    if desktop.panes.pages.step.reason.isHidden():
        desktop.panes.queue.view.setFocus()
        desktop.press(Qt.Key.Key_R)
    assert desktop.panes.pages.step.reason.editor.toPlainText() == "half a rea"


def test_nothing_is_written_by_deciding(desktop: Any) -> None:
    for _ in range(3):
        desktop.settle()
        desktop.press(Qt.Key.Key_A)
    assert desktop.bench.is_untouched()


def test_decide_apply_and_undo_by_keyboard(desktop: Any) -> None:
    for _ in range(3):
        desktop.settle()
        desktop.press(Qt.Key.Key_A)
    desktop.settle()
    assert desktop.window.toolbar.apply.text() == "Apply 3 files"
    desktop.press(Qt.Key.Key_Return, CONTROL | SHIFT)
    assert "changed 30\n" in desktop.bench.read("one.txt")
    assert "Applied 3 files from “Three files”." in desktop.said()
    desktop.settle()
    desktop.press(Qt.Key.Key_Z, CONTROL | Qt.KeyboardModifier.AltModifier)
    assert desktop.bench.is_untouched()
    assert "Rolled back 3 files from “Three files”." in desktop.said()


def test_apply_needs_an_approved_step_and_names_what_stays_open(desktop: Any) -> None:
    apply = desktop.window.toolbar.apply
    assert not apply.isEnabled()
    assert apply.toolTip() == "3 steps in “Three files” are undecided."
    desktop.press(Qt.Key.Key_Return, CONTROL | SHIFT)
    desktop.click(apply)
    assert desktop.bench.is_untouched()
    desktop.press(Qt.Key.Key_A)
    desktop.settle()
    assert apply.isEnabled()
    assert apply.text() == "Apply 1 of 3, keep 2 open"


def _created(path: str) -> Any:
    from studio.engine.draft import DraftStep
    from studio.engine.plan import Operation

    return DraftStep(Operation.CREATE, path, content=b"new\n")


def test_a_plan_that_comes_into_an_empty_window_is_shown_but_not_at_once_decidable(
    bench: Any, open_window: Callable[[], Any]
) -> None:
    desktop = open_window()
    assert desktop.window.middle.currentWidget() is desktop.panes.pages.empty
    bench.propose_three()
    desktop.desk.queue.reload()
    run_until_idle()
    assert desktop.desk.queue.current_step is not None
    assert desktop.desk.guards.dead_time.seconds_left >= 0.5
    desktop.press(Qt.Key.Key_A)
    assert states(desktop)[0] is StepState.PENDING
