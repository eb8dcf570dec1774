"""Time line of applied plans, snapshots and journal entries; list of problems."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from studio.names import show_name
from studio.ui.actions.action import Action
from studio.ui.history.history_rows import (
    fits_words,
    history_columns,
    history_rows,
    opened,
    problem_columns,
    problem_matter,
    problem_rows,
    retention_words,
    why_no_message,
    why_not_discarded,
    why_not_rolled_back,
)
from studio.ui.history.history_tools import HistoryTools, JournalExport
from studio.ui.history.journal_lines import HistoryShow, fault_words, timeline_words
from studio.ui.history.journal_rows import EXTENT_KEYS, OLDEST, AllOf, JournalRows
from studio.ui.history.row_buttons import RowButtons, plain_key
from studio.ui.history.snapshot_rows import SnapshotRows
from studio.ui.history.table import FOLD_WIDTH, TableRow, TableView
from studio.ui.limits import NAMED_LOST_UP_TO
from studio.ui.look.theme import px
from studio.ui.look.words import Clock, counted, say, size, utc_now
from studio.ui.review.queue_state import ItemRef
from studio.ui.review.reading import PlanLocation
from studio.ui.widgets import (
    STYLE_GAP,
    Banner,
    BannerKind,
    Button,
    ButtonKind,
    ElidedLabel,
    HairLine,
    Label,
    PaneHeader,
    Surface,
    ToolIcon,
    column_of,
)
from studio.ui.widgets.file_dialogs import ask_where_to_save

if TYPE_CHECKING:
    from studio.engine import HistoryEntry, RetentionReport, UndoLoss
    from studio.ui.review.desk import Desk


class HistoryPanel(Surface):
    """Applied plans, snapshots and journal entries, newest first, with row actions.

    The hovered or current plan offers its reply, its commit message, Roll back… and, after a confirmation,
    discarding its undo; a snapshot Restore… and deleting; an entry all those of its request, step or plan.
    The entries of a plan are beneath its row. `kept` says what undo data is kept; it and `tools` are shown in
    the dock's first row.
    """

    kept_changed = Signal()

    def __init__(
        self,
        desk: Desk,
        parent: QWidget | None = None,
        *,
        now: Clock = utc_now,
    ) -> None:
        super().__init__("panel", parent)
        self._desk = desk
        self._now = now
        self._retention: RetentionReport | None = None
        self._times: list[datetime] = []
        """The time of each row."""
        self._plan_rows: list[tuple[datetime, TableRow]] = []
        self._matter: tuple[object, ...] = ()
        """Key of the plans' rows: equal keys give equal rows."""
        self.setObjectName("history")
        self.setAccessibleName(self.tr("History"))
        self.view = TableView(
            history_columns(),
            self,
            name="history-list",
            accessible=self.tr("Applied plans, snapshots and journal"),
            left_of_first=FOLD_WIDTH,
        )
        self.snapshots = SnapshotRows(desk, self.view, self)
        self.new_snapshot = self.snapshots.new_button
        self.tools = HistoryTools(self.new_snapshot, self)
        self.tools.changed.connect(self._show_rows)
        self.tools.left.connect(self._focus_list)
        self.export = JournalExport(desk, self)
        self.export.changed.connect(self._show_export)
        self.tools.export.clicked.connect(self._ask_where_to_export)
        self.journal = JournalRows(desk, self.view, lambda: self._row_buttons.key)
        self.journal.wanted.connect(self.list_entries)
        self.journal.changed.connect(self._show_rows)
        self.kept = ElidedLabel(
            "", self, size=12, token="muted", mode=Qt.TextElideMode.ElideRight, name="history-kept"
        )
        # Aligned with the text of the tabs, which are below a line of their own.
        self.kept.setContentsMargins(0, px(2), 0, 0)
        self._empty_words = self.tr(
            "Snapshots and applied plans are listed here. You can restore snapshots and roll back plans."
        )
        self.timeline = Label("", self, size=12, wrap=True, name="journal-timeline")
        self.timeline.setContentsMargins(px(12), px(4), px(12), px(4))
        self.timeline.hide()
        column = column_of(self.timeline, self.view, parent=self, spacing=STYLE_GAP)
        self.question = DiscardBanner(desk, self)
        self.question.dismissed.connect(self.view.setFocus)
        column.addWidget(self.question)
        column.addWidget(self.snapshots.banner)
        self.setFocusProxy(self.view)
        self.discard = ToolIcon(
            "cross",
            self.tr("Discard undo data…"),
            self.view.viewport(),
            name="history-discard",
            pressed=self._ask_to_discard,
        )
        self.button = Button(
            self.tr("Roll back…"),
            self.view.viewport(),
            icon="rolled-back",
            kind=ButtonKind.TOOL,
            height=22,
            key="R",
            name="history-roll-back",
            tip=self.tr("Previews the result without writing anything."),
            pressed=self._preview_at_button,
        )
        self.view.setAccessibleDescription(
            self.tr(
                "Press Enter to show a plan with its decisions, R to preview its "
                "rollback, or Right to show its journal entries. Press Q, S or P to list "
                "all entries for the same request, step or plan."
            )
        )
        self.reply = ToolIcon(
            "agent",
            self.tr("Copy reply for the agent"),
            self.view.viewport(),
            key="Y",
            name="history-copy-reply",
            pressed=self._copy_at_button,
        )
        self.message = ToolIcon(
            "copy",
            self.tr("Copy commit message"),
            self.view.viewport(),
            key="M",
            name="history-copy-message",
            pressed=self._copy_message_at_button,
        )
        self._row_buttons = RowButtons(
            self.view,
            (
                self.reply,
                self.message,
                self.button,
                self.discard,
                *self.snapshots.buttons(),
                *self.journal.buttons,
            ),
        )
        self.snapshots.restore.clicked.connect(lambda: self.preview(self._row_buttons.key))
        self.snapshots.delete.clicked.connect(lambda: self._ask_about(self._row_buttons.key))
        self.snapshots.changed.connect(self._snapshots_changed)
        self.view.installEventFilter(self)
        self.view.acted.connect(self.open)
        self.view.fold_wanted.connect(self._show_beneath)
        self.view.verticalScrollBar().valueChanged.connect(self._read_on)
        self._row_buttons.moved.connect(self._place_buttons)
        desk.queue.history_changed.connect(self._refresh)
        desk.guards.refresh_wanted.connect(self._place_buttons)
        self._refresh()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        row = self.view.current_row() if watched is self.view else None
        key = plain_key(event) if row is not None else None
        if row is None or key is None:
            return super().eventFilter(watched, event)
        if key in EXTENT_KEYS:
            self.list_entries(row.key, EXTENT_KEYS[Qt.Key(key)])
        elif key == Qt.Key.Key_Y:
            self.copy_reply(row.key)
        elif key == Qt.Key.Key_M:
            self.copy_message(row.key)
        elif key == Qt.Key.Key_R:
            self.preview(row.key)
        elif key == Qt.Key.Key_Delete:
            self._ask_about(row.key)
        else:
            return super().eventFilter(watched, event)
        return True

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.snapshots.read()
        self._show_rows()

    def kept_words(self) -> str:
        """Return what undo data and snapshots are kept, "" before loading."""
        undo = retention_words(self._retention) if self._retention is not None else ""
        return " · ".join(filter(None, (undo, self.snapshots.use_words())))

    def open(self, key: str) -> None:
        """Show a row's plan as decided, or preview a snapshot's restore."""
        record = self.snapshots.record(key)
        plan_id = self.journal.id_of(key, AllOf.PLAN)
        if record is not None:
            self.snapshots.show_restore(record)
        elif any(entry.plan.id == plan_id for entry in self._desk.queue.history):
            self._desk.reading.show(PlanLocation(plan_id))

    def _snapshots_changed(self) -> None:
        self._show_rows()
        self.kept_changed.emit()

    def _got_retention(self, report: RetentionReport) -> None:
        self._retention = report
        self._show_rows()
        self.kept_changed.emit()

    def _refresh(self) -> None:
        self._show_rows()
        if self._desk.queue.history:
            self._desk.project.read_retention(self._got_retention)

    def _focus_list(self) -> None:
        if not self.view.currentIndex().isValid():
            self.view.setCurrentIndex(self.view.rows.index(0, 0))
        self.view.setFocus(Qt.FocusReason.OtherFocusReason)

    def _show_rows(self) -> None:
        """List what the filter and the words let through, newest first."""
        words, kind, now = self.tools.words, self.tools.kind, self._now()
        history = self._desk.queue.history
        plans = {plan.id: plan for plan in self._desk.queue.plans}
        plans |= {entry.plan.id: entry.plan for entry in history}
        matter = (history, words, kind.has_plans, self._retention, now.astimezone().date())
        if matter != self._matter:
            self._matter, self._plan_rows = matter, self._list_plans(words, now) if kind.has_plans else []
        timeline = list(self._plan_rows)
        self.journal.read(kind, words, {row.key.partition("/")[0] for _time, row in timeline})
        timeline += self.snapshots.listed(words, now) if kind.has_snapshots else []
        exchanges = self.journal.exchanges()
        timeline += self.journal.listed(exchanges, plans, now)
        timeline.sort(key=lambda item: item[0], reverse=True)
        for key in self.journal.opened:
            at = next((at for at, (_time, row) in enumerate(timeline) if row.key == key), None)
            if at is not None:
                time, row = timeline[at]
                beneath = [(time, each) for each in self.journal.beneath(key, plans, now)]
                timeline[at : at + 1] = [(time, opened(row)), *beneath]
        self._times = [time for time, _row in timeline]
        self._set_rows([row for _time, row in timeline])
        self.view.empty_text = self._no_row_words(kind, words)
        self.tools.show_faults(fault_words(exchanges))
        words_of_plan = timeline_words(words, self._desk.queue.plans, history, now) if words else ""
        self.timeline.setText(words_of_plan)
        self.timeline.setVisible(bool(words_of_plan))
        self._place_buttons()
        self._read_on()

    def _list_plans(self, words: str, now: datetime) -> list[tuple[datetime, TableRow]]:
        """Return time and row of each plan that the words let through."""
        history = self._desk.queue.history
        listed = [entry for entry in history if fits_words(entry, words)]
        due = {undo.key for undo in self._retention.due} if self._retention is not None else set[str]()
        rows = history_rows(listed, now, due, index=history)
        return [(entry.applied_at, row) for entry, row in zip(listed, rows, strict=True)]

    def _set_rows(self, rows: list[TableRow]) -> None:
        """Show rows; what is in view stays where new ones arrive above."""
        bar, model = self.view.verticalScrollBar(), self.view.rows
        top = self.view.row_at(QPoint(0, 0)) if bar.value() else None
        model.set_rows(rows)
        if top is not None and model.index_of(top.key).isValid():
            bar.setValue(model.index_of(top.key).row())
        if rows and not (self.view.currentIndex().isValid() and self.view.isVisible()):
            self.view.setCurrentIndex(model.index(0, 0))

    def _read_on(self) -> None:
        """Read older entries before the list is scrolled to where they belong."""
        in_view = self.view.viewport().height() // self.view.row_height
        last = self.view.verticalScrollBar().value() + 2 * in_view
        self.journal.read_until(self._times[last] if last < len(self._times) else OLDEST)

    def _no_row_words(self, kind: HistoryShow, words: str) -> str:
        if self.journal.failure or self.journal.is_pending:
            return self.journal.failure or self.tr("Searching…")
        hidden = len(self._desk.queue.history) if kind.has_plans else 0
        hidden += len(self._desk.snapshots.records) if kind.has_snapshots else 0
        if words and hidden:
            return counted(
                hidden, self.tr("No matching rows ({n} hidden)."), self.tr("No matching rows ({n} hidden).")
            )
        if kind.has_plans or kind.has_snapshots:
            return self._empty_words if self._desk.queue.is_loaded else self.tr("Loading…")
        return (
            self.tr("No matching entries.") if words else self.tr("The journal has no entries of this kind.")
        )

    def _show_beneath(self, key: str, are_shown: bool) -> None:
        entry = self._entry(key)
        if entry is not None:
            self.journal.show_beneath(entry, are_shown=are_shown)

    def list_entries(self, key: str, extent: AllOf = AllOf.PLAN) -> None:
        """List every entry of a row's request, step or plan."""
        if name := self.journal.id_of(key, extent):
            self.tools.choose(HistoryShow.JOURNAL, name)

    def _ask_where_to_export(self) -> None:
        if self.export.is_running:
            self.export.stop()
        else:
            ask_where_to_save(self, self.tr("Export journal"), _EXPORT_NAME, self.export.start)

    def _show_export(self) -> None:
        running = self.export.is_running
        self.tools.export.set_label(self.export.words() if running else self.tr("Export…"))

    def _entry(self, key: str) -> HistoryEntry | None:
        return next((entry for entry in self._desk.queue.history if entry.key == key), None)

    def _target_entry(self) -> HistoryEntry | None:
        """Return the hovered plan, else the current one."""
        return self._entry(self._row_buttons.key)

    def _place_buttons(self) -> None:
        if not self.isVisible():
            return
        self.new_snapshot.set_reason(self._desk.reasons.of(Action.NEW_SNAPSHOT))
        if self.snapshots.record(self._row_buttons.key) is not None:
            self._row_buttons.show_at(self._row_buttons.key, self.snapshots.buttons())
            return
        if self.journal.exchange(self._row_buttons.key) is not None:
            self._row_buttons.show_at(self._row_buttons.key, self.journal.buttons[::-1])
            return
        entry = self._target_entry()
        if entry is None:
            self._row_buttons.show_at("", ())
            return
        self.button.set_label(self.tr("Redo…") if entry.turn.is_redo else self.tr("Roll back…"))
        self.button.set_reason(why_not_rolled_back(entry) or self._desk.reasons.of(Action.PREVIEW_ROLLBACK))
        self.message.set_reason(why_no_message(entry))
        self.discard.set_reason(why_not_discarded(entry) or self._desk.reasons.of(Action.PREVIEW_ROLLBACK))
        # A rollback is the reviewer's own: no agent waits for a reply.
        replies = () if entry.rolls_back is not None else (self.reply,)
        self._row_buttons.show_at(entry.key, (self.discard, self.button, self.message, *replies))

    def close_innermost(self) -> bool:
        """Dismiss the open question without deciding; return whether there was one."""
        if self.question.isHidden():
            return self.snapshots.banner.close_innermost()
        self._desk.undo_discard.close_prompt()
        return True

    def _ask_to_discard(self) -> None:
        self._ask_about(self._row_buttons.key)

    def _ask_about(self, key: str) -> None:
        """Ask before discarding a plan's undo, or deleting a snapshot."""
        entry, record = self._entry(key), self.snapshots.record(key)
        if record is not None:
            self.snapshots.ask_to_delete(record)
        elif entry is not None and not why_not_discarded(entry):
            self._desk.undo_discard.open_prompt(entry.plan.id)

    def _copy_at_button(self) -> None:
        entry = self._target_entry()
        if entry is not None:
            self.copy_reply(entry.key)

    def copy_reply(self, key: str) -> None:
        """Copy the reply to a plan's agent; a rollback has none."""
        entry = self._entry(key)
        if entry is not None and entry.rolls_back is None:
            self._desk.reply.copy_for_plan(entry.plan.id)

    def _copy_message_at_button(self) -> None:
        entry = self._target_entry()
        if entry is not None:
            self.copy_message(entry.key)

    def copy_message(self, key: str) -> None:
        """Copy a commit message for a plan that has something to commit."""
        entry = self._entry(key)
        if entry is not None and not why_no_message(entry):
            self._desk.commit_messages.copy_for_plan(entry.plan.id)

    def _preview_at_button(self) -> None:
        self.preview(self._row_buttons.key)

    def preview(self, key: str) -> None:
        """Preview the rollback of a plan or part, or a snapshot's restore."""
        entry, record = self._entry(key), self.snapshots.record(key)
        if record is not None:
            self.snapshots.show_restore(record)
        elif entry is not None and not why_not_rolled_back(entry):
            self._desk.rollback.show(entry.plan.id, entry.rollback_steps)


_EXPORT_NAME = "exacta-studio-journal.ndjson"
_PROBLEM_ROWS, _HEADER_HEIGHT = 6, 28


class ProblemsCard(Surface):
    """Refused and stale steps, failed plans and notices, with advice.

    It opens at the bottom of the window.
    """

    count_changed = Signal(int)
    closed = Signal()

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__("panel", parent)
        self._desk = desk
        self._matter: tuple[object, ...] = ()
        self._items: dict[str, ItemRef] = {}
        self.setObjectName("problems")
        self.setAccessibleName(self.tr("Problems"))
        self.view = TableView(problem_columns(), self, name="problems-list", accessible=self.tr("Problems"))
        header = PaneHeader(self.tr("Problems"), self, height=_HEADER_HEIGHT)
        self.close_button = ToolIcon("cross", self.tr("Close"), self, key="Esc", name="problems-close")
        header.add_widget(self.close_button)
        header.follow_focus_of(self)
        column_of(HairLine(self), header, self.view, parent=self)
        self.setFocusProxy(self.view)
        self.view.chosen.connect(self._go_to_problem)
        self.close_button.clicked.connect(self.close_card)
        self.hide()
        desk.queue.plans_changed.connect(self._refresh)
        desk.project.notices_changed.connect(self._refresh)
        self._refresh()

    def count(self) -> int:
        """Return the number of problems."""
        return self.view.rows.rowCount()

    def open_card(self) -> None:
        """Show and focus the problems, or close the focused card."""
        if self.view.hasFocus():
            self.close_card()
            return
        self.show()
        self.view.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def close_card(self) -> bool:
        """Hide the problems; return whether they were shown."""
        was_shown = self.isVisible()
        self.hide()
        if was_shown:
            self.closed.emit()
        return was_shown

    def _refresh(self) -> None:
        is_loaded = self._desk.queue.is_loaded
        nothing = self.tr("No problems found.")
        self.view.empty_text = nothing if is_loaded else self.tr("Loading…")
        matter = problem_matter(self._desk.queue.plans, self._desk.project.notices)
        if matter == self._matter:
            return
        self._matter = matter
        rows, self._items = problem_rows(self._desk.queue.plans, self._desk.project.notices)
        self.view.rows.set_rows(rows)
        self.view.fit_rows(_PROBLEM_ROWS)
        self.count_changed.emit(len(rows))

    def _go_to_problem(self, key: str) -> None:
        position = self._items.get(key)
        if position is not None:
            self._desk.select(*position)


# Confirmation before a plan's undo is freed; not modal


class DiscardBanner(Banner):
    """Banner that asks whether to discard a plan's undo.

    It gives the files that could not be rolled back any more, and the size freed.
    """

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__(parent, name="history-question", below=True)
        self._desk = desk
        desk.undo_discard.changed.connect(self._ask)
        desk.guards.refresh_wanted.connect(self.refresh)

    def _ask(self) -> None:
        discard = self._desk.undo_discard
        loss = discard.prompt_loss
        if loss is None:
            if self.close_banner():
                self.dismissed.emit()
            return
        title = self.tr("Permanently discard the undo data for “{title}”?")
        self.show_message(BannerKind.WARNING, say(title, title=show_name(loss.plan.title)), self._words(loss))
        keep = self.add_close(self.tr("Keep"), "history-keep-undo", discard.close_prompt)
        self.add_choice(
            self.tr("Discard undo data"),
            icon="cross",
            icon_token="bad",
            name="history-discard-now",
            decides=True,
            pressed=discard.discard,
            reason=lambda: self._desk.reasons.of(Action.DISCARD_UNDO),
        )
        keep.setFocus(Qt.FocusReason.OtherFocusReason)

    def _words(self, loss: UndoLoss) -> str:
        freed = say(self.tr("This frees {size}. No files are changed."), size=size(loss.freed))
        if not loss.paths:
            return freed
        named = ", ".join(show_name(path) for path in loss.paths[:NAMED_LOST_UP_TO])
        if len(loss.paths) > NAMED_LOST_UP_TO:
            named += ", …"
        losses = counted(
            len(loss.paths),
            self.tr("You will no longer be able to roll back {n} file ({names})."),
            self.tr("You will no longer be able to roll back {n} files ({names})."),
        )
        return f"{say(losses, names=named)} {freed}"
