"""Painting of hunk headers, folds and code lines in a diff.

`RowPainter` has no view state; it caches laid out lines for a few screens. All measures come from the font
through `Gutter` and `px`.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from math import ceil

from msgspec.structs import replace
from PySide6.QtCore import QLineF, QRect, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPen

from studio.ui.diff.code.document import DiffDocument
from studio.ui.diff.code.drawn_line import CodeMetrics, DrawnLine
from studio.ui.diff.model.cells import Cell, Heights, LineState, Mode, Row, Side
from studio.ui.diff.model.columns import DisplayLine
from studio.ui.language import translator
from studio.ui.look.icons import paint_icon
from studio.ui.look.theme import code_font, code_line_height, color, px, theme, ui_font
from studio.ui.look.words import counted
from studio.ui.widgets.painting import hatch, key_hint_width, paint_check_box, paint_key_hint
from studio.values import Value

_tr = translator("DiffView")

_KEPT_LINES = 600
_BOX_COLUMN = 18

BAND_HEIGHT = 26
FOLD_HEIGHT = 22

_BACKGROUNDS = {LineState.REMOVED: "delBg", LineState.ADDED: "addBg"}
_WORD_FILLS = {LineState.REMOVED: "delWord", LineState.ADDED: "addWord"}
_SIGN_TOKENS = {LineState.REMOVED: "delSign", LineState.ADDED: "addSign"}
_SIGN_TEXTS = {"-": "−", "+": "+", "=": "="}


class Gutter(Value):
    """Positions of numbers and sign left of the code, in pixels.

    `numbers` are right edges; all positions are relative to the pane's left edge.
    """

    numbers: tuple[int, ...]
    sign: int
    width: int


class Pane(Value):
    """A column of code: its position in the viewport and its gutter."""

    left: int
    width: int
    gutter: Gutter

    def with_boxes(self) -> Pane:
        """Return the pane with room for check boxes between numbers and signs."""
        room = px(_BOX_COLUMN)
        gutter = replace(self.gutter, sign=self.gutter.sign + room, width=self.gutter.width + room)
        return replace(self, gutter=gutter)

    def choice_box(self, y: int, line_height: int) -> QRect:
        """Return a changed line's check box; its row starts at `y`."""
        side = px(14)
        return QRect(self.left + self.gutter.numbers[-1] + px(3), y + (line_height - side) // 2, side, side)

    @property
    def code_left(self) -> int:
        return self.left + self.gutter.width

    @property
    def code_width(self) -> int:
        return self.width - self.gutter.width


class Highlight(Value):
    """Columns of a line with a background, for selection or search hit."""

    start: int
    end: int
    fill: str
    outline: int = 0


class BandAction(Value):
    """Button on a hunk's band: action id, icon, label and key."""

    id: str
    icon: str
    words: str
    key: str
    pressed: bool = False


class BandStyle(Value):
    """Appearance of a hunk's band, with its buttons from left to right."""

    title: str
    section: str
    state: Qt.CheckState | None
    actions: tuple[BandAction, ...]
    hovered: bool


class RowPainter:
    """Painter of one document's rows at one zoom.

    `wrap` is the number of columns that fit into a screen line, 0 without wrapping.
    """

    def __init__(self, document: DiffDocument, zoom: float) -> None:
        font = code_font(zoom)
        self.document = document
        self.metrics = CodeMetrics(font, code_line_height(font))
        self.heights = Heights(self.metrics.line_height, px(BAND_HEIGHT), px(FOLD_HEIGHT))
        self.wrap = 0
        self._number_font = QFont(font)
        self._number_font.setPixelSize(max(6, round(font.pixelSize() * 11 / 12)))
        self._sign_font = QFont(font)
        self._sign_font.setWeight(QFont.Weight.Bold)
        self._lines: OrderedDict[tuple[Side, int, str, bool], DrawnLine] = OrderedDict()

    def invalidate(self) -> None:
        """Drop all laid out lines after a change of theme or width."""
        self._lines.clear()

    def forget_lines(self, side: Side, first: int, end: int) -> None:
        """Drop laid out lines whose highlighting has arrived."""
        for key in [key for key in self._lines if key[0] is side and first <= key[1] < end]:
            del self._lines[key]

    def gutter(self, mode: Mode) -> Gutter:
        """Return a gutter wide enough for the largest line number."""
        digits = len(str(max(self.document.largest_number, 1)))
        number = ceil(QFontMetricsF(self._number_font).horizontalAdvance("0" * digits))
        first = max(px(36), number + px(8))
        if mode is Mode.UNIFIED:
            second = first + max(px(36), number + px(8))
            return Gutter((first, second), second + px(2), second + px(18))
        return Gutter((first,), first + px(2), first + px(18))

    def line(self, cell: Cell, pair: tuple[int, int] | None) -> DrawnLine:
        """Return a cell's line, laid out and cached."""
        changed = cell.state in (LineState.REMOVED, LineState.ADDED)
        ink = "muted" if cell.state is LineState.LEFT_OUT else "code"
        ending = changed and self.document.ending_matters(cell.side, cell.line, pair)
        key = (cell.side, cell.line, ink, ending)
        drawn = self._lines.get(key)
        if drawn is None:
            shown = self.document.display(cell.side, cell.line, name_ending=ending)
            drawn = self._draw(cell, shown, ink)
            self._lines[key] = drawn
            if len(self._lines) > _KEPT_LINES:
                self._lines.popitem(last=False)
        else:
            # A line that was laid out before its highlighting arrived keeps asking for it.
            self.document.colours.of(cell.side, cell.line)
            self._lines.move_to_end(key)
        return drawn

    def _draw(self, cell: Cell, shown: DisplayLine, ink: str) -> DrawnLine:
        spans = self.document.colours.of(cell.side, cell.line)
        return DrawnLine(shown, spans, self.metrics, ink=ink, wrap=self.wrap)

    def paint_ground(self, painter: QPainter, pane: Pane, y: int, height: int, cell: Cell | None) -> None:
        """Paint background and sign of a code row; None paints a gap."""
        if cell is None:
            painter.fillRect(pane.left, y, pane.width, height, color("void"))
            return
        background = _BACKGROUNDS.get(cell.state)
        if background is not None:
            painter.fillRect(pane.left, y, pane.width, height, color(background))
        elif cell.state is LineState.LEFT_OUT:
            # White hatching would cross out the words that high contrast is meant to keep readable.
            ink = "selectOff" if theme().name == "contrast" else "border"
            painter.fillRect(pane.code_left, y, pane.code_width, height, hatch(painter, color(ink)))
        self._paint_sign(painter, pane, y, cell)

    def paint_numbers(self, painter: QPainter, pane: Pane, y: int, numbers: Sequence[int | None]) -> None:
        """Paint the line numbers of a code row, one per gutter column."""
        painter.setFont(self._number_font)
        painter.setPen(color("lineNo"))
        for right, number in zip(pane.gutter.numbers, numbers, strict=True):
            if number is not None:
                area = QRectF(pane.left, y, right, self.metrics.line_height)
                painter.drawText(
                    area, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, str(number)
                )

    def paint_choice(self, painter: QPainter, pane: Pane, y: int, cell: Cell, *, hovered: bool) -> None:
        """Paint the check box of a changed line."""
        is_included = cell.state is not LineState.LEFT_OUT
        state = Qt.CheckState.Checked if is_included else Qt.CheckState.Unchecked
        box = pane.choice_box(y, self.metrics.line_height)
        paint_check_box(painter, QRectF(box), state, hovered=hovered)

    def paint_current_line(self, painter: QPainter, pane: Pane, y: int, height: int) -> None:
        """Paint the frame around the line that X includes or excludes."""
        painter.setPen(QPen(color("accent"), 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(QRectF(pane.left + 0.5, y + 0.5, pane.width - 1, height - 1))

    def _paint_sign(self, painter: QPainter, pane: Pane, y: int, cell: Cell) -> None:
        if not cell.sign:
            return
        painter.setFont(self._sign_font)
        painter.setPen(color(_SIGN_TOKENS.get(cell.state, "muted")))
        area = QRectF(pane.left + pane.gutter.sign, y, px(14), self.metrics.line_height)
        painter.drawText(area, Qt.AlignmentFlag.AlignCenter, _SIGN_TEXTS[cell.sign])

    def paint_code(
        self,
        painter: QPainter,
        pane: Pane,
        y: int,
        cell: Cell,
        clip: QRectF,
        *,
        pair: tuple[int, int] | None,
        scroll: int,
        highlights: Sequence[Highlight] = (),
    ) -> DrawnLine:
        """Paint a cell's text with word marks and highlights behind it.

        The painter is clipped to the pane's code area; `clip` is the part of it to paint. `scroll` is the
        horizontal scroll offset in pixels.
        """
        drawn = self.line(cell, pair)
        x = pane.code_left - scroll
        spans = self.changed_columns(cell, pair)
        for span in spans:
            for box in drawn.boxes(span, x, y, clip):
                painter.fillRect(box, color(_WORD_FILLS[cell.state]))
        for highlight in highlights:
            for box in drawn.boxes((highlight.start, highlight.end), x, y, clip):
                _paint_highlight(painter, box, highlight)
        drawn.draw(painter, x, y, clip)
        if spans and not self.wrap:
            self._paint_hidden(
                painter,
                pane,
                y,
                cell,
                (
                    drawn.position_of(spans[0][1])[0] + x <= pane.code_left,
                    drawn.position_of(spans[-1][0])[0] + x >= pane.code_left + pane.code_width,
                ),
            )
        return drawn

    def changed_columns(self, cell: Cell, pair: tuple[int, int] | None) -> list[tuple[int, int]]:
        """Return the columns where a changed line differs from its other version."""
        shown = self.line(cell, pair).shown
        spans = self.changed_characters(cell, pair)
        return [(shown.column_of(start), shown.column_of(end)) for start, end in spans]

    def changed_characters(self, cell: Cell, pair: tuple[int, int] | None) -> Sequence[tuple[int, int]]:
        """Return the characters where a line differs from its other version."""
        words = None if cell.state not in _WORD_FILLS or pair is None else self.document.words(*pair)
        return () if words is None else words[0 if cell.side is Side.BASE else 1]

    def _paint_hidden(
        self, painter: QPainter, pane: Pane, y: int, cell: Cell, hidden: tuple[bool, bool]
    ) -> None:
        """Paint arrows where changed words are scrolled out of view."""
        side, token = px(14), _SIGN_TOKENS[cell.state]
        lefts = (pane.code_left, pane.code_left + pane.code_width - side)
        for left, icon, is_hidden in zip(lefts, ("left", "right"), hidden, strict=True):
            if is_hidden:
                painter.fillRect(left, y, side, self.heights.code, color(_WORD_FILLS[cell.state]))
                paint_icon(painter, icon, token, left, y + (self.heights.code - side) // 2, size=14)

    def paint_band(self, painter: QPainter, area: QRect, band: BandStyle) -> None:
        """Paint a hunk's band: check box, title, section, buttons."""
        painter.fillRect(area, color("band"))
        painter.setPen(QPen(color("border"), 1))
        bottom = area.bottom() + 0.5
        self._paint_upper_edge(painter, area)
        painter.drawLine(QLineF(area.left(), bottom, area.right() + 1, bottom))
        x = area.left() + px(12)
        if band.state is not None:
            paint_check_box(painter, QRectF(check_box(area)), band.state, hovered=band.hovered)
            x = area.left() + px(34)
        middle = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine
        right = area.right() - px(8)
        for action, button in zip(band.actions, action_buttons(area, band.actions), strict=True):
            self._paint_action(painter, button, action)
            right = min(right, button.left() - px(12))
        painter.setFont(ui_font(12, 600))
        painter.setPen(color("text"))
        painter.drawText(QRectF(x, area.top(), right - x, area.height()), middle, band.title)
        x += ceil(QFontMetricsF(painter.font()).horizontalAdvance(band.title)) + px(9)
        painter.setFont(ui_font(12))
        painter.setPen(color("muted"))
        section = QFontMetricsF(painter.font()).elidedText(
            band.section, Qt.TextElideMode.ElideRight, max(0, right - x)
        )
        painter.drawText(QRectF(x, area.top(), max(0, right - x), area.height()), middle, section)

    def _paint_upper_edge(self, painter: QPainter, area: QRect) -> None:
        """Paint the line above a band or fold, except below the headings."""
        if area.top() > 0:
            top = area.top() + 0.5
            painter.drawLine(QLineF(area.left(), top, area.right() + 1, top))

    def _paint_action(self, painter: QPainter, button: QRect, action: BandAction) -> None:
        if action.pressed:
            painter.setPen(QPen(color("accent"), 1))
            painter.setBrush(color("select"))
            painter.drawRoundedRect(QRectF(button).adjusted(0.5, 2.5, -0.5, -2.5), 3, 3)
        top = button.top() + (button.height() - px(16)) / 2
        paint_icon(painter, action.icon, "text", button.left() + px(6), top)
        painter.setFont(ui_font(12, 500))
        painter.setPen(color("text"))
        text = QRectF(button.left() + px(28), button.top(), button.width(), button.height())
        painter.drawText(text, Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, action.words)
        paint_key_hint(painter, button.right() - px(4), button.top() + button.height() / 2, action.key)

    def paint_sticky_line(
        self,
        painter: QPainter,
        pane: Pane,
        area: QRect,
        cell: Cell,
        numbers: Sequence[int | None],
        *,
        hovered: bool,
    ) -> None:
        """Paint the line of a definition that is scrolled out of view."""
        painter.fillRect(area, color("hover" if hovered else "panel"))
        painter.fillRect(area.left(), area.top(), min(1, area.left()), area.height(), color("border"))
        self.paint_numbers(painter, pane, area.top(), numbers)
        code = QRect(pane.code_left, area.top(), pane.code_width, area.height())
        painter.setClipRect(code)
        self.line(cell, None).draw(painter, pane.code_left, area.top(), QRectF(code))
        painter.setClipping(False)
        painter.setPen(QPen(color("border"), 1))
        bottom = area.bottom() + 0.5
        painter.drawLine(QLineF(area.left(), bottom, area.right() + 1, bottom))

    def paint_fold(
        self, painter: QPainter, area: QRect, row: Row, definition: str, *, left: int, hovered: bool
    ) -> None:
        """Paint a fold: hidden line count and first hidden definition.

        `left` is where the code starts.
        """
        painter.fillRect(area, color("hover" if hovered else "panel"))
        painter.setPen(QPen(color("border"), 1))
        self._paint_upper_edge(painter, area)
        icon_top = area.top() + (area.height() - px(14)) / 2
        paint_icon(painter, "fold", "muted", left - px(20), icon_top, size=14)
        words = counted(row.hidden, _tr("{n} unchanged line"), _tr("{n} unchanged lines"))
        painter.setFont(ui_font(12))
        painter.setPen(color("muted"))
        x = left + px(2)
        middle = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine
        painter.drawText(QRectF(x, area.top(), area.width(), area.height()), middle, words)
        x += ceil(QFontMetricsF(painter.font()).horizontalAdvance(words)) + px(14)
        painter.setFont(self._number_font)
        room = max(0, min(area.width() // 2, area.right() - px(8)) - x)
        text = QFontMetricsF(painter.font()).elidedText(definition, Qt.TextElideMode.ElideRight, room)
        painter.drawText(QRectF(x, area.top(), room, area.height()), middle, text)


def check_box(band: QRect) -> QRect:
    """Return the rectangle of a band's check box."""
    side = px(14)
    return QRect(band.left() + px(12), band.top() + (band.height() - side) // 2, side, side)


def action_buttons(band: QRect, actions: Sequence[BandAction]) -> list[QRect]:
    """Return the rectangles of a band's buttons, the last right-aligned."""
    right = band.right() - px(8)
    metrics = QFontMetricsF(ui_font(12, 500))
    found: list[QRect] = []
    for action in reversed(actions):
        width = px(28) + ceil(metrics.horizontalAdvance(action.words)) + px(12)
        width += key_hint_width(action.key) + px(4)
        found.insert(0, QRect(right - width, band.top(), width, band.height()))
        right -= width + px(4)
    return found


def _paint_highlight(painter: QPainter, box: QRectF, highlight: Highlight) -> None:
    painter.fillRect(box, color(highlight.fill))
    if highlight.outline:
        inset = highlight.outline / 2
        painter.setPen(QPen(color("warn"), highlight.outline))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(box.adjusted(inset, inset, -inset, -inset))
