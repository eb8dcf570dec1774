"""A file that changes while somebody types takes neither the field nor a word of what was typed away."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtCore import Qt

from studio.engine.plan import LineComment, StepState
from studio.ui.actions.action import Action
from studio.ui.review.desk import Desk
from studio.ui.review.unsent import COMMENT, EDITED, NOTE
from tests.ui.shell.conftest import LINES, modified

CONTROL = Qt.KeyboardModifier.ControlModifier


def drift(desktop: Any, name: str = "one.txt", **lines: str) -> None:
    """Another program changes lines of a file (`l20="text"`), and the window sees it."""
    changed = list(LINES)
    for line, text in lines.items():
        changed[int(line[1:]) - 1] = text + "\n"
    (desktop.bench.root / name).write_text("".join(changed))
    desktop.desk.queue.disk_changed()
    desktop.settle()


def state(desktop: Any, number: int = 1) -> StepState:
    return desktop.desk.queue.plans[0].steps[number - 1].state


def test_the_editor_stays_and_its_text_is_put_on_the_new_file(desktop: Any) -> None:
    desktop.press(Qt.Key.Key_E)
    field = desktop.focused()
    desktop.press(Qt.Key.Key_End, CONTROL)
    desktop.type("mine")
    drift(desktop, l20="theirs")
    assert state(desktop) is StepState.STALE
    assert desktop.focused() is field, "the next letters are no commands"
    desktop.type(" b p x a")
    assert state(desktop) is StepState.STALE
    done = desktop.find("result-done")
    assert not done.isEnabled()
    assert done.toolTip().startswith("The file changed on disk. Close the editor (your draft is kept)")
    desktop.press(Qt.Key.Key_Escape)
    desktop.settle()
    desktop.press(Qt.Key.Key_B)
    desktop.settle()
    assert state(desktop) is StepState.PENDING
    desktop.press(Qt.Key.Key_E)
    text = desktop.find("result-text").text()
    assert text.endswith("mine b p x a") and "theirs\n" in text and "changed 3\n" in text
    desktop.press(Qt.Key.Key_Return, CONTROL)
    desktop.settle()
    desktop.press(Qt.Key.Key_A)
    desktop.settle()
    desktop.desk.queue.reload()
    step = desktop.desk.queue.plans[0].steps[0]
    assert step.state is StepState.APPROVED and step.decision.edited


def test_a_finished_edit_goes_with_the_rebase_and_wins_where_both_changed_a_line(desktop: Any) -> None:
    desk = desktop.desk
    desk.editor.begin()
    desk.editor.finish("".join(LINES).replace("line 20\n", "line 20, mine\n"))
    desktop.settle()
    drift(desktop, l20="theirs", l35="more of theirs")
    assert state(desktop) is StepState.STALE
    desk.rebase.start()
    desktop.settle()
    assert desktop.said() == (
        "The step was rebased onto the current file. Review it and decide. Your edit was also rebased."
    )
    assert b"line 20, mine\n" in desk.edited.current and b"more of theirs\n" in desk.edited.current
    assert desktop.find("step-approve_step").text() == "Approve as edited"


def test_an_approval_that_rests_leaves_what_was_worked_out(desktop: Any) -> None:
    """Taken back once the file is back, it leaves the note, the comment and the chosen hunks."""
    desk = desktop.desk
    desk.choices.toggle_hunk(2)
    desk.comments.store(desk.comments.draft_key("result", 3), "Why three?")
    desk.project.unsent.store(desk.queue.draft_key("note"), "Only the first.")
    desktop.settle()
    desk.decisions.approve_step()
    desktop.settle()
    drift(desktop, l20="theirs")
    assert state(desktop) is StepState.STALE
    drift(desktop)
    assert state(desktop) is StepState.APPROVED
    desk.select(desk.queue.plans[0].id, 1)
    desktop.settle()
    desk.decisions.take_back()
    desktop.settle()
    assert desk.choices.current[2] is False
    assert desk.comments.current == (LineComment("result", 3, "Why three?"),)
    assert desktop.panes.facts.note.edit.toPlainText() == "Only the first."


def test_a_comment_a_reason_and_a_note_stay_open(desktop: Any) -> None:
    desktop.press(Qt.Key.Key_C)
    desktop.type("why ")
    drift(desktop, l20="theirs")
    desktop.type("a b")
    assert desktop.find("comment-editor").toPlainText() == "why a b"
    desktop.press(Qt.Key.Key_Return, CONTROL)
    drift(desktop)
    assert [comment.text for comment in desktop.desk.comments.current] == ["why a b"]
    desktop.press(Qt.Key.Key_R)
    desktop.type("not ")
    drift(desktop, l20="theirs")
    desktop.type("a v x")
    assert desktop.find("reason-editor").toPlainText() == "not a v x"
    assert not desktop.panes.pages.step.reason.reject.isEnabled()
    desktop.press(Qt.Key.Key_Escape)
    drift(desktop)
    desktop.press(Qt.Key.Key_N)
    desktop.type("good ")
    drift(desktop, l20="theirs")
    desktop.type("a")
    assert desktop.panes.facts.note.edit.toPlainText() == "good a"
    assert state(desktop) is StepState.STALE


@pytest.mark.parametrize("kind", ["comment", "edit", "note"])
def test_the_last_letters_before_a_click_elsewhere_belong_to_the_step_they_were_typed_for(
    desktop: Any, kind: str
) -> None:
    desktop.press({"comment": Qt.Key.Key_C, "edit": Qt.Key.Key_E, "note": Qt.Key.Key_N}[kind])
    desktop.type("first")
    desk, plan = desktop.desk, desktop.desk.queue.plans[0]
    desk.select(plan.id, 2)
    every = {"comment": COMMENT, "edit": EDITED, "note": NOTE}[kind]
    assert [at.step for at, value in desk.project.unsent.every(every).items() if b"first" in value] == [1]


def test_scrolling_and_hunk_stay_when_the_file_changes_or_an_edit_is_done(
    bench: Any, open_window: Callable[[], Any]
) -> None:
    changed = {f"l{line}": f"changed {line}" for line in range(1, 41, 2)}
    bench.propose("Many", modified("one.txt", **changed))
    desktop = open_window()
    canvas = desktop.panes.pages.step.diff.canvas
    desktop.press(Qt.Key.Key_Return)
    desktop.press(Qt.Key.Key_End)
    before = canvas.verticalScrollBar().value()
    assert before > 0
    drift(desktop, l20="theirs")
    assert canvas.verticalScrollBar().value() == pytest.approx(before, abs=120), "the banner takes height"
    drift(desktop)
    before = canvas.verticalScrollBar().value()
    desktop.panes.pages.step.editor.open_at(39)
    desktop.settle()
    desktop.desk.editor.finish(desktop.desk.editor.part.text + "more\n")
    desktop.settle()
    assert desktop.find("step-approve_step").text() == "Approve as edited"
    assert canvas.verticalScrollBar().value() == pytest.approx(before, abs=120)


def test_a_comment_that_went_with_an_approval_is_not_offered_with_a_rejection(desktop: Any) -> None:
    """It is kept beside the decision; only what is undecided is rejected with the plan."""
    desk = desktop.desk
    desk.comments.store(desk.comments.draft_key("result", 3), "Fine.")
    desktop.settle()
    desktop.press(Qt.Key.Key_A)
    desktop.settle()
    assert desk.queue.current_step.number == 2
    desk.comments.store(desk.comments.draft_key("result", 5), "Why?")
    desktop.settle()
    desktop.control.actions.trigger(Action.REJECT_PLAN)
    assert desktop.find("reason-comments").text() == "Also send my 1 line comment"
    desktop.press(Qt.Key.Key_Escape)
    desktop.settle()
    desktop.control.actions.trigger(Action.REQUEST_CHANGES)
    assert desktop.find("reason-comments").text() == "Also send my 2 line comments"


def test_a_desk_that_was_killed_finds_what_went_with_a_decision(
    bench: Any, make_desk: Callable[..., Desk]
) -> None:
    plan = bench.propose_three()
    desk = make_desk()
    desk.editor.begin()
    assert desk.editor.part is not None
    desk.editor.finish(desk.editor.part.text + "more\n")
    bench.look(desk)
    desk.decisions.approve_step()
    assert bench.agent.proposer.plan(plan.id).steps[0].state is StepState.APPROVED
    (bench.root / "one.txt").write_text("".join(LINES) + "theirs\n")
    bench.agent.proposer.refresh()
    (bench.root / "one.txt").write_text("".join(LINES))
    again = make_desk()
    again.select(plan.id, 1)
    bench.look(again)
    again.decisions.take_back()
    assert again.edited.current is not None and again.edited.current.endswith(b"more\n")
