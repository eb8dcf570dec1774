"""What opens below a header: the reason editor, the stale, refused and confirm banners."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication

from studio.engine.draft import DraftStep
from studio.engine.plan import Operation, PlanState, Problem, StepState
from studio.ui.actions.action import Action
from tests.tools.idle import run_until_idle
from tests.tools.scenes import observed_changes, snapshots_kept
from tests.ui.access.walk import stage_on
from tests.ui.shell.conftest import shares_window

CONTROL = Qt.KeyboardModifier.ControlModifier


def test_ctrl_enter_rejects_with_the_text(desktop: Any) -> None:
    desktop.press(Qt.Key.Key_R)
    desktop.type("Keep one place for waiting.")
    held = QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Return, CONTROL, "\r", True)
    QApplication.sendEvent(desktop.focused(), held)
    assert desktop.desk.queue.plans[0].steps[0].state is StepState.PENDING, "a key that is held is no press"
    desktop.press(Qt.Key.Key_Return, CONTROL)
    step = desktop.desk.queue.plans[0].steps[0]
    assert step.state is StepState.REJECTED
    assert step.decision.text == "Keep one place for waiting."
    assert desktop.bench.is_untouched()


@shares_window
def test_an_empty_reason_rejects_nothing(desktop: Any) -> None:
    desktop.press(Qt.Key.Key_R)
    reason = desktop.panes.pages.step.reason
    assert reason.reject.toolTip() == "Enter a reason first. It will be sent to the agent."
    desktop.press(Qt.Key.Key_Return, CONTROL)
    desktop.click(reason.reject)
    assert desktop.desk.queue.plans[0].steps[0].state is StepState.PENDING


@shares_window
def test_an_open_editor_holds_the_verdicts(desktop: Any) -> None:
    desktop.press(Qt.Key.Key_R)
    header = desktop.panes.pages.step.header
    assert not header.approve.isEnabled()
    assert header.approve.toolTip() == "Finish or close the message below first."
    desktop.press(Qt.Key.Key_Escape)
    desktop.settle()
    assert header.approve.isEnabled()


@shares_window
def test_the_verdicts_do_not_move_when_the_editor_opens(desktop: Any) -> None:
    """Every editor opens below the header and moves no button."""
    header = desktop.panes.pages.step.header
    before = [
        widget.mapTo(desktop.window, widget.rect().topLeft()) for widget in (header.approve, header.reject)
    ]
    desktop.press(Qt.Key.Key_R)
    after = [
        widget.mapTo(desktop.window, widget.rect().topLeft()) for widget in (header.approve, header.reject)
    ]
    assert before == after


def test_another_step_closes_the_editor_and_keeps_its_draft(desktop: Any) -> None:
    desktop.press(Qt.Key.Key_R)
    desktop.type("about one")
    plan = desktop.desk.queue.plans[0]
    desktop.desk.select(plan.id, 2)
    run_until_idle()
    assert desktop.panes.pages.step.reason.isHidden()
    assert desktop.desk.project.unsent.text(desktop.desk.queue.draft_key("reason")) == "", (
        "the text was about another step"
    )
    desktop.desk.select(plan.id, 1)
    assert desktop.desk.project.unsent.text(desktop.desk.queue.draft_key("reason")) == "about one"


def test_asking_for_changes_from_a_step(desktop: Any) -> None:
    desktop.press(Qt.Key.Key_R, Qt.KeyboardModifier.ShiftModifier)
    assert "Request changes" in desktop.panes.pages.step.reason.title.text()
    desktop.type("Split it.")
    desktop.settle()
    desktop.press(Qt.Key.Key_Return, CONTROL)
    assert desktop.desk.queue.plans[0].state is PlanState.CHANGES_REQUESTED


def test_a_stale_step_says_what_happened_and_what_can_be_done(desktop: Any) -> None:
    (desktop.bench.root / "one.txt").write_text("moved on\n")
    desktop.desk.queue.disk_changed()
    desktop.settle()
    banner = desktop.panes.pages.step.banner
    assert banner.title.text() == "one.txt changed on disk after this step was proposed."
    assert "Nothing was written." in banner.words.text()
    desktop.click(desktop.find("strip-discard_stale"))
    assert desktop.desk.queue.plans[0].steps[0].state is StepState.REJECTED


def test_a_button_that_is_switched_off_hands_its_focus_to_the_lines(desktop: Any) -> None:
    """Whatever updates the banner first: Qt would focus the toolbar."""
    (desktop.bench.root / "one.txt").write_text("moved on\n")
    desktop.desk.queue.disk_changed()
    desktop.settle()
    desktop.find("strip-discard_stale").setFocus()
    desktop.desk.guards.deciding = True
    desktop.desk.shown.changed.emit()
    assert desktop.window.focusWidget().objectName() == "diff-canvas"


def test_a_step_is_pending_again_when_its_base_is_back(desktop: Any) -> None:
    before = desktop.bench.read("one.txt")
    (desktop.bench.root / "one.txt").write_text("moved on\n")
    desktop.desk.queue.disk_changed()
    (desktop.bench.root / "one.txt").write_text(before)
    desktop.desk.queue.disk_changed()
    desktop.settle()
    assert desktop.panes.pages.step.banner.isHidden()
    desktop.press(Qt.Key.Key_A)
    assert desktop.desk.queue.plans[0].steps[0].state is StepState.APPROVED


def test_a_refused_step_names_its_rule_and_frees_the_others(
    bench: Any, open_window: Callable[[], Any]
) -> None:
    plan = bench.propose(
        "Publish",
        DraftStep(Operation.CREATE, "new.txt", content=b"x\n"),
        DraftStep(Operation.CREATE, "secrets/key.pem", content=b"x\n"),
    )
    assert plan.steps[1].state is StepState.INVALID
    desktop = open_window()
    desktop.desk.select(plan.id, 2)
    desktop.settle()
    banner = desktop.panes.pages.step.banner
    assert banner.title.text().startswith("Refused by a rule.")
    assert "the other 1 step can" in banner.title.text()
    assert plan.steps[1].problems[0].hint in banner.words.text()
    assert not desktop.panes.pages.step.header.approve.isEnabled()
    desktop.click(desktop.find("strip-copy_reply"))
    assert plan.steps[1].problems[0].message in QApplication.clipboard().text()


def test_hostile_text_is_shown_as_text(bench: Any, open_window: Callable[[], Any]) -> None:
    """Names and messages from outside are plain text, escaped where they could not be seen."""
    bench.propose(
        "<b>bold</b> \u202e title",
        DraftStep(Operation.CREATE, "new.txt", content=b"x\n", reason="<img src=x> \u202e"),
        DraftStep(
            Operation.CREATE, "b.txt", problems=(Problem("path.odd", "<i>odd</i>\u202e", "<u>hint</u>"),)
        ),
        agent="<h1>agent</h1>",
    )
    desktop = open_window()
    plan = desktop.desk.queue.plans[0]
    for step in (None, 1, 2):
        desktop.desk.select(plan.id, step)
        desktop.settle()
        for widget in desktop.window.findChildren(type(desktop.window.status.sentence).__mro__[1]):
            assert widget.textFormat() is Qt.TextFormat.PlainText, widget.objectName()
            assert "\u202e" not in widget.text(), widget.objectName()


def test_approving_the_rest_asks_and_names_what_nobody_looked_at(desktop: Any) -> None:
    """9.5: in a banner with the names of unviewed steps."""
    plan = desktop.desk.queue.plans[0]
    desktop.desk.select(plan.id, 2)
    desktop.settle()
    desktop.desk.walk.mark_viewed(True)
    desktop.desk.select(plan.id, None)
    desktop.settle()
    pane = desktop.panes.pages.plan
    assert pane.approve.text() == "Approve 3 undecided…"
    desktop.click(pane.approve)
    assert {step.state for step in desktop.desk.queue.plans[0].steps} == {StepState.PENDING}
    assert pane.confirm.title.text() == "You have not viewed 2 of these steps: one.txt, three.txt."
    desktop.click(desktop.find("plan-approve-now"))
    assert {step.state for step in desktop.desk.queue.plans[0].steps} == {StepState.APPROVED}
    desktop.settle()
    desktop.click(pane.take_back)
    assert {step.state for step in desktop.desk.queue.plans[0].steps} == {StepState.PENDING}


def test_the_question_closes_when_the_plan_changes_under_it(desktop: Any) -> None:
    desktop.desk.select(desktop.desk.queue.plans[0].id, None)
    desktop.settle()
    desktop.control.actions.trigger(Action.APPROVE_UNDECIDED)
    assert not desktop.panes.pages.plan.confirm.isHidden()
    (desktop.bench.root / "two.txt").write_text("moved on\n")
    desktop.desk.queue.disk_changed()
    assert desktop.panes.pages.plan.confirm.isHidden()
    assert desktop.desk.guards.dead_time.seconds_left >= 0.5


@shares_window
def test_approve_and_reject_of_a_plan_stand_at_opposite_ends(desktop: Any) -> None:
    desktop.desk.select(desktop.desk.queue.plans[0].id, None)
    desktop.settle()
    pane = desktop.panes.pages.plan
    apart = pane.reject.mapTo(pane, pane.reject.rect().topLeft()).x()
    apart -= pane.approve.mapTo(pane, pane.approve.rect().topRight()).x()
    assert apart > pane.width() / 3


def test_rejecting_a_plan_from_a_step_shows_the_plan_first(desktop: Any) -> None:
    desktop.control.actions.trigger(Action.REJECT_PLAN)
    assert desktop.window.middle.currentWidget() is desktop.panes.pages.plan
    desktop.settle()
    desktop.type("No.")
    desktop.press(Qt.Key.Key_Return, CONTROL)
    assert desktop.desk.queue.plans[0].state is PlanState.REJECTED


@shares_window
def test_enter_goes_to_the_step_that_was_ticked(desktop: Any) -> None:
    plan = desktop.desk.queue.plans[0]
    desktop.desk.select(plan.id, 2)
    desktop.settle()
    desktop.panes.queue.view.setFocus()
    desktop.press(Qt.Key.Key_Space, CONTROL)
    assert desktop.desk.queue.current_step is None and len(desktop.desk.ticked.steps) == 1
    desktop.press(Qt.Key.Key_Return)
    step = desktop.desk.queue.current_step
    assert step is not None and step.number == 2


def test_a_decided_step_says_so_and_offers_to_take_back(desktop: Any) -> None:
    desktop.press(Qt.Key.Key_X)
    desktop.settle()
    desktop.press(Qt.Key.Key_A)
    desktop.desk.select(desktop.desk.queue.plans[0].id, 1)
    desktop.settle()
    header = desktop.panes.pages.step.header
    assert desktop.find("step-verdict").text() == "Approved, 1 of 2 hunks"
    assert not header.approve.isVisible()
    desktop.press(Qt.Key.Key_Z)
    assert desktop.desk.queue.plans[0].steps[0].state is StepState.PENDING


@pytest.mark.parametrize("asks_to_delete", [True, False])
def test_escape_closes_a_question_of_the_dock(
    qapp: QApplication, tmp_path: Path, *, asks_to_delete: bool
) -> None:
    """Whether a snapshot is deleted, and whether every observed change is kept."""
    with stage_on(qapp, tmp_path, "demo") as stage:
        desk, dock = stage.desk, stage.panes.dock
        if asks_to_delete:
            snapshots_kept(stage)
            stage.press(dock.history.view, Qt.Key.Key_Delete)
        else:
            observed_changes(stage)
            stage.trigger("keep_all_observed")
        banner = dock.history.snapshots.banner if asks_to_delete else dock.observed.banner
        assert banner.isVisible()
        focused = qapp.focusWidget()
        assert focused is not None
        stage.press(focused, Qt.Key.Key_Escape)
        assert banner.isHidden()
        left = desk.snapshots.records if asks_to_delete else desk.observed.rows
        assert len(left) == 2
