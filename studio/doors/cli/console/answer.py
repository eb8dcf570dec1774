"""Command result as JSON and text, and exit codes of error kinds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from studio.errors import ErrorKind

if TYPE_CHECKING:
    from studio.errors import StudioError

DONE, REFUSED, STALE, NOT_FOUND, TIMED_OUT = 0, 1, 3, 4, 5

_OF_ERRORS = {
    ErrorKind.REFUSED: REFUSED,
    ErrorKind.NEEDS_PERSON: REFUSED,
    ErrorKind.USAGE: 2,
    ErrorKind.CONFLICT: STALE,
    ErrorKind.NOT_FOUND: NOT_FOUND,
    ErrorKind.TIMED_OUT: TIMED_OUT,
    ErrorKind.INTERNAL: 70,
}


def exit_code(error: StudioError) -> int:
    """Return the exit code of a command that ends with this error."""
    return _OF_ERRORS[error.kind]


class Answer:
    """A command's result as JSON and text, with its exit code.

    `remark` goes to stderr: why the code is not 0 although there is an answer. `is_exact`: the lines are a
    file's text, and no line end is added. `is_printed` says that the answer is on stdout already.
    """

    def __init__(
        self,
        document: dict[str, Any],
        lines: str,
        code: int = DONE,
        remark: str = "",
        *,
        is_exact: bool = False,
        is_printed: bool = False,
    ) -> None:
        self.document = document
        self.lines = lines
        self.code = code
        self.remark = remark
        self.is_exact = is_exact
        self.is_printed = is_printed
