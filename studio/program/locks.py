"""Operating system locks: the project's writer lock, and probes of lock files."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from studio.errors import Refused, TimedOut
from studio.limits import LOCK_TIMEOUT_SECONDS
from studio.system import syscalls
from studio.system.os_errors import reason
from studio.system.own_files import open_own_file

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl


def lock_unusable(file: Path, error: OSError) -> Refused:
    """Return the error for a lock whose file can't be used."""
    return Refused(
        "lock.unusable",
        f"Nothing was written: the lock {file} can't be taken: {reason(error)}.",
        "Check the permissions of its folder, and the disk.",
    )


@contextmanager
def writer_lock(file: Path, *, timeout: float = LOCK_TIMEOUT_SECONDS) -> Generator[None]:
    """Hold the project's writer lock, which ends with its process.

    Raises TimedOut after `timeout` seconds, Refused when the lock's file can't be used.
    """
    try:
        handle = open_own_file(file, os.O_RDWR)
    except OSError as error:
        raise lock_unusable(file, error) from error
    try:
        deadline = time.monotonic() + timeout
        pause = 0.005
        while not try_lock(handle):
            if time.monotonic() >= deadline:
                raise TimedOut(
                    "lock.held",
                    "Another Exacta Studio process is writing to this project.",
                    "Wait until it has finished and try again.",
                )
            time.sleep(pause)
            pause = min(pause * 2, 0.2)
        yield
    finally:
        with suppress(OSError):  # the lock ends with the handle in any case
            os.close(handle)


def is_locked(file: Path) -> bool:
    """Return whether a process holds a file's exclusive lock; change nothing."""
    try:
        handle = os.open(file, os.O_RDONLY | syscalls.O_NOFOLLOW | syscalls.O_CLOEXEC)
    except OSError:
        return False
    try:
        return not try_lock(handle, shared=True)
    except OSError:
        return False
    finally:
        os.close(handle)


def try_lock(handle: int, *, shared: bool = False) -> bool:
    """Try to lock an open file, exclusively or `shared`; never wait.

    Returns False while another handle has it. On Windows no lock is shared.
    """
    if sys.platform == "win32":
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
    # Not a record lock: those end when the process closes any handle of that file.
    try:
        fcntl.flock(handle, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
