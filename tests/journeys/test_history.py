"""Taking back: one step, the taking back itself, and files that changed since."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt

from studio.engine.history import WayOut
from studio.engine.root import FileState, ProjectRoot
from studio.ui.actions.action import Action
from tests.journeys.desktop import Desktop
from tests.journeys.hands import let_pass, wait_for
from tests.journeys.harbour import Harbour, lines_with
from tests.journeys.person import Person
from tests.journeys.replaying import Replays

RESULTS = {
    "one.txt": lines_with(l3="changed 3", l30="changed 30"),
    "two.txt": lines_with(l5="changed 5"),
    "three.txt": lines_with(l7="changed 7"),
}
KEY = "key = " + "AKIA" + "Q7RZK3M5T2XW8YVN\n"
BOX = 20
"""Pixels from the left edge of a row: its check box."""


def apply_three(harbour: Harbour, desktop: Desktop) -> tuple[Person, str]:
    """The window on a project in which a plan of three files was approved and applied."""
    plan = harbour.propose_three()
    person = desktop.open(harbour.root)
    for number in (1, 2, 3):
        person.wait_for_step(number)
        person.press("A")
    person.wait_until_on("apply")
    person.click("toolbar-apply")
    person.wait_until_said("Applied 3 files of “Three files”.")
    wait_for(lambda: len(person.history_states()) == 1, "the plan in the history")
    return person, plan


def click_file_box(person: Person, step: int) -> None:
    """Press the check box of a file in the preview of a rollback."""
    table = person.panes.pages.rollback.table
    person.click_row(table, table.rows.index_of(str(step)), BOX)


def on_disk(harbour: Harbour) -> dict[str, str]:
    return {name: harbour.read(name) for name in RESULTS}


def test_one_step_is_rolled_back_and_that_is_rolled_back(harbour: Harbour, desktop: Desktop) -> None:
    """A rollback is a plan in the history like any other."""
    person, plan = apply_three(harbour, desktop)
    person.open_rollback(0)
    assert on_disk(harbour) == RESULTS, "a preview writes nothing"
    click_file_box(person, 1)
    click_file_box(person, 3)
    assert person.find("rollback-write").text() == "Roll back 1 file"
    person.click("rollback-write")
    person.wait_until_said("Rolled back 1 file of “Three files”.")
    assert on_disk(harbour) == RESULTS | {"two.txt": lines_with()}
    assert harbour.agent.states(plan) == ["applied", "rolled_back", "applied"]
    wait_for(lambda: len(person.history_states()) == 2, "the rollback in the history")
    assert person.history_states()[1] == "applied · rolled back in part"

    person.open_rollback(0)
    person.wait_until_on("apply")
    person.press("Ctrl+Shift+Return")
    wait_for(lambda: len(person.history_states()) == 3, "the second rollback in the history")
    assert on_disk(harbour) == RESULTS
    assert len(harbour.agent.json("history")["entries"]) == 3


def test_what_others_store_holds_up_no_key_beside_an_empty_queue(harbour: Harbour, desktop: Desktop) -> None:
    """Nothing changed under the hand: a preview is carried out by the key that was pressed for it."""
    person, _plan = apply_three(harbour, desktop)
    person.open_rollback(0)
    person.wait_until_on("apply")
    taken: list[bool] = []
    person.desk.queue.store_changed.connect(lambda: taken.append(True))
    harbour.agent.json("snapshot", "create")
    person.desk.queue.reload()
    wait_for(lambda: taken, "the store to be read")
    assert person.desk.queue.plans == ()
    assert person.desk.guards.dead_time.left == 0
    person.press("Ctrl+Shift+Return")
    wait_for(lambda: len(person.history_states()) == 2, "the rollback in the history")
    assert on_disk(harbour) == dict.fromkeys(RESULTS, lines_with())


def test_a_cancelled_preview_writes_nothing(harbour: Harbour, desktop: Desktop) -> None:
    person, _plan = apply_three(harbour, desktop)
    person.open_rollback(0)
    person.press("Escape")
    wait_for(lambda: person.desk.rollback.preview is None, "the preview to close")
    person.open_rollback(0)
    person.click("rollback-cancel")
    wait_for(lambda: person.desk.rollback.preview is None, "the preview to close")
    assert on_disk(harbour) == RESULTS


def test_a_rollback_leaves_a_file_that_changed_since_and_says_why(harbour: Harbour, desktop: Desktop) -> None:
    """Promise 7: the drifted file can't be chosen; the others go back."""
    person, plan = apply_three(harbour, desktop)
    mine = lines_with(l5="changed 5", l20="my own work")
    harbour.write("two.txt", mine)
    person.open_rollback(0)
    table = person.panes.pages.rollback.table
    row = table.rows.row(table.rows.index_of("2"))
    assert row is not None
    assert (row.checked, row.checkable) == (False, False)
    assert "changed" in row.spoken
    click_file_box(person, 2)
    let_pass(0.1)
    assert person.find("rollback-write").text() == "Roll back 2 files"
    person.click("rollback-write")
    person.wait_until_said("Rolled back 2 files of “Three files”.")
    assert harbour.read("two.txt") == mine
    assert harbour.read("one.txt") == harbour.read("three.txt") == lines_with()
    assert harbour.agent.states(plan) == ["rolled_back", "applied", "rolled_back"]


def test_all_or_none_go_back_and_what_changed_since_is_listed_first_or_alone(
    harbour: Harbour, desktop: Desktop
) -> None:
    person, _plan = apply_three(harbour, desktop)
    harbour.write("three.txt", "mine\n")
    person.open_rollback(0)
    table = person.panes.pages.rollback.table

    def keys() -> list[str]:
        return [row.key for row in table.rows.rows]

    wait_for(lambda: keys() == ["3", "1", "2"], "what changed since first")
    assert person.find("rollback-write").text() == "Roll back 2 files"
    person.click("rollback-all")
    wait_for(lambda: person.desk.rollback.chosen == frozenset(), "none of them")
    assert not person.find("rollback-write").isEnabled()
    click_file_box(person, 1)
    wait_for(lambda: person.find("rollback-all").checkState() is Qt.CheckState.PartiallyChecked, "some")
    person.click("rollback-all")
    wait_for(lambda: person.desk.rollback.chosen == {1, 2}, "all that can")
    person.click("rollback-only-changed")
    wait_for(lambda: keys() == ["3"], "only what changed since")
    assert person.desk.rollback.chosen == {1, 2}, "what is listed chooses nothing"
    person.click("rollback-write")
    person.wait_until_said("Rolled back 2 files of “Three files”.")
    assert on_disk(harbour) == {"one.txt": lines_with(), "two.txt": lines_with(), "three.txt": "mine\n"}


def test_a_file_that_cannot_be_looked_at_stays_and_is_no_drift(
    harbour: Harbour, desktop: Desktop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its row says what the disk said and offers no way; the others go back, and it does once that passes."""
    person, plan = apply_three(harbour, desktop)
    original = ProjectRoot.digest

    def digest(root: ProjectRoot, path: str) -> tuple[str, FileState] | None:
        if path == "two.txt":
            raise OSError(errno.EIO, "Input/output error")
        return original(root, path)

    with monkeypatch.context() as patch:
        patch.setattr(ProjectRoot, "digest", digest)
        person.click("status-undo")
        person.wait_until_said("two.txt can't be looked at")
        table = person.panes.pages.rollback.table
        row = table.rows.row(table.rows.index_of("2"))
        assert row is not None and (row.checked, row.checkable, row.choice) == (False, False, "")
        assert "Input/output error" in row.spoken and "changed" not in row.spoken
        click_file_box(person, 2)
        let_pass(0.1)
        assert person.find("rollback-write").text() == "Roll back 2 files"
        person.click("rollback-write")
        person.wait_until_said("Rolled back 2 files of “Three files”.")
    assert harbour.read("two.txt") == RESULTS["two.txt"] and harbour.read("one.txt") == lines_with()
    wait_for(lambda: len(person.history_states()) == 2, "the rollback in the history")
    person.open_rollback(1)
    person.click("rollback-write")
    person.wait_until_said("Rolled back 1 file of “Three files”.")
    assert harbour.agent.states(plan) == ["rolled_back"] * 3 and harbour.untouched()


def test_what_changes_behind_a_chosen_way_is_not_replaced(harbour: Harbour, desktop: Desktop) -> None:
    """Promise 1: the bytes that were shown as going are those that go, or nothing is done."""
    person, _plan = apply_three(harbour, desktop)
    harbour.write("two.txt", "my own work\n")
    person.open_rollback(0)
    person.desk.rollback.ways.choose(2, WayOut.RESTORE)
    wait_for(lambda: person.find("rollback-write").text() == "Roll back 3 files", "the way to be looked at")
    files, seen = person.desk.rollback.preview, person.desk.rollback.ways.chosen
    assert files is not None and dict(seen) == {2: WayOut.RESTORE}
    wait_for(lambda: not person.desk.can(Action.ROLL_BACK), "the button")
    (harbour.root / "two.txt").write_text("my own work, later\n")
    person.desk.rollback.carry_out()
    person.wait_until_said("two.txt is no longer what was shown")
    assert on_disk(harbour) == {**RESULTS, "two.txt": "my own work, later\n"}


def test_undo_over_drift_shows_the_preview_and_refuses(harbour: Harbour, desktop: Desktop) -> None:
    """Undo is at once only when nothing drifted; here everything did, and the button says why it is off."""
    harbour.propose("One place", two_txt=lines_with(l5="changed 5"))
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    person.press("A")
    person.wait_until_on("apply")
    person.click("toolbar-apply")
    person.wait_until_said("Applied 1 file")
    harbour.write("two.txt", "my own work\n")
    person.click("status-undo")
    person.wait_until_said("Some files changed since.")
    button = person.find("rollback-write")
    assert not button.isEnabled()
    assert "did not change since" in button.toolTip()
    person.click_on(button)
    person.press("Ctrl+Shift+Return")
    let_pass(0.3)
    assert harbour.read("two.txt") == "my own work\n"
    assert len(harbour.agent.json("history")["entries"]) == 1


def test_a_step_in_a_folder_that_is_ignored_turns_stale_as_well(harbour: Harbour, desktop: Desktop) -> None:
    (harbour.root / "venv").mkdir()
    harbour.write("venv/one.txt", harbour.read("one.txt"))
    plan = harbour.propose("Ignored", **{"venv/one_txt": lines_with(l3="changed 3")})
    person = desktop.open(harbour.root)
    person.click_step(plan, 1)
    person.wait_for_step(1)
    harbour.write("venv/one.txt", lines_with(l4="by others"))
    wait_for(lambda: person.sees("strip-discard_stale"), "the stale step")


def test_a_step_turns_stale_before_the_eyes_and_is_discarded(harbour: Harbour, desktop: Desktop) -> None:
    """The watcher sees an edit from outside; approving is off and says why; the agent is told."""
    plan = harbour.propose_three()
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    edited = lines_with(l1="somebody was here")
    person.clock.stop()
    harbour.write("one.txt", edited)
    wait_for(lambda: person.sees("strip-discard_stale"), "the stale step")
    approve = person.find("step-approve_step")
    assert not approve.isEnabled()
    assert approve.toolTip() == "one.txt changed on disk. Choose what happens next first."
    assert not person.find("strip-discard_stale").isEnabled(), "it came under the hand"
    person.click_on(person.find("strip-discard_stale"))
    person.clock.go_on()
    let_pass(0.7)
    person.click_on(approve)
    person.press("A")
    let_pass(0.2)
    assert harbour.agent.states(plan) == ["stale", "pending", "pending"]

    person.click("strip-discard_stale")
    person.wait_for_step(2)
    assert person.focused().objectName() == "diff-canvas", "the letters work on"
    person.press("A")
    person.wait_for_step(3)
    person.press("A")
    person.wait_until_on("apply")
    person.click("toolbar-apply")
    person.wait_until_said("Applied 2 files of “Three files”.")
    assert on_disk(harbour) == RESULTS | {"one.txt": edited}
    first = harbour.agent.json("show", plan)["steps"][0]
    assert first["state"] == "rejected"
    assert first["decision"]["text"]


def test_an_approval_does_not_outlive_the_bytes_it_was_made_on(harbour: Harbour, desktop: Desktop) -> None:
    """Approved, edited outside, and Apply is off before anybody can press it on the wrong bytes."""
    plan = harbour.propose("One place", two_txt=lines_with(l5="changed 5"))
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    person.press("A")
    person.wait_until_on("apply")
    harbour.write("two.txt", "my own work\n")
    person.click_on(person.find("toolbar-apply"))
    person.press("Ctrl+Shift+Return")
    wait_for(lambda: person.desk.queue.plans[0].stale, "the step to turn stale")
    assert harbour.read("two.txt") == "my own work\n"
    assert harbour.agent.states(plan) == ["stale"]
    assert person.desk.can(Action.APPLY)


def test_undo_that_goes_at_the_next_apply_is_named_before(
    harbour: Harbour, desktop: Desktop, replays: Replays
) -> None:
    """R152: in the status bar, as soon as there is a plan that would push it out; by the title."""
    replays.lose_contents()
    Path(os.environ["STUDIO_CONFIG_DIR"], "config.yaml").write_text("retention: {plans: 1, days: 0}\n")
    person, _plan = apply_three(harbour, desktop)
    going = person.window.status.going
    wait_for(going.isVisible, "the title of what goes next")
    assert going.text() == "The next apply discards the undo of “Three files”"
    harbour.propose("One place", two_txt=lines_with(l5="changed again"))
    person.wait_for_step(1)
    assert going.text() == "The next apply discards the undo of “Three files”"
    person.press("A")
    person.wait_until_on("apply")
    person.click("toolbar-apply")
    person.wait_until_said("Applied 1 file of “One place”.")
    wait_for(lambda: "“One place”" in going.text(), "the title of what goes then")
    gone = ["applied · its undo goes at the next apply", "applied · can no longer be rolled back"]
    wait_for(lambda: person.history_states() == gone, "both in the history")
    kept = [entry["kept"] for entry in harbour.agent.json("history")["entries"]]
    assert kept == [True, False], "it was that one"


def test_the_undo_of_one_plan_is_discarded_after_a_question(
    harbour: Harbour, desktop: Desktop, replays: Replays
) -> None:
    """The question names the files; keeping is what Enter and Esc do, and a double click answers nothing."""
    replays.lose_contents()
    person, _plan = apply_three(harbour, desktop)
    view = person.panes.dock.history.view
    person.click_row(view, view.rows.index(0, 0))
    wait_for(person.find("history-discard").isEnabled, "the button")
    person.clock.stop()
    person.click("history-discard")
    wait_for(lambda: person.sees("history-question"), "the question")
    words = person.find("history-question").words.text()
    assert words.startswith("3 files can't be rolled back any more (one.txt, two.txt, three.txt).")
    assert not person.find("history-discard-now").isEnabled(), "it came under the hand"
    person.clock.go_on()
    person.press("Escape")
    wait_for(lambda: not person.sees("history-question"), "the question to go")
    person.click("history-discard")
    wait_for(lambda: person.sees("history-question"), "the question")
    assert harbour.agent.json("history")["entries"][0]["kept"] is True, "nothing goes unasked"
    person.click("history-discard-now")
    person.wait_until_said("“Three files” can't be rolled back any more.")
    wait_for(lambda: "its undo was discarded by" in person.history_states()[0], "the history to say so")
    (entry,) = harbour.agent.json("history")["entries"]
    assert entry["kept"] is False and entry["discarded"]["seen"] == "window"
    assert on_disk(harbour) == RESULTS, "files stay as they are"
    assert not person.find("history-discard").isEnabled()
    assert not person.find("history-roll-back").isEnabled()
    assert harbour.agent.json("journal", "--verify")["damaged_at"] is None


def test_one_press_decides_a_change_of_several_steps(harbour: Harbour, desktop: Desktop) -> None:
    """A file becomes a folder of its name: both steps are approved, written and undone together."""
    before = harbour.read("one.txt")
    diff = harbour.root.parent / "into.diff"
    diff.write_text(
        "diff --git a/one.txt b/one.txt/base.txt\nsimilarity index 100%\n"
        "rename from one.txt\nrename to one.txt/base.txt\n"
    )
    plan = harbour.agent.submit(diff, "Into a folder")
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    person.press("A")
    person.wait_until_on("apply")
    assert harbour.agent.states(plan) == ["approved", "approved"]

    person.click("toolbar-apply")
    wait_for(lambda: harbour.agent.states(plan) == ["applied", "applied"], "both steps on disk")
    assert harbour.read("one.txt/base.txt") == before
    wait_for(lambda: len(person.history_states()) == 1, "the plan in the history")
    person.open_rollback(0)
    click_file_box(person, 1)
    assert not person.desk.rollback.chosen, "both stay, or both go back"
    click_file_box(person, 2)
    person.click("rollback-write")
    wait_for(lambda: harbour.agent.states(plan) == ["rolled_back", "rolled_back"], "both undone")
    assert harbour.untouched()


def test_the_window_says_why_a_part_of_a_larger_change_waits(harbour: Harbour, desktop: Desktop) -> None:
    """No hunk of it is left out, and none of it goes in while another step has a secret to accept."""
    steps = [
        {"op": "move", "path": "one.txt", "to": "four.txt"},
        {"op": "modify", "path": "four.txt", "edits": [{"old": lines_with(), "new": KEY}]},
        {"op": "create", "path": "one.txt", "content": "moved\n"},
    ]
    plan = harbour.root.parent / "stub.json"
    plan.write_text(json.dumps({"title": "Stub", "steps": steps}))
    identity = harbour.agent.submit(plan, "Stub")
    person = desktop.open(harbour.root)
    other = next(
        step["step"] for step in harbour.agent.json("show", identity)["steps"] if not secret_of(step)
    )
    person.click_step(identity, other)
    person.wait_for_step(other)
    assert person.desk.can(Action.APPROVE_STEP).startswith("Another step of the same change")
    assert person.desk.can(Action.TOGGLE_HUNK).startswith("Other steps of the same change")
    canvas = person.panes.pages.step.diff.canvas
    wait_for(lambda: canvas.layout_ is not None and canvas.layout_.hunks == 1, "its diff")
    assert not canvas.has_hunk_buttons
    person.press("A")
    assert harbour.agent.states(identity) == ["pending", "pending"]


def secret_of(step: dict[str, Any]) -> bool:
    return any(fact["kind"] == "secret" for fact in step["facts"])
