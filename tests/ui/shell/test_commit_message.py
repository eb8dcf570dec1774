"""After an apply the window offers a commit's message, and leaves the commit to the person."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest

from studio.ui.actions.action import Action
from studio.ui.widgets import Button


@pytest.fixture
def applied(desktop: Any) -> Any:
    """The window after its one plan of three steps was applied."""
    desktop.settle()
    for _ in range(3):
        desktop.press(Qt.Key.Key_A)
        desktop.settle()
    desktop.press(Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    desktop.settle()
    assert desktop.said().startswith("Applied 3 files")
    QGuiApplication.clipboard().clear()
    return desktop


def message(desktop: Any) -> str:
    return str(desktop.bench.agent.proposer.commit_message(desktop.desk.queue.history[0].plan.id).text)


def test_it_is_off_before_an_apply(desktop: Any) -> None:
    assert desktop.desk.can(Action.COPY_MESSAGE) == "Nothing to commit."


def test_the_empty_page_offers_it_after_an_apply(applied: Any) -> None:
    applied.click(applied.find("empty-message"))
    applied.settle()
    copied = QGuiApplication.clipboard().text()
    assert copied == message(applied)
    assert copied.startswith("[AI:claude-code][modify][N/A] one.txt and 2 more @ ")
    assert copied.endswith("\n\nmodify one.txt\nmodify two.txt\nmodify three.txt")
    assert applied.said() == "Copied the commit message. No commit was made."


def test_a_row_of_the_history_offers_it_by_button_and_key(applied: Any) -> None:
    applied.panes.show_history()
    button = applied.find("history-copy-message")
    applied.click(button)
    assert QGuiApplication.clipboard().text() == message(applied)
    QGuiApplication.clipboard().clear()
    applied.panes.dock.history.view.setFocus()
    applied.press(Qt.Key.Key_M)
    assert QGuiApplication.clipboard().text() == message(applied)


def test_the_palette_finds_it(applied: Any) -> None:
    applied.press(Qt.Key.Key_P, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    applied.type("commit")
    applied.press(Qt.Key.Key_Return)
    applied.settle()
    assert QGuiApplication.clipboard().text() == message(applied)


def test_after_a_rollback_of_some_files_it_is_about_the_others(applied: Any) -> None:
    """The empty page copies what the history copies for the plan, and not the rollback's own."""
    applied.panes.show_history()
    applied.click(applied.find("history-roll-back"))
    applied.settle()
    table = applied.panes.pages.rollback.table
    for row in (1, 2):
        table.setFocus()
        table.setCurrentIndex(table.rows.index(row, 0))
        QTest.keyClick(table, Qt.Key.Key_Space)
    applied.settle()
    applied.click(applied.find("rollback-write"))
    applied.settle()
    assert applied.said().startswith("Rolled back 1 file")
    applied.desk.commit_messages.copy()
    applied.settle()
    copied = QGuiApplication.clipboard().text()
    plan = applied.desk.queue.history[1].plan
    assert copied == applied.bench.agent.proposer.commit_message(plan.id).text
    assert copied.endswith("\n\nmodify two.txt\nmodify three.txt")


def test_what_was_taken_back_has_none(applied: Any) -> None:
    applied.press(Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier)
    applied.settle()
    applied.panes.show_history()
    view = applied.panes.dock.history.view
    view.setFocus()
    view.setCurrentIndex(view.rows.index(1, 0))
    applied.settle()
    button: Button = applied.find("history-copy-message")
    assert not button.isEnabled()
    assert button.accessibleDescription() == "None of this plan's changes remain on disk."
    QTest.keyClick(view, Qt.Key.Key_M)
    assert QGuiApplication.clipboard().text() == ""
