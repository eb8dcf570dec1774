"""One line for each decision with its way back, and *Undo last*, which says what it would take back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QListView

from studio.engine.plan import PersonSource, StepState
from studio.ui.actions.action import Action
from studio.ui.review.state import StatusMessage, Tone
from studio.workspace import Person, Reviewer
from tests.ui.shell.conftest import modified

CONTROL = Qt.KeyboardModifier.ControlModifier
CHORD = CONTROL | Qt.KeyboardModifier.AltModifier
PENDING, APPROVED = StepState.PENDING, StepState.APPROVED


def states(desktop: Any) -> list[StepState]:
    return [step.state for step in desktop.desk.queue.plans[0].steps]


def approve(desktop: Any, steps: int) -> None:
    for _ in range(steps):
        desktop.press(Qt.Key.Key_A)
        desktop.settle()


def apply(desktop: Any) -> None:
    approve(desktop, 3)
    desktop.control.actions.trigger(Action.APPLY)
    desktop.settle()


def undo(desktop: Any) -> None:
    desktop.press(Qt.Key.Key_Z, CHORD)
    desktop.settle()


@pytest.fixture
def terminal(bench: Any) -> Reviewer:
    """Another process in which a person decides."""
    return bench.agent.reviewer(Person(PersonSource.TERMINAL, "other"))


def test_every_decision_is_told_and_one_press_takes_just_that_one_back(desktop: Any) -> None:
    approve(desktop, 1)
    assert desktop.said() == "Approved one.txt."
    approve(desktop, 1)
    assert desktop.said() == "Approved two.txt."
    assert desktop.desk.queue.current_step.number == 3, "the person has moved on"
    desktop.click(desktop.find("status-take-back"))
    desktop.settle()
    assert states(desktop) == [APPROVED, PENDING, PENDING]
    assert desktop.said() == "Undid the approval of two.txt."
    assert desktop.desk.queue.current_step.number == 3, "and stays where they are"
    assert not desktop.window.status.take_back.isVisible()


def test_the_line_says_part_edited_and_rejected(desktop: Any) -> None:
    desktop.press(Qt.Key.Key_X)
    desktop.settle()
    approve(desktop, 1)
    assert desktop.said() == "Approved part of one.txt."
    desktop.desk.editor.begin()
    desktop.desk.editor.finish(desktop.desk.editor.part.text.replace("changed 5", "mine 5"))
    desktop.settle()
    approve(desktop, 1)
    assert desktop.said() == "Approved two.txt with your edits."
    desktop.press(Qt.Key.Key_R)
    desktop.type("No.")
    desktop.settle()
    desktop.press(Qt.Key.Key_Return, CONTROL)
    desktop.settle()
    assert desktop.said() == "Rejected three.txt."
    desktop.click(desktop.find("status-take-back"))
    assert desktop.said() == "Undid the rejection of three.txt."
    assert states(desktop) == [APPROVED, APPROVED, PENDING]


def test_what_somebody_else_decided_since_is_not_taken_back(desktop: Any, terminal: Reviewer) -> None:
    approve(desktop, 1)
    plan = desktop.desk.queue.plans[0]
    terminal.take_back(plan.id, [1])
    terminal.reject(plan.id, [1], reason="Theirs.")
    desktop.desk.queue.reload()
    desktop.settle()
    button = desktop.window.status.take_back
    assert button.isVisible() and not button.isEnabled()
    assert button.toolTip() == "This decision has already been undone."
    undo(desktop)
    assert states(desktop)[0] is StepState.REJECTED


def test_taking_back_at_the_step_is_told_too(desktop: Any) -> None:
    approve(desktop, 1)
    desktop.desk.select(desktop.desk.queue.plans[0].id, 1)
    desktop.settle()
    desktop.press(Qt.Key.Key_Z)
    assert desktop.said() == "Undid the approval of one.txt."


def test_undo_last_takes_back_decisions_one_by_one_and_names_each(desktop: Any) -> None:
    button = desktop.window.toolbar.undo
    assert button.text() == "Undo last" and not button.isEnabled()
    approve(desktop, 2)
    assert button.accessibleName() == "Undo approval of two.txt"
    assert "two.txt" in button.toolTip()
    assert desktop.control.actions["undo_last"].text() == "Undo approval of two.txt"
    undo(desktop)
    assert states(desktop) == [APPROVED, PENDING, PENDING]
    assert button.accessibleName() == "Undo approval of one.txt"
    desktop.click(button)
    desktop.settle()
    assert states(desktop) == [PENDING] * 3
    assert button.text() == "Undo last" and not button.isEnabled()


def test_a_failure_stays_on_screen_when_a_step_is_decided(desktop: Any) -> None:
    desktop.control.show_status_message(
        StatusMessage("Nothing was written: the disk is full.", Tone.BAD, "Free some space.")
    )
    approve(desktop, 1)
    assert desktop.find("notice").isVisible()
    undo(desktop)
    assert desktop.find("notice").isVisible()


def test_the_palette_finds_it_by_both_names(desktop: Any) -> None:
    approve(desktop, 1)
    for typed in ("undo last", "approval of one"):
        desktop.control.actions.trigger(Action.PALETTE)
        desktop.type(typed)
        found = desktop.window.findChild(QListView, "palette-list").model()
        assert found.index(0, 0).data() == "Undo approval of one.txt", typed
        desktop.press(Qt.Key.Key_Escape)


def test_several_approvals_of_one_press_are_one_decision(desktop: Any) -> None:
    plan = desktop.desk.queue.plans[0]
    desktop.desk.select(plan.id, None)
    desktop.settle()
    desktop.control.actions.trigger(Action.APPROVE_UNDECIDED)
    desktop.settle()
    desktop.click(desktop.find("plan-approve-now"))
    desktop.settle()
    assert desktop.said() == "Approved 3 steps in “Three files”."
    name = desktop.window.toolbar.undo.accessibleName
    assert name() == "Undo 3 approvals in “Three files”"
    desktop.desk.select(plan.id, 2)
    desktop.settle()
    desktop.press(Qt.Key.Key_Z)
    desktop.settle()
    assert name() == "Undo 2 approvals in “Three files”"
    undo(desktop)
    assert desktop.said() == "Undid 2 approvals in “Three files”."
    assert states(desktop) == [PENDING] * 3


def test_a_write_the_status_bar_speaks_of_is_undone_at_once(desktop: Any) -> None:
    apply(desktop)
    button = desktop.window.toolbar.undo
    assert button.accessibleName() == "Undo “Three files” (3 files)"
    assert "writes them immediately" in button.toolTip()
    assert not desktop.bench.is_untouched()
    undo(desktop)
    assert desktop.bench.is_untouched()
    assert desktop.find("status-undo").text() == "Redo"
    assert button.accessibleName() == "Redo “Three files” (3 files)"
    undo(desktop)
    assert desktop.said() == "Reapplied 3 files from “Three files”."
    assert not desktop.bench.is_untouched()
    assert button.accessibleName() == "Undo “Three files” (3 files)"


def test_later_it_shows_first_and_a_decision_made_since_comes_before_it(desktop: Any) -> None:
    """Four minutes and another happening later the key wrote 13 files; it took back no approval."""
    apply(desktop)
    second = desktop.bench.propose("Again", modified("two.txt", l5="changed 5", l9="changed 9"))
    desktop.desk.queue.reload()
    desktop.settle()
    assert desktop.said() == "1 new plan received."
    button = desktop.window.toolbar.undo
    assert "Previews" in button.toolTip()
    desktop.desk.select(second.id, 1)
    desktop.settle()
    approve(desktop, 1)
    assert button.accessibleName() == "Undo approval of two.txt"
    undo(desktop)
    assert states(desktop) == [PENDING] and desktop.desk.rollback.preview is None
    undo(desktop)
    assert desktop.desk.rollback.preview is not None, "the preview"
    assert "changed 7\n" in desktop.bench.read("three.txt"), "nothing was written"


def test_a_press_for_what_was_named_takes_back_nothing_else(desktop: Any, terminal: Reviewer) -> None:
    approve(desktop, 2)
    terminal.take_back(desktop.desk.queue.plans[0].id, [2])
    desktop.desk.queue.reload()  # known, but not on the button yet
    desktop.press(Qt.Key.Key_Z, CHORD)
    assert "nothing was undone." in desktop.said()
    assert states(desktop) == [APPROVED, PENDING, PENDING]


def test_what_another_process_wrote_since_is_shown_first(desktop: Any, terminal: Reviewer) -> None:
    approve(desktop, 2)
    other = desktop.bench.propose("Theirs", modified("three.txt", l9="theirs"))
    terminal.approve(other.id)
    terminal.apply(other.id)
    desktop.desk.queue.reload()
    desktop.settle()
    assert desktop.window.toolbar.undo.accessibleName() == "Undo “Theirs” (1 file)"
    undo(desktop)
    assert desktop.desk.rollback.preview is not None
    assert "theirs\n" in desktop.bench.read("three.txt")


def test_a_long_name_is_cut_and_apply_does_not_move(bench: Any, open_window: Callable[[], Any]) -> None:
    plan = bench.propose("A title that goes on & on and " + "on " * 30, modified("one.txt", l3="x"))
    desktop = open_window()
    toolbar = desktop.window.toolbar
    before = toolbar.apply.x(), toolbar.undo.width()
    approve(desktop, 1)
    assert (toolbar.apply.x(), toolbar.undo.width()) == before
    desktop.control.actions.trigger(Action.APPLY)
    desktop.settle()
    button = toolbar.undo
    assert (toolbar.apply.x(), button.width()) == before
    assert button.text().startswith("Undo “A ti") and button.text().endswith("(1 file)")
    assert plan.title.strip() in button.accessibleName()
    assert QFontMetricsF(button.font()).horizontalAdvance(button.text()) < button.width()
    menu = desktop.control.actions["undo_last"].text()
    assert len(menu) < 70 and "&&" in menu, "one & would be the mark of a key"
    for width, words in ((1440, "Undo “A ti"), (1000, "Undo"), (820, "")):
        desktop.window.resize(width, 700)
        desktop.settle()
        assert button.text().startswith(words), width
        assert button.accessibleName().startswith("Undo “A title")
        assert toolbar.apply.x() >= button.geometry().right(), width


@pytest.mark.parametrize("width", [1440, 1000])
def test_the_verb_of_the_undo_button_is_never_cut(
    bench: Any, open_window: Callable[[], Any], width: int
) -> None:
    """“Take b…of the file” said neither what is done nor to which file."""
    name = "a_file_with_quite_a_long_name.txt"
    (bench.root / "one.txt").rename(bench.root / name)
    bench.propose("Long", modified(name, l3="x"))
    desktop = open_window()
    desktop.window.resize(width, 700)
    desktop.settle()
    approve(desktop, 1)
    button = desktop.window.toolbar.undo
    assert button.accessibleName() == f"Undo approval of {name}"
    assert button.text().startswith("Undo")
    assert QFontMetricsF(button.font()).horizontalAdvance(button.text()) < button.width()
