"""The frame around the diff while it has the focus."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from studio.ui.look.theme import color


class FocusFrame(QWidget):
    """2 px around the diff; lets every press through."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("diff-focus-frame")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def set_shown(self, shown: bool) -> None:
        self.setVisible(shown)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(QPen(color("accent"), 2))
        painter.drawRect(self.rect().adjusted(1, 1, -1, -1))
