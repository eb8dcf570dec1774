"""Header of a read-only page: title, Back, Forward and Close buttons."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from studio.ui.actions.action import Action
from studio.ui.look.icons import paint_icon
from studio.ui.look.theme import color, px
from studio.ui.review.desk import Desk
from studio.ui.widgets import Button, ButtonKind, ElidedLabel, Surface, ToolIcon


class ReadHeader(Surface):
    """Back, Forward, title, detail, buttons of the page, Close."""

    def __init__(self, desk: Desk, name: str, icon: str, parent: QWidget | None = None) -> None:
        super().__init__("window", parent)
        self._desk, self._icon = desk, icon
        self.setObjectName(f"{name}-header")
        self.setFixedHeight(px(36))
        self.back = ToolIcon(
            "left",
            self.tr("Go back"),
            self,
            key="Alt+←",
            name=f"{name}-back",
            pressed=desk.reading.go_back,
        )
        self.ahead = ToolIcon(
            "right",
            self.tr("Go forward"),
            self,
            key="Alt+→",
            name=f"{name}-ahead",
            pressed=desk.reading.go_forward,
        )
        self.title = ElidedLabel(
            "", self, size=14, weight=600, is_path=icon in ("file", "folder"), name=f"{name}-title"
        )
        self.detail = ElidedLabel(
            "", self, size=12, token="muted", mode=Qt.TextElideMode.ElideRight, name=f"{name}-detail"
        )
        self.detail.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.close_button = Button(
            self.tr("Close"),
            self,
            kind=ButtonKind.TOOL,
            key="Esc",
            name=f"{name}-close",
            pressed=desk.reading.close,
        )
        self.row = row = QHBoxLayout(self)
        row.setContentsMargins(px(8), 0, px(8), 0)
        row.setSpacing(px(4))
        row.addWidget(self.back)
        row.addWidget(self.ahead)
        row.addSpacing(px(26))
        row.addWidget(self.title)
        row.addSpacing(px(6))
        row.addWidget(self.detail, 1)
        row.addWidget(self.close_button)
        desk.guards.refresh_wanted.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Enable or disable Back and Forward."""
        self.back.set_reason(self._desk.reasons.of(Action.READ_EARLIER))
        self.ahead.set_reason(self._desk.reasons.of(Action.READ_LATER))

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        painter.fillRect(0, self.height() - 1, self.width(), 1, color("border"))
        left = self.ahead.geometry().right() + px(8)
        paint_icon(painter, self._icon, "muted", left, (self.height() - px(18)) / 2, size=18)
