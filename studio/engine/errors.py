"""One exception hierarchy: what happened, to which file, what to do next (R175, R176).

An error about a file is several things at once, so that every caller can ask in its own words: the fault
kind of the branch, the class of the file manager, Python's builtin exception and the code of the error
registry. `system/os_errors` makes them from errors of the operating system.
"""

from __future__ import annotations

import errno
from enum import Enum
from typing import ClassVar, Self

from studio.engine.display import show_name
from studio.engine.error_registry import ErrorSeverity, registered, severity_of


class ErrorKind(Enum):
    """Why a call was not carried out; doors turn it into an exit code, the window into an icon."""

    REFUSED = "refused"
    NEEDS_PERSON = "needs_person"
    CONFLICT = "conflict"
    NOT_FOUND = "not_found"
    TIMED_OUT = "timed_out"
    USAGE = "usage"
    INTERNAL = "internal"


class StudioError(Exception):
    """Base of every error the engine raises on purpose.

    `code` is stable and meant for programs, `message` is one sentence for people that names the file,
    `hint` says what to do next, `path` is relative to the project root where one file is meant. What a
    sentence names is as others called it: no terminal is to obey it, so sentences are escaped here.
    `registry` is the code of the error registry, `severity` how grave that is, `retryable` whether the same
    call may succeed later (R176).
    """

    kind = ErrorKind.REFUSED
    registry: str = ""
    retryable: bool = False

    def __init__(self, code: str, message: str, hint: str, *, path: str | None = None) -> None:
        # Not super(): the builtin bases of file errors want other arguments.
        Exception.__init__(self, show_name(message))
        self.code = code
        self.message = show_name(message)
        self.hint = show_name(hint)
        self.path = path
        self.registry, self.retryable = registered(code, self.registry, retryable=self.retryable)

    @property
    def severity(self) -> ErrorSeverity:
        """How grave it is, as the registry says; what must not happen is fatal."""
        return ErrorSeverity.FATAL if self.kind is ErrorKind.INTERNAL else severity_of(self.registry)

    def within(self, folder: str) -> Self:
        """The same error, of a path in a folder outside of the project, which it then names."""
        self.message = f"In {show_name(folder)}: {self.message}"
        self.path = folder if self.path in (None, "", ".") else f"{folder}/{self.path}"
        return self

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()


class Refused(StudioError):
    """A check said no; nothing was changed."""


class SnapshotError(Refused, RuntimeError):
    """A state could not be kept, or what was kept can't be read (R121)."""


class SnapshotRestoreError(SnapshotError):
    """A kept state could not be brought back; nothing was changed."""


class NeedsPerson(StudioError):
    """The call decides or writes, and no person has shown themselves (design section 6)."""

    kind = ErrorKind.NEEDS_PERSON


class Conflict(StudioError):
    """What is on disk, or in the store, is no longer what the decision was made on."""

    kind = ErrorKind.CONFLICT
    registry = "VAL-005"


class ApplyStopped(Refused):
    """Somebody stopped an apply; everything is as it was. `is_cancelled`: for good, else it can go on."""

    is_cancelled = False


class NotFound(StudioError):
    """The named plan, step, file or folder does not exist."""

    kind = ErrorKind.NOT_FOUND


class TimedOut(StudioError):
    """The wait ended before the thing waited for happened."""

    kind = ErrorKind.TIMED_OUT
    registry = "RES-003"
    retryable = True


class UsageError(StudioError):
    """The call itself makes no sense: a choice outside the step's hunks, an unknown state."""

    kind = ErrorKind.USAGE
    registry = "VAL-001"


class InternalError(StudioError):
    """Something that must not happen did; the log has the details."""

    kind = ErrorKind.INTERNAL


class FaultKind(Enum):
    """Why an operation on a file failed (R75); the same operation on the same state gives the same (R76)."""

    NOT_FOUND = "NotFound"
    ALREADY_EXISTS = "AlreadyExists"
    ACCESS_DENIED = "AccessDenied"
    INVALID_PATH = "InvalidPath"
    DIRECTORY_NOT_EMPTY = "DirectoryNotEmpty"
    NOT_A_DIRECTORY = "NotADirectory"
    NOT_A_FILE = "NotAFile"
    DISK_FULL = "DiskFull"
    IO_ERROR = "IoError"
    PATH_TOO_LONG = "PathTooLong"
    TIMEOUT = "Timeout"


class FileError(StudioError):
    """An operation on one file was not carried out; nothing was changed by it.

    `fault` is the branch's kind (None: the content is the trouble, not the file). Those that are an OSError
    carry `errno` and `filename` as Python's own do.
    """

    fault: ClassVar[FaultKind | None] = FaultKind.IO_ERROR
    number: ClassVar[int] = errno.EIO
    registry = "FS-010"
    retryable = False

    def __init__(self, code: str, message: str, hint: str, *, path: str | None = None) -> None:
        super().__init__(code, message, hint, path=path)
        if isinstance(self, OSError):
            self.errno = self.number
            self.strerror = message
            self.filename = path


class WriteError(FileError):
    """It failed while folders or a file were being made or replaced (R52)."""


class AppendError(FileError):
    """It failed while text was being appended to a file (R52)."""


class FileMissing(FileError, NotFound, FileNotFoundError):
    """Nothing is at the path."""

    fault, registry, number = FaultKind.NOT_FOUND, "FS-001", errno.ENOENT


class FileExists(FileError, Refused, FileExistsError):
    """Something is at the path already."""

    fault, registry, number = FaultKind.ALREADY_EXISTS, "FS-006", errno.EEXIST


class AccessDenied(FileError, Refused, PermissionError):
    """Permission bits, attributes, a read-only disk or a rule of ours forbid it."""

    fault, registry, number = FaultKind.ACCESS_DENIED, "FS-002", errno.EACCES


class FileLocked(AccessDenied):
    """Another program holds the file; it may let go of it (R134-R136)."""

    registry, number, retryable = "FS-005", errno.EAGAIN, True


class LeadsOutside(AccessDenied):
    """The path goes through a link, which may lead anywhere (R43, R46, C6)."""

    registry, number = "SEC-002", errno.ELOOP


class InvalidPath(FileError, Refused, ValueError):
    """The path itself breaks a rule; no disk was asked."""

    fault, registry, number = FaultKind.INVALID_PATH, "FS-003", errno.EINVAL


class PathTraversal(InvalidPath):
    """The path climbs with "..", or would leave the root (R15, R16)."""

    registry = "SEC-001"


class PathOverLimit(WriteError, InvalidPath):
    """The path has more segments, or longer ones, than the limits allow (R23, C8)."""

    fault, registry = FaultKind.PATH_TOO_LONG, "FS-011"


class FolderNotEmpty(FileError, Refused, IsADirectoryError):
    """The folder holds something and was to be removed alone."""

    fault, registry, number = FaultKind.DIRECTORY_NOT_EMPTY, "FS-007", errno.ENOTEMPTY


class NotAFolder(FileError, Refused, NotADirectoryError):
    """A folder is needed and a file is there."""

    fault, registry, number = FaultKind.NOT_A_DIRECTORY, "FS-008", errno.ENOTDIR


class NotAFile(FileError, Refused, IsADirectoryError):
    """A regular file is needed and a folder, pipe, socket or device is there."""

    fault, registry, number = FaultKind.NOT_A_FILE, "FS-009", errno.EISDIR


class DiskFull(FileError, Refused, OSError):
    """No room for bytes or for entries, or the user's quota is used up."""

    fault, registry, number, retryable = FaultKind.DISK_FULL, "FS-004", errno.ENOSPC, True


class DiskFailed(FileError, Refused, OSError):
    """The disk, or the system, reported an error that no rule of ours explains."""


class BackendGone(DiskFailed, RuntimeError):
    """The disk that held the folder is not there any more."""

    number = errno.ENODEV


class PathTooLong(FileError, Refused, OSError):
    """The file system takes no name or path of that length (R22)."""

    fault, registry, number = FaultKind.PATH_TOO_LONG, "FS-011", errno.ENAMETOOLONG


class FileTimedOut(FileError, TimedOut, TimeoutError):
    """The disk did not answer in time."""

    fault, registry, number, retryable = FaultKind.TIMEOUT, "RES-003", errno.ETIMEDOUT, True


class Undecodable(FileError, Refused, UnicodeDecodeError):
    """The file is not text in any encoding that is known for it (R165, C37)."""

    fault, registry = None, "VAL-006"

    def __init__(
        self,
        code: str,
        message: str,
        hint: str,
        *,
        path: str | None = None,
        encoding: str = "utf-8",
        data: bytes = b"",
        start: int = 0,
    ) -> None:
        """`start` is the offset in bytes of the first that can't be decoded, 0-based."""
        FileError.__init__(self, code, message, hint, path=path)
        UnicodeDecodeError.__init__(
            self, encoding, data, start, min(start + 1, len(data)), f"{message} {hint}"
        )
