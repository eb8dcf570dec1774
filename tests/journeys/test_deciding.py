"""From a press to bytes on disk and back: approve, reject, leave out, apply, undo."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel

from tests.journeys.desktop import Desktop
from tests.journeys.hands import wait_for
from tests.journeys.harbour import Harbour, lines_with
from tests.journeys.person import Person

RESULTS = {
    "one.txt": lines_with(l3="changed 3", l30="changed 30"),
    "two.txt": lines_with(l5="changed 5"),
    "three.txt": lines_with(l7="changed 7"),
}


def strip_words(person: Person, name: str) -> str:
    """Everything a strip says."""
    return " ".join(label.text() for label in person.find(name).findChildren(QLabel) if label.isVisible())


def test_approve_by_clicks_apply_and_undo(harbour: Harbour, desktop: Desktop) -> None:
    """The main job: look, leave a hunk out, approve each step, Apply, see it on disk, take it back."""
    plan = harbour.propose_three()
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    person.click_hunk_box(2)
    wait_for(lambda: person.find("step-approve_step").text() == "Approve part", "the button's new name")
    for number in (1, 2, 3):
        person.wait_for_step(number)
        person.click("step-approve_step")
    wait_for(lambda: person.window.toolbar.apply.text() == "Apply 3 files", "all decided")
    assert harbour.untouched(), "deciding writes nothing"

    person.click("toolbar-apply")
    person.wait_until_said("Applied 3 files of “Three files”.")
    results = RESULTS | {"one.txt": lines_with(l3="changed 3")}
    assert {name: harbour.read(name) for name in results} == results
    assert harbour.agent.states(plan) == ["applied"] * 3
    wait_for(lambda: person.history_states() == ["applied"], "the plan in the history")

    person.click("status-undo")
    person.wait_until_said("Rolled back 3 files of “Three files”.")
    assert harbour.untouched()
    assert harbour.agent.states(plan) == ["rolled_back"] * 3
    wait_for(lambda: len(person.history_states()) == 2, "both entries in the history")
    assert person.history_states()[1] == "rolled back"


def test_the_whole_review_by_keyboard(harbour: Harbour, desktop: Desktop) -> None:
    """No mouse: move, approve, reject with a reason, apply, undo (R181, look.md 8)."""
    plan = harbour.propose_three()
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    person.press("J")
    person.wait_for_step(2)
    person.press("K")
    person.wait_for_step(1)
    person.press("A")
    person.wait_for_step(2)
    person.press("K")
    person.wait_until_on("take_back")
    person.press("Z")
    person.wait_for_step(1)
    assert harbour.agent.states(plan) == ["pending"] * 3
    person.press("A")
    person.wait_for_step(2)
    person.press("R")
    wait_for(lambda: person.focused().objectName() == "reason-editor", "the editor")
    person.type("keep line 5")
    wait_for(person.panes.pages.step.reason.reject.isEnabled, "Reject step to be on")
    person.press("Ctrl+Return")
    person.wait_for_step(3)
    person.press("A")
    person.wait_until_on("apply")
    assert harbour.untouched()

    person.press("Ctrl+Shift+Return")
    person.wait_until_said("Applied 2 files of “Three files”.")
    assert harbour.read("one.txt") == RESULTS["one.txt"]
    assert harbour.read("two.txt") == lines_with()
    assert harbour.read("three.txt") == RESULTS["three.txt"]
    shown = harbour.agent.json("show", plan)["steps"]
    assert [step["state"] for step in shown] == ["applied", "rejected", "applied"]
    assert shown[1]["decision"]["text"] == "keep line 5", "what its agent reads"

    person.wait_until_on("undo_last")
    person.press("Ctrl+Alt+Z")
    person.wait_until_said("Rolled back 2 files of “Three files”.")
    assert harbour.untouched()


def test_deciding_a_whole_plan_asks_first_and_names_what_was_not_viewed(
    harbour: Harbour, desktop: Desktop
) -> None:
    """look.md 9.5: the strip names the steps nobody looked at; only its own button approves."""
    plan = harbour.propose_three()
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    person.press("V")
    person.click_step(plan)
    person.click("plan-approve_undecided")
    said = strip_words(person, "plan-confirm")
    assert "You have not looked at 2 of these steps: two.txt, three.txt." in said
    assert harbour.agent.states(plan) == ["pending"] * 3, "asking decides nothing"
    person.press("Escape")
    wait_for(lambda: not person.sees("plan-confirm"), "the strip to close")

    person.click("plan-approve_undecided")
    person.click("plan-approve-now")
    person.wait_until_on("apply")
    assert person.focused().objectName() == "plan-table", "the letters work on"
    assert harbour.agent.states(plan) == ["approved"] * 3
    person.click("plan-take_back")
    person.wait_until_on("approve_undecided")
    assert harbour.agent.states(plan) == ["pending"] * 3

    person.click("plan-reject_plan")
    person.find("reason-editor")
    person.type("Not now")
    wait_for(person.panes.pages.plan.reason.reject.isEnabled, "Reject plan to be on")
    person.click_on(person.panes.pages.plan.reason.reject)
    person.wait_until_said("Rejected “Three files”.")
    shown = harbour.agent.json("show", plan)
    assert shown["state"] == "rejected"
    assert {step["decision"]["text"] for step in shown["steps"]} == {"Not now"}
    assert harbour.untouched()
