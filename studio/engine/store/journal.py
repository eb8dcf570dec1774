"""The append-only journal: gap-free positions, each entry's hash covering the one before (contract 7)."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from typing import cast

from studio.engine.branch.entries import REQUEST_TYPES, Entry, Request, from_json, to_json
from studio.engine.store import rows
from studio.engine.store.database import Database, damaged


@dataclass(frozen=True, slots=True)
class JournalRow:
    """One entry as it stands in the journal; positions start at 1."""

    position: int
    written: str
    plan_id: str
    step_id: str
    entry: Entry
    hash: str


class Journal:
    """The one journal of a project."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def append(
        self, connection: sqlite3.Connection, plan_id: str, entries: Iterable[tuple[str, Entry]]
    ) -> None:
        """Append (step id, entry) pairs inside the caller's transaction."""
        row = connection.execute(
            "SELECT position, hash FROM journal ORDER BY position DESC LIMIT 1"
        ).fetchone()
        position, previous = (int(row[0]), bytes(row[1])) if row else (0, b"")
        for step_id, entry in entries:
            position += 1
            text = to_json(entry)
            previous = _link(previous, text)
            connection.execute(
                "INSERT INTO journal VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    position,
                    rows.time_text(rows.now()),
                    plan_id,
                    step_id,
                    entry.correlation_id,
                    type(entry).__name__,
                    text,
                    previous,
                ),
            )

    def rows(self, *, plan_id: str | None = None, after: int = 0) -> tuple[JournalRow, ...]:
        """Entries in order: of one plan, or all with a position greater than `after`."""
        where, value = ("plan_id = ?", plan_id) if plan_id is not None else ("position > ?", after)
        with self._database.read() as connection:
            found = connection.execute(
                "SELECT position, written, plan_id, step_id, entry, hash FROM journal "
                f"WHERE {where} ORDER BY position",
                (value,),
            ).fetchall()
        try:
            return tuple(
                JournalRow(position, written, plan, step, from_json(entry), bytes(link).hex())
                for position, written, plan, step, entry, link in found
            )
        except ValueError as error:
            raise damaged(self._database.file, error) from error

    def unanswered(self, plan_id: str) -> tuple[tuple[str, Request], ...]:
        """The (step id, request) pairs of a plan's last attempt that have no reply yet: what a crash left."""
        found = self.rows(plan_id=plan_id)
        answered = {
            row.entry.correlation_id for row in found if type(row.entry).__name__ not in REQUEST_TYPES
        }
        return tuple(
            (row.step_id, cast("Request", row.entry))
            for row in found
            if type(row.entry).__name__ in REQUEST_TYPES and row.entry.correlation_id not in answered
        )

    def last_requests(self, plan_id: str) -> tuple[tuple[str, Request], ...]:
        """The (step id, request) pairs of a plan's last attempt."""
        attempt = str(self.attempts(plan_id))
        return tuple(
            (row.step_id, cast("Request", row.entry))
            for row in self.rows(plan_id=plan_id)
            if type(row.entry).__name__ in REQUEST_TYPES
            and row.entry.correlation_id.rpartition("-")[2] == attempt
        )

    def attempts(self, plan_id: str) -> int:
        """How often this plan's requests have been written so far: the last part of a correlation id."""
        correlations = (row.entry.correlation_id for row in self.rows(plan_id=plan_id))
        return max((int(text.rpartition("-")[2]) for text in correlations), default=0)

    def first_damage(self) -> int | None:
        """The position of the first entry whose hash or number is wrong, None if the chain is whole."""
        with self._database.read() as connection:
            found = connection.execute(
                "SELECT position, entry, hash FROM journal ORDER BY position"
            ).fetchall()
        previous = b""
        for expected, (position, text, stored) in enumerate(found, start=1):
            previous = _link(previous, text)
            if position != expected or previous != bytes(stored):
                return expected
        return None


def _link(previous: bytes, text: str) -> bytes:
    return hashlib.sha256(previous + text.encode()).digest()
