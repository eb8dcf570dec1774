"""Fields with a list behind them, also for the login in the sandbox."""

from __future__ import annotations

from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QComboBox, QCompleter, QWidget

from studio.engine.logins import LOGIN_NAMES
from studio.ui.look.icons import paint_icon
from studio.ui.look.theme import px
from studio.ui.look.words import say

_SIDE = 16
_MARGIN = 5


class Choice(QComboBox):
    """A style sheet takes the arrow of Qt's own style away; this one follows the theme."""

    def setEditable(self, editable: bool) -> None:
        """What is typed into is the part that a screen reader reads: it has the name of the whole."""
        super().setEditable(editable)
        field = self.lineEdit()
        if field is not None:
            field.setObjectName(f"{self.objectName()}-text")
            field.setAccessibleName(self.accessibleName())
            # It would put another command in the place of the one that is typed, and Enter would run that.
            self.setCompleter(QCompleter(self))

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        token = "muted" if self.isEnabled() else "off"
        left = self.width() - px(_SIDE + _MARGIN)
        paint_icon(painter, "down", token, left, (self.height() - px(_SIDE)) / 2, size=_SIDE)
        painter.end()


# Whose login a command or an agent in the sandbox is given, as a field with a list.


class LoginChoice(Choice):
    """The names of those whose login can be given, and none of them."""

    def __init__(self, name: str, parent: QWidget, *, has_logins: bool) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setAccessibleName(self.tr("The login that is given in the sandbox"))
        self.addItem(self.tr("No login"), "")
        for login in LOGIN_NAMES if has_logins else ():
            self.addItem(say(self.tr("Login of {agent}"), agent=login), login)

    @property
    def login(self) -> str:
        """The one that is chosen, "" for none."""
        return str(self.currentData())

    def choose(self, login: str) -> None:
        """Choose it, or none where there is no such login."""
        self.setCurrentIndex(max(0, self.findData(login)))
