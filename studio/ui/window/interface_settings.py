"""Controls for colours, code font, keys and language; filling of window menus."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QSignalBlocker
from PySide6.QtGui import QActionGroup, QShowEvent
from PySide6.QtWidgets import QGridLayout, QMenu, QSizePolicy, QWidget

from studio.names import show_name
from studio.ui.actions.action import Action, Menu
from studio.ui.actions.actions import Actions
from studio.ui.actions.table import ACTIONS
from studio.ui.language import ENGLISH, LANGUAGE, language_files, language_name, translator
from studio.ui.look.theme import code_family, px
from studio.ui.look.words import counted, say
from studio.ui.translation import Translation
from studio.ui.widgets import Button, CheckBox, Label
from studio.ui.widgets.choice import Choice
from studio.ui.window.main_window import MainWindow

if TYPE_CHECKING:
    from studio.ui.actions.actions import Actions
    from studio.ui.runner import Runner
    from studio.ui.settings import Settings

CONTROL_WIDTH, NAMES_WIDTH = 240, 140


class OwnSettings(QWidget):
    """Settings stored at once, in the file that also stores sizes."""

    def __init__(self, actions: Actions, parent: QWidget) -> None:
        super().__init__(parent)
        self._actions = actions
        self.setObjectName("own-settings")
        self.colours = Choice(self)
        self.colours.setObjectName("own-colours")
        self.colours.setAccessibleName(self.tr("Colours"))
        self.colours.setFixedWidth(px(CONTROL_WIDTH))
        for action in COLOURS:
            self.colours.addItem(self._words(action), action)
        self.colours.activated.connect(self._use_colours)
        self.colour_blind = self._make_check_box(Action.COLOUR_BLIND, "own-colour-blind")
        self.letters = self._make_check_box(Action.LETTERS, "own-letters")
        self.code_font = self._button(Action.CODE_FONT, "own-font")
        self.keys = self._button(Action.KEYS, "own-keys")
        self._font_name = Label("", self, size=12.5, token="muted", name="own-font-name")
        grid = QGridLayout(self)
        grid.setContentsMargins(0, px(6), 0, 0)
        grid.setHorizontalSpacing(px(16))
        grid.setVerticalSpacing(px(10))
        grid.setColumnMinimumWidth(0, px(NAMES_WIDTH))
        grid.setColumnStretch(3, 1)
        for row, (words, control, second) in enumerate(
            (
                (self.tr("Colours"), self.colours, self.colour_blind),
                (self.tr("Code font"), self.code_font, self._font_name),
                (self.tr("Keyboard shortcuts"), self.keys, self.letters),
            )
        ):
            name = Label(words, self, weight=500)
            name.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
            grid.addWidget(name, row, 0)
            grid.addWidget(control, row, 1)
            grid.addWidget(second, row, 2)
        for action in (*COLOURS, Action.COLOUR_BLIND, Action.LETTERS):
            actions[action].toggled.connect(self.show_values)
        self.show_values()

    def show_values(self) -> None:
        """Show the effective values."""
        with QSignalBlocker(self.colours):
            for index, action in enumerate(COLOURS):
                if self._actions[action].isChecked():
                    self.colours.setCurrentIndex(index)
        for box, action in ((self.colour_blind, Action.COLOUR_BLIND), (self.letters, Action.LETTERS)):
            box.setChecked(self._actions[action].isChecked())
        self._font_name.setText(code_family() or self.tr("System code font"))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.show_values()

    def _use_colours(self, index: int) -> None:
        self._actions.trigger(COLOURS[index])

    def _words(self, action: Action) -> str:
        return self._actions[action].text().replace("&&", "&")

    def _make_check_box(self, action: Action, name: str) -> CheckBox:
        return CheckBox(self._words(action), self, name=name, pressed=partial(self._actions.trigger, action))

    def _button(self, action: Action, name: str) -> Button:
        return Button(self._words(action), self, name=name, pressed=partial(self._actions.trigger, action))


# Choice of a language on the settings page, shown where a translation is installed


class LanguageChoice(QWidget):
    """Language choice, stored at once and effective from the next start."""

    def __init__(self, settings: Settings, runner: Runner, parent: QWidget) -> None:
        super().__init__(parent)
        self._settings = settings
        self.choice: Choice | None = None
        self.setObjectName("own-language")
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, px(6), 0, 0)
        self._grid.setHorizontalSpacing(px(16))
        self._grid.setVerticalSpacing(px(4))
        self._grid.setColumnMinimumWidth(0, px(NAMES_WIDTH))
        self._grid.setColumnStretch(2, 1)
        runner.compute(language_files, then=self._offer)

    def _offer(self, files: dict[str, Path]) -> None:
        """Show the available languages; English alone offers no choice."""
        if not files:
            return
        choice = self.choice = Choice(self)
        choice.setObjectName("own-languages")
        choice.setAccessibleName(self.tr("Language"))
        choice.setFixedWidth(px(CONTROL_WIDTH))
        choice.addItem(self.tr("System default"), "")
        choice.addItem(language_name(ENGLISH), ENGLISH)
        for code in sorted(files):
            choice.addItem(f"{language_name(code)} ({code})", code)
        choice.setCurrentIndex(max(0, choice.findData(self._settings.text(LANGUAGE))))
        choice.activated.connect(lambda place: self._settings.store_text(LANGUAGE, choice.itemData(place)))
        self._grid.addWidget(Label(self.tr("Language"), self, weight=500), 0, 0)
        self._grid.addWidget(choice, 0, 1)
        when = Label(self.tr("Takes effect after restart"), self, size=12.5, token="muted")
        self._grid.addWidget(when, 0, 2)
        reason = self._file_trouble()
        if reason:
            trouble = Label(reason, self, size=12.5, token="warn", wrap=True, name="own-language-trouble")
            self._grid.addWidget(trouble, 1, 1, 1, 2)

    def _file_trouble(self) -> str:
        """Return what is ignored of the translation file, and why."""
        app = QCoreApplication.instance()
        translation = app.findChild(Translation) if app is not None else None
        if translation is None:
            return ""
        file = show_name(translation.file.name)
        if translation.trouble:
            return say(self.tr("{file} can't be fully read: {why}"), file=file, why=translation.trouble)
        if not translation.refused:
            return ""
        one = self.tr("{n} string stays in English because its placeholders in {file} don't match.")
        many = self.tr("{n} strings stay in English because their placeholders in {file} don't match.")
        return say(counted(len(translation.refused), one, many), file=file)


_tr = translator("Menus")

_OPEN_MENU = (Action.OPEN, Action.SWITCH_PROJECT, Action.PASTE, Action.SUBMIT_FILE, Action.DEMO)
COLOURS = (Action.LIGHT, Action.DARK, Action.CONTRAST, Action.SYSTEM)


def fill_menus(window: MainWindow, actions: Actions) -> None:
    """Fill the window's menus; exclusive entries are grouped."""
    menus = {menu: _menu(menu_widget, menu) for menu, menu_widget in zip(Menu, window.menus, strict=True)}
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
    window.toolbar.menu.addActions([actions[name] for name in _OPEN_MENU])


def _menu(menu: QMenu, which: Menu) -> QMenu:
    menu.setObjectName(f"menu-{which.value.lower()}")
    menu.setToolTipsVisible(True)
    return menu
