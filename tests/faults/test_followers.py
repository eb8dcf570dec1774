"""Followers never make the store's write-ahead file long; fifty: `python -m tests.faults.followers`."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from studio.engine.store import Store
from studio.journal.entries import FileStat
from tests.faults.followers import AT_MOST_BYTES, measure

KEPT_BYTES = 8 * 1024 * 1024


def test_followers_see_everything_and_the_file_stays_small(tmp_path: Path) -> None:
    found = measure(tmp_path / "store", processes=2, threads=4, entries=1000)
    print(found)
    assert found["saw_all"] == found["followers"] == 8
    assert 0 < found["largest_bytes"] <= AT_MOST_BYTES


def test_the_file_shrinks_once_a_reader_that_held_it_is_gone(tmp_path: Path) -> None:
    """While somebody reads in one long transaction it has to grow; nobody waits long for that reader."""
    store = Store(tmp_path)
    log = tmp_path / "store.sqlite3-wal"
    store.journal.write(FileStat("c0", "a.txt"))
    reader = sqlite3.connect(store.database.file, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT COUNT(*) FROM journal").fetchone()

    def write(times: int) -> None:
        for number in range(times):
            with store.database.write() as connection:
                row = (number.to_bytes(32, "big"), 1_000_000, bytes(1_000_000))
                connection.execute("INSERT OR REPLACE INTO blobs VALUES (?, ?, ?)", row)
                store.journal.append(connection, "", [("", FileStat(f"c{number}", "a.txt"))])

    write(12)
    assert log.stat().st_size > KEPT_BYTES
    reader.execute("ROLLBACK")
    reader.close()
    write(3)
    assert log.stat().st_size < KEPT_BYTES
    assert store.journal.verify().damaged_at is None
    store.close()
