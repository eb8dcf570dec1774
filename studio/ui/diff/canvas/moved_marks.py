"""What more is drawn of lines: the ground of moved code, a bar at its left, words behind a line."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter

from studio.ui.diff.canvas.painting import Pane
from studio.ui.diff.model.cells import Side
from studio.ui.diff.model.moved_lines import MovedPart
from studio.ui.language import translator
from studio.ui.look.theme import color, px, ui_font
from studio.ui.look.words import say

_tr = translator("DiffView")

_BAR = 3
_LEAST_ROOM = 180
_NAMED_IN = 12


def moved_words(part: MovedPart) -> str:
    """Where the other end of moved lines is."""
    is_gone = part.side is Side.BASE
    words = _tr("moved to {path}:{line}") if is_gone else _tr("moved from {path}:{line}")
    return say(words, path=part.path, line=part.other_first + 1)


def paint_moved(painter: QPainter, pane: Pane, y: int, height: int) -> None:
    """The ground of a moved line behind its code; its sign stays on the ground of what goes or comes."""
    painter.fillRect(pane.code_left, y, pane.code_width, height, color("infoBg"))
    paint_bar(painter, pane, y, height)


def paint_bar(painter: QPainter, pane: Pane, y: int, height: int) -> None:
    """The bar left of a line of which more is to be said than that it comes or goes."""
    painter.fillRect(pane.code_left - px(_BAR), y, px(_BAR), height, color("curBar"))


def end_line(part: MovedPart, widths: Callable[[int], float], pane: Pane) -> int:
    """The line of a block behind which its other end is named: the first of a few that leaves room."""
    most = pane.code_width - px(_LEAST_ROOM + 24)
    lines = range(part.first, part.first + min(part.count, _NAMED_IN))
    return next((line for line in lines if widths(line) <= most), -1)


def paint_end(painter: QPainter, pane: Pane, place: QRectF, words: str) -> None:
    """At the right end of a line, which stands in `place`."""
    painter.setFont(ui_font(11))
    metrics = QFontMetricsF(painter.font())
    right = pane.code_left + pane.code_width - px(8)
    room = right - max(pane.code_left, place.right()) - px(16)
    text = metrics.elidedText(words, Qt.TextElideMode.ElideMiddle, room)
    width = ceil(metrics.horizontalAdvance(text))
    painter.setPen(color("muted"))
    end = QRectF(right - width, place.top(), width, place.height())
    painter.drawText(end, Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, text)
