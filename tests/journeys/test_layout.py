"""What the window's new places do by real clicks: bars, tabs, cards, and the room that is left for code."""

from __future__ import annotations

import json
import subprocess

from PySide6.QtWidgets import QTabBar

from studio.ui.look.theme import px
from studio.ui.window.settings_page import SettingsPage
from tests.journeys.desktop import Desktop
from tests.journeys.hands import wait_for
from tests.journeys.harbour import Harbour, lines_with
from tests.journeys.person import Person


def submit(harbour: Harbour, title: str, *steps: dict[str, str]) -> str:
    file = harbour.texts / f"{title}.json"
    file.write_text(json.dumps({"title": title, "steps": steps}))
    agent = harbour.agent.start("submit", str(file), "--json", output=subprocess.PIPE)
    return str(json.loads(agent.communicate()[0])["plan"])


def lines_of_code(person: Person) -> int:
    canvas = person.panes.pages.step.diff.canvas
    layout = canvas.layout_
    assert layout is not None
    return canvas.viewport().height() // layout.row_height(layout.row_at(0) + 2)


def test_36_lines_fit_and_the_line_of_facts_unfolds_to_the_note(harbour: Harbour, desktop: Desktop) -> None:
    step = {
        "op": "modify",
        "path": "one.txt",
        "content": lines_with(l3="3"),
        "reason": "Digits\nread better.",
    }
    plan = submit(harbour, "Digits", step)
    person = desktop.open(harbour.root)
    person.window.resize(px(1440), px(900))
    person.wait_for_step(1)
    assert lines_of_code(person) >= 36
    line = person.panes.facts.line
    assert line.isVisible() and line.accessibleDescription().startswith("Digits read better. · No warnings")
    person.click("fact-line")
    wait_for(person.panes.facts.isVisible, "the facts beside the diff")
    person.press("F4")
    wait_for(line.isVisible, "the line again")
    person.press("N")
    wait_for(person.panes.facts.note.edit.hasFocus, "the note in the facts that N opens")
    person.type("Keep it so.")
    person.press("Escape")
    person.press("A")
    wait_for(lambda: harbour.agent.states(plan) == ["approved"], "the approval")
    person.wait_until_on("apply")
    person.press("Ctrl+Shift+Return")
    wait_for(lambda: harbour.read("one.txt") == lines_with(l3="3"), "the bytes")


def test_the_last_apply_is_rolled_back_from_the_closed_dock(harbour: Harbour, desktop: Desktop) -> None:
    harbour.propose("Sizes", one_txt=lines_with(l3="three"))
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    room = lines_of_code(person)
    assert not person.sees("status-roll-back"), "nothing was applied"
    person.press("Alt+1")
    wait_for(person.panes.dock.isVisible, "the dock")
    wait_for(lambda: lines_of_code(person) < room, "it beside the lines")
    tabs = person.panes.dock.tabs
    person.click_on(tabs, tabs.tabRect(0).center())
    wait_for(lambda: lines_of_code(person) == room, "its height given back")
    person.click_on(person.panes.pages.step.diff.canvas.viewport())
    person.press("A")
    person.click("toolbar-apply")
    wait_for(lambda: harbour.read("one.txt") == lines_with(l3="three"), "the apply")
    wait_for(lambda: "“Sizes”" in person.find("status-rule").text(), "the last apply by name")
    person.click("status-roll-back")
    wait_for(lambda: person.desk.rollback.preview is not None, "what rolling back would do")
    person.wait_until_on("apply")
    person.press("Ctrl+Shift+Return")
    wait_for(lambda: harbour.read("one.txt") == lines_with(), "the bytes of before")


def test_a_refused_plan_says_why_on_one_card_and_allows_its_folder(
    harbour: Harbour, desktop: Desktop
) -> None:
    (harbour.root / "obj").mkdir()
    (harbour.root / "obj" / "a.txt").write_text("one\n")
    person = desktop.open(harbour.root)
    plan = submit(harbour, "Deep", {"op": "modify", "path": "obj/a.txt", "content": "two\n"})
    person.click("queue-problems")
    card = person.panes.problems
    wait_for(lambda: card.isVisible() and card.view.hasFocus(), "the card of problems")
    person.press("Return")
    wait_for(lambda: person.place[0] == plan, "what the row leads to")
    person.panes.queue.closed.set_folded(folded=False)
    person.desk.select(plan, None)
    refused = person.panes.pages.plan.refused
    wait_for(refused.isVisible, "the reason")
    assert "obj" in refused.words.text() and "denied" in refused.words.text()
    person.click("problems-close")
    person.click("plan-allow_folder")
    wait_for(lambda: isinstance(person.window.over, SettingsPage), "the setting with the folder")


def test_the_search_box_finds_files_and_the_open_menu_reads_the_clipboard(
    harbour: Harbour, desktop: Desktop
) -> None:
    harbour.propose("Sizes", one_txt=lines_with(l3="three"))
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    person.click("toolbar-palette")
    person.type("two.txt")
    person.press("Return")
    finder = person.panes.go_to_file
    wait_for(lambda: finder.isVisible() and finder.current() == "two.txt", "the file by its name")
    person.press("Return")
    wait_for(lambda: person.sees("file-page"), "the file")
    person.press("Escape")
    person.click("toolbar-open")
    menu = person.window.toolbar.menu
    wait_for(menu.isVisible, "the menu")
    assert [action.objectName() for action in menu.actions()] == [
        "open", "switch_project", "paste", "submit_file", "demo",
    ]  # fmt: skip
    menu.close()


def test_queue_and_files_become_tabs_where_both_have_no_room(harbour: Harbour, desktop: Desktop) -> None:
    harbour.propose("Sizes", one_txt=lines_with(l3="three"))
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    sidebar = person.window.left
    assert person.panes.queue.isVisible() and person.panes.tree.isVisible() and not sidebar.tabs.isVisible()
    for number in range(12):
        harbour.propose(f"More {number}", two_txt=lines_with(l4=f"four {number}"))
    wait_for(sidebar.tabs.isVisible, "the tabs")
    assert person.panes.queue.isVisible() and not person.panes.tree.isVisible()
    tabs: QTabBar = sidebar.tabs
    assert [tabs.tabText(number) for number in range(2)] == ["To review", "Files"]
    person.click_on(tabs, tabs.tabRect(1).center())
    wait_for(person.panes.tree.isVisible, "the files")
    person.press("Escape")
    wait_for(person.panes.queue.view.hasFocus, "the queue in front again")
