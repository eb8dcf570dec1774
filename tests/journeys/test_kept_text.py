"""A text that was begun in an editor and left with Esc: shown, asked about, and never lost or overlooked."""

from __future__ import annotations

from studio.engine.plan import StepState
from studio.ui.actions.action import Action
from tests.journeys.desktop import Desktop
from tests.journeys.hands import wait_for
from tests.journeys.harbour import Harbour, lines_with
from tests.journeys.person import Person

NOT_USED = "You began a text for this step that is not used. Use it, edit it on or forget it first."


def type_in_editor(person: Person, words: str) -> None:
    """E, and typing at the beginning of the file."""
    person.wait_until_on("edit")
    person.press("E")
    wait_for(lambda: person.focused().objectName() == "result-text", "the editor")
    person.press("Ctrl+Home")
    person.type(words)


def begin_text(person: Person, words: str) -> None:
    """The same, and Esc."""
    type_in_editor(person, words)
    person.press("Escape")
    wait_for(lambda: person.sees("strip-use_text"), "the strip about the kept text")


def apply(person: Person) -> None:
    person.wait_until_on("apply")
    person.press("Ctrl+Shift+Return")
    person.wait_until_said("Applied 1 file")


def test_a_kept_text_is_shown_holds_up_approving_and_is_used(harbour: Harbour, desktop: Desktop) -> None:
    """Left with Esc it is neither lost nor overlooked: A approves nothing before somebody has chosen."""
    plan = harbour.propose("One place", two_txt=lines_with(l5="changed 5"))
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    begin_text(person, "mine ")
    strip = person.panes.pages.step.strip
    assert strip.title.text() == "You began a text for this result, and it is not used."
    assert strip.words.text() == "It differs from line 1 on: “mine line 1”. Approving waits until you choose."
    assert person.find("step-kept").text() == "text not used"
    queue = person.panes.queue
    assert queue.model.keeps_text(person.desk.queue.plans[0], person.desk.queue.plans[0].steps[0])
    assert "not used" in queue.model.index_of(plan, 1).data(3), "the row's tooltip"
    person.wait_until_on("use_text")
    assert person.find("step-approve_step").toolTip() == NOT_USED
    person.press("A")
    assert person.desk.queue.plans[0].steps[0].state is StepState.PENDING
    person.click("strip-use_text")
    person.wait_until_said("Your text is the result of two.txt now. Look at it and decide.")
    wait_for(lambda: person.find("step-approve_step").text() == "Approve edited", "the button's new name")
    assert not person.sees("step-kept")
    assert harbour.untouched()
    person.wait_for_step(1)
    person.press("A")
    apply(person)
    assert harbour.read("two.txt") == "mine " + lines_with(l5="changed 5")


def test_a_whole_plan_leaves_it_out_and_forgetting_can_be_undone(harbour: Harbour, desktop: Desktop) -> None:
    plan = harbour.propose("Two", two_txt=lines_with(l5="changed 5"), three_txt=lines_with(l7="changed 7"))
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    begin_text(person, "mine ")
    person.click_step(plan)
    table = person.panes.pages.plan.table.table
    assert table.index(table.index_of("1").row(), 3).data() == "text not used"
    person.click("plan-approve_undecided")
    assert "1 step has a text you began and did not use, and stays undecided." in (
        person.panes.pages.plan.confirm.words.text()
    )
    person.click("plan-approve-now")
    person.wait_until_said("Approved 1 step of “Two”.")
    assert harbour.agent.states(plan) == ["pending", "approved"]
    wait_for(
        lambda: person.control.actions.reason(Action.APPROVE_UNDECIDED).startswith("Every step"), "no step"
    )
    person.click_step(plan, 1)
    person.wait_for_step(1)
    person.click("strip-forget_text")
    person.wait_until_said("Forgot the text you began for two.txt.")
    person.click("strip-put_back_text")
    person.click("strip-forget_text")
    person.wait_until_on("approve_step")
    person.press("A")
    person.wait_until_on("apply")
    person.press("Ctrl+Shift+Return")
    person.wait_until_said("Applied 2 files")
    assert harbour.read("two.txt") == lines_with(l5="changed 5")


def test_it_outlives_the_window_and_is_put_on_a_file_that_moved_on(
    harbour: Harbour, desktop: Desktop
) -> None:
    """Typed, the window closed at once; the file changes; the step is rebased; then the text is used."""
    harbour.propose("One place", two_txt=lines_with(l5="changed 5"))
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    type_in_editor(person, "mine ")
    person.window.close()
    again = desktop.open(harbour.root)
    again.wait_for_step(1)
    assert again.sees("strip-use_text")
    harbour.write("two.txt", lines_with(l30="theirs"))
    wait_for(lambda: again.sees("strip-rebase"), "the stale step")
    assert "The text you began for it is kept." in again.panes.pages.step.strip.words.text()
    again.click("strip-rebase")
    wait_for(lambda: again.sees("strip-use_text"), "the strip about the kept text")
    assert "put on it as it is now" in again.panes.pages.step.strip.words.text()
    again.click("strip-use_text")
    wait_for(lambda: again.find("step-approve_step").text() == "Approve edited", "the text in use")
    again.wait_for_step(1)
    again.press("A")
    apply(again)
    assert harbour.read("two.txt") == "mine " + lines_with(l5="changed 5", l30="theirs")
