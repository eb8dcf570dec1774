"""Whose changes of which files did not match, so that a second one in a row goes to a person (C41)."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from studio.engine.store import rows, values
from studio.engine.store.database import Database, readable


@dataclass(frozen=True, slots=True)
class Mismatch:
    """How many changes of a file by one agent failed in a row, and the file's SHA-256 at the last."""

    times: int
    sha256: str


class Mismatches:
    """The failures of one project. Methods that write take the transaction's connection."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, agent: str, path: str) -> Mismatch | None:
        """What is remembered of an agent and a path; None after a change that did match."""
        with self._database.read() as connection:
            found = connection.execute(
                "SELECT times, sha256 FROM mismatches WHERE agent = ? AND path = ?",
                (agent, rows.path_bytes(path)),
            ).fetchone()
        if found is None:
            return None
        with readable(self._database.file):
            return Mismatch(values.checked_count(found[0], "times"), values.checked_hash(found[1], "sha256"))

    def add(self, connection: sqlite3.Connection, agent: str, path: str, sha256: str) -> None:
        """One more failure, on a file with these bytes."""
        connection.execute(
            "INSERT INTO mismatches VALUES (?, ?, ?, 1) ON CONFLICT (agent, path) "
            "DO UPDATE SET times = times + 1, sha256 = excluded.sha256",
            (agent, rows.path_bytes(path), sha256),
        )

    def forget(self, connection: sqlite3.Connection, agent: str, path: str) -> None:
        """A change of this file by this agent fitted."""
        connection.execute(
            "DELETE FROM mismatches WHERE agent = ? AND path = ?", (agent, rows.path_bytes(path))
        )
