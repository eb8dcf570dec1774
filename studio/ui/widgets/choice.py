"""Combo boxes, including the choice of a login for the sandbox."""

from __future__ import annotations

from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QComboBox, QCompleter, QWidget

from studio.extras.agents import LOGIN_NAMES
from studio.ui.look.icons import paint_icon
from studio.ui.look.theme import px
from studio.ui.look.words import say

_SIDE = 16
_MARGIN = 5


class Choice(QComboBox):
    """Combo box with a themed arrow, as QSS removes Qt's own."""

    def setEditable(self, editable: bool) -> None:
        """Make the field editable and copy the accessible name to it.

        The inner line edit is what a screen reader reads.
        """
        super().setEditable(editable)
        field = self.lineEdit()
        if field is not None:
            field.setObjectName(f"{self.objectName()}-text")
            field.setAccessibleName(self.accessibleName())
            # Completion would replace the command being typed by another, which Enter would run.
            self.setCompleter(QCompleter(self))

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        token = "muted" if self.isEnabled() else "off"
        left = self.width() - px(_SIDE + _MARGIN)
        paint_icon(painter, "down", token, left, (self.height() - px(_SIDE)) / 2, size=_SIDE)
        painter.end()


# Login that a command or an agent in the sandbox receives


class LoginChoice(Choice):
    """Combo box of the available logins, and none."""

    def __init__(self, name: str, parent: QWidget, *, has_logins: bool) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setAccessibleName(self.tr("Login to use in the sandbox"))
        self.addItem(self.tr("No login"), "")
        for login in LOGIN_NAMES if has_logins else ():
            self.addItem(say(self.tr("{agent} login"), agent=login), login)

    @property
    def login(self) -> str:
        """The selected login, "" for none."""
        return str(self.currentData())

    def choose(self, login: str) -> None:
        """Select a login, or none if it is unavailable."""
        self.setCurrentIndex(max(0, self.findData(login)))
