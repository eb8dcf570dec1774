"""Client of the child process that compares large texts, with timeout.

It is started at the first large comparison and kept. A comparison that takes too long, or is cancelled, is
ended with its process: libgit2 can't be interrupted in any other way.
"""

from __future__ import annotations

import atexit
import threading
import time
from array import array
from contextlib import suppress
from typing import IO

from studio.engine.diff.line_runs import ANSWER, REQUEST
from studio.errors import StudioError
from studio.system import child_process
from studio.system.child_process import Process

_CANCEL_POLL_SECONDS = 0.02
# The maximum for Linux without privileges (fs.pipe-max-size), instead of 64 KiB at a time.
_PIPE_BYTES = 1024 * 1024


class DiffCancelled(StudioError):
    """A comparison that was cancelled and has ended."""

    def __init__(self) -> None:
        super().__init__("diff.cancelled", "The comparison was cancelled.", "Nothing was changed.")


class DiffWorker:
    """A child process for large comparisons, one job at a time."""

    def __init__(self) -> None:
        self._process: Process | None = None
        self._working = threading.Lock()

    def line_runs(
        self, old: bytes, new: bytes, *, seconds: float, cancel: threading.Event | None = None
    ) -> array[int] | None:
        """Return the runs as `line_runs.line_runs` does.

        None when it takes longer than `seconds`, or no process can be started. The time spent waiting for
        another thread's job is not counted. Raises DiffCancelled.
        """
        stop = cancel or threading.Event()
        while not self._working.acquire(timeout=_CANCEL_POLL_SECONDS):
            if stop.is_set():
                raise DiffCancelled
        try:
            return self._compare(old, new, time.monotonic() + seconds, stop)
        finally:
            self._working.release()

    def _compare(self, old: bytes, new: bytes, deadline: float, stop: threading.Event) -> array[int] | None:
        process = self._process
        if process is None or process.poll() is not None:
            self.close()
            process = self._process = _start()
        if process is None:
            return None
        remaining = deadline - time.monotonic()
        job = _Job(process, REQUEST.pack(len(old), len(new), 2 * remaining + 1), old, new)
        while not job.done.wait(min(_CANCEL_POLL_SECONDS, max(0.0, deadline - time.monotonic()))):
            if stop.is_set() or time.monotonic() >= deadline:
                self.close()
                job.join()
                if stop.is_set():
                    raise DiffCancelled
                return None
        job.join()
        if job.runs is None:
            self.close()
        return job.runs

    def close(self) -> None:
        """End the process; a later comparison starts a new one."""
        process, self._process = self._process, None
        if process is not None:
            child_process.end(process)


class _Job:
    """One exchange with the child process, on its own thread."""

    def __init__(self, process: Process, *parts: bytes) -> None:
        self.done = threading.Event()
        self.runs: array[int] | None = None
        assert process.stdin is not None
        assert process.stdout is not None
        self._thread = threading.Thread(
            target=self._exchange, args=(process.stdin, process.stdout, parts), name="diff", daemon=True
        )
        self._thread.start()

    def _exchange(self, requests: IO[bytes], answers: IO[bytes], parts: tuple[bytes, ...]) -> None:
        # If the process ends, the pipe breaks or the answer is incomplete.
        with suppress(OSError, ValueError):
            for part in parts:
                requests.write(part)
            requests.flush()
            size = answers.read(ANSWER.size)
            if len(size) == ANSWER.size:
                (length,) = ANSWER.unpack(size)
                numbers = answers.read(length)
                if len(numbers) == length:
                    self.runs = array("q", numbers)
        self.done.set()

    def join(self) -> None:
        self._thread.join()


def _start() -> Process | None:
    try:
        return child_process.start(child_process.COMPARING, pipe_bytes=_PIPE_BYTES)
    except OSError:
        return None


_shared = DiffWorker()
atexit.register(_shared.close)


def shared_worker() -> DiffWorker:
    """Return the shared worker of this process."""
    return _shared
