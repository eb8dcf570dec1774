"""Painting of conflict rows: header bands, collapsed lines and the three columns."""

from __future__ import annotations

from collections import OrderedDict
from functools import lru_cache
from typing import TYPE_CHECKING

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QFont, QPainter, QPen

from studio.extras.conflict_choices import Cell, ConflictRow, Kind, LineStyle, Settlement
from studio.extras.conflict_gaps import Column
from studio.extras.diff_view.on_screen import word_spans
from studio.text import TextForm, describe
from studio.ui.diff.code.colour_store import ColourStore
from studio.ui.diff.code.drawn_line import CodeMetrics, DrawnLine
from studio.ui.diff.model.columns import display_line, source_text
from studio.ui.language import translator
from studio.ui.look.icons import paint_icon
from studio.ui.look.theme import code_font, code_line_height, color, px, ui_font
from studio.ui.look.words import counted, say

if TYPE_CHECKING:
    from PySide6.QtCore import QObject

    from studio.text import NotText
    from studio.ui.runner import Runner

_tr = translator("ConflictView")

GUTTER = 54
_GROUNDS = {
    LineStyle.CLASH: "warnBg",
    LineStyle.TAKEN: "addBg",
    LineStyle.DROPPED: "delBg",
    LineStyle.BASE: "band",
}
_SIGNS = {
    LineStyle.CLASH: ("!", "warn"),
    LineStyle.TAKEN: ("+", "addSign"),
    LineStyle.DROPPED: ("−", "delSign"),
}
_WORD_FILLS = {LineStyle.TAKEN: "addWord", LineStyle.DROPPED: "delWord"}
_KEPT_LINES = 600
_MIDDLE = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine

Words = tuple[tuple[tuple[int, int], ...], tuple[tuple[int, int], ...]]


class ConflictPainter:
    """Painter of a conflict resolution's rows.

    Lines are repainted once their syntax colours are computed.
    """

    def __init__(self, settlement: Settlement, path: str, runner: Runner | None, parent: QObject) -> None:
        preview = settlement.preview
        self._settlement = settlement
        self._forms: dict[Column, TextForm | NotText] = {
            Column.DISK: describe(preview.current, preview.setting),
            Column.PROPOSED: describe(preview.proposed, preview.setting),
        }
        self.colours = ColourStore(dict.fromkeys(Column, path), settlement.lines, self._forms, runner, parent)
        self._lines: OrderedDict[tuple[tuple[Column, int] | None, bytes], DrawnLine] = OrderedDict()
        self.words = lru_cache(_KEPT_LINES)(self._compare_words)
        self.measure()

    def measure(self) -> None:
        """Lay out all lines again after a change of theme or font."""
        font = code_font()
        self.metrics = CodeMetrics(font, code_line_height(font))
        self._number_font = QFont(font)
        self._number_font.setPixelSize(max(6, round(font.pixelSize() * 11 / 12)))
        self._sign_font = QFont(font)
        self._sign_font.setWeight(QFont.Weight.Bold)
        self._lines.clear()

    def invalidate(self, column: Column, first: int, end: int) -> None:
        """Discard the layout of lines whose colours were computed."""
        for key in list(self._lines):
            source = key[0]
            if source is not None and source[0] is column and first <= source[1] < end:
                del self._lines[key]

    def stop(self) -> None:
        """Stop computing colours: other conflicts are shown."""
        self.colours.stop()
        self.colours.deleteLater()

    def paint_fold(self, painter: QPainter, row: ConflictRow, area: QRect, *, hovered: bool) -> None:
        """Paint a fold with its number of hidden lines and merged places."""
        painter.fillRect(area, color("hover" if hovered else "panel"))
        _paint_upper_edge(painter, area)
        icon_top = area.top() + (area.height() - px(14)) / 2
        paint_icon(painter, "fold", "muted", area.left() + px(34), icon_top, size=14)
        painter.setFont(ui_font(12))
        painter.setPen(color("muted"))
        painter.drawText(QRectF(area).adjusted(px(56), 0, 0, 0), _MIDDLE, fold_words(row))

    def paint_band(self, painter: QPainter, row: ConflictRow, area: QRect, words: str) -> None:
        """Paint a conflict's heading: its number and status."""
        painter.fillRect(area, color("band"))
        _paint_upper_edge(painter, area)
        painter.fillRect(area.left(), area.bottom(), area.width(), 1, color("border"))
        icon, token = ("look-out", "warn") if row.is_open else ("check", "ok")
        paint_icon(painter, icon, token, px(12), area.top() + (area.height() - px(16)) / 2)
        painter.setFont(ui_font(12, 600))
        painter.setPen(color("text"))
        title = say(_tr("Conflict {n}"), n=row.conflict + 1)
        painter.drawText(QRectF(area).adjusted(px(36), 0, 0, 0), _MIDDLE, title)
        left = px(36) + painter.fontMetrics().horizontalAdvance(title) + px(10)
        painter.setFont(ui_font(12))
        painter.setPen(color("muted"))
        painter.drawText(QRectF(area).adjusted(left, 0, 0, 0), _MIDDLE, words)

    def paint_cell(self, painter: QPainter, row: ConflictRow, number: int, area: QRect, scroll: int) -> float:
        """Paint one column (0, 1, 2); return its text width.

        `scroll` is the horizontal offset in pixels.
        """
        cell = row.cells[number]
        if cell is None:
            # The placeholder of an open conflict is painted over all its rows.
            if not (row.is_open and number == 1):
                painter.fillRect(area, color("void"))
            return 0.0
        background = _GROUNDS.get(cell.style)
        if background is not None:
            painter.fillRect(area, color(background))
        self._paint_gutter(painter, cell, area)
        drawn = self.line(cell)
        code = area.adjusted(px(GUTTER), 0, 0, 0)
        painter.save()
        painter.setClipRect(code)
        x = code.left() - scroll
        for start, end in self._differing_spans(row, number):
            span = drawn.shown.column_of(start), drawn.shown.column_of(end)
            for box in drawn.boxes(span, x, code.top(), QRectF(code)):
                self._mark(painter, cell.style, box)
        drawn.draw(painter, x, code.top(), QRectF(code))
        painter.restore()
        return drawn.width

    def paint_waiting(self, painter: QPainter, area: QRect) -> None:
        """Paint the dashed placeholder of an open conflict's result."""
        painter.fillRect(area, color("warnBg"))
        painter.setPen(QPen(color("warn"), 1, Qt.PenStyle.DashLine))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(area.adjusted(2, 1, -3, -2))
        painter.setFont(ui_font(12, 600))
        words = _tr("Unresolved: choose 1, 2 or 3, or edit")
        shown = painter.fontMetrics().elidedText(words, Qt.TextElideMode.ElideRight, area.width() - px(16))
        painter.drawText(area, Qt.AlignmentFlag.AlignCenter, shown)

    def line(self, cell: Cell) -> DrawnLine:
        """Return a cell's line, laid out."""
        key = (cell.source, cell.line)
        # A cached line without colours keeps requesting them.
        spans = self.colours.of(*cell.source) if cell.source is not None else ()
        drawn = self._lines.get(key)
        if drawn is None:
            form = self._forms[cell.source[0] if cell.source is not None else Column.DISK]
            drawn = self._lines[key] = DrawnLine(display_line(cell.line, form), spans, self.metrics)
            if len(self._lines) > _KEPT_LINES:
                self._lines.popitem(last=False)
        else:
            self._lines.move_to_end(key)
        return drawn

    def _source(self, column: Column, line: int) -> str:
        return source_text(self._settlement.lines(column)[line], self._forms[column])

    def _paint_gutter(self, painter: QPainter, cell: Cell, area: QRect) -> None:
        painter.setFont(self._number_font)
        painter.setPen(color("lineNo"))
        is_base = cell.style is LineStyle.BASE
        room = QRectF(area.left(), area.top(), px(GUTTER - 6 if is_base else 36), area.height())
        numbered = _tr("base") if is_base else str(cell.number)
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, numbered)
        if cell.style in _SIGNS:
            sign, token = _SIGNS[cell.style]
            painter.setFont(self._sign_font)
            painter.setPen(color(token))
            sign_area = QRectF(area.left() + px(38), area.top(), px(14), area.height())
            painter.drawText(sign_area, Qt.AlignmentFlag.AlignCenter, sign)

    def _differing_spans(self, row: ConflictRow, number: int) -> tuple[tuple[int, int], ...]:
        """Return the character spans in which disk and proposed line differ."""
        disk, result, proposed = row.cells
        if row.kind is not Kind.CODE or disk is None or proposed is None:
            return ()
        if disk.source is None or proposed.source is None or disk.style is LineStyle.PLAIN:
            return ()
        side = {0: 0, 2: 1}.get(number)
        if result is not None and number == 1:
            # A result that equals one side is compared with the other.
            side = {disk.source: 0, proposed.source: 1}.get(result.source) if result.source else None
        if side is None or (disk.style is LineStyle.TAKEN and proposed.style is LineStyle.TAKEN):
            return ()
        words = self.words(disk.source[1], proposed.source[1])
        return () if words is None else words[side]

    def _compare_words(self, disk: int, proposed: int) -> Words | None:
        spans = word_spans(self._source(Column.DISK, disk), self._source(Column.PROPOSED, proposed))
        return None if spans is None else (spans.old, spans.new)

    def _mark(self, painter: QPainter, kind: LineStyle, box: QRectF) -> None:
        fill = _WORD_FILLS.get(kind)
        if fill is not None:
            painter.fillRect(box, color(fill))
        else:
            # Nothing is added or removed yet: the differing words are only underlined.
            painter.fillRect(QRectF(box.left(), box.bottom() - px(3), box.width(), px(2)), color("warn"))


def fold_words(row: ConflictRow) -> str:
    """Return the text of a fold."""
    lines = counted(row.hidden, _tr("{n} line without a conflict"), _tr("{n} lines without a conflict"))
    if not row.merged:
        return lines
    merged = counted(row.merged, _tr("{n} change auto-merged"), _tr("{n} changes auto-merged"))
    return say(_tr("{lines}, {places}"), lines=lines, places=merged)


def _paint_upper_edge(painter: QPainter, area: QRect) -> None:
    """Paint the line above a row.

    The first row has the line of the column headings.
    """
    if area.top() > 0:
        painter.fillRect(area.left(), area.top(), area.width(), 1, color("border"))
