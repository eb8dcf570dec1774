"""Page of a pasted plan: its text, fields, parsed operations, and reply."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QMimeData, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QCompleter, QLineEdit, QScrollArea, QSizePolicy, QWidget

from studio import formats
from studio.engine import Plan, Step, StepState
from studio.extras.agents import LOGIN_NAMES
from studio.names import show_name
from studio.ui.actions.action import Action
from studio.ui.history.table import Cell, Column, TableRow, TableView
from studio.ui.language import translator
from studio.ui.limits import NAMED_REPAIRS_UP_TO, SHOWN_REPLY_CHARACTERS, TYPED_PLAN_BYTES
from studio.ui.look import words
from studio.ui.look.states import message_with_line, operation_word, step_style
from studio.ui.look.theme import color, px
from studio.ui.look.words import say
from studio.ui.review.submission import PastedText, encode_pasted
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
from studio.ui.widgets.choice import Choice
from studio.ui.widgets.text_field import PAUSE_MS, CodeText, Escape

if TYPE_CHECKING:
    from studio.ui.review.desk import Desk
    from studio.ui.review.submission import Pasted

_tr = translator("PastePane")

_TABLE_ROWS = 12
_ROW_HEIGHT = 26


class PastePane(Surface):
    """Text with title, agent and format, above its operations and the reply."""

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
            tip=self.tr("Closes the preview without storing anything."),
            pressed=desk.submission.cancel,
        )
        self.repair = Button(self.tr("Repair"), self, icon="merge", name="paste-repair", pressed=self._repair)
        self.propose = Button(
            self.tr("Add to queue"),
            self,
            icon="plan",
            name="paste-propose",
            tip=self.tr("Adds the plan to the queue. Each step waits for your decision."),
            pressed=desk.submission.propose,
        )
        self._source: PastedText | None = None
        """What was previewed last; its text may hold more than the field can show."""
        self._is_typed = False
        self._pause = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._pause.timeout.connect(self._revise)
        self.plan_title = self._field("paste-title", self.tr("Title"))
        self.agent = self._field("paste-agent", self.tr("Agent"))
        self.agent.setPlaceholderText(self.tr("Who proposed the changes"))
        self.format = Choice(self)
        self.format.setObjectName("paste-format")
        self.format.setAccessibleName(self.tr("Format"))
        self.format.addItem(self.tr("Detect automatically"), formats.detect.AUTO)
        for name in formats.detect.FORMATS[1:]:
            self.format.addItem(name, name)
        self.format.currentIndexChanged.connect(self._pause_started)
        self.text = _Text("paste-text", self)
        self.text.setAccessibleName(self.tr("Diff or plan"))
        self.text.setPlaceholderText(self.tr("Paste a diff or other agent output, or drop a file here."))
        self.text.pasted.connect(desk.submission.paste)
        self.text.cancelled.connect(self._focus_table)
        self.text.textChanged.connect(self._text_typed)
        self.found = Label("", self, size=12, token="muted", wrap=True, name="paste-found")
        self.table = TableView(
            _columns(),
            self,
            row_height=_ROW_HEIGHT,
            name="paste-steps",
            accessible=self.tr("Proposed changes"),
        )
        self._line = HairLine(self)
        self.copy = Button(
            self.tr("Copy"), self, icon="copy", icon_token="text", name="paste-copy", pressed=self._copy
        )
        self.copy.setAccessibleName(self.tr("Copy reply for the agent"))
        self.answer = _Answer(self)
        self._lay_out()
        desk.submission.changed.connect(self._refresh)
        self._refresh()

    def showEvent(self, event: QShowEvent) -> None:
        """Focus the table, or the field where there is no text."""
        super().showEvent(event)
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    def _focus_table(self) -> None:
        """Leave a field, for the table or, without one, for Cancel."""
        target = self.cancel if self.table.isHidden() else self.table
        target.setFocus(Qt.FocusReason.OtherFocusReason)

    def _field(self, name: str, label: str) -> QLineEdit:
        field = QLineEdit(self)
        field.setObjectName(name)
        field.setAccessibleName(label)
        field.textEdited.connect(self._pause_started)
        return field

    def _lay_out(self) -> None:
        header = _Header(self)
        header.row.addWidget(self.title)
        header.row.addWidget(self.detail, 1)
        header.row.addWidget(self.cancel)
        header.row.addWidget(self.repair)
        header.row.addWidget(self.propose)
        fields = QWidget(self)
        fields.setObjectName("paste-fields")
        Escape(fields, self.isVisible, self._focus_table)
        row = row_of(parent=fields, spacing=px(8))
        for field, stretch in ((self.plan_title, 3), (self.agent, 2), (self.format, 2)):
            row.addWidget(Label(field.accessibleName(), fields))
            row.addWidget(field, stretch)
        around = (px(14), px(8), px(9), px(8))
        top = column_of(fields, (self.text, 1), self.found, margins=around, spacing=px(6))
        answer = row_of(
            (Label(self.tr("Reply to the agent"), self, weight=600), 1),
            self.copy,
            margins=(px(14), px(12), px(9), 0),
            spacing=STYLE_GAP,
        )
        column_of(
            header,
            (top, 3),
            self._line,
            self.table,
            HairLine(self),
            answer,
            (self.answer, 2),
            parent=self,
        )

    def _text_typed(self) -> None:
        self._is_typed = True
        self._pause_started()

    def _pause_started(self) -> None:
        self._pause.start()
        self.propose.set_reason(self.tr("Loading…"))

    def _revise(self) -> None:
        """Preview what the fields hold now.

        A repair stays while text and format do.
        """
        before, pasted = self._source, self._desk.submission.pasted
        if before is None or pasted is None:
            return
        source = PastedText(
            encode_pasted(self.text.text()) if self._is_typed else before.text,
            self.plan_title.text().strip(),
            self.agent.text().strip(),
            self.format.currentData(),
        )
        is_same = (source.text, source.format) == (before.text, before.format)
        self._source, self._is_typed = source, False
        self._desk.submission.revise(source, repairs=is_same and pasted.draft.takes_repairs)

    def _show_source(self, source: PastedText) -> None:
        """Fill the fields with a text that was pasted or dropped."""
        self._source = source
        known = (plan.agent for plan in (*self._desk.queue.plans, *self._desk.queue.ended))
        completer = QCompleter(sorted({*LOGIN_NAMES, *filter(None, known)}), self.agent)
        completer.setCompletionMode(QCompleter.CompletionMode.InlineCompletion)
        self.agent.setCompleter(completer)
        self.plan_title.setText(source.title)
        self.agent.setText(source.agent)
        self.format.setCurrentIndex(self.format.findData(source.format))
        self.text.show_source(source.text.source)
        self._pause.stop()
        self._is_typed = False

    def _refresh(self) -> None:
        pasted = self._desk.submission.pasted
        if pasted is None:
            self._source = None
            self._pause.stop()
            self.table.rows.set_rows(())
            return
        if self._source is None or (pasted.source is not self._source and not self._pause.isActive()):
            self._show_source(pasted.source)
        plan = pasted.preview.plan
        self.plan_title.setPlaceholderText(show_name(plan.title))
        self._show_found(pasted)
        self.title.setText(show_name(plan.title))
        self.detail.setText(" · ".join(_detail(pasted)))
        self.table.rows.set_rows(_rows(pasted))
        for widget in (self._line, self.table):
            widget.setVisible(bool(plan.steps))
        self.setFocusProxy(self.table if plan.steps else self.text)
        self.table.fit_rows(_TABLE_ROWS)
        reply = pasted.preview.reply
        problems = [problem for problem in _problems(plan) if problem not in reply]
        self.answer.show_text(problems, reply if self.text.text() else "")
        valid = [step for step in plan.steps if step.state is not StepState.INVALID]
        if not self._pause.isActive():
            self.propose.set_reason("" if valid else self.tr("This text contains no valid steps."))
        self.repair.set_tip(_repair_tip(pasted.repairs))
        self.repair.set_reason(self._desk.reasons.of(Action.REPAIR))

    def _show_found(self, pasted: Pasted) -> None:
        """Show the detected format, or why the text is in none."""
        plan = pasted.preview.plan
        first = next(iter(plan.problems), None)
        words = say(self.tr("Parsed as {format}."), format=plan.format)
        if first is not None:
            words = show_name(f"{message_with_line(first)} {first.hint}".strip())
            words = "\n".join(_mismatches(pasted)) or words
        elif pasted.source.format == formats.detect.AUTO:
            words = say(self.tr("Detected format: {format}."), format=plan.format)
        if self.text.isReadOnly():
            words += " " + self.tr("This text is read-only because the field can't represent it exactly.")
        self.found.setText(words)
        self.found.set_token("muted" if first is None or not self.text.text() else "bad")

    def _repair(self) -> None:
        # Before the button is disabled: Qt would focus the one that adds the plan to the queue.
        self.table.setFocus(Qt.FocusReason.OtherFocusReason)
        self.pressed.emit(Action.REPAIR)

    def _copy(self) -> None:
        pasted = self._desk.submission.pasted
        if pasted is not None:
            QGuiApplication.clipboard().setText(pasted.preview.reply)
            self._desk.project.report_status(self.tr("Copied the reply for the agent."))


class _Header(Surface):
    def __init__(self, parent: QWidget) -> None:
        super().__init__("window", parent)
        self.setFixedHeight(px(36))
        self.row = row_of(parent=self, margins=(px(12), 0, px(8), 1), spacing=px(10))

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        QPainter(self).fillRect(0, self.height() - 1, self.width(), 1, color("border"))


class _Text(CodeText):
    """Field for the text.

    What is pasted into an empty one keeps its line ends.
    """

    pasted = Signal(str)

    def __init__(self, name: str, parent: QWidget) -> None:
        super().__init__(name, parent)
        self.setAcceptDrops(False)  # the window takes what is dropped, and only copies of it
        self.code_font.use()

    def show_source(self, source: object) -> None:
        """Show a text, read-only where the field can't hold it exactly."""
        data = source[:TYPED_PLAN_BYTES] if isinstance(source, bytes) else b""
        self.show_text(data.decode("utf-8", "replace"), 0)
        self.setReadOnly(encode_pasted(self.text()).source != source)

    def insertFromMimeData(self, source: QMimeData) -> None:
        if self.text():
            super().insertFromMimeData(source)
        else:
            self.pasted.emit(source.text())


class _Answer(QScrollArea):
    """Reply in plain text: agent output is never shown as markup."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("paste-answer")
        self.setAccessibleName(self.tr("Reply to the agent"))
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
            answer = f"{whole_lines}\n{_tr('The text is truncated here. Click Copy to get the full reply.')}"
        self._label.setText(answer)


def _columns() -> tuple[Column, ...]:
    return (
        Column(_tr("Change"), 120),
        Column(_tr("File"), 0),
        Column(_tr("Result"), 420),
        Column(_tr("Line"), 70),
    )


def _detail(pasted: Pasted) -> list[str]:
    plan = pasted.preview.plan
    refused = sum(step.state is StepState.INVALID for step in plan.steps)
    parts = [_tr("not a valid plan or diff")] if pasted.source.text.source else []
    if plan.steps:
        parts = [plan.format, words.steps(len(plan.steps))]
    if refused:
        parts.append(words.counted(refused, _tr("{n} refused"), _tr("{n} refused")))
    repaired = sum(map(_is_repaired, plan.steps))
    if repaired:
        parts.append(words.counted(repaired, _tr("{n} repaired"), _tr("{n} repaired")))
    if pasted.preview.twin is not None:
        parts.append(_tr("already in the queue"))
    return [*parts, _tr("nothing stored yet")]


def _repair_tip(repairs: Sequence[str]) -> str:
    """Return a tooltip that lists each possible repair once."""
    each = list(dict.fromkeys(map(show_name, repairs)))
    named, more = each[:NAMED_REPAIRS_UP_TO], len(each) - NAMED_REPAIRS_UP_TO
    rest = [words.counted(more, _tr("{n} more"), _tr("{n} more"))] if more > 0 else []
    template = _tr("Shows the repaired text before anything is stored. Repairs: {what}.")
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
    return say(_tr("Can be applied after one repair: {what}. {why}"), what=show_name(repair), why=reason)


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


def _mismatches(pasted: Pasted) -> list[str]:
    """Return a line for each format with its first problem."""
    template = _tr("Could not be parsed as {format}: {problem}")
    return [
        say(template, format=name, problem=show_name(message_with_line(problem)))
        for name, problem in pasted.mismatches
    ]
