"""The facts in one line, for a window that has no room for their pane (look.md 3)."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from studio.ui.facts.blocks import TONES
from studio.ui.facts.sheet import Sheet
from studio.ui.look.theme import color, px, ui_font
from studio.ui.look.words import plain_tip
from studio.ui.widgets.row_painter import SECOND, RowPainter
from studio.ui.widgets.strokes import key_hint_width, paint_key_hint

_HEIGHT = 22
_KEY = "F4"
_BETWEEN = " · "


class FactLine(QAbstractButton):
    """What to look out for, then the facts, as far as they fit; a click asks for the pane."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icon, self._token = "check", "ok"
        self._first = self._rest = ""
        self.setObjectName("fact-line")
        # The key stands in it; the keyboard has nothing else to do here.
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def show_sheet(self, sheet: Sheet | None) -> None:
        """Say what the pane would say."""
        shown = sheet or Sheet()
        grave = [each for each in shown.warnings if each.tone != "info"]
        self._icon, self._token = TONES[grave[0].tone] if grave else ("check", "ok")
        self._first = _BETWEEN.join(each.title for each in grave) or shown.quiet
        facts = [f"{row.label} {row.value}" for row in shown.rows]
        if shown.rule is not None:
            facts.append(shown.rule.verdict)
        self._rest = _BETWEEN.join(facts)
        whole = _BETWEEN.join(part for part in (self._first, self._rest) if part)
        self.setAccessibleName(self.tr("Facts"))
        self.setAccessibleDescription(whole)
        self.setToolTip(plain_tip(whole, wraps=True))
        self.update()

    def words(self) -> str:
        """What is said before the quiet facts."""
        return self._first

    def sizeHint(self) -> QSize:
        return QSize(px(200), px(_HEIGHT))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), color("hover" if self.underMouse() else "panel"))
        painter.fillRect(0, self.height() - 1, self.width(), 1, color("border"))
        area = QRect(0, 0, self.width(), self.height() - 1)
        row = RowPainter(painter, area, left=px(12), right=px(20) + key_hint_width(_KEY))
        paint_key_hint(painter, self.width() - px(12), area.height() / 2, _KEY)
        row.icon(self._icon, self._token)
        row.text(self._first, "text", ui_font(SECOND, 500), gap=12)
        row.text(self._rest, "muted", ui_font(SECOND))
