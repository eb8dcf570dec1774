"""Background thread that executes file requests from a journal and journals replies.

It never uses a project's journal: an entry there is a record, not an instruction.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from studio.branch.daemon import Daemon, DaemonEvent, DaemonStatus
from studio.engine import Leaf
from studio.errors import FaultKind, StudioError
from studio.journal.entries import (
    REPLY_TYPES,
    REQUEST_TYPES,
    Entry,
    FileContentChunk,
    FileFault,
    FileList,
    FileRead,
    FileStat,
    FileWriteChunk,
    Request,
)
from studio.journal.journal import Journal
from studio.limits import JOURNAL_POLL_SECONDS
from studio.program.log_file import LOGGER

_READING = (FileRead, FileList, FileStat)
_END_SECONDS = 30.0


class LeafDaemon(Daemon):
    """Service thread that executes a journal's requests in order."""

    def __init__(
        self,
        open_journal: Callable[[], Journal[Entry]],
        open_leaf: Callable[[Journal[Entry]], Leaf],
        events: Journal[DaemonEvent] | None = None,
    ) -> None:
        """Prepare the daemon; its thread alone opens and uses both."""
        super().__init__(events)
        self._open_journal = open_journal
        self._open_leaf = open_leaf
        self._stop = threading.Event()
        self._follows = threading.Event()
        self._thread = threading.Thread(target=self._run, name=type(self).__name__)

    def _on_start(self) -> None:
        """Start the thread and wait until it follows the journal.

        Entries written from now on are not taken for a previous run's.
        """
        self._thread.start()
        self._follows.wait(_END_SECONDS)

    def _on_shut_down(self) -> None:
        self._stop.set()
        if threading.current_thread() is not self._thread:
            self._thread.join(_END_SECONDS)

    def _run(self) -> None:
        try:
            journal = self._open_journal()
            leaf = self._open_leaf(journal)
            try:
                newest = journal.read_backward(limit=1)
                last = newest[0].position if newest else 0
                self._follows.set()
                self._answer_backlog(journal, leaf, last)
                self._serve(journal, leaf, last)
            finally:
                leaf.close()
        except StudioError as error:
            self._end_failed(str(error))
        except Exception:
            LOGGER.exception("a leaf's daemon ended")
            self._end_failed("The leaf failed with an internal error; the log has the details.")
        finally:
            self._follows.set()

    def _end_failed(self, error: str) -> None:
        self.fail(error)
        self._move(DaemonStatus.FAILED)

    def _serve(self, journal: Journal[Entry], leaf: Leaf, after: int) -> None:
        while not self._stop.is_set():
            for item in journal.tail(after, timeout=JOURNAL_POLL_SECONDS, cancel=self._stop):
                after = item.position
                if isinstance(item.entry, REQUEST_TYPES):
                    self._carry_out(journal, leaf, item.entry)
                if self._stop.is_set():
                    return
            for reply in leaf.fail_overdue_writes():
                journal.write(reply)

    def _answer_backlog(self, journal: Journal[Entry], leaf: Leaf, last: int) -> None:
        """Answer requests that previous runs left up to a position.

        Reads are executed now; changes get a fault and are never executed twice.
        """
        waiting: dict[str, Request] = {}
        for item in journal.tail(timeout=0):
            if item.position > last:
                break
            entry = item.entry
            if isinstance(entry, FileContentChunk) and not entry.is_final:
                continue
            if isinstance(entry, REPLY_TYPES):
                waiting.pop(entry.correlation_id, None)
            elif isinstance(entry, REQUEST_TYPES) and not isinstance(entry, FileWriteChunk):
                waiting.setdefault(entry.correlation_id, entry)
        for request in waiting.values():
            if isinstance(request, _READING):
                self._carry_out(journal, leaf, request)
            else:
                message = "The leaf was interrupted; it is unknown whether this was done."
                path = request.path if not isinstance(request, FileWriteChunk) else ""
                journal.write(FileFault(request.correlation_id, FaultKind.IO_ERROR, path, message))

    @staticmethod
    def _carry_out(journal: Journal[Entry], leaf: Leaf, request: Request) -> None:
        for reply in leaf.execute(request):
            journal.write(reply)
