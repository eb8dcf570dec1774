"""Opening absolute paths without following symbolic links."""

from __future__ import annotations

import errno
import os

ATTEMPTS = 25
"""How often a path is looked up again when it vanishes before it is mounted on.

Other programs' sockets and secret files are hidden by their paths, which those programs remove and replace at
any time. The kernel reports ENOENT then (Linux 6.18), and bubblewrap 0.8 that it can't bind mount or create
the file. Where a socket was bound and removed without a pause on three cores, five attempts in a row failed.
"""

_PATH_FLAGS = os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC


def open_path(top: int, path: bytes, *, is_made: bool = False, is_folder: bool = True) -> int:
    """Open an absolute path beneath the root's handle.

    With `is_made` it is created if missing, and its parent folders too. Raises OSError, also for a link.
    """
    handle = os.dup(top)
    *parents, last = path.split(b"/")[1:]
    for name in parents:
        handle = _enter(handle, name, is_made=is_made, is_folder=True)
    return _enter(handle, last, is_made=is_made, is_folder=is_folder)


def _enter(folder: int, name: bytes, *, is_made: bool, is_folder: bool) -> int:
    """Open an entry of a folder, and close the folder."""
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
    """Open an entry of a folder. Raises OSError, also for a link."""
    handle = os.open(name, _PATH_FLAGS, dir_fd=folder)
    if os.fstat(handle).st_mode & 0o170000 == 0o120000:
        os.close(handle)
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), os.fsdecode(name))
    return handle


def silence() -> None:
    """Open the null device as stdin, stdout and stderr."""
    nothing = os.open("/dev/null", os.O_RDWR)
    for number in range(3):
        os.dup2(nothing, number)
