"""Conversion of operating system errors to typed errors with hints; lock holders.

The same tables cover POSIX errno values and Win32 codes. Nothing here accesses a disk.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Generator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import cast

from msgspec.structs import replace

from studio.errors import (
    AccessDenied,
    AppendError,
    BackendGone,
    DiskFailed,
    DiskFull,
    FileError,
    FileExists,
    FileLocked,
    FileMissing,
    FileTimedOut,
    FolderNotEmpty,
    InvalidPath,
    LeadsOutside,
    NotAFile,
    NotAFolder,
    PathTooLong,
    StudioError,
    WriteError,
    show_name,
)
from studio.values import Value

Role = type[WriteError] | type[AppendError]
"""The failed operation, as an error class of the file manager."""


class Cause(Value):
    """Meaning of a system error.

    `reason` is a clause in which {it} is replaced by the file's name.
    """

    error: type[FileError]
    code: str
    reason: str
    hint: str


_MISSING = Cause(FileMissing, "disk.missing", "{it} does not exist", "Check the path.")
_EXISTS = Cause(FileExists, "disk.exists", "{it} exists already", "Choose another name, or change that file.")
_DENIED = Cause(
    AccessDenied,
    "disk.denied",
    "access to {it} is denied",
    "Change the permissions of the file or its folder.",
)
_NOT_PERMITTED = Cause(
    AccessDenied,
    "disk.not_permitted",
    "the system does not permit it for {it}; it may be marked unchangeable, or its disk can't do that",
    "Look at its owner and attributes (lsattr), and at the kind of its disk (findmnt -T).",
)
_READ_ONLY = Cause(
    AccessDenied, "disk.read_only", "the disk that holds {it} is read-only", "Make the disk writable."
)
_BUSY = Cause(
    FileLocked,
    "disk.busy",
    "{it} is in use by the system or another program",
    "Close other programs that use it, or unmount it if it is a mount point.",
)
_LOCKED = Cause(
    FileLocked, "disk.locked", "{it} is locked by another program", "Close other programs that have it open."
)
_INVALID = Cause(
    InvalidPath, "disk.invalid_name", "its file system does not take the name {it}", "Choose another name."
)
_LINK = Cause(
    LeadsOutside,
    "path.link",
    "{it} is reached through a link",
    "Links are never followed; name the real file.",
)
_NOT_EMPTY = Cause(
    FolderNotEmpty, "disk.not_empty", "the folder {it} is not empty", "Remove what is in it first."
)
_NOT_A_FOLDER = Cause(
    NotAFolder, "disk.not_a_folder", "a file is where {it} needs a folder", "Choose another path."
)
_IS_A_FOLDER = Cause(NotAFile, "disk.is_a_folder", "{it} is a folder", "Name a file.")
_FULL = Cause(
    DiskFull, "disk.full", "the disk that holds {it} is full", "Free some disk space, then try again."
)
_QUOTA = Cause(
    DiskFull,
    "disk.quota",
    "your quota on the disk that holds {it} is used up",
    "Free some disk space, then try again.",
)
_TOO_LONG = Cause(
    PathTooLong,
    "disk.name_too_long",
    "the name {it} is too long for its file system",
    "Choose a shorter name.",
)
_TIMEOUT = Cause(
    FileTimedOut, "disk.timeout", "the disk that holds {it} did not answer in time", "Try again when it does."
)
_GONE = Cause(
    BackendGone, "disk.gone", "the disk that held {it} is gone", "Bring the disk back and try again."
)
_OTHER_DISK = Cause(
    DiskFailed,
    "disk.other_disk",
    "{it} and the file prepared for it are on different disks",
    "Take the mount out of that folder, or have each disk as a project of its own.",
)
_TOO_MANY_OPEN = Cause(
    DiskFailed,
    "disk.too_many_open",
    "too many files are open to open {it}",
    "Close other programs and try again.",
)

_OF_ERRNO = {
    errno.ENOENT: _MISSING,
    errno.EEXIST: _EXISTS,
    errno.EACCES: _DENIED,
    errno.EPERM: _NOT_PERMITTED,
    errno.EROFS: _READ_ONLY,
    errno.EBUSY: _BUSY,
    errno.ETXTBSY: _BUSY,
    errno.EAGAIN: _LOCKED,
    errno.EDEADLK: _LOCKED,
    errno.EINVAL: _INVALID,
    errno.EILSEQ: _INVALID,
    errno.ELOOP: _LINK,
    errno.ENOTEMPTY: _NOT_EMPTY,
    errno.ENOTDIR: _NOT_A_FOLDER,
    errno.EISDIR: _IS_A_FOLDER,
    errno.ENOSPC: _FULL,
    errno.EDQUOT: _QUOTA,
    errno.ENAMETOOLONG: _TOO_LONG,
    errno.ETIMEDOUT: _TIMEOUT,
    errno.ENODEV: _GONE,
    errno.ENXIO: _GONE,
    errno.ESTALE: _GONE,
    errno.ENOTCONN: _GONE,
    errno.EHOSTDOWN: _GONE,
    errno.EXDEV: _OTHER_DISK,
    errno.EMFILE: _TOO_MANY_OPEN,
    errno.ENFILE: _TOO_MANY_OPEN,
}

_OF_WIN32 = {
    2: _MISSING,  # ERROR_FILE_NOT_FOUND
    3: _MISSING,  # ERROR_PATH_NOT_FOUND
    4: _TOO_MANY_OPEN,  # ERROR_TOO_MANY_OPEN_FILES
    5: _DENIED,  # ERROR_ACCESS_DENIED
    17: _OTHER_DISK,  # ERROR_NOT_SAME_DEVICE
    19: _READ_ONLY,  # ERROR_WRITE_PROTECT
    21: _GONE,  # ERROR_NOT_READY
    32: _LOCKED,  # ERROR_SHARING_VIOLATION
    33: _LOCKED,  # ERROR_LOCK_VIOLATION
    39: _FULL,  # ERROR_HANDLE_DISK_FULL
    53: _GONE,  # ERROR_BAD_NETPATH
    55: _GONE,  # ERROR_DEV_NOT_EXIST
    64: _GONE,  # ERROR_NETNAME_DELETED
    67: _GONE,  # ERROR_BAD_NET_NAME
    80: _EXISTS,  # ERROR_FILE_EXISTS
    112: _FULL,  # ERROR_DISK_FULL
    121: _TIMEOUT,  # ERROR_SEM_TIMEOUT
    123: _INVALID,  # ERROR_INVALID_NAME
    145: _NOT_EMPTY,  # ERROR_DIR_NOT_EMPTY
    161: _INVALID,  # ERROR_BAD_PATHNAME
    170: _BUSY,  # ERROR_BUSY
    183: _EXISTS,  # ERROR_ALREADY_EXISTS
    206: _TOO_LONG,  # ERROR_FILENAME_EXCED_RANGE
    267: _NOT_A_FOLDER,  # ERROR_DIRECTORY
    1295: _QUOTA,  # ERROR_DISK_QUOTA_EXCEEDED
    1460: _TIMEOUT,  # ERROR_TIMEOUT
    1920: _LINK,  # ERROR_CANT_ACCESS_FILE: a reparse point that can't be resolved
}


def find_cause(error: OSError) -> Cause:
    """Return the meaning of an error, by its Win32 code or errno.

    An unknown one is an error of the disk.
    """
    if isinstance(error, LockHeld):
        by = error.by.replace("{", "{{").replace("}", "}}")
        return replace(_LOCKED, reason=f"{{it}} is locked by {by}")
    cause = _OF_WIN32.get(getattr(error, "winerror", None) or 0) or _OF_ERRNO.get(error.errno or 0)
    if cause is not None:
        return cause
    words = (error.strerror or str(error) or "no reason was given").replace("{", "{{").replace("}", "}}")
    return Cause(
        DiskFailed,
        "disk.error",
        f"the disk reported an error at {{it}} ({words})",
        "Check the disk; the log has the details.",
    )


def reason(error: OSError, it: str = "it") -> str:
    """Return the cause as a clause; `it` is the file's display name."""
    return (
        error.message.removesuffix(".")
        if isinstance(error, FileError)
        else find_cause(error).reason.format(it=it)
    )


def failure(
    error: OSError, lead: str, *, it: str = "it", path: str | None = None, role: Role | None = None
) -> FileError:
    """Convert an error to a FileError: "lead: reason." with a hint.

    `lead` says what was not done, `it` is the file's display name unless the lead names it. A FileError is
    returned unchanged.
    """
    if isinstance(error, FileError):
        return error
    cause = find_cause(error)
    kind = cause.error if role is None else _add_role(cause.error, role)
    return kind(cause.code, f"{lead}: {cause.reason.format(it=it)}.", cause.hint, path=path)


def in_front(error: FileError, lead: str) -> FileError:
    """Return a copy of the error with `lead` before its message."""
    return type(error)(error.code, f"{lead}: {error.message}", error.hint, path=error.path)


def in_role(error: StudioError, role: Role) -> FileError:
    """Return the error as an instance of the role's class, too."""
    if isinstance(error, role):
        return error
    return _add_role(type(error), role)(error.code, error.message, error.hint, path=error.path)


@cache
def _add_role(kind: type[StudioError], role: Role) -> type[FileError]:
    return cast("type[FileError]", type(f"{role.__name__}{kind.__name__}", (role, kind), {}))


@contextmanager
def wrap_os_errors(
    lead: str, *, it: str = "it", path: str | None = None, role: Role | None = None
) -> Generator[None]:
    """Convert an OSError inside the block with `failure`.

    A StudioError passes unchanged. Raises FileError.
    """
    try:
        yield
    except StudioError:
        raise
    except OSError as error:
        raise failure(error, lead, it=it, path=path, role=role) from error


# Holders of locks on a file, as far as Linux reports them.


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
