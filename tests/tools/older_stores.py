"""Stores as older versions left them: one that the code of then made, and newer ones set back."""

from __future__ import annotations

import hashlib
import os
import sqlite3
from pathlib import Path

from studio.engine.app_folders import project_key

DATA = Path(__file__).parents[1] / "data"
EXPORT_OF_FIRST_RULE = DATA / "export-version-1.ndjson"
"""The export, with contents, of the store in `store-version-4.sql`."""
ENTRIES_OF_FIRST_RULE = 14

_SET_BACK = {
    4: (
        "ALTER TABLE plans DROP COLUMN discarded_by",
        "ALTER TABLE plans DROP COLUMN discarded_seen",
        "ALTER TABLE journal DROP COLUMN rule",
    ),
    5: ("DROP TABLE dismissals",),
    6: ("DROP TABLE sessions", "ALTER TABLE plans DROP COLUMN session"),
    7: ("ALTER TABLE plans DROP COLUMN message",),
    8: ("DROP TABLE calls", "ALTER TABLE plans DROP COLUMN waits"),
    10: ("ALTER TABLE plans DROP COLUMN restores",),
    11: ("DROP TABLE trials", "DROP TABLE left_out"),
    12: ("ALTER TABLE steps DROP COLUMN unit",),
}
"""What undoes a version, by the number of the one before."""


def set_back(connection: sqlite3.Connection, version: int) -> None:
    """Give a store of today the tables and hashes of an older version, not before the fourth."""
    for number in sorted((number for number in _SET_BACK if number >= version), reverse=True):
        for statement in _SET_BACK[number]:
            connection.execute(statement)
    previous = b""
    entries = connection.execute("SELECT position, entry FROM journal ORDER BY position").fetchall()
    for position, entry in entries:
        previous = hashlib.sha256(previous + entry.encode()).digest()
        connection.execute("UPDATE journal SET hash = ? WHERE position = ?", (previous, position))
    connection.execute(f"PRAGMA user_version = {version}")


def lay_out_version_6(project: Path) -> Path:
    """The store that commit 6a7b61c made, as that of an empty project, and the file as it left it.

    One plan is applied, one rejected and dismissed, one waits. Returns the store's file.
    """
    (project / "a.txt").write_bytes(b"eins\ntwo\n")
    return _laid_out(project, "store-version-6.sql")


def lay_out_version_8(project: Path) -> Path:
    """The store that commit 2142dc6 made, as that of an empty project, and the file as it left it.

    One plan is applied, one of a session waits. Returns the store's file.
    """
    (project / "a.txt").write_bytes(b"eins\ntwo\n")
    return _laid_out(project, "store-version-8.sql")


def lay_out_version_4(project: Path) -> Path:
    """The store that commit 0fe30b5 made, as that of an empty project, and the files as it left them.

    Three plans are applied (the third takes the second back), one waits. Returns the store's file.
    """
    (project / "a.txt").write_bytes(b"eins\ntwo\n")
    (project / "log.txt").write_bytes(b"log\n")
    (project / "src").mkdir()
    (project / "src" / "new.txt").write_bytes(b"new\n")
    return _laid_out(project, "store-version-4.sql")


def _laid_out(project: Path, name: str) -> Path:
    file = Path(os.environ["STUDIO_STATE_DIR"], project_key(project), "store.sqlite3")
    file.parent.mkdir(parents=True, mode=0o700)
    connection = sqlite3.connect(file)
    connection.executescript((DATA / name).read_text(encoding="utf-8"))
    connection.close()
    return file
