"""Dock panel of the request journal: filters, row buttons, export, paged loading."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QAction, QActionGroup, QShowEvent
from PySide6.QtWidgets import QMenu, QWidget

from studio.ui.history.journal_lines import (
    Exchange,
    Exchanges,
    JournalShow,
    fault_words,
    journal_columns,
    journal_rows,
    plan_of,
    timeline_words,
)
from studio.ui.history.journal_tools import JournalExport, JournalTools
from studio.ui.history.row_buttons import RowButtons, plain_key
from studio.ui.history.table import TableView
from studio.ui.limits import JOURNAL_FILTER_PAGES, JOURNAL_ROWS_AT_ONCE
from studio.ui.look.theme import px
from studio.ui.look.words import Clock, utc_now
from studio.ui.widgets import STYLE_GAP, Button, ButtonKind, Label, Surface, column_of
from studio.ui.widgets.file_dialogs import ask_where_to_save

if TYPE_CHECKING:
    from studio.errors import StudioError
    from studio.extras.journal_search import JournalFound
    from studio.extras.journal_view import JournalRow
    from studio.ui.review.desk import Desk

# Filters offered by a journal row: all entries of its request, step, or plan


class AllOf(Enum):
    """What the entries to list have in common."""

    REQUEST = "request"
    STEP = "step"
    PLAN = "plan"


_KEYS = {Qt.Key.Key_Q: AllOf.REQUEST, Qt.Key.Key_S: AllOf.STEP, Qt.Key.Key_P: AllOf.PLAN}


class JournalRowButtons(QObject):
    """Buttons of the hovered or current row, with keys in the list."""

    wanted = Signal(str, object)
    """Emitted with the key of a row, and which `AllOf` to list."""

    def __init__(self, view: TableView) -> None:
        super().__init__(view)
        self._view = view
        words = {
            AllOf.REQUEST: (self.tr("This request"), "Q"),
            AllOf.STEP: (self.tr("This step"), "S"),
            AllOf.PLAN: (self.tr("This plan"), "P"),
        }
        self._buttons: list[Button] = []
        for extent, (text, key) in words.items():
            button = Button(
                text,
                view.viewport(),
                kind=ButtonKind.TOOL,
                height=20,
                key=key,
                name=f"journal-this-{extent.value}",
                tip=self.tr("Lists all entries of it, by its id."),
                pressed=partial(self._request_all, extent),
            )
            self._buttons.append(button)
        self._row_buttons = RowButtons(view, self._buttons)
        self._row_buttons.moved.connect(self._place_buttons)
        view.rows.rowsInserted.connect(self._place_buttons)
        view.rows.rowsRemoved.connect(self._place_buttons)
        view.setAccessibleDescription(self.tr("Q, S and P list all of a row’s request, step or plan."))
        view.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        extent = _KEYS.get(Qt.Key(key)) if (key := plain_key(event)) is not None else None
        row = self._view.current_row() if watched is self._view else None
        if extent is None or row is None:
            return super().eventFilter(watched, event)
        self.wanted.emit(row.key, extent)
        return True

    def _place_buttons(self) -> None:
        self._row_buttons.show_at(self._row_buttons.key, self._buttons[::-1])

    def _request_all(self, extent: AllOf) -> None:
        self.wanted.emit(self._row_buttons.key, extent)


_EXPORT_NAME = "exacta-studio-journal.ndjson"


class JournalPanel(Surface):
    """Requests with their replies, newest first; scrolling loads older ones."""

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
        self._exchanges = Exchanges()
        self._words = ""
        """Search words; "" lists every entry."""
        self._shown_exchanges = Exchanges()
        self._next_position: int | None = None
        """Position from which the search goes on; None at the end or during a request."""
        self._is_loading = False
        """Whether the first result of a search is pending."""
        self._show = JournalShow.ALL
        self._requested_before = -1
        self._is_whole = False
        self._pages_left = JOURNAL_FILTER_PAGES
        self._by_key: dict[str, Exchange] = {}
        self._entries: dict[JournalShow, QAction] = {}
        self.setObjectName("journal")
        self.setAccessibleName(self.tr("Journal"))
        self.view = TableView(
            journal_columns(), self, name="journal-list", accessible=self.tr("Journal of what was written")
        )
        self._empty_words = self.tr("Every write that is asked for and answered is listed here.")
        self.view.empty_text = self._empty_words
        column = column_of(parent=self, spacing=STYLE_GAP)
        self.timeline = Label("", self, size=12, wrap=True, name="journal-timeline")
        self.timeline.setContentsMargins(px(12), px(4), px(12), px(4))
        self.timeline.hide()
        column.addWidget(self.timeline)
        column.addWidget(self.view)
        self.setFocusProxy(self.view)
        self.tools = JournalTools(self)
        self.tools.words_changed.connect(self._find)
        self.tools.left.connect(self._go_to_list)
        self.tools.faults.clicked.connect(self._toggle_faults)
        self.tools.export.clicked.connect(self._ask_where_to_export)
        self.export = JournalExport(desk, self)
        self.export.changed.connect(self._show_export)
        self._row_buttons = JournalRowButtons(self.view)
        self._row_buttons.wanted.connect(self._show_all_of)
        self.filter_menu = self._make_menu()
        self.filter_button = self.tools.filter
        self.filter_button.clicked.connect(self._open_menu)
        self.view.verticalScrollBar().valueChanged.connect(self._load_more)
        desk.queue.store_changed.connect(self._follow)

    def show_only(self, show: JournalShow) -> None:
        """List only entries of one kind."""
        self._show = show
        self._pages_left = JOURNAL_FILTER_PAGES
        self.filter_button.setChecked(show is not JournalShow.ALL)
        self._refresh()
        self._load_more()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._follow()

    def _make_menu(self) -> QMenu:
        menu = QMenu(self)
        menu.setObjectName("journal-filter")
        menu.setAccessibleName(self.tr("Which entries are listed"))
        group = QActionGroup(menu)
        for show, words in self._shows().items():
            action = menu.addAction(words)
            action.setCheckable(True)
            action.setChecked(show is self._show)
            action.triggered.connect(partial(self.show_only, show))
            group.addAction(action)
            self._entries[show] = action
        return menu

    def _shows(self) -> dict[JournalShow, str]:
        return {
            JournalShow.ALL: self.tr("All entries"),
            JournalShow.WRITES: self.tr("Writes"),
            JournalShow.DELETES: self.tr("Deletions"),
            JournalShow.MOVES: self.tr("Moves"),
            JournalShow.OTHERS: self.tr("Folders and modes"),
            JournalShow.READS: self.tr("Reads"),
            JournalShow.REQUESTS: self.tr("Requests"),
            JournalShow.ANSWERED: self.tr("With a reply"),
            JournalShow.RECORDS: self.tr("Records without a request"),
            JournalShow.FAULTS: self.tr("Faults"),
            JournalShow.UNANSWERED: self.tr("Without a reply"),
        }

    def _open_menu(self) -> None:
        self.filter_button.setChecked(self._show is not JournalShow.ALL)
        self.filter_menu.popup(self.filter_button.mapToGlobal(QPoint(0, self.filter_button.height())))

    def _follow(self) -> None:
        """Read the newly written entries if the panel is visible."""
        if not self.isVisible():
            return
        self._desk.project.read_journal(None, JOURNAL_ROWS_AT_ONCE, self._got_newest)
        if self._words:
            self._ask(None, self._got_new_found)

    def _got_newest(self, rows: tuple[JournalRow, ...]) -> None:
        if rows and self._exchanges.newest and rows[-1].position > self._exchanges.newest + 1:
            # More than one page was written: start over instead of leaving a gap.
            self._exchanges = Exchanges()
            self._requested_before = -1
        self._add_rows(rows)

    def _load_more(self) -> None:
        """Read the next older page when scrolling gets near it."""
        bar = self.view.verticalScrollBar()
        if self._words:
            self._find_more()
            return
        oldest = self._exchanges.oldest
        if self._is_whole or not oldest or oldest == self._requested_before or not self.isVisible():
            return
        in_view, rows = self.view.viewport().height() // self.view.row_height, self.view.rows.rowCount()
        if bar.value() + 2 * in_view < rows:
            return
        if rows <= in_view:
            if not self._pages_left:
                return
            self._pages_left -= 1
        self._requested_before = oldest
        self._desk.project.read_journal(oldest, JOURNAL_ROWS_AT_ONCE, self._got_older)

    def _got_older(self, rows: tuple[JournalRow, ...]) -> None:
        self._is_whole = len(rows) < JOURNAL_ROWS_AT_ONCE
        self._add_rows(rows)

    def _add_rows(self, rows: tuple[JournalRow, ...]) -> None:
        self._exchanges.add(rows)
        self._refresh()
        self._load_more()

    # Search

    def _find(self, words: str) -> None:
        """List entries that match some words; "" lists everything again."""
        if words == self._words:
            return
        self._words, self._shown_exchanges, self._next_position = words, Exchanges(), None
        # The old list stays until results arrive: a list that vanishes and returns loses its current row.
        self._is_loading = bool(words)
        if words:
            self.view.empty_text = self.tr("Looking…")
            self._ask(None, self._got_found)
        else:
            self._refresh()

    def _find_more(self) -> None:
        """Continue the search when scrolling gets near its end."""
        bar, view = self.view.verticalScrollBar(), self.view
        in_view, rows = view.viewport().height() // view.row_height, view.rows.rowCount()
        if self._next_position is None or not self.isVisible() or bar.value() + 2 * in_view < rows:
            return
        before, self._next_position = self._next_position, None
        self._ask(before, self._got_found)

    def _ask(self, before: int | None, on_found: Callable[[str, JournalFound], None]) -> None:
        words, on_failure = self._words, partial(self._report_failure, self._words)
        self._desk.project.find_in_journal(words, before, partial(on_found, words), on_failure)

    def _report_failure(self, words: str, error: StudioError) -> None:
        """Report that the journal can't be read, keeping the hits so far."""
        self._desk.project.report(error)
        if words == self._words:
            self._is_loading = False
            self.view.empty_text = error.message
            self._refresh()

    def _got_found(self, words: str, found: JournalFound) -> None:
        if words != self._words:
            return
        self._next_position, self._is_loading = found.before, False
        if found.before is None:
            self.view.empty_text = self.tr("No entry fits these words.")
        self._shown_exchanges.add_found(found.rows)
        self._refresh()
        self._find_more()

    def _got_new_found(self, words: str, found: JournalFound) -> None:
        """Add hits written since the search began."""
        if words == self._words and not self._is_loading and found.rows:
            self._shown_exchanges.add_found(found.rows)
            self._refresh()

    def _show_all_of(self, key: str, extent: AllOf) -> None:
        """List every entry of a row's request, step or plan."""
        exchange = self._by_key.get(key)
        if exchange is not None:
            request = exchange.request
            name = {
                AllOf.REQUEST: request.entry.correlation_id,
                AllOf.STEP: request.step_id,
                AllOf.PLAN: plan_of(request),
            }[extent]
            if name:
                self.tools.show_words(name)

    def _go_to_list(self) -> None:
        if not self.view.currentIndex().isValid():
            self.view.setCurrentIndex(self.view.rows.index(0, 0))
        self.view.setFocus(Qt.FocusReason.OtherFocusReason)

    def _toggle_faults(self) -> None:
        self._choose(JournalShow.ALL if self._show is JournalShow.FAULTS else JournalShow.FAULTS)

    def _choose(self, show: JournalShow) -> None:
        """Trigger the filter's menu entry, so that the menu shows it checked."""
        self._entries[show].trigger()

    # Export

    def _ask_where_to_export(self) -> None:
        if self.export.is_running:
            self.export.stop()
        else:
            ask_where_to_save(self, self.tr("Export the journal"), _EXPORT_NAME, self.export.start)

    def _show_export(self) -> None:
        running = self.export.is_running
        self.tools.export.set_label(self.export.words() if running else self.tr("Export…"))

    def _refresh(self) -> None:
        if self._is_loading:
            return
        plans = {plan.id: plan for plan in self._desk.queue.plans}
        plans |= {entry.plan.id: entry.plan for entry in self._desk.queue.history}
        titles = {plan.id: plan.title for plan in plans.values()}
        rollbacks = frozenset(plan.id for plan in plans.values() if plan.rolls_back is not None)
        bar = self.view.verticalScrollBar()
        position, before = bar.value(), self.view.rows.rowCount()
        first = self.view.rows.rows[0].key if before else ""
        source = self._shown_exchanges if self._words else self._exchanges
        listed = source.listed(self._show)
        self._by_key = {str(exchange.request.position): exchange for exchange in listed}
        self.view.rows.set_rows(journal_rows(listed, titles, rollbacks, self._now()))
        self.tools.show_faults(fault_words(listed))
        if not self._words:
            self.view.empty_text = self._empty_words
        self._show_timeline()
        if position and first:
            # Keep the scroll position when new rows arrive above.
            bar.setValue(position + max(0, self.view.rows.index_of(first).row()))

    def _show_timeline(self) -> None:
        """Show the timeline of the plan or step whose entries are listed."""
        queue = self._desk.queue
        timeline = timeline_words(self._words, queue.plans, queue.history, self._now()) if self._words else ""
        self.timeline.setText(timeline)
        self.timeline.setVisible(bool(timeline))
