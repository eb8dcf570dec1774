"""Layout of one code line: glyphs, colours, conversion of columns and pixels.

A long line is laid out in slices, visible ones only, which start on the grid of the fixed-width font. A
wrapped line is a column of such slices.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import cast

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QBrush,
    QFont,
    QFontMetricsF,
    QPainter,
    QPen,
    QTextCharFormat,
    QTextLayout,
    QTextOption,
)

from studio.ui.diff.code.colouring import Span
from studio.ui.diff.code.wrapping import word_breaks
from studio.ui.diff.model.columns import DisplayLine, Mark, MarkKind
from studio.ui.look.theme import color

SLICE_COLUMNS = 600
"""Columns of one slice of a longer line."""

_MARK_TOKENS = {
    MarkKind.BOX: "bad",
    MarkKind.BLANK: "off",
    MarkKind.ENDING: "off",
    MarkKind.OMITTED: "accent",
}


class CodeMetrics:
    """Measures of the code font."""

    def __init__(self, font: QFont, line_height: int) -> None:
        self.font = font
        self.line_height = line_height
        metrics = QFontMetricsF(font)
        self.advance = metrics.horizontalAdvance("0" * 100) / 100
        self.text_top = (line_height - metrics.height()) / 2


class DrawnLine:
    """A `DisplayLine` with its glyphs; `ink` is the default colour token.

    `wrap` is the number of columns of a screen line, 0 for no wrapping. Screen lines are numbered from 0.
    """

    def __init__(
        self,
        shown: DisplayLine,
        spans: Sequence[Span],
        metrics: CodeMetrics,
        *,
        ink: str = "code",
        wrap: int = 0,
    ) -> None:
        self.shown = shown
        self._metrics = metrics
        self._ink = ink
        self._spans = spans if ink == "code" else ()
        self._pieces: dict[int, QTextLayout] = {}
        self._is_grid = shown.text.isascii()
        self._width = shown.width
        self._utf16 = None if shown.column_map is None else shown.text.encode("utf-16-le", "surrogatepass")
        self._wraps = 0 < wrap < self._width or (wrap > 0 and not self._is_grid)
        is_long = self._width > SLICE_COLUMNS
        self._by_grid = self._is_grid or is_long
        self._step = wrap if self._wraps else SLICE_COLUMNS if is_long else max(1, self._width)
        self._breaks: list[int] | None = None
        if self._wraps and not self._by_grid:
            self._breaks = self._natural_breaks(wrap * metrics.advance)
        elif self._wraps and self._is_grid:
            self._breaks = word_breaks(shown.text, wrap)
        if self._breaks is not None:
            self._wraps = len(self._breaks) > 1

    @property
    def lines(self) -> int:
        """The number of screen lines."""
        return self._piece_count() if self._wraps else 1

    @property
    def width(self) -> float:
        """The unwrapped width in pixels.

        A long line with wide characters is measured by the grid.
        """
        return self._width * self._metrics.advance if self._wraps else self.position_of(self._width)[0]

    @property
    def slices_laid_out(self) -> int:
        """The number of slices laid out so far."""
        return len(self._pieces)

    def position_of(self, column: int) -> tuple[float, int]:
        """Return the left edge of a column, and its screen line."""
        piece = self._piece_at(column)
        start, _ = self._range(piece)
        if self._by_grid:
            inside = (column - start) * self._metrics.advance
        else:
            inside = _cursor_to_x(self._piece(piece), column - start)
        return (inside, piece) if self._wraps else (start * self._metrics.advance + inside, 0)

    def column_at(self, x: float, line: int = 0) -> int:
        """Return the column boundary nearest to a position on a screen line."""
        piece = min(max(0, line), self._piece_count() - 1) if self._wraps else 0
        start, end = self._range(piece)
        if not self._wraps:
            start, end = 0, self._width
        if x <= 0:
            return start
        if self._by_grid:
            return min(end, start + round(x / self._metrics.advance))
        return start + self._piece(piece).lineAt(0).xToCursor(x)

    def draw(self, painter: QPainter, x: float, y: float, clip: QRectF) -> None:
        """Draw the text with column 0 at (x, y), only within `clip`."""
        if not self.shown.text:
            return
        painter.setPen(color(self._ink))
        height = self._metrics.line_height
        step = self._step * self._metrics.advance
        if self._wraps:
            first, last = int((clip.top() - y) // height), int((clip.bottom() - y) // height)
        else:
            first, last = int((clip.left() - x) // step), int((clip.right() - x) // step)
        first, last = max(0, first), min(self._piece_count() - 1, last)
        for piece in range(first, last + 1):
            left, down = (0.0, piece * height) if self._wraps else (piece * step, 0)
            place = QPointF(x + left, y + down + self._metrics.text_top)
            self._piece(piece).draw(painter, place)
        if first <= last:
            self._draw_boxes(painter, x, y, self._range(first)[0], self._range(last)[1])

    def boxes(self, span: tuple[int, int], x: float, y: float, clip: QRectF) -> list[QRectF]:
        """Return the boxes of a span, one per screen line in `clip`."""
        height = self._metrics.line_height
        left, first = self.position_of(span[0])
        right, last = self.position_of(span[1])
        if first == last:
            return [QRectF(x + left, y + first * height, right - left, height)]
        found: list[QRectF] = []
        above, below = int((clip.top() - y) // height), int((clip.bottom() - y) // height)
        for line in range(max(first, above), min(last, below) + 1):
            begin = left if line == first else 0.0
            start, stop = self._range(line)
            end = right if line == last else (stop - start) * self._metrics.advance
            found.append(QRectF(x + begin, y + line * height, end - begin, height))
        return found

    def _draw_boxes(self, painter: QPainter, x: float, y: float, start: int, end: int) -> None:
        for mark in self._marks(start, end):
            if mark.kind is MarkKind.BOX:
                painter.setPen(QPen(color("bad"), 1))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                clip = QRectF(x, y, 1e7, self.lines * self._metrics.line_height)
                for box in self.boxes((mark.start, mark.end), x, y, clip):
                    painter.drawRect(box.adjusted(0.5, 2.5, -0.5, -2.5))

    def _marks(self, start: int, end: int) -> Sequence[Mark]:
        """Return the marks that overlap a range of columns."""
        marks = self.shown.marks
        first = bisect_right(marks, start, key=lambda mark: mark.end)
        return marks[first : bisect_left(marks, end, key=lambda mark: mark.start)]

    def _piece_count(self) -> int:
        if self._breaks is not None:
            return len(self._breaks)
        return max(1, -(-self._width // self._step))

    def _piece_at(self, column: int) -> int:
        if self._breaks is not None:
            return bisect_right(self._breaks, column) - 1
        return min(column // self._step, self._piece_count() - 1)

    def _range(self, piece: int) -> tuple[int, int]:
        """Return the columns of a slice: the first, and the end (exclusive)."""
        if self._breaks is not None:
            end = self._breaks[piece + 1] if piece + 1 < len(self._breaks) else self._width
            return self._breaks[piece], end
        return piece * self._step, min(self._width, (piece + 1) * self._step)

    def _natural_breaks(self, width: float) -> list[int]:
        """Return the screen line starts where characters exceed the grid's width."""
        layout = self._make(0, self._width)
        option = layout.textOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        layout.setTextOption(option)
        layout.beginLayout()
        breaks: list[int] = []
        while (line := layout.createLine()).isValid():
            line.setLineWidth(width)
            breaks.append(line.textStart())
        layout.endLayout()
        return breaks or [0]

    def _piece(self, index: int) -> QTextLayout:
        layout = self._pieces.get(index)
        if layout is None:
            layout = self._pieces[index] = self._make(*self._range(index))
        return layout

    def _make(self, start: int, end: int) -> QTextLayout:
        layout = QTextLayout(self._text(start, end), self._metrics.font)
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.NoWrap)
        # Qt takes the direction from the first letter: code that begins with Hebrew or Arabic would be
        # reversed.
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
        for mark in self._marks(start, end):
            _add_format(formats, (mark.start, mark.end), (start, end), _MARK_TOKENS[mark.kind])
        return formats


def _add_format(
    formats: list[QTextLayout.FormatRange], columns: tuple[int, int], part: tuple[int, int], token: str
) -> None:
    left, right = max(columns[0], part[0]), min(columns[1], part[1])
    if left < right:
        span = QTextLayout.FormatRange()
        span.start = left - part[0]
        span.length = right - left
        style = QTextCharFormat()
        style.setForeground(QBrush(color(token)))
        span.format = style
        formats.append(span)


def _cursor_to_x(layout: QTextLayout, column: int) -> float:
    # The binding returns the position together with the cursor that Qt moved to a legal one.
    return cast("tuple[float, int]", layout.lineAt(0).cursorToX(column))[0]
