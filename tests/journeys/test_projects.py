"""Several projects: what waits in each is said before it is opened, and one goes from one to the other."""

from __future__ import annotations

import json
import shutil
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QModelIndex, Qt

from studio.engine import backlog
from studio.engine.app_folders import state_directory
from studio.engine.backlog import Unknown
from studio.ui.finders.switcher import Switcher
from studio.ui.settings import Settings
from studio.ui.window.choice_row import ChoiceRow
from studio.ui.window.start_page import StartPage
from tests.journeys.desktop import Desktop
from tests.journeys.hands import let_pass, wait_for
from tests.journeys.harbour import Harbour
from tests.journeys.person import Person, Program


def remember(*roots: Path) -> None:
    """As if these had been opened before, the first one last."""
    settings = Settings(state_directory() / "window.ini")
    for root in reversed(roots):
        settings.keep_recent_project(root)


def recent() -> tuple[Path, ...]:
    return Settings(state_directory() / "window.ini").recent_projects()


def rows_of(person: Person) -> list[ChoiceRow]:
    """The recent projects of the start page, from top to bottom."""
    page = person.find("start-page")
    assert isinstance(page, StartPage)
    return [row for row in page.findChildren(ChoiceRow) if row.objectName() == "choice-folder"]


def open_switcher(person: Person) -> Switcher:
    person.press("Ctrl+Shift+O")
    found: Any = person.find("switcher")
    assert isinstance(found, Switcher)
    return found


def told(switcher: Switcher) -> list[str]:
    """What a reader hears of each row."""
    model = switcher.list.model()
    rows = [model.index(row, 0) for row in range(model.rowCount())]
    return [row.data(Qt.ItemDataRole.AccessibleTextRole) for row in rows]


def row_of(switcher: Switcher, name: str) -> QModelIndex:
    model = switcher.list.model()
    rows = [model.index(row, 0) for row in range(model.rowCount())]
    return next(row for row in rows if row.data() == name)


def submit_to(root: Path, harbour: Harbour, name: str, *, apart: bool = False) -> str:
    """Propose a new file to a project, `apart` as another process; returns the plan's id."""
    file = harbour.texts / f"{root.name}-{name}.json"
    steps = [{"op": "create", "path": name, "content": "new\n"}]
    file.write_text(json.dumps({"title": name, "steps": steps}))
    return Program(root, apart=apart).submit(file, name)


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """Another project beside the harbour."""
    folder = tmp_path / "almanac"
    folder.mkdir()
    return folder


class StillDisk:
    """A disk on which whatever is asked of some folders gets no answer before it is let go."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.is_asked: list[Path] = []
        self.folders: frozenset[Path] = frozenset()
        self._go_on = threading.Event()
        read = backlog.read_backlog

        def wait(root: Path) -> backlog.Backlog:
            if root in self.folders:
                self.is_asked.append(root)
                self._go_on.wait()
            return read(root)

        monkeypatch.setattr(backlog, "read_backlog", wait)

    def go_on(self) -> None:
        self._go_on.set()


@pytest.fixture
def still_disk(monkeypatch: pytest.MonkeyPatch) -> Iterator[StillDisk]:
    made = StillDisk(monkeypatch)
    yield made
    made.go_on()
    for thread in threading.enumerate():
        if thread.name == "alone":
            thread.join()


# The start page


def test_the_start_page_says_what_waits_and_follows_other_processes(
    harbour: Harbour, desktop: Desktop, other: Path
) -> None:
    plan = harbour.propose("One file", one_txt="changed\n")
    remember(harbour.root, other)
    person = desktop.open(None)
    first, second = rows_of(person)
    wait_for(lambda: (first.note, second.note) == ("1 plan waits", "no history"), "what waits")
    submit_to(harbour.root, harbour, "second.txt")
    wait_for(lambda: first.note == "2 plans wait", "the second plan")
    assert "2 plans wait" in first.accessibleDescription()
    harbour.agent.run("withdraw", plan)
    wait_for(lambda: first.note == "1 plan waits", "one to be withdrawn")
    submit_to(other, harbour, "a.txt")
    wait_for(lambda: second.note == "1 plan waits", "a plan in the other project")
    other.rename(other.with_name("moved"))
    wait_for(lambda: second.note == "not there now" and not second.isEnabled(), "the folder to be gone")
    other.mkdir()
    wait_for(lambda: second.note == "another folder is there now", "another folder in its place")
    assert second.isEnabled(), "it can be opened; the window then says more"
    person.click_on(first)
    wait_for(lambda: person.control.desk is not None, "the project")
    assert person.control.root_path == harbour.root


def test_a_ring_is_heard_before_the_next_look(
    harbour: Harbour, desktop: Desktop, monkeypatch: pytest.MonkeyPatch
) -> None:
    from studio.ui.desk import backlogs

    monkeypatch.setattr(backlogs, "PAUSE_MS", 3_600_000)
    harbour.propose("One file", one_txt="changed\n")
    remember(harbour.root)
    person = desktop.open(None)
    (row,) = rows_of(person)
    wait_for(lambda: row.note == "1 plan waits", "what waits")
    submit_to(harbour.root, harbour, "second.txt", apart=True)
    wait_for(lambda: row.note == "2 plans wait", "the second plan")


def test_a_list_is_looked_at_only_while_it_is_on_screen(
    harbour: Harbour, desktop: Desktop, other: Path, still_disk: StillDisk
) -> None:
    remember(other)
    person = desktop.open(None)
    (row,) = rows_of(person)
    wait_for(lambda: row.note == "no history", "what waits")
    person.control.open_project(harbour.root)
    wait_for(lambda: person.control.desk is not None, "the project")
    still_disk.folders = frozenset({other})
    submit_to(other, harbour, "a.txt")
    let_pass(0.3)
    assert still_disk.is_asked == []


def test_fifty_disks_that_do_not_answer_hold_up_nothing(
    harbour: Harbour, desktop: Desktop, tmp_path: Path, still_disk: StillDisk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page is there and obeys; the one that answers is told of, the others are off with the reason."""
    from studio.ui.desk import backlogs

    monkeypatch.setattr(backlogs, "PATIENCE_MS", 100)
    gone = [tmp_path / "mnt" / str(number) for number in range(50)]
    still_disk.folders = frozenset(gone)
    harbour.propose("One file", one_txt="changed\n")
    remember(*gone[:5], harbour.root, *gone[5:])
    person = desktop.open(None)
    rows = rows_of(person)
    assert len(rows) == 6
    wait_for(lambda: rows[5].note == "1 plan waits", "the disk that answers")
    wait_for(lambda: [row.isEnabled() for row in rows] == [False] * 5 + [True], "the others to be off")
    assert rows[0].note == "the disk does not answer"
    switcher = open_switcher(person)
    wait_for(
        lambda: sum("does not answer" in line for line in told(switcher)) == 49,
        "every disk that does not answer to be said",
    )
    assert len(still_disk.is_asked) == len(set(still_disk.is_asked)) == 49, "none is asked twice"
    person.press("Escape")
    still_disk.go_on()
    wait_for(lambda: rows[0].note == "not there now", "an answer after all")
    person.click_on(rows[5])
    wait_for(lambda: person.control.desk is not None, "the project")


def test_the_program_ends_while_a_disk_does_not_answer(
    desktop: Desktop, tmp_path: Path, still_disk: StillDisk
) -> None:
    still_disk.folders = frozenset({tmp_path})
    remember(tmp_path)
    person = desktop.open(None)
    wait_for(lambda: still_disk.is_asked, "the look")
    person.window.close()
    before = time.monotonic()
    desktop.runner.close()
    assert time.monotonic() - before < 20, "it waited for the disk"


# The switcher


def test_one_goes_to_a_window_and_back_by_two_keys(harbour: Harbour, desktop: Desktop, other: Path) -> None:
    harbour.propose("One file", one_txt="changed\n")
    first = desktop.open(harbour.root)
    second = desktop.open(other)
    switcher = open_switcher(second)
    wait_for(lambda: "1 plan waits" in told(switcher)[0], "what waits in the other window")
    assert told(switcher)[0].startswith("harbour, open · ") and told(switcher)[1].startswith("almanac, this")
    second.press("Return")
    wait_for(first.window.isActiveWindow, "the other window in front")
    assert not switcher.isVisible() and len(desktop.session.controls) == 2
    again = open_switcher(first)
    first.click_row(again.list, row_of(again, "almanac"))
    wait_for(second.window.isActiveWindow, "the second window in front")


def test_a_project_from_before_is_found_by_words_and_opened(
    harbour: Harbour, desktop: Desktop, other: Path
) -> None:
    remember(harbour.root, other)
    person = desktop.open(None)
    switcher = open_switcher(person)
    person.type("alm")
    assert [line.partition(",")[0] for line in told(switcher)] == ["almanac"]
    person.press("Return")
    wait_for(lambda: person.control.root_path == other, "the project in this window")
    switcher = open_switcher(person)
    person.click_row(switcher.list, row_of(switcher, "harbour"))
    wait_for(lambda: len(desktop.session.controls) == 2, "a window of its own")
    wait_for(lambda: desktop.session.controls[1].root_path == harbour.root, "the project in it")


def test_no_row_moves_while_it_is_open_and_what_is_gone_says_so(
    harbour: Harbour, desktop: Desktop, other: Path
) -> None:
    """Another process proposes, and deletes a folder, under the pointer."""
    remember(other, harbour.root)
    person = desktop.open(None)
    switcher = open_switcher(person)
    wait_for(lambda: all("no history" in line for line in told(switcher)), "what is known")
    place = switcher.geometry()
    submit_to(harbour.root, harbour, "new.txt")
    wait_for(lambda: told(switcher)[1].endswith("1 plan waits"), "the plan")
    shutil.rmtree(other)
    wait_for(lambda: told(switcher)[0].endswith("not there now"), "the folder to be gone")
    assert [line.partition(",")[0] for line in told(switcher)] == ["almanac", "harbour"]
    assert switcher.geometry() == place
    person.click_row(switcher.list, row_of(switcher, "almanac"))
    assert switcher.isVisible() and "can't be opened: not there now" in switcher.note.text()
    assert person.control.desk is None and not person.control.is_opening
    person.click_row(switcher.list, row_of(switcher, "harbour"))
    wait_for(lambda: person.control.root_path == harbour.root, "the project")


def test_delete_forgets_the_entry_alone(harbour: Harbour, desktop: Desktop, other: Path) -> None:
    harbour.propose("One file", one_txt="changed\n")
    kept = sorted(state_directory().rglob("store.sqlite3"))
    remember(harbour.root, other)
    person = desktop.open(other)
    switcher = open_switcher(person)
    assert told(switcher)[0].startswith("almanac, this window")
    person.press("Delete")
    assert "is open" in switcher.note.text() and other in recent()
    person.press("Down")
    person.press("Delete")
    assert recent() == (other,)
    assert "is not listed any more" in switcher.note.text()
    assert told(switcher)[1].endswith("forgotten"), "the row stays where it is until the list is closed"
    person.press("Return")
    assert switcher.isVisible() and person.control.root_path == other
    assert harbour.untouched() and kept and set(kept) <= set(state_directory().rglob("store.sqlite3"))
    person.press("Escape")
    assert [line.partition(",")[0] for line in told(open_switcher(person))] == ["almanac"]


def test_delete_within_the_words_edits_them(harbour: Harbour, desktop: Desktop) -> None:
    remember(harbour.root)
    person = desktop.open(None)
    switcher = open_switcher(person)
    person.type("xharb")
    person.press("Home")
    person.press("Delete")
    assert switcher.field.text() == "harb" and recent() == (harbour.root,)


@pytest.mark.parametrize("text", ['"no json["', '"[1, null, \\"relative\\", \\"a\\\\u0000b\\"]"'])
def test_a_list_that_somebody_spoiled_is_an_empty_one(harbour: Harbour, desktop: Desktop, text: str) -> None:
    (state_directory() / "window.ini").write_text(f"[General]\nrecent_projects={text}\n")
    person = desktop.open(None)
    assert rows_of(person) == []
    switcher = open_switcher(person)
    assert told(switcher) == []
    person.press("Return")
    person.press("Delete")
    person.press("Escape")
    person.control.project_wanted.emit(harbour.root)
    wait_for(lambda: person.control.desk is not None, "the project")
    assert recent() == (harbour.root,)


def test_every_reason_has_words(desktop: Desktop) -> None:
    from studio.ui.look.backlog_words import backlog_look

    looks = [backlog_look(backlog.Backlog(unknown=why)) for why in Unknown]
    assert len({look.words for look in looks}) == len(Unknown) and all(look.first for look in looks)
    assert [bool(look.why_not) for look in looks].count(True) == 2
    whole = backlog_look(backlog.Backlog("key", 2, 3, 1, is_interrupted=True))
    assert whole.first == "an apply was interrupted"
    assert whole.words == "an apply was interrupted, 3 agents wait, 2 plans wait, 1 plan to apply"
