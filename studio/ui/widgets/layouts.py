"""Rows and columns of widgets: a box layout and what is in it, in one call."""

from __future__ import annotations

from typing import Any, Final, TypeVar

from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLayout, QVBoxLayout, QWidget

STRETCH: Final = None
"""An item that takes the room that is left."""
STYLE_GAP: Final = -1
"""The style's own room between two items."""

Item = QWidget | QLayout | tuple[Any, ...] | int | None
"""A widget, a layout, either with its stretch and alignment, room in pixels, or STRETCH."""
Margins = tuple[int, int, int, int]
_Box = TypeVar("_Box", bound=QBoxLayout)


def row_of(
    *items: Item, parent: QWidget | None = None, margins: Margins = (0, 0, 0, 0), spacing: int = 0
) -> QHBoxLayout:
    """Make a row, of `parent` or to be put into another layout."""
    return _fill(QHBoxLayout(), items, parent, margins, spacing)


def column_of(
    *items: Item, parent: QWidget | None = None, margins: Margins = (0, 0, 0, 0), spacing: int = 0
) -> QVBoxLayout:
    """Make a column, of `parent` or to be put into another layout."""
    return _fill(QVBoxLayout(), items, parent, margins, spacing)


def _fill(box: _Box, items: tuple[Item, ...], parent: QWidget | None, margins: Margins, spacing: int) -> _Box:
    if parent is not None:
        parent.setLayout(box)
    box.setContentsMargins(*margins)
    box.setSpacing(spacing)
    for item in items:
        if item is None:
            box.addStretch(1)
        elif isinstance(item, int):
            box.addSpacing(item)
        else:
            what, *rest = item if isinstance(item, tuple) else (item,)
            if isinstance(what, QLayout):
                box.addLayout(what, *rest)
            else:
                box.addWidget(what, *rest)
    return box
