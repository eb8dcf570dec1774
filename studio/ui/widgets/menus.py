"""Helpers for building QMenu menus with mutually exclusive entries."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu, QWidget

Choice = TypeVar("Choice")


def named_menu(name: str, words: str, parent: QWidget) -> QMenu:
    """Return an empty menu with object name and accessible name."""
    menu = QMenu(parent)
    menu.setObjectName(name)
    menu.setAccessibleName(words)
    return menu


def add_choices(
    menu: QMenu, choices: Mapping[Choice, str], chosen: Choice, choose: Callable[[Choice], None]
) -> None:
    """Add mutually exclusive entries, with the chosen one checked."""
    group = QActionGroup(menu)
    for choice, words in choices.items():
        action = QAction(words, menu)
        action.setCheckable(True)
        action.setChecked(choice == chosen)
        action.triggered.connect(lambda _checked=False, picked=choice: choose(picked))
        group.addAction(action)
        menu.addAction(action)
