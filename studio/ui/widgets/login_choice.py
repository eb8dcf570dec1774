"""Whose login a command or an agent in the sandbox is given, as a field with a list."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from studio.engine.logins import LOGIN_NAMES
from studio.ui.look.words import say
from studio.ui.widgets.choice import Choice


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
