"""Reading and hashing of regular files and symbolic links beneath a folder."""

from __future__ import annotations

import errno
import hashlib
import os
import stat

from studio.engine.root.entries import FileState, state_of
from studio.engine.root.entry_kind import EntryKind, kind_of
from studio.engine.root.opening import FILE_FLAGS, WAY_FLAGS, link_refused, open_beneath, split
from studio.errors import FileError, NotAFile, Refused
from studio.names import show_name
from studio.system.os_errors import LockHeld

_READ_SIZE = 1 << 20
_RAISE_LIMIT = "Raise limits.file_bytes in the user configuration to change files of this size."
_WHAT = {
    EntryKind.PIPE: "a pipe",
    EntryKind.SOCKET: "a socket",
    EntryKind.DEVICE: "a device",
    EntryKind.OTHER: "not a regular file",
}


def read_file(folder: int, name: bytes, limit: int, *, shown: str) -> tuple[bytes, FileState]:
    """Read a regular file by its folder's handle and its name.

    At most `limit` bytes. Raises as `ProjectRoot.read`; `shown` is the path for its messages.
    """
    data, status = read_beneath(folder, os.fsdecode(name), limit, shown=shown)
    return data, state_of(status)


def read_beneath(folder: int, path: str, limit: int, *, shown: str) -> tuple[bytes, os.stat_result]:
    """Return the bytes at `path` beneath the folder, and its status.

    The status is that at opening. Raises NotAFile, Refused above `limit` bytes, LeadsOutside for a link, or
    another OSError.
    """
    try:
        handle = open_beneath(folder, path, FILE_FLAGS)
    except OSError as error:
        _refuse_what_is_no_file(folder, path, shown)
        if isinstance(error, BlockingIOError):
            raise LockHeld(path, read_status_beneath(folder, path)) from error
        raise
    try:
        return read_handle(handle, limit, shown=shown)
    finally:
        os.close(handle)


def read_handle(
    handle: int, limit: int, *, shown: str, hint: str = _RAISE_LIMIT
) -> tuple[bytes, os.stat_result]:
    """Return all bytes of an open regular file, and its status.

    Anything but a regular file is never read. `hint` is what to do about a file of more than `limit` bytes.
    Raises NotAFile, Refused, OSError.
    """
    status = os.fstat(handle)
    size = status.st_size
    # By its size, before a byte is read: a sparse file of a terabyte costs an agent nothing to make.
    if not stat.S_ISREG(status.st_mode) or size > limit:
        raise unreadable(status, limit, shown, hint)
    # One byte more than there is: exactly its size is returned unless the file is being written.
    data = os.read(handle, size + 1)
    if len(data) != size:
        data = _read_on(handle, data, limit, shown, hint)
    return data, status


def _read_on(handle: int, data: bytes, limit: int, shown: str, hint: str) -> bytes:
    """Read the rest of a file whose size is missing or changes.

    Also where its system returns it in pieces.
    """
    parts = [data]
    total = len(data)
    while part := os.read(handle, _READ_SIZE):
        parts.append(part)
        total += len(part)
        if total > limit:
            break
    if total > limit:
        raise too_large(shown, total, limit, hint)
    return b"".join(parts)


def hash_beneath(folder: int, path: str) -> tuple[str, os.stat_result]:
    """Return the SHA-256 of a regular file, and its final status.

    Read in pieces; "" for anything else. Raises as `open_beneath`.
    """
    try:
        handle = open_beneath(folder, path, FILE_FLAGS)
    except FileNotFoundError:
        raise
    except OSError as error:
        status = read_status_beneath(folder, path)
        if not stat.S_ISREG(status.st_mode):
            return "", status
        if isinstance(error, BlockingIOError):
            raise LockHeld(path, status) from error
        raise
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            return "", status
        part = os.read(handle, min(status.st_size + 1, _READ_SIZE))
        digest = hashlib.sha256(part)
        if len(part) != status.st_size:  # otherwise that was all of it
            while part := os.read(handle, _READ_SIZE):
                digest.update(part)
        return digest.hexdigest(), os.fstat(handle)
    finally:
        os.close(handle)


def link_target_beneath(folder: int, path: str) -> bytes | None:
    """Return the text of a symbolic link, None for anything else.

    Raises as `open_beneath`.
    """
    above, name = split(path)
    handle = open_beneath(folder, above, WAY_FLAGS)
    try:
        return read_link(handle, name)
    finally:
        os.close(handle)


def read_link(folder: int, name: bytes) -> bytes | None:
    """Return `link_target_beneath` by the folder's handle and a name.

    Raises OSError.
    """
    try:
        return os.readlink(name, dir_fd=folder)
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise
        return None


def read_status_beneath(folder: int, path: str) -> os.stat_result:
    """Return the status of `path`, of a link itself.

    Raises as `open_beneath`.
    """
    above, name = split(path)
    handle = open_beneath(folder, above, WAY_FLAGS)
    try:
        return os.stat(name, dir_fd=handle, follow_symlinks=False)
    finally:
        os.close(handle)


def _refuse_what_is_no_file(folder: int, path: str, shown: str) -> None:
    """Refuse an entry that can't be opened because of its kind.

    The error alone would mislead: for a socket it is that of a missing device.
    """
    try:
        status = read_status_beneath(folder, path)
    except OSError:
        return
    if not stat.S_ISREG(status.st_mode):
        raise unreadable(status, 0, shown, folder=folder)


def unreadable(
    status: os.stat_result, limit: int, shown: str, hint: str = _RAISE_LIMIT, *, folder: int | None = None
) -> FileError | Refused:
    """Return the error for an unreadable kind or a too large file.

    `limit` is in bytes. `folder` is the handle that it is beneath, to read where a link leads.
    """
    kind = kind_of(status)
    if kind is EntryKind.FILE:
        return too_large(shown, status.st_size, limit, hint)
    if kind is EntryKind.LINK:
        return link_refused(shown, folder)
    if kind is EntryKind.FOLDER:
        return NotAFile(
            "path.folder", f"{show_name(shown)} is a folder, not a file.", "Name a file.", path=shown
        )
    return NotAFile(
        "path.not_a_file",
        f"{show_name(shown)} is {_WHAT[kind]}.",
        "Only regular files are read and changed.",
        path=shown,
    )


def too_large(shown: str, size: int, limit: int, hint: str = _RAISE_LIMIT) -> Refused:
    """Return the error for a file of more than `limit` bytes."""
    return Refused(
        "file.too_large",
        f"{show_name(shown)} has {size:,} bytes; the limit is {limit:,}.",
        hint,
        path=shown,
    )
