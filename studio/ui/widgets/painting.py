"""Painting functions for check boxes, key hints, line counts, focus outlines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QImage, QPainter, QPainterPath, QPen, QTransform

from studio.ui.look.theme import code_font, color, px, ui_font

_HATCH = 8
"""Distance of hatching lines in logical pixels."""

_RIGHT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight


def paint_check_box(
    painter: QPainter, box: QRectF, state: Qt.CheckState, *, enabled: bool = True, hovered: bool = False
) -> None:
    """Paint a check box filling `box`, a square of 14 unscaled pixels."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    face = box.adjusted(0.5, 0.5, -0.5, -0.5)
    if state is Qt.CheckState.Unchecked or not enabled:
        painter.setPen(QPen(color("edge" if enabled else "off"), 1))
        painter.setBrush(color("hover" if hovered and enabled else "field" if enabled else "selectOff"))
    else:
        fill = color("accentHover" if hovered else "accentFill")
        painter.setPen(QPen(fill, 1))
        painter.setBrush(fill)
    painter.drawRoundedRect(face, 2, 2)
    if state is not Qt.CheckState.Unchecked:
        ink = QPen(color("onAccent" if enabled else "off"), box.width() / 7)
        ink.setCapStyle(Qt.PenCapStyle.RoundCap)
        ink.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        painter.setPen(ink)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if state is Qt.CheckState.Checked:
            sign = QPainterPath(_point_in(box, 0.24, 0.52))
            sign.lineTo(_point_in(box, 0.43, 0.71))
            sign.lineTo(_point_in(box, 0.77, 0.31))
            painter.drawPath(sign)
        else:
            painter.drawLine(_point_in(box, 0.27, 0.5), _point_in(box, 0.73, 0.5))
    painter.restore()


def _point_in(box: QRectF, across: float, down: float) -> QPointF:
    return QPointF(box.left() + box.width() * across, box.top() + box.height() * down)


def key_hint_width(keys: str, *, as_is: bool = False) -> int:
    """Return the width of a key hint, 0 if nothing is drawn."""
    keys = keys if as_is else key_hint(keys)
    if not keys:
        return 0
    width = QFontMetricsF(ui_font(11)).horizontalAdvance(keys)
    return max(px(16), round(width) + px(9))


def paint_key_hint(
    painter: QPainter,
    right: float,
    middle: float,
    keys: str,
    *,
    text: str = "muted",
    outline: str = "border",
    as_is: bool = False,
) -> float:
    """Paint a framed shortcut, right-aligned; return its left edge.

    `keys` is the default shortcut; a user-defined one is painted instead. With `as_is`, `keys` is painted
    itself.
    """
    keys = keys if as_is else key_hint(keys)
    if not keys:
        return right
    width, height = key_hint_width(keys, as_is=True), px(16)
    frame = QRectF(round(right) - width + 0.5, round(middle - height / 2) + 0.5, width - 1, height - 1)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(color(outline), 1))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(frame, 2, 2)
    painter.setFont(ui_font(11))
    painter.setPen(color(text))
    painter.drawText(frame, Qt.AlignmentFlag.AlignCenter, keys)
    painter.restore()
    return right - width


@cache
def _hatch(rgb: int, ratio: float) -> QBrush:
    side, thick = max(2, round(_HATCH * ratio)), max(1, round(ratio))
    tile = QImage(side, side, QImage.Format.Format_ARGB32_Premultiplied)
    tile.fill(Qt.GlobalColor.transparent)
    for y in range(side):
        for x in range(thick):
            tile.setPixel((side - 1 - y + x) % side, y, rgb)
    brush = QBrush(tile)
    brush.setTransform(QTransform.fromScale(1 / ratio, 1 / ratio))
    return brush


def hatch(painter: QPainter, ink: QColor) -> QBrush:
    """Return a hatching brush that is equally thick at every scale.

    Qt's own patterns are drawn for 100 % only.
    """
    return _hatch(ink.rgb(), painter.device().devicePixelRatio())


def change_counts_width(texts: Sequence[str]) -> int:
    """Return the width of the counts as `paint_change_counts` draws them."""
    metrics = QFontMetricsF(code_font(11 / 12))
    gaps = px(6) * max(0, len(texts) - 1)
    return round(sum(map(metrics.horizontalAdvance, texts))) + gaps


def paint_change_counts(painter: QPainter, right: float, middle: float, texts: Sequence[str]) -> float:
    """Paint right-aligned counts such as +18 and -8; return the left edge."""
    painter.save()
    font = code_font(11 / 12)
    painter.setFont(font)
    metrics = QFontMetricsF(font)
    x = right
    for text in reversed(texts):
        width = metrics.horizontalAdvance(text)
        area = QRectF(x - width - 1, middle - px(10), width + 2, px(20))
        painter.setPen(color("addSign" if text.startswith("+") else "delSign"))
        painter.drawText(area, _RIGHT, text)
        x -= width + px(6)
    painter.restore()
    return min(right, x + px(6))


def paint_count_bar(painter: QPainter, bar: QRectF, done: int, total: int) -> None:
    """Paint an outlined progress bar of 38 x 6 unscaled pixels."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(color("edge"), 1))
    painter.setBrush(color("field"))
    painter.drawRoundedRect(bar.adjusted(0.5, 0.5, -0.5, -0.5), 2, 2)
    if total > 0 and done > 0:
        filled = QRectF(bar)
        filled.setWidth(bar.width() * min(done, total) / total)
        painter.setClipRect(filled)
        painter.setPen(QPen(color("accentFill"), 1))
        painter.setBrush(color("accentFill"))
        painter.drawRoundedRect(bar.adjusted(0.5, 0.5, -0.5, -0.5), 2, 2)
    painter.restore()


def paint_outline(painter: QPainter, around: QRect, token: str) -> None:
    """Paint a 1 px outline inside a row, uniform at every scale."""
    line = color(token)
    # Filled and not stroked: at 200 % a pen draws the left and upper lines half as thick as the others.
    for x in (around.left(), around.right()):
        painter.fillRect(x, around.top(), 1, around.height(), line)
    for y in (around.top(), around.bottom()):
        painter.fillRect(around.left(), y, around.width(), 1, line)


def paint_focus_ring(painter: QPainter, around: QRectF, radius: float = 3) -> None:
    """Paint the 2 px focus outline, 1 px around a control."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(color("accent"), 2))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(around.adjusted(-2, -2, 2, 2), radius + 2, radius + 2)
    painter.restore()


_ARROWS = {"↑": "Up", "↓": "Down", "←": "Left", "→": "Right"}
_hints: dict[str, str] = {}


def set_key_hints(hints: Mapping[str, str]) -> None:
    """Set the shortcuts to show for default ones, "" for none."""
    _hints.clear()
    _hints.update(hints)


def key_hint(usual: str) -> str:
    """Return the shortcut to show for a default one, "" for none."""
    written = usual
    for arrow, name in _ARROWS.items():
        written = written.replace(arrow, name)
    return _hints.get(written, usual)
