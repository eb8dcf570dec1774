"""Diagnostics: read whole in the window, saved exactly as read, sent nowhere."""

from __future__ import annotations

import stat
from pathlib import Path

from PySide6.QtCore import QPoint
from PySide6.QtGui import QGuiApplication

from studio.ui.actions.action import Action
from studio.ui.help.diagnostics_page import DiagnosticsPage
from tests.journeys.desktop import Desktop
from tests.journeys.hands import wait_for
from tests.journeys.harbour import Harbour
from tests.journeys.person import Person


def open_page(person: Person) -> DiagnosticsPage:
    """As from the menu Help; until the text stands there."""
    person.control.actions.trigger(Action.DIAGNOSTICS)
    page = person.find("diagnostics")
    assert isinstance(page, DiagnosticsPage)
    wait_for(lambda: page.text, "the text", 60.0)
    return page


def save_as(person: Person, file: Path) -> None:
    """Choose that place in the dialog that the button opens."""
    person.click("diagnostics-save")
    person.choose_file(file)


def test_what_is_read_is_searched_and_saved_byte_for_byte_over_nothing(
    harbour: Harbour, desktop: Desktop, tmp_path: Path
) -> None:
    plan = harbour.propose("One file", one_txt="nobody else reads this line\n")
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    before = person.focused()
    page = open_page(person)
    for words in ("Exacta Studio 0", "== Checks ==", "== Gates ==", "== Settings ==", "== Log =="):
        assert words in page.text
    assert "nobody else reads this line" not in page.text
    assert page.view.toPlainText() == page.text
    assert page.view.hasFocus()
    person.type("a")
    assert person.control.actions.reason(Action.APPROVE_STEP) == "Close “Diagnostics” first."
    assert harbour.agent.states(plan) == ["pending"]

    person.click_on(page.field, QPoint(10, 10))
    person.type("python")
    person.press("Return")
    first = page.view.textCursor().position()
    assert page.view.textCursor().selectedText().lower() == "python"
    person.press("Return")
    assert page.view.textCursor().position() > first
    page.field.clear()
    person.type("nowhere at all")
    person.press("Return")
    assert "No matches" in page.status_label.text()

    file, taken = tmp_path / "fault.txt", tmp_path / "taken.txt"
    save_as(person, file)
    wait_for(lambda: "Saved diagnostics as" in page.status_label.text(), page.status_label.text())
    assert file.read_bytes() == page.text.encode("utf-8")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    taken.write_text("mine")
    save_as(person, taken)
    wait_for(lambda: "exists already" in page.status_label.text(), "the refusal")
    assert taken.read_text() == "mine"
    save_as(person, harbour.root / "fault.txt")
    wait_for(lambda: "is in the project" in page.status_label.text(), "the refusal")
    assert not (harbour.root / "fault.txt").exists() and harbour.untouched()
    person.click("diagnostics-copy")
    assert QGuiApplication.clipboard().text() == page.text
    person.press("Escape")
    wait_for(lambda: person.window.over is None, "the page to be closed")
    assert person.focused() is before
