"""Ways through the machine's folders on which no link is followed."""

from __future__ import annotations

import errno
import os

ATTEMPTS = 25
"""Other programs' sockets and secret files are hidden by their paths, which they remove and replace at any
time: one that is gone when something is to be mounted there is looked up again, so many times in all. The
kernel says ENOENT then (Linux 6.18), and bubblewrap 0.8 that it can't bind mount or create the file. Where a
socket was bound and removed without a pause on three cores, five attempts in a row failed."""

_WAY = os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC


def open_path(top: int, path: bytes, *, is_made: bool = False, is_folder: bool = True) -> int:
    """A handle of what an absolute path names beneath the root's handle; `is_made`: where it is missing it is
    made, and the folders that it lies in. Raises OSError, also for a link."""
    handle = os.dup(top)
    *above, last = path.split(b"/")[1:]
    for name in above:
        handle = _enter(handle, name, is_made=is_made, is_folder=True)
    return _enter(handle, last, is_made=is_made, is_folder=is_folder)


def _enter(folder: int, name: bytes, *, is_made: bool, is_folder: bool) -> int:
    """The handle of an entry; that of its folder is closed."""
    try:
        try:
            return open_entry(folder, name)
        except FileNotFoundError:
            if not is_made:
                raise
        if is_folder:
            os.mkdir(name, 0o755, dir_fd=folder)
        else:
            os.close(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o444, dir_fd=folder))
        return open_entry(folder, name)
    finally:
        os.close(folder)


def open_entry(folder: int, name: bytes) -> int:
    """A handle of what a folder has under this name. Raises OSError, also for a link."""
    handle = os.open(name, _WAY, dir_fd=folder)
    if os.fstat(handle).st_mode & 0o170000 == 0o120000:
        os.close(handle)
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), os.fsdecode(name))
    return handle
