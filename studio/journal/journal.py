"""Journal interface for writers, followers and waiters, and one in memory.

Positions are 64-bit, start at 1 and have no gaps. Any thread or process may write and read at once; a
follower must be prepared to see an entry again after a restart. The project's own journal is in the store.
"""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar, overload

from studio.errors import NotFound, TimedOut
from studio.journal.entries import Content, Payload
from studio.journal.file_image import sha256
from studio.limits import JOURNAL_BATCH_UP_TO, JOURNAL_POLL_SECONDS
from studio.values import Value

E = TypeVar("E")
F = TypeVar("F")


class Positioned(Value, Generic[E]):
    """An entry and its position."""

    position: int
    entry: E


class Journal(ABC, Generic[E]):
    """Append-only sequence of entries, shared by threads or processes."""

    @abstractmethod
    def write(self, entry: E) -> int:
        """Append an entry and return its position."""

    @abstractmethod
    def read(self, after: int = 0, *, limit: int = JOURNAL_BATCH_UP_TO) -> tuple[Positioned[E], ...]:
        """Return up to `limit` entries after a position, in order."""

    @abstractmethod
    def read_backward(
        self, before: int | None = None, *, limit: int = JOURNAL_BATCH_UP_TO
    ) -> tuple[Positioned[E], ...]:
        """Return up to `limit` entries before a position, newest first.

        `before` None starts at the end.
        """

    @abstractmethod
    def bytes_of(self, payload: Payload) -> bytes:
        """Return the bytes of a payload. Raises StudioError where they are gone."""

    def tail(
        self, after: int = 0, *, timeout: float | None = None, cancel: threading.Event | None = None
    ) -> Iterator[Positioned[E]]:
        """Yield the entries after a position, and new ones as they come.

        Ends after `timeout` seconds without a new one, or soon after `cancel` is set.
        """
        stop = cancel or threading.Event()
        deadline = _deadline(timeout)
        while not stop.is_set():
            found = self.read(after)
            for item in found:
                after = item.position
                yield item
            if found:
                deadline = _deadline(timeout)
                continue
            pause = JOURNAL_POLL_SECONDS
            if deadline is not None:
                pause = min(pause, deadline - time.monotonic())
                if pause <= 0:
                    return
            self._wait(after, pause, stop)

    def backward(self, before: int | None = None) -> Iterator[Positioned[E]]:
        """Yield all entries before a position (None: all), newest first."""
        while found := self.read_backward(before):
            yield from found
            before = found[-1].position

    @overload
    def wait_for(
        self,
        wanted: type[F],
        *,
        after: int = 0,
        timeout: float | None = None,
        cancel: threading.Event | None = None,
    ) -> Positioned[F]: ...

    @overload
    def wait_for(
        self,
        wanted: Callable[[E], bool],
        *,
        after: int = 0,
        timeout: float | None = None,
        cancel: threading.Event | None = None,
    ) -> Positioned[E]: ...

    def wait_for(
        self,
        wanted: type[Any] | Callable[[E], bool],
        *,
        after: int = 0,
        timeout: float | None = None,
        cancel: threading.Event | None = None,
    ) -> Positioned[Any]:
        """Wait for the first entry after a position that matches `wanted`.

        Raises TimedOut after `timeout` seconds, or when `cancel` is set.
        """
        stop = cancel or threading.Event()
        deadline = _deadline(timeout)
        while True:
            remaining = None if deadline is None else max(0.0, deadline - time.monotonic())
            for item in self.tail(after, timeout=remaining, cancel=stop):
                after = item.position
                if isinstance(item.entry, wanted) if isinstance(wanted, type) else wanted(item.entry):
                    return item
            if stop.is_set() or (deadline is not None and time.monotonic() >= deadline):
                raise TimedOut(
                    "journal.timed_out",
                    f"No such entry was written after position {after}.",
                    "Wait again, or look at the journal.",
                )

    @abstractmethod
    def _wait(self, after: int, seconds: float, cancel: threading.Event) -> None:
        """Wait until a later entry may exist, or `seconds` have passed."""


def _deadline(timeout: float | None) -> float | None:
    return None if timeout is None else time.monotonic() + timeout


class MemoryJournal(Journal[E]):
    """Journal in memory, shared by the threads of a process."""

    def __init__(self) -> None:
        self._entries: list[E] = []
        self._written = threading.Condition()
        self._contents: dict[str, bytes] = {}

    def write(self, entry: E) -> int:
        with self._written:
            self._entries.append(entry)
            self._written.notify_all()
            return len(self._entries)

    def read(self, after: int = 0, *, limit: int = JOURNAL_BATCH_UP_TO) -> tuple[Positioned[E], ...]:
        found = self._entries[after : after + limit]
        return tuple(Positioned(after + index, entry) for index, entry in enumerate(found, start=1))

    def read_backward(
        self, before: int | None = None, *, limit: int = JOURNAL_BATCH_UP_TO
    ) -> tuple[Positioned[E], ...]:
        last = len(self._entries) if before is None else min(before - 1, len(self._entries))
        first = max(0, last - limit)
        return tuple(Positioned(index + 1, self._entries[index]) for index in range(last - 1, first - 1, -1))

    def keep(self, data: bytes) -> Content:
        """Store bytes and return their reference, for use in entries."""
        self._contents[digest := sha256(data)] = data
        return Content(digest, len(data))

    def bytes_of(self, payload: Payload) -> bytes:
        if isinstance(payload, bytes):
            return payload
        try:
            return self._contents[payload.sha256]
        except KeyError:
            raise NotFound(
                "journal.content_lost",
                f"The journal does not contain the content {payload.sha256[:12]}.",
                "Write it again.",
            ) from None

    def _wait(self, after: int, seconds: float, cancel: threading.Event) -> None:
        # Waits are short: setting `cancel` does not notify the condition.
        with self._written:
            if len(self._entries) <= after and not cancel.is_set():
                self._written.wait(seconds)
