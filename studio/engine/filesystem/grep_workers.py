"""Pool of reusable search child processes, killed on timeout.

A regular expression can't be interrupted within its process. The processes run this package's own code, are
started without the user's paths, and do nothing but read.
"""

from __future__ import annotations

import atexit
import json
import os
import queue
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress

from msgspec import Struct

from studio.engine.filesystem.grep_worker import Answer, Job
from studio.errors import InternalError, TimedOut
from studio.limits import SEARCH_SECONDS
from studio.names import show_name
from studio.system import child_process
from studio.system.os_errors import wrap_os_errors
from studio.values import Value

# Processes and not threads: a literal in 245 MB takes four threads 1.6 s, one thread 0.7 s and two processes
# 0.4 s.
_WORKERS_UP_TO = 4


class SearchTooSlow(TimedOut):
    """An expression that did not finish in time; there is no result."""


class Batch(Value):
    """One job with the contents that belong to it."""

    job: Job
    contents: tuple[bytes, ...] = ()


class _Running(Struct):
    """A job being processed: its place in the order, and its deadline."""

    number: int
    job: Job
    deadline: float


class _Worker:
    """One process, and the thread that reads its answers."""

    def __init__(self, answers: queue.SimpleQueue[tuple[_Worker, bytes]]) -> None:
        self._answers = answers
        with wrap_os_errors("The search can't begin", it="its process"):
            self._process = child_process.start(child_process.SEARCHING)
        self._thread = threading.Thread(target=self._listen, name="search answers", daemon=True)
        self._thread.start()

    def _listen(self) -> None:
        stream = self._process.stdout
        assert stream is not None
        while line := stream.readline():
            self._answers.put((self, line))
        self._answers.put((self, b""))

    def send(self, batch: Batch) -> None:
        stream = self._process.stdin
        assert stream is not None
        with suppress(OSError):  # if it ended, that is reported as an answer, too
            stream.write(json.dumps(batch.job).encode() + b"\n")
            for content in batch.contents:
                stream.write(content)
            stream.flush()

    def end(self) -> None:
        child_process.end(self._process, self._thread)


class SearchWorkers:
    """Pool of up to one process per processor, started on demand."""

    def __init__(self) -> None:
        self._answers: queue.SimpleQueue[tuple[_Worker, bytes]] = queue.SimpleQueue()
        self._idle: list[_Worker] = []
        self._count = max(1, min(os.cpu_count() or 1, _WORKERS_UP_TO))
        self._searching = threading.Lock()

    def search(self, batches: Iterable[Batch], wanted: int) -> list[tuple[Job, Answer]]:
        """Return answers in batch order, until `wanted` matching lines are found.

        Raises SearchTooSlow when there is no progress for SEARCH_SECONDS, InternalError when a process exits.
        Searches of other threads wait.
        """
        running: dict[_Worker, _Running] = {}
        with self._searching:
            try:
                answers = list(self._yield_in_order(enumerate(batches), running, wanted))
                while running:
                    self._wait_for_answer(running)
            finally:
                for worker in running:
                    worker.end()
        return answers

    def _yield_in_order(
        self, batches: Iterator[tuple[int, Batch]], running: dict[_Worker, _Running], wanted: int
    ) -> Iterator[tuple[Job, Answer]]:
        done: dict[int, tuple[Job, Answer]] = {}
        following = count = 0
        while count < wanted:
            while len(running) < self._count and (numbered := next(batches, None)) is not None:
                worker = self._idle.pop() if self._idle else _Worker(self._answers)
                running[worker] = _Running(numbered[0], numbered[1].job, time.monotonic() + SEARCH_SECONDS)
                worker.send(numbered[1])
            if not running:
                return
            finished, answer = self._wait_for_answer(running)
            done[finished.number] = (finished.job, answer)
            while following in done and count < wanted:
                job, answer = done.pop(following)
                following += 1
                count += sum(len(lines) for _, lines in answer["found"])
                yield job, answer

    def _wait_for_answer(self, running: dict[_Worker, _Running]) -> tuple[_Running, Answer]:
        while True:
            slowest = min(running.values(), key=lambda one: one.deadline)
            try:
                worker, line = self._answers.get(timeout=max(0.0, slowest.deadline - time.monotonic()))
            except queue.Empty:
                raise _search_too_slow(slowest.job) from None
            if worker not in running:  # a late answer of a process that was ended
                continue
            if line != b"\n":
                break
            running[worker].deadline = time.monotonic() + SEARCH_SECONDS
        finished = running.pop(worker)
        if not line:
            worker.end()
            raise InternalError("grep.ended", "A search process ended unexpectedly.", "Search again.")
        self._idle.append(worker)
        return finished, json.loads(line)

    def close(self) -> None:
        """End the processes; a later search starts new ones."""
        with self._searching:
            while self._idle:
                self._idle.pop().end()


def _search_too_slow(job: Job) -> SearchTooSlow:
    text = job["expression"]
    shown = show_name(text if len(text) <= 80 else f"{text[:80]}…")
    others = len(job["paths"]) - 1
    where = show_name(job["paths"][0]) + (f" or one of the {others} files after it" if others else "")
    return SearchTooSlow(
        "grep.too_slow",
        f'The regular expression "{shown}" took longer than {SEARCH_SECONDS:g} seconds on {where}.',
        "Write it without a repeat inside a repeat, or search fewer files.",
        path=job["paths"][0],
    )


_shared = SearchWorkers()
atexit.register(_shared.close)


def shared_workers() -> SearchWorkers:
    """Return the search processes shared by all filesystems of this process."""
    return _shared
