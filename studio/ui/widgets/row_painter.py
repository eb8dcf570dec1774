"""Painting of list rows: background, text, icons, counts; single-selection list view.

Queue, tree and dock tables share it, so that selected rows, elided names and line counts are the same
everywhere.
"""

from __future__ import annotations

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractItemView, QStyle, QStyleOptionViewItem, QTreeView, QWidget

from studio.ui.look.icons import paint_icon
from studio.ui.look.theme import color, px, ui_font
from studio.ui.look.words import change_counts
from studio.ui.widgets.eliding import elide_path
from studio.ui.widgets.painting import change_counts_width, paint_change_counts, paint_outline
from studio.values import Value

BODY = 13
SECOND = 12

_TEXT_FLAGS = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextSingleLine


class RowStyle(Value):
    """Row background with 3 px accent bar (`bar`) and focus outline (`ring`)."""

    background: str | None
    bar: bool
    ring: bool


def row_style(option: QStyleOptionViewItem, *, focused: bool) -> RowStyle:
    """Return a row's background; `focused` means its pane has the focus."""
    if option.state & QStyle.StateFlag.State_Selected:
        return RowStyle("select" if focused else "selectOff", bar=True, ring=focused)
    if option.state & QStyle.StateFlag.State_MouseOver:
        return RowStyle("hover", bar=False, ring=False)
    return RowStyle(None, bar=False, ring=False)


class ItemPainter:
    """Painter of one rectangle, from left and right towards the middle."""

    def __init__(self, painter: QPainter, rect: QRect, *, left: int = 0, right: int = 0) -> None:
        self.painter = painter
        self.rect = rect
        self.left = rect.left() + left
        self.right = rect.right() + 1 - right

    @property
    def room(self) -> int:
        """Free pixels between the left and right parts."""
        return max(0, self.right - self.left)

    def background(self, style: RowStyle) -> None:
        """Fill the row, then paint accent bar and focus outline."""
        if style.background is not None:
            self.painter.fillRect(self.rect, color(style.background))
        if style.ring:
            paint_outline(self.painter, self.rect, "accent")
        if style.bar:
            bar = QRect(self.rect.left(), self.rect.top(), px(3), self.rect.height())
            self.painter.fillRect(bar, color("accent"))

    def icon(self, name: str, ink: str, *, size: int = 16, gap: int = 6) -> None:
        """Paint an icon at the left end."""
        self._draw_icon(name, ink, size, self.left)
        self.left += px(size) + px(gap)

    def icon_right(self, name: str, ink: str, *, size: int = 16) -> None:
        """Paint an icon at the right end."""
        self.right -= px(size)
        self._draw_icon(name, ink, size, self.right)
        self.right -= px(6)

    def text(
        self,
        text: str,
        ink: str = "text",
        font: QFont | None = None,
        *,
        gap: int = 8,
        elide: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
        is_path: bool = False,
        limit: int | None = None,
    ) -> None:
        """Paint text at the left, elided to the free width or `limit`."""
        metrics = QFontMetrics(font or ui_font(BODY))
        room = self.room if limit is None else min(self.room, limit)
        shown = elide_path(metrics, text, room) if is_path else metrics.elidedText(text, elide, room)
        width = metrics.horizontalAdvance(shown)
        if width > room:
            return
        self._draw_text(shown, ink, font, self.left, width)
        self.left += width + px(gap)

    def text_right(self, text: str, ink: str = "text", font: QFont | None = None, *, gap: int = 8) -> None:
        """Paint text at the right, or none if it doesn't fit."""
        width = QFontMetrics(font or ui_font(BODY)).horizontalAdvance(text)
        if not text or width > self.room:
            return
        self.right -= width
        self._draw_text(text, ink, font, self.right, width)
        self.right -= px(gap)

    def counts_right(self, added: int, removed: int, *, gap: int = 8) -> None:
        """Paint added and removed line counts, without zeros, at the right end."""
        if width := self._paint_counts(added, removed, is_right=True):
            self.right -= width + px(gap)

    def counts(self, added: int, removed: int) -> None:
        """Paint added and removed line counts at the left end."""
        if width := self._paint_counts(added, removed, is_right=False):
            self.left += width + px(8)

    def _paint_counts(self, added: int, removed: int, *, is_right: bool) -> int:
        """Paint the counts, shortened if necessary; return their width or 0."""
        for is_short in (False, True):
            texts = change_counts(added, removed, is_short=is_short)
            width = change_counts_width(texts)
            if 0 < width <= self.room:
                end = self.right if is_right else self.left + width
                middle = self.rect.top() + self.rect.height() / 2
                paint_change_counts(self.painter, end, middle, texts)
                return width
        return 0

    def _draw_icon(self, name: str, ink: str, size: int, left: int) -> None:
        side = px(size)
        if side <= self.rect.height():
            top = self.rect.top() + (self.rect.height() - side) // 2
            paint_icon(self.painter, name, ink, left, top, size=size)

    def _draw_text(self, text: str, ink: str, font: QFont | None, left: int, width: int) -> None:
        self.painter.setFont(font or ui_font(BODY))
        self.painter.setPen(color(ink))
        area = QRect(left, self.rect.top(), width + 1, self.rect.height())
        self.painter.drawText(area, _TEXT_FLAGS, text)


def paint_folder(row: ItemPainter, folder: str, shortened: str) -> None:
    """Paint a step's folder, shortened and elided if space is short."""
    font = ui_font(SECOND)
    fits = QFontMetrics(font).horizontalAdvance(folder) <= row.room
    row.text(folder if fits else shortened, "muted", font, elide=Qt.TextElideMode.ElideMiddle)


# Base of queue, tree and tables: rows painted by a delegate on one colour

_SECOND = 12


class RowList(QTreeView):
    """List with single selection; scrolling paints only newly visible rows."""

    def __init__(self, ground: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ground = ground
        self.empty_text = ""
        """Text shown while the list has no rows."""
        self.setRootIsDecorated(False)
        self.setIndentation(0)
        # A tree with uniform row heights instead of a QListView, which lays out every row for each insertion,
        # 20 ms for 10,000 rows.
        self.setUniformRowHeights(True)
        self.setMouseTracking(True)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTextElideMode(Qt.TextElideMode.ElideNone)
        # Qt scrolls pixels instead of repainting rows only for opaque viewports.
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        painter.fillRect(event.rect(), color(self._ground))
        if self.empty_text and self.model().rowCount() == 0:
            painter.setFont(ui_font(_SECOND))
            painter.setPen(color("muted"))
            area = self.viewport().rect().adjusted(px(12), px(12), -px(12), -px(12))
            painter.drawText(area, Qt.TextFlag.TextWordWrap, self.empty_text)
        painter.end()
        super().paintEvent(event)
