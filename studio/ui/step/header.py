"""Header of a step: path, operation, line counts, Approve and Reject buttons."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from studio.engine import Plan, Step, StepState
from studio.names import show_name
from studio.ui.actions.action import Action
from studio.ui.look import words
from studio.ui.look.icons import Sign
from studio.ui.look.states import is_over, operation_word, plan_style, step_style
from studio.ui.look.theme import color, px, ui_font
from studio.ui.look.words import say
from studio.ui.review.desk import Desk
from studio.ui.widgets import STRETCH, Button, ChangeCounts, CheckBox, ElidedLabel, Label, Surface, row_of

HEIGHT = 36
_VERDICT_GAP = 20
_LEAST_FOLDER = 64


class PathLabel(QWidget):
    """Path with muted folder, elided in the middle, and bold name."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("step-path")
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._folder = self._name = ""

    def set_path(self, path: str) -> None:
        self._folder, self._name = words.split_path(show_name(path))
        self.setToolTip(words.plain_tip(self._folder + self._name))
        self.setAccessibleName(self._folder + self._name)
        self.updateGeometry()
        self.update()

    def _widths(self) -> tuple[float, float]:
        folder = QFontMetricsF(ui_font(14)).horizontalAdvance(self._folder)
        return folder, QFontMetricsF(ui_font(14, 600)).horizontalAdvance(self._name)

    def sizeHint(self) -> QSize:
        return QSize(round(sum(self._widths())) + 2, px(22))

    def minimumSizeHint(self) -> QSize:
        return QSize(px(60), px(22))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        folder_width, name_width = self._widths()
        room = self.width() - min(name_width, self.width())
        middle = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine
        painter.setFont(ui_font(14))
        painter.setPen(color("muted"))
        # A few letters of a folder are useless; the tooltip has all of it.
        full_folder = self._folder if room >= min(folder_width, px(_LEAST_FOLDER)) else "…/"
        folder = painter.fontMetrics().elidedText(full_folder, Qt.TextElideMode.ElideMiddle, round(room + 1))
        painter.drawText(QRectF(0, 0, room + 2, self.height()), middle, folder)
        x = min(folder_width, painter.fontMetrics().horizontalAdvance(folder))
        painter.setFont(ui_font(14, 600))
        painter.setPen(color("text"))
        name = painter.fontMetrics().elidedText(
            self._name, Qt.TextElideMode.ElideMiddle, round(self.width() - x + 1)
        )
        painter.drawText(QRectF(x, 0, self.width() - x + 2, self.height()), middle, name)


class StepHeader(Surface):
    """Step header, the only place with Approve and Reject."""

    pressed = Signal(object)
    """Emitted with the id of the action to run."""

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__("window", parent)
        self._desk = desk
        self._hold_reason = ""
        self.setObjectName("step-header")
        self.setAccessibleName(self.tr("Step"))
        self.setFixedHeight(px(HEIGHT))
        self._icon = Sign("step-icon", self, size=18)
        self._path = PathLabel(self)
        self._operation = ElidedLabel(size=12, token="muted", name="step-operation")
        self._counts = ChangeCounts(self)
        self._kept_sign = Sign("step-kept-sign", self, icon="edit", token="warn")
        self.viewed = CheckBox(self.tr("Viewed"), self, key="V", name="step-viewed")
        self.reject = Button(self.tr("Reject…"), self, icon="cross", icon_token="bad", key="R")
        self.approve = Button(
            self.tr("Approve step"), self, icon="check", icon_token="ok", key="A", decides=True
        )
        self.take_back = Button(self.tr("Undo decision"), self, icon="undo", icon_token="text", key="Z")
        self._verdict = Label(weight=600, name="step-verdict")
        for widget, action in (
            (self.viewed, Action.MARK_VIEWED),
            (self.reject, Action.REJECT_STEP),
            (self.approve, Action.APPROVE_STEP),
            (self.take_back, Action.REVOKE_DECISION),
        ):
            self._name_widget(widget, action)
        self._lay_out()

    def _name_widget(self, widget: Button | CheckBox, action: Action) -> None:
        widget.setObjectName(f"step-{action}")
        widget.clicked.connect(lambda: self.pressed.emit(action))

    def _lay_out(self) -> None:
        row_of(
            self._icon,
            self._path,
            px(4),
            self._operation,
            self._counts,
            self._kept_sign,
            STRETCH,
            self.viewed,
            px(4),
            self.reject,
            px(_VERDICT_GAP) - px(8) - 6,
            self.approve,
            self._verdict,
            self.take_back,
            parent=self,
            margins=(px(12), 0, px(9), 1),
            spacing=px(8),
        )

    def show_step(self, plan: Plan, step: Step) -> None:
        """Show the step and the actions that it allows."""
        style = step_style(plan, step)
        self._icon.show_icon(style.icon, style.token, style.word)
        self._path.set_path(step.target)
        operation = operation_word(step)
        # The operation is always shown in full, however long the name.
        whole = self._operation.fontMetrics().horizontalAdvance(operation) + 2
        self._operation.setMinimumWidth(whole)
        origin = self.tr("{operation} from {path}")
        self._operation.setText(
            say(origin, operation=operation, path=show_name(step.path)) if step.to else operation
        )
        self.viewed.setChecked(self._desk.viewed.has(plan, step))
        keeps_text = self._desk.edit_drafts.has(plan, step)
        self._kept_sign.setVisible(keeps_text)
        not_used = self.tr("Your draft is not part of this result.")
        self._kept_sign.setToolTip(words.plain_tip(not_used))
        self._show_verdict(plan, step)
        self.show_counts()
        self.refresh()

    def _show_verdict(self, plan: Plan, step: Step) -> None:
        decided = step.state in (StepState.APPROVED, StepState.REJECTED)
        self.viewed.setVisible(not decided)
        self.reject.setVisible(not decided)
        self.approve.setVisible(not decided)
        self.take_back.setVisible(decided)
        self._verdict.setVisible(decided)
        if decided:
            over = is_over(plan, step)
            self._verdict.setText(plan_style(plan).word if over else self._verdict_words(step))
            self._verdict.set_token(step_style(plan, step).token)

    def _verdict_words(self, step: Step) -> str:
        if step.state is StepState.REJECTED:
            return self.tr("Rejected")
        if step.decision is not None and step.decision.edited:
            return self.tr("Approved as edited")
        chosen = len(step.hunks) - len(self._desk.choices.current.named)
        if chosen == len(step.hunks):
            return self.tr("Approved")
        part = self.tr("Approved, {chosen} of {all} hunks")
        return say(part, chosen=chosen, all=len(step.hunks))

    def show_counts(self) -> None:
        """Show how many lines the approved result would add and remove."""
        step = self._desk.outcomes.step()
        if step is not None:
            self._counts.set_counts(step.added, step.removed)
            self._counts.setVisible(bool(step.added or step.removed))

    def set_block_reason(self, reason: str) -> None:
        """Disable the verdicts for a reason, as with an open editor.

        "" enables them.
        """
        self._hold_reason = reason
        self.refresh()

    def refresh(self) -> None:
        """Enable or disable the buttons with reasons, and update Approve's label."""
        whole = not self._desk.choices.current.named
        if self._desk.edited.current is not None:
            label = self.tr("Approve as edited")
        else:
            label = self.tr("Approve step") if whole else self.tr("Approve part")
        self.approve.set_label(label)
        reasons = self._desk.reasons
        for button, action in (
            (self.approve, Action.APPROVE_STEP),
            (self.reject, Action.REJECT_STEP),
            (self.take_back, Action.REVOKE_DECISION),
            (self.viewed, Action.MARK_VIEWED),
        ):
            held = self._hold_reason if button in (self.approve, self.reject) else ""
            button.set_reason(reasons.of(action) or held)

    def show_guard_share(self, share: float) -> None:
        """Draw the input guard's remaining share, 1.0 to 0.0, on the verdicts."""
        for button in (self.approve, self.reject, self.take_back):
            button.set_guard_share(share)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        QPainter(self).fillRect(0, self.height() - 1, self.width(), 1, color("border"))
