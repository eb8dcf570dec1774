"""Banner to allow or deny an agent's tool call."""

from __future__ import annotations

from math import ceil

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from studio.names import show_name
from studio.ui.actions.action import Action
from studio.ui.look.theme import px
from studio.ui.look.words import counted, exact_moment, say, utc_now
from studio.ui.review.desk import Desk
from studio.ui.widgets import Banner, BannerKind, Button, ButtonKind, row_of
from studio.ui.widgets.buttons import RING
from studio.ui.widgets.text_field import CodeFont, TextField

_LINES = 8


class CallText(QPlainTextEdit):
    """Text of a tool call; `end_seen` follows painting its last row."""

    end_seen = Signal()

    def fit(self) -> None:
        """Set the height to all wrapped rows, up to `_LINES`."""
        rows = min(ceil(self.document().size().height()), _LINES)
        self.setFixedHeight(self.fontMetrics().lineSpacing() * rows + px(20))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        bar = self.verticalScrollBar()
        if bar.value() >= bar.maximum():
            self.end_seen.emit()


class CallStrip(Banner):
    """Non-modal banner with a whole tool call; its file changes are unknown."""

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__(parent, name="call-strip", below=True)
        self._desk, self._calls = desk, desk.calls
        self._call = ""
        self.command = CallText(self)
        self.command.setObjectName("call-command")
        self.command.setReadOnly(True)
        self.command.setTabChangesFocus(True)
        self.command.setAccessibleName(self.tr("Command"))
        CodeFont(self.command).use()
        self.reason = TextField("call-reason", self)
        self.reason.setAccessibleName(self.tr("Message to the agent"))
        self.reason.setPlaceholderText(self.tr("Reason for the agent (required to deny)"))
        self.reason.set_lines(1)
        self.next = Button(
            self.tr("Next"),
            self,
            kind=ButtonKind.TOOL,
            name="call-next",
            tip=self.tr("Shows the next waiting call without deciding this one."),
            pressed=self._calls.next,
        )
        self.allow = Button(
            self.tr("Allow"),
            self,
            icon="check",
            icon_token="ok",
            name="call-allow",
            decides=True,
            pressed=self._calls.allow,
        )
        self.deny = Button(
            self.tr("Deny"), self, icon="cross", icon_token="bad", name="call-deny", pressed=self.ask_to_deny
        )
        row = row_of(
            (self.reason, 1), self.next, self.deny, self.allow, margins=(RING, 0, 0, 0), spacing=px(12)
        )
        self.add_field(self.command)
        self.body.addLayout(row)
        # Queued: nothing may be resized or enabled during painting.
        self.command.end_seen.connect(self._note_read, Qt.ConnectionType.QueuedConnection)
        self.reason.textChanged.connect(self._store_draft)
        self.reason.done.connect(self.ask_to_deny)
        self.reason.cancelled.connect(self.dismissed)
        self._calls.changed.connect(self._refresh)
        desk.guards.allowed_changed.connect(self._refresh_buttons)

    def ask_to_deny(self) -> None:
        """Deny with the typed reason, or focus the field for it."""
        if self._calls.words.strip():
            self._calls.deny()
        elif self._calls.current is not None:
            self.reason.setFocus()

    def _refresh(self) -> None:
        call, count = self._calls.current, len(self._calls.waiting)
        if call is None:
            self._call = ""
            self.leave()
            return
        agent = show_name(call.agent) or self.tr("An agent")
        title = say(
            self.tr("{agent} wants to use {tool} and is waiting."), agent=agent, tool=show_name(call.tool)
        )
        where = say(
            self.tr(
                "The call in {folder} has been waiting since {when}. Its file changes can't "
                "be previewed."
            ),
            folder=show_name(call.cwd), when=exact_moment(call.since, utc_now()),
        )  # fmt: skip
        if count > 1:
            more = counted(
                count - 1, self.tr("{n} more call is waiting."), self.tr("{n} more calls are waiting.")
            )
            where = f"{where} {more}"
        self.show_message(BannerKind.WARNING, title, where, icon="agent")
        self.next.setVisible(count > 1)
        if call.id != self._call:
            self._call = call.id
            lines = call.command.split("\n")
            self.command.setPlainText("\n".join(map(show_name, lines)))
            self.command.fit()
            self.reason.setPlainText(self._calls.words)
        self._refresh_buttons()

    def _note_read(self) -> None:
        bar = self.command.verticalScrollBar()
        if self._call and self.command.isVisible() and bar.value() >= bar.maximum():
            self._calls.note_read(self._call)

    def _store_draft(self) -> None:
        self._calls.store_draft(self.reason.toPlainText())
        self._refresh_buttons()

    def _refresh_buttons(self) -> None:
        if self.isHidden():
            return
        share = self._desk.guards.dead_time.share_left
        for button, action in ((self.allow, Action.ALLOW_CALL), (self.deny, Action.DENY_CALL)):
            reason = self._desk.reasons.of(action)
            if reason and button.hasFocus():
                # Qt would focus a button of the toolbar, which Space would then press.
                self.command.setFocus(Qt.FocusReason.OtherFocusReason)
            button.set_reason(reason)
            button.set_guard_share(share)
