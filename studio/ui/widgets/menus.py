"""Menus of choices that exclude each other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu, QWidget

Choice = TypeVar("Choice")


def named_menu(name: str, words: str, parent: QWidget) -> QMenu:
    """An empty menu with its object name, and what it is called for who does not see it."""
    menu = QMenu(parent)
    menu.setObjectName(name)
    menu.setAccessibleName(words)
    return menu


def add_choices(
    menu: QMenu, choices: Mapping[Choice, str], chosen: Choice, choose: Callable[[Choice], None]
) -> None:
    """Entries that exclude each other, the chosen one ticked."""
    group = QActionGroup(menu)
    for choice, words in choices.items():
        action = QAction(words, menu)
        action.setCheckable(True)
        action.setChecked(choice == chosen)
        action.triggered.connect(lambda _checked=False, taken=choice: choose(taken))
        group.addAction(action)
        menu.addAction(action)
