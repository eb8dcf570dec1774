"""One line of code laid out for the painter: glyphs, colours, and places between columns and pixels.

A long line is laid out in slices, only those that are seen; slices stand on the grid of the fixed-width font.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFont,
    QFontMetricsF,
    QPainter,
    QPen,
    QTextCharFormat,
    QTextLayout,
    QTextOption,
)

from studio.ui.diff.colouring import Span
from studio.ui.diff.columns import DisplayLine, MarkKind
from studio.ui.theme import color

SLICE_COLUMNS = 600
"""Longer lines are laid out in pieces of this many columns."""

_MARK_TOKENS = {MarkKind.BOX: "bad", MarkKind.BLANK: "off", MarkKind.ENDING: "off"}


class CodeMetrics:
    """What the code font measures."""

    def __init__(self, font: QFont, line_height: int) -> None:
        self.font = font
        self.line_height = line_height
        metrics = QFontMetricsF(font)
        self.advance = metrics.horizontalAdvance("0" * 100) / 100
        self.text_top = (line_height - metrics.height()) / 2
        self.text_height = metrics.height()


class DrawnLine:
    """A `DisplayLine` with its glyphs; `ink` is the token of text without a colour of its own."""

    def __init__(
        self, shown: DisplayLine, spans: Sequence[Span], metrics: CodeMetrics, *, ink: str = "code"
    ) -> None:
        self.shown = shown
        self._metrics = metrics
        self._ink = ink
        self._spans = spans if ink == "code" else ()
        self._slices: dict[int, QTextLayout] = {}
        self._is_grid = shown.text.isascii()
        self._is_long = shown.width > SLICE_COLUMNS
        self._utf16 = None if shown.columns is None else shown.text.encode("utf-16-le")

    @property
    def width(self) -> float:
        """Width in pixels; of a long line with wide characters by the grid."""
        return self.x_of(self.shown.width)

    @property
    def slices_laid_out(self) -> int:
        """How many pieces of the line have been laid out so far."""
        return len(self._slices)

    def x_of(self, column: int) -> float:
        """Left edge of a column."""
        if self._is_grid or self._is_long:
            return column * self._metrics.advance
        return _cursor_to_x(self._slice(0), column)

    def column_at(self, x: float) -> int:
        """The column whose cell covers a place."""
        if x <= 0:
            return 0
        if self._is_grid or self._is_long:
            return min(self.shown.width, round(x / self._metrics.advance))
        return self._slice(0).lineAt(0).xToCursor(x)

    def draw(self, painter: QPainter, x: float, y: float, clip: QRectF) -> None:
        """Draw the text with its colours so that column 0 begins at (x, y); only what lies in `clip`."""
        if not self.shown.text:
            return
        painter.setPen(color(self._ink))
        if not self._is_long:
            self._slice(0).draw(painter, QPointF(x, y + self._metrics.text_top))
        else:
            step = SLICE_COLUMNS * self._metrics.advance
            first = max(0, int((clip.left() - x) // step))
            last = min((self.shown.width - 1) // SLICE_COLUMNS, int((clip.right() - x) // step))
            for index in range(first, last + 1):
                self._slice(index).draw(painter, QPointF(x + index * step, y + self._metrics.text_top))
        self._draw_boxes(painter, x, y)

    def fill(self, painter: QPainter, x: float, y: float, span: tuple[int, int], fill: QColor) -> None:
        """Fill the background behind columns."""
        left, right = self.x_of(span[0]), self.x_of(span[1])
        painter.fillRect(QRectF(x + left, y, right - left, self._metrics.line_height), fill)

    def _draw_boxes(self, painter: QPainter, x: float, y: float) -> None:
        for mark in self.shown.marks:
            if mark.kind is MarkKind.BOX:
                left, right = self.x_of(mark.start), self.x_of(mark.end)
                box = QRectF(x + left + 0.5, y + 2.5, right - left - 1, self._metrics.line_height - 5)
                painter.setPen(QPen(color("bad"), 1))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRect(box)

    def _slice(self, index: int) -> QTextLayout:
        layout = self._slices.get(index)
        if layout is None:
            layout = self._lay_out(index)
            self._slices[index] = layout
        return layout

    def _lay_out(self, index: int) -> QTextLayout:
        start = index * SLICE_COLUMNS if self._is_long else 0
        end = min(self.shown.width, start + SLICE_COLUMNS) if self._is_long else self.shown.width
        layout = QTextLayout(self._text(start, end), self._metrics.font)
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.NoWrap)
        option.setTextDirection(Qt.LayoutDirection.LeftToRight)
        option.setUseDesignMetrics(True)
        layout.setTextOption(option)
        layout.setFormats(self._formats(start, end))
        layout.beginLayout()
        line = layout.createLine()
        line.setLineWidth(1e7)
        line.setPosition(QPointF(0, 0))
        layout.endLayout()
        return layout

    def _text(self, start: int, end: int) -> str:
        if self._utf16 is None:
            return self.shown.text[start:end]
        return self._utf16[2 * start : 2 * end].decode("utf-16-le", "replace")

    def _formats(self, start: int, end: int) -> list[QTextLayout.FormatRange]:
        formats: list[QTextLayout.FormatRange] = []
        for first, behind, token in self._spans:
            columns = self.shown.column_of(first), self.shown.column_of(behind)
            _add_format(formats, columns, (start, end), token)
        for mark in self.shown.marks:
            _add_format(formats, (mark.start, mark.end), (start, end), _MARK_TOKENS[mark.kind])
        return formats


def _add_format(
    formats: list[QTextLayout.FormatRange], columns: tuple[int, int], part: tuple[int, int], token: str
) -> None:
    left, right = max(columns[0], part[0]), min(columns[1], part[1])
    if left < right:
        made = QTextLayout.FormatRange()
        made.start = left - part[0]
        made.length = right - left
        look = QTextCharFormat()
        look.setForeground(QBrush(color(token)))
        made.format = look
        formats.append(made)


def _cursor_to_x(layout: QTextLayout, column: int) -> float:
    # The binding returns the place together with the cursor that Qt moved to a legal position.
    return cast("tuple[float, int]", layout.lineAt(0).cursorToX(column))[0]
