"""A field with a list behind it, marked as one."""

from __future__ import annotations

from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QComboBox, QCompleter

from studio.ui.look.icons import paint_icon
from studio.ui.look.theme import px

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
