"""Diff row view that lays out and paints review comments below lines."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QResizeEvent, QTextLayout, QTextOption

from studio.ui.diff.canvas.painting import Pane
from studio.ui.diff.canvas.row_view import RowView, VisibleRow
from studio.ui.diff.model.cells import Mode, Side
from studio.ui.diff.model.line_choice import LinePlace
from studio.ui.look.icons import paint_icon
from studio.ui.look.theme import color, px, ui_font
from studio.values import Value

_LINE_BREAK = "\N{LINE SEPARATOR}"
_TITLE = 22
_BELOW = 7

COMMENT = "comment"
"""Id of the button that comments on a line."""


class ShownComment(Value):
    """Comment on a line, with a title and a right-aligned remark."""

    title: str
    text: str
    remark: str


class CommentedRows(RowView):
    """Row view that reserves space below commented lines and paints the comments."""

    _comments: Mapping[LinePlace, ShownComment] = {}

    def set_comments(self, comments: Mapping[LinePlace, ShownComment]) -> None:
        """Show these comments without scrolling."""
        if comments != self._comments:
            self._comments = dict(comments)
            self._lay_out(self._anchor())

    def comments(self) -> Mapping[LinePlace, ShownComment]:
        return self._comments

    def _notes_heights(self) -> Mapping[LinePlace, int]:
        if self._painter is None or not self._comments:
            return {}
        return {
            place: px(_TITLE)
            + ceil(self._layout_comment(comment, self._pane_of_side(place[0]))[1])
            + px(_BELOW)
            for place, comment in self._comments.items()
        }

    def _pane_of_side(self, side: Side) -> Pane:
        panes = self.panes()
        return panes[1 if side is Side.RESULT and self._mode is Mode.SIDE_BY_SIDE else 0]

    def _layout_comment(self, comment: ShownComment, pane: Pane) -> tuple[QTextLayout, float]:
        layout = QTextLayout(comment.text.replace("\n", _LINE_BREAK), ui_font(12))
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        layout.setTextOption(option)
        height = 0.0
        layout.beginLayout()
        while (line := layout.createLine()).isValid():
            line.setLineWidth(max(px(60), pane.code_width - px(12)))
            line.setPosition(QPointF(0, height))
            height += ceil(line.height() * 1.12)
        layout.endLayout()
        return layout, height

    def _paint_note(self, painter: QPainter, visible: VisibleRow, panes: tuple[Pane, ...]) -> None:
        """Paint a comment row, leaving the other side empty."""
        place = visible.row.note
        comment = self._comments.get(place) if place is not None else None
        if place is None or comment is None:
            return
        mine = self._pane_of_side(place[0])
        for pane in panes:
            ground = "infoBg" if pane == mine else "void"
            painter.fillRect(pane.left, visible.y, pane.width, visible.height, color(ground))
        area = QRect(mine.left, visible.y, mine.width, visible.height)
        for y in (area.top(), area.bottom()):
            painter.fillRect(area.left(), y, area.width(), 1, color("border"))
        paint_icon(painter, "comment", "accent", mine.code_left - px(22), visible.y + px(5), size=14)
        self._paint_title(painter, comment, QRectF(mine.code_left, visible.y, mine.code_width, px(_TITLE)))
        painter.setPen(color("text"))
        layout = self._layout_comment(comment, mine)[0]
        layout.draw(painter, QPointF(mine.code_left, visible.y + px(_TITLE)))
        if len(panes) > 1:
            painter.fillRect(panes[1].left, visible.y, 1, visible.height, color("border"))

    @staticmethod
    def _paint_title(painter: QPainter, comment: ShownComment, room: QRectF) -> None:
        middle = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine
        painter.setFont(ui_font(12, 600))
        painter.setPen(color("text"))
        painter.drawText(room, middle, comment.title)
        title_width = QFontMetricsF(painter.font()).horizontalAdvance(comment.title)
        painter.setFont(ui_font(11))
        painter.setPen(color("muted"))
        width = QFontMetricsF(painter.font()).horizontalAdvance(comment.remark)
        if title_width + width + px(20) < room.width():
            painter.drawText(
                room.adjusted(0, 0, -px(10), 0), middle | Qt.AlignmentFlag.AlignRight, comment.remark
            )

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._comments and self.layout_ is not None:
            self._lay_out_resized()
