"""Taking back: one step, the taking back itself, and files that changed since."""

from __future__ import annotations

from PySide6.QtCore import Qt

from studio.ui.actions.action import Action
from tests.journeys.desktop import Desktop
from tests.journeys.hands import wait_for
from tests.journeys.harbour import Harbour, lines_with
from tests.journeys.person import Person

RESULTS = {
    "one.txt": lines_with(l3="changed 3", l30="changed 30"),
    "two.txt": lines_with(l5="changed 5"),
    "three.txt": lines_with(l7="changed 7"),
}
KEY = "key = " + "AKIA" + "Q7RZK3M5T2XW8YVN\n"
BOX = 20
"""Pixels from the left edge of a row: its check box."""


def click_file_box(person: Person, step: int) -> None:
    """Press the check box of a file in the preview of a rollback."""
    table = person.panes.pages.rollback.table
    person.click_row(table, table.rows.index_of(str(step)), BOX)


def on_disk(harbour: Harbour) -> dict[str, str]:
    return {name: harbour.read(name) for name in RESULTS}


def test_a_rollback_takes_chosen_files_is_rolled_back_and_leaves_what_changed_since(
    harbour: Harbour, desktop: Desktop
) -> None:
    """A rollback is a plan in the history like any other."""
    plan = harbour.propose_three()
    person = desktop.open(harbour.root)
    for number in (1, 2, 3):
        person.wait_for_step(number)
        person.press("A")
    person.wait_until_on("apply")
    person.click("toolbar-apply")
    person.wait_until_said("Applied 3 files from “Three files”.")
    wait_for(lambda: len(person.history_states()) == 1, "the plan in the history")
    harbour.write("three.txt", "mine\n")
    person.click("status-undo")
    person.wait_until_said("Some files have changed in the meantime.")
    mine = RESULTS | {"three.txt": "mine\n"}
    assert on_disk(harbour) == mine, "a preview writes nothing"
    table = person.panes.pages.rollback.table

    def keys() -> list[str]:
        return [row.key for row in table.rows.rows]

    wait_for(lambda: keys() == ["3", "1", "2"], "what changed since first")
    row = table.rows.row(table.rows.index_of("3"))
    assert (
        row is not None
        and (row.checked, row.checkable) == (False, False)
        and "changed" in row.accessible_text
    )
    click_file_box(person, 3)
    assert person.find("rollback-write").text() == "Roll back 2 files"
    person.click("rollback-all")
    wait_for(lambda: person.desk.rollback.chosen == frozenset(), "none of them")
    assert not person.find("rollback-write").isEnabled()
    click_file_box(person, 1)
    wait_for(lambda: person.find("rollback-all").checkState() is Qt.CheckState.PartiallyChecked, "some")
    person.click("rollback-all")
    wait_for(lambda: person.desk.rollback.chosen == {1, 2}, "all that can")
    click_file_box(person, 1)
    person.click("rollback-only-changed")
    wait_for(lambda: keys() == ["3"], "only what changed since")
    assert person.find("rollback-write").text() == "Roll back 1 file", "what is listed chooses nothing"
    person.click("rollback-write")
    person.wait_until_said("Rolled back 1 file from “Three files”.")
    assert on_disk(harbour) == mine | {"two.txt": lines_with()}
    assert harbour.agent.states(plan) == ["applied", "rolled_back", "applied"]
    wait_for(lambda: len(person.history_states()) == 2, "the rollback in the history")
    assert person.history_states()[1] == "applied · partially rolled back"

    person.open_rollback(0)
    person.wait_until_on("apply")
    person.press("Ctrl+Shift+Return")
    wait_for(lambda: len(person.history_states()) == 3, "the second rollback in the history")
    assert on_disk(harbour) == mine
    assert len(harbour.agent.json("history")["entries"]) == 3


def test_what_is_approved_is_applied_and_the_rest_stays_open(harbour: Harbour, desktop: Desktop) -> None:
    """Each part is an entry of the history, and Undo takes back the part that its message is about."""
    plan = harbour.propose_three()
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    person.press("A")
    person.wait_until_on("apply")
    assert person.find("toolbar-apply").text() == "Apply 1 of 3, keep 2 open"
    person.press("Ctrl+Shift+Return")
    person.wait_until_said("Applied 1 file from “Three files”. 2 steps are still open.")
    before = {name: lines_with() for name in RESULTS}
    assert on_disk(harbour) == before | {"one.txt": RESULTS["one.txt"]}
    assert harbour.agent.states(plan) == ["applied", "pending", "pending"]
    person.click_step(plan, 2)
    person.wait_for_step(2)
    person.press("A")
    person.wait_until_on("apply")
    person.click("toolbar-apply")
    person.wait_until_said("Applied 1 file from “Three files”. 1 step is still open.")
    wait_for(lambda: len(person.history_states()) == 2, "both parts in the history")
    person.click("status-undo")
    person.wait_until_said("Rolled back 1 file from “Three files”.")
    assert on_disk(harbour) == before | {"one.txt": RESULTS["one.txt"]}
    assert harbour.agent.states(plan) == ["applied", "rolled_back", "pending"]
    person.click_step(plan, 3)
    person.wait_for_step(3)
    person.press("A")
    person.wait_until_on("apply")
    person.press("Ctrl+Shift+Return")
    person.wait_until_said("Applied 1 file from “Three files”.")
    assert on_disk(harbour) == RESULTS | {"two.txt": before["two.txt"]}
    assert harbour.agent.json("show", plan)["state"] == "completed"
    wait_for(lambda: len(person.history_states()) == 4, "three parts and a rollback")
    person.open_tab(0)
    view = person.panes.dock.history.view
    person.click_row(view, view.rows.index_of(plan), 15)
    wait_for(lambda: len(view.rows.rows) > 4, "the entries of the first part")
    assert [row.cells[1].text for row in view.rows.rows if row.level] == ["one.txt"]


def test_a_step_turns_stale_before_the_eyes_and_is_discarded(harbour: Harbour, desktop: Desktop) -> None:
    """The watcher sees an edit from outside; approving is off and says why; the agent is told."""
    (harbour.root / "venv").mkdir()
    harbour.write("venv/one.txt", harbour.read("one.txt"))
    ignored = harbour.propose("Ignored", **{"venv/one_txt": lines_with(l3="changed 3")})
    plan = harbour.propose_three()
    person = desktop.open(harbour.root)
    person.click_step(ignored, 1)
    person.wait_for_step(1)
    harbour.write("venv/one.txt", lines_with(l4="by others"))
    wait_for(lambda: person.sees("strip-discard_stale"), "the stale step of a folder that is ignored")
    person.click_step(plan, 1)
    person.wait_for_step(1)
    edited = lines_with(l1="somebody was here")
    person.clock.stop()
    harbour.write("one.txt", edited)
    wait_for(lambda: person.sees("strip-discard_stale"), "the stale step")
    approve = person.find("step-approve_step")
    assert not approve.isEnabled()
    assert approve.toolTip() == "one.txt changed on disk. First choose how to handle this."
    assert not person.find("strip-discard_stale").isEnabled(), "it came under the hand"
    person.click_on(person.find("strip-discard_stale"))
    person.clock.go_on()
    person.wait_until_on("discard_stale")
    person.click_on(approve)
    person.press("A")
    assert harbour.agent.states(plan) == ["stale", "pending", "pending"]

    person.click("strip-discard_stale")
    person.wait_for_step(2)
    assert person.focused().objectName() == "diff-canvas", "the letters work on"
    person.press("A")
    person.wait_for_step(3)
    person.press("A")
    person.wait_until_on("apply")
    harbour.write("three.txt", "my own work\n")
    person.click_on(person.find("toolbar-apply"))
    person.press("Ctrl+Shift+Return")

    def is_stale() -> bool:
        return any(shown.id == plan and shown.stale for shown in person.desk.queue.plans)

    wait_for(is_stale, "the end of the approval")
    assert harbour.agent.states(plan)[2] == "stale"
    assert harbour.read("three.txt") == "my own work\n" and harbour.read("two.txt") == lines_with()
    assert person.desk.can(Action.APPLY)
    harbour.write("three.txt", lines_with())
    wait_for(lambda: not is_stale(), "the step to be open again")
    person.wait_until_on("apply")
    person.click("toolbar-apply")
    person.wait_until_said("Applied 2 files from “Three files”.")
    assert on_disk(harbour) == RESULTS | {"one.txt": edited}
    first = harbour.agent.json("show", plan)["steps"][0]
    assert first["state"] == "rejected"
    assert first["decision"]["text"]
