"""Append-only journal of a store, with a hash chain."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Sequence

from studio.engine.store import rows, values
from studio.engine.store.blobs import Blobs
from studio.engine.store.chain import SECOND_RULE, Chain, ChainReport, Link, link
from studio.engine.store.database import Database, readable
from studio.journal.entries import (
    REPLY_TYPES,
    Entry,
    FileFault,
    Payload,
    WritingRequest,
    from_json,
    payload_of,
    to_json,
)
from studio.journal.journal import Journal, Positioned
from studio.limits import JOURNAL_BATCH_UP_TO
from studio.values import Value

_COLUMNS = "position, written, plan_id, step_id, entry, hash"
_INSERT = "INSERT INTO journal VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
_CHAINED = """
    SELECT position, CAST(written AS BLOB), CAST(plan_id AS BLOB), CAST(step_id AS BLOB), CAST(entry AS BLOB),
        hash, rule, CASE WHEN json_valid(entry) THEN json_extract(entry, '$.correlationId') IS correlation_id
        AND json_extract(entry, '$."$type"') IS type ELSE 0 END
    FROM journal WHERE position > ? ORDER BY position LIMIT ?
"""
"""Query for what the hashes cover, byte for byte, whatever is stored.

Also whether the two indexed columns agree with the entry.
"""

_LISTED = "(SELECT value FROM json_each(?))"
_REPLIES = json.dumps([kind.__name__ for kind in REPLY_TYPES])
_UNANSWERED = f"""
    position IN (
        SELECT MIN(position) FROM journal
        GROUP BY plan_id, correlation_id HAVING MAX(type IN {_LISTED}) = 0
    )
"""


class JournalRow(Value):
    """One stored entry; positions start at 1, `hash` is hex."""

    position: int
    written: str
    plan_id: str
    step_id: str
    entry: Entry
    hash: str


class JournalFilter(Value):
    """Which entries are read; an empty field excludes none.

    `types` are names of entry classes. An unanswered one is a request without a reply.
    """

    plan_id: str = ""
    step_ids: tuple[str, ...] = ()
    but_plans: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    is_unanswered: bool = False


EVERY_ENTRY = JournalFilter()


class JournalText(Value):
    """A stored entry as unparsed text."""

    position: int
    plan_id: str
    step_id: str
    entry: str


class StoredJournal(Journal[Entry]):
    """Journal of a project or of a leaf, shared by processes.

    Followers read in short transactions, so that the write-ahead log stays small.
    """

    def __init__(self, database: Database, blobs: Blobs) -> None:
        self._database = database
        self._blobs = blobs

    def append(
        self, connection: sqlite3.Connection, plan_id: str, entries: Iterable[tuple[str, Entry]]
    ) -> int:
        """Append (step id, entry) pairs in the caller's transaction.

        Returns the last position.
        """
        row = connection.execute(
            "SELECT position, hash FROM journal ORDER BY position DESC LIMIT 1"
        ).fetchone()
        position, previous = 0, b""
        if row is not None:
            with readable(self._database.file):
                last = {"position": row[0], "hash": row[1]}
                position, previous = values.count(last, "position"), values.data(last, "hash")
        written = rows.time_text(rows.now())
        added: list[tuple[object, ...]] = []
        for step_id, entry in entries:
            position += 1
            text = to_json(entry)
            previous = link(previous, written, plan_id, step_id, text.encode())
            found_by = (entry.correlation_id, type(entry).__name__)
            added.append((position, written, plan_id, step_id, *found_by, text, previous, SECOND_RULE))
        connection.executemany(_INSERT, added)
        return position

    def write(self, entry: Entry) -> int:
        """Append one entry of no plan, durably, after storing its bytes."""
        payload = payload_of(entry)
        if isinstance(payload, bytes):
            self._blobs.add([payload])
        with self._database.write() as connection:
            return self.append(connection, "", [("", entry)])

    def read(self, after: int = 0, *, limit: int = JOURNAL_BATCH_UP_TO) -> tuple[Positioned[Entry], ...]:
        found = self._select_rows("WHERE position > ? ORDER BY position LIMIT ?", (after, limit))
        return tuple(Positioned(row.position, row.entry) for row in found)

    def read_backward(
        self, before: int | None = None, *, limit: int = JOURNAL_BATCH_UP_TO
    ) -> tuple[Positioned[Entry], ...]:
        return tuple(Positioned(row.position, row.entry) for row in self.newest(before, limit=limit))

    def newest(self, before: int | None = None, *, limit: int) -> tuple[JournalRow, ...]:
        """Return rows before a position, or all for None, latest first."""
        if before is None:
            return self._select_rows("ORDER BY position DESC LIMIT ?", (limit,))
        return self._select_rows("WHERE position < ? ORDER BY position DESC LIMIT ?", (before, limit))

    def texts(self, before: int | None = None, *, limit: int, only: JournalFilter) -> tuple[JournalText, ...]:
        """Return the filtered rows before a position, with the entries unparsed."""
        conditions, parameters = _conditions(before, only)
        with self._database.read() as connection:
            cursor = connection.cursor()
            cursor.row_factory = sqlite3.Row
            found = cursor.execute(
                f"SELECT position, plan_id, step_id, entry FROM journal WHERE {conditions} "
                "ORDER BY position DESC LIMIT ?",
                (*parameters, limit),
            ).fetchall()
        with readable(self._database.file):
            return tuple(
                JournalText(
                    values.count(row, "position"),
                    values.text(row, "plan_id"),
                    values.text(row, "step_id"),
                    values.text(row, "entry"),
                )
                for row in found
            )

    def at(self, positions: Sequence[int]) -> tuple[JournalRow, ...]:
        """Return the rows at these positions, latest first."""
        marks = ", ".join("?" * len(positions))
        return self._select_rows(f"WHERE position IN ({marks}) ORDER BY position DESC", tuple(positions))

    def exchanges(self, plan_id: str, correlation_ids: Sequence[str]) -> tuple[JournalRow, ...]:
        """Return a plan's requests with these ids, and their replies."""
        marks = ", ".join("?" * len(correlation_ids))
        where = f"WHERE plan_id = ? AND correlation_id IN ({marks})"
        return self._select_rows(where, (plan_id, *correlation_ids))

    def rows(self, *, plan_id: str | None = None) -> tuple[JournalRow, ...]:
        """Return the rows of a plan, or all, in order."""
        if plan_id is not None:
            return self._select_rows("WHERE plan_id = ? ORDER BY position", (plan_id,))
        return self._select_rows("ORDER BY position", ())

    def every_row(self) -> Iterator[JournalRow]:
        """Yield all rows, read in batches."""
        after = 0
        while found := self._select_rows(
            "WHERE position > ? ORDER BY position LIMIT ?", (after, JOURNAL_BATCH_UP_TO)
        ):
            yield from found
            after = found[-1].position

    def bytes_of(self, payload: Payload) -> bytes:
        return payload if isinstance(payload, bytes) else self._blobs.get(payload.sha256)

    def unanswered(self, plan_id: str) -> tuple[tuple[str, WritingRequest], ...]:
        """Return a plan's (step id, request) pairs without a reply.

        A crash leaves them.
        """
        found = self.rows(plan_id=plan_id)
        answered = {row.entry.correlation_id for row in found if isinstance(row.entry, REPLY_TYPES)}
        return tuple(
            (row.step_id, row.entry)
            for row in found
            if isinstance(row.entry, WritingRequest) and row.entry.correlation_id not in answered
        )

    def done_requests(self, plan_id: str) -> tuple[WritingRequest, ...]:
        """Return a plan's requests that were carried out, in order."""
        found = self.rows(plan_id=plan_id)
        done = {
            row.entry.correlation_id
            for row in found
            if isinstance(row.entry, REPLY_TYPES) and not isinstance(row.entry, FileFault)
        }
        return tuple(
            row.entry
            for row in found
            if isinstance(row.entry, WritingRequest) and row.entry.correlation_id in done
        )

    def last_requests(self, plan_id: str) -> tuple[tuple[str, WritingRequest], ...]:
        """Return the (step id, request) pairs of a plan's last attempt."""
        attempt = str(self.attempts(plan_id))
        return tuple(
            (row.step_id, row.entry)
            for row in self.rows(plan_id=plan_id)
            if isinstance(row.entry, WritingRequest)
            and row.entry.correlation_id.rpartition("-")[2] == attempt
        )

    def attempts(self, plan_id: str) -> int:
        """Return how often a plan's requests were written.

        This is the last part of a correlation id.
        """
        with self._database.read() as connection:
            found = connection.execute(
                "SELECT correlation_id FROM journal WHERE plan_id = ?", (plan_id,)
            ).fetchall()
        with readable(self._database.file):
            return max((_parse_attempt(text) for (text,) in found), default=0)

    def verify(self) -> ChainReport:
        """Verify the hash chain of all rows."""
        chain = Chain()
        while True:
            with self._database.read() as connection:
                found = connection.execute(_CHAINED, (chain.position, JOURNAL_BATCH_UP_TO)).fetchall()
            if not found:
                return chain.report()
            for position, written, plan, step, text, stored, rule, is_found_by in found:
                row = Link(
                    position,
                    _decode_stored(written),
                    _decode_stored(plan),
                    _decode_stored(step),
                    text,
                    stored,
                    rule,
                )
                why = chain.find_break(row) if is_found_by else "it was changed"
                if why:
                    return chain.report(why)

    def _select_rows(self, where: str, parameters: tuple[object, ...]) -> tuple[JournalRow, ...]:
        with self._database.read() as connection:
            cursor = connection.cursor()
            cursor.row_factory = sqlite3.Row
            found = cursor.execute(f"SELECT {_COLUMNS} FROM journal {where}", parameters).fetchall()
        with readable(self._database.file):
            return tuple(_build_row(row) for row in found)

    def _wait(self, after: int, seconds: float, cancel: threading.Event) -> None:
        with self._database.read() as connection:
            (last,) = connection.execute("SELECT MAX(position) FROM journal").fetchone()
        if (last or 0) <= after:
            cancel.wait(seconds)


def _conditions(before: int | None, only: JournalFilter) -> tuple[str, tuple[object, ...]]:
    """Return the conditions of a query for filtered rows, and their parameters."""
    conditions: dict[str, object] = {
        "position < ?": before,
        "plan_id = ?": only.plan_id or None,
        f"step_id IN {_LISTED}": json.dumps(only.step_ids) if only.step_ids else None,
        f"plan_id NOT IN {_LISTED}": json.dumps(only.but_plans) if only.but_plans else None,
        f"type IN {_LISTED}": json.dumps(only.types) if only.types else None,
        _UNANSWERED: _REPLIES if only.is_unanswered else None,
    }
    given = {condition: value for condition, value in conditions.items() if value is not None}
    return " AND ".join(given) or "TRUE", tuple(given.values())


def _build_row(row: sqlite3.Row) -> JournalRow:
    position = values.count(row, "position")
    try:
        return JournalRow(
            position,
            values.text(row, "written"),
            values.text(row, "plan_id"),
            values.text(row, "step_id"),
            from_json(values.text(row, "entry")),
            values.data(row, "hash").hex(),
        )
    except ValueError as error:
        raise ValueError(f"in entry {position} of the journal {error}") from error


def _parse_attempt(correlation_id: object) -> int:
    number = str(correlation_id).rpartition("-")[2]
    if not number.isdecimal():
        raise ValueError("“correlation_id” contains no attempt number")
    return int(number)


def _decode_stored(stored: bytes) -> str:
    """Decode bytes that may not be UTF-8.

    Such text was not written by us and equals none of ours.
    """
    return stored.decode("utf-8", "surrogateescape")
