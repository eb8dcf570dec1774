"""Status bar: dock tabs, last message, progress, and last apply."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QTabBar, QWidget

from studio.ui.look.icons import Sign
from studio.ui.look.theme import color, px
from studio.ui.widgets import (
    STRETCH,
    Button,
    ButtonKind,
    CountBar,
    ElidedLabel,
    Label,
    Surface,
    ToolIcon,
    row_of,
)

if TYPE_CHECKING:
    from studio.ui.review.state import StatusMessage

HEIGHT = 26
_RULE_FROM, _RULE_WIDTH = 1000, 320
"""Width of the bar from which it has the sentence at its right end, and that sentence's."""
_TIP_MS = 4000
_LOOKS = {
    # value of the tone: icon, its token, the sentence's token
    "done": ("applied", "ok", "text"),
    "news": ("info", "accent", "text"),
    "warning": ("look-out", "warn", "warn"),
    "bad": ("danger", "bad", "bad"),
}


class StatusBar(Surface):
    """Status bar with the last message; hints on controls replace it temporarily."""

    undo_pressed = Signal()
    take_back_pressed = Signal()
    stop_pressed = Signal()
    roll_back_pressed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("window", parent)
        self.setObjectName("status-bar")
        self.setAccessibleName(self.tr("Status"))
        self.setFixedHeight(px(HEIGHT))
        self._message: StatusMessage | None = None
        self._icon = Sign("status-icon", self)
        self.sentence = ElidedLabel(size=12, mode=Qt.TextElideMode.ElideRight, name="status-sentence")
        self.sentence.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.undo = Button(
            self.tr("Undo"),
            self,
            icon="undo",
            icon_token="text",
            key="Ctrl+Alt+Z",
            kind=ButtonKind.TOOL,
            height=20,
            name="status-undo",
            decides=True,
            pressed=self.undo_pressed,
        )
        self.undo.hide()
        self.take_back = Button(
            self.tr("Undo decision"),
            self,
            icon="undo",
            icon_token="text",
            kind=ButtonKind.TOOL,
            height=20,
            name="status-take-back",
            pressed=self.take_back_pressed,
        )
        self.take_back.hide()
        self.busy = Label(size=12, token="muted", name="status-busy")
        self.bar = CountBar(self, width=90)
        self.stop = ToolIcon("cross", self.tr("Stop"), name="status-stop", pressed=self.stop_pressed)
        self.rule = ElidedLabel("", size=12, token="muted", name="status-rule")
        # A long message takes no room from it: Stop, beside it, must not move under a press.
        self.rule.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.rule.setMaximumWidth(px(_RULE_WIDTH))
        self._has_apply = False
        self.roll_back = Button(
            self.tr("Roll back…"),
            self,
            icon="rolled-back",
            kind=ButtonKind.TOOL,
            height=20,
            name="status-roll-back",
            tip=self.tr("Previews the result without writing anything."),
            pressed=self.roll_back_pressed,
        )
        self.roll_back.hide()
        self.discard_notice = ElidedLabel(
            "", size=12, token="warn", mode=Qt.TextElideMode.ElideMiddle, name="status-undo-going"
        )
        self.discard_notice.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.discard_notice.hide()
        self._tip_ends = QTimer(self, singleShot=True, interval=_TIP_MS)
        self._tip_ends.timeout.connect(self._show_message)
        self._row = row_of(
            self._icon,
            self.sentence,
            self.undo,
            self.take_back,
            STRETCH,
            self.busy,
            self.bar,
            self.stop,
            px(8),
            self.discard_notice,
            px(8),
            self.rule,
            self.roll_back,
            parent=self,
            margins=(px(12), 1, px(12), 0),
            spacing=px(8),
        )
        self.show_busy("", 0.0)

    @property
    def message(self) -> StatusMessage | None:
        """The last message, even while a hint replaces it."""
        return self._message

    def set_rule(self, sentence: str) -> None:
        """Set the sentence at the right end, while nothing was applied."""
        self.rule.setText(sentence)
        self._has_apply = False
        self._fit()

    def show_last_apply(self, sentence: str, reason: str) -> None:
        """Show the last apply at the right end, with its rollback.

        `reason` is why it can't be rolled back, else "".
        """
        self.rule.setText(sentence)
        self.roll_back.set_reason(reason)
        self._has_apply = True
        self._fit()

    def _fit(self) -> None:
        """Leave the room of a narrow window to tabs and message."""
        is_wide = self.width() >= px(_RULE_FROM)
        self.rule.setVisible(is_wide)
        self.roll_back.setVisible(is_wide and self._has_apply)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def set_tabs(self, tabs: QTabBar) -> None:
        """Put the dock's tabs at the left end of the bar."""
        tabs.setUsesScrollButtons(False)
        tabs.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        tabs.setFixedHeight(px(HEIGHT) - 1)
        self._row.insertWidget(0, tabs)

    def show_discard_notice(self, sentence: str) -> None:
        """Show whose undo the next apply will discard; "" for none."""
        self.discard_notice.setText(sentence)
        self.discard_notice.setVisible(bool(sentence))

    def show_status_message(self, message: StatusMessage) -> None:
        """Show a message until the next one."""
        self._message = message
        self._tip_ends.stop()
        self._show_message()

    def show_tip(self, tip: str) -> None:
        """Show a hint temporarily; "" restores the message."""
        if tip:
            self._show_text("", tip, "muted")
            self._tip_ends.start()
        else:
            self._show_message()

    def show_reason(self, reason: str) -> None:
        """Show why an input had no effect, until the next one."""
        self._show_text("info", reason, "warn", "warn")
        self._tip_ends.start()
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, reason))

    def end_tip(self) -> None:
        """Show the message again, if something replaces it."""
        if self._tip_ends.isActive():
            self._tip_ends.stop()
            self._show_message()

    def show_busy(self, sentence: str, share: float) -> None:
        """Show a running job's progress from 0.0 to 1.0; "" for none."""
        self.busy.setText(sentence)
        self.bar.set_counts(round(share * 100), 100)
        self.busy.setVisible(bool(sentence))
        self.bar.setVisible(bool(sentence))
        self.stop.setVisible(bool(sentence))

    def _show_message(self) -> None:
        message = self._message
        if message is None:
            self._show_text("", "", "text")
            self.undo.hide()
            self.take_back.hide()
            return
        icon, ink, token = _LOOKS[message.tone.value]
        if icon == "applied" and message.undo is None:
            icon = "check"  # the double check mark means that something was written
        self._show_text(icon, f"{message.sentence} {message.hint}".strip(), token, ink)
        self.undo.setVisible(message.undo is not None)
        self.take_back.setVisible(message.decided is not None)

    def _show_text(self, icon: str, sentence: str, token: str, ink: str = "muted") -> None:
        self._icon.show_icon(icon, ink)
        self._icon.setVisible(bool(icon))
        self.sentence.set_token(token)
        self.sentence.setText(sentence)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        QPainter(self).fillRect(0, 0, self.width(), 1, color("border"))
