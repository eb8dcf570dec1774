"""Menus at the pointer: what they name is what was under it, and entries that are off can't be pressed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import pytest
from PySide6.QtCore import QObject, QPoint, QUrl, Slot
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from studio.ui.actions.action import Action
from studio.ui.diff.model.cells import Side
from studio.ui.review.reading import PlanLocation
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


def middle_of_line(person: Person, line: int) -> QPoint:
    """A point on a line of the result (from 1) in the diff of the step."""
    canvas = person.panes.pages.step.diff.canvas
    canvas.go_to_line(Side.RESULT, line - 1)
    layout = canvas.layout_
    assert layout is not None
    row = layout.row_of(Side.RESULT, line - 1)
    assert row is not None
    middle = layout.top(row) - canvas.view_lines()[0] + layout.row_height(row) // 2
    return QPoint(canvas.width() * 3 // 4, middle)


def tree_menu(person: Person, path: str) -> QMenu:
    """Open the menu of a file or folder in the tree, once it is listed."""
    tree = person.panes.tree
    wait_for(lambda: tree.model.index_of(path).isValid(), f"{path} in the tree")
    place = tree.view.visualRect(tree.model.index_of(path)).center()
    return open_menu(person, tree.view.viewport(), place, "tree")


def test_menus_at_the_pointer_decide_and_lead_to_what_can_be_read(harbour: Harbour, desktop: Desktop) -> None:
    """Of the queue, a line of the diff, the tree and the history; both sides of a step are read whole."""
    (harbour.root / "deep").mkdir()
    harbour.write("deep/down.txt", "x\n")
    person, applied = apply_two(harbour, desktop)
    first = {"l3": "tideline_of_three here"}
    plan = harbour.propose("One", one_txt=lines_with(**first, l30="thirty"), three_txt=lines_with(l5="five"))
    person.wait_for_step(1)
    queue = person.panes.queue
    index = queue.model.index_of(plan, 2)
    menu = open_menu(person, queue.view.viewport(), queue.view.visualRect(index).center(), "queue")
    assert person.place == (plan, 2), "the row under the pointer is what it is about"
    person.wait_for_step(2)
    choose(person, menu, "Approve step")
    wait_for(lambda: harbour.agent.states(plan) == ["pending", "approved"], "the decision")
    person.click_step(plan, 1)
    person.wait_for_step(1)

    canvas = person.panes.pages.step.diff.canvas
    top = middle_of_line(person, 3).y()
    canvas.select_line(Side.RESULT, 5)
    at = next(
        x for x in range(canvas.width() // 2, canvas.width(), 4)
        if (canvas.select_at(QPoint(x, top)), canvas.chosen_words())[1] == "tideline_of_three"
    )  # fmt: skip
    menu = open_menu(person, canvas, QPoint(at + 8, top), "diff")
    choose(person, menu, "Find in plans, project and history…")
    wait_for(lambda: person.panes.dock.search.field.text() == "tideline_of_three", "the word in the field")
    menu = open_menu(person, canvas, middle_of_line(person, 30), "diff")
    only = next(action for action in menu.actions() if action.text() == "Include only this hunk or line")
    assert only.shortcut().toString() == "Shift+X"
    choose(person, menu, "Include only this hunk or line")
    wait_for(lambda: dict(person.desk.choices.current) == {1: False, 2: True}, "the hunk under the pointer")
    place = QPoint(canvas.width() // 2, canvas.height() // 2)
    choose(person, open_menu(person, canvas, place, "diff"), "Copy file path")
    assert QGuiApplication.clipboard().text() == "one.txt"
    pane = person.panes.pages.file
    for words, detail, text in (
        ("View file before this step", "Before the plan", "three"),
        ("View file after this step", "After the plan", first["l3"]),
    ):
        choose(person, open_menu(person, canvas, place, "diff"), words)
        wait_for(lambda: pane.diff.row_count() == 40, "all of its lines")
        assert detail in pane.header.detail.text()
        pane.diff.canvas.select_all()
        pane.diff.copy()
        assert QGuiApplication.clipboard().text().splitlines()[2] == text
        person.press("Escape")
        wait_for(lambda: not person.desk.reading.is_open, "the step again")

    choose(person, tree_menu(person, "three.txt"), "View with blame")
    wait_for_file(person, "three.txt")
    choose(person, tree_menu(person, "deep"), "Go to file in folder…")
    finder = person.panes.go_to_file
    wait_for(lambda: finder.list.model().rowCount() == 1, "the one file in it")
    assert finder.field.text() == "deep/"
    person.press("Return")
    wait_for_file(person, "deep/down.txt")
    history = person.panes.dock.history.view
    person.press("Alt+1")
    row = history.visualRect(history.rows.index(0, 0))
    menu = open_menu(person, history.viewport(), row.center(), "history")
    choose(person, menu, "Show plan with decisions")
    wait_for(lambda: person.desk.reading.location == PlanLocation(applied), "the plan")


class Folders(QObject):
    """Stands for the desktop's own program for folders."""

    def __init__(self) -> None:
        super().__init__()
        self.shown: list[str] = []

    @Slot("QUrl")
    def show(self, url: QUrl) -> None:
        self.shown.append(url.toLocalFile())


def use_editor(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make an editor that writes its folder and arguments into the returned file."""
    told, editor = folder / "told", folder / "code"
    editor.write_text(f'#!/bin/sh\nprintf "%s\\n" "$PWD" "$@" > {told}.new && mv {told}.new {told}\n')
    editor.chmod(0o755)
    monkeypatch.setenv("VISUAL", str(editor))
    return told


def test_one_key_opens_the_editor_at_the_line_of_the_file_on_disk(
    harbour: Harbour, desktop: Desktop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lines that a step adds are not in the file yet, and shift those below on the right side."""
    told = use_editor(tmp_path, monkeypatch)
    harbour.propose("Three lines more", one_txt=lines_with(l5="line 5\nnew\nnew\nnew", l30="thirty"))
    person = desktop.open(harbour.root)
    person.wait_for_step(1)

    def opened_at() -> str:
        told.unlink(missing_ok=True)
        person.press("Ctrl+E")
        wait_for(told.exists, "the editor to start")
        return told.read_text().splitlines()[-1].removeprefix(str(harbour.root))

    person.click_line(Side.RESULT, 34)
    assert opened_at() == "/one.txt:31"
    person.click_line(Side.BASE, 31)
    assert opened_at() == "/one.txt:31"
    person.press("O")
    wait_for_file(person, "one.txt")
    person.panes.pages.file.diff.canvas.select_line(Side.RESULT, 11)
    assert opened_at() == "/one.txt:12"


def test_files_open_in_editor_and_folder_and_what_lies_outside_the_project_in_nothing(
    harbour: Harbour, desktop: Desktop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A refused step may name any path, and a link may lead anywhere."""
    told = use_editor(tmp_path, monkeypatch)
    (tmp_path / "secret.txt").write_text("secret\n")
    (harbour.root / "way").symlink_to(tmp_path)
    (harbour.root / "link.txt").symlink_to(tmp_path / "secret.txt")
    paths = ("../secret.txt", "way/secret.txt", "link.txt")
    file = harbour.texts / "out.json"
    steps = [{"op": "modify", "path": path, "content": "x\n"} for path in paths]
    steps.append({"op": "modify", "path": "one.txt", "content": lines_with(l30="thirty")})
    file.write_text(json.dumps({"title": "Out", "steps": steps}))
    plan = harbour.agent.submit(file, "Out")
    person = desktop.open(harbour.root)
    person.wait_for_step(4)
    for number, words in enumerate(("climbs with", "link", "is a link"), 1):
        person.click_step(plan, number)
        wait_for(lambda number=number: person.place == (plan, number), "the refused step")
        for action in (Action.OPEN_IN_EDITOR, Action.SHOW_IN_FOLDER):
            person.window.status.sentence.setText("")
            person.control.actions.trigger(action)
            person.wait_until_said(words)
    assert not told.exists()

    person.click_step(plan, 4)
    person.wait_for_step(4)
    menu = open_menu(person, person.panes.pages.step.diff.canvas, middle_of_line(person, 30), "diff")
    choose(person, menu, "Open in editor")
    wait_for(told.exists, "the editor to start")
    assert told.read_text().splitlines() == [str(harbour.root), "-g", f"{harbour.root / 'one.txt'}:30"]
    folders = Folders()
    # The stubs say bytes, and text is what it takes (PySide6 6.11.3).
    cast("Any", QDesktopServices).setUrlHandler("file", folders, "show")
    try:
        view = person.panes.queue.view
        index = person.panes.queue.model.index_of(plan, 4)
        menu = open_menu(person, view.viewport(), view.visualRect(index).center(), "queue")
        choose(person, menu, "Show in folder")
        wait_for(lambda: folders.shown == [str(harbour.root)], "its folder")
    finally:
        QDesktopServices.unsetUrlHandler("file")

    monkeypatch.setenv("VISUAL", "vim")  # one that needs a terminal would start and never be seen
    monkeypatch.setenv("EDITOR", "nano")
    monkeypatch.setattr("studio.ui.review.reading.shutil.which", lambda name: name if name == "vim" else None)
    person.control.actions.trigger(Action.OPEN_IN_EDITOR)
    person.wait_until_said("No graphical editor was found.")
    assert harbour.untouched()
