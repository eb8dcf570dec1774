"""The editor that opens in place when the agent should be told why (look.md 4.4 and 9.7)."""

from __future__ import annotations

from enum import Enum

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QWidget

from studio.engine.names import show_name
from studio.ui.desk import Desk
from studio.ui.theme import px, ui_font
from studio.ui.widgets import Button, ButtonKind, Label, Strip, StripKind

_PAUSE_MS = 300
_LINES = 3


class Telling(Enum):
    """What the text is for."""

    REJECT_STEP = "reason"
    REJECT_PLAN = "plan_reason"
    ASK_FOR_CHANGES = "changes"


class ReasonEditor(QPlainTextEdit):
    """Plain text; Ctrl+Enter says done, Esc gives up, Tab goes on to the buttons."""

    done = Signal()
    cancelled = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("reason-editor")
        self.setAccessibleName(self.tr("Text for the agent"))
        self.setTabChangesFocus(True)
        self.setFont(ui_font(13))
        self.setFixedHeight(self.fontMetrics().lineSpacing() * _LINES + px(20))

    def event(self, event: QEvent) -> bool:
        # Esc would otherwise go to the window's "Back", which closes the innermost thing: this one.
        if isinstance(event, QKeyEvent) and event.type() is QEvent.Type.ShortcutOverride and _ends(event):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not _ends(event):
            super().keyPressEvent(event)
        elif event.key() == Qt.Key.Key_Escape:
            self.cancelled.emit()
        elif not event.isAutoRepeat():
            self.done.emit()


def _ends(event: QKeyEvent) -> bool:
    enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
    control = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier == Qt.KeyboardModifier.ControlModifier
    return event.key() == Qt.Key.Key_Escape or (enter and control)


class ReasonStrip(Strip):
    """Asks what the agent should know, keeps the draft at each pause, and then decides."""

    closed = Signal()

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._desk = desk
        self._telling = Telling.REJECT_STEP
        self._draft_key = ""
        self.setObjectName("reason-strip")
        self.editor = ReasonEditor(self)
        self._kept = Label(size=12, token="muted")
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(_PAUSE_MS)
        self._pause.timeout.connect(self.keep_draft)
        self.cancel = Button(self.tr("Cancel"), self, key="Esc", kind=ButtonKind.TOOL)
        self.ask = Button(self.tr("Ask for changes"), self, icon="comment", icon_token="text")
        self.reject = Button(self.tr("Reject step"), self, icon="cross", icon_token="bad", key="Ctrl+↵")
        row = QHBoxLayout()
        row.setSpacing(px(8))
        row.addWidget(self._kept)
        row.addStretch(1)
        row.addWidget(self.cancel)
        row.addSpacing(px(12))
        row.addWidget(self.ask)
        row.addWidget(self.reject)
        self.body.addWidget(self.editor)
        self.body.addLayout(row)
        self.editor.textChanged.connect(self._edited)
        self.editor.cancelled.connect(self.give_up)
        self.editor.done.connect(self._done)
        self.cancel.clicked.connect(self.give_up)
        self.ask.clicked.connect(self._send_changes)
        self.reject.clicked.connect(self._send_rejection)
        desk.allowed_changed.connect(self.refresh)
        self.hide()

    def ask_for(self, telling: Telling) -> None:
        """Open for a purpose, with the draft that was kept for it, and take the keyboard."""
        plan = self._desk.current_plan
        if plan is None:
            return
        self._telling = telling
        self._draft_key = self._desk.draft_key(telling.value)
        agent = show_name(plan.agent) or self.tr("the agent")
        title = {
            Telling.REJECT_STEP: self.tr("Reject this step. What should {agent} know?"),
            Telling.REJECT_PLAN: self.tr("Reject every undecided step. What should {agent} know?"),
            Telling.ASK_FOR_CHANGES: self.tr("Ask {agent} for another round. What should be different?"),
        }[telling]
        changes = telling is Telling.ASK_FOR_CHANGES
        kind, icon = (StripKind.INFO, "comment") if changes else (StripKind.DANGER, "rejected")
        self.show_message(kind, title.replace("{agent}", agent), icon=icon)
        self.reject.setVisible(not changes)
        self.ask.setVisible(telling is not Telling.REJECT_PLAN)
        self.ask.set_key("Ctrl+↵" if changes else "")
        whole = telling is Telling.REJECT_PLAN
        self.reject.set_label(self.tr("Reject plan") if whole else self.tr("Reject step"))
        self.editor.setPlainText(self._desk.memory.text(self._draft_key))
        self._kept.setText("")
        self.refresh()
        self.editor.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def refresh(self) -> None:
        """Enable the buttons, or say why not."""
        if self.isHidden():
            return
        silent = "" if self._text() else self.tr("Say why first: the agent gets this text.")
        rejection = "reject_plan" if self._telling is Telling.REJECT_PLAN else "reject_step"
        self.reject.set_reason(self._desk.can(rejection) or silent)
        self.ask.set_reason(self._desk.can("request_changes") or silent)
        share = self._desk.dead_time.share_left
        self.reject.set_dead_time(share)
        self.ask.set_dead_time(share)

    def keep_draft(self) -> None:
        """Store what is typed, so that a crash or a jump loses none of it."""
        self._pause.stop()
        self._desk.memory.keep_text(self._draft_key, self.editor.toPlainText())
        self._kept.setText(self.tr("Draft kept") if self._text() else "")

    def give_up(self) -> None:
        """Close without deciding; the draft is kept."""
        if not self.isHidden():
            self.keep_draft()
            self._close()

    def _text(self) -> str:
        return self.editor.toPlainText().strip()

    def _edited(self) -> None:
        if self.isVisible():
            self._kept.setText("")
            self._pause.start()
            self.refresh()

    def _done(self) -> None:
        button = self.ask if self._telling is Telling.ASK_FOR_CHANGES else self.reject
        if button.isEnabled():
            button.click()

    def _send_rejection(self) -> None:
        self.keep_draft()
        reason = self._text()
        self._close()
        if self._telling is Telling.REJECT_PLAN:
            self._desk.reject_plan(reason)
        else:
            self._desk.reject_step(reason)

    def _send_changes(self) -> None:
        self.keep_draft()
        reason = self._text()
        self._close()
        self._desk.request_changes(reason)

    def _close(self) -> None:
        if not self.isHidden():
            self.hide()
            self.closed.emit()
