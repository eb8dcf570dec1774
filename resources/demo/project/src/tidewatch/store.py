"""Keeps tides in a small SQLite database."""

import sqlite3
from collections.abc import Iterable
from datetime import datetime, timedelta
from pathlib import Path

from tidewatch.tides import Tide

SCHEMA = Path(__file__).resolve().parents[2] / "sql" / "schema.sql"


class Store:
    """Tides by station and time."""

    def __init__(self, file: Path | str = ":memory:") -> None:
        self.connection = sqlite3.connect(file)
        self.connection.executescript(SCHEMA.read_text("utf-8"))

    def save(self, station: str, tides: Iterable[Tide]) -> int:
        """Stores the tides, replacing those of the same moment; returns how many."""
        rows = [(station, tide.at.isoformat(), tide.metres, tide.high) for tide in tides]
        self.connection.executemany("INSERT OR REPLACE INTO tide VALUES (?, ?, ?, ?)", rows)
        self.connection.commit()
        return len(rows)

    def between(self, station: str, start: datetime, end: datetime) -> list[Tide]:
        """The station's tides of a stretch of time, in order."""
        found = self.connection.execute(
            "SELECT at, metres, high FROM tide WHERE station = ? AND at BETWEEN ? AND ? ORDER BY at",
            (station, start.isoformat(), end.isoformat()),
        )
        return [Tide(datetime.fromisoformat(at), metres, bool(high)) for at, metres, high in found]

    def forget_before(self, now: datetime, keep_days: int) -> int:
        """Removes what is older than `keep_days`; returns how many."""
        oldest = now - timedelta(days=keep_days)
        removed = self.connection.execute("DELETE FROM tide WHERE at < ?", (oldest.isoformat(),))
        self.connection.commit()
        return removed.rowcount

    def close(self) -> None:
        self.connection.close()
