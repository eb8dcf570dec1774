"""The three columns of a conflict, painted: only the rows in view."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate

from PySide6.QtCore import QEvent, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QWidget

from studio.engine.text import NotText, TextForm, describe
from studio.ui.conflict.settlement import Cell, ConflictRow, Kind, Look, Settlement, Taken
from studio.ui.diff.columns import display_line
from studio.ui.diff.drawn_line import CodeMetrics, DrawnLine
from studio.ui.icons import paint_icon
from studio.ui.theme import code_font, code_line_height, color, px, ui_font

_GROUNDS = {Look.CLASH: "warnBg", Look.TAKEN: "addBg", Look.DROPPED: "delBg", Look.BASE: "band"}
_SIGNS = {Look.CLASH: ("!", "warn"), Look.TAKEN: ("+", "addSign"), Look.DROPPED: ("−", "delSign")}
_GUTTER = 54


class ConflictView(QAbstractScrollArea):
    """Shows a settlement; the current conflict has the bar at its left edge."""

    current_changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("conflict-view")
        self.setAccessibleName(self.tr("On disk now, result, proposed"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.settlement: Settlement | None = None
        self.current = 0
        self._show_base = False
        self._rows: list[ConflictRow] = []
        self._tops: list[int] = [0]
        self._places: dict[int, tuple[int, int]] = {}
        """For each conflict its first row of lines and the row behind the last."""
        self._form: TextForm | NotText | None = None
        self._widest = 0.0
        self._make_metrics()

    def show_settlement(self, settlement: Settlement | None) -> None:
        """Show the conflicts from the first open one on; None shows nothing."""
        self.settlement = settlement
        self.current = 0
        self._form = describe(settlement.preview.current, settlement.preview.setting) if settlement else None
        self.refresh()
        if settlement is not None:
            first = next((n for n in range(len(settlement.conflicts)) if settlement.taken(n) is None), 0)
            self.go_to(first)

    def set_show_base(self, shown: bool) -> None:
        """Show below each conflict the lines that stood there before both changes."""
        self._show_base = shown
        self.refresh()

    def refresh(self) -> None:
        """What was taken has changed."""
        self._rows = self.settlement.rows(show_base=self._show_base) if self.settlement is not None else []
        heights = {Kind.BAND: px(28), Kind.FOLD: px(22), Kind.CODE: self._metrics.line_height}
        self._places = {}
        for at, row in enumerate(self._rows):
            if row.conflict >= 0 and row.kind is Kind.CODE:
                self._places[row.conflict] = (self._places.get(row.conflict, (at, at))[0], at + 1)
        self._tops = list(accumulate((heights[row.kind] for row in self._rows), initial=0))
        self._fit()
        self.viewport().update()

    def go_to(self, conflict: int) -> None:
        """Make a conflict (from 0) current and bring it into view."""
        count = len(self.settlement.conflicts) if self.settlement is not None else 0
        if not count:
            return
        self.current = min(max(0, conflict), count - 1)
        area = self.place_of(self.current)
        bar = self.verticalScrollBar()
        if area.top() < 0 or area.bottom() > self.viewport().height():
            bar.setValue(bar.value() + area.top() - px(40))
        self.viewport().update()
        self.current_changed.emit()

    def place_of(self, conflict: int) -> QRect:
        """Where the lines of a conflict stand in the result's column, in the viewport."""
        if conflict not in self._places:
            return QRect()
        first, behind = self._places[conflict]
        column = self._column(1)
        top = self._tops[first] - self.verticalScrollBar().value()
        return QRect(column.left(), top, column.width(), self._tops[behind] - self._tops[first])

    def _column(self, number: int) -> QRect:
        width = self.viewport().width()
        left, right = width * number // 3, width * (number + 1) // 3
        return QRect(left, 0, right - left, self.viewport().height())

    def _make_metrics(self) -> None:
        font = code_font()
        self._metrics = CodeMetrics(font, code_line_height(font))

    def _fit(self) -> None:
        bar, across = self.verticalScrollBar(), self.horizontalScrollBar()
        bar.setPageStep(self.viewport().height())
        bar.setSingleStep(self._metrics.line_height)
        bar.setRange(0, max(0, self._tops[-1] + px(8) - self.viewport().height()))
        room = self._column(0).width() - px(_GUTTER)
        across.setPageStep(max(1, room))
        across.setSingleStep(round(self._metrics.advance * 4))
        across.setRange(0, max(0, round(self._widest) - room))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        painter.fillRect(event.rect(), color("content"))
        offset = self.verticalScrollBar().value()
        at = max(0, bisect_right(self._tops, offset + event.rect().top()) - 1)
        before = self._widest
        while at < len(self._rows) and self._tops[at] - offset <= event.rect().bottom():
            top = self._tops[at] - offset
            self._paint_row(
                painter, self._rows[at], QRect(0, top, self.width(), self._tops[at + 1] - offset - top)
            )
            at += 1
        self._paint_open_places(painter)
        if self._widest != before:
            self._fit()

    def _paint_row(self, painter: QPainter, row: ConflictRow, place: QRect) -> None:
        if row.kind is Kind.CODE:
            for number, cell in enumerate(row.cells):
                self._paint_cell(painter, row, cell, number, place)
                if number:
                    painter.fillRect(
                        self._column(number).left(), place.top(), 1, place.height(), color("border")
                    )
        else:
            self._paint_band(painter, row, place)
        if row.conflict == self.current:
            painter.fillRect(0, place.top(), 3, place.height(), color("curBar"))

    def _paint_band(self, painter: QPainter, row: ConflictRow, place: QRect) -> None:
        painter.fillRect(place, color("band" if row.kind is Kind.BAND else "panel"))
        painter.fillRect(place.left(), place.bottom(), place.width(), 1, color("border"))
        middle = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine
        if row.kind is Kind.FOLD:
            painter.setFont(ui_font(12))
            painter.setPen(color("muted"))
            words = self.tr("{n} lines without a conflict").replace("{n}", f"{row.hidden:,}")
            painter.drawText(QRectF(place).adjusted(px(34), 0, 0, 0), middle, words)
            return
        icon, token = ("look-out", "warn") if row.is_open else ("check", "ok")
        paint_icon(painter, icon, token, px(12), place.top() + (place.height() - px(16)) / 2)
        painter.setFont(ui_font(12, 600))
        painter.setPen(color("text"))
        title = self.tr("Conflict {n}").replace("{n}", str(row.conflict + 1))
        painter.drawText(QRectF(place).adjusted(px(36), 0, 0, 0), middle, title)
        left = px(36) + painter.fontMetrics().horizontalAdvance(title) + px(10)
        painter.setFont(ui_font(12))
        painter.setPen(color("muted"))
        painter.drawText(QRectF(place).adjusted(left, 0, 0, 0), middle, self.words_of(row.conflict))

    def words_of(self, conflict: int) -> str:
        """How a conflict stands, in words."""
        taken = self.settlement.taken(conflict) if self.settlement is not None else None
        return {
            None: self.tr("both changed these lines"),
            Taken.DISK: self.tr("settled: kept what is on disk"),
            Taken.PROPOSED: self.tr("settled: took what is proposed"),
            Taken.BOTH: self.tr("settled: took both"),
            Taken.EDITED: self.tr("settled: edited by you"),
        }[taken]

    def _paint_cell(
        self, painter: QPainter, row: ConflictRow, cell: Cell | None, number: int, place: QRect
    ) -> None:
        column = self._column(number)
        area = QRect(column.left(), place.top(), column.width(), place.height())
        if cell is None:
            if row.conflict >= 0 and not (row.is_open and number == 1):
                painter.fillRect(area, color("void"))
            return
        ground = _GROUNDS.get(cell.look)
        if ground is not None:
            painter.fillRect(area, color(ground))
        painter.setFont(ui_font(11))
        painter.setPen(color("lineNo"))
        middle = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
        if cell.look is not Look.BASE:
            room = QRectF(area.left(), area.top(), px(34), area.height())
            painter.drawText(room, middle, "" if cell.number is None else str(cell.number))
        else:
            painter.drawText(QRectF(area.left(), area.top(), px(48), area.height()), middle, self.tr("base"))
        if cell.look in _SIGNS:
            sign, token = _SIGNS[cell.look]
            painter.setFont(self._metrics.font)
            painter.setPen(color(token))
            painter.drawText(QRectF(area.left() + px(36), area.top(), px(14), area.height()),
                             Qt.AlignmentFlag.AlignCenter, sign)  # fmt: skip
        self._paint_text(painter, cell, area)

    def _paint_text(self, painter: QPainter, cell: Cell, area: QRect) -> None:
        drawn = DrawnLine(display_line(cell.line, self._form), (), self._metrics)
        code = area.adjusted(px(_GUTTER), 0, 0, 0)
        painter.save()
        painter.setClipRect(code)
        x = code.left() - self.horizontalScrollBar().value()
        drawn.draw(painter, x, code.top(), QRectF(code))
        painter.restore()
        self._widest = max(self._widest, drawn.width + self._metrics.advance)

    def _paint_open_places(self, painter: QPainter) -> None:
        """The dashed field in the middle of each conflict that waits."""
        if self.settlement is None:
            return
        offset, height = self.verticalScrollBar().value(), self.viewport().height()
        for first, behind in self._places.values():
            top, bottom = self._tops[first] - offset, self._tops[behind] - offset
            if bottom < 0 or top > height or not self._rows[first].is_open:
                continue
            column = self._column(1)
            area = QRect(column.left() + 1, top, column.width() - 1, bottom - top)
            painter.fillRect(area, color("warnBg"))
            painter.setPen(QPen(color("warn"), 1, Qt.PenStyle.DashLine))
            painter.drawRect(area.adjusted(2, 1, -3, -2))
            painter.setFont(ui_font(12, 600))
            words = self.tr("Not settled: choose 1, 2 or 3, or edit")
            painter.drawText(area, Qt.AlignmentFlag.AlignCenter, words)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        y = event.position().toPoint().y() + self.verticalScrollBar().value()
        at = bisect_right(self._tops, y) - 1
        if 0 <= at < len(self._rows) and self._rows[at].conflict >= 0:
            self.current = self._rows[at].conflict
            self.viewport().update()
            self.current_changed.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        bar, across = self.verticalScrollBar(), self.horizontalScrollBar()
        moves = {
            Qt.Key.Key_Up: (bar, -bar.singleStep()),
            Qt.Key.Key_Down: (bar, bar.singleStep()),
            Qt.Key.Key_PageUp: (bar, -bar.pageStep()),
            Qt.Key.Key_PageDown: (bar, bar.pageStep()),
            Qt.Key.Key_Left: (across, -across.singleStep()),
            Qt.Key.Key_Right: (across, across.singleStep()),
        }
        move = moves.get(Qt.Key(event.key()))
        if move is None or event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            event.ignore()
            return
        move[0].setValue(move[0].value() + move[1])

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange):
            self._make_metrics()
            self.refresh()
