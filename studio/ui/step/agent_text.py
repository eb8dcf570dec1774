"""Banners for writing to the agent: rejection reasons, change requests, line comments."""

from __future__ import annotations

from enum import Enum

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QWidget

from studio.names import show_name
from studio.ui.actions.action import Action
from studio.ui.look.theme import px
from studio.ui.look.words import counted, say
from studio.ui.review.decisions import CHANGES, SEVERAL
from studio.ui.review.desk import Desk
from studio.ui.review.unsent import COMMENT, REASON, DraftKey
from studio.ui.widgets import STRETCH, Banner, BannerKind, Button, ButtonKind, CheckBox, Label, row_of
from studio.ui.widgets.text_field import PAUSE_MS, TextField

_LINES = 3


class ReasonPurpose(Enum):
    """Purpose of the text."""

    REJECT_STEP = "reason"
    REJECT_PLAN = "plan_reason"
    REJECT_TICKED = "ticked_reason"
    ASK_FOR_CHANGES = "changes"


class ReasonBanner(Banner):
    """Banner for a text to the agent and the decision it explains.

    The text is stored as a draft at each pause in typing.
    """

    closed = Signal()

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__(parent, name="reason-strip")
        self._desk = desk
        self._purpose = ReasonPurpose.REJECT_STEP
        self._unsent_key = desk.queue.draft_key(REASON)
        # Not a warning colour: nothing has gone wrong.
        self.set_surface("content")
        self.editor = TextField("reason-editor", self)
        self.editor.setAccessibleName(self.tr("Message to the agent"))
        self.editor.set_lines(_LINES)
        self._draft_status = Label(size=12, token="muted")
        self._pause = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._pause.timeout.connect(self.keep_unsent)
        self.cancel = Button(
            self.tr("Cancel"), self, key="Esc", kind=ButtonKind.TOOL, pressed=self.close_unused
        )
        self.ask = Button(
            self.tr("Request changes"), self, icon="comment", icon_token="text", pressed=self._send_changes
        )
        self.reject = Button(
            self.tr("Reject step"),
            self,
            icon="cross",
            icon_token="bad",
            key="Ctrl+↵",
            pressed=self._send_rejection,
        )
        self.comments = CheckBox("", self, name="reason-comments")
        row = row_of(
            self.comments,
            self._draft_status,
            STRETCH,
            self.cancel,
            px(12),
            self.ask,
            self.reject,
            spacing=px(8),
        )
        self.add_field(self.editor)
        self.body.addLayout(row)
        self.editor.textChanged.connect(self._on_edited)
        self.editor.cancelled.connect(self.close_unused)
        self.editor.done.connect(self._done)
        desk.guards.refresh_wanted.connect(self.refresh_buttons)

    def ask_for(self, telling: ReasonPurpose) -> None:
        """Open and focus the editor for a purpose, with its stored draft."""
        plan = self._desk.queue.current_plan
        if plan is None:
            return
        self._purpose = telling
        self._unsent_key = self._place_of(telling)
        agent = show_name(plan.agent) or (self.tr("the author") if plan.is_review else self.tr("the agent"))
        title = {
            ReasonPurpose.REJECT_STEP: self.tr("Reject this step and tell {agent} why."),
            ReasonPurpose.REJECT_PLAN: self.tr("Reject all undecided steps and tell {agent} why."),
            ReasonPurpose.REJECT_TICKED: self.tr("Reject {steps} and tell {agent} why."),
            ReasonPurpose.ASK_FOR_CHANGES: self.tr("Request changes from {agent}. What should be different?"),
        }[telling]
        changes = telling is ReasonPurpose.ASK_FOR_CHANGES
        kind, icon = (BannerKind.INFO, "comment") if changes else (BannerKind.DANGER, "rejected")
        ticked = counted(len(self._desk.ticked.undecided), self.tr("{n} step"), self.tr("{n} steps"))
        self.show_message(kind, say(title, agent=agent, steps=ticked), icon=icon)
        self.reject.setVisible(not changes)
        asks = telling in (ReasonPurpose.REJECT_STEP, ReasonPurpose.ASK_FOR_CHANGES)
        self.ask.setVisible(asks and not plan.is_review)
        self.ask.set_key("Ctrl+↵" if changes else "")
        labels = {
            ReasonPurpose.REJECT_PLAN: self.tr("Reject plan"),
            ReasonPurpose.REJECT_TICKED: self.tr("Reject steps"),
        }
        self.reject.set_label(labels.get(telling, self.tr("Reject step")))
        self.editor.setPlainText(self._desk.project.unsent.text(self._unsent_key))
        self._draft_status.setText("")
        self._offer_comments()
        self.refresh_buttons()
        self.editor.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _offer_comments(self) -> None:
        """Offer to send line comments with the text, by default."""
        plan, step = self._desk.queue.current_plan, self._desk.queue.current_step
        if plan is None:
            return
        steps = plan.undecided if self._purpose is ReasonPurpose.REJECT_PLAN else plan.steps
        if self._purpose is ReasonPurpose.REJECT_STEP and step is not None:
            steps = (step,)
        if self._purpose is ReasonPurpose.REJECT_TICKED:
            steps = self._desk.ticked.undecided
        count = sum(len(self._desk.comments.of(plan, each)) for each in steps)
        self.comments.setText(
            counted(
                count, self.tr("Also send my {n} line comment"), self.tr("Also send my {n} line comments")
            )
        )
        self.comments.setChecked(True)
        self.comments.setVisible(count > 0)

    def refresh_buttons(self) -> None:
        """Enable the buttons, or give the reason why not."""
        if self.isHidden():
            return
        silent = "" if self._text() else self.tr("Enter a reason first. It will be sent to the agent.")
        rejection = Action.REJECT_PLAN if self._purpose is ReasonPurpose.REJECT_PLAN else Action.REJECT_STEP
        self.reject.set_reason(self._desk.reasons.of(rejection) or silent)
        self.ask.set_reason(self._desk.reasons.of(Action.REQUEST_CHANGES) or silent)
        share = self._desk.guards.dead_time.share_left
        self.reject.set_guard_share(share)
        self.ask.set_guard_share(share)

    def keep_unsent(self) -> None:
        """Store the draft, so that neither a crash nor navigation loses it."""
        self._pause.stop()
        self._desk.project.unsent.store(self._unsent_key, self.editor.toPlainText())
        self._draft_status.setText(self.tr("Draft kept") if self._text() else "")

    def is_stored(self) -> bool:
        """Return whether the current text is stored."""
        return not self._pause.isActive()

    def close_unused(self) -> None:
        """Close without deciding, storing the draft."""
        if not self.isHidden():
            self.keep_unsent()
            self._close()

    def _place_of(self, telling: ReasonPurpose) -> DraftKey:
        if telling is ReasonPurpose.REJECT_STEP:
            return self._desk.queue.draft_key(REASON)
        place = {ReasonPurpose.ASK_FOR_CHANGES: CHANGES, ReasonPurpose.REJECT_TICKED: SEVERAL}.get(telling, 0)
        return self._desk.queue.draft_key(REASON, place, of_plan=True)

    def _text(self) -> str:
        return self.editor.toPlainText().strip()

    def _on_edited(self) -> None:
        if self.isVisible():
            self._draft_status.setText("")
            self._pause.start()
            self.refresh_buttons()

    def _done(self) -> None:
        button = self.ask if self._purpose is ReasonPurpose.ASK_FOR_CHANGES else self.reject
        if button.isEnabled():
            button.click()

    def _send_rejection(self) -> None:
        self.keep_unsent()
        reason, comments = self._text(), self.comments.isChecked()
        self._close()
        if self._purpose is ReasonPurpose.REJECT_PLAN:
            self._desk.decisions.reject_plan(reason, comments=comments)
        elif self._purpose is ReasonPurpose.REJECT_TICKED:
            self._desk.ticked.reject(reason, comments=comments)
        else:
            self._desk.decisions.reject_step(reason, comments=comments)

    def _send_changes(self) -> None:
        self.keep_unsent()
        reason = self._text()
        self._close()
        self._desk.decisions.request_changes(reason, comments=self.comments.isChecked())

    def _close(self) -> None:
        if not self.isHidden():
            self.hide()
            self.closed.emit()


# Comment editor of one line; like every editor it opens below the header

_COMMENT_STRIP_LINES = 2


class CommentBanner(Banner):
    """Banner for a line comment, stored while typing; empty means none."""

    closed = Signal()

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__(parent, name="comment-strip")
        self._desk = desk
        self._draft_key = desk.queue.draft_key(COMMENT)
        self.editor = TextField("comment-editor", self)
        self.editor.setAccessibleName(self.tr("Comment for the agent"))
        self.editor.set_lines(_COMMENT_STRIP_LINES)
        self._pause = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._pause.timeout.connect(self.store_draft)
        self.remove = Button(
            self.tr("Remove"),
            self,
            icon="cross",
            icon_token="text",
            kind=ButtonKind.TOOL,
            name="comment-remove",
            pressed=self._remove,
        )
        self.done = Button(
            self.tr("Done"),
            self,
            icon="comment",
            icon_token="text",
            key="Ctrl+↵",
            name="comment-done",
            pressed=self.dismiss_banner,
        )
        row = row_of(STRETCH, self.remove, self.done, spacing=px(8))
        self.add_field(self.editor)
        self.body.addLayout(row)
        self.editor.textChanged.connect(self._pause.start)
        self.editor.done.connect(self.dismiss_banner)
        self.editor.cancelled.connect(self.dismiss_banner)
        desk.queue.current_changed.connect(self._close_if_moved)

    def ask_for(self, side: str, line: int) -> None:
        """Open for a line (from 1) of the "base" or the "result".

        Shows the existing comment on it.
        """
        self.dismiss_banner()
        self._draft_key = self._desk.comments.draft_key(side, line)
        words = (
            self.tr("Comment on line {n} of the old version.")
            if side == "base"
            else self.tr("Comment on line {n} of the result.")
        )
        note = self.tr("It will be sent to the agent with your decision.")
        self.show_message(BannerKind.INFO, say(words, n=str(line)), note, icon="comment")
        self.editor.blockSignals(True)
        self.editor.setPlainText(self._desk.comments.text(side, line))
        self.editor.blockSignals(False)
        self.editor.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def store_draft(self) -> None:
        """Store the text as the line's comment."""
        self._pause.stop()
        self._desk.comments.store(self._draft_key, self.editor.toPlainText().strip("\n"))

    def is_stored(self) -> bool:
        """Return whether the current text is stored."""
        return not self._pause.isActive()

    def _close_if_moved(self) -> None:
        """Close if another step is current, but not if its file changed."""
        if self._desk.queue.draft_key(COMMENT, self._draft_key.slot) != self._draft_key:
            self.dismiss_banner()

    def dismiss_banner(self) -> bool:
        """Close and store the comment; return whether it was open."""
        if self.isHidden():
            return False
        if self._pause.isActive():
            self.store_draft()
        self.hide()
        self.closed.emit()
        return True

    def _remove(self) -> None:
        self.editor.setPlainText("")
        self.store_draft()
        self.dismiss_banner()
