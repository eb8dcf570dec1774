"""A plan as a tree: folders, kinds and rows ticked by keys and presses, and decided together."""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QAbstractButton, QApplication, QMenu

from studio.engine.plan import PersonSource
from studio.ui.queue.model import Role
from studio.workspace import Person as Reviewing, Workspace
from tests.journeys.desktop import Desktop
from tests.journeys.hands import wait_for
from tests.journeys.harbour import LINES, Harbour
from tests.journeys.person import Person
from tests.journeys.test_context_menus import choose, open_menu

LANGUAGES = ("af", "de", "fr")
PAGES = 25
FIRST = 7
"""Steps before those of the pages."""
ALL = ["pending"] * (FIRST + PAGES)
BOX = 14


def propose_tree(harbour: Harbour) -> str:
    """Three translations, two sources, a file at the top, one that is deleted, and pages of documentation."""
    names = [f"locale/{each}/LC/app.po" for each in LANGUAGES] + ["src/main.c", "src/tide.c", "gone.txt"]
    pages = [f"docs/p{number:02}.md" for number in range(PAGES)]
    for name in (*names, *pages):
        (harbour.root / name).parent.mkdir(parents=True, exist_ok=True)
        harbour.write(name, "".join(LINES))
    steps = [
        {"op": "modify", "path": name, "content": "".join(LINES) + f"more of {name}\n"}
        for name in (*names[:-1], "one.txt")
    ]
    steps.append({"op": "delete", "path": "gone.txt"})
    steps += [{"op": "modify", "path": name, "content": "one page\n"} for name in pages]
    file = harbour.texts / "tree.json"
    file.write_text(json.dumps({"title": "Tree", "steps": steps}))
    return harbour.agent.submit(file, "Tree")


def show_plan(person: Person, plan: str) -> None:
    person.click_step(plan)
    wait_for(lambda: person.place == (plan, None), "the plan")
    person.find("plan-pane")


def rows(person: Person, plan: str) -> list[str]:
    """What the queue lists of a plan: folders with a slash, and the paths of steps."""
    model = person.panes.queue.model
    top = model.index_of(plan)
    indexes = [model.index(row, 0, top) for row in range(model.rowCount(top))]
    folders = [index.data(Role.FOLD) for index in indexes]
    return [
        folder.key if folder else index.data(Role.STEP).target
        for index, folder in zip(indexes, folders, strict=True)
    ]


def ticked(person: Person) -> list[str]:
    return [step.target for step in person.desk.ticked.steps]


def click_on(person: Person, plan: str, key: str, x: int = 0, held: str = "") -> None:
    """Press the row of a folder or step, `x` pixels from its left edge, or in its middle."""
    view = person.panes.queue.view
    index = person.panes.queue.model.fold_of(plan, key)
    assert index.isValid(), (key, rows(person, plan))
    view.scrollTo(index)
    area = view.visualRect(index)
    place = QPoint(area.left() + x, area.top() + 13) if x else QPoint(area.center().x(), area.top() + 13)
    handle = person.window.windowHandle()
    assert handle is not None
    person.hands.click(handle, view.viewport().mapTo(person.window, place), held=held)


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
    pages = [f"docs/p{number:02}.md" for number in range(PAGES)]
    every = [
        "docs/", *pages, "locale/", *(f"locale/{each}/LC/app.po" for each in LANGUAGES),
        "src/", "src/main.c", "src/tide.c", "gone.txt", "one.txt",
    ]  # fmt: skip
    assert rows(person, plan) == every
    queue = person.panes.queue
    src = queue.model.fold_of(plan, "src/")
    assert src.data(Qt.ItemDataRole.AccessibleTextRole) == "src/, 0 of 2 decided, expanded"
    click_on(person, plan, "src/")
    wait_for(lambda: "src/main.c" not in rows(person, plan), "the folder to close")
    click_on(person, plan, "docs/")
    wait_for(lambda: "docs/p00.md" not in rows(person, plan), "another one to close")
    person.click_step(plan, FIRST)
    wait_for(lambda: person.place == (plan, FIRST), "the deletion")
    person.press("K")
    wait_for(lambda: person.place == (plan, 3), "the step above the closed folder")
    person.press("G")
    wait_for(lambda: person.place == (plan, FIRST), "the next undecided one")
    person.press("G")
    wait_for(lambda: person.place == (plan, 6), "the last row")
    person.press("G")
    wait_for(lambda: person.place == (plan, 8), "what is in the closed folder comes last")
    assert "docs/p00.md" in rows(person, plan), "it opened"
    queue.view.setFocus()
    person.press("Left")
    person.press("Left")
    wait_for(lambda: "docs/p00.md" not in rows(person, plan), "the folder to close by keys")
    assert person.place == (plan, None), "its row is no step"
    show_plan(person, plan)
    for what in (["docs/", "locale/", "src/", "gone.txt", "one.txt"], every):
        person.click("queue-order-button")
        choose(person, popup(), "Fold or unfold all folders")
        wait_for(lambda what=what: rows(person, plan) == what, "every folder")

    click_on(person, plan, "src/", BOX)
    wait_for(lambda: len(ticked(person)) == 2, "a folder")
    click_on(person, plan, "1", BOX)
    click_on(person, plan, "4", BOX, "Shift")
    wait_for(lambda: len(ticked(person)) == 5, "what is between")
    click_on(person, plan, "2", 200, "Ctrl")
    wait_for(lambda: len(ticked(person)) == 4, "one less")
    assert person.place == (plan, None), "ticking shows the plan"
    person.press("Escape")
    wait_for(lambda: not ticked(person), "no ticks")
    person.press("Ctrl+F")
    person.type("src is:modify")
    wait_for(lambda: rows(person, plan) == ["src/", "src/main.c", "src/tide.c"], "the filter")
    person.press("Return")
    assert person.focused().objectName() == "queue-list"
    person.press("Ctrl+A")
    wait_for(lambda: ticked(person) == ["src/main.c", "src/tide.c"], "what is listed")
    person.press("Down")
    person.press("Space")
    wait_for(lambda: not ticked(person), "the folder's ticks to go")
    person.press("Down")
    wait_for(lambda: person.place == (plan, 4), "a step")
    person.press("Shift+Down")
    wait_for(lambda: ticked(person) == ["src/main.c", "src/tide.c"], "both by keys")
    person.press("Ctrl+Space")
    wait_for(lambda: ticked(person) == ["src/main.c"], "one less")
    person.press("Return")
    wait_for(lambda: person.place == (plan, 5), "the row's step")
    show_plan(person, plan)
    person.press("Ctrl+F")
    person.type("is:odd")
    wait_for(lambda: rows(person, plan) == [], "nothing listed")
    assert "“is:odd” is not a filter" in queue.view.empty_text
    person.press("Escape")
    person.click("queue-chip-warning")
    wait_for(lambda: queue.tools.row.field.text() == "is:warning", "the chip's words")
    person.click("queue-chip-warning")
    wait_for(lambda: rows(person, plan) == every, "everything listed again")

    person.click("queue-order-button")
    choose(person, popup(), "Largest change first")
    wait_for(lambda: rows(person, plan)[0] == "docs/p00.md" and "src/" not in rows(person, plan), "by size")
    person.click("queue-order-button")
    choose(person, popup(), "Steps in proposed order")
    wait_for(lambda: rows(person, plan) == every, "the folders again")
    assert harbour.untouched() and harbour.agent.states(plan) == ALL

    wait_for(lambda: person.desk.review_context.value.groups, "the groups")
    person.click("plan-kinds-button")
    menu = popup()
    said = [entry.text() for entry in menu.actions() if entry.text()]
    assert said[:3] == [
        "catalogues · 3 steps · only added lines",
        "*.md · 25 steps · changed files",
        "*.po · 3 steps · only added lines · 1 of 1 approved previously",
    ]
    assert "deleted files · 1 step" in said
    choose(person, menu, said[0])
    wait_for(lambda: len(ticked(person)) == 3, "the ticks")
    assert queue.tools.row.field.text() == "group:catalogues"
    assert harbour.agent.states(plan) == ALL, "a group decides nothing"
    person.press("Escape")
    wait_for(lambda: rows(person, plan) == every, "everything, as nothing is ticked")

    steps = [
        {"op": "modify", "path": name, "content": "turned \u202e around\n"}
        for name in ("locale/af/LC/app.po", "old.po")
    ]
    file.write_text(json.dumps({"title": "Warned", "steps": [*steps, {"op": "delete", "path": "gone.po"}]}))
    warned = harbour.agent.submit(file, "Warned")
    show_plan(person, warned)
    assert rows(person, warned)[-1] == "gone.po"
    lines = person.panes.pages.plan.warnings.findChildren(QAbstractButton)
    line = next(each for each in lines if each.text() == "Bidirectional Unicode text: 2 steps")
    person.click_on(line)
    wait_for(lambda: rows(person, warned) == ["locale/af/LC/app.po", "old.po"], "just those")
    assert harbour.read("old.po") == "before\n" and (harbour.root / "gone.po").exists()


def test_what_is_ticked_is_approved_rejected_left_out_taken_back_and_applied(
    harbour: Harbour, desktop: Desktop
) -> None:
    """Also where another process holds the store for longer than anybody waits, or changes a file."""
    plan = propose_tree(harbour)
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    show_plan(person, plan)
    click_on(person, plan, "src/", BOX)
    person.click("ticked-reject_step")
    person.find("reason-editor")
    assert "Reject 2 steps and" in person.panes.pages.plan.reason.title.text()
    person.type("Not in C")
    wait_for(person.panes.pages.plan.reason.reject.isEnabled, "Reject these to be on")
    person.press("Ctrl+Return")
    wait_for(lambda: harbour.agent.states(plan)[3:5] == ["rejected"] * 2, "two rejections")
    shown = harbour.agent.json("show", plan)["steps"]
    assert [step["decision"]["text"] for step in shown[3:5]] == ["Not in C"] * 2
    click_on(person, plan, "7", BOX)
    view = person.panes.queue.view
    place = view.visualRect(person.panes.queue.model.index_of(plan, 7)).center()
    choose(person, open_menu(person, view, place, "queue"), "Include or exclude hunk or line")
    person.wait_until_said("Rejected 1 step in “Tree” without a reason.")
    assert harbour.agent.states(plan)[6] == "rejected"
    click_on(person, plan, "7", BOX)
    click_on(person, plan, "src/", BOX)
    person.click("ticked-take_back")
    wait_for(lambda: harbour.agent.states(plan) == ALL, "all taken back")
    wait_for(lambda: not ticked(person), "no ticks: each is another step now")
    person.click_step(plan, 4)
    person.wait_for_step(4)
    person.click_step(plan)
    click_on(person, plan, "src/", BOX)
    person.click("ticked-mark_viewed")
    unseen = "1 step has not been shown yet, so it was not marked as viewed. Open it first."
    person.wait_until_said(unseen)
    shown_plan = person.desk.queue.current_plan
    assert shown_plan is not None

    def viewed() -> list[bool]:
        return [person.desk.viewed.has(shown_plan, step) for step in shown_plan.steps][3:5]

    assert viewed() == [True, False]
    person.press("Escape")
    person.click_step(plan, 4)
    person.wait_for_step(4)
    person.press("V")
    wait_for(lambda: viewed() == [False, False], "no mark")
    person.press("Left")
    person.wait_until_on("mark_viewed")
    person.press("V")
    wait_for(lambda: viewed() == [True, False], "the folder's step that was on screen to be marked")
    assert not ticked(person)
    person.wait_until_said(unseen)

    click_on(person, plan, "locale/", BOX)
    wait_for(lambda: len(ticked(person)) == 3, "the three translations")
    assert person.find("ticked-approve_step").text() == "Approve 3 selected…"
    person.wait_until_on("approve_step")
    person.press("A")
    person.find("plan-confirm")
    assert harbour.agent.states(plan) == ALL, "asking decides nothing"
    assert "app.po" in person.panes.pages.plan.confirm.title.text()
    wait_for(person.find("plan-approve-now").isEnabled, "the dead time to end")
    (store,) = Path(os.environ["STUDIO_STATE_DIR"]).glob("*/store.sqlite3")
    with closing(sqlite3.connect(store, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        person.press("Space")
        person.wait_until_said("busy")
        wait_for(lambda: not person.desk.guards.deciding, "the end of the waiting")
        other.execute("ROLLBACK")
    assert harbour.agent.states(plan) == ALL
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
    person.wait_until_said("Approved 30 steps")
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
    named = "25 *.md in docs/, 3 *.po in locale/, 2 *.c in src/, 2 *.txt"
    assert asked == f"You have not viewed 32 of these steps: {named}."
    person.click("plan-cancel")
    person.click("queue-path")
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
    decided = ["approved", "rejected", "approved", *["pending"] * 29]
    wait_for(lambda: harbour.agent.states(plan) == decided, "the two that were shown")

    for name in ("src/main.c", "one.txt"):
        harbour.write(name, "moved on\n")
    field = person.find("queue-path")
    person.click("queue-path")
    person.press("Ctrl+A")
    person.type("src")
    wait_for(lambda: "2 steps" in person.find("plan-warning").text(), "the two stale steps")
    person.click("plan-warning")
    wait_for(lambda: rows(person, plan) == ["src/main.c"], "the one in the typed folder")
    assert field.text() == "src is:stale"
    person.click("plan-warning")
    wait_for(lambda: rows(person, plan) == ["src/", "src/main.c", "src/tide.c"], "the typed filter")
    person.click("plan-reject_plan")
    person.find("reason-editor")
    assert "2 steps" in person.panes.pages.plan.reason.title.text()
    for _ in ("the reason", "the ticks", "the filter"):
        person.press("Escape")
    wait_for(lambda: field.text() == "", "no filter")
    person.click_step(plan, 1)
    person.wait_until_on("next_undecided")
    for number in (4, 5, 7):
        person.press("G")
        wait_for(lambda number=number: person.place == (plan, number), f"step {number}")
