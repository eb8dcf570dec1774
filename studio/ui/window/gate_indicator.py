"""Toolbar indicator: whether agents can skip approval, or command line can approve."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from studio.names import show_name
from studio.ui import agents
from studio.ui.look.icons import paint_icon
from studio.ui.look.theme import color, px, ui_font
from studio.ui.look.words import plain_tip
from studio.ui.widgets import PressedBySpace
from studio.ui.widgets.painting import paint_focus_ring

if TYPE_CHECKING:
    from collections.abc import Sequence

    from studio.extras.agents import GateStatus

_BAD: Final = "bad"
"""Token of an icon that must not be missed."""


class GateIndicator(PressedBySpace):
    """Indicator of the worst gate status; pressing it opens the details."""

    changed = Signal()
    """Emitted when the status changed."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("gate-lamp")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._icon = self._token = self._words = self._detail = ""
        self._has_words = True
        self._room = 0
        self._gates: tuple[GateStatus, ...] | None = None
        self._command_line_allowed = False
        self._redraw()

    @property
    def gates(self) -> tuple[GateStatus, ...]:
        """The gates of connected agents, none before they were read."""
        return self._gates or ()

    @property
    def command_line_allowed(self) -> bool:
        """Whether the user's settings allow command line approval without typing an id."""
        return self._command_line_allowed

    def set_gates(self, statuses: Sequence[GateStatus] | None) -> None:
        """Set the gate status of connected agents, None before it was read."""
        gates = tuple(statuses) if statuses is not None else None
        if self._gates != gates:
            self._gates = gates
            self._redraw()

    def set_command_line_allowed(self, allowed: bool) -> None:
        """Set whether the command line may approve."""
        if self._command_line_allowed != allowed:
            self._command_line_allowed = allowed
            self._redraw()

    def _redraw(self) -> None:
        statuses = self.gates
        if self._command_line_allowed:
            self._show("danger", _BAD, self.tr("Command-line approval is on"), "")
        elif not statuses:
            is_read = self._gates is not None
            self._show(
                "gate", "muted", self.tr("No agent connected") if is_read else self.tr("Checking gates…"), ""
            )
        else:
            worst, gates = agents.worst_of(statuses)
            sign = agents.SIGNS[worst]
            self._show(sign.icon, sign.token, sign.words, sign.detail(gates))
        reasons = self._reasons()
        self.setToolTip(plain_tip(reasons))
        self.setAccessibleDescription(reasons)
        self.changed.emit()

    def _reasons(self) -> str:
        reasons = [f"{show_name(each.agent)}: {show_name(each.why)}" for each in self.gates]
        if self._command_line_allowed:
            words = self.tr(
                "config.yaml sets review.command_line to allow. To require a reviewer, set it to ask."
            )
            reasons.insert(0, words)
        return "\n".join(reasons) or self.tr("Nothing is written until you click Apply.")

    def _show(self, icon: str, token: str, words: str, detail: str) -> None:
        self._icon, self._token, self._words, self._detail = icon, token, words, detail
        self.setAccessibleName(f"{words} {detail}".strip())
        self.updateGeometry()
        self.update()

    def words(self) -> str:
        return self._words

    def detail(self) -> str:
        """Return the muted text after the title."""
        return self._detail

    def warns(self) -> bool:
        """Return whether the indicator shows a warning that must not be missed."""
        return self._token == _BAD

    def names_file(self) -> bool:
        """Return whether the detail is the file that disables a gate."""
        return self.warns() and any(self._detail == show_name(each.file) for each in self.gates if each.file)

    def show_detail(self, room: int) -> None:
        """Show the detail in at most this many pixels, 0 for none."""
        self._room = room
        self.updateGeometry()
        self.update()

    def show_words(self, shown: bool) -> None:
        """Show or hide the text; icon and warnings always remain."""
        self._has_words = shown
        self.updateGeometry()
        self.update()

    def has_words(self) -> bool:
        """Return whether text is shown, and not only the icon."""
        return self._has_words or self.warns()

    def sizeHint(self) -> QSize:
        if not self.has_words():
            return QSize(px(36), px(28))
        width = QFontMetricsF(ui_font(13, 600)).horizontalAdvance(self._words) + px(11) * 2 + px(22)
        if detail := self.shown_detail():
            width += px(6) + QFontMetricsF(ui_font(13)).horizontalAdvance(detail)
        return QSize(round(width) + 1, px(28))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        edge, face = ("bad", "badBg") if self.warns() else ("border", "window")
        painter.setPen(QPen(color(edge), 1))
        painter.setBrush(color(face))
        frame = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.drawRoundedRect(frame, 3, 3)
        if self.hasFocus():
            paint_focus_ring(painter, frame.adjusted(3, 3, -3, -3))
        x = px(10)
        paint_icon(painter, self._icon, self._token, x, (self.height() - px(16)) / 2)
        if not self.has_words():
            return
        x += px(22)
        painter.setFont(ui_font(13, 600))
        painter.setPen(color("bad" if self.warns() else "text"))
        middle = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine
        words = QFontMetricsF(painter.font()).horizontalAdvance(self._words)
        painter.drawText(QRectF(x, 0, words + 2, self.height()), middle, self._words)
        if detail := self.shown_detail():
            painter.setFont(ui_font(13))
            painter.setPen(color("muted"))
            area = QRectF(x + words + px(6), 0, self.width(), self.height())
            painter.drawText(area, middle, detail)

    def shown_detail(self) -> str:
        """Return the part of the detail that fits."""
        if not self._room:
            return ""
        metrics = QFontMetricsF(ui_font(13))
        return metrics.elidedText(self._detail, Qt.TextElideMode.ElideMiddle, px(self._room))
