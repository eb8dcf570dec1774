"""What assistive technology reads of the window: its name, one focus, the diff as a text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtWidgets import QApplication, QWidget

from studio.ui.app.accessibility import describe_widgets

PROJECT = "tidewatch"


@pytest.fixture(autouse=True)
def listening(qapp: QApplication) -> Iterator[None]:
    """A client of what the program installs at its start."""
    describe_widgets(qapp)
    QAccessible.setActive(True)
    yield
    QAccessible.setActive(False)


def described(widget: QWidget) -> QAccessibleInterface:
    return QAccessible.queryAccessibleInterface(widget)


def focused(interface: QAccessibleInterface) -> list[QWidget]:
    """Widgets that have the focus. Not items: Qt gives it to the current one of each list and tab bar."""
    target = interface.object()
    own = [target] if isinstance(target, QWidget) and interface.state().focused else []
    children = (interface.child(number) for number in range(interface.childCount()))
    return own + [widget for child in children if child is not None for widget in focused(child)]


def test_the_name_of_the_window_names_the_project(desktop: Any) -> None:
    window = described(desktop.window)
    assert window.text(QAccessible.Text.Name) == f"{PROJECT} – Exacta Studio"


def test_one_widget_has_the_focus_in_each_pane(desktop: Any) -> None:
    for pane in (desktop.panes.queue, desktop.panes.pages.step.diff, desktop.panes.facts):
        pane.setFocus(Qt.FocusReason.OtherFocusReason)
        desktop.settle()
        assert focused(described(desktop.window)) == [QApplication.focusWidget()]
    desktop.press(Qt.Key.Key_F7)
    desktop.settle()
    assert focused(described(desktop.window)) == [QApplication.focusWidget()]


def test_the_diff_is_a_text_with_the_lines_of_its_current_hunk(desktop: Any) -> None:
    canvas = desktop.panes.pages.step.diff.canvas
    diff = described(canvas)
    assert diff.role() is QAccessible.Role.EditableText
    assert diff.state().readOnly
    assert diff.text(QAccessible.Text.Name) == "Diff"
    first, *lines = diff.text(QAccessible.Text.Description).splitlines()
    assert first.startswith("Change 1 of ")
    assert {line[0] for line in lines[1:]} == {" ", "+", "-"}
    assert diff.valueInterface() is None, "PySide crashes on None in the place of a null pointer"
    shown = diff.textInterface()
    text = shown.text(0, shown.characterCount())
    rows = text.splitlines()
    assert set(lines) <= set(rows) and any(row.endswith(" unchanged lines") for row in rows)
    caret = shown.cursorPosition()
    assert text[caret:].splitlines()[0] in lines
    assert shown.offsetAtPoint(shown.characterRect(caret).center()) == caret
    canvas.go_to_hunk(2)
    assert shown.cursorPosition() > caret
    canvas.verticalScrollBar()
    assert (
        QAccessible.queryAccessibleInterface(canvas.verticalScrollBar()).role() is QAccessible.Role.ScrollBar
    )
