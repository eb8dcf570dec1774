"""What is worked out on a step before it is decided, at the desk and in the window."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtCore import Qt

from studio.engine.draft import DraftStep
from studio.engine.plan import LineComment, Operation, PlanState, StepState
from studio.errors import Refused
from studio.ui.actions.action import Action
from studio.ui.review.desk import Desk
from studio.ui.review.state import Tone
from studio.workspace import Reviewer
from tests.tools.idle import run_until_idle

CONTROL = Qt.KeyboardModifier.ControlModifier


def lines_of(bench: Any, name: str) -> list[str]:
    return bench.read(name).splitlines()


def test_choices_edits_and_comments_are_drafts_of_their_contents(
    bench: Any, make_desk: Callable[..., Desk]
) -> None:
    """They are there for another desk at once, and not for other contents."""
    plan = bench.propose_three()
    desk = make_desk()
    desk.choices.toggle_hunk(2)
    desk.comments.store(desk.comments.draft_key("base", 4), "Stays.")
    desk.select(plan.id, 2)
    desk.editor.begin()
    assert desk.editor.part is not None
    desk.editor.finish(desk.editor.part.text + "more\n")
    assert desk.project.unsent.is_stored()
    again = make_desk()
    assert again.choices.current == {1: True, 2: False}
    assert again.comments.current == (LineComment("base", 4, "Stays."),)
    again.select(plan.id, 2)
    assert again.edited.current is not None and again.edited.current.endswith(b"more\n")
    (bench.root / "two.txt").write_text(bench.read("two.txt").replace("line 30\n", "moved on\n"))
    again.queue.disk_changed()
    assert again.queue.current_step is not None and again.queue.current_step.state is StepState.STALE
    bench.clock.now += 1
    again.rebase.start()
    assert again.queue.current_step.state is StepState.PENDING
    assert again.edited.current is not None and again.edited.current.endswith(b"more\n")
    assert b"moved on\n" in again.edited.current, "what was edited was put on the new file"
    assert not again.viewed.has(again.queue.plans[0], again.queue.plans[0].steps[1])


def test_an_edited_result_shows_its_own_diff_and_its_own_name(desktop: Any) -> None:
    desktop.press(Qt.Key.Key_E)
    assert desktop.focused().objectName() == "result-text"
    desktop.press(Qt.Key.Key_End, CONTROL)
    desktop.type("at the end")
    desktop.press(Qt.Key.Key_Return, CONTROL)
    desktop.settle()
    assert desktop.find("step-approve_step").text() == "Approve as edited"
    assert desktop.desk.shown.diff.result.endswith(b"at the end")
    assert desktop.desk.can("toggle_hunk").startswith("An edited result can only be applied as a whole.")
    desktop.press(Qt.Key.Key_A)
    step = desktop.desk.queue.plans[0].steps[0]
    assert step.state is StepState.APPROVED
    assert step.decision is not None and step.decision.edited


def test_a_press_decides_the_edit_that_was_painted_or_nothing(desktop: Any) -> None:
    """9.2: the result was edited again, and the hand was already falling."""
    desk = desktop.desk
    painted = desk.shown.painted_revision
    desk.choices.toggle_hunk(1)
    assert desk.shown.painted_revision == painted
    desk.decisions.approve_step()
    assert desk.queue.plans[0].steps[0].state is StepState.PENDING
    assert "no decision was saved" in desktop.said()
    desktop.settle()
    desk.decisions.approve_step()
    assert desk.queue.plans[0].steps[0].state is StepState.APPROVED


def test_shift_and_enter_is_a_line_end_like_any_other(desktop: Any) -> None:
    """Qt would put U+2028 into the file; and hard spaces come back as they were."""
    desktop.press(Qt.Key.Key_E)
    field = desktop.panes.pages.step.editor.field
    assert field.textCursor().blockNumber() == 2, "at the first changed line"
    desktop.press(Qt.Key.Key_Home, CONTROL)
    desktop.type("a")
    desktop.press(Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert field.text().startswith("a\nline 1\n")
    assert field.show_text("hard\N{NO-BREAK SPACE}space", 0)
    assert not field.show_text("par\N{PARAGRAPH SEPARATOR}agraph", 0), "it would come back as a line end"


def test_a_binary_result_is_not_edited(bench: Any, make_desk: Callable[..., Desk]) -> None:
    bench.propose("Folder", DraftStep(Operation.MKDIR, "new"))
    desk = make_desk()
    assert desk.can(Action.EDIT) == "This step has no text to edit."


def test_what_the_encoding_cannot_hold_keeps_the_editor_open(bench: Any, open_window: Any) -> None:
    (bench.root / "old.txt").write_bytes("grün\n".encode("windows-1252"))
    bench.propose("Old", DraftStep(Operation.MODIFY, "old.txt", content="grüner\n".encode()))
    desktop = open_window()
    desktop.press(Qt.Key.Key_E)
    desktop.panes.pages.step.editor.field.insertPlainText("→")
    desktop.press(Qt.Key.Key_Return, CONTROL)
    assert desktop.find("result-editor").isVisible()
    assert "does not exist in windows-1252" in desktop.said()


def test_comments_are_listed_at_their_lines_on_both_sides(desktop: Any) -> None:
    desk = desktop.desk
    desk.comments.store(desk.comments.draft_key("base", 3), "before")
    desk.comments.store(desk.comments.draft_key("result", 30), "after\n<b>plain</b>")
    run_until_idle()
    shown = desktop.panes.pages.step.diff.canvas.comments()
    assert sorted((place[0].value, place[1], each.text) for place, each in shown.items()) == [
        ("base", 2, "before"),
        ("result", 29, "after\n<b>plain</b>"),
    ]
    desk.comments.store(desk.comments.draft_key("base", 3), "")
    assert [comment.line for comment in desk.comments.current] == [30]


def test_the_comment_editor_opens_for_the_line_in_hand_and_removes_it(desktop: Any) -> None:
    desktop.desk.comments.store(desktop.desk.comments.draft_key("result", 3), "again")
    desktop.panes.pages.step.comment.ask_for("result", 3)
    assert desktop.focused().toPlainText() == "again"
    desktop.click(desktop.find("comment-remove"))
    assert desktop.desk.comments.current == ()
    assert not desktop.panes.pages.step.comment.isVisible()


def test_text_is_not_lost_while_another_process_locks_the_store(
    bench: Any, make_desk: Callable[..., Desk], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bad input: the store is locked; what is typed stays and is stored with the next pause."""
    bench.propose_three()
    desk = make_desk()

    def locked(_reviewer: Reviewer, _draft: object) -> None:
        raise Refused("store.locked", "Locked.", "Wait.") from sqlite3.OperationalError("locked")

    with monkeypatch.context() as patch:
        patch.setattr(Reviewer, "keep_unsent", locked)
        desk.project.unsent.store(desk.queue.draft_key("note"), "typed")
        assert desk.project.unsent.text(desk.queue.draft_key("note")) == "typed"
        assert not desk.project.unsent.is_stored()
    desk.poll()
    assert desk.project.unsent.is_stored()
    again = make_desk()
    assert again.project.unsent.text(again.queue.draft_key("note")) == "typed"


def test_taking_back_restores_what_was_decided(bench: Any, make_desk: Callable[..., Desk]) -> None:
    bench.propose_three()
    desk = make_desk()
    desk.editor.begin()
    assert desk.editor.part is not None
    desk.editor.finish(desk.editor.part.text + "more\n")
    desk.comments.store(desk.comments.draft_key("result", 3), "Good.")
    desk.project.unsent.store(desk.queue.draft_key("note"), "as edited")
    bench.look(desk)
    desk.decisions.approve_step()
    assert desk.project.unsent.text(desk.queue.draft_key("note")) == ""
    plan = desk.queue.plans[0]
    desk.select(plan.id, 1)
    bench.look(desk)
    desk.decisions.take_back()
    assert desk.project.unsent.text(desk.queue.draft_key("note")) == "as edited"
    assert [comment.text for comment in desk.comments.current] == ["Good."]
    assert desk.edited.current is not None and desk.edited.current.endswith(b"more\n")


def test_a_stopped_apply_wrote_nothing_and_goes_on_later(
    bench: Any, make_desk: Callable[..., Desk], monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.propose_three()
    desk = make_desk()
    for number in (1, 2, 3):
        desk.select(desk.queue.plans[0].id, number)
        bench.look(desk)
        desk.decisions.approve_step()
    bench.look(desk)
    real = Reviewer.apply
    said: list[Any] = []
    desk.project.status_reported.connect(said.append)

    def stopped(*args: Any, **options: Any) -> Any:
        assert desk.can(Action.STOP) == ""
        desk.apply.stop()
        return real(*args, **options)

    with monkeypatch.context() as patch:
        patch.setattr(Reviewer, "apply", stopped)
        desk.apply.start()
    assert bench.is_untouched()
    assert said[-1].tone is Tone.NEWS
    assert desk.queue.plans[0].state is PlanState.PAUSED
    assert desk.can(Action.STOP) == "Nothing to stop."
    bench.look(desk)
    assert desk.can(Action.APPLY) == ""
    desk.apply.start()
    assert lines_of(bench, "one.txt")[2] == "changed 3"


def test_a_comparison_with_an_earlier_round_decides_nothing(
    bench: Any, make_desk: Callable[..., Desk]
) -> None:
    first = bench.propose_three()
    desk = make_desk()
    bench.look(desk)
    desk.decisions.request_changes("Other words.")
    bench.propose("Three files", DraftStep(Operation.MODIFY, "one.txt", content=b"all new\n"))
    desk.queue.refresh()
    second = desk.queue.plans[-1]
    desk.select(second.id, 1)
    assert [plan.id for plan in desk.rounds.earlier] == [first.id]
    desk.rounds.compare()
    bench.look(desk)
    comparison = desk.rounds.comparison
    assert comparison is not None and comparison.after == b"all new\n"
    assert comparison.before is not None and b"changed 3\n" in comparison.before
    assert desk.can(Action.APPROVE_STEP) == "Close the comparison first."
    desk.decisions.approve_step()
    assert second.steps[0].state is StepState.PENDING
    desk.rounds.close()
    bench.look(desk)
    assert desk.can(Action.APPROVE_STEP) == ""
