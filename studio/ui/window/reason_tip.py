"""Tip over the focused pane on why an input had no effect."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from studio.ui.look.icons import Sign
from studio.ui.look.theme import color, px
from studio.ui.widgets import Label, Surface, row_of

_SHOWN_MS = 4000
_WIDEST = 420


class ReasonTip(Surface):
    """Passive tip, shown until the next key or click, or some seconds."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__("field", parent)
        self.setObjectName("reason-tip")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.words = Label(size=12.5, wrap=True)
        row_of(
            (Sign("reason-icon", self, icon="info", token="warn", size=16), 0, Qt.AlignmentFlag.AlignTop),
            (self.words, 1),
            parent=self,
            margins=(px(10), px(7), px(12), px(7)),
            spacing=px(8),
        )
        self._ends = QTimer(self, singleShot=True, interval=_SHOWN_MS)
        self._ends.timeout.connect(self.hide)
        self.hide()

    def show_over(self, pane: QWidget, sentence: str) -> None:
        """Show a sentence at the lower end of a pane."""
        parent = self.parentWidget()
        assert parent is not None
        self.words.setText(sentence)
        self.setAccessibleName(sentence)
        width = min(px(_WIDEST), max(px(120), pane.width() - px(32)))
        self.setFixedWidth(width)
        self.adjustSize()
        corner = pane.mapTo(
            parent, QPoint((pane.width() - width) // 2, pane.height() - self.height() - px(20))
        )
        self.move(corner)
        self.show()
        self.raise_()
        self._ends.start()
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, sentence))

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        painter.setPen(color("edge"))
        painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
