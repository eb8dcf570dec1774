"""A folder is browsed by pattern, with the folders below and hidden files; there may be more of it."""

from __future__ import annotations

import shutil

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from studio.extras import reader
from tests.journeys.desktop import Desktop
from tests.journeys.hands import wait_for
from tests.journeys.harbour import Harbour, lines_with
from tests.journeys.person import Person
from tests.journeys.test_context_menus import choose, tree_menu


def listed(person: Person) -> list[str]:
    return [row.cells[0].text for row in person.panes.pages.folder.view.rows.rows]


def wait_for_list(person: Person, *names: str) -> None:
    wait_for(lambda: listed(person) == list(names), f"{names}, not {listed(person)}")


def test_a_folder_is_browsed_by_pattern_back_and_ahead_while_others_change_it(
    harbour: Harbour, desktop: Desktop, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("src/deep/a.py", "src/deep/.secret", "src/b.py", "src/c.txt"):
        path = harbour.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        harbour.write(name, f"{name}\n")
    (harbour.root / "src/leads").symlink_to("c.txt")
    plan = harbour.propose("Beside", two_txt=lines_with(l5="changed 5"))
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    person.press("Shift+O")
    wait_for_list(person, "src", "one.txt", "three.txt", "two.txt")
    page = person.panes.pages.folder
    view = page.view
    wait_for(lambda: person.focused() is view, "the keyboard in the list")
    assert page.says().startswith("1 folder, 3 files")
    handle = person.window.windowHandle()
    assert handle is not None
    row = view.visualRect(view.rows.index(0, 0)).center()
    QTest.mouseDClick(
        handle, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier,
        view.viewport().mapTo(person.window, row),
    )  # fmt: skip
    link = "src/leads is a link, and links are not followed."
    wait_for_list(person, "deep", "b.py", "c.txt", link)
    person.press("End")
    person.press("Return")
    assert page.isVisible(), "a row that leads nowhere"
    person.click("folder-deep")
    person.click("folder-hidden")
    wait_for_list(person, "deep", "b.py", "c.txt", "deep/.secret", "deep/a.py", link)
    person.click_on(page.pattern)
    person.type("[")
    wait_for(lambda: 'The glob pattern "[" can\'t be read' in view.empty_text, "the sentence")
    assert listed(person) == []
    person.press("Backspace")
    person.type("*.py")
    wait_for_list(person, "b.py", "deep/a.py", link)
    person.press("Return")
    person.press("Down")
    person.press("Return")
    file = person.panes.pages.file
    wait_for(lambda: file.isVisible() and file.diff.line_count() == 1, "the file")
    assert file.header.title.text() == "a.py"
    person.press("Alt+Left")
    wait_for_list(person, "b.py", "deep/a.py", link)
    person.press("Alt+Left")
    wait_for_list(person, "src", "one.txt", "three.txt", "two.txt")
    assert not page.is_deep.isChecked() and not page.with_hidden.isChecked() and not page.pattern.text()
    person.press("Alt+Right")
    wait_for_list(person, "b.py", "deep/a.py", link)
    assert page.pattern.text() == "*.py" and page.is_deep.isChecked() and page.with_hidden.isChecked()
    person.press("Backspace")
    wait_for(lambda: "src/b.py" in listed(person), "the folder above, with the folders below")
    assert person.desk.queue.plans[0].id == plan and not person.desk.queue.plans[0].steps[0].decision
    person.press("Escape")
    person.wait_for_step(1)

    choose(person, tree_menu(person, "src"), "Browse folder")
    wait_for(lambda: "b.py" in listed(person), "the folder")
    harbour.write("src/a.py", "a\n")
    wait_for(lambda: "a.py" in listed(person), "what another program wrote")
    monkeypatch.setattr(reader, "LISTED_ENTRIES_UP_TO", 2)
    harbour.write("src/more.py", "more\n")
    wait_for(lambda: "Not all entries are listed" in page.says(), "that there is more")
    shutil.rmtree(harbour.root / "src")
    wait_for(lambda: listed(person) == [] and "src" in view.empty_text, "that it is gone")
