"""What a canvas knows of somebody who types into its lines."""

from __future__ import annotations

from typing import Protocol

from PySide6.QtCore import QPoint
from PySide6.QtGui import QPainter

from studio.ui.diff.model.cells import Cell


class Caret(Protocol):
    """Takes presses on the lines that are typed, and is painted in them."""

    def take_press(self, place: QPoint, *, extend: bool) -> bool:
        """Stand under a point of the lines that are typed; says whether it is one."""
        ...

    def take_drag(self, place: QPoint) -> bool:
        """Select up to a point; says whether a press before began that."""
        ...

    def let_go(self) -> None:
        """The button is up."""
        ...

    def select_word(self, place: QPoint) -> bool:
        """Select the word under a point; says whether it is one of what is typed."""
        ...

    def words(self) -> str | None:
        """What is selected within one line, else the word at the caret; None while nothing is typed."""
        ...

    def selected(self, cell: Cell, length: int) -> tuple[int, int] | None:
        """The characters of a line of this length that are selected."""
        ...

    def paint(self, painter: QPainter) -> None:
        """The caret, where it is in view."""
        ...
