"""One exception hierarchy: what happened, to which file, what to do next (R175, R176)."""

from __future__ import annotations

from enum import Enum


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
    `hint` says what to do next, `path` is relative to the project root where one file is meant.
    """

    kind = ErrorKind.REFUSED

    def __init__(self, code: str, message: str, hint: str, *, path: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint
        self.path = path

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()


class Refused(StudioError):
    """A check said no; nothing was changed."""


class NeedsPerson(StudioError):
    """The call decides or writes, and no person has shown themselves (design section 6)."""

    kind = ErrorKind.NEEDS_PERSON


class Conflict(StudioError):
    """What is on disk, or in the store, is no longer what the decision was made on."""

    kind = ErrorKind.CONFLICT


class NotFound(StudioError):
    """The named plan, step, file or folder does not exist."""

    kind = ErrorKind.NOT_FOUND


class TimedOut(StudioError):
    """The wait ended before the thing waited for happened."""

    kind = ErrorKind.TIMED_OUT


class UsageError(StudioError):
    """The call itself makes no sense: a choice outside the step's hunks, an unknown state."""

    kind = ErrorKind.USAGE


class InternalError(StudioError):
    """Something that must not happen did; the log has the details."""

    kind = ErrorKind.INTERNAL
