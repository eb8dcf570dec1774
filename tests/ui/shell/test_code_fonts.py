"""The font for code is chosen by keys or mouse, shown at once, and there again after the next start."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QFontDatabase
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from studio.ui.actions.action import Action
from studio.ui.look.theme import code_font, set_code_family
from studio.ui.runner import Runner
from studio.ui.settings import Settings
from studio.ui.window.control import WindowControl


@pytest.fixture
def families(qapp: QApplication) -> Iterator[list[str]]:
    """The fixed-width fonts of this machine, but the one that is used anyway."""
    usual = code_font().family()
    yield [each for each in QFontDatabase.families() if QFontDatabase.isFixedPitch(each) and each != usual]
    set_code_family("")


def rows(desktop: Any) -> list[str]:
    model = desktop.find("code-fonts-list").model()
    return [model.index(row, 0).data() for row in range(model.rowCount())]


def open_fonts(desktop: Any) -> None:
    desktop.control.actions.trigger(Action.CODE_FONT)
    assert desktop.focused().objectName() == "code-fonts-field"


def test_a_font_is_typed_and_taken_and_the_diff_is_painted_in_it(desktop: Any, families: list[str]) -> None:
    wanted = families[-1]
    diff = desktop.panes.pages.step.diff
    diff.setFocus()
    before = diff.grab().toImage()
    open_fonts(desktop)
    assert rows(desktop)[0] == "System code font"
    assert set(families) <= set(rows(desktop))
    assert all(QFontDatabase.isFixedPitch(each) for each in rows(desktop)[1:])
    desktop.type(wanted)
    desktop.press(Qt.Key.Key_Return)
    desktop.settle()
    assert code_font().family() == wanted
    assert diff.grab().toImage() != before
    assert desktop.focused() is diff.canvas, "the keyboard is where it was"
    open_fonts(desktop)
    model = desktop.find("code-fonts-list").model()
    said = [model.index(row, 0).data(Qt.ItemDataRole.AccessibleTextRole) for row in range(model.rowCount())]
    assert [each for each in said if each] == [f"{wanted}, current"]
    view = desktop.find("code-fonts-list")
    place = view.visualRect(model.index(0, 0)).center()
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(place))
    desktop.settle()
    assert diff.grab().toImage() == before


def test_escape_changes_nothing_and_an_unknown_name_is_answered(desktop: Any, families: list[str]) -> None:
    open_fonts(desktop)
    desktop.press(Qt.Key.Key_Down)
    desktop.press(Qt.Key.Key_Escape)
    assert not desktop.window.findChild(object, "code-fonts").isVisible()
    open_fonts(desktop)
    desktop.type("no such font")
    assert rows(desktop) == []
    assert desktop.find("code-fonts-note").text() == "No matching monospaced fonts."
    desktop.press(Qt.Key.Key_Return)
    assert code_font().family() not in families


def test_it_is_there_after_the_next_start(families: list[str], tmp_path: Path, runner: Runner) -> None:
    settings = tmp_path / "memory.json"
    first = WindowControl(runner, Settings(settings))
    first.store_code_font(families[-1])
    set_code_family("")
    again = WindowControl(runner, Settings(settings))
    again.finish_startup()
    assert code_font().family() == families[-1]
    for control in (first, again):
        control.window.close()
        control.window.deleteLater()
        control.deleteLater()
