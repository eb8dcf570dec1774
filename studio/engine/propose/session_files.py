"""Overlay filesystem of an agent session, and journal of its file reads.

What is written to it stays in memory until it is proposed. Rules, limits and the record of reads are part of
it, so that no tool and no door can bypass them.
"""

from __future__ import annotations

import hashlib
import time

from studio.engine.filesystem import OverlayFilesystem
from studio.engine.filesystem.access_log import AccessLog
from studio.engine.filesystem.base import BackedFilesystem
from studio.engine.filesystem.policy_backing import RuledBacking
from studio.engine.project.context import Context
from studio.engine.propose.session_view import session_view
from studio.engine.session import Session
from studio.journal.entries import (
    Record,
    SessionListing,
    SessionRead,
    new_correlation_id,
)
from studio.limits import READS_AT_ONCE_UP_TO, READS_KEPT_SECONDS
from studio.system.closing import Closing


class SessionFiles(OverlayFilesystem, Closing):
    """Overlay filesystem of one session; closing it records the pending reads."""

    def __init__(
        self, context: Context, session: Session, format_name: str, base: BackedFilesystem | None = None
    ) -> None:
        """Open the session's view; `base` has it in the session's sandbox.

        Raises Refused where the store no longer has what the session proposed.
        """
        context.check_root()
        tree = base or session_view(context, session, format_name).tree
        journal = ReadJournal(context, session.id)
        super().__init__(tree, limits=tree.limits, keeps_bases=True, log=journal)
        self._base = base
        self._context = context
        self._session = session
        self.format_name = format_name
        self._journal = journal
        policy = context.policy(format_name, session.agent)
        self.backing = RuledBacking(self.layers, policy, context.guard(), journal)

    def renew(self) -> None:
        """Reload the session's view, discarding what was not proposed.

        Raises Refused.
        """
        if self._base is not None:
            self.forget_changes()
            return
        view = session_view(self._context, self._session, self.format_name)
        self.layers.replace_base(view.tree.layers)

    @property
    def log(self) -> AccessLog:
        """The log of all that the session reads."""
        return self._journal

    def close(self) -> None:
        """Record the pending reads; unproposed writes are discarded with the object."""
        self._journal.flush()


class ReadJournal:
    """Journal of a session's reads, written in batches."""

    def __init__(self, context: Context, session: str) -> None:
        self._context = context
        self._session = session
        self._records: list[Record] = []
        self._since = 0.0

    def read(self, path: str, offset: int, length: int, size: int, sha256: str) -> None:
        """Record a read; see `ReadLog`."""
        self._add_read(SessionRead(new_correlation_id(), self._session, path, offset, length, size, sha256))

    def listed(self, path: str, pattern: str, lines: list[str]) -> None:
        """Record that these names or matches were returned."""
        digest = hashlib.sha256("\n".join(lines).encode("utf-8", "surrogatepass")).hexdigest()
        record = SessionListing(new_correlation_id(), self._session, path, pattern, len(lines), digest)
        self._add_read(record)

    def _add_read(self, record: Record) -> None:
        if not self._records:
            self._since = time.monotonic()
        self._records.append(record)
        is_old = time.monotonic() - self._since >= READS_KEPT_SECONDS
        if is_old or len(self._records) >= READS_AT_ONCE_UP_TO:
            self.flush()

    def flush(self, *, durable: bool = False) -> None:
        """Write the pending records.

        Unless `durable`, they are not synced to disk at once; the next plan's transaction does that. Raises
        Refused where the store can't be written, because nothing may be read without a record.
        """
        if not self._records:
            return
        store = self._context.store
        with store.database.write(durable=durable) as connection:
            store.journal.append(connection, "", (("", record) for record in self._records))
            store.sessions.record_activity(connection, self._session)
        self._records = []
