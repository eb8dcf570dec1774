"""Read-only text widget of a unified diff, for previewing configuration changes."""

from __future__ import annotations

from math import ceil

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QPlainTextEdit, QSizePolicy, QWidget

from studio.errors import show_lines
from studio.ui.look.theme import color, px
from studio.ui.widgets.text_field import CodeFont

_LINES = 60
"""Most visible lines; more lines scroll."""
_WRAPPED_CHARACTERS = 20_000
"""Longer lines are not wrapped, which would take Qt seconds."""
_BACKGROUNDS = {"+": "addBg", "-": "delBg", "@": "band"}


class DifferenceView(QPlainTextEdit):
    """One unified diff, as high as its lines, up to a limit."""

    def __init__(self, diff: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("difference")
        self.setReadOnly(True)
        self.setUndoRedoEnabled(False)
        self.setTabChangesFocus(True)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        longest = max(map(len, diff.split("\n")))
        wrap = QPlainTextEdit.LineWrapMode
        self.setLineWrapMode(wrap.NoWrap if longest > _WRAPPED_CHARACTERS else wrap.WidgetWidth)
        self._font = CodeFont(self)
        self._font.use()
        text = show_lines(diff.rstrip("\n"))
        lines = text.split("\n")
        # Above it are file names with signs that mark no changed line.
        self._first_hunk = next((at for at, line in enumerate(lines) if line.startswith("@@")), len(lines))
        self.setPlainText(text)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.StyleChange):
            self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Pass the wheel to the page if all lines are visible."""
        if self.verticalScrollBar().maximum() > 0:
            super().wheelEvent(event)
        else:
            event.ignore()

    def sizeHint(self) -> QSize:
        return QSize(px(400), self.height())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        block = self.firstVisibleBlock()
        while block.isValid() and block.isVisible():
            box = self.blockBoundingGeometry(block).translated(self.contentOffset())
            if box.top() > event.rect().bottom():
                break
            if block.blockNumber() >= self._first_hunk and (token := _BACKGROUNDS.get(block.text()[:1])):
                painter.fillRect(QRectF(0, box.top(), self.viewport().width(), box.height()), color(token))
            block = block.next()
        painter.end()
        super().paintEvent(event)

    def _fit(self) -> None:
        # A plain text edit reports its document height in lines, including wrapped ones.
        lines = min(ceil(self.document().size().height()), _LINES)
        margins, bar = self.contentsMargins(), self.horizontalScrollBar()
        around = margins.top() + margins.bottom() + ceil(2 * self.document().documentMargin())
        around += bar.sizeHint().height() if bar.maximum() > 0 else 0
        # Qt considers a line that ends at the edge as partly hidden.
        self.setFixedHeight(lines * self.fontMetrics().lineSpacing() + around + px(2))
