"""R187: a folder is browsed by pattern, with the folders below and hidden files; there may be more of it."""

from __future__ import annotations

import pytest

from studio.engine import reader
from tests.journeys.desktop import Desktop
from tests.journeys.hands import wait_for
from tests.journeys.harbour import Harbour, lines_with
from tests.journeys.person import Person


def listed(person: Person) -> list[str]:
    return [row.cells[0].text for row in person.panes.folder.view.rows.rows]


def wait_for_list(person: Person, *names: str) -> None:
    wait_for(lambda: listed(person) == list(names), f"{names}, not {listed(person)}")


def test_a_folder_is_browsed_and_its_files_are_read(harbour: Harbour, desktop: Desktop) -> None:
    for name in ("src/deep/a.py", "src/deep/.secret", "src/b.py", "src/c.txt"):
        path = harbour.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        harbour.write(name, f"{name}\n")
    plan = harbour.propose("Beside", two_txt=lines_with(l5="changed 5"))
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    person.press("Shift+O")
    wait_for_list(person, "src", "one.txt", "three.txt", "two.txt")
    view = person.panes.folder.view
    wait_for(lambda: person.focused() is view, "the keyboard in the list")
    assert person.panes.folder.says().startswith("1 folder, 3 files")
    person.press("Return")
    wait_for_list(person, "deep", "b.py", "c.txt")
    person.click("folder-deep")
    wait_for_list(person, "deep", "b.py", "c.txt", "deep/a.py")
    person.click("folder-hidden")
    wait_for_list(person, "deep", "b.py", "c.txt", "deep/.secret", "deep/a.py")
    person.click_on(person.panes.folder.pattern)
    person.type("*.py")
    wait_for_list(person, "b.py", "deep/a.py")
    person.press("Return")
    person.press("Down")
    person.press("Return")
    file = person.panes.file
    wait_for(lambda: file.isVisible() and file.diff.line_count() == 1, "the file")
    assert file.header.title.text() == "a.py"
    person.press("Alt+Left")
    wait_for_list(person, "b.py", "deep/a.py")
    person.press("Backspace")
    wait_for(lambda: "src/b.py" in listed(person), "the folder above, with the folders below")
    assert person.desk.queue.plans[0].id == plan and not person.desk.queue.plans[0].steps[0].decision
    person.press("Escape")
    person.wait_for_step(1)


def test_it_says_that_there_is_more_and_why_a_pattern_can_t_be_read(
    harbour: Harbour, desktop: Desktop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "LISTED_ENTRIES_UP_TO", 2)
    harbour.propose("One", two_txt=lines_with(l5="changed 5"))
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    person.press("Shift+O")
    wait_for_list(person, "one.txt", "three.txt")
    assert "There is more than is listed" in person.panes.folder.says()
    person.click_on(person.panes.folder.pattern)
    person.type("**x")
    wait_for(lambda: listed(person) == [], "nothing listed")
    assert person.panes.folder.view.empty_text
