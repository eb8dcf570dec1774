"""Overview map of a diff, in place of the vertical scroll bar.

Removed lines are at the left, added ones at the right; the visible part and the current hunk are marked.
Where everything fits, rows and map have the same scale.
"""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from studio.ui.diff.canvas.canvas import DiffCanvas
from studio.ui.diff.model.cells import Side
from studio.ui.diff.model.layout import Layout
from studio.ui.look.theme import color, px

_WIDTH = 14


class OverviewMap(QWidget):
    """Map of a canvas that scrolls it on click or drag."""

    def __init__(self, canvas: DiffCanvas, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._canvas = canvas
        self._marks: list[tuple[float, float, Side]] = []
        self._marked: tuple[Layout | None, int] = (None, 0)
        self.setObjectName("overview-map")
        self.setAccessibleName(self.tr("Overview of changes"))
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)
        canvas.rows_changed.connect(self.update)
        canvas.current_changed.connect(self.update)
        canvas.verticalScrollBar().valueChanged.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(px(_WIDTH), px(60))

    def scale(self) -> float:
        """Return the map's pixels per pixel of the rows, at most 1."""
        layout = self._canvas.layout_
        if layout is None or layout.height <= 0:
            return 1.0
        return min(1.0, self.height() / layout.height)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), color("panel"))
        painter.fillRect(0, 0, 1, self.height(), color("border"))
        layout = self._canvas.layout_
        if layout is None:
            return
        middle, width = self.width() / 2 + 0.5, self.width() / 2 - px(2)
        for top, height, side in self._scaled_marks(layout):
            token, left = ("delSign", middle - width) if side is Side.BASE else ("addSign", middle)
            painter.fillRect(QRectF(left, top, width - 0.5, height), color(token))
        self._paint_view(painter, layout)

    def _scaled_marks(self, layout: Layout) -> list[tuple[float, float, Side]]:
        """Return marks in map pixels, joining overlaps: at most one per pixel."""
        if self._marked == (layout, self.height()):
            return self._marks
        scale = self.scale()
        last: dict[Side, tuple[float, float]] = {}
        marks: list[tuple[float, float, Side]] = []
        for mark in layout.map_marks(self.height()):
            top = mark.top * scale
            bottom = max(top + 2, (mark.top + mark.height) * scale)
            before = last.get(mark.side)
            if before is not None and top <= before[1]:
                last[mark.side] = (before[0], max(before[1], bottom))
                continue
            if before is not None:
                marks.append((before[0], before[1] - before[0], mark.side))
            last[mark.side] = (top, bottom)
        marks += [(top, bottom - top, side) for side, (top, bottom) in last.items()]
        self._marks, self._marked = marks, (layout, self.height())
        return marks

    def _paint_view(self, painter: QPainter, layout: Layout) -> None:
        scale = self.scale()
        view_top, view_bottom = self._canvas.view_lines()
        if layout.height > view_bottom - view_top:
            height = max(px(8), (view_bottom - view_top) * scale - 2)
            painter.setPen(QPen(color("edge"), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(QRectF(1, view_top * scale + 1, self.width() - 2, height))
        if self._canvas.current_hunk and layout.hunks > 1:
            first, end = layout.hunk_rows(self._canvas.current_hunk)
            top, bottom = layout.top(first) * scale, layout.top(end) * scale
            painter.fillRect(QRectF(0, top, 2, max(2.0, bottom - top)), color("curBar"))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._scroll_to(event.position().y())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._scroll_to(event.position().y())

    def _scroll_to(self, y: float) -> None:
        half = self._canvas.viewport().height() / 2
        self._canvas.verticalScrollBar().setValue(round(y / self.scale() - half))
