"""Queue, dock and finders by hand: filtering, sorting, going to files, journal, ways out, a new folder."""

from __future__ import annotations

import shutil

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QMenu

from studio.ui.history.table import choice_area
from tests.journeys.desktop import Desktop
from tests.journeys.hands import wait_for
from tests.journeys.harbour import Harbour, lines_with
from tests.journeys.person import Person


def choose(person: Person, menu: QMenu, words: str) -> None:
    """Press an entry of a menu that is open."""
    wait_for(menu.isVisible, f"the menu {menu.objectName()}")
    entry = next(action for action in menu.actions() if action.text() == words)
    handle = menu.windowHandle()
    assert handle is not None
    person.hands.click(handle, menu.actionGeometry(entry).center())


def apply_one(harbour: Harbour, desktop: Desktop, **results: str) -> Person:
    """A plan that was approved step by step and applied."""
    harbour.propose("Some files", **results)
    person = desktop.open(harbour.root)
    for number in range(1, len(results) + 1):
        person.wait_for_step(number)
        person.press("A")
    person.wait_until_on("apply")
    person.press("Ctrl+Shift+Return")
    person.wait_until_said("Applied")
    wait_for(lambda: len(person.history_states()) == 1, "the plan in the history")
    return person


def test_a_reviewer_takes_the_largest_change_first(harbour: Harbour, desktop: Desktop) -> None:
    """J and K follow what is seen, not the order in which the agent wrote."""
    plan = harbour.propose(
        "Sizes",
        one_txt=lines_with(l3="changed"),
        two_txt=lines_with(l5="a", l15="b", l25="c"),
        three_txt=lines_with(l7="a", l17="b"),
    )
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    person.click("queue-order-button")
    choose(person, person.panes.queue.tools.order_menu, "Largest change first")
    person.panes.queue.setFocus()
    person.press("J")
    assert person.place == (plan, 1), "the smallest change stands last now"
    person.press("K")
    wait_for(lambda: person.place == (plan, 3), "the second largest")
    person.press("K")
    person.wait_for_step(2)
    person.press("A")
    person.wait_for_step(3)
    wait_for(lambda: harbour.agent.states(plan) == ["pending", "approved", "pending"], "the decision")


def test_a_filter_says_what_it_hides_and_is_taken_away(harbour: Harbour, desktop: Desktop) -> None:
    harbour.propose_three("One")
    harbour.propose("Two", one_txt=lines_with(l9="nine"))
    person = desktop.open(harbour.root)
    wait_for(lambda: person.queue_titles() == ["One", "Two"], "both plans")
    person.press("Ctrl+Alt+F")
    wait_for(lambda: person.focused().objectName() == "queue-path", "the field")
    person.type("two.txt")
    header = person.panes.queue.header.detail
    wait_for(lambda: person.queue_titles() == ["One"], "one plan")
    assert "2 hidden" in header.text(), "the step on screen stays listed"
    person.press("Return")
    assert person.focused().objectName() == "queue-list"
    person.click("queue-filter-button")
    choose(person, person.panes.queue.tools.filter_menu, "Hide nothing")
    wait_for(lambda: person.queue_titles() == ["One", "Two"], "both plans")
    assert "hidden" not in header.text() and not person.sees("queue-path")


def test_two_plans_for_one_file_name_each_other(harbour: Harbour, desktop: Desktop) -> None:
    """Q74: seen before anything is written."""
    harbour.propose("Dates", one_txt=lines_with(l3="dates"), two_txt=lines_with(l3="dates"))
    second = harbour.propose("Times", one_txt=lines_with(l9="times"))
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    person.click("queue-filter-button")
    choose(person, person.panes.queue.tools.filter_menu, "Steps that another plan writes too")
    wait_for(lambda: len(person.panes.queue.model.step_order) == 2, "the two steps")
    person.click_step(second, 1)
    wait_for(lambda: person.place == (second, 1), "the second plan's step")
    warning = person.find("look-out")
    assert warning.accessibleName() == "Another plan writes this file too"
    assert "“Dates” of claude-code, step 1, one.txt" in warning.accessibleDescription()


def test_space_reads_to_the_end_and_goes_to_what_nobody_viewed(harbour: Harbour, desktop: Desktop) -> None:
    plan = harbour.propose_three()
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    person.click_step(plan, 2)
    person.wait_for_step(2)
    person.press("V")
    person.click_step(plan, 1)
    person.wait_for_step(1)
    person.press("Return")
    for _ in range(4):
        if person.place == (plan, 1):
            person.press("Space")
    person.wait_for_step(3)
    person.press("V")
    person.press("Shift+J")
    person.wait_until_said("Every step in the queue is viewed.")


def test_ctrl_p_leads_to_a_step_or_to_the_file(harbour: Harbour, desktop: Desktop) -> None:
    plan = harbour.propose("Two", two_txt=lines_with(l3="dates"), one_txt=lines_with(l3="dates"))
    (harbour.root / "deep" / "er").mkdir(parents=True)
    harbour.write("deep/er/harbour_master.txt", "ahoy\n")
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    person.press("Ctrl+P")
    files = person.find("go-to-file-list")
    person.type("one")
    wait_for(lambda: files.model().rowCount() and files.model().index(0, 0).data() == "one.txt", "one.txt")
    person.press("Return")
    wait_for(lambda: person.place == (plan, 2), "the step of one.txt")
    person.press("Ctrl+P")
    person.type("harbr master")
    wait_for(lambda: (files.model().index(0, 0).data() or "").endswith("master.txt"), "the file")
    person.press("Return")
    tree = person.panes.tree
    wait_for(lambda: tree.view.currentIndex().data() == "harbour_master.txt", "its row in the tree")
    wait_for(lambda: person.sees("file-page"), "the file")
    assert person.panes.pages.file.isAncestorOf(person.focused()) and not person.sees("go-to-file")


def test_f1_lists_the_keys(harbour: Harbour, desktop: Desktop) -> None:
    harbour.propose_three()
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    person.press("F1")
    rows = person.find("keys-list-list").model()
    person.type("next step")
    said = rows.index(0, 0).data(0)
    assert rows.rowCount() == 2 and said.startswith("Next step")
    person.press("Return")
    person.wait_for_step(2)


def test_the_journal_pairs_what_was_asked_and_answered(harbour: Harbour, desktop: Desktop) -> None:
    person = apply_one(harbour, desktop, one_txt=lines_with(l3="x"), two_txt=lines_with(l5="y"))
    person.press("Alt+2")
    journal = person.panes.dock.journal
    wait_for(lambda: journal.view.rows.rowCount() == 2, "the two writes")
    assert [[cell.text for cell in row.cells[1:6]] for row in journal.view.rows.rows] == [
        ["FileWrite", name, str(len(harbour.read(name))), "FileWritten", "Some files"]
        for name in ("two.txt", "one.txt")
    ]
    person.press("Ctrl+Alt+Z")
    wait_for(lambda: journal.view.rows.rowCount() == 4, "the writes of the undo follow")
    back = "Roll back “Some files”"
    wait_for(lambda: journal.view.rows.rows[0].cells[5].text == back, "the title of the undo")
    assert harbour.read("one.txt") == lines_with()


def test_a_changed_file_goes_back_the_way_the_person_chose(harbour: Harbour, desktop: Desktop) -> None:
    """Promise 7, Q59: by mouse for one file, by keys for the other; undo brings both back."""
    done = {"one_txt": lines_with(l3="x"), "two_txt": lines_with(l5="y"), "three_txt": lines_with(l7="z")}
    person = apply_one(harbour, desktop, **done)
    mine, other = lines_with(l3="x", l30="mine"), lines_with(l5="y", l30="mine")
    harbour.write("one.txt", mine)
    harbour.write("two.txt", other)
    person.open_rollback(0)
    pane = person.panes.pages.rollback
    button = person.find("rollback-write")
    assert button.text() == "Roll back 1 file"

    index = pane.table.rows.index(pane.table.rows.index_of("1").row(), 2)
    field = choice_area(pane.table.visualRect(index))
    person.click_on(pane.table.viewport(), QPoint(field.right() - 8, field.center().y()))
    choose(person, pane.ways_menu, "Merge…")
    wait_for(lambda: button.text() == "Roll back 2 files", "the merge to be looked at")
    row = pane.table.rows.row(pane.table.rows.index_of("1"))
    assert row is not None and row.choice == "Merge…" and "keeps what was written since" in row.cells[2].text

    person.press("Down")
    person.press("Space")
    wait_for(pane.ways_menu.isVisible, "the choice for two.txt")
    for _ in range(3):
        person.press("Down")
    person.press("Return")
    wait_for(lambda: button.text() == "Roll back 3 files", "the old version to be looked at")
    assert harbour.read("one.txt") == mine, "a preview writes nothing"
    person.click("rollback-write")
    person.wait_until_said("Rolled back 3 files")
    assert harbour.read("one.txt") == lines_with(l30="mine")
    assert harbour.read("two.txt") == other
    assert harbour.read("two.before.txt") == lines_with()
    assert harbour.read("three.txt") == lines_with()
    person.wait_until_on("undo_last")
    person.press("Ctrl+Alt+Z")
    wait_for(lambda: len(person.history_states()) == 3, "the undo")
    assert harbour.read("one.txt") == mine
    assert harbour.read("three.txt") == done["three_txt"]
    assert not (harbour.root / "two.before.txt").exists()


def test_a_way_that_leads_nowhere_says_why(harbour: Harbour, desktop: Desktop) -> None:
    person = apply_one(harbour, desktop, one_txt=lines_with(l3="x"))
    harbour.write("one.txt", lines_with(l3="mine in the same place"))
    person.open_rollback(0)
    pane = person.panes.pages.rollback
    person.press("Space")
    choose(person, pane.ways_menu, "Merge…")
    row = pane.table.rows.row(pane.table.rows.index_of("1"))
    wait_for(lambda: "in 1 place" in _sentence(person), "the reason")
    assert row is not None and not person.find("rollback-write").isEnabled()
    person.press("Space")
    choose(person, pane.ways_menu, "Restore the old bytes")
    wait_for(lambda: "is replaced" in _sentence(person), "the way back")
    person.click("rollback-write")
    person.wait_until_said("Rolled back 1 file")
    assert harbour.read("one.txt") == lines_with()


def _sentence(person: Person) -> str:
    rows = person.panes.pages.rollback.table.rows.rows
    return rows[0].cells[2].text if rows else ""


def test_a_replaced_folder_is_asked_about_and_accepted(harbour: Harbour, desktop: Desktop) -> None:
    """Nothing modal: the strip says it, reading goes on, and writing works once the person has said yes."""
    harbour.propose("One file", one_txt=lines_with(l3="x"))
    copied = harbour.root.with_name("copied")
    shutil.copytree(harbour.root, copied)
    shutil.rmtree(harbour.root)
    copied.rename(harbour.root)
    person = desktop.open(harbour.root)
    strip = person.find("recovery")
    assert "not the folder" in strip.accessibleName()
    person.wait_for_step(1)
    person.click("recovery-settle")
    person.wait_until_said("This folder is the project from now on.")
    assert not person.sees("recovery")
    person.press("A")
    person.wait_until_on("apply")
    person.press("Ctrl+Shift+Return")
    person.wait_until_said("Applied 1 file")
    assert harbour.read("one.txt") == lines_with(l3="x")
