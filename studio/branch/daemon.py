"""Lifecycle of a service: stopped, running, completed or failed, with journaled events."""

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
    FAILED = "Failed"


_ENDED = (DaemonStatus.COMPLETED, DaemonStatus.FAILED)


class StatusChanged(Value):
    """The daemon changed to this status."""

    status: DaemonStatus


class FailureOccurred(Value):
    """The daemon failed; `error` is a sentence."""

    error: str


DaemonEvent = StatusChanged | FailureOccurred


class DaemonStateError(Conflict, RuntimeError):
    """The operation is not allowed in the daemon's status."""


class Daemon:
    """Service that runs once: stopped, running, then completed or failed."""

    def __init__(self, events: Journal[DaemonEvent] | None = None) -> None:
        self.events: Journal[DaemonEvent] = events if events is not None else MemoryJournal()
        self._status = DaemonStatus.STOPPED
        self._changing = threading.RLock()
        self._moving = threading.Lock()

    @property
    def status(self) -> DaemonStatus:
        return self._status

    def start(self) -> None:
        """Start the daemon, if it is not running.

        `status` says whether that failed. Raises DaemonStateError once it has completed or failed.
        """
        with self._changing:
            if self._status in _ENDED:
                raise DaemonStateError(
                    "daemon.completed",
                    f"The daemon has {self._status.value.lower()}; it can't be started again.",
                    "Create a new one.",
                )
            if self._status is DaemonStatus.STOPPED:
                self._on_start()
                self._move(DaemonStatus.RUNNING)

    def shut_down(self) -> None:
        """Stop the daemon, if it has not completed or failed.

        Raises DaemonStateError if it was never started.
        """
        with self._changing:
            if self._status is DaemonStatus.STOPPED:
                raise DaemonStateError(
                    "daemon.not_started", "The daemon cannot shut down without starting.", "Start it first."
                )
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

        Raises TimedOut, and DaemonStateError where it failed instead.
        """
        wanted, failed = StatusChanged(status), StatusChanged(DaemonStatus.FAILED)
        found = self.events.wait_for(lambda event: event in (wanted, failed), timeout=timeout, cancel=cancel)
        if found.entry != wanted:
            raise DaemonStateError(
                "daemon.failed",
                "The daemon has failed.",
                "Read its events for the reason, then create a new one.",
            )

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

    def _move(self, status: DaemonStatus) -> None:
        """Change to a status, unless the daemon has ended."""
        with self._moving:
            if self._status not in _ENDED:
                self._status = status
                self.events.write(StatusChanged(status))
