"""Mutual exclusion of sandboxed commands and project writes by file locks.

The lower layer of a mounted overlay must not change. Two system locks in the project's state folder enforce
that, even when a process is killed: each run shares the first as long as it lives, and a writer takes it
alone; the second marks that a writer waits.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Generator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from studio.errors import TimedOut
from studio.limits import SANDBOX_STOP_SECONDS
from studio.program.locks import lock_unusable, try_lock
from studio.system.own_files import make_own_folder, open_own_file

_RUNS, _WANTED = "runs.lock", "runs-wanted.lock"
_LOOK_SECONDS = 0.01


class RunLock:
    """Lock for a project's sandbox runs; any thread may use it."""

    def __init__(self, folder: Path) -> None:
        """Create the lock; `folder` is the project's state folder.

        It is created where it is missing.
        """
        self._folder = folder

    @contextmanager
    def running(self, *, timeout: float = SANDBOX_STOP_SECONDS) -> Generator[None]:
        """Register a run until the end of the block.

        Raises TimedOut while a writer is active, or Refused.
        """
        with ExitStack() as stack:
            runs = stack.enter_context(self._opened(_RUNS))
            deadline = time.monotonic() + timeout
            while self.is_asked_to_stop() or not try_lock(runs, shared=True):
                _wait(deadline, "Nothing was run: a plan is being written to this project.")
            yield

    def is_asked_to_stop(self) -> bool:
        """Return whether a writer waits or writes; a run then ends.

        Raises Refused.
        """
        with self._opened(_WANTED) as handle:
            return not try_lock(handle, shared=True)

    def last_write_ns(self) -> int:
        """Return a number that differs after a writer stopped all runs.

        Raises Refused.
        """
        with self._opened(_WANTED) as handle:
            return os.fstat(handle).st_mtime_ns

    def is_running(self) -> bool:
        """Return whether any command runs on a layer now. Raises Refused."""
        with self._opened(_RUNS) as runs:
            return not try_lock(runs)

    @contextmanager
    def stopped(
        self, *, timeout: float = SANDBOX_STOP_SECONDS, cancel: threading.Event | None = None
    ) -> Generator[None]:
        """Stop all runs, and block new ones while the block runs.

        Raises TimedOut, also when cancelled, or Refused.
        """
        with ExitStack() as stack:
            deadline = time.monotonic() + timeout
            for name in (_WANTED, _RUNS):
                handle = stack.enter_context(self._opened(name))
                while not try_lock(handle):
                    if cancel is not None and cancel.is_set():
                        deadline = 0.0
                    _wait(deadline, "A command in the sandbox still runs in this project.")
                now = time.time_ns()
                os.utime(handle, ns=(now, now))
            yield

    @contextmanager
    def _opened(self, name: str) -> Generator[int]:
        file = self._folder / name
        try:
            make_own_folder(self._folder)
            handle = open_own_file(file, os.O_RDWR)
        except OSError as error:
            raise lock_unusable(file, error) from error
        try:
            yield handle
        finally:
            with suppress(OSError):  # the lock ends with the handle in any case
                os.close(handle)


def _wait(deadline: float, message: str) -> None:
    if time.monotonic() >= deadline:
        raise TimedOut("sandbox.busy", message, "Wait until it ends, then try again.")
    time.sleep(_LOOK_SECONDS)
