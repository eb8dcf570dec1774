"""Facts pane beside the diff with note field, and its one-line summary."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace
from PySide6.QtCore import QEvent, QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QFrame, QScrollArea, QSizePolicy, QWidget

from studio.engine import Plan, Step
from studio.names import show_name
from studio.ui.facts.blocks import (
    TONES,
    FactRows,
    NoteBlock,
    QuietBlock,
    RuleBlock,
    TextBlockWidget,
    WarningBlock,
    excluded_text_blocks,
    trial_blocks,
)
from studio.ui.facts.facts_view import (
    FactRow,
    FactsView,
    TextBlock,
    WarningText,
    plan_facts_view,
    restore_facts_view,
    rollback_facts_view,
    step_facts_view,
)
from studio.ui.language import translator
from studio.ui.look.theme import color, px, ui_font
from studio.ui.look.words import files, full_moment, plain_tip, say, utc_now
from studio.ui.review.restore import ObservedReturn, SnapshotReturn
from studio.ui.review.viewed import viewed_mark
from studio.ui.widgets import PaneHeader, Surface, column_of
from studio.ui.widgets.painting import key_hint_width, paint_key_hint
from studio.ui.widgets.row_painter import SECOND, ItemPainter

if TYPE_CHECKING:
    from studio.engine import ObservedChange, PathVerdict
    from studio.ui.review.desk import Desk

# Facts of observed changes make no claim about who wrote them.

_tr = translator("Facts")


def observed_facts_view(changes: tuple[ObservedChange, ...]) -> FactsView:
    """Return the facts view of observed changes, shown or to be reverted."""
    first = changes[0]
    words = _tr("This change is already on disk. It didn't come from a plan.")
    hints = tuple(TextBlock(_tr("Possible cause"), show_name(" ".join(first.hints))) for _ in first.hints[:1])
    return FactsView(
        warnings=(WarningText("info", _tr("Outside change"), words),),
        rows=(
            FactRow(_tr("First seen"), full_moment(first.seen, utc_now())),
            FactRow(_tr("Changes"), files(len(changes))),
        ),
        passages=hints,
    )


# Facts in one line, while the pane is closed

_HEIGHT = 22
_KEY = "F4"
_BETWEEN = " · "
_LEAST_UNUSUAL = 0.6
"""Share of the line that warnings may take from the agent's reason, which could be of any length."""


class FactLine(QAbstractButton):
    """One-line summary: agent's reason, warnings, facts; a click opens the pane."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icon, self._token = "check", "ok"
        self._reason = self._first = self._rest = ""
        self._is_unusual = False
        self.setObjectName("fact-line")
        # Its key hint is enough; it needs no focus.
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def show_facts(self, view: FactsView | None) -> None:
        """Show the summary of a facts view."""
        shown = view or FactsView()
        warnings = [each for each in shown.warnings if each.tone != "info"]
        self._is_unusual = bool(warnings)
        self._icon, self._token = TONES[warnings[0].tone] if warnings else ("check", "ok")
        self._reason = shown.reason
        self._first = _BETWEEN.join(each.title for each in warnings) or shown.quiet
        facts = [f"{row.label} {row.value}" for row in shown.rows]
        if shown.rule is not None:
            facts.append(shown.rule.verdict)
        self._rest = _BETWEEN.join(facts)
        whole = _BETWEEN.join(part for part in (self._reason, self._first, self._rest) if part)
        self.setAccessibleName(self.tr("Facts"))
        self.setAccessibleDescription(whole)
        self.setToolTip(plain_tip(whole, wraps=True))
        self.update()

    def words(self) -> str:
        """Return the warnings, or that there are none."""
        return self._first

    def sizeHint(self) -> QSize:
        return QSize(px(200), px(_HEIGHT))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), color("hover" if self.underMouse() else "panel"))
        painter.fillRect(0, self.height() - 1, self.width(), 1, color("border"))
        area = QRect(0, 0, self.width(), self.height() - 1)
        row = ItemPainter(painter, area, left=px(12), right=px(20) + key_hint_width(_KEY))
        paint_key_hint(painter, self.width() - px(12), area.height() / 2, _KEY)
        font = ui_font(SECOND, 500)
        if self._reason:
            row.icon("agent", "muted")
            unusual = QFontMetrics(font).horizontalAdvance(self._first) + px(40) if self._is_unusual else 0
            row.text(
                f"“{self._reason}”", "text", ui_font(SECOND), gap=12,
                limit=row.room - min(unusual, round(row.room * _LEAST_UNUSUAL)),
            )  # fmt: skip
        if self._is_unusual or not self._reason:
            row.icon(self._icon, self._token)
            row.text(self._first, self._token if self._is_unusual else "text", font, gap=12)
        row.text(self._rest, "muted", ui_font(SECOND))


_PAUSE = 400
"""Milliseconds without a key after which the note is stored."""


class FactsPanel(Surface):
    """Facts of the current step, plan or preview, with the note field."""

    note_left = Signal()
    """The user finished the note; the focus should go to the diff."""

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__("panel", parent)
        self._desk = desk
        self.facts_view: FactsView | None = None
        self._verdicts: tuple[str, Sequence[PathVerdict]] | None = None
        self._requested_rules = ""
        self._rules_key = self._note_place = desk.queue.draft_key("note")
        self.setObjectName("facts")
        self.setAccessibleName(self.tr("Facts"))
        self.header = PaneHeader(self.tr("Facts"), self)
        self.line = FactLine(self)
        self.line.hide()
        self.note = NoteBlock(self)
        self._list = QWidget(self)
        self._list.setObjectName("facts-list")
        self._column = column_of(parent=self._list)
        self._quiet, self._rows, self._rule = (
            QuietBlock(self._list), FactRows(self._list), RuleBlock(self._list)
        )  # fmt: skip
        self._warnings: list[QWidget] = []
        self._text_blocks: list[QWidget] = []
        for block in (self._quiet, self._rows, self._rule, self.note):
            self._column.addWidget(block)
            block.hide()
        self._column.addStretch(1)
        self.area = QScrollArea(self)
        self.area.setObjectName("facts-scroll")
        self.area.setAccessibleName(self.tr("Facts about the current step"))
        self.area.setFrameShape(QFrame.Shape.NoFrame)
        self.area.setWidgetResizable(True)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.area.setWidget(self._list)
        # The pane's own surface shows through; Qt would fill both with the window's colour.
        self._list.setAutoFillBackground(False)
        self.area.viewport().setAutoFillBackground(False)
        column_of(self.header, (self.area, 1), parent=self)
        self.setFocusProxy(self.area)
        self.header.follow_focus_of(self)
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE)
        self._pause.timeout.connect(self.store_note)
        self.note.edit.textChanged.connect(self._pause.start)
        self.note.edit.focus_lost.connect(self._note_lost_focus)
        self.note.edit.left.connect(self._leave_note)
        desk.queue.current_changed.connect(self._show_place)
        desk.choices.changed.connect(self._show)
        desk.outcomes.changed.connect(self._show)
        desk.queue.plans_changed.connect(self._show)
        desk.comments.changed.connect(self._show)
        desk.rollback.changed.connect(self._show)
        desk.restore.changed.connect(self._show)
        desk.observed.shown_changed.connect(self._show)
        desk.record.changed.connect(self._show)
        self._show_place()

    def focus_note(self) -> None:
        """Focus the note, where one can be given."""
        if self.note.isVisibleTo(self):
            self.area.ensureWidgetVisible(self.note)
            self.note.edit.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def event(self, event: QEvent) -> bool:
        """Show the one-line summary while the pane is hidden."""
        if event.type() in (QEvent.Type.ShowToParent, QEvent.Type.HideToParent):
            self.line.setVisible(self.isHidden())
        return super().event(event)

    def _show_place(self) -> None:
        """Show another step or plan: its note, rules and facts."""
        draft_key = self._desk.queue.draft_key("note")
        if draft_key != self._note_place and self._pause.isActive():
            self.store_note()
        is_typing = draft_key == self._note_place and self._pause.isActive()
        self._note_place = draft_key
        unsent = (
            self._desk.project.unsent.text(self._desk.queue.draft_key("note"))
            if self._desk.queue.current_step is not None
            else ""
        )
        if self.note.edit.toPlainText() != unsent and not is_typing:
            self.note.edit.blockSignals(True)
            self.note.edit.setPlainText(unsent)
            self.note.edit.blockSignals(False)
        self._ask_rules()
        self._show()

    def _show(self) -> None:
        view = self._make_facts_view()
        if view is not None and view.asks_note:
            self._rules_key = self._note_place
        if view == self.facts_view:
            return
        before, self.facts_view = self.facts_view or FactsView(), view
        self.line.show_facts(view)
        shown = view or FactsView()
        # Unchanged blocks are reused, and the layout runs once all are in place.
        self._column.setEnabled(False)
        self._quiet.show_words(shown.quiet)
        if shown.warnings != before.warnings:
            self._put_blocks(self._warnings, [WarningBlock(each, self._list) for each in shown.warnings], 1)
        self._rows.show_rows(shown.rows)
        self._rule.show_rule(shown.rule)
        if shown.passages != before.passages:
            blocks = [TextBlockWidget(each, self._list) for each in shown.passages]
            self._put_blocks(self._text_blocks, blocks, self._column.indexOf(self._rule) + 1)
        # A change of the step by others must not hide the note being typed.
        is_typed = self.note.edit.hasFocus() and self._rules_key == self._note_place
        self.note.setVisible(shown.asks_note or is_typed)
        self._column.setEnabled(True)
        self._column.invalidate()

    def _put_blocks(self, shown: list[QWidget], blocks: Sequence[QWidget], position: int) -> None:
        """Replace these blocks of the column."""
        for block in shown:
            self._column.removeWidget(block)
            block.hide()
            block.deleteLater()
        shown[:] = blocks
        for offset, block in enumerate(blocks):
            self._column.insertWidget(position + offset, block)
            block.show()

    def _make_facts_view(self) -> FactsView | None:
        desk = self._desk
        if desk.rollback.preview is not None:
            plan_id = desk.rollback.preview.plan.id
            entry = next((entry for entry in desk.queue.history if entry.plan.id == plan_id), None)
            return rollback_facts_view(desk.rollback.preview, entry, desk.rollback.resolutions.chosen)
        restore_source = desk.restore.restore_source
        if desk.restore.preview is not None and isinstance(restore_source, SnapshotReturn):
            return restore_facts_view(desk.restore.preview, restore_source.record)
        if desk.restore.preview is not None and isinstance(restore_source, ObservedReturn):
            return observed_facts_view(restore_source.changes)
        if desk.observed.shown_row is not None:
            return observed_facts_view(desk.observed.shown_row.changes)
        plan, step = desk.queue.current_plan, desk.queue.current_step
        if plan is None:
            return None
        if step is None:
            viewed = sum(self._is_viewed(plan, each) for each in plan.valid_steps)
            view = self._with_trials(plan_facts_view(plan, viewed))
            return replace(view, passages=(*view.passages, *excluded_text_blocks(desk.record.excluded_paths)))
        has_verdicts = self._verdicts is not None and self._verdicts[0] == step.id
        verdicts = self._verdicts[1] if has_verdicts and self._verdicts is not None else ()
        latest = desk.outcomes.latest
        view = step_facts_view(
            desk.outcomes.step() or step,
            latest.forms if latest is not None else None,
            verdicts,
            desk.comments.current,
            lines=latest.lines if latest is not None else (None, None),
            result=self._result_words(),
            is_review=plan.is_review,
        )
        return self._with_trials(view)

    def _with_trials(self, view: FactsView) -> FactsView:
        """Return the facts view with the plan's trials after the warnings."""
        record = self._desk.record
        blocks = trial_blocks(record.trials, record.is_current, utc_now())
        is_quiet = not any(block.tone == "warning" for block in blocks)
        quiet = view.quiet if is_quiet else ""
        return replace(view, warnings=(*view.warnings, *blocks), quiet=quiet) if blocks else view

    def _result_words(self) -> str:
        """Return the words for a result other than the proposal.

        "" where the facts are about the proposal.
        """
        desk = self._desk
        if not desk.choices.replace_proposal:
            return ""
        words = (
            self.tr("part of the proposal") if desk.choices.current.named else self.tr("your edited version")
        )
        is_known = desk.outcomes.current is not None
        return words if is_known else say(self.tr("{what}, checking…"), what=words)

    def _is_viewed(self, plan: Plan, step: Step) -> bool:
        return viewed_mark(plan, step) in self._desk.viewed.marks

    def _ask_rules(self) -> None:
        step = self._desk.queue.current_step
        if step is None or self._requested_rules == step.id:
            return
        self._requested_rules = step.id
        on_rules, plan = partial(self._got_rules, step.id), self._desk.queue.current_plan
        # Reading the step's lines goes first.
        self._desk.project.runner.next_turn(
            self._desk.project.check_paths, step.written_paths, on_rules, plan
        )

    def _got_rules(self, step_id: str, verdicts: Sequence[PathVerdict]) -> None:
        self._verdicts = (step_id, verdicts)
        self._show()

    def store_note(self) -> None:
        """Store the typed text as the note of its step."""
        self._pause.stop()
        self._desk.project.unsent.store(self._note_place, self.note.edit.toPlainText())

    def _note_lost_focus(self) -> None:
        self.store_note()
        self.note.setVisible(self.facts_view is not None and self.facts_view.asks_note)

    def _leave_note(self) -> None:
        self.store_note()
        self.note_left.emit()
