"""Journal table rows pairing requests with replies; timeline text of a plan."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from enum import Enum
from typing import TYPE_CHECKING

from msgspec import Struct, field

from studio.engine import Decision, Plan, Step, StepState, Verdict
from studio.errors import FaultKind
from studio.journal.entries import (
    RECORD_TYPES,
    REPLY_TYPES,
    Content,
    FileContent,
    FileContentChunk,
    FileDelete,
    FileFault,
    FileList,
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
from studio.ui.history.table import Cell, Column, TableRow
from studio.ui.language import translator
from studio.ui.look.decision_words import decided_words
from studio.ui.look.words import count_text, counted, exact_moment, say
from studio.ui.widgets.row_painter import SECOND
from studio.values import Value

if TYPE_CHECKING:
    from studio.engine import HistoryEntry
    from studio.extras.journal_view import JournalRow
    from studio.journal.entries import Entry

_tr = translator("Journal")


class JournalShow(Enum):
    """Filter of the journal's entries."""

    ALL = "all"
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

    def passes(self, show: JournalShow) -> bool:
        """Return whether the filter lists this exchange."""
        entry = self.request.entry
        match show:
            case JournalShow.ALL:
                return True
            case JournalShow.FAULTS:
                return self.fault is not None
            case JournalShow.UNANSWERED:
                return self.reply is None and not isinstance(entry, RECORD_TYPES)
            case JournalShow.REQUESTS:
                return not isinstance(entry, RECORD_TYPES)
            case JournalShow.ANSWERED:
                return self.reply is not None
            case JournalShow.RECORDS:
                return isinstance(entry, RECORD_TYPES)
            case _:
                return _kind(entry) is show


def _kind(entry: Entry) -> JournalShow:
    match entry:
        case FileWrite():
            return JournalShow.WRITES
        case FileDelete():
            return JournalShow.DELETES
        case FileMove():
            return JournalShow.MOVES
        case FileRead() | FileList() | FileStat():
            return JournalShow.READS
        case _:
            return JournalShow.OTHERS


class Exchanges(Struct):
    """Journal entries read so far, paired by correlation id."""

    _asked: dict[str, JournalRow] = field(default_factory=dict)
    _replies: dict[str, JournalRow] = field(default_factory=dict)
    _chunks: dict[str, int] = field(default_factory=dict)
    _found: set[int] = field(default_factory=set)
    newest: int = 0
    oldest: int = 0
    """Lowest position read, 0 before the first."""

    def add(self, rows: Sequence[JournalRow]) -> None:
        """Add contiguous rows in any order, each position once."""
        for row in rows:
            if self.oldest and self.oldest <= row.position <= self.newest:
                continue
            self._add(row)
        self._follow(rows)

    def add_found(self, rows: Sequence[JournalRow]) -> None:
        """Add rows that may have gaps between them, each position once."""
        for row in rows:
            if row.position not in self._found:
                self._found.add(row.position)
                self._add(row)
        self._follow(rows)

    def _follow(self, rows: Sequence[JournalRow]) -> None:
        positions = [row.position for row in rows]
        if positions:
            self.newest = max(self.newest, *positions)
            self.oldest = min(self.oldest or positions[0], *positions)

    def listed(self, show: JournalShow) -> list[Exchange]:
        """Return the listed exchanges, newest request first."""
        found = (
            Exchange(row, self._replies.get(key), self._octets(key, row)) for key, row in self._asked.items()
        )
        listed = [exchange for exchange in found if exchange.passes(show)]
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
    return f"{counted(kinds.total(), _tr('{n} fault'), _tr('{n} faults'))}: {', '.join(parts)}"


def _kind_words(kind: FaultKind) -> str:
    return {
        FaultKind.NOT_FOUND: _tr("not found"),
        FaultKind.ALREADY_EXISTS: _tr("there already"),
        FaultKind.ACCESS_DENIED: _tr("access denied"),
        FaultKind.INVALID_PATH: _tr("invalid path"),
        FaultKind.DIRECTORY_NOT_EMPTY: _tr("folder not empty"),
        FaultKind.NOT_A_DIRECTORY: _tr("not a folder"),
        FaultKind.NOT_A_FILE: _tr("not a file"),
        FaultKind.DISK_FULL: _tr("disk full"),
        FaultKind.IO_ERROR: _tr("read or write error"),
        FaultKind.PATH_TOO_LONG: _tr("path too long"),
        FaultKind.TIMEOUT: _tr("out of time"),
    }[kind]


def journal_columns() -> tuple[Column, ...]:
    return (
        Column(_tr("When"), 140),
        Column(_tr("Entry"), 150),
        Column(_tr("Path"), 0),
        Column(_tr("Bytes"), 90),
        Column(_tr("Reply"), 220),
        Column(_tr("Plan"), 210),
        Column(_tr("Hash"), 96),
    )


def journal_rows(
    exchanges: Iterable[Exchange], titles: Mapping[str, str], rollbacks: frozenset[str], now: datetime
) -> tuple[TableRow, ...]:
    """Return a row per exchange; `rollbacks` are ids of rollback plans.

    `titles` are those of cached plans.
    """
    return tuple(_row(exchange, titles, rollbacks, now) for exchange in exchanges)


def _row(exchange: Exchange, titles: Mapping[str, str], rollbacks: frozenset[str], now: datetime) -> TableRow:
    request, fault = exchange.request, exchange.fault
    when = exact_moment(datetime.fromisoformat(request.written), now)
    entry, path = type(request.entry).__name__, _path(request.entry)
    if fault is not None:
        reply, icon, token = _tr("{kind}: {words}"), "danger", "bad"
        reply = say(reply, kind=fault.fault_kind.value, words=show_name(fault.message))
    elif isinstance(request.entry, RECORD_TYPES):
        reply, icon, token = _record_words(request.entry), "info", "muted"
    elif exchange.reply is None:
        reply, icon, token = _tr("no reply yet"), "pending", "warn"
    else:
        reply = type(exchange.reply.entry).__name__
        icon, token = ("rolled-back", "muted") if request.plan_id in rollbacks else ("applied", "ok")
    plan_id = plan_of(request)
    plan = show_name(titles.get(plan_id, plan_id[:8]))
    octets = count_text(exchange.octets) if exchange.octets else ""
    cells = (
        Cell(when, "muted", size=SECOND),
        Cell(entry, icon=icon, icon_token=token, size=SECOND),
        Cell(path, size=SECOND, is_path=True),
        Cell(octets, size=SECOND),
        Cell(reply, "bad" if fault is not None else "text", size=SECOND),
        Cell(plan, size=SECOND),
        Cell(f"{request.hash[:4]}…{request.hash[-2:]}", "muted", size=SECOND),
    )
    accessible = ", ".join(part for part in (when, entry, path, reply, plan) if part)
    return TableRow(str(request.position), cells, accessible)


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
        return _tr("changed by an agent, outside of the project")
    return _tr("hashes cover time and plan")


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
        parts.append(_with_time(_line_tr("its undo discarded {when}"), plan.discarded, now))
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
        words = f"{counted(len(decisions), _line_tr('{n} step'), _line_tr('{n} steps'))} {words}"
    return _with_time(f"{words} {who} {{when}}", max(each.when for each in decisions), now)


def _verdict_words(verdict: Verdict) -> str:
    return {
        Verdict.APPROVE: _line_tr("approved"),
        Verdict.REJECT: _line_tr("rejected"),
        Verdict.REQUEST_CHANGES: _line_tr("sent back"),
    }[verdict]


def _rollback_time(plan: Plan, history: Sequence[HistoryEntry]) -> datetime | None:
    """Return when the plan's latest rollback was applied."""
    backs = [entry.applied_at for entry in history if entry.rolls_back == plan.id]
    return max(backs, default=None)


def _with_time(words: str, when: datetime, now: datetime) -> str:
    return words.replace("{when}", exact_moment(when, now))
