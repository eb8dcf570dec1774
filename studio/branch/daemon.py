"""Lifecycle of a service: stopped, running, completed, with journaled events."""

from __future__ import annotations

import threading
from enum import Enum

from studio.errors import Conflict
from studio.journal.journal import Journal, MemoryJournal
from studio.values import Value


class DaemonStatus(Enum):
    STOPPED = "Stopped"
    RUNNING = "Running"
    COMPLETED = "Completed"


class StatusChanged(Value):
    """The daemon changed to this status."""

    status: DaemonStatus


class FailureOccurred(Value):
    """The daemon failed; `error` is a sentence."""

    error: str


DaemonEvent = StatusChanged | FailureOccurred


class DaemonStateError(Conflict):
    """The operation is not allowed in the daemon's status."""


class Daemon:
    """Service that runs once: stopped, running, then completed."""

    def __init__(self, events: Journal[DaemonEvent] | None = None) -> None:
        self.events: Journal[DaemonEvent] = events if events is not None else MemoryJournal()
        self._status = DaemonStatus.STOPPED
        self._changing = threading.RLock()

    @property
    def status(self) -> DaemonStatus:
        return self._status

    def start(self) -> None:
        """Start the daemon, if it is not running.

        Raises DaemonStateError once it has completed.
        """
        with self._changing:
            if self._status is DaemonStatus.STOPPED:
                self._on_start()
            self._move(DaemonStatus.RUNNING)

    def shut_down(self) -> None:
        """Stop the daemon, if it has not completed.

        Raises DaemonStateError if it was never started.
        """
        with self._changing:
            if self._status is DaemonStatus.RUNNING:
                self._on_shut_down()
            self._move(DaemonStatus.COMPLETED)

    def fail(self, error: str) -> None:
        """Record a failure without changing the status."""
        self.events.write(FailureOccurred(error))

    def wait_for_status(
        self, status: DaemonStatus, *, timeout: float | None = None, cancel: threading.Event | None = None
    ) -> None:
        """Wait until the daemon has been in `status`, now or before.

        Raises TimedOut.
        """
        wanted = StatusChanged(status)
        self.events.wait_for(lambda event: event == wanted, timeout=timeout, cancel=cancel)

    def wait_for_failure(
        self, *, timeout: float | None = None, cancel: threading.Event | None = None
    ) -> FailureOccurred:
        """Wait for the first failure, now or before, and return it.

        Raises TimedOut.
        """
        return self.events.wait_for(FailureOccurred, timeout=timeout, cancel=cancel).entry

    def _on_start(self) -> None:
        """Start the service; it is running once this returns."""

    def _on_shut_down(self) -> None:
        """Stop the service."""

    def _move(self, status: DaemonStatus) -> bool:
        if status is self._status:
            return False
        if self._status is DaemonStatus.STOPPED and status is DaemonStatus.COMPLETED:
            raise DaemonStateError(
                "daemon.not_started", "The daemon cannot shut down without starting.", "Start it first."
            )
        if self._status is DaemonStatus.COMPLETED:
            raise DaemonStateError(
                "daemon.completed", "The daemon has completed; it can't be started again.", "Make a new one."
            )
        self._status = status
        self.events.write(StatusChanged(status))
        return True
