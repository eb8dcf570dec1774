"""The journal as a log of what happened: found by words and ids, summed up, exported (R191)."""

from __future__ import annotations

import json
from pathlib import Path

from PySide6.QtCore import QPoint

from studio.engine.store import Store
from studio.errors import FaultKind
from studio.journal.entries import CreateMode, FileFault, FileWrite
from studio.ui.history.journal_panel import JournalPanel
from tests.journeys.desktop import Desktop
from tests.journeys.hands import wait_for
from tests.journeys.harbour import Harbour
from tests.journeys.person import Person


def apply_both(harbour: Harbour, desktop: Desktop) -> tuple[Person, JournalPanel, list[str]]:
    """Two plans of a file each, applied; the journal is in front."""
    plans = [harbour.propose("Fix dates", one_txt="1\n"), harbour.propose("Write notes", two_txt="2\n")]
    person = desktop.open(harbour.root)
    for number, plan in enumerate(plans, 1):
        person.click_step(plan, 1)
        person.wait_for_step(1)
        person.press("A")
        person.wait_until_on("apply")
        person.press("Ctrl+Shift+Return")
        wait_for(lambda number=number: len(person.history_states()) == number, "the plan in the history")
    person.open_journal()
    journal = person.panes.dock.journal
    wait_for(lambda: journal.view.rows.rowCount() == 2, "the two writes")
    return person, journal, plans


def paths(journal: JournalPanel) -> list[str]:
    return [row.cells[2].text for row in journal.view.rows.rows]


def look_for(person: Person, words: str) -> None:
    field = person.find("journal-find")
    field.clear()
    person.click_on(field, QPoint(10, 10))
    person.type(words)


def export_to(person: Person, file: Path) -> None:
    person.click("journal-export")
    person.choose_file(file)


def test_the_journal_is_searched_exported_and_sums_up_faults(
    harbour: Harbour, desktop: Desktop, tmp_path: Path
) -> None:
    """What is exported is byte for byte what the command exports, without contents."""
    person, journal, (dates, _notes) = apply_both(harbour, desktop)
    look_for(person, "filewritten two")
    wait_for(lambda: paths(journal) == ["two.txt"], "the write of that file")
    look_for(person, "nowhere")
    wait_for(lambda: journal.view.empty_text == "No entry fits these words.", journal.view.empty_text)
    person.press("Escape")
    wait_for(lambda: len(paths(journal)) == 2, "everything again")
    assert journal.view.hasFocus()

    person.click_row(journal.view, journal.view.rows.index(1, 2))
    person.click("journal-this-plan")
    wait_for(lambda: paths(journal) == ["one.txt"], "the plan's entries")
    assert journal.tools.field.text() == dates
    said = person.find("journal-timeline").text()
    assert said.startswith("Fix dates: proposed ")
    for words in (" by claude-code → approved by ", "in the window", " → applied "):
        assert words in said, said
    person.press("S")
    wait_for(lambda: person.find("journal-timeline").text().startswith("one.txt: proposed"), "the step's")
    person.press("Q")
    wait_for(lambda: not person.sees("journal-timeline"), "no line: an id of a request is no plan's")
    assert journal.tools.field.text().rpartition("-")[2] == "1" and paths(journal) == ["one.txt"]

    file, by_command = tmp_path / "window.ndjson", tmp_path / "command.ndjson"
    export_to(person, file)
    person.wait_until_said("entries are in")
    harbour.agent.run("journal", "--export", str(by_command))
    assert file.read_bytes() == by_command.read_bytes()
    assert all("contents" not in json.loads(line) for line in file.read_text().splitlines())
    export_to(person, file)
    person.wait_until_said("exists already")
    export_to(person, harbour.root / "in.ndjson")
    person.wait_until_said("lies in the project")
    assert not (harbour.root / "in.ndjson").exists()

    person.open_rollback(1)
    person.wait_until_on("apply")
    person.press("Ctrl+Shift+Return")
    person.wait_until_said("Rolled back")
    person.open_journal()
    look_for(person, dates)
    wait_for(lambda: " → rolled back " in person.find("journal-timeline").text(), "what became of it")

    person.press("Escape")
    wait_for(lambda: len(paths(journal)) == 3, "everything again")
    assert not person.sees("journal-faults")
    add_faults(person)
    wait_for(lambda: person.sees("journal-faults"), "the faults")
    assert person.find("journal-faults").text() == "3 faults: 2 disk full, 1 not found"
    person.click("journal-faults")
    wait_for(lambda: paths(journal) == ["f2.txt", "f1.txt", "f0.txt"], "the faults alone")


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
