"""Queue, dock and finders by hand: filtering, sorting, going to files, ways out."""

from __future__ import annotations

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


def test_the_queue_is_filtered_sorted_read_on_and_gone_through_by_keys(
    harbour: Harbour, desktop: Desktop
) -> None:
    """J and K follow what is seen, not the order in which the agent wrote."""
    plan = harbour.propose(
        "Sizes",
        one_txt=lines_with(l3="changed"),
        two_txt=lines_with(l5="a", l15="b", l25="c"),
        three_txt=lines_with(l7="a", l17="b"),
    )
    second = harbour.propose("Times", one_txt=lines_with(l9="times"))
    (harbour.root / "deep" / "er").mkdir(parents=True)
    harbour.write("deep/er/harbour_master.txt", "ahoy\n")
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    person.press("Ctrl+Alt+F")
    wait_for(lambda: person.focused().objectName() == "queue-path", "the field")
    person.type("two.txt")
    header = person.panes.queue.header.detail
    wait_for(lambda: person.queue_titles() == ["Sizes"], "one plan")
    assert "2 hidden" in header.text(), "the step on screen stays listed"
    person.press("Return")
    assert person.focused().objectName() == "queue-list"
    filters = person.panes.queue.tools.filter_menu
    person.click("queue-filter-button")
    choose(person, filters, "Clear filter")
    wait_for(lambda: person.queue_titles() == ["Sizes", "Times"], "both plans")
    assert "hidden" not in header.text() and not person.sees("queue-path")
    person.click("queue-filter-button")
    choose(person, filters, "Steps that overlap another plan")
    wait_for(lambda: len(person.panes.queue.model.step_order) == 2, "the two steps")
    person.click_step(second, 1)
    wait_for(lambda: person.place == (second, 1), "the second plan's step")
    person.press("F4")
    warning = person.find("look-out")
    assert warning.accessibleName() == "Another plan also writes this file"
    assert "“Sizes” by claude-code, step 1, one.txt" in warning.accessibleDescription()
    person.click("queue-filter-button")
    choose(person, filters, "Clear filter")

    person.press("Ctrl+P")
    files = person.find("go-to-file-list")
    person.type("harbr master")
    wait_for(lambda: (files.model().index(0, 0).data() or "").endswith("master.txt"), "the file")
    person.press("Return")
    tree = person.panes.tree
    wait_for(lambda: tree.view.currentIndex().data() == "harbour_master.txt", "its row in the tree")
    wait_for(lambda: person.sees("file-page"), "the file")
    assert person.panes.pages.file.isAncestorOf(person.focused()) and not person.sees("go-to-file")
    person.press("Ctrl+P")
    person.type("two")
    wait_for(lambda: files.model().rowCount() and files.model().index(0, 0).data() == "two.txt", "two.txt")
    person.press("Return")
    wait_for(lambda: person.place == (plan, 2), "the step of two.txt")

    person.wait_for_step(2)
    person.press("V")
    person.click_step(plan, 1)
    person.wait_for_step(1)
    person.press("Return")
    for _ in range(4):
        if person.place == (plan, 1):
            person.press("Space")
    person.wait_for_step(3)
    person.press("F1")
    rows = person.find("keys-list-list").model()
    person.type("previous step")
    assert rows.index(0, 0).data(0).startswith("Previous step")
    person.press("Return")
    person.wait_for_step(2)

    person.click("queue-order-button")
    choose(person, person.panes.queue.tools.order_menu, "Largest change first")
    person.click_step(plan, 1)
    person.wait_for_step(1)
    person.press("K")
    wait_for(lambda: person.place == (plan, 3), "the second largest")
    person.press("K")
    person.wait_for_step(2)
    person.press("A")
    person.wait_for_step(3)
    wait_for(lambda: harbour.agent.states(plan) == ["pending", "approved", "pending"], "the decision")


def test_a_changed_file_goes_back_the_way_the_person_chose(harbour: Harbour, desktop: Desktop) -> None:
    """By mouse for one file, by keys for the other; undo brings both back."""
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
    choose(person, pane.resolutions_menu, "Merge…")
    wait_for(lambda: button.text() == "Roll back 2 files", "the merge to be looked at")
    row = pane.table.rows.row(pane.table.rows.index_of("1"))
    assert row is not None and row.choice == "Merge…" and "later changes kept" in row.cells[2].text

    person.press("Down")
    person.press("Space")
    wait_for(pane.resolutions_menu.isVisible, "the choice for two.txt")
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
