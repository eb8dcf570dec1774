"""History rows that pair requests with replies; timeline of a plan."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from enum import Enum
from typing import TYPE_CHECKING

from msgspec import Struct, field

from studio.engine import Decision, Plan, Step, StepState, Verdict
from studio.errors import FaultKind
from studio.extras.journal_view import JournalFilter
from studio.journal.entries import (
    RECORD_TYPES,
    REPLY_TYPES,
    REQUEST_TYPES,
    Content,
    DirectoryCreate,
    FileContent,
    FileContentChunk,
    FileDelete,
    FileFault,
    FileList,
    FileListing,
    FileMetadata,
    FileModeSet,
    FileMove,
    FileRead,
    FileStat,
    FileWrite,
    FileWriteChunk,
    Record,
    Request,
    SessionChange,
    SessionListing,
    SessionRead,
    UndoDiscarded,
    payload_of,
)
from studio.names import show_name
from studio.ui.history.table import Cell, TableRow
from studio.ui.language import translator
from studio.ui.look.decision_words import decided_words
from studio.ui.look.words import count_text, counted, exact_moment, say, size
from studio.ui.widgets.row_painter import SECOND
from studio.values import Value

if TYPE_CHECKING:
    from studio.engine import HistoryEntry
    from studio.extras.journal_view import JournalRow
    from studio.journal.entries import Entry

_tr = translator("Journal")


class HistoryShow(Enum):
    """Filter of the history's rows."""

    CHANGES = "changes"
    APPLIED = "applied"
    SNAPSHOTS = "snapshots"
    JOURNAL = "journal"
    WRITES = "writes"
    DELETES = "deletes"
    MOVES = "moves"
    OTHERS = "others"
    READS = "reads"
    REQUESTS = "requests"
    ANSWERED = "answered"
    RECORDS = "records"
    FAULTS = "faults"
    UNANSWERED = "unanswered"

    @property
    def has_plans(self) -> bool:
        return self in (HistoryShow.CHANGES, HistoryShow.APPLIED)

    @property
    def has_snapshots(self) -> bool:
        return self in (HistoryShow.CHANGES, HistoryShow.SNAPSHOTS)

    @property
    def has_entries(self) -> bool:
        return self not in (HistoryShow.APPLIED, HistoryShow.SNAPSHOTS)

    def query(self, plans: Iterable[str]) -> JournalFilter:
        """Return the entries to read, without those of listed plans."""
        kinds = _KINDS.get(self, ())
        is_unanswered = self is HistoryShow.UNANSWERED
        names = tuple(kind.__name__ for kind in kinds)
        return JournalFilter(but_plans=tuple(plans), types=names, is_unanswered=is_unanswered)


_READS = (FileRead, FileList, FileStat, SessionRead, SessionListing)
_READ_REPLIES = (FileContent, FileContentChunk, FileListing, FileMetadata)
_KINDS: dict[HistoryShow, tuple[type[Entry], ...]] = {
    HistoryShow.CHANGES: tuple(
        kind
        for kind in (*REQUEST_TYPES, *REPLY_TYPES, *RECORD_TYPES)
        if kind not in (*_READS, *_READ_REPLIES)
    ),
    HistoryShow.WRITES: (FileWrite,),
    HistoryShow.DELETES: (FileDelete,),
    HistoryShow.MOVES: (FileMove,),
    HistoryShow.OTHERS: (DirectoryCreate, FileModeSet),
    HistoryShow.READS: _READS,
    HistoryShow.REQUESTS: REQUEST_TYPES,
    HistoryShow.ANSWERED: REPLY_TYPES,
    HistoryShow.RECORDS: RECORD_TYPES,
    HistoryShow.FAULTS: (FileFault,),
}
"""Entries of which one makes its exchange listed."""


class Exchange(Value):
    """A request and the last reply to it, None without one.

    `octets` is the number of bytes transferred.
    """

    request: JournalRow
    reply: JournalRow | None
    octets: int

    @property
    def fault(self) -> FileFault | None:
        entry = self.reply.entry if self.reply is not None else None
        return entry if isinstance(entry, FileFault) else None

    def passes(self, show: HistoryShow) -> bool:
        """Return whether the filter lists this exchange."""
        if show is HistoryShow.UNANSWERED:
            return self.reply is None and not isinstance(self.request.entry, RECORD_TYPES)
        kinds = _KINDS.get(show)
        rows = (self.request, self.reply) if self.reply is not None else (self.request,)
        return kinds is None or any(isinstance(row.entry, kinds) for row in rows)


class Exchanges(Struct, eq=False):
    """Journal entries read so far, paired by correlation id."""

    _asked: dict[str, JournalRow] = field(default_factory=dict)
    _replies: dict[str, JournalRow] = field(default_factory=dict)
    _chunks: dict[str, int] = field(default_factory=dict)
    _positions: set[int] = field(default_factory=set)
    _exchanges: dict[str, Exchange] = field(default_factory=dict)

    def add(self, rows: Sequence[JournalRow]) -> bool:
        """Add rows in any order; return whether any is new."""
        added = [row for row in rows if row.position not in self._positions]
        for row in added:
            self._positions.add(row.position)
            self._add(row)
        for key in {row.entry.correlation_id for row in added}:
            if request := self._asked.get(key):
                self._exchanges[key] = Exchange(request, self._replies.get(key), self._octets(key, request))
        return bool(added)

    def listed(self, show: HistoryShow = HistoryShow.JOURNAL) -> list[Exchange]:
        """Return the listed exchanges, newest request first."""
        listed = [exchange for exchange in self._exchanges.values() if exchange.passes(show)]
        return sorted(listed, key=lambda exchange: -exchange.request.position)

    def _add(self, row: JournalRow) -> None:
        key = row.entry.correlation_id
        if isinstance(row.entry, FileWriteChunk | FileContentChunk):
            self._chunks[key] = self._chunks.get(key, 0) + _size(row.entry)
        if isinstance(row.entry, REPLY_TYPES):
            answered = self._replies.get(key)
            if answered is None or answered.position < row.position:
                self._replies[key] = row
        elif not isinstance(row.entry, FileWriteChunk):
            self._asked[key] = row

    def _octets(self, key: str, request: JournalRow) -> int:
        reply = self._replies.get(key)
        answered = _size(reply.entry) if reply is not None and isinstance(reply.entry, FileContent) else 0
        return self._chunks.get(key, 0) or _size(request.entry) or answered


def fault_words(exchanges: Iterable[Exchange]) -> str:
    """Return the number of faults by kind, most frequent first, else ""."""
    kinds = Counter(each.fault.fault_kind for each in exchanges if each.fault is not None)
    if not kinds:
        return ""
    parts = [f"{count_text(count)} {_kind_words(kind)}" for kind, count in kinds.most_common()]
    return f"{counted(kinds.total(), _tr('{n} error'), _tr('{n} errors'))}: {', '.join(parts)}"


def _kind_words(kind: FaultKind) -> str:
    return {
        FaultKind.NOT_FOUND: _tr("not found"),
        FaultKind.ALREADY_EXISTS: _tr("already exists"),
        FaultKind.ACCESS_DENIED: _tr("access denied"),
        FaultKind.INVALID_PATH: _tr("invalid path"),
        FaultKind.DIRECTORY_NOT_EMPTY: _tr("folder not empty"),
        FaultKind.NOT_A_DIRECTORY: _tr("not a folder"),
        FaultKind.NOT_A_FILE: _tr("not a file"),
        FaultKind.DISK_FULL: _tr("disk full"),
        FaultKind.IO_ERROR: _tr("I/O error"),
        FaultKind.PATH_TOO_LONG: _tr("path too long"),
        FaultKind.TIMEOUT: _tr("timed out"),
    }[kind]


def entry_row(exchange: Exchange, plans: Mapping[str, Plan], now: datetime, level: int) -> TableRow:
    """Return the history's row of an exchange; `plans` by id."""
    request, fault, plan = exchange.request, exchange.fault, plans.get(plan_of(exchange.request))
    when = exact_moment(datetime.fromisoformat(request.written), now)
    entry, path = type(request.entry).__name__, _path(request.entry)
    if fault is not None:
        state, icon, token = _tr("{kind}: {words}"), "danger", "bad"
        state = say(state, kind=fault.fault_kind.value, words=show_name(fault.message))
    elif isinstance(request.entry, RECORD_TYPES):
        state, icon, token = _record_words(request.entry), "info", "muted"
    elif exchange.reply is None:
        state, icon, token = _tr("no reply yet"), "pending", "warn"
    else:
        is_rollback = plan is not None and plan.rolls_back is not None
        state = type(exchange.reply.entry).__name__
        icon, token = ("rolled-back", "muted") if is_rollback else ("applied", "ok")
    title = "" if level else show_name(plan.title if plan is not None else plan_of(request)[:8])
    octets = size(exchange.octets) if exchange.octets else ""
    cells = (
        Cell(when, "muted", size=SECOND),
        Cell(path or entry, icon=icon, icon_token=token, size=SECOND, is_path=True),
        Cell(
            f"{entry}: {state}" if path else state,
            "bad" if fault is not None else "text",
            second=f"{request.hash[:4]}…{request.hash[-2:]}",
            size=SECOND,
        ),
        Cell(title, "muted", size=SECOND),
        Cell("", size=SECOND),
        Cell(octets, "muted", size=SECOND),
        Cell(),
    )
    accessible = ", ".join(part for part in (when, entry, path, state, title) if part)
    return TableRow(entry_key(exchange), cells, accessible, level=level)


def entry_key(exchange: Exchange) -> str:
    """Return the key of an exchange's row."""
    return f"entry/{exchange.request.position}"


def plan_of(row: JournalRow) -> str:
    """Return the id of the plan an entry is about, else ""."""
    return row.entry.plan_id if isinstance(row.entry, UndoDiscarded) else row.plan_id


def _record_words(entry: Record) -> str:
    """Return the summary of an entry that the store wrote about itself."""
    if isinstance(entry, UndoDiscarded):
        return say(_tr("by {who}"), who=show_name(entry.who))
    if isinstance(entry, SessionRead | SessionListing):
        return _tr("read by an agent")
    if isinstance(entry, SessionChange):
        return _tr("changed outside the project by an agent")
    return _tr("entry hashes now include the time and plan")


def _path(entry: Request | Entry) -> str:
    path = show_name(getattr(entry, "path", ""))
    if isinstance(entry, FileMove | SessionChange) and entry.to:
        return f"{path} → {show_name(entry.to)}"
    return path


def _size(entry: Entry) -> int:
    payload = payload_of(entry)
    if payload is None:
        return 0
    return payload.size if isinstance(payload, Content) else len(payload)


# Timeline of a plan, or of one step, in one line

_line_tr = translator("Timeline")

_WRITTEN = (StepState.APPLIED, StepState.ROLLED_BACK)


def timeline_words(search: str, plans: Iterable[Plan], history: Sequence[HistoryEntry], now: datetime) -> str:
    """Return the timeline of the plan or step `search`, else "".

    It names when it was proposed, decided and by whom, applied, and rolled back.
    """
    for plan in (*plans, *(entry.plan for entry in history)):
        if plan.id == search:
            return _line(plan, plan.steps, history, now, show_name(plan.title))
        for step in plan.steps:
            if step.id == search:
                return _line(plan, (step,), history, now, show_name(step.target))
    return ""


def _line(
    plan: Plan, steps: Sequence[Step], history: Sequence[HistoryEntry], now: datetime, name: str
) -> str:
    by = show_name(plan.agent)
    proposed = say(_line_tr("proposed {when} by {who}"), who=by) if by else _line_tr("proposed {when}")
    parts = [_with_time(proposed, plan.created, now), *_decision_parts(steps, now)]
    is_written = any(step.state in _WRITTEN for step in steps)
    if plan.applied is not None and is_written:
        parts.append(_with_time(_line_tr("applied {when}"), plan.applied, now))
    if any(step.state is StepState.ROLLED_BACK for step in steps):
        is_rolled_back = _rollback_time(plan, history)
        parts.append(
            _with_time(_line_tr("rolled back {when}"), is_rolled_back, now)
            if is_rolled_back
            else _line_tr("rolled back")
        )
    if plan.discarded is not None:
        parts.append(_with_time(_line_tr("undo data discarded {when}"), plan.discarded, now))
    return f"{name}: {' → '.join(parts)}"


def _decision_parts(steps: Sequence[Step], now: datetime) -> list[str]:
    """Return a part per verdict and reviewer, by their latest decision."""
    groups: dict[tuple[Verdict, str], list[Decision]] = {}
    for step in steps:
        if step.decision is not None:
            groups.setdefault((step.decision.verdict, decided_words(step.decision)), []).append(step.decision)
    ordered = sorted(groups.items(), key=lambda group: max(decisions.when for decisions in group[1]))
    return [
        _verdict(verdict, who, decisions, now, is_one=len(steps) == 1)
        for (verdict, who), decisions in ordered
    ]


def _verdict(
    verdict: Verdict, who: str, decisions: Sequence[Decision], now: datetime, *, is_one: bool
) -> str:
    words = _verdict_words(verdict)
    if not is_one:
        steps = counted(len(decisions), _line_tr("{n} step"), _line_tr("{n} steps"))
        is_request = verdict is Verdict.REQUEST_CHANGES
        words = f"{words}, {steps}" if is_request else f"{steps} {words}"
    return _with_time(f"{words} {who} {{when}}", max(each.when for each in decisions), now)


def _verdict_words(verdict: Verdict) -> str:
    return {
        Verdict.APPROVE: _line_tr("approved"),
        Verdict.REJECT: _line_tr("rejected"),
        Verdict.REQUEST_CHANGES: _line_tr("changes requested"),
    }[verdict]


def _rollback_time(plan: Plan, history: Sequence[HistoryEntry]) -> datetime | None:
    """Return when the plan's latest rollback was applied."""
    backs = [entry.applied_at for entry in history if entry.rolls_back == plan.id]
    return max(backs, default=None)


def _with_time(words: str, when: datetime, now: datetime) -> str:
    return words.replace("{when}", exact_moment(when, now))
