"""The field for a person's own lines of a conflict, with their numbers."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from studio.ui.look.theme import color, px
from studio.ui.widgets.code_text import CodeText


class CodeField(CodeText):
    """Text with line numbers."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("conflict-text", parent)
        self._numbers = _Numbers(self)
        self.blockCountChanged.connect(self._make_room)
        self.updateRequest.connect(self._scroll_numbers)

    def show_text(self, text: str, first_line: int) -> bool:
        """As for any code, with room for the numbers."""
        is_held = super().show_text(text, first_line)
        self._make_room()
        return is_held

    def paint_numbers(self, painter: QPainter, area: QRect) -> None:
        painter.fillRect(area, color("field"))
        painter.setFont(self.font())
        painter.setPen(color("lineNo"))
        block = self.firstVisibleBlock()
        top = self.blockBoundingGeometry(block).translated(self.contentOffset()).top()
        while block.isValid() and top <= area.bottom():
            # The last block is higher than its line by the margin of the text.
            room = QRectF(0, top, self._numbers.width() - px(10), self.fontMetrics().height())
            number = str(block.blockNumber() + self.first_line + 1)
            painter.drawText(room, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop, number)
            top += self.blockBoundingRect(block).height()
            block = block.next()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_numbers()

    def _make_room(self) -> None:
        digits = "0" * max(3, len(str(self.blockCount() + self.first_line)))
        width = round(QFontMetricsF(self.font()).horizontalAdvance(digits)) + px(18)
        self._numbers.setFixedWidth(width)
        self.setViewportMargins(width, 0, 0, 0)
        self._place_numbers()

    def _place_numbers(self) -> None:
        area = self.contentsRect()
        self._numbers.setGeometry(area.left(), area.top(), self._numbers.width(), self.viewport().height())

    def _scroll_numbers(self, area: QRect, by: int) -> None:
        if by:
            self._numbers.scroll(0, by)
        else:
            self._numbers.update(0, area.top(), self._numbers.width(), area.height())


class _Numbers(QWidget):
    """The line numbers left of the text."""

    def __init__(self, field: CodeField) -> None:
        super().__init__(field)
        self._field = field
        self.setObjectName("conflict-line-numbers")

    def paintEvent(self, event: QPaintEvent) -> None:
        self._field.paint_numbers(QPainter(self), event.rect())
