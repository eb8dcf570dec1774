"""Exception hierarchy with error codes and hints; escaping of names for display.

An error about a file is several things at once, so that every caller can use its own vocabulary: the fault
kind of the branch, the class of the file manager, Python's builtin exception and the code of the error
registry. `system/os_errors` makes them from errors of the operating system.
"""

from __future__ import annotations

import errno
from collections.abc import Mapping
from enum import Enum
from typing import ClassVar, Final, Self

# Printable by category, yet invisible or drawn as a blank.
_BLANK = frozenset(
    map(
        chr,
        [
            0x034F,
            0x115F,
            0x1160,
            0x17B4,
            0x17B5,
            *range(0x180B, 0x1810),
            0x2800,
            0x3164,
            *range(0xFE00, 0xFE10),
            0xFFA0,
            *range(0xE0100, 0xE01F0),
        ],
    )
)


_SHORT_ESCAPES = {"\t": "\\t", "\n": "\\n", "\r": "\\r"}


def is_hidden_character(character: str) -> bool:
    """Return whether a character is invisible or disguises text.

    Controls, bidi marks, zero-width and unassigned characters, blanks other than space, fillers, variation
    selectors, lone surrogates: names and text from outside could forge our own words with them.
    """
    return not character.isprintable() or character in _BLANK


def show_name(text: str) -> str:
    """Return a name with every hidden character escaped, as \\u202e."""
    if text.isprintable() and (text.isascii() or _BLANK.isdisjoint(text)):
        return text
    return "".join(_escape(character) if is_hidden_character(character) else character for character in text)


def show_lines(text: str) -> str:
    """Escape text as `show_name` does, but keep tabs and line ends."""
    if text.isprintable() and text.isascii():
        return text
    return "\n".join("\t".join(map(show_name, line.split("\t"))) for line in text.split("\n"))


def _escape(character: str) -> str:
    code = ord(character)
    if code < 0x80:
        return _SHORT_ESCAPES.get(character, f"\\x{code:02x}")
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


class ErrorSeverity(Enum):
    """Severity of an error.

    Fatal: no change of the call makes it possible, or stored data can't be trusted; else error.
    """

    FATAL = "fatal"
    ERROR = "error"


_FATAL: Final = frozenset({"FS-003", "SEC-001", "SEC-002", "SEC-003", "ST-001", "ST-002"})


_BY_CODE: Final[Mapping[str, tuple[str, bool]]] = {
    "config.secret": ("SEC-003", False),
    "config.unset": ("CFG-002", False),
    "config.unreadable": ("CFG-001", False),
    "config.changed": ("VAL-005", True),
    "disk.busy": ("FS-005", True),
    "disk.locked": ("FS-005", True),
    "disk.full": ("FS-004", True),
    "disk.quota": ("FS-004", True),
    "state.full": ("FS-004", True),
    "state.unusable": ("FS-002", False),
    "lock.held": ("FS-005", True),
    "sandbox.busy": ("FS-005", True),
    "lock.unusable": ("FS-002", False),
    "store.busy": ("FS-005", True),
    "store_newer": ("ST-002", False),
    "plan.state": ("ST-001", False),
    "plan.decided": ("ST-001", False),
    "step.state": ("ST-001", False),
    "plan.decided_anew": ("VAL-005", True),
    "step.changed_under_you": ("VAL-005", True),
    "root.missing": ("FS-001", False),
    "root.gone": ("FS-001", False),
    "submit.missing": ("FS-001", False),
    "target.missing": ("FS-001", False),
    "target.unchangeable": ("FS-002", False),
    "path.locked": ("SEC-002", False),
    "file.too_large": ("VAL-002", False),
}


"""Registry code, and whether the same call may succeed later."""


_BY_BEGINNING: Final[Mapping[str, str]] = {
    "store.": "ST-002",
    "journal.": "ST-002",
    "config.": "CFG-003",
    "diff.": "VAL-003",
    "patch.": "VAL-003",
    "format.": "VAL-003",
    "apply_patch.": "VAL-003",
    "search_replace.": "VAL-003",
    "text.": "VAL-006",
    "plan.": "VAL-004",
    "policy.": "VAL-002",
    "limits.": "VAL-002",
}


def registered(code: str, registry: str, *, retryable: bool) -> tuple[str, bool]:
    """Return the registry code of an error, and whether to retry.

    `registry` and `retryable` are the defaults of its class.
    """
    entry = _BY_CODE.get(code)
    if entry is not None:
        return entry
    beginning = code[: code.find(".") + 1]
    return registry or _BY_BEGINNING.get(beginning, "VAL-002"), retryable


def severity_of(registry: str) -> ErrorSeverity:
    return ErrorSeverity.FATAL if registry in _FATAL else ErrorSeverity.ERROR


class ErrorKind(Enum):
    """Why a call failed.

    Doors map it to exit codes, the window to icons.
    """

    REFUSED = "refused"
    NEEDS_PERSON = "needs_person"
    CONFLICT = "conflict"
    NOT_FOUND = "not_found"
    TIMED_OUT = "timed_out"
    USAGE = "usage"
    INTERNAL = "internal"


class StudioError(Exception):
    """Base of every error the engine raises on purpose.

    `code` is stable and meant for programs, `message` is one sentence for people that names the file, `hint`
    what to do next, `path` is relative to the project root where one file is meant. Sentences are escaped
    here: names in them come from outside, and a terminal would obey control characters. `registry` is the
    code of the error registry, `severity` its severity, `retryable` whether the same call may succeed later.
    """

    kind = ErrorKind.REFUSED
    registry: str = ""
    retryable: bool = False

    def __init__(self, code: str, message: str, hint: str, *, path: str | None = None) -> None:
        # Not super(): the builtin bases of file errors take other arguments.
        Exception.__init__(self, show_name(message))
        self.code = code
        self.message = show_name(message)
        self.hint = show_name(hint)
        self.path = path
        self.registry, self.retryable = registered(code, self.registry, retryable=self.retryable)

    @property
    def severity(self) -> ErrorSeverity:
        """The severity in the registry; an internal error is fatal."""
        return ErrorSeverity.FATAL if self.kind is ErrorKind.INTERNAL else severity_of(self.registry)

    def within(self, folder: str) -> Self:
        """Return this error with its path in an external folder.

        The message names that folder.
        """
        self.message = f"In {show_name(folder)}: {self.message}"
        self.path = folder if self.path in (None, "", ".") else f"{folder}/{self.path}"
        return self

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()


class Refused(StudioError):
    """A check failed; nothing was changed."""


class BadPattern(Refused, ValueError):
    """A glob pattern or regular expression that can't be parsed."""


class SnapshotError(Refused, RuntimeError):
    """A snapshot could not be made, or can't be read."""


class SnapshotRestoreError(SnapshotError):
    """A snapshot could not be restored; nothing was changed."""


class NeedsPerson(StudioError):
    """The call decides or writes, and no person has been identified."""

    kind = ErrorKind.NEEDS_PERSON


class Conflict(StudioError):
    """Disk or store no longer match what the decision was made on."""

    kind = ErrorKind.CONFLICT
    registry = "VAL-005"


class ApplyStopped(Refused):
    """An apply was stopped; everything is as it was.

    `is_cancelled`: for good, else it can go on.
    """

    is_cancelled = False


class NotFound(StudioError):
    """The named plan, step, file or folder does not exist."""

    kind = ErrorKind.NOT_FOUND


class TimedOut(StudioError, TimeoutError):
    """The wait ended before the awaited event."""

    kind = ErrorKind.TIMED_OUT
    registry = "RES-003"
    retryable = True


class UsageError(StudioError):
    """The call is invalid: an unknown state, a choice outside the hunks."""

    kind = ErrorKind.USAGE
    registry = "VAL-001"


class InternalError(StudioError):
    """Something that must not happen did; the log has the details."""

    kind = ErrorKind.INTERNAL


class FaultKind(Enum):
    """Why an operation on a file failed.

    The same operation on the same state fails with the same kind.
    """

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
    """An operation on one file failed; nothing was changed by it.

    `fault` is the branch's kind (None: the content is the problem, not the file). Those that are an OSError
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
    """Folders or a file could not be created or replaced."""


class AppendError(FileError):
    """Text could not be appended to a file."""


class FileMissing(FileError, NotFound, FileNotFoundError):
    """Nothing is at the path."""

    fault, registry, number = FaultKind.NOT_FOUND, "FS-001", errno.ENOENT


class FileExists(FileError, Refused, FileExistsError):
    """Something is at the path already."""

    fault, registry, number = FaultKind.ALREADY_EXISTS, "FS-006", errno.EEXIST


class AccessDenied(FileError, Refused, PermissionError):
    """Permission bits, attributes, a read-only disk or a rule forbid it."""

    fault, registry, number = FaultKind.ACCESS_DENIED, "FS-002", errno.EACCES


class FileLocked(AccessDenied):
    """Another program holds the file; it may release it."""

    registry, number, retryable = "FS-005", errno.EAGAIN, True


class LeadsOutside(AccessDenied, ValueError):
    """The path goes through a link, which may lead anywhere."""

    registry, number = "SEC-002", errno.ELOOP


class InvalidPath(FileError, Refused, ValueError):
    """The path itself breaks a rule; the disk was not accessed."""

    fault, registry, number = FaultKind.INVALID_PATH, "FS-003", errno.EINVAL


class PathTraversal(InvalidPath, PermissionError):
    """The path climbs with "..", or would leave the root."""

    registry, number = "SEC-001", errno.EACCES


class PathOverLimit(WriteError, InvalidPath):
    """The path has more or longer segments than the limits allow."""

    fault, registry = FaultKind.PATH_TOO_LONG, "FS-011"


class FolderNotEmpty(FileError, Refused, IsADirectoryError):
    """The folder is not empty and was to be removed alone."""

    fault, registry, number = FaultKind.DIRECTORY_NOT_EMPTY, "FS-007", errno.ENOTEMPTY


class NotAFolder(FileError, Refused, NotADirectoryError):
    """A folder is needed and a file is there."""

    fault, registry, number = FaultKind.NOT_A_DIRECTORY, "FS-008", errno.ENOTDIR


class NotAFile(FileError, Refused, IsADirectoryError):
    """A regular file is needed and something else is there.

    Such as a folder, pipe, socket or device.
    """

    fault, registry, number = FaultKind.NOT_A_FILE, "FS-009", errno.EISDIR


class DiskFull(FileError, Refused, OSError):
    """No room for bytes or entries, or the user's quota is exhausted."""

    fault, registry, number, retryable = FaultKind.DISK_FULL, "FS-004", errno.ENOSPC, True


class DiskFailed(FileError, Refused, OSError):
    """The disk or the system reported an error of no other class."""


class BackendGone(DiskFailed, RuntimeError):
    """The disk that held the folder is gone."""

    number = errno.ENODEV


class PathTooLong(FileError, Refused, OSError):
    """The file system does not allow names or paths that long."""

    fault, registry, number = FaultKind.PATH_TOO_LONG, "FS-011", errno.ENAMETOOLONG


class FileTimedOut(FileError, TimedOut):
    """The disk did not answer in time."""

    fault, registry, number, retryable = FaultKind.TIMEOUT, "RES-003", errno.ETIMEDOUT, True


class Undecodable(FileError, Refused, UnicodeDecodeError):
    """The file is not text in any encoding known for it."""

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
        """Create the error; `start` is the offset of the first bad byte."""
        FileError.__init__(self, code, message, hint, path=path)
        UnicodeDecodeError.__init__(
            self, encoding, data, start, min(start + 1, len(data)), f"{message} {hint}"
        )
