"""Keys that act on the current row of a list."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent


def plain_key(event: QEvent) -> int | None:
    """The key that was pressed alone; a key held down presses nothing here."""
    if not isinstance(event, QKeyEvent) or event.type() is not QEvent.Type.KeyPress:
        return None
    # Qt gives the keys of the number pad this modifier, though nobody holds a key for it.
    alone = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier == Qt.KeyboardModifier.NoModifier
    return event.key() if alone and not event.isAutoRepeat() else None
