"""Painting of rows: bands, folds and code in their panes (look.md 4.6).

`RowPainter` paints what it is told and keeps no state of the view; lines with their glyphs are cached for a
few screens. All measures come from the font through `Gutter` and `px`.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from PySide6.QtCore import QCoreApplication, QLineF, QRect, QRectF, Qt
from PySide6.QtGui import QBrush, QFont, QFontMetricsF, QPainter, QPen

from studio.ui.diff.document import DiffDocument
from studio.ui.diff.drawn_line import CodeMetrics, DrawnLine
from studio.ui.diff.layout import Cell, Heights, Look, Mode, Row, Side
from studio.ui.icons import paint_icon
from studio.ui.theme import code_font, code_line_height, color, px, theme, ui_font
from studio.ui.widgets.strokes import key_hint_width, paint_check_box, paint_key_hint
from studio.ui.words import counted

_KEPT_LINES = 600

BAND_HEIGHT = 26
FOLD_HEIGHT = 22

_BACKGROUNDS = {Look.REMOVED: "delBg", Look.ADDED: "addBg"}
_WORD_FILLS = {Look.REMOVED: "delWord", Look.ADDED: "addWord"}
_SIGN_TOKENS = {Look.REMOVED: "delSign", Look.ADDED: "addSign"}
_SIGN_TEXTS = {"-": "−", "+": "+", "=": "="}


@dataclass(frozen=True, slots=True)
class Gutter:
    """Where numbers and signs stand left of the code; `numbers` right edges, from the pane's left edge."""

    numbers: tuple[int, ...]
    sign: int
    width: int


@dataclass(frozen=True, slots=True)
class Pane:
    """A column of code: its place in the viewport and its gutter."""

    left: int
    width: int
    gutter: Gutter

    @property
    def code_left(self) -> int:
        return self.left + self.gutter.width

    @property
    def code_width(self) -> int:
        return self.width - self.gutter.width


@dataclass(frozen=True, slots=True)
class Highlight:
    """Columns of a line with a background of their own: the selection, or a find hit with its outline."""

    start: int
    end: int
    fill: str
    outline: int = 0


@dataclass(frozen=True, slots=True)
class BandLook:
    """How a hunk's band is shown. `action` is the icon and the words of its button, None without one."""

    title: str
    section: str
    state: Qt.CheckState | None
    action: tuple[str, str] | None
    hovered: bool


class RowPainter:
    """Paints the rows of one document at one zoom."""

    def __init__(self, document: DiffDocument, zoom: float) -> None:
        font = code_font(zoom)
        self.document = document
        self.metrics = CodeMetrics(font, code_line_height(font))
        self.heights = Heights(self.metrics.line_height, px(BAND_HEIGHT), px(FOLD_HEIGHT))
        self._number_font = QFont(font)
        self._number_font.setPixelSize(max(6, round(font.pixelSize() * 11 / 12)))
        self._sign_font = QFont(font)
        self._sign_font.setWeight(QFont.Weight.Bold)
        self._lines: OrderedDict[tuple[Side, int, str, bool], DrawnLine] = OrderedDict()

    def forget(self) -> None:
        """Lay every line out again: colours have come, or the theme has changed."""
        self._lines.clear()

    def gutter(self, mode: Mode) -> Gutter:
        """The gutter wide enough for the largest number."""
        lines = max(len(self.document.lines(side)) for side in Side)
        digits = len(str(max(lines, 1)))
        number = ceil(QFontMetricsF(self._number_font).horizontalAdvance("0" * digits))
        first = max(px(36), number + px(8))
        if mode is Mode.UNIFIED:
            second = first + max(px(36), number + px(8))
            return Gutter((first, second), second + px(2), second + px(18))
        return Gutter((first,), first + px(2), first + px(18))

    def line(self, cell: Cell, pair: tuple[int, int] | None) -> DrawnLine:
        """A cell's line, laid out."""
        changed = cell.look in (Look.REMOVED, Look.ADDED)
        ink = "muted" if cell.look is Look.LEFT_OUT else "code"
        ending = changed and self.document.ending_matters(cell.side, cell.line, pair)
        key = (cell.side, cell.line, ink, ending)
        drawn = self._lines.get(key)
        if drawn is None:
            shown = self.document.display(cell.side, cell.line, name_ending=ending)
            drawn = DrawnLine(shown, self.document.colours(cell.side, cell.line), self.metrics, ink=ink)
            self._lines[key] = drawn
            if len(self._lines) > _KEPT_LINES:
                self._lines.popitem(last=False)
        else:
            self._lines.move_to_end(key)
        return drawn

    def paint_ground(self, painter: QPainter, pane: Pane, y: int, cell: Cell | None) -> None:
        """Background and sign of a code row in one pane; a cell of None is the gap beside other lines."""
        height = self.metrics.line_height
        if cell is None:
            painter.fillRect(pane.left, y, pane.width, height, color("void"))
            return
        ground = _BACKGROUNDS.get(cell.look)
        if ground is not None:
            painter.fillRect(pane.left, y, pane.width, height, color(ground))
        elif cell.look is Look.LEFT_OUT:
            # White lines would cross out the words that high contrast is there to make readable.
            ink = "selectOff" if theme().name == "contrast" else "border"
            hatch = QBrush(color(ink), Qt.BrushStyle.BDiagPattern)
            painter.fillRect(pane.code_left, y, pane.code_width, height, hatch)
        self._paint_sign(painter, pane, y, cell)

    def paint_numbers(self, painter: QPainter, pane: Pane, y: int, numbers: Sequence[int | None]) -> None:
        """The line numbers of a code row, one for each column of the gutter."""
        painter.setFont(self._number_font)
        painter.setPen(color("lineNo"))
        for right, number in zip(pane.gutter.numbers, numbers, strict=True):
            if number is not None:
                place = QRectF(pane.left, y, right, self.metrics.line_height)
                painter.drawText(
                    place, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, str(number)
                )

    def _paint_sign(self, painter: QPainter, pane: Pane, y: int, cell: Cell) -> None:
        if not cell.sign:
            return
        painter.setFont(self._sign_font)
        painter.setPen(color(_SIGN_TOKENS.get(cell.look, "muted")))
        place = QRectF(pane.left + pane.gutter.sign, y, px(14), self.metrics.line_height)
        painter.drawText(place, Qt.AlignmentFlag.AlignCenter, _SIGN_TEXTS[cell.sign])

    def paint_code(
        self,
        painter: QPainter,
        pane: Pane,
        y: int,
        cell: Cell,
        *,
        pair: tuple[int, int] | None,
        scroll: int,
        highlights: Sequence[Highlight] = (),
    ) -> float:
        """A cell's text, with word marks and highlights behind it; returns its width.

        The painter is clipped to the pane's code area. `scroll` is how far the code is moved to the left.
        """
        drawn = self.line(cell, pair)
        x = pane.code_left - scroll
        fill = _WORD_FILLS.get(cell.look)
        if fill is not None and pair is not None:
            words = self.document.words(*pair)
            for start, end in () if words is None else words[0 if cell.side is Side.BASE else 1]:
                span = drawn.shown.column_of(start), drawn.shown.column_of(end)
                drawn.fill(painter, x, y, span, color(fill))
        for highlight in highlights:
            self._paint_highlight(painter, drawn, x, y, highlight)
        drawn.draw(painter, x, y, QRectF(pane.code_left, y, pane.code_width, self.metrics.line_height))
        return drawn.width

    def _paint_highlight(
        self, painter: QPainter, drawn: DrawnLine, x: int, y: int, highlight: Highlight
    ) -> None:
        drawn.fill(painter, x, y, (highlight.start, highlight.end), color(highlight.fill))
        if highlight.outline:
            inset = highlight.outline / 2
            left, right = drawn.x_of(highlight.start), drawn.x_of(highlight.end)
            box = QRectF(x + left, y, right - left, self.metrics.line_height)
            painter.setPen(QPen(color("warn"), highlight.outline))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(box.adjusted(inset, inset, -inset, -inset))

    def paint_band(self, painter: QPainter, place: QRect, band: BandLook) -> None:
        """The head of a hunk: check box, name, section, and its button at the right end."""
        painter.fillRect(place, color("band"))
        painter.setPen(QPen(color("border"), 1))
        bottom = place.bottom() + 0.5
        self._paint_upper_edge(painter, place)
        painter.drawLine(QLineF(place.left(), bottom, place.right() + 1, bottom))
        x = place.left() + px(12)
        if band.state is not None:
            paint_check_box(painter, QRectF(check_box(place)), band.state, hovered=band.hovered)
            x = place.left() + px(34)
        middle = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine
        right = place.right() - px(8)
        if band.action is not None:
            right = self._paint_action(painter, place, *band.action) - px(12)
        painter.setFont(ui_font(12, 600))
        painter.setPen(color("text"))
        painter.drawText(QRectF(x, place.top(), right - x, place.height()), middle, band.title)
        x += ceil(QFontMetricsF(painter.font()).horizontalAdvance(band.title)) + px(9)
        painter.setFont(ui_font(12))
        painter.setPen(color("muted"))
        section = QFontMetricsF(painter.font()).elidedText(
            band.section, Qt.TextElideMode.ElideRight, max(0, right - x)
        )
        painter.drawText(QRectF(x, place.top(), max(0, right - x), place.height()), middle, section)

    def _paint_upper_edge(self, painter: QPainter, place: QRect) -> None:
        """The line above a band or fold; at the very top the headings have drawn it."""
        if place.top() > 0:
            top = place.top() + 0.5
            painter.drawLine(QLineF(place.left(), top, place.right() + 1, top))

    def _paint_action(self, painter: QPainter, place: QRect, icon: str, words: str) -> int:
        button = action_button(place, words)
        paint_icon(painter, icon, "text", button.left() + px(6), button.center().y() - px(8) + 1)
        painter.setFont(ui_font(12, 500))
        painter.setPen(color("text"))
        text = QRectF(button.left() + px(28), button.top(), button.width(), button.height())
        painter.drawText(text, Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, words)
        paint_key_hint(painter, button.right() - px(4), place.top() + place.height() / 2, "X")
        return button.left()

    def paint_fold(
        self, painter: QPainter, place: QRect, row: Row, definition: str, *, hovered: bool
    ) -> None:
        """A fold: how many lines it hides and the first definition among them."""
        painter.fillRect(place, color("hover" if hovered else "panel"))
        painter.setPen(QPen(color("border"), 1))
        self._paint_upper_edge(painter, place)
        icon_top = place.top() + (place.height() - px(14)) / 2
        paint_icon(painter, "fold", "muted", place.left() + px(34), icon_top, size=14)
        words = counted(row.hidden, _tr("{n} unchanged line"), _tr("{n} unchanged lines"))
        painter.setFont(ui_font(12))
        painter.setPen(color("muted"))
        x = place.left() + px(56)
        middle = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine
        painter.drawText(QRectF(x, place.top(), place.width(), place.height()), middle, words)
        x += ceil(QFontMetricsF(painter.font()).horizontalAdvance(words)) + px(14)
        painter.setFont(self._number_font)
        room = max(0, min(place.width() // 2, place.right() - px(8)) - x)
        text = QFontMetricsF(painter.font()).elidedText(definition, Qt.TextElideMode.ElideRight, room)
        painter.drawText(QRectF(x, place.top(), room, place.height()), middle, text)


def check_box(band: QRect) -> QRect:
    """Where a band's check box stands."""
    side = px(14)
    return QRect(band.left() + px(12), band.top() + (band.height() - side) // 2, side, side)


def action_button(band: QRect, words: str) -> QRect:
    """Where a band's button stands: icon, words and the key X."""
    width = px(28) + ceil(QFontMetricsF(ui_font(12, 500)).horizontalAdvance(words)) + px(12)
    width += key_hint_width("X") + px(4)
    return QRect(band.right() - px(8) - width, band.top(), width, band.height())


def _tr(text: str) -> str:
    return QCoreApplication.translate("DiffView", text)
