"""Journal entries in the history: loading in pages, search, rows beneath plans."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal

from studio.extras.journal_view import EVERY_ENTRY, JournalFilter
from studio.ui.history.journal_lines import (
    Exchange,
    Exchanges,
    HistoryShow,
    entry_key,
    entry_row,
    plan_of,
)
from studio.ui.history.table import Cell, TableRow
from studio.ui.widgets import Button, ButtonKind
from studio.ui.widgets.row_painter import SECOND

if TYPE_CHECKING:
    from studio.engine import HistoryEntry, Plan
    from studio.errors import StudioError
    from studio.extras.journal_search import JournalFound
    from studio.ui.history.table import TableView
    from studio.ui.review.desk import Desk


OLDEST = datetime.min.replace(tzinfo=UTC)
_ANY_TIME = datetime.max.replace(tzinfo=UTC)


class AllOf(Enum):
    """What the entries to list have in common."""

    REQUEST = "request"
    STEP = "step"
    PLAN = "plan"


EXTENT_KEYS = {Qt.Key.Key_Q: AllOf.REQUEST, Qt.Key.Key_S: AllOf.STEP, Qt.Key.Key_P: AllOf.PLAN}


class JournalRows(QObject):
    """Journal entries in the history, read in pages.

    The entries of a listed plan are beneath its row, read when that is opened. While a search is pending the
    old entries stay, because a list that vanishes and returns loses its current row.
    """

    changed = Signal()
    wanted = Signal(str, object)
    """Emitted with the key of a row, and which `AllOf` to list."""

    def __init__(self, desk: Desk, view: TableView, hovered: Callable[[], str]) -> None:
        """Add the buttons of an entry's row; `hovered` returns the row's key."""
        super().__init__(view)
        self._desk = desk
        self._view = view
        self._hovered = hovered
        self._query: tuple[HistoryShow, str] | None = None
        self._plans: tuple[str, ...] = ()
        self._exchanges = Exchanges()
        self._coming = self._exchanges
        """The entries of a search whose first result is pending."""
        self._newest = 0
        self._next: int | None = None
        """Position from which reading goes on; None at the end or during a request."""
        self._read_to = _ANY_TIME
        self.opened: dict[str, tuple[Exchanges, bool]] = {}
        """Entries of opened plans, and whether there are more of them."""
        self._rows: dict[str, tuple[Exchange, datetime, TableRow]] = {}
        """Rows by key, made again where what they say changed."""
        self._matter: tuple[object, ...] = ()
        self.failure = ""
        words = {
            AllOf.REQUEST: (self.tr("Request"), "Q"),
            AllOf.STEP: (self.tr("Step"), "S"),
            AllOf.PLAN: (self.tr("Plan"), "P"),
        }
        self.buttons = tuple(
            Button(
                text,
                view.viewport(),
                kind=ButtonKind.TOOL,
                height=20,
                key=key,
                name=f"journal-this-{extent.value}",
                tip=self.tr("Lists all entries with the same ID as this one."),
                pressed=partial(self._emit_wanted, extent),
            )
            for extent, (text, key) in words.items()
        )
        desk.queue.store_changed.connect(self._follow)

    @property
    def is_pending(self) -> bool:
        """Whether the first result of a search is pending."""
        return self._coming is not self._exchanges

    def read(self, show: HistoryShow, words: str, plans: Iterable[str]) -> None:
        """Read the newest entries of a filter, if others are listed.

        Those of `plans`, which are listed, are left out. A hidden list reads nothing.
        """
        self._plans = tuple(plans)
        if self._view.isVisible() and self._query != (show, words):
            self._query = show, words
            self._start()

    def listed(
        self, exchanges: list[Exchange], plans: Mapping[str, Plan], now: datetime
    ) -> list[tuple[datetime, TableRow]]:
        """Return time and row of each of these entries."""
        matter = (self._exchanges, plans.keys(), now.astimezone().date())
        if matter != self._matter:
            self._matter = matter
            self._rows.clear()
        return [self._row(each, plans, now, 0) for each in exchanges]

    def _row(
        self, exchange: Exchange, plans: Mapping[str, Plan], now: datetime, level: int
    ) -> tuple[datetime, TableRow]:
        key = entry_key(exchange)
        found, when, row = self._rows.get(key, (None, _ANY_TIME, None))
        if row is None or found is not exchange or row.level != level:
            when = datetime.fromisoformat(exchange.request.written)
            row = entry_row(exchange, plans, now, level)
            self._rows[key] = exchange, when, row
        return when, row

    def exchanges(self) -> list[Exchange]:
        """Return the entries that are beneath no plan, newest first."""
        show, _words = self._query or (HistoryShow.APPLIED, "")
        listed = self._exchanges.listed(show) if show.has_entries else []
        plans = set(self._plans)
        return [each for each in listed if plan_of(each.request) not in plans or not each.request.plan_id]

    def read_until(self, when: datetime) -> None:
        """Read the next page if it has rows as new as this."""
        if self._next is not None and when <= self._read_to and self._view.isVisible():
            before, self._next = self._next, None
            self._ask(before, self._filter(), self._got_found)

    def _filter(self) -> JournalFilter:
        assert self._query is not None
        return self._query[0].query(self._plans)

    def _start(self) -> None:
        self._coming, self._next, self._newest, self.failure = Exchanges(), None, 0, ""
        if self._has_entries:
            self._ask(None, self._filter(), self._got_found)
            self._follow()
        else:
            self._exchanges = self._coming

    @property
    def _has_entries(self) -> bool:
        return self._query is not None and self._query[0].has_entries

    def _follow(self) -> None:
        """Read the newly written entries if the list is visible.

        They are read without the filter, because a reply changes what a listed request is.
        """
        if self._view.isVisible() and self._has_entries:
            self._ask(None, EVERY_ENTRY, self._got_newest)

    def _ask(
        self, before: int | None, only: JournalFilter, on_found: Callable[[Exchanges, JournalFound], None]
    ) -> None:
        assert self._query is not None
        then, failed = partial(on_found, self._coming), partial(self._report_failure, self._coming)
        self._desk.project.find_in_journal(self._query[1], before, only, then, failed)

    def _report_failure(self, target: Exchanges, error: StudioError) -> None:
        """Report that the journal can't be read, keeping the hits so far."""
        self._desk.project.report(error)
        if target is self._coming:
            self._exchanges, self.failure = target, error.message
            self.changed.emit()

    def _got_found(self, target: Exchanges, found: JournalFound) -> None:
        if target is self._coming:
            self._exchanges, self._next = target, found.before
            times = (datetime.fromisoformat(row.written) for row in found.rows)
            self._read_to = min(times, default=_ANY_TIME)
            target.add(found.rows)
            self.changed.emit()

    def _got_newest(self, target: Exchanges, found: JournalFound) -> None:
        if target is not self._coming:
            return
        if self._newest and found.before is not None and found.before > self._newest + 1:
            # More than one page was written: start over instead of leaving a gap.
            self._start()
            return
        self._newest = max((self._newest, *(row.position for row in found.rows)))
        if target.add(found.rows) and not self.is_pending:
            self.changed.emit()

    # Entries of one plan, beneath its row

    def show_beneath(self, entry: HistoryEntry, *, are_shown: bool) -> None:
        """Show or hide the entries of an applied plan or part."""
        if not are_shown:
            self.opened.pop(entry.key, None)
            self.changed.emit()
            return
        steps = tuple(step.id for step in entry.written) if entry.is_part else ()
        only = JournalFilter(plan_id=entry.plan.id, step_ids=steps)
        self._desk.project.find_in_journal("", None, only, partial(self._got_beneath, entry.key))

    def _got_beneath(self, key: str, found: JournalFound) -> None:
        exchanges = Exchanges()
        exchanges.add(found.rows)
        self.opened[key] = exchanges, found.before is not None
        self.changed.emit()

    def beneath(self, key: str, plans: Mapping[str, Plan], now: datetime) -> list[TableRow]:
        """Return the rows beneath the row of an opened plan."""
        exchanges, has_more = self.opened[key]
        rows = [self._row(each, plans, now, 1)[1] for each in exchanges.listed()]
        if has_more:
            text = self.tr("This plan has older entries. Press P to list all entries.")
            cells = (Cell(), Cell(text, "muted", size=SECOND), *[Cell()] * 5)
            rows.append(TableRow(f"{_MORE}{key}", cells, text, level=1))
        return rows

    # Rows

    def _emit_wanted(self, extent: AllOf) -> None:
        self.wanted.emit(self._hovered(), extent)

    def exchange(self, key: str) -> Exchange | None:
        """Return the entry of a row, None for another row."""
        return self._rows[key][0] if key in self._rows else None

    def id_of(self, key: str, extent: AllOf) -> str:
        """Return the id of a row's request, step or plan, else ""."""
        exchange = self.exchange(key)
        if exchange is None:
            is_plan = extent is AllOf.PLAN and "entry/" not in key and "snapshot/" not in key
            return key.removeprefix(_MORE).partition("/")[0] if is_plan else ""
        request = exchange.request
        return {
            AllOf.REQUEST: request.entry.correlation_id,
            AllOf.STEP: request.step_id,
            AllOf.PLAN: plan_of(request),
        }[extent]


_MORE = "more/"
