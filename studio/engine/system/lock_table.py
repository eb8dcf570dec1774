"""Holders of locks on a file, as far as Linux reports them."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from studio.engine.display import show_name


class LockHeld(BlockingIOError):
    """A file can't be opened because of another program's lease.

    `by` names the holders. `filename` is relative to the folder from which it was opened.
    """

    def __init__(self, path: str, status: os.stat_result) -> None:
        super().__init__(errno.EAGAIN, os.strerror(errno.EAGAIN), path)
        self.by = shown_holders((status.st_dev, status.st_ino))


def shown_holders(identity: tuple[int, int]) -> str:
    """Return the lock holders for a sentence.

    For a network file system and some locks they are unknown.
    """
    return " and ".join(find_lock_holders(identity)) or "another program"


def find_lock_holders(identity: tuple[int, int]) -> tuple[str, ...]:
    """Return name and process id of each holder of a lock.

    The file is given by device and inode.
    """
    try:
        lines = Path("/proc/locks").read_text("ascii", "replace").splitlines()
    except OSError:
        return ()
    device, inode = identity
    # Linux prints the device in hex and the inode in decimal numbers.
    place = f"{os.major(device):02x}:{os.minor(device):02x}:{inode}"
    found: dict[str, None] = {}
    for line in lines:
        # 1: FLOCK ADVISORY WRITE 4711 08:01:1234 0 EOF; a waiting process has an arrow after the number,
        # which moves the file by one field.
        fields = line.split()
        if len(fields) > 5 and fields[5] == place and int(fields[4]) > 0:
            found[_process_name(fields[4])] = None
    return tuple(found)


def _process_name(process: str) -> str:
    try:
        name = Path("/proc", process, "comm").read_text("utf-8", "replace").strip()
    except OSError:
        name = ""
    return f"{show_name(name) or 'a program'} (process {process})"
