"""The dock's journal: what was asked and answered, read in pages while the person scrolls (look.md 4.9)."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint
from PySide6.QtGui import QActionGroup, QShowEvent
from PySide6.QtWidgets import QMenu, QVBoxLayout, QWidget

from studio.engine.limits import JOURNAL_FILTER_PAGES, JOURNAL_ROWS_AT_ONCE
from studio.ui.history.journal_lines import Exchanges, JournalShow, journal_columns, journal_rows
from studio.ui.history.table import TableView
from studio.ui.look.times import Clock, utc_now
from studio.ui.widgets import Surface, ToolIcon

if TYPE_CHECKING:
    from studio.engine.history import JournalRow
    from studio.ui.desk.desk import Desk


class JournalPanel(Surface):
    """Requests with their replies, the newest on top; older ones come when the person scrolls to them."""

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
        self._show = JournalShow.ALL
        self._asked_before = -1
        self._is_whole = False
        self._pages_left = JOURNAL_FILTER_PAGES
        self.setObjectName("journal")
        self.setAccessibleName(self.tr("Journal"))
        self.view = TableView(journal_columns(), self)
        self.view.setObjectName("journal-list")
        self.view.setAccessibleName(self.tr("Journal of what was written"))
        self.view.empty_text = self.tr("Every write that is asked for and answered is listed here.")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.view)
        self.setFocusProxy(self.view)
        self.filter_menu = self._make_menu()
        self.filter_button = ToolIcon("filter", self.tr("Choose which entries are listed"), toggle=True)
        self.filter_button.setObjectName("journal-filter-button")
        self.filter_button.clicked.connect(self._open_menu)
        self.view.verticalScrollBar().valueChanged.connect(self._load_more)
        desk.queue.store_changed.connect(self._follow)

    def show_only(self, show: JournalShow) -> None:
        """List these entries only."""
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
        return menu

    def _shows(self) -> dict[JournalShow, str]:
        return {
            JournalShow.ALL: self.tr("All entries"),
            JournalShow.WRITES: self.tr("Writes"),
            JournalShow.DELETES: self.tr("Deletions"),
            JournalShow.MOVES: self.tr("Moves"),
            JournalShow.OTHERS: self.tr("Folders and modes"),
            JournalShow.READS: self.tr("Reads"),
            JournalShow.FAULTS: self.tr("Faults"),
            JournalShow.UNANSWERED: self.tr("Without a reply"),
        }

    def _open_menu(self) -> None:
        self.filter_button.setChecked(self._show is not JournalShow.ALL)
        self.filter_menu.popup(self.filter_button.mapToGlobal(QPoint(0, self.filter_button.height())))

    def _follow(self) -> None:
        """Read what was written since, if anybody looks."""
        if self.isVisible():
            self._desk.project.read_journal(None, JOURNAL_ROWS_AT_ONCE, self._got_newest)

    def _got_newest(self, rows: tuple[JournalRow, ...]) -> None:
        if rows and self._exchanges.newest and rows[-1].position > self._exchanges.newest + 1:
            # More came in than one page: begin anew instead of leaving a gap.
            self._exchanges = Exchanges()
            self._asked_before = -1
        self._take(rows)

    def _load_more(self) -> None:
        """Read the next older page when its place comes into view."""
        bar = self.view.verticalScrollBar()
        oldest = self._exchanges.oldest
        if self._is_whole or not oldest or oldest == self._asked_before or not self.isVisible():
            return
        in_view, rows = self.view.viewport().height() // self.view.row_height, self.view.rows.rowCount()
        if bar.value() + 2 * in_view < rows:
            return
        if rows <= in_view:
            if not self._pages_left:
                return
            self._pages_left -= 1
        self._asked_before = oldest
        self._desk.project.read_journal(oldest, JOURNAL_ROWS_AT_ONCE, self._got_older)

    def _got_older(self, rows: tuple[JournalRow, ...]) -> None:
        self._is_whole = len(rows) < JOURNAL_ROWS_AT_ONCE
        self._take(rows)

    def _take(self, rows: tuple[JournalRow, ...]) -> None:
        self._exchanges.add(rows)
        self._refresh()
        self._load_more()

    def _refresh(self) -> None:
        plans = {plan.id: plan for plan in self._desk.queue.plans}
        plans |= {entry.plan.id: entry.plan for entry in self._desk.queue.history}
        titles = {plan.id: plan.title for plan in plans.values()}
        rollbacks = frozenset(plan.id for plan in plans.values() if plan.rolls_back is not None)
        bar = self.view.verticalScrollBar()
        was_at, before = bar.value(), self.view.rows.rowCount()
        first = self.view.rows.rows[0].key if before else ""
        self.view.rows.set_rows(
            journal_rows(self._exchanges.listed(self._show), titles, rollbacks, self._now())
        )
        if was_at and first:
            # What is being read stays where it is; new rows come above it.
            bar.setValue(was_at + max(0, self.view.rows.index_of(first).row()))
