"""A plan as a tree: folders, kinds and rows ticked by keys and presses, and decided together (R183)."""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QAbstractButton, QApplication, QMenu

from studio.engine.plan import PersonSource
from studio.ui.plan.rows import Column
from studio.ui.plan.table import PlanTable
from studio.workspace import Person as Reviewing, Workspace
from tests.journeys.desktop import Desktop
from tests.journeys.hands import wait_for
from tests.journeys.harbour import LINES, Harbour
from tests.journeys.person import Person
from tests.journeys.test_context_menus import choose, open_menu

LANGUAGES = ("af", "de", "fr")


def propose_tree(harbour: Harbour) -> str:
    """Three translations, two sources in one folder, one file at the top, and one that is deleted."""
    names = [f"locale/{each}/LC/app.po" for each in LANGUAGES] + ["src/main.c", "src/tide.c", "gone.txt"]
    for name in names:
        (harbour.root / name).parent.mkdir(parents=True, exist_ok=True)
        harbour.write(name, "".join(LINES))
    steps = [
        {"op": "modify", "path": name, "content": "".join(LINES) + f"more of {name}\n"}
        for name in (*names[:-1], "one.txt")
    ]
    steps.append({"op": "delete", "path": "gone.txt"})
    file = harbour.texts / "tree.json"
    file.write_text(json.dumps({"title": "Tree", "steps": steps}))
    return harbour.agent.submit(file, "Tree")


def show_plan(person: Person, plan: str) -> None:
    person.click_step(plan)
    person.find("plan-table")
    wait_for(lambda: table(person).table.rowCount() > 0, "its rows")


def table(person: Person) -> PlanTable:
    return person.panes.pages.plan.table


def rows(person: Person) -> list[str]:
    """The first cell of each row, without its state."""
    return [
        str(table(person).table.index(row, Column.STEP).data()).partition(",")[0]
        for row in range(table(person).table.rowCount())
    ]


def ticked(person: Person) -> list[str]:
    return [step.target for step in person.desk.ticked.steps]


def click_cell(person: Person, key: str, x: int = 0, held: str = "") -> None:
    """Press a row, `x` pixels from its left edge, or in the middle of its first cell."""
    view = table(person)
    index = view.table.index_of(key)
    assert index.isValid(), (key, rows(person))
    view.scrollTo(index)
    area = view.visualRect(index)
    place = QPoint(area.left() + x, area.center().y()) if x else area.center()
    handle = person.window.windowHandle()
    assert handle is not None
    person.hands.click(handle, view.viewport().mapTo(person.window, place), held=held)


BOX = 20


def popup() -> QMenu:
    wait_for(lambda: isinstance(QApplication.activePopupWidget(), QMenu), "the menu")
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    return menu


def test_folders_kinds_rows_and_own_groups_are_listed_sorted_filtered_and_ticked(
    harbour: Harbour, desktop: Desktop
) -> None:
    """One catalogue was approved before; of those that wait one deletes, and is listed but not ticked."""
    folder = Path(os.environ["STUDIO_CONFIG_DIR"])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.yaml").write_text("review: {groups: ['catalogues: *.po']}\n")
    harbour.write("old.po", "".join(LINES))
    harbour.write("gone.po", "".join(LINES))
    file = harbour.texts / "before.json"
    step = {"op": "modify", "path": "old.po", "content": "before\n"}
    file.write_text(json.dumps({"title": "Before", "steps": [step]}))
    harbour.agent.submit(file, "Before")
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    person.press("A")
    person.wait_until_on("apply")
    person.press("Ctrl+Shift+Return")
    person.wait_until_said("Applied")
    plan = propose_tree(harbour)
    show_plan(person, plan)
    assert rows(person) == [
        "locale/", "locale/af/LC/", "locale/af/LC/app.po", "locale/de/LC/", "locale/de/LC/app.po",
        "locale/fr/LC/", "locale/fr/LC/app.po", "src/", "src/main.c", "src/tide.c", "gone.txt", "one.txt",
    ]  # fmt: skip
    model = table(person).table
    src = model.index_of("src/").row()
    assert [model.index(src, column).data() for column in (Column.WHAT, Column.LINES, Column.DECISION)] == [
        "2 files", "+2", "0 of 2 decided",
    ]  # fmt: skip
    click_cell(person, "src/")
    wait_for(lambda: "src/main.c" not in rows(person), "the folder to fold")
    person.press("Right")
    wait_for(lambda: "src/main.c" in rows(person), "the folder to unfold")
    person.click("plan-fold-all")
    wait_for(lambda: rows(person) == ["locale/", "src/", "gone.txt", "one.txt"], "every folder folded")
    person.click("plan-fold-all")
    wait_for(lambda: len(rows(person)) == 12, "every folder unfolded")

    click_cell(person, "locale/af/LC/", BOX)
    click_cell(person, "4", BOX, "Shift")
    wait_for(lambda: len(ticked(person)) == 4, "what lies between")
    assert ticked(person)[3] == "src/main.c"
    click_cell(person, "2", 200, "Ctrl")
    wait_for(lambda: len(ticked(person)) == 3, "one less")
    assert person.place == (plan, None), "ticking goes nowhere"
    person.press("Escape")
    wait_for(lambda: not ticked(person), "no ticks")
    person.press("Ctrl+F")
    person.type("src is:modify")
    wait_for(lambda: rows(person) == ["src/", "src/main.c", "src/tide.c"], "the filter")
    person.press("Return")
    assert person.focused().objectName() == "plan-table"
    person.press("Ctrl+A")
    wait_for(lambda: ticked(person) == ["src/main.c", "src/tide.c"], "what is listed")
    person.press("Home")
    person.press("Space")
    wait_for(lambda: not ticked(person), "the folder's ticks to go")
    person.press("Down")
    person.press("Shift+Down")
    wait_for(lambda: ticked(person) == ["src/main.c", "src/tide.c"], "both by keys")
    person.press("Ctrl+F")
    person.type("is:odd")
    wait_for(lambda: rows(person) == [], "nothing listed")
    assert "“is:odd” is not known" in table(person).empty_text
    person.press("Escape")
    person.press("Escape")
    wait_for(lambda: len(rows(person)) == 12, "everything listed again")

    header = table(person).header()
    middle = header.sectionPosition(Column.LINES) + header.sectionSize(Column.LINES) // 2
    for last, what in ((0, "the largest change"), (-1, "the smallest first")):
        person.click_on(header.viewport(), QPoint(middle, header.height() // 2))
        wait_for(lambda at=last: rows(person)[at] == "gone.txt", what)
    person.click("plan-order-button")
    choose(person, popup(), "Lines")
    wait_for(lambda: rows(person)[0] == "gone.txt", "the largest change, by the menu")
    assert harbour.untouched() and harbour.agent.states(plan) == ["pending"] * 7

    wait_for(lambda: person.desk.review_context.value.groups, "the groups")
    person.click("plan-kinds-button")
    menu = popup()
    said = [entry.text() for entry in menu.actions() if entry.text()]
    assert said[:2] == [
        "catalogues · 3 steps · only added lines",
        "*.po · 3 steps · only added lines · approved 1 of 1 before",
    ]
    assert "deleted files · 1 step" in said
    choose(person, menu, said[0])
    wait_for(lambda: len(ticked(person)) == 3, "the ticks")
    assert person.panes.pages.plan.tools.field.text() == "group:catalogues"
    assert harbour.agent.states(plan) == ["pending"] * 7, "a group decides nothing"

    steps = [
        {"op": "modify", "path": name, "content": "turned \u202e around\n"}
        for name in ("locale/af/LC/app.po", "old.po")
    ]
    file.write_text(json.dumps({"title": "Warned", "steps": [*steps, {"op": "delete", "path": "gone.po"}]}))
    warned = harbour.agent.submit(file, "Warned")
    show_plan(person, warned)
    wait_for(lambda: "gone.po" in rows(person), "its rows")
    lines = person.panes.pages.plan.warnings.findChildren(QAbstractButton)
    line = next(each for each in lines if each.text() == "Reads differently than it runs: 2 steps")
    person.click_on(line)
    wait_for(
        lambda: [row for row in rows(person) if not row.endswith("/")] == ["locale/af/LC/app.po", "old.po"],
        "just those",
    )
    assert harbour.read("old.po") == "before\n" and (harbour.root / "gone.po").exists()


def test_what_is_ticked_is_approved_rejected_left_out_taken_back_and_applied(
    harbour: Harbour, desktop: Desktop
) -> None:
    """Also where another process holds the store for longer than anybody waits, or changes a file."""
    plan = propose_tree(harbour)
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    show_plan(person, plan)
    click_cell(person, "src/", BOX)
    person.click("ticked-reject_step")
    person.find("reason-editor")
    assert "Reject what is ticked (2 steps)" in person.panes.pages.plan.reason.title.text()
    person.type("Not in C")
    wait_for(person.panes.pages.plan.reason.reject.isEnabled, "Reject these to be on")
    person.press("Ctrl+Return")
    wait_for(lambda: harbour.agent.states(plan)[3:5] == ["rejected"] * 2, "two rejections")
    shown = harbour.agent.json("show", plan)["steps"]
    assert [step["decision"]["text"] for step in shown[3:5]] == ["Not in C"] * 2
    click_cell(person, "7", BOX)
    view = table(person)
    place = view.viewport().mapTo(view, view.visualRect(view.table.index_of("7")).center())
    choose(person, open_menu(person, view, place, "plan"), "Leave out or take in")
    person.wait_until_said("Left out 1 step of “Tree”.")
    assert harbour.agent.states(plan)[6] == "rejected"
    click_cell(person, "7", BOX)
    click_cell(person, "src/", BOX)
    person.click("ticked-take_back")
    wait_for(lambda: harbour.agent.states(plan) == ["pending"] * 7, "all taken back")
    wait_for(lambda: not ticked(person), "no ticks: each is another step now")
    person.click_step(plan, 4)
    person.wait_for_step(4)
    person.click_step(plan)
    click_cell(person, "src/", BOX)
    person.click("ticked-mark_viewed")
    person.wait_until_said("1 ticked step was never on screen, and is not marked.")
    shown_plan = person.desk.queue.current_plan
    assert shown_plan is not None
    assert [person.desk.viewed.has(shown_plan, step) for step in shown_plan.steps][3:5] == [True, False]
    person.press("Escape")

    click_cell(person, "locale/", BOX)
    wait_for(lambda: len(ticked(person)) == 3, "the three translations")
    assert person.find("ticked-approve_step").text() == "Approve 3…"
    person.wait_until_on("approve_step")
    person.press("A")
    person.find("plan-confirm")
    assert harbour.agent.states(plan) == ["pending"] * 7, "asking decides nothing"
    assert "app.po" in person.panes.pages.plan.confirm.title.text()
    wait_for(person.find("plan-approve-now").isEnabled, "the dead time to end")
    (store,) = Path(os.environ["STUDIO_STATE_DIR"]).glob("*/store.sqlite3")
    with closing(sqlite3.connect(store, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        person.press("Space")
        person.wait_until_said("busy")
        wait_for(lambda: not person.desk.guards.deciding, "the end of the waiting")
        other.execute("ROLLBACK")
    assert harbour.agent.states(plan) == ["pending"] * 7
    assert len(ticked(person)) == 3, "for another try"
    person.wait_until_on("approve_step")
    person.press("A")
    person.find("plan-confirm")
    harbour.write("locale/de/LC/app.po", "moved on\n")
    wait_for(lambda: not person.sees("plan-confirm"), "the question to close")
    person.wait_until_on("approve_step")
    person.press("A")
    person.click("plan-approve-now")
    wait_for(lambda: harbour.agent.states(plan)[:3] == ["approved", "stale", "approved"], "two decisions")
    harbour.write("locale/de/LC/app.po", "".join(LINES))
    person.press("Escape")
    wait_for(lambda: not ticked(person), "no ticks")
    steps = person.desk.queue
    wait_for(lambda: steps.plans[0].steps[1].state.value == "pending", "the step as it was")
    person.wait_until_on("approve_undecided")
    person.click("plan-approve_undecided")
    person.click("plan-approve-now")
    person.wait_until_said("Approved 5 steps")
    person.wait_until_on("apply")
    person.press("Ctrl+Shift+Return")
    person.wait_until_said("Applied")
    assert harbour.read("locale/de/LC/app.po").endswith("more of locale/de/LC/app.po\n")
    assert not (harbour.root / "gone.txt").exists()


def test_what_the_filter_shows_is_what_the_buttons_are_about(harbour: Harbour, desktop: Desktop) -> None:
    """Another process rejects one of the steps shown; a press on a warning leaves what was typed."""
    plan = propose_tree(harbour)
    person = desktop.open(harbour.root)
    show_plan(person, plan)
    person.click("plan-approve_undecided")
    asked = person.panes.pages.plan.confirm.title.text()
    assert asked == "You have not looked at 7 of these steps: 3 *.po in locale/, 2 *.c in src/, 2 *.txt."
    person.click("plan-cancel")
    person.click("plan-filter")
    person.type("*.po")
    approve, reject = person.find("plan-approve_undecided"), person.find("plan-reject_plan")
    wait_for(lambda: approve.text() == "Approve 3 shown…", "the button's new name")
    assert reject.text() == "Reject 3 shown…"
    with closing(Workspace.open(harbour.root)) as workspace:
        workspace.reviewer(Reviewing(PersonSource.TERMINAL, "other")).reject(plan, [2], reason="no")
    wait_for(lambda: approve.text() == "Approve 2 shown…", "what is left of them")
    person.wait_until_on("approve_undecided")
    person.click("plan-approve_undecided")
    person.click("plan-approve-now")
    decided = ["approved", "rejected", "approved", *["pending"] * 4]
    wait_for(lambda: harbour.agent.states(plan) == decided, "the two that were shown")

    for name in ("src/main.c", "one.txt"):
        harbour.write(name, "moved on\n")
    field = person.find("plan-filter")
    person.click("plan-filter")
    person.press("Ctrl+A")
    person.type("src")
    wait_for(lambda: "2 steps" in person.find("plan-warning").text(), "the two stale steps")
    person.click("plan-warning")
    wait_for(lambda: rows(person) == ["src/", "src/main.c"], "the one in the typed folder")
    assert field.text() == "src is:stale"
    person.click("plan-warning")
    wait_for(lambda: rows(person) == ["src/", "src/main.c", "src/tide.c"], "the typed filter")
    person.click("plan-reject_plan")
    person.find("reason-editor")
    assert "2 steps" in person.panes.pages.plan.reason.title.text()
    person.press("Escape")
    person.click_step(plan, 1)
    person.wait_until_on("next_undecided")
    for number in (4, 5, 6):
        person.press("G")
        wait_for(lambda number=number: person.place == (plan, number), f"step {number}")
