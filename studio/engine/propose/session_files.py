"""The filesystem that a session's tools work on: the project as the session sees it, under its rules.

What is written to it stays in memory until it is proposed. The rules, the limits and the note of what was
read are its own: no tool and no door can leave them out (contract 7, 8).
"""

from __future__ import annotations

import hashlib
import time

from studio.engine.branch.entries import (
    Record,
    SessionListing,
    SessionRead,
    new_correlation_id,
)
from studio.engine.filesystem import OverlayFilesystem
from studio.engine.filesystem.access_log import AccessLog
from studio.engine.filesystem.ruled import RuledBacking
from studio.engine.limits import READS_AT_ONCE_UP_TO, READS_KEPT_SECONDS
from studio.engine.project.context import Context
from studio.engine.propose.next_round import session_view
from studio.engine.session import Session
from studio.engine.system.closing import Closing


class SessionFiles(OverlayFilesystem, Closing):
    """An overlay for one session. Close it, or use it as a context manager: then what was read is noted."""

    def __init__(self, context: Context, session: Session, format_name: str) -> None:
        """Raises Refused where the store no longer has what the session proposed."""
        context.check_root()
        view = session_view(context, session, format_name)
        journal = ReadJournal(context, session.id)
        super().__init__(view.tree, limits=view.tree.limits, keeps_bases=True, log=journal)
        self._context = context
        self._session = session
        self.format_name = format_name
        self._journal = journal
        policy = context.policy(format_name, session.agent)
        self.backing = RuledBacking(self.layers, policy, context.guard(), journal)

    def renew(self) -> None:
        """Be what the session sees now; what was written and not proposed is gone. Raises Refused."""
        view = session_view(self._context, self._session, self.format_name)
        self.layers.lay_over(view.tree.layers)

    @property
    def log(self) -> AccessLog:
        """What is told of all that the session is given to read."""
        return self._journal

    def close(self) -> None:
        """Note what was read and not noted yet; what was written and not proposed is gone with the object."""
        self._journal.flush()


class ReadJournal:
    """What a session was given to read, as rows of the journal: gathered, and written a batch at a time."""

    def __init__(self, context: Context, session: str) -> None:
        self._context = context
        self._session = session
        self._records: list[Record] = []
        self._since = 0.0

    def read(self, path: str, offset: int, length: int, size: int, sha256: str) -> None:
        """See `ReadLog`."""
        self._add(SessionRead(new_correlation_id(), self._session, path, offset, length, size, sha256))

    def listed(self, path: str, pattern: str, lines: list[str]) -> None:
        """These names or matches were handed out."""
        digest = hashlib.sha256("\n".join(lines).encode("utf-8", "surrogatepass")).hexdigest()
        record = SessionListing(new_correlation_id(), self._session, path, pattern, len(lines), digest)
        self._add(record)

    def _add(self, record: Record) -> None:
        if not self._records:
            self._since = time.monotonic()
        self._records.append(record)
        is_old = time.monotonic() - self._since >= READS_KEPT_SECONDS
        if is_old or len(self._records) >= READS_AT_ONCE_UP_TO:
            self.flush()

    def flush(self, *, durable: bool = False) -> None:
        """Write what was gathered; unless `durable`, not flushed to the disk at once, which the next plan's
        transaction does.

        Raises Refused where the store can't be written: nothing is read that could not be noted.
        """
        if not self._records:
            return
        store = self._context.store
        with store.database.write(durable=durable) as connection:
            store.journal.append(connection, "", (("", record) for record in self._records))
            store.sessions.hear(connection, self._session)
        self._records = []
