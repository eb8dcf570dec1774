"""R187: a folder is browsed by pattern, with the folders below and hidden files; there may be more of it."""

from __future__ import annotations

import shutil

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from studio.engine import reader
from tests.journeys.desktop import Desktop
from tests.journeys.hands import wait_for
from tests.journeys.harbour import Harbour, lines_with
from tests.journeys.person import Person
from tests.journeys.test_context_menus import choose, open_menu


def listed(person: Person) -> list[str]:
    return [row.cells[0].text for row in person.panes.pages.folder.view.rows.rows]


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
    view = person.panes.pages.folder.view
    wait_for(lambda: person.focused() is view, "the keyboard in the list")
    assert person.panes.pages.folder.says().startswith("1 folder, 3 files")
    handle = person.window.windowHandle()
    assert handle is not None
    row = view.visualRect(view.rows.index(0, 0)).center()
    QTest.mouseDClick(
        handle, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier,
        view.viewport().mapTo(person.window, row),
    )  # fmt: skip
    wait_for_list(person, "deep", "b.py", "c.txt")
    person.click("folder-deep")
    wait_for_list(person, "deep", "b.py", "c.txt", "deep/a.py")
    person.click("folder-hidden")
    wait_for_list(person, "deep", "b.py", "c.txt", "deep/.secret", "deep/a.py")
    person.click_on(person.panes.pages.folder.pattern)
    person.type("*.py")
    wait_for_list(person, "b.py", "deep/a.py")
    person.press("Return")
    person.press("Down")
    person.press("Return")
    file = person.panes.pages.file
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
    assert "There is more than is listed" in person.panes.pages.folder.says()
    person.click_on(person.panes.pages.folder.pattern)
    person.type("[")
    view = person.panes.pages.folder.view
    wait_for(lambda: 'The glob pattern "[" can\'t be read' in view.empty_text, "the sentence")
    assert listed(person) == []
    person.press("Backspace")
    wait_for_list(person, "one.txt", "three.txt")


def test_it_opens_from_the_tree_and_what_others_do_meanwhile_is_shown(
    harbour: Harbour, desktop: Desktop
) -> None:
    (harbour.root / "src").mkdir()
    harbour.write("src/a.txt", "a\n")
    (harbour.root / "src/leads").symlink_to("a.txt")
    harbour.propose("One", two_txt=lines_with(l5="changed 5"))
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    tree = person.panes.tree
    wait_for(lambda: tree.model.index_of("src").isValid(), "the folder in the tree")
    place = tree.view.visualRect(tree.model.index_of("src")).center()
    choose(person, open_menu(person, tree.view.viewport(), place, "tree"), "Browse it")
    wait_for_list(person, "a.txt", "src/leads is a link, and links are not followed.")
    view = person.panes.pages.folder.view
    person.press("End")
    person.press("Return")
    assert person.panes.pages.folder.isVisible(), "a row that leads nowhere"
    harbour.write("src/b.txt", "b\n")
    wait_for(lambda: "b.txt" in listed(person), "what another program wrote")
    shutil.rmtree(harbour.root / "src")
    wait_for(lambda: listed(person) == [] and "src" in view.empty_text, "that it is gone")
    harbour.on_write("src/a.txt")


def test_back_and_ahead_lead_through_what_was_listed(harbour: Harbour, desktop: Desktop) -> None:
    """What the fields are set to on the way is no question of the person's: it led elsewhere."""
    for name in ("src/deep/a.py", "src/deep/.secret", "src/b.py"):
        (harbour.root / name).parent.mkdir(parents=True, exist_ok=True)
        harbour.write(name, f"{name}\n")
    harbour.propose("Beside", two_txt=lines_with(l5="changed 5"))
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    person.press("Shift+O")
    wait_for_list(person, "src", "one.txt", "three.txt", "two.txt")
    person.press("Return")
    wait_for_list(person, "deep", "b.py")
    person.click("folder-deep")
    wait_for_list(person, "deep", "b.py", "deep/a.py")
    person.click("folder-hidden")
    wait_for_list(person, "deep", "b.py", "deep/.secret", "deep/a.py")
    person.click_on(person.panes.pages.folder.pattern)
    person.type("*.py")
    wait_for_list(person, "b.py", "deep/a.py")
    person.press("Return")
    person.press("Alt+Left")
    wait_for_list(person, "src", "one.txt", "three.txt", "two.txt")
    page = person.panes.pages.folder
    assert not page.is_deep.isChecked() and not page.with_hidden.isChecked()
    assert not page.pattern.text()
    person.press("Alt+Right")
    wait_for_list(person, "b.py", "deep/a.py")
    assert page.pattern.text() == "*.py"
    assert page.is_deep.isChecked() and page.with_hidden.isChecked()
