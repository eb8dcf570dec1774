"""Ctrl+F opens a field on every page, and no page that comes or goes takes it from the hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLineEdit

from studio.engine.draft import DraftStep
from studio.engine.plan import Operation, StepState
from tests.ui.shell.conftest import LINES, modified

CONTROL = Qt.KeyboardModifier.ControlModifier
PROSE = "a approve r z x v y e c n l b p 1 2 3"
"""Every letter that is a command somewhere."""
NOTHING = "Nothing to search on this page"


def open_find(desktop: Any) -> QLineEdit:
    desktop.press(Qt.Key.Key_F, CONTROL)
    field: QLineEdit = desktop.find("find-field")
    assert desktop.focused() is field
    return field


def told(desktop: Any) -> str:
    desktop.settle()
    return desktop.panes.bars.find_bar.count.text()


def untouched(desktop: Any) -> bool:
    desk = desktop.desk
    steps = [step for plan in desk.queue.plans for step in plan.steps]
    undecided = (StepState.PENDING, StepState.STALE)
    return (
        not desk.viewed.marks and desk.editor.part is None and all(step.state in undecided for step in steps)
    )


def on_plan(desktop: Any) -> None:
    desktop.desk.select(desktop.desk.queue.plans[0].id, None)


def on_conflict(desktop: Any) -> None:
    changed = "".join(LINES).replace("line 3\n", "theirs\n")
    (desktop.bench.root / "one.txt").write_text(changed)
    desktop.desk.queue.disk_changed()
    desktop.settle()
    desktop.desk.rebase.start()


def on_rollback(desktop: Any) -> None:
    """A preview whose file can't go back shows no lines."""
    bench, desk = desktop.bench, desktop.desk
    plan = bench.propose("Applied", modified("three.txt", l9="applied"))
    from studio.engine.plan import PersonSource
    from studio.workspace import Person

    reviewer = bench.agent.reviewer(Person(PersonSource.WINDOW, "ada"))
    reviewer.approve(plan.id)
    reviewer.apply(plan.id)
    (bench.root / "three.txt").write_text("moved on\n")
    desk.queue.refresh()
    desk.rollback.show(plan.id)


@pytest.mark.parametrize("page", ["mode", "folder", "empty", "conflict", "rollback"])
def test_a_page_without_lines_says_so_in_the_field_and_takes_the_typing(
    bench: Any, open_window: Callable[[], Any], page: str
) -> None:
    steps = {
        "mode": (DraftStep(Operation.MODE, "one.txt", executable=True),),
        "folder": (DraftStep(Operation.MKDIR, "new"),),
        "empty": (),
    }.get(page, (modified("one.txt", l3="changed 3"),))
    if steps:
        bench.propose("Plan", *steps)
    desktop = open_window()
    go = {"conflict": on_conflict, "rollback": on_rollback}.get(page)
    if go is not None:
        go(desktop)
        desktop.settle()
    shown = desktop.window.middle.currentWidget()
    assert page not in ("empty", "conflict", "rollback") or page in shown.objectName()
    before = desktop.focused()
    clipboard = QApplication.clipboard().text()
    nothing = NOTHING if page != "conflict" else "Conflicts can't be searched"
    field = open_find(desktop)
    assert told(desktop) == nothing == field.accessibleDescription()
    desktop.type(PROSE)
    assert field.text() == PROSE
    assert desktop.window.middle.currentWidget() is shown
    assert untouched(desktop) or page == "rollback"
    assert QApplication.clipboard().text() == clipboard
    assert desktop.control.actions.reason("find_next") == f"{nothing}."
    assert desktop.control.actions.reason("go_to_line") == "There are no lines on this page."
    desktop.press(Qt.Key.Key_Escape)
    assert field.isHidden() or not field.isVisible()
    assert desktop.focused() is before, "the keyboard is where it was"
    assert desktop.window.middle.currentWidget() is shown


def test_the_field_stays_when_its_plan_leaves_and_searches_what_comes(
    bench: Any, open_window: Callable[[], Any]
) -> None:
    first = bench.propose("First", modified("one.txt", l3="needle one"))
    second = bench.propose("Second", modified("two.txt", l5="needle two", l7="needle three"))
    desktop = open_window()
    field = open_find(desktop)
    desktop.type("needle")
    assert told(desktop) == "1 of 1"
    bench.agent.proposer.withdraw(first.id)
    desktop.desk.queue.refresh()
    desktop.settle()
    assert desktop.focused() is field
    desktop.type(" t")
    assert field.text() == "needle t"
    on_plan(desktop)
    assert told(desktop) == NOTHING
    desktop.desk.select(second.id, 1)
    desktop.settle()
    assert told(desktop) == "2 occurrences", "found, and nothing moves that is being read"
    desktop.press(Qt.Key.Key_F3)
    assert told(desktop) == "1 of 2"
    assert desktop.focused() is field
    assert untouched(desktop)


def test_a_file_that_changes_under_the_field_takes_neither_it_nor_the_words(desktop: Any) -> None:
    field = open_find(desktop)
    desktop.type("line 2")
    (desktop.bench.root / "one.txt").write_text("".join(LINES) + "theirs\n")
    desktop.desk.queue.disk_changed()
    desktop.settle()
    assert desktop.focused() is field
    desktop.type("0")
    assert field.text() == "line 20"
    assert told(desktop) == "1 of 1"
    assert untouched(desktop)


def test_f3_asks_for_what_is_looked_for_and_walks_on(desktop: Any) -> None:
    desktop.press(Qt.Key.Key_F3)
    assert desktop.focused().objectName() == "find-field"
    desktop.type("changed")
    assert told(desktop) == "1 of 2"
    desktop.press(Qt.Key.Key_F3)
    assert told(desktop) == "2 of 2"
    desktop.press(Qt.Key.Key_F3, Qt.KeyboardModifier.ShiftModifier)
    assert told(desktop) == "1 of 2"


def test_ctrl_f_from_a_reason_comes_back_to_it(desktop: Any) -> None:
    desktop.press(Qt.Key.Key_R)
    reason = desktop.focused()
    desktop.type("not ")
    open_find(desktop)
    desktop.type("a")
    desktop.press(Qt.Key.Key_Escape)
    assert desktop.focused() is reason
    assert desktop.find("reason-strip").isVisible()


@pytest.mark.parametrize("opens", [Qt.Key.Key_R, Qt.Key.Key_C, Qt.Key.Key_E])
def test_a_strip_that_closes_meanwhile_takes_the_keyboard_from_no_field(desktop: Any, opens: Qt.Key) -> None:
    desktop.press(opens)
    desktop.type("not ")
    field = open_find(desktop)
    desktop.desk.select(desktop.desk.queue.plans[0].id, 2, by_user=False)
    desktop.settle()
    assert desktop.focused() is field
    desktop.type("a v")
    assert field.text() == "a v"
    assert untouched(desktop)


def test_a_preview_that_comes_meanwhile_takes_the_keyboard_from_no_field(desktop: Any) -> None:
    field = open_find(desktop)
    on_rollback(desktop)
    desktop.settle()
    assert desktop.find("rollback").isVisible()
    assert desktop.focused() is field


def test_the_number_of_a_line_is_typed_on_when_another_page_comes(desktop: Any) -> None:
    """On a page of conflicts 1, 2 and 3 would settle them."""
    desktop.press(Qt.Key.Key_G, CONTROL)
    field = desktop.find("go-field")
    desktop.type("1")
    on_plan(desktop)
    desktop.settle()
    assert desktop.focused() is field
    desktop.type("2")
    assert field.text() == "12"
    assert desktop.panes.bars.go_bar.range.text() == "There are no lines on this page"
    desktop.press(Qt.Key.Key_Return)
    assert desktop.focused() is field
    desktop.desk.select(desktop.desk.queue.plans[0].id, 2)
    desktop.settle()
    assert desktop.panes.bars.go_bar.range.text() == "Enter a line from 1 to 40"
    desktop.press(Qt.Key.Key_Return)
    assert not desktop.panes.bars.go_bar.isVisible()
    assert desktop.focused().objectName() == "diff-canvas"


@pytest.mark.parametrize(
    ("action", "name"),
    [("queue_path", "queue-path"), ("go_to_file", "go-to-file-field"), ("palette", "palette-field")],
)
def test_plans_that_come_and_go_close_no_other_field(
    bench: Any, desktop: Any, action: str, name: str
) -> None:
    desktop.control.actions.trigger(action)
    field = desktop.find(name)
    desktop.type("on")
    bench.propose("Another", modified("two.txt", l9="other"))
    bench.agent.proposer.withdraw(desktop.desk.queue.plans[0].id)
    desktop.desk.queue.refresh()
    desktop.settle()
    assert desktop.focused() is field
    desktop.type("e a x")
    assert field.text() == "one a x"
    desktop.press(Qt.Key.Key_Escape)
    assert untouched(desktop)
