"""Preview page of a pasted plan: parsed operations, problems, repairs, agent's reply."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication, QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QScrollArea, QSizePolicy, QWidget

from studio.engine import Plan, Step, StepState
from studio.names import show_name
from studio.ui.actions.action import Action
from studio.ui.history.table import Cell, Column, TableRow, TableView
from studio.ui.language import translator
from studio.ui.limits import NAMED_REPAIRS_UP_TO, SHOWN_REPLY_CHARACTERS
from studio.ui.look import words
from studio.ui.look.states import message_with_line, operation_word, step_style
from studio.ui.look.theme import color, px
from studio.ui.look.words import say
from studio.ui.widgets import (
    STRETCH,
    STYLE_GAP,
    Button,
    ButtonKind,
    ElidedLabel,
    HairLine,
    Label,
    Surface,
    column_of,
    row_of,
)

if TYPE_CHECKING:
    from studio.ui.review.desk import Desk
    from studio.ui.review.submission import Pasted

_tr = translator("PastePane")

_TABLE_ROWS = 12
_ROW_HEIGHT = 26


class PastePane(Surface):
    """Blocks with operation, path, verdict and line, above the agent's reply."""

    pressed = Signal(object)
    """Emitted with the id of the action to run."""

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__("content", parent)
        self._desk = desk
        self.setObjectName("paste-pane")
        self.setAccessibleName(self.tr("Pasted text"))
        self.title = ElidedLabel("", self, size=14, weight=600)
        self.detail = ElidedLabel("", self, size=12, token="muted", mode=Qt.TextElideMode.ElideRight)
        self.detail.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.cancel = Button(
            self.tr("Cancel"),
            self,
            kind=ButtonKind.TOOL,
            key="Esc",
            name="paste-cancel",
            tip=self.tr("Closes the preview; nothing was stored."),
            pressed=desk.submission.cancel,
        )
        self.repair = Button(self.tr("Repair"), self, icon="merge", name="paste-repair", pressed=self._repair)
        self.propose = Button(
            self.tr("Put into the queue"),
            self,
            icon="plan",
            name="paste-propose",
            tip=self.tr("Proposes it; each step waits there for your decision."),
            pressed=desk.submission.propose,
        )
        self.table = TableView(
            _columns(),
            self,
            row_height=_ROW_HEIGHT,
            name="paste-steps",
            accessible=self.tr("What the text would change"),
        )
        self.copy = Button(
            self.tr("Copy"), self, icon="copy", icon_token="text", name="paste-copy", pressed=self._copy
        )
        self.copy.setAccessibleName(self.tr("Copy the answer for the agent"))
        self.answer = _Answer(self)
        self.setFocusProxy(self.table)
        self._lay_out()
        desk.submission.changed.connect(self._refresh)
        self._refresh()

    def showEvent(self, event: QShowEvent) -> None:
        """Focus the table, as the reviewer opened the preview."""
        super().showEvent(event)
        self.table.setFocus(Qt.FocusReason.OtherFocusReason)

    def _lay_out(self) -> None:
        header = _Header(self)
        header.row.addWidget(self.title)
        header.row.addWidget(self.detail, 1)
        header.row.addWidget(self.cancel)
        header.row.addWidget(self.repair)
        header.row.addWidget(self.propose)
        answer = row_of(
            (Label(self.tr("What the agent is told"), self, weight=600), 1),
            self.copy,
            margins=(px(14), px(12), px(9), 0),
            spacing=STYLE_GAP,
        )
        column_of(header, self.table, HairLine(self), answer, (self.answer, 1), parent=self)

    def _refresh(self) -> None:
        pasted = self._desk.submission.pasted
        if pasted is None:
            self.table.rows.set_rows(())
            return
        plan = pasted.preview.plan
        self.title.setText(show_name(plan.title))
        self.detail.setText(" · ".join(_detail(pasted)))
        self.table.rows.set_rows(_rows(pasted))
        self.table.setFixedHeight(self.table.height_of_rows(min(_TABLE_ROWS, max(1, len(plan.steps)))))
        reply = pasted.preview.reply
        self.answer.show_text([problem for problem in _problems(plan) if problem not in reply], reply)
        valid = [step for step in plan.steps if step.state is not StepState.INVALID]
        self.propose.set_reason("" if valid else self.tr("Nothing of this text can be proposed."))
        self.repair.set_tip(_repair_tip(pasted.repairs))
        self.repair.set_reason(self._desk.reasons.of(Action.REPAIR))

    def _repair(self) -> None:
        # Before the button is disabled: Qt would focus the one that adds the plan to the queue.
        self.table.setFocus(Qt.FocusReason.OtherFocusReason)
        self.pressed.emit(Action.REPAIR)

    def _copy(self) -> None:
        pasted = self._desk.submission.pasted
        if pasted is not None:
            QGuiApplication.clipboard().setText(pasted.preview.reply)
            self._desk.project.report_status(self.tr("Copied the answer for the agent."))


class _Header(Surface):
    def __init__(self, parent: QWidget) -> None:
        super().__init__("window", parent)
        self.setFixedHeight(px(36))
        self.row = row_of(parent=self, margins=(px(12), 0, px(8), 1), spacing=px(10))

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        QPainter(self).fillRect(0, self.height() - 1, self.width(), 1, color("border"))


class _Answer(QScrollArea):
    """Reply in plain text: agent output is never shown as markup."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("paste-answer")
        self.setAccessibleName(self.tr("What the agent is told"))
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        inside = Surface("content", self)
        self._label = Label("", inside, wrap=True)
        column_of(
            self._label, STRETCH, parent=inside, margins=(px(14), px(6), px(14), px(12)), spacing=STYLE_GAP
        )
        self.setWidget(inside)

    def show_text(self, problems: Sequence[str], reply: str) -> None:
        answer = "\n".join(show_name(line) for line in [*problems, *reply.splitlines()])
        if len(answer) > SHOWN_REPLY_CHARACTERS:
            whole_lines = (
                answer[:SHOWN_REPLY_CHARACTERS].rpartition("\n")[0] or answer[:SHOWN_REPLY_CHARACTERS]
            )
            answer = f"{whole_lines}\n{_tr('There is more. Copy takes all of it.')}"
        self._label.setText(answer)


def _columns() -> tuple[Column, ...]:
    return (
        Column(_tr("What"), 120),
        Column(_tr("File"), 0),
        Column(_tr("What becomes of it"), 420),
        Column(_tr("Line"), 70),
    )


def _detail(pasted: Pasted) -> list[str]:
    plan = pasted.preview.plan
    refused = sum(step.state is StepState.INVALID for step in plan.steps)
    parts = [plan.format, words.steps(len(plan.steps))] if plan.steps else [_tr("can't be read")]
    if refused:
        parts.append(words.counted(refused, _tr("{n} refused"), _tr("{n} refused")))
    repaired = sum(map(_is_repaired, plan.steps))
    if repaired:
        parts.append(words.counted(repaired, _tr("{n} repaired"), _tr("{n} repaired")))
    if pasted.preview.twin is not None:
        parts.append(_tr("in the queue already"))
    return [*parts, _tr("nothing stored yet")]


def _repair_tip(repairs: Sequence[str]) -> str:
    """Return a tooltip that lists each possible repair once."""
    each = list(dict.fromkeys(map(show_name, repairs)))
    named, more = each[:NAMED_REPAIRS_UP_TO], len(each) - NAMED_REPAIRS_UP_TO
    rest = [words.counted(more, _tr("{n} more"), _tr("{n} more"))] if more > 0 else []
    template = _tr("Shows the text again with this made good, before anything is stored: {what}.")
    return say(template, what="; ".join([*named, *rest]))


def _is_repaired(step: Step) -> bool:
    return step.is_repaired


def _rows(pasted: Pasted) -> tuple[TableRow, ...]:
    plan, preview = pasted.preview.plan, pasted.preview
    each = zip(plan.steps, preview.lines, preview.repairs, strict=True)
    of_text = pasted.draft.repair
    return tuple(
        _row(plan, step, line, repair or (of_text if _is_repaired(step) else ""))
        for step, line, repair in each
    )


def _verdict(plan: Plan, step: Step, repair: str) -> str:
    problem, word = next(iter(step.problems), None), step_style(plan, step).word
    if problem is None and not _is_repaired(step):
        return word
    if problem is None:
        return say(_tr("{state} · repaired: {what}"), state=word, what=show_name(repair))
    reason = f"{show_name(problem.message)} {show_name(problem.hint)}".strip()
    if not repair:
        return reason
    # The rest may be elided here; the full text is below.
    return say(_tr("Fits with one repair: {what}. {why}"), what=show_name(repair), why=reason)


def _row(plan: Plan, step: Step, line: int | None, repair: str) -> TableRow:
    style, verdict = step_style(plan, step), _verdict(plan, step, repair)
    path = show_name(step.path) + (f" → {show_name(step.to)}" if step.to is not None else "")
    where = str(line) if line is not None else ""
    what = operation_word(step)
    cells = (
        Cell(what, icon=style.icon, icon_token=style.token),
        Cell(path, is_path=True, added=step.added, removed=step.removed),
        Cell(verdict, token="bad" if step.state is StepState.INVALID else "text"),
        Cell(where, token="muted"),
    )
    accessible = say(_tr("{what} {file}, {verdict}"), what=what, file=path, verdict=verdict)
    return TableRow(str(step.number), cells, accessible)


def _problems(plan: Plan) -> list[str]:
    return [f"{message_with_line(problem)} {problem.hint}".strip() for problem in plan.problems]
