"""Keys, fonts and colours on the page of settings: actions of the window, with what counts now."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QGridLayout, QSizePolicy, QWidget

from studio.ui.actions.action import Action
from studio.ui.look.theme import code_family, px
from studio.ui.widgets import Button, CheckBox, Label
from studio.ui.widgets.choice import Choice
from studio.ui.window.menus import COLOURS

if TYPE_CHECKING:
    from studio.ui.actions.actions import Actions

CONTROL_WIDTH, NAMES_WIDTH = 240, 140


class OwnSettings(QWidget):
    """Each is remembered at once, in the file that also remembers sizes."""

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
        self.colour_blind = self._box(Action.COLOUR_BLIND, "own-colour-blind")
        self.letters = self._box(Action.LETTERS, "own-letters")
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
                (self.tr("Font for code"), self.code_font, self._font_name),
                (self.tr("Keys"), self.keys, self.letters),
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
        """Show what counts now."""
        with QSignalBlocker(self.colours):
            for place, action in enumerate(COLOURS):
                if self._actions[action].isChecked():
                    self.colours.setCurrentIndex(place)
        for box, action in ((self.colour_blind, Action.COLOUR_BLIND), (self.letters, Action.LETTERS)):
            box.setChecked(self._actions[action].isChecked())
        self._font_name.setText(code_family() or self.tr("The system's font for code"))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.show_values()

    def _use_colours(self, place: int) -> None:
        self._actions.trigger(COLOURS[place])

    def _words(self, action: Action) -> str:
        return self._actions[action].text().replace("&&", "&")

    def _box(self, action: Action, name: str) -> CheckBox:
        return CheckBox(self._words(action), self, name=name, pressed=partial(self._actions.trigger, action))

    def _button(self, action: Action, name: str) -> Button:
        return Button(self._words(action), self, name=name, pressed=partial(self._actions.trigger, action))
