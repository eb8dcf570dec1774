"""Locks that other programs hold on files which are to be replaced or deleted (R134-R136, C18, C40).

Renaming over a locked file would take it from under its holder, and both would think they had it. So every
target is asked before the first is touched; what is asked for is let go at once.
"""

from __future__ import annotations

import errno
import os
import struct
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import TypeVar

from studio.engine.disk.held import HeldFolders
from studio.engine.errors import FileLocked
from studio.engine.limits import LOCK_TIMEOUT_SECONDS
from studio.engine.names import show_name
from studio.engine.root import ProjectRoot, open_entry
from studio.engine.system.lock_table import LockHeld, shown_holders
from studio.engine.system.os_errors import failure

Seen = TypeVar("Seen")
_FIRST_PAUSE = 0.02
_LOCKED_NUMBERS = (errno.EAGAIN, errno.EACCES, errno.EWOULDBLOCK)
# Asks as an open file and not as a process: F_GETLK passes over record locks that this process itself holds.
_F_OFD_GETLK = 36
# The process must be 0 in such a question, or Linux answers EINVAL.
_RECORD = struct.Struct("hhqqi4x")
"""struct flock: type, whence, start, length, process."""


def wait_until_free(
    root: ProjectRoot,
    paths: Iterable[str],
    *,
    timeout: float = LOCK_TIMEOUT_SECONDS,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> dict[str, FileLocked]:
    """Which of these files are still locked by others after `timeout` seconds in all, with growing pauses.

    Asked are advisory locks of whole files and of parts, and leases (Linux, macOS). On Windows a file that
    others have open says so when it is replaced, and the system's answer is a FileLocked as well.
    """
    deadline = clock() + timeout
    pause = _FIRST_PAUSE
    locked = _locked(root, paths)
    while locked and (left := deadline - clock()) > 0:
        sleep(min(pause, left))
        pause *= 2
        locked = _locked(root, locked)
    return {path: _refusal(path, identity) for path, identity in locked.items()}


class LeasePatience:
    """Waits for files that are under a write lease and can't even be opened before its holder lets go
    (R134, C18): so many seconds in all, not for each file."""

    def __init__(self, root: ProjectRoot, seconds: float = LOCK_TIMEOUT_SECONDS) -> None:
        self._root = root
        self._left = seconds

    def look(self, look: Callable[[], Seen]) -> Seen:
        """What a look at a file gives; it is called again after each wait.

        Raises FileLocked where the lease is not given back in time, and whatever `look` raises.
        """
        while True:
            try:
                return look()
            except LockHeld as held:
                if self._left <= 0:
                    path = str(held.filename)
                    raise failure(held, f"{show_name(path)} can't be read", path=path) from held
                self._wait([held.filename])

    def wait(self, paths: Iterable[str]) -> None:
        """Wait until none of these files is under a lease. Raises FileLocked."""
        if leased := list(_locked(self._root, paths, _is_leased)):
            self._wait(leased)

    def _wait(self, paths: Iterable[str]) -> None:
        began = time.monotonic()
        locked = wait_until_free(self._root, paths, timeout=max(0.0, self._left))
        # Never nothing: who is told that a file is free, and finds it held again, does not ask for ever.
        self._left = 0.0 if locked else self._left - max(_FIRST_PAUSE, time.monotonic() - began)
        if locked:
            raise next(iter(locked.values()))


def _locked(
    root: ProjectRoot, paths: Iterable[str], is_held: Callable[[int, bytes], bool] | None = None
) -> dict[str, tuple[int, int]]:
    """The locked ones with device and inode."""
    found: dict[str, tuple[int, int]] = {}
    with HeldFolders(root) as held:
        for path in paths:
            with suppress(OSError), held.parent(path) as (folder, name):  # what is no file is told by others
                if (is_held or _is_entry_locked)(folder, name):
                    status = os.stat(name, dir_fd=folder, follow_symlinks=False)
                    found[path] = (status.st_dev, status.st_ino)
    return found


def _is_entry_locked(folder: int, name: bytes) -> bool:
    try:
        handle = open_entry(folder, name)
    except BlockingIOError:  # a lease that its holder has not given back yet
        return True
    try:
        return is_locked(handle)
    finally:
        os.close(handle)


def _is_leased(folder: int, name: bytes) -> bool:
    try:
        os.close(open_entry(folder, name))
    except BlockingIOError:
        return True
    return False


def is_locked(handle: int) -> bool:
    """Whether another open file holds a lock, of any kind that can be asked for, on this one."""
    if sys.platform == "win32":
        return False
    import fcntl

    try:
        # Such a lock can't be asked for but by taking it, so for a moment it is ours.
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:  # a network file system may ask for a writable handle: then it can't be told
        if error.errno in _LOCKED_NUMBERS:
            return True
    else:
        fcntl.flock(handle, fcntl.LOCK_UN)
    ask = _F_OFD_GETLK if sys.platform == "linux" else fcntl.F_GETLK
    with suppress(OSError):
        answer = fcntl.fcntl(handle, ask, _RECORD.pack(fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0))
        return _RECORD.unpack(answer)[0] != fcntl.F_UNLCK
    return False


def _refusal(path: str, identity: tuple[int, int]) -> FileLocked:
    return FileLocked(
        "disk.locked",
        f"{show_name(path)} is locked by {shown_holders(identity)}.",
        "Close the file in that program, then try again.",
        path=path,
    )
