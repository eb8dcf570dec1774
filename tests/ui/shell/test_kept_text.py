"""A text that was begun and is not used, at the desk and in the window: what becomes of it when all moves."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from PySide6.QtCore import Qt

from studio.engine.draft import DraftStep
from studio.engine.plan import Operation, PersonSource, PlanState, StepState
from studio.engine.review import editor_text
from studio.ui.actions.action import Action
from studio.ui.review.desk import Desk
from studio.workspace import Person
from tests.ui.shell.conftest import LINES, modified

CONTROL = Qt.KeyboardModifier.ControlModifier
NONE_KEPT = "This step has no draft."


def begin(desk: Desk, after: str = "mine\n", line: int = 0) -> None:
    """Type at the end of what the editor holds and leave it with Esc."""
    desk.editor.begin(line)
    assert desk.editor.part is not None
    desk.editor.store_draft(desk.editor.current_draft + after)
    desk.editor.close()


def keeps(desk: Desk) -> bool:
    plan, step = desk.queue.current_plan, desk.queue.current_step
    return plan is not None and step is not None and desk.edit_drafts.has(plan, step)


def said_by(desk: Desk) -> list[str]:
    said: list[str] = []
    desk.project.status_reported.connect(lambda happening: said.append(happening.sentence))
    return said


@pytest.fixture
def desk(bench: Any, make_desk: Callable[..., Desk]) -> Desk:
    bench.propose_three()
    made = make_desk()
    bench.look(made)
    return made


def test_nothing_is_kept_of_a_text_that_is_what_would_be_written(bench: Any, desk: Desk) -> None:
    begin(desk, "")
    assert not keeps(desk)
    assert desk.can(Action.USE_TEXT) == NONE_KEPT == desk.can(Action.DISCARD_TEXT)
    begin(desk)
    assert keeps(desk)
    moment = "The view just changed. Try again in a second."
    assert desk.can(Action.USE_TEXT) == moment == desk.can(Action.DISCARD_TEXT), "a double click on Close"
    bench.look(desk)
    assert desk.can(Action.USE_TEXT) == "" == desk.can(Action.DISCARD_TEXT)
    desk.editor.begin()
    assert not keeps(desk), "it stands in the open editor"
    assert desk.editor.part is not None
    desk.editor.store_draft(desk.editor.part.text)
    desk.editor.close()
    assert not keeps(desk)
    assert desk.can(Action.APPROVE_STEP) == ""


def test_dead_time_holds_up_using_and_forgetting(bench: Any, desk: Desk) -> None:
    begin(desk)
    desk.guards.dead_time.begin(0.5)
    for action in (Action.USE_TEXT, Action.DISCARD_TEXT):
        assert desk.can(action) == "The view just changed. Try again in a second."
    desk.edit_drafts.use()
    desk.edit_drafts.discard()
    assert keeps(desk) and desk.edited.current is None
    bench.look(desk)
    desk.edit_drafts.discard()
    assert not keeps(desk)
    assert desk.can(Action.RESTORE_TEXT) == "The view just changed. Try again in a second."
    bench.look(desk)
    desk.edit_drafts.restore_discarded()
    assert keeps(desk)


@pytest.mark.parametrize("meanwhile", ["next_step", "forget", "other text"])
def test_an_answer_that_comes_late_uses_nothing(
    bench: Any, desk: Desk, monkeypatch: pytest.MonkeyPatch, meanwhile: str
) -> None:
    begin(desk)
    bench.look(desk)
    asked: list[Callable[[], object]] = []
    real = desk.project.runner.call

    def later(*call: Any, **answers: Any) -> None:
        asked.append(partial(real, *call, **answers))

    with monkeypatch.context() as patch:
        patch.setattr(desk.project.runner, "call", later)
        desk.edit_drafts.use()
    (answer,) = asked
    if meanwhile == "next_step":
        desk.walk.next_step()
    elif meanwhile == "forget":
        desk.edit_drafts.discard()
    else:
        begin(desk, "more\n")
    said = said_by(desk)
    answer()
    assert said == ["This step just changed, so your draft was not used. The draft is kept."]
    desk.select(desk.queue.plans[0].id, 1)
    assert desk.edited.current is None
    assert keeps(desk) == (meanwhile != "forget")


def test_what_the_encoding_cannot_hold_is_kept_and_said(bench: Any, make_desk: Callable[..., Desk]) -> None:
    (bench.root / "old.txt").write_bytes("grün\n".encode("windows-1252"))
    bench.propose("Old", DraftStep(Operation.MODIFY, "old.txt", content="grüner\n".encode()))
    desk = make_desk()
    begin(desk, "→")
    bench.look(desk)
    said = said_by(desk)
    desk.edit_drafts.use()
    assert "does not exist in windows-1252" in said[-1]
    assert keeps(desk) and desk.edited.current is None


def test_of_a_large_file_the_same_part_opens_again_or_says_why_not(
    bench: Any, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Opened at another line it would show another part, and leaving that would have lost the text."""
    monkeypatch.setattr(editor_text, "EDITOR_BYTES", 100)
    monkeypatch.setattr(editor_text, "EDITOR_LINES_AROUND", 3)
    begin(desk, "mine\n", line=30)
    bench.look(desk)
    desk.editor.begin(2)
    assert desk.editor.part is not None
    assert desk.editor.part.first_line == 27
    assert desk.editor.current_draft.endswith("line 33\nmine\n")
    desk.editor.close()
    (bench.root / "one.txt").write_text("".join(LINES) + "theirs\n")
    desk.queue.disk_changed()
    bench.look(desk)
    desk.rebase.start()
    bench.look(desk)
    said = said_by(desk)
    for choose in (desk.edit_drafts.use, desk.editor.begin):
        choose()
        assert said[-1].startswith("Your draft no longer fits one.txt")
        assert desk.editor.part is None and keeps(desk)


def test_a_used_result_of_another_version_is_not_lost(bench: Any, desk: Desk) -> None:
    """Another window rebased the step; what was edited belongs to the sides that it had."""
    desk.editor.begin()
    assert desk.editor.part is not None
    desk.editor.finish(desk.editor.part.text + "mine\n")
    assert desk.edited.current is not None
    (bench.root / "one.txt").write_text("".join(LINES).replace("line 20\n", "theirs\n"))
    bench.agent.proposer.refresh()
    bench.agent.reviewer(Person(PersonSource.WINDOW, "ada")).rebase(desk.queue.plans[0].id, 1)
    desk.queue.refresh()
    bench.look(desk)
    assert desk.edited.current is None and keeps(desk)
    assert desk.can(Action.APPROVE_STEP).startswith("This step has an unused draft.")
    desk.editor.begin()
    assert desk.editor.current_draft.endswith("line 40\nmine\n")
    desk.editor.close()
    bench.look(desk)
    desk.edit_drafts.use()
    assert desk.edited.current is not None and desk.edited.current.endswith(b"mine\n")
    assert not keeps(desk)


def test_a_text_begun_on_a_used_result_outlives_going_back_to_the_proposal(bench: Any, desk: Desk) -> None:
    desk.editor.begin()
    assert desk.editor.part is not None
    desk.editor.finish(desk.editor.part.text + "used\n")
    begin(desk, "begun\n")
    desk.edited.drop()
    bench.look(desk)
    assert keeps(desk)
    desk.edit_drafts.use()
    assert desk.edited.current is not None and desk.edited.current.endswith(b"begun\n")


def test_approving_all_leaves_the_step_out(bench: Any, desk: Desk) -> None:
    begin(desk)
    plan = desk.queue.plans[0]
    desk.select(plan.id, None)
    bench.clock.now += 1.0
    desk.decisions.approve_undecided()
    states = [step.state for step in desk.queue.plans[0].steps]
    assert states == [StepState.PENDING, StepState.APPROVED, StepState.APPROVED]
    bench.clock.now += 1.0
    assert desk.can(Action.APPROVE_UNDECIDED).startswith("All remaining steps have unused drafts")


def test_rejecting_and_asking_for_changes_stay_possible(bench: Any, desk: Desk) -> None:
    begin(desk)
    bench.look(desk)
    assert desk.can(Action.REJECT_STEP) == "" == desk.can(Action.REQUEST_CHANGES)
    desk.decisions.reject_step("No.")
    assert desk.queue.plans[0].steps[0].state is StepState.REJECTED
    bench.look(desk)
    desk.decisions.request_changes("Other words.")
    assert desk.queue.plans[0].state is PlanState.CHANGES_REQUESTED


def test_a_step_that_another_process_approved_says_that_the_text_is_not_in_it(
    bench: Any, desktop: Any
) -> None:
    desktop.press(Qt.Key.Key_E)
    desktop.type("mine")
    desktop.press(Qt.Key.Key_Escape)
    reviewer = bench.agent.reviewer(Person(PersonSource.WINDOW, "ada"))
    reviewer.approve(desktop.desk.queue.plans[0].id, [1])
    desktop.desk.queue.refresh()
    desktop.settle()
    assert desktop.panes.pages.step.banner.words.text().endswith("The approval does not include the draft.")
    assert desktop.find("strip-use_text").toolTip() == "This step is approved. Undo that decision first."


def test_the_sign_in_the_queue_comes_and_goes_with_the_text(bench: Any, desktop: Any) -> None:
    model, plan = desktop.panes.queue.model, desktop.desk.queue.plans[0]
    row = model.index_of(plan.id, 1)
    spoken = Qt.ItemDataRole.AccessibleTextRole
    changed: list[int] = []
    model.dataChanged.connect(lambda first, _last: changed.append(first.row()))
    desktop.press(Qt.Key.Key_E)
    desktop.type("mine")
    desktop.press(Qt.Key.Key_Escape)
    assert "draft" in model.data(row, spoken)
    assert 0 in changed
    changed.clear()
    desktop.settle()
    desktop.click(desktop.find("strip-forget_text"))
    assert "draft" not in model.data(row, spoken)
    assert 0 in changed
    assert desktop.focused().objectName() == "diff-canvas", "where letters and arrows belong to the step"


def test_other_plans_do_not_take_the_strip_away(bench: Any, open_window: Callable[[], Any]) -> None:
    bench.propose("Two", modified("one.txt", l3="x"), modified("two.txt", l3="x"))
    desktop = open_window()
    desktop.press(Qt.Key.Key_E)
    desktop.type("mine")
    desktop.press(Qt.Key.Key_Escape)
    desktop.settle()
    use = desktop.find("strip-use_text")
    bench.propose("Other", modified("three.txt", l3="x"))
    desktop.desk.queue.refresh()
    desktop.settle()
    assert desktop.find("strip-use_text") is use, "the button the hand may be aiming at"


def test_lines_begun_at_a_conflict_are_kept_and_asked_about(
    bench: Any, open_window: Callable[[], Any]
) -> None:
    """Esc in the field of a conflict lost them, and the result was used without."""
    bench.propose("One", modified("one.txt", l3="changed 3"))
    (bench.root / "one.txt").write_text("".join(LINES).replace("line 3\n", "theirs\n"))
    desktop = open_window()
    desktop.press(Qt.Key.Key_B)
    desktop.settle()
    desktop.press(Qt.Key.Key_1)
    desktop.press(Qt.Key.Key_E)
    desktop.type("mine ")
    desktop.press(Qt.Key.Key_Escape)
    desktop.settle()
    assert not desktop.panes.pages.conflict.field.isVisible()
    assert desktop.panes.pages.conflict.view.words_of(0).endswith("your edit is not used")
    assert desktop.desk.can("use_result").startswith("Your edit to conflict 1 is not used yet.")
    desktop.press(Qt.Key.Key_Return, CONTROL)
    assert desktop.desk.rebase.settlement is not None
    desktop.press(Qt.Key.Key_Escape)
    desktop.settle()
    assert desktop.desk.rebase.settlement is None
    desktop.press(Qt.Key.Key_B)
    desktop.settle()
    desktop.press(Qt.Key.Key_E)
    assert desktop.find("conflict-text").text() == "mine theirs"
    desktop.press(Qt.Key.Key_Return, CONTROL)
    desktop.settle()
    assert desktop.desk.can("use_result") == ""
    desktop.press(Qt.Key.Key_Return, CONTROL)
    desktop.settle()
    assert desktop.desk.shown.contents is not None
    assert desktop.desk.shown.contents.result == "".join(LINES).replace("line 3\n", "mine theirs\n").encode()


def test_the_keyboard_does_not_stay_at_a_conflict_that_is_left(
    bench: Any, open_window: Callable[[], Any]
) -> None:
    """With its field open, keys went to the hidden page, where none of them did anything."""
    bench.propose("Two", modified("one.txt", l3="changed 3"), modified("two.txt", l5="changed 5"))
    (bench.root / "one.txt").write_text("".join(LINES).replace("line 3\n", "theirs\n"))
    desktop = open_window()
    desktop.press(Qt.Key.Key_B)
    desktop.settle()
    desktop.press(Qt.Key.Key_E)
    assert desktop.panes.pages.conflict.field.hasFocus()
    desktop.desk.select(desktop.desk.queue.plans[0].id, 2)
    desktop.settle()
    assert desktop.panes.pages.current is desktop.panes.pages.step
    assert desktop.focused().isVisible() and desktop.panes.pages.step.isAncestorOf(desktop.focused())
    desktop.press(Qt.Key.Key_A)
    desktop.settle()
    assert desktop.desk.queue.plans[0].steps[1].state is StepState.APPROVED
