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
    """Everything a banner says."""
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
    person.wait_until_said("Applied 3 files from “Three files”.")
    results = RESULTS | {"one.txt": lines_with(l3="changed 3")}
    assert {name: harbour.read(name) for name in results} == results
    assert harbour.agent.states(plan) == ["applied"] * 3
    wait_for(lambda: person.history_states() == ["applied"], "the plan in the history")

    person.click("status-undo")
    person.wait_until_said("Rolled back 3 files from “Three files”.")
    assert harbour.untouched()
    assert harbour.agent.states(plan) == ["rolled_back"] * 3
    wait_for(lambda: len(person.history_states()) == 2, "both entries in the history")
    assert person.history_states()[1] == "rolled back"


def test_the_whole_review_by_keyboard(harbour: Harbour, desktop: Desktop) -> None:
    """No mouse: move, approve, reject with a reason, apply, undo."""
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
    person.wait_until_said("Applied 2 files from “Three files”.")
    assert harbour.read("one.txt") == RESULTS["one.txt"]
    assert harbour.read("two.txt") == lines_with()
    assert harbour.read("three.txt") == RESULTS["three.txt"]
    shown = harbour.agent.json("show", plan)["steps"]
    assert [step["state"] for step in shown] == ["applied", "rejected", "applied"]
    assert shown[1]["decision"]["text"] == "keep line 5", "what its agent reads"

    person.wait_until_on("undo_last")
    person.press("Ctrl+Alt+Z")
    person.wait_until_said("Rolled back 2 files from “Three files”.")
    assert harbour.untouched()
