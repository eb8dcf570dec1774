"""Read-only page of an applied plan: steps, decisions, diffs, comments."""

from __future__ import annotations

from datetime import datetime

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from studio.engine import Plan, Step
from studio.names import show_name
from studio.ui.actions.action import Action
from studio.ui.diff import DiffView
from studio.ui.diff.canvas.comment_rows import ShownComment
from studio.ui.diff.model.cells import Side
from studio.ui.history.rollback_pane import ROW_HEIGHT
from studio.ui.history.table import Cell, Column, TableRow, TableView
from studio.ui.language import translator
from studio.ui.limits import ROLLBACK_ROWS_SHOWN
from studio.ui.look.decision_words import decided_words
from studio.ui.look.states import NO_LINES, approved_in_part, operation_word, plan_style, step_style
from studio.ui.look.theme import px
from studio.ui.look.words import counted, full_moment, say, split_path, utc_now
from studio.ui.reading.header import ReadHeader
from studio.ui.review.desk import Desk
from studio.ui.review.reading import PastStep, PlanLocation
from studio.ui.widgets import Button, HairLine, Label, Surface, column_of
from studio.ui.widgets.row_painter import SECOND
from studio.ui.widgets.text_field import is_searching

_tr = translator("PastPlan")


class PastPlanPane(Surface):
    """Read-only view of an applied plan; Roll back opens a preview."""

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__("content", parent)
        self._desk = desk
        self._plan_id = ""
        self._pending_jump: tuple[str, int] | None = None
        """Side and line (from 1) to scroll to once the step's lines are loaded."""
        self.setObjectName("past-plan-page")
        self.setAccessibleName(self.tr("Applied plan"))
        self.header = ReadHeader(desk, "past-plan", "plan", self)
        self.roll_back = Button(
            self.tr("Roll back…"),
            self,
            icon="rolled-back",
            name="past-plan-roll-back",
            tip=self.tr("Previews the result without writing anything."),
            pressed=self._preview,
        )
        self.header.row.insertWidget(self.header.row.count() - 1, self.roll_back)
        self.table = TableView(
            _columns(),
            self,
            row_height=ROW_HEIGHT,
            name="past-plan-steps",
            accessible=self.tr("Plan steps"),
        )
        self.words = Label("", self, size=12, wrap=True, name="past-plan-words")
        self.words.setContentsMargins(px(12), px(5), px(12), px(5))
        self.diff = DiffView(self, runner=desk.project.runner)
        self.diff.set_read_only(True)
        column = column_of(parent=self)
        for widget in (self.header, self.table, HairLine(self), self.words):
            column.addWidget(widget)
        column.addWidget(self.diff, 1)
        self.setFocusProxy(self.table)
        self.table.acted.connect(lambda _key: self.diff.setFocus(Qt.FocusReason.ShortcutFocusReason))
        self.table.selectionModel().currentRowChanged.connect(self._follow_row)
        desk.reading.changed.connect(self._show_place)
        desk.reading.content_read.connect(self._show)
        desk.guards.refresh_wanted.connect(self._update_buttons)
        self._show_place()

    def jump_to(self, side: str, line: int) -> None:
        """Scroll to a line of the requested step once it is loaded."""
        self._pending_jump = side, line

    def showEvent(self, event: QShowEvent) -> None:
        """Focus the table, as the user opened the plan."""
        super().showEvent(event)
        if not is_searching():
            self.table.setFocus(Qt.FocusReason.OtherFocusReason)

    def _show_place(self) -> None:
        place = self._desk.reading.location
        if isinstance(place, PlanLocation) and place.plan_id != self._plan_id:
            self._plan_id = place.plan_id
            self.header.title.setText("")
            self.header.detail.setText("")
            self.table.rows.set_rows(())
            self.words.hide()
            self.diff.clear("")

    def _show(self) -> None:
        past = self._desk.reading.past
        if not isinstance(self._desk.reading.location, PlanLocation):
            return
        if past is None:
            self.words.hide()
            self.diff.clear(show_name(self._desk.reading.missing))
            return
        now = utc_now()
        self.header.title.setText(show_name(past.plan.title))
        self.header.detail.setText(_plan_words(past.plan, now))
        self.table.rows.set_rows([_step_row(past.plan, step) for step in past.plan.steps])
        self.table.fit_rows(ROLLBACK_ROWS_SHOWN)
        self.table.selectionModel().blockSignals(True)
        position = next((at for at, row in enumerate(self.table.rows.rows) if row.key == str(past.number)), 0)
        self.table.setCurrentIndex(self.table.rows.index(position, 0))
        self.table.selectionModel().blockSignals(False)
        self.table.viewport().update()
        self._show_step(past, now)
        self._update_buttons()

    def _show_step(self, past: PastStep, now: datetime) -> None:
        step = past.plan.step(past.number)
        if step is None:
            self.diff.clear(self.tr("This plan has no steps."))
            return
        sentence = _decision_words(step, now)
        self.words.setText(sentence)
        self.words.setVisible(bool(sentence))
        if past.base is None and past.result is None and past.plan.discarded is not None:
            self.diff.clear(self.tr("The content written by this step is no longer stored."))
            return
        is_edited = step.decision is not None and step.decision.edited
        after = (
            self.tr("After this step · as edited by a reviewer") if is_edited else self.tr("After this step")
        )
        self.diff.name_sides(self.tr("Before"), after)
        choices = step.decision.choices if step.decision is not None and not is_edited else {}
        self.diff.show_step(step, past.diff, past.base, past.result, choices, setting=past.setting)
        self.diff.canvas.set_comments(_comments(step))
        if self._pending_jump is not None and self.diff.row_count():
            self.diff.go_to_line(*self._pending_jump)
        self._pending_jump = None

    def _follow_row(self) -> None:
        row, place = self.table.current_row(), self._desk.reading.location
        if row is not None and isinstance(place, PlanLocation) and row.key != str(place.step):
            self._desk.reading.show(PlanLocation(place.plan_id, int(row.key)))

    def _preview(self) -> None:
        plan_id = self._plan_id
        self._desk.reading.close()
        self._desk.rollback.show(plan_id)

    def _update_buttons(self) -> None:
        entries = [each for each in self._desk.queue.history if each.plan.id == self._plan_id]
        applied = [entry for entry in entries if entry.rolled_back_by is None]
        reason = self._desk.reasons.of(Action.PREVIEW_ROLLBACK)
        if not applied:
            reason = self.tr("This plan is no longer applied.")
        elif not all(entry.kept for entry in applied):
            reason = self.tr("The undo data for this plan is no longer stored.")
        self.roll_back.set_reason(reason)


def _columns() -> tuple[Column, ...]:
    return (
        Column(_tr("Step"), 0),
        Column(_tr("Change"), 90),
        Column(_tr("Lines"), 90),
        Column(_tr("Decision"), 170),
    )


def _plan_words(plan: Plan, now: datetime) -> str:
    latest = max(
        (step.decision for step in plan.steps if step.decision), key=lambda each: each.when, default=None
    )
    applied = say(_tr("applied {when}"), when=full_moment(plan.applied, now)) if plan.applied else ""
    decided = say(_tr("decided {how}"), how=decided_words(latest)) if latest is not None else ""
    return " · ".join(filter(None, (show_name(plan.agent), plan_style(plan).word, applied, decided)))


def _decision_words(step: Step, now: datetime) -> str:
    """Return the agent's reason for the step, and the decision."""
    parts: list[str] = []
    if step.reason:
        parts.append(say(_tr("Agent: {words}"), words=show_name(step.reason)))
    decision = step.decision
    if decision is not None:
        what = say(_tr("{verdict} {how}, {when}"), verdict=_verdict(step), how=decided_words(decision),
                   when=full_moment(decision.when, now))  # fmt: skip
        parts.append(f"{what}: {show_name(decision.text)}" if decision.text else f"{what}.")
    return "\n".join(parts)


def _verdict(step: Step) -> str:
    decision = step.decision
    if decision is None:
        return _tr("not decided")
    if decision.verdict.value != "approve":
        return _tr("Rejected")
    if decision.edited:
        return _tr("Approved as edited")
    if approved_in_part(step):
        excluded = sum(choice is False for choice in decision.choices.values())
        part = say(_tr("{chosen} of {all} hunks"), chosen=len(step.hunks) - excluded, all=len(step.hunks))
        return say(_tr("Approved in part ({part})"), part=part)
    return _tr("Approved")


def _step_row(plan: Plan, step: Step) -> TableRow:
    style, (folder, name) = step_style(plan, step), split_path(show_name(step.target))
    counts = Cell(added=step.added, removed=step.removed)
    if not (step.added or step.removed):
        counts = Cell(NO_LINES, "muted", size=SECOND)
    comments = len(step.decision.comments) if step.decision is not None else 0
    remarks = counted(comments, _tr("{n} comment"), _tr("{n} comments")) if comments else ""
    cells = (
        Cell(
            name, icon=style.icon, icon_token=style.token, second=folder.rstrip("/"), weight=500, is_path=True
        ),
        Cell(operation_word(step), size=SECOND),
        counts,
        Cell(" · ".join(filter(None, (_verdict(step), remarks))), size=SECOND),
    )
    return TableRow(str(step.number), cells, f"{show_name(step.target)}, {style.word}, {_verdict(step)}")


def _comments(step: Step) -> dict[tuple[Side, int], ShownComment]:
    shown: dict[tuple[Side, int], ShownComment] = {}
    for comment in step.decision.comments if step.decision is not None else ():
        side = Side(comment.side)
        words = _tr("{who} · old line {n}") if side is Side.BASE else _tr("{who} · line {n}")
        who = show_name(step.decision.who) if step.decision is not None else ""
        shown[side, comment.line - 1] = ShownComment(
            say(words, who=who, n=str(comment.line)), comment.text, _tr("sent")
        )
    return shown
