"""The line of the function stays in view above the lines that are in it, and leads back to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication

from studio.engine.diff import compute
from studio.ui.diff.code.names import DefinitionNames
from studio.ui.diff.model.cells import Side
from studio.ui.look.theme import set_theme

if TYPE_CHECKING:
    from tests.ui.diff.conftest import Shown


def function(name: str) -> str:
    return f"def {name}():\n" + "".join(f"    {name}_{number} = {number}\n" for number in range(1, 41))


BASE = "import os\n\n\n" + function("first") + "\n\n" + function("second") + "end = 1\n" * 40


def scroll_to(shown: Shown, line: int) -> int:
    """Scroll a line (from 1) of the result to the top; return where the sticky line is then."""
    canvas = shown.view.canvas
    layout = canvas.layout_
    assert layout is not None
    row = layout.row_of(Side.RESULT, line - 1)
    assert row is not None
    canvas.verticalScrollBar().setValue(layout.top(row))
    shown.settle()
    return canvas.painter_metrics().line_height // 2


def is_sticky(shown: Shown, y: int, *, left: bool = False) -> bool:
    width = shown.view.canvas.viewport().width()
    return shown.is_token(shown.picture().pixelColor(width // 2 - 8 if left else width - 8, y), "panel")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_function_above_stays_in_view_and_a_press_goes_to_it(
    shown: Shown, qapp: QApplication, theme: str
) -> None:
    set_theme(qapp, theme)
    shown.show(BASE.encode(), BASE.replace("\nend = 1\n", "\nend = 2\n", 1).encode())
    shown.view.set_folds(False)
    for line in (1, 4, 47, 90):
        assert not is_sticky(shown, scroll_to(shown, line)), "nothing around it, or its line is in view"
    y = scroll_to(shown, 60)
    assert is_sticky(shown, y) and is_sticky(shown, y, left=True)
    shown.click(shown.view.canvas.viewport().width() - 40, y)
    assert shown.view.canvas.clicked_line() == (Side.RESULT, 46)
    assert 0 <= shown.row_of("result", 47) < shown.view.canvas.viewport().height()
    y = scroll_to(shown, 30)
    shown.click(40, y)
    assert shown.view.canvas.clicked_line() == (Side.BASE, 3)


def test_each_side_has_its_own_function(shown: Shown) -> None:
    """Lines that move into a function."""
    moved = BASE.replace("end", "    end")
    shown.show(BASE.encode(), moved.encode())
    shown.view.set_folds(False)
    y = scroll_to(shown, 92) + 26
    assert is_sticky(shown, y) and not is_sticky(shown, y, left=True), "the left side is behind its end"
    shown.view.toggle_mode()
    y = scroll_to(shown, 60)
    shown.click(400, y)
    assert shown.view.canvas.clicked_line() == (Side.RESULT, 46)


@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        ("        b\n", "        B\n", "def one(self):"),
        ("        b\n", "        b\n        c\n", "def one(self):"),
        ("    def one(self):\n", "    def first(self):\n", "class A:"),
        ("        b\n\n    def two", "        b\n\n    def new(self):\n        n\n\n    def two", "class A:"),
        (
            "        b\n\n    def two(self):\n        d\n",
            "        B\n\n    def two(self):\n        D\n",
            "class A:",
        ),
        ("end = 1\n", "end = 1\n\n\ndef new():\n    n\n", ""),
        ("        d\n\n\nend = 1\n", "        D\n\n\nend = 2\n", ""),
    ],
)
def test_a_hunk_is_named_by_what_holds_all_its_changed_lines(old: str, new: str, name: str) -> None:
    base = (
        "class A:\n    def one(self):\n        a\n        b\n\n    def two(self):\n        d\n\n\nend = 1\n"
    )
    assert old in base
    diff = compute(base.encode(), base.replace(old, new).encode(), context=1)
    names = DefinitionNames(diff, dict.fromkeys(Side, "a.py"), None, QObject())
    assert [names.hunk(hunk) for hunk in range(1, len(diff.hunks) + 1)] == [name]
