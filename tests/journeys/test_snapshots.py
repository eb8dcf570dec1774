"""Whole states, by hand: kept, looked at, brought back, undone, deleted; bytes on disk each time."""

from __future__ import annotations

import errno
from contextlib import closing

import pytest

from studio.engine.plan import StepState
from studio.extras.snapshots import Snapshots
from studio.ui.actions.action import Action
from studio.workspace import Workspace
from tests.engine.conftest import PERSON
from tests.journeys.desktop import Desktop
from tests.journeys.hands import wait_for
from tests.journeys.harbour import Harbour, lines_with
from tests.journeys.person import Person


def keep(person: Person, tag: str) -> None:
    """Make a snapshot by keys and a click; the list shows it then."""
    person.press("Alt+1")
    person.click("snapshot-new")
    wait_for(person.panes.dock.history.snapshots.banner.field.hasFocus, "the field for its name")
    person.type(tag)
    person.click("snapshot-make")
    person.wait_until_said(f"Created snapshot “{tag}”")
    wait_for(lambda: tag in names(person), "it in the list")


def names(person: Person) -> list[str]:
    rows = person.panes.dock.history.view.rows.rows
    return [row.cells[1].text for row in rows if row.key.startswith("snapshot/")]


def point_at(person: Person, row: int = 0) -> None:
    """Make a snapshot, counted from the newest, the one that the buttons speak about."""
    view = person.panes.dock.history.view
    snapshots = [number for number, each in enumerate(view.rows.rows) if each.key.startswith("snapshot/")]
    index = view.rows.index(snapshots[row], 1)
    person.click_row(view, index)
    person.hover(view.viewport(), view.visualRect(index).center())


def open_restore(person: Person) -> None:
    point_at(person)
    person.click("snapshot-restore")
    wait_for(lambda: person.desk.restore.preview is not None, "the preview of the restore")


def test_a_state_is_kept_restored_as_it_was_shown_undone_and_deleted(
    harbour: Harbour, desktop: Desktop
) -> None:
    """A file that changes under an open preview: it is shown anew, and the press of before does nothing."""
    person = desktop.open(harbour.root)
    person.press("Alt+1")
    person.press("Ctrl+Shift+P")
    person.type("new snapshot")
    person.press("Return")
    wait_for(person.panes.dock.history.snapshots.banner.field.hasFocus, "the field for its name")
    person.type("calm")
    person.press("Return")
    person.wait_until_said("Created snapshot “calm”")
    wait_for(lambda: names(person) == ["calm"], "it in the list")
    harbour.write("one.txt", lines_with(l3="a storm"))
    (harbour.root / "two.txt").chmod(0o755)
    (harbour.root / "new").mkdir()
    harbour.write("new/four.txt", "flotsam\n")
    open_restore(person)
    assert harbour.read("one.txt") == lines_with(l3="a storm"), "a preview writes nothing"
    table = person.panes.pages.restore.table
    told = [(row.key, row.cells[0].text, row.cells[-1].text) for row in table.rows.rows]
    assert [name for _, name, _ in told] == ["new", "four.txt", "one.txt", "two.txt"]
    assert told[0][2] == "folder deleted" and told[3][2] == "old permissions restored"
    assert "deleted" in told[1][2] and "the file has outside changes" in told[2][2]
    person.click_row(table, table.rows.index_of("3"))
    wait_for(lambda: person.panes.pages.restore.diff.row_count() > 0, "the diff of one.txt")
    person.click("restore-write")
    person.wait_until_said("from “calm”.")
    assert harbour.untouched() and not (harbour.root / "new").exists()
    assert (harbour.root / "two.txt").stat().st_mode & 0o777 == 0o644
    wait_for(lambda: len(person.history_states()) == 1, "the restore in the history")
    person.click("status-undo")
    person.wait_until_said("Rolled back")
    assert harbour.read("one.txt") == lines_with(l3="a storm")
    assert harbour.read("new/four.txt") == "flotsam\n"
    assert (harbour.root / "two.txt").stat().st_mode & 0o777 == 0o755

    person.press("Alt+1")
    person.press("Return")
    wait_for(lambda: person.desk.restore.preview is not None, "the preview of the restore")
    first = person.desk.restore.preview
    harbour.write("three.txt", lines_with(l5="a storm too"))
    person.desk.queue.disk_changed()
    wait_for(lambda: person.desk.restore.preview is not first, "the preview as it is by now")
    assert person.find("restore-write").text() == "Restore 5 files"
    assert person.desk.guards.dead_time.seconds_left > 0
    person.press("Ctrl+Shift+Return")
    assert harbour.read("three.txt") == lines_with(l5="a storm too"), "nobody had time to read it"

    def is_restored() -> bool:
        """The preview may be looked at again just then, and a press on what changed does nothing."""
        if person.control.actions[Action.APPLY].isEnabled():
            person.press("Ctrl+Shift+Return")
        return "Restored 5 files from “calm”." in person.said()

    wait_for(is_restored, "the restore")
    assert harbour.untouched()

    harbour.write("one.txt", lines_with(l3="a storm"))
    open_restore(person)
    with closing(Workspace.open(harbour.root)) as other:
        other.reviewer(PERSON).snapshots.delete(["calm"])
    person.wait_until_said("Snapshot “calm” no longer exists.")
    wait_for(lambda: person.desk.restore.preview is None, "the preview to go")
    keep(person, "storm")
    point_at(person)
    person.click("snapshot-delete")
    person.click("snapshot-delete-now")
    person.wait_until_said("Deleted snapshot “storm”.")
    wait_for(lambda: not names(person), "it gone from the list")
    assert harbour.read("one.txt") == lines_with(l3="a storm")


def test_a_stopped_reading_and_a_full_disk_leave_no_snapshot(
    harbour: Harbour, desktop: Desktop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While it reads no other is begun, and a decision does not wait for it."""
    plan = harbour.propose_three()
    person = desktop.open(harbour.root)
    create = Snapshots.create

    def slowly(self: Snapshots, tag: str = "", **how: object) -> object:
        reading = person.desk.snapshots.reading
        assert reading is not None
        reading.stop.wait(20)
        return create(self, tag, progress=reading.progress)

    monkeypatch.setattr(Snapshots, "create", slowly)
    person.press("Alt+1")
    person.click("snapshot-new")
    person.type("never")
    person.press("Return")
    wait_for(lambda: person.sees("snapshot-stop"), "the button that stops")
    assert not person.find("snapshot-new").isEnabled()
    person.click_step(plan, 1)
    person.wait_for_step(1)
    person.press("A")
    wait_for(lambda: person.desk.queue.plans[0].steps[0].state is StepState.APPROVED, "a decision meanwhile")
    person.click("snapshot-stop")
    person.wait_until_said("The snapshot was cancelled. Nothing was stored.")
    wait_for(lambda: person.desk.snapshots.use is not None, "the list read again")
    assert names(person) == []

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "no room")

    monkeypatch.setattr(Snapshots, "create", create)
    monkeypatch.setattr("studio.engine.snapshot_store.object_folder.ObjectFolder.write_blob", full)
    person.click("snapshot-new")
    person.press("Return")
    wait_for(lambda: "full" in person.said(), "the reason in the status bar")
    assert names(person) == [] and harbour.untouched()
