"""Several projects: what waits in each is said before it is opened, and one goes from one to the other."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QModelIndex, Qt

from studio.program.app_folders import state_directory
from studio.ui.finders.switcher import Switcher
from studio.ui.review import backlogs
from studio.ui.settings import Settings
from studio.ui.window.choice_row import ChoiceRow
from studio.ui.window.start_page import StartPage
from tests.journeys.desktop import Desktop
from tests.journeys.hands import wait_for
from tests.journeys.harbour import Harbour
from tests.journeys.person import Person, Program


def remember(*roots: Path) -> None:
    """As if these had been opened before, the first one last."""
    settings = Settings(state_directory() / "window.ini")
    for root in reversed(roots):
        settings.store_recent_project(root)


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


@pytest.fixture(autouse=True)
def short_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands run in the window's process, which does not ring for itself: it finds what they did later."""
    monkeypatch.setattr(backlogs, "PAUSE_MS", 50)


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """Another project beside the harbour."""
    folder = tmp_path / "almanac"
    folder.mkdir()
    return folder


def test_projects_say_what_waits_and_are_found_opened_and_forgotten_while_others_change_them(
    harbour: Harbour, desktop: Desktop, other: Path, tmp_path: Path
) -> None:
    """No row moves while the switcher is open: another process proposes, and deletes a folder, under the
    pointer."""
    (gone := tmp_path / "gone").mkdir()
    plan = harbour.propose("One file", one_txt="changed\n")
    remember(gone, harbour.root, other)
    first = desktop.open(None)
    rows = rows_of(first)
    wait_for(
        lambda: [row.note for row in rows] == ["no history", "1 plan to review", "no history"], "what waits"
    )
    submit_to(other, harbour, "a.txt")
    wait_for(lambda: rows[2].note == "1 plan to review", "a plan in the other project")
    assert "1 plan to review" in rows[2].accessibleDescription()
    harbour.agent.run("withdraw", plan)
    wait_for(lambda: rows[1].note != "1 plan to review", "one to be withdrawn")
    moved = other.rename(other.with_name("moved"))
    wait_for(lambda: rows[2].note == "missing" and not rows[2].isEnabled(), "the folder to be gone")
    other.mkdir()
    wait_for(lambda: rows[2].note == "replaced by another folder", "another folder in its place")
    assert rows[2].isEnabled(), "it can be opened; the window then says more"
    other.rmdir()
    moved.rename(other)
    switcher = open_switcher(first)
    place = switcher.geometry()
    submit_to(harbour.root, harbour, "new.txt")
    wait_for(lambda: told(switcher)[1].endswith("1 plan to review"), "the plan")
    shutil.rmtree(gone)
    wait_for(lambda: told(switcher)[0].endswith("missing"), "the folder to be gone")
    assert [line.partition(",")[0] for line in told(switcher)] == ["gone", "harbour", "almanac"]
    assert switcher.geometry() == place
    first.click_row(switcher.list, row_of(switcher, "gone"))
    assert switcher.isVisible() and "can't be opened: missing" in switcher.note.text()
    assert first.control.desk is None and not first.control.is_opening
    first.type("xharb")
    first.press("Home")
    first.press("Delete")
    assert switcher.field.text() == "harb" and gone in recent(), "within the words it edits them"
    assert [line.partition(",")[0] for line in told(switcher)] == ["harbour"]
    first.press("Return")
    wait_for(lambda: first.control.root_path == harbour.root, "the project in this window")

    switcher = open_switcher(first)
    first.click_row(switcher.list, row_of(switcher, "almanac"))
    wait_for(lambda: len(desktop.session.controls) == 2, "a window of its own")
    control = desktop.session.controls[1]
    wait_for(lambda: control.root_path == other and not control.is_opening, "the project in it")
    second = Person(control, first.hands, first.clock)
    wait_for(second.window.isActiveWindow, "the second window in front")
    switcher = open_switcher(second)
    wait_for(lambda: "1 plan to review" in told(switcher)[0], "what is waiting in the other window")
    assert told(switcher)[0].startswith("harbour, open · ") and told(switcher)[1].startswith("almanac, this")
    second.press("Return")
    wait_for(first.window.isActiveWindow, "the other window in front")

    kept = sorted(state_directory().rglob("store.sqlite3"))
    switcher = open_switcher(first)
    names = [line.partition(",")[0] for line in told(switcher)]
    first.click_row(switcher.list, row_of(switcher, "gone"))
    first.press("Delete")
    assert recent() == (harbour.root, other) or recent() == (other, harbour.root)
    assert "was removed from the list" in switcher.note.text()
    assert [line.partition(",")[0] for line in told(switcher)] == names, "it stays until the list is closed"
    first.press("Escape")
    assert "gone" not in [line.partition(",")[0] for line in told(open_switcher(first))]
    assert harbour.untouched() and kept and set(kept) <= set(state_directory().rglob("store.sqlite3"))
