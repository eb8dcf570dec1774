"""The menu bar, made from the table of actions."""

from __future__ import annotations

from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QMenu

from studio.ui.actions.action import Action, Menu
from studio.ui.actions.actions import Actions
from studio.ui.actions.table import ACTIONS
from studio.ui.language import translator
from studio.ui.window.main_window import MainWindow

_tr = translator("Menus")

COLOURS = (Action.LIGHT, Action.DARK, Action.CONTRAST, Action.SYSTEM)


def fill_menus(window: MainWindow, actions: Actions) -> None:
    """Fill the window's menus; entries that exclude each other form a group."""
    menus = {menu: _menu(made, menu) for menu, made in zip(Menu, window.menus, strict=True)}
    colours = _menu(QMenu(_tr("Colours"), window), Menu.VIEW)
    colours.setObjectName("menu-colours")
    group = QActionGroup(window)
    for entry in ACTIONS:
        action = actions[entry.id]
        if entry.id in COLOURS:
            group.addAction(action)
        if entry.id in (*COLOURS, Action.COLOUR_BLIND):
            if entry.id == Action.COLOUR_BLIND:
                colours.addSeparator()
            colours.addAction(action)
            continue
        if entry.section:
            menus[entry.menu].addSeparator()
        menus[entry.menu].addAction(action)
    menus[Menu.VIEW].addSeparator()
    menus[Menu.VIEW].addMenu(colours)


def _menu(menu: QMenu, which: Menu) -> QMenu:
    menu.setObjectName(f"menu-{which.value.lower()}")
    menu.setToolTipsVisible(True)
    return menu
