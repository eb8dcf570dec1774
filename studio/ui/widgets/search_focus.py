"""Whether somebody searches: then nothing that opens or closes by itself may take the keyboard."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication, QLineEdit


def is_searching() -> bool:
    """Whether the keyboard is in a field of one line. These search, filter or name a line: nothing that is
    typed there decides or goes to an agent, so there it may stay whatever happens around it."""
    return isinstance(QApplication.focusWidget(), QLineEdit)
