"""The history as one time line: entries of the journal among plans, found, summed up, exported."""

from __future__ import annotations

import json
from pathlib import Path

from studio.engine.store import Store
from studio.errors import FaultKind
from studio.journal.entries import CreateMode, FileFault, FileWrite
from studio.ui.history.journal_lines import HistoryShow
from studio.ui.review.reading import PlanLocation
from tests.journeys.desktop import Desktop
from tests.journeys.hands import wait_for
from tests.journeys.harbour import Harbour
from tests.journeys.person import Person


def apply_both(harbour: Harbour, desktop: Desktop) -> tuple[Person, list[str]]:
    """Two plans of a file each, applied; the history is open."""
    plans = [harbour.propose("Fix dates", one_txt="1\n"), harbour.propose("Write notes", two_txt="2\n")]
    person = desktop.open(harbour.root)
    for number, plan in enumerate(plans, 1):
        person.click_step(plan, 1)
        person.wait_for_step(1)
        person.press("A")
        person.wait_until_on("apply")
        person.press("Ctrl+Shift+Return")
        wait_for(lambda number=number: len(person.history_states()) == number, "the plan in the history")
    person.open_tab(0)
    return person, plans


def names(person: Person) -> list[str]:
    return [row.cells[1].text for row in person.panes.dock.history.view.rows.rows]


def look_for(person: Person, words: str) -> None:
    field = person.find("history-filter")
    field.clear()
    person.click_on(field)
    person.type(words)


def export_to(person: Person, file: Path) -> None:
    person.click("journal-export")
    person.choose_file(file)


def test_the_entries_of_a_plan_unfold_beneath_it_among_snapshots_and_faults(
    harbour: Harbour, desktop: Desktop
) -> None:
    """By arrow, by keys; the faults of no plan are in the list itself, and nothing is listed twice."""
    person, (dates, _notes) = apply_both(harbour, desktop)
    view = person.panes.dock.history.view
    person.click("snapshot-new")
    person.type("calm")
    person.press("Return")
    wait_for(lambda: names(person) == ["calm", "Write notes", "Fix dates"], "the snapshot")
    add_faults(person)
    above = ["f2.txt", "f1.txt", "f0.txt"]
    wait_for(lambda: names(person) == [*above, "calm", "Write notes", "Fix dates"], "the errors")
    person.click_row(view, view.rows.index(4, 0), 15)
    unfolded = [*above, "calm", "Write notes", "two.txt", "Fix dates"]
    wait_for(lambda: names(person) == unfolded, "the write beneath its plan")
    person.press("Down")
    person.press("Left")
    person.press("Left")
    wait_for(lambda: names(person) == [*above, "calm", "Write notes", "Fix dates"], "it closed")
    person.press("End")
    person.press("Right")
    wait_for(lambda: names(person)[-2:] == ["Fix dates", "one.txt"], "the other one")
    person.press("End")
    person.press("Return")
    wait_for(lambda: person.desk.reading.location == PlanLocation(dates), "its plan as it was decided")

    person.open_history(HistoryShow.APPLIED)
    wait_for(lambda: names(person) == ["Write notes", "Fix dates", "one.txt"], "the plans alone")
    person.open_history(HistoryShow.SNAPSHOTS)
    wait_for(lambda: names(person) == ["calm"], "the snapshot alone")
    person.open_history(HistoryShow.CHANGES)
    assert person.find("journal-faults").text() == "3 errors: 2 disk full, 1 not found"
    person.click("journal-faults")
    wait_for(lambda: names(person) == above, "the faults alone")


def test_the_journal_is_searched_and_exported(harbour: Harbour, desktop: Desktop, tmp_path: Path) -> None:
    """What is exported is byte for byte what the command exports, without contents."""
    person, (dates, _notes) = apply_both(harbour, desktop)
    view, field = person.panes.dock.history.view, person.find("history-filter")
    person.press("Ctrl+Shift+P")
    person.type("journal")
    person.press("Return")
    wait_for(lambda: names(person) == ["two.txt", "one.txt"], "every entry")
    look_for(person, "filewritten two")
    wait_for(lambda: names(person) == ["two.txt"], "the write of that file")
    look_for(person, "nowhere")
    wait_for(lambda: view.empty_text == "No matching entries.", view.empty_text)
    person.press("Escape")
    wait_for(lambda: len(names(person)) == 2, "everything again")
    assert view.hasFocus()

    person.click_row(view, view.rows.index(1, 1))
    person.click("journal-this-plan")
    wait_for(lambda: names(person) == ["one.txt"], "the plan's entries")
    assert field.text() == dates
    said = person.find("journal-timeline").text()
    assert said.startswith("Fix dates: proposed ")
    for words in (" by claude-code → approved by ", "in the window", " → applied "):
        assert words in said, said
    person.press("S")
    wait_for(lambda: person.find("journal-timeline").text().startswith("one.txt: proposed"), "the step's")
    person.press("Q")
    wait_for(lambda: not person.sees("journal-timeline"), "no line: an id of a request is no plan's")
    assert field.text().rpartition("-")[2] == "1" and names(person) == ["one.txt"]

    file, by_command = tmp_path / "window.ndjson", tmp_path / "command.ndjson"
    export_to(person, file)
    person.wait_until_said("Exported")
    harbour.agent.run("journal", "--export", str(by_command))
    assert file.read_bytes() == by_command.read_bytes()
    assert all("contents" not in json.loads(line) for line in file.read_text().splitlines())
    export_to(person, file)
    person.wait_until_said("exists already")
    export_to(person, harbour.root / "in.ndjson")
    person.wait_until_said("is in the project")
    assert not (harbour.root / "in.ndjson").exists()

    look_for(person, "")
    person.open_rollback(1)
    person.wait_until_on("apply")
    person.press("Ctrl+Shift+Return")
    person.wait_until_said("Rolled back")
    person.click_row(view, view.rows.index_of(dates))
    person.press("P")
    wait_for(lambda: " → rolled back " in person.find("journal-timeline").text(), "what became of it")


def add_faults(person: Person) -> None:
    """Three requests that failed, as the journal of a full disk has them."""
    store = Store(person.desk.project.workspace.state_folder)
    for number, kind in enumerate((FaultKind.DISK_FULL, FaultKind.NOT_FOUND, FaultKind.DISK_FULL)):
        name = f"f{number}-1"
        asked = FileWrite(name, f"f{number}.txt", None, CreateMode.CREATE_NEW)
        with store.database.write() as connection:
            fault = FileFault(name, kind, asked.path, "On purpose.")
            store.journal.append(connection, "", [("", asked), ("", fault)])
    store.close()
    person.desk.queue.store_changed.emit()
