"""Menus at the pointer: what they name is what was under it, and entries that are off can't be pressed."""

from __future__ import annotations

from PySide6.QtCore import QPoint
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from studio.ui.desk.reading import FilePlace, PlanPlace
from tests.journeys.desktop import Desktop
from tests.journeys.hands import wait_for
from tests.journeys.harbour import Harbour, lines_with
from tests.journeys.person import Person
from tests.journeys.test_reading_files import apply_two, wait_for_file


def open_menu(person: Person, widget: QWidget, place: QPoint, name: str) -> QMenu:
    handle = person.window.windowHandle()
    assert handle is not None
    person.hands.click_right(handle, widget.mapTo(person.window, place))
    wait_for(lambda: isinstance(QApplication.activePopupWidget(), QMenu), f"the menu of {name}")
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu) and menu.objectName() == f"context-{name}"
    return menu


def choose(person: Person, menu: QMenu, words: str) -> None:
    entry = next(action for action in menu.actions() if action.text() == words)
    wait_for(entry.isEnabled, f"{words}, which says {entry.toolTip()}")
    handle = menu.windowHandle()
    assert handle is not None
    person.hands.click(handle, menu.actionGeometry(entry).center())
    wait_for(lambda: QApplication.activePopupWidget() is None, "the menu to close")


def test_a_row_of_the_queue_is_decided_from_its_menu(harbour: Harbour, desktop: Desktop) -> None:
    plan = harbour.propose_three()
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    view = person.panes.queue.view
    index = person.panes.queue.model.index_of(plan, 2)
    menu = open_menu(person, view.viewport(), view.visualRect(index).center(), "queue")
    assert person.place == (plan, 2), "the row under the pointer is what it is about"
    choose(person, menu, "Approve step")
    wait_for(lambda: harbour.agent.states(plan) == ["pending", "approved", "pending"], "the decision")
    assert harbour.untouched()


def test_a_line_of_the_diff_has_a_menu_with_the_keys_of_its_entries(
    harbour: Harbour, desktop: Desktop
) -> None:
    harbour.propose("One", one_txt=lines_with(l3="three", l30="thirty"))
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    canvas = person.panes.step.diff.canvas
    menu = open_menu(person, canvas, QPoint(canvas.width() // 2, canvas.height() // 2), "diff")
    only = next(action for action in menu.actions() if action.text() == "Only this hunk or line")
    assert only.shortcut().toString() == "Shift+X"
    choose(person, menu, "Only this hunk or line")
    wait_for(lambda: dict(person.desk.choices.current) == {1: True, 2: False}, "the first hunk alone")
    menu = open_menu(person, canvas, QPoint(canvas.width() // 2, canvas.height() // 2), "diff")
    choose(person, menu, "Copy the path of the file")
    assert QGuiApplication.clipboard().text() == "one.txt"


def test_the_tree_and_the_history_lead_to_what_can_be_read(harbour: Harbour, desktop: Desktop) -> None:
    person, plan = apply_two(harbour, desktop)
    tree = person.panes.tree
    index = tree.model.index_of("three.txt")
    menu = open_menu(person, tree.view.viewport(), tree.view.visualRect(index).center(), "tree")
    choose(person, menu, "Read it, and who wrote its lines")
    wait_for_file(person, "three.txt")
    assert person.desk.reading.place == FilePlace("three.txt")
    history = person.panes.dock.history.view
    row = history.visualRect(history.rows.index(0, 0))
    menu = open_menu(person, history.viewport(), row.center(), "history")
    choose(person, menu, "Show as it was decided")
    wait_for(lambda: person.desk.reading.place == PlanPlace(plan), "the plan")
