"""Detection of other programs' locks on files to change, with waiting.

A rename over a locked file would leave its holder with a lock on the old file, and a second program could
lock the new one. So every target is probed before the first is touched; a lock taken for the probe is
released at once.
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

from studio.engine.disk.open_folders import HeldFolders
from studio.engine.root import ProjectRoot, open_entry
from studio.errors import FileLocked
from studio.limits import LOCK_TIMEOUT_SECONDS
from studio.names import show_name
from studio.system.os_errors import LockHeld, failure, shown_holders

if sys.platform != "win32":
    import fcntl

Seen = TypeVar("Seen")
_FIRST_PAUSE = 0.02
_LOCKED_NUMBERS = (errno.EAGAIN, errno.EACCES, errno.EWOULDBLOCK)
# Asks as an open file and not as a process: F_GETLK ignores record locks that this process itself holds.
_F_OFD_GETLK = 36
# The process ID must be 0 in this query, or Linux answers EINVAL.
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
    """Wait for files that others have locked; return those still locked.

    It takes up to `timeout` seconds in all, with growing pauses. Probed are advisory locks of whole files and
    of ranges, and leases (Linux, macOS). On Windows a file that others have open fails when it is replaced,
    and that error becomes a FileLocked as well.
    """
    deadline = clock() + timeout
    pause = _FIRST_PAUSE
    locked_files = _find_locked(root, paths)
    while locked_files and (remaining := deadline - clock()) > 0:
        sleep(min(pause, remaining))
        pause *= 2
        locked_files = _find_locked(root, locked_files)
    return {path: _refusal(path, identity) for path, identity in locked_files.items()}


class LeasePatience:
    """Waits for files under a write lease, up to a total time.

    A leased file can't even be opened before its holder releases it. The time is for all files together.
    """

    def __init__(self, root: ProjectRoot, seconds: float = LOCK_TIMEOUT_SECONDS) -> None:
        self._root = root
        self._remaining = seconds

    def retry(self, action: Callable[[], Seen]) -> Seen:
        """Call a function that reads a file, again after each wait.

        Raises FileLocked where the lease is not released in time, and whatever `action` raises.
        """
        while True:
            try:
                return action()
            except LockHeld as held:
                if self._remaining <= 0:
                    path = str(held.filename)
                    raise failure(held, f"{show_name(path)} can't be read", path=path) from held
                self._wait([held.filename])

    def wait(self, paths: Iterable[str]) -> None:
        """Wait until none of these files is under a lease. Raises FileLocked."""
        if leased_files := list(_find_locked(self._root, paths, _is_leased)):
            self._wait(leased_files)

    def _wait(self, paths: Iterable[str]) -> None:
        start = time.monotonic()
        locked_files = wait_until_free(self._root, paths, timeout=max(0.0, self._remaining))
        # Never 0: a file that is found free and then leased again must not be retried forever.
        self._remaining = (
            0.0 if locked_files else self._remaining - max(_FIRST_PAUSE, time.monotonic() - start)
        )
        if locked_files:
            raise next(iter(locked_files.values()))


def _find_locked(
    root: ProjectRoot, paths: Iterable[str], is_held: Callable[[int, bytes], bool] | None = None
) -> dict[str, tuple[int, int]]:
    """Return the locked files with device and inode."""
    found: dict[str, tuple[int, int]] = {}
    with HeldFolders(root) as held_folders:
        for path in paths:
            with (
                suppress(OSError),
                held_folders.parent(path) as (folder, name),
            ):  # no file: reported by other checks
                if (is_held or _is_entry_locked)(folder, name):
                    status = os.stat(name, dir_fd=folder, follow_symlinks=False)
                    found[path] = (status.st_dev, status.st_ino)
    return found


def _is_entry_locked(folder: int, name: bytes) -> bool:
    try:
        handle = open_entry(folder, name)
    except BlockingIOError:  # a lease that its holder has not released yet
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
    """Return whether another open file holds any lock on this one.

    That is, of any kind that can be queried.
    """
    if sys.platform == "win32":
        return False
    try:
        # flock can't be queried but by taking the lock, so for a moment it is ours.
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:  # some network file systems need a writable handle: unknown then
        if error.errno in _LOCKED_NUMBERS:
            return True
    else:
        fcntl.flock(handle, fcntl.LOCK_UN)
    command = _F_OFD_GETLK if sys.platform == "linux" else fcntl.F_GETLK
    with suppress(OSError):
        answer = fcntl.fcntl(handle, command, _RECORD.pack(fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0))
        return _RECORD.unpack(answer)[0] != fcntl.F_UNLCK
    return False


def _refusal(path: str, identity: tuple[int, int]) -> FileLocked:
    return FileLocked(
        "disk.locked",
        f"{show_name(path)} is locked by {shown_holders(identity)}.",
        "Close the file in that program, then try again.",
        path=path,
    )
