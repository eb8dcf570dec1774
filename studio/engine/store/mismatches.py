"""Stored counters of an agent's consecutive edits that failed to match.

After the second one by the same agent, the file is left to a person.
"""

from __future__ import annotations

import sqlite3

from studio.engine.store import rows, values
from studio.engine.store.database import Database, readable
from studio.values import Value


class Mismatch(Value):
    """Number of consecutive failures, and the file's SHA-256 at the last."""

    times: int
    sha256: str


class Mismatches:
    """Mismatch counters of one project.

    Methods that write take the transaction's connection.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, agent: str, path: str) -> Mismatch | None:
        """Return the counter of an agent and path, or None."""
        with self._database.read() as connection:
            found = connection.execute(
                "SELECT times, sha256 FROM mismatches WHERE agent = ? AND path = ?",
                (agent, rows.path_bytes(path)),
            ).fetchone()
        if found is None:
            return None
        with readable(self._database.file):
            return Mismatch(values.checked_count(found[0], "times"), values.checked_hash(found[1], "sha256"))

    def paths(self, agent: str) -> frozenset[bytes]:
        """Return the paths for which an agent has a counter, as stored."""
        with self._database.read() as connection:
            found = connection.execute("SELECT path FROM mismatches WHERE agent = ?", (agent,))
            return frozenset(path for (path,) in found)

    def add(self, connection: sqlite3.Connection, agent: str, path: str, sha256: str) -> None:
        """Count one more failure, on a file with these bytes."""
        connection.execute(
            "INSERT INTO mismatches VALUES (?, ?, ?, 1) ON CONFLICT (agent, path) "
            "DO UPDATE SET times = times + 1, sha256 = excluded.sha256",
            (agent, rows.path_bytes(path), sha256),
        )

    def reset(self, connection: sqlite3.Connection, agent: str, path: str) -> None:
        """Reset the counter after a change that matched."""
        connection.execute(
            "DELETE FROM mismatches WHERE agent = ? AND path = ?", (agent, rows.path_bytes(path))
        )
