"""What was worked out goes to the agent with the decision, and is there again once that is taken back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from studio.engine.draft import DraftStep
from studio.engine.plan import LineComment, Operation, PersonSource, Plan, StepDecision
from studio.ui.actions.action import Action
from studio.ui.review.unsent import NOTE, REASON, DraftKey
from studio.workspace import Person, Reviewer
from tests.ui.shell.conftest import LINES

CONTROL = Qt.KeyboardModifier.ControlModifier
EDITED = "".join(LINES).replace("line 3\n", "mine 3\n")
WHY = LineComment("base", 6, "Why not this one?")


def say_about_a_line(desktop: Any, text: str) -> None:
    """C, text, Ctrl+Enter: a comment on the line in hand."""
    desktop.press(Qt.Key.Key_C)
    desktop.type(text)
    desktop.press(Qt.Key.Key_Return, CONTROL)
    desktop.settle()


def go_to(desktop: Any, number: int | None) -> None:
    desktop.desk.select(desktop.desk.queue.plans[0].id, number)
    desktop.settle()


def told(desktop: Any, plan: Plan) -> str:
    """What the agent is told, by another process."""
    return desktop.bench.agent.proposer.reply(plan.id)


@pytest.fixture
def plan(bench: Any) -> Plan:
    return bench.propose_three()


@pytest.fixture
def terminal(bench: Any) -> Reviewer:
    """A person who decides at the command line: no window knows what they worked out."""
    return bench.agent.reviewer(Person(PersonSource.TERMINAL, "tester"))


@pytest.mark.parametrize("is_wanted", [True, False])
@pytest.mark.parametrize("action", ["reject_step", "reject_plan", "request_changes"])
def test_comments_on_lines_go_to_the_agent_unless_the_box_is_cleared(
    plan: Plan, open_window: Callable[[], Any], action: str, is_wanted: bool
) -> None:
    desktop = open_window()
    say_about_a_line(desktop, "Why twice?")
    if action != "reject_step":
        go_to(desktop, 2)
        say_about_a_line(desktop, "And here?")
        go_to(desktop, None)
    desktop.control.actions.trigger(action)
    desktop.settle()
    desktop.type("Not like this.")
    if not is_wanted:
        desktop.click(desktop.find("reason-comments"))
    desktop.find("reason-editor").setFocus()
    desktop.settle()
    desktop.press(Qt.Key.Key_Return, CONTROL)
    desktop.settle()
    reply = told(desktop, plan)
    assert "Not like this." in reply
    assert ("of the file as it was: Why twice?" in reply) is is_wanted
    assert ("of the file as it was: And here?" in reply) is (is_wanted and action != "reject_step")


def test_a_comment_goes_with_an_approval(plan: Plan, open_window: Callable[[], Any]) -> None:
    desktop = open_window()
    say_about_a_line(desktop, "Good, that way.")
    desktop.press(Qt.Key.Key_A)
    desktop.settle()
    reply = told(desktop, plan)
    assert "Step 1, one.txt: approved as proposed.\nOn line" in reply
    assert "of the file as it was: Good, that way." in reply


def test_what_was_worked_out_for_each_step_goes_with_the_whole_plan_and_comes_back(
    plan: Plan, open_window: Callable[[], Any]
) -> None:
    """A note on one step, an edited result of the next, a comment on the third, approved with one press."""
    desktop = open_window()
    desktop.press(Qt.Key.Key_N)
    desktop.type("Only because of the date.")
    go_to(desktop, 2)
    desktop.desk.editor.begin()
    desktop.desk.editor.finish(EDITED)
    go_to(desktop, 3)
    say_about_a_line(desktop, "Better.")
    go_to(desktop, None)
    desktop.control.actions.trigger(Action.APPROVE_UNDECIDED)
    desktop.settle()
    desktop.click(desktop.find("plan-approve-now"))
    desktop.settle()
    first, second, third = told(desktop, plan).split("\n\nStep ")[1:]
    assert "approved as proposed.\nNote: Only because of the date." in first
    assert "approved with changes of the reviewer." in second and "-mine 3\n" in second
    assert "of the file as it was: Better." in third

    desktop.click(desktop.find("status-take-back"))
    desktop.settle()
    assert [step.state.value for step in desktop.desk.queue.plans[0].steps] == ["pending"] * 3
    go_to(desktop, 1)
    assert desktop.panes.facts.note.edit.toPlainText() == "Only because of the date."
    go_to(desktop, 2)
    assert desktop.find("step-approve_step").text() == "Approve as edited"
    go_to(desktop, 3)
    assert [each.text for each in desktop.panes.pages.step.diff.canvas.comments().values()] == ["Better."]


def test_a_rejection_taken_back_has_its_reason_again(plan: Plan, open_window: Callable[[], Any]) -> None:
    desktop = open_window()
    desktop.press(Qt.Key.Key_R)
    desktop.type("Keep line 3.")
    desktop.press(Qt.Key.Key_Return, CONTROL)
    go_to(desktop, 1)
    assert desktop.find("step-verdict").text() == "Rejected"
    desktop.press(Qt.Key.Key_Z)
    desktop.settle()
    desktop.press(Qt.Key.Key_R)
    assert desktop.find("reason-editor").toPlainText() == "Keep line 3."
    assert desktop.desk.project.unsent.text(DraftKey(plan.id, 1, NOTE)) == "", "it is no note"


def test_what_was_decided_at_the_command_line_is_taken_back_in_the_window(
    plan: Plan, terminal: Reviewer, open_window: Callable[[], Any]
) -> None:
    """This window never knew the note, the hunk left out and the comment: the decision brings them."""
    terminal.approve(plan.id, [StepDecision(1, {2: False}, text="Line 30 stays.", comments=[WHY])])
    desktop = open_window()
    go_to(desktop, 1)
    assert desktop.find("step-verdict").text() == "Approved, 1 of 2 hunks"
    desktop.press(Qt.Key.Key_Z)
    desktop.settle()
    assert desktop.find("step-approve_step").text() == "Approve part"
    assert desktop.panes.facts.note.edit.toPlainText() == "Line 30 stays."
    shown = desktop.panes.pages.step.diff.canvas.comments()
    assert [(each.title, each.text) for each in shown.values()] == [("You · old line 6", WHY.text)]
    assert desktop.desk.comments.current == (WHY,)


def test_what_is_typed_since_is_not_overwritten_by_what_comes_back(
    plan: Plan, terminal: Reviewer, open_window: Callable[[], Any]
) -> None:
    terminal.reject(plan.id, [1], reason="Older words.")
    desktop = open_window()
    desktop.desk.project.unsent.store(DraftKey(plan.id, 1, REASON), "Newer words.")
    go_to(desktop, 1)
    desktop.press(Qt.Key.Key_Z)
    desktop.settle()
    desktop.press(Qt.Key.Key_R)
    assert desktop.find("reason-editor").toPlainText() == "Newer words."


def test_a_decided_step_shows_and_writes_its_edit(
    plan: Plan, terminal: Reviewer, open_window: Callable[[], Any]
) -> None:
    """Decided elsewhere: the diff, its headings, the facts, the queue and the file are about the edit."""
    terminal.approve(plan.id, [StepDecision(1, edited=EDITED.encode())])
    terminal.reject(plan.id, [2, 3], reason="No.")
    desktop = open_window()
    go_to(desktop, 1)
    view = desktop.panes.pages.step.diff
    assert desktop.find("step-verdict").text() == "Approved as edited"
    assert view.headings.texts()[1] == "After this step · your edited version"
    assert desktop.desk.shown.diff.result == EDITED.encode()
    sheet = desktop.panes.facts.facts_view
    assert {row.label: row.value for row in sheet.rows}["Result"] == "your edited version"
    index = desktop.panes.queue.model.index_of(plan.id, 1)
    assert "approved as edited, 1 added, 1 removed" in index.data(Qt.ItemDataRole.AccessibleTextRole)
    shown = desktop.desk.outcomes.step()
    assert (shown.added, shown.removed) == (1, 1), "of the proposal there are two of each"

    desktop.press(Qt.Key.Key_Z)
    desktop.settle()
    assert desktop.find("step-approve_step").text() == "Approve as edited"
    desktop.press(Qt.Key.Key_A)
    desktop.settle()
    desktop.control.actions.trigger(Action.APPLY)
    desktop.settle()
    assert desktop.bench.read("one.txt") == EDITED
    (entry,) = desktop.desk.queue.history
    assert (entry.added, entry.removed) == (1, 1)


def test_approving_all_names_and_counts_what_it_deletes(bench: Any, open_window: Any) -> None:
    """Before anybody says yes, and of a folder all that is in it."""
    (bench.root / "old").mkdir()
    for number in range(7):
        (bench.root / f"old/{number}.txt").write_text("x\n")
    bench.propose("Tidy", DraftStep(Operation.DELETE, "old"), DraftStep(Operation.DELETE, "two.txt"))
    desktop = open_window()
    desktop.desk.select(desktop.desk.queue.plans[0].id, None)
    desktop.settle()
    desktop.control.actions.trigger(Action.APPROVE_UNDECIDED)
    desktop.settle()
    said = " ".join(label.text() for label in desktop.panes.pages.plan.confirm.findChildren(QLabel))
    assert "This deletes 8 files: 7 *.txt in old/, 1 folder, 1 *.txt." in said, said
