"""A single icon as a widget; it paints itself from its token, so that it follows a change of theme."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from studio.ui.look.icons import paint_icon
from studio.ui.look.theme import px
from studio.ui.look.words import plain_tip


class Sign(QWidget):
    """An icon of 16, 18 or 32 px; "" shows none."""

    def __init__(
        self,
        name: str,
        parent: QWidget | None = None,
        *,
        icon: str = "",
        token: str = "muted",
        size: int = 16,
    ) -> None:
        super().__init__(parent)
        self._icon, self._token, self._size = icon, token, size
        self.setObjectName(name)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def show_icon(self, icon: str, token: str, words: str = "") -> None:
        """Show another icon; `words` say the same to those who don't see it."""
        self._icon, self._token = icon, token
        self.setAccessibleName(words)
        self.setToolTip(plain_tip(words))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(px(self._size), px(self._size))

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._icon:
            paint_icon(QPainter(self), self._icon, self._token, 0, 0, size=self._size)
