"""A project's SQLite store: plans, sessions, journal, blobs, and root folder check."""

from __future__ import annotations

import os
import uuid
from contextlib import suppress
from pathlib import Path

from studio.engine.store.blobs import Blobs
from studio.engine.store.calls import Calls
from studio.engine.store.database import Database
from studio.engine.store.journal import StoredJournal
from studio.engine.store.mismatches import Mismatches
from studio.engine.store.observed import ObservedRows
from studio.engine.store.plans import ExcludedPaths, Plans
from studio.engine.store.session_events import SessionEvents, Trials
from studio.engine.store.sessions import Sessions
from studio.engine.store.unsaved_input import UnsentTexts
from studio.errors import Conflict, StudioError


class Store:
    """One thread's connection to a project's store."""

    def __init__(self, folder: Path, *, read_only: bool = False) -> None:
        """Open the store, or create it unless `read_only`.

        Raises Refused where the state folder can't be used.
        """
        self.database = Database(folder, read_only=read_only)
        self.blobs = Blobs(self.database)
        self.plans = Plans(self.database)
        self.unsent = UnsentTexts(self.database)
        self.mismatches = Mismatches(self.database)
        self.sessions = Sessions(self.database)
        self.session_events = SessionEvents(self.database)
        self.calls = Calls(self.database)
        self.left_out = ExcludedPaths(self.database)
        self.trials = Trials(self.database)
        self.observed = ObservedRows(self.database)
        self.journal = StoredJournal(self.database, self.blobs)

    @property
    def lock_file(self) -> Path:
        return self.database.folder / "writer.lock"

    def check_root(self, path: Path, identity: str, lasting: str) -> bool:
        """Return whether the root is the folder this store belongs to.

        The first call records its path and identities.
        """
        if self.database.is_newer:
            return True
        stored = self._read_root()
        is_same = _is_known(stored, identity, lasting)
        if is_same is not False and "lasting" not in stored:
            with self.database.write() as connection:
                root = os.fsencode(path)  # a path may be in no encoding
                for row in (("root", root), ("identity", identity), ("lasting", lasting)):
                    connection.execute("INSERT OR IGNORE INTO meta VALUES (?, ?)", row)
        return is_same is not False

    def is_root(self, identity: str, lasting: str) -> bool | None:
        """Return whether the recorded root has these identities.

        None where no root is recorded yet.
        """
        return _is_known(self._read_root(), identity, lasting)

    def accept_root(self, identity: str, lasting: str) -> None:
        """Record the root folder that a person confirmed as the project's."""
        with self.database.write() as connection:
            for row in (("identity", identity), ("lasting", lasting)):
                connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", row)

    def _read_root(self) -> dict[str, object]:
        with self.database.read() as connection:
            return dict(connection.execute("SELECT key, value FROM meta").fetchall())

    def note_snapshots(self) -> None:
        """Make other processes notice a change of snapshots.

        Snapshots are outside of the database. A notification may be lost; the next check of an open project
        finds that the store's data version has changed.
        """
        with suppress(StudioError), self.database.write() as connection:
            version = uuid.uuid4().hex
            connection.execute("INSERT OR REPLACE INTO meta VALUES ('snapshots', ?)", (version,))

    def close(self) -> None:
        self.database.close()


def _is_known(stored: dict[str, object], identity: str, lasting: str) -> bool | None:
    if "root" not in stored:
        return None
    # Another disk may get the same device number, and has the same inode as its root. Earlier versions
    # recorded that number alone.
    return stored["lasting"] == lasting if "lasting" in stored else stored.get("identity") == identity


def root_replaced(path: Path) -> Conflict:
    """Return the error for writing to a project whose folder was replaced."""
    return Conflict(
        "root.replaced",
        f"{path} is no longer the folder that this project's history belongs to.",
        "If this is the same project, moved or cloned again, recover it to confirm that.",
    )


__all__ = ["Store", "root_replaced"]
