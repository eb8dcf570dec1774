"""What a command says, and the exit codes it says it with (contract 9)."""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from studio.engine.errors import ErrorKind, StudioError
from studio.engine.faults import reason

DONE, REFUSED, STALE, TIMED_OUT = 0, 1, 3, 5

_OF_ERRORS = {
    ErrorKind.REFUSED: REFUSED,
    ErrorKind.NEEDS_PERSON: REFUSED,
    ErrorKind.USAGE: 2,
    ErrorKind.CONFLICT: STALE,
    ErrorKind.NOT_FOUND: 4,
    ErrorKind.TIMED_OUT: TIMED_OUT,
    ErrorKind.INTERNAL: 70,
}


def exit_code(error: StudioError) -> int:
    """The code of a command that ends with this error."""
    return _OF_ERRORS[error.kind]


class Answer:
    """One JSON document, the same for people as lines, and the exit code.

    `remark` goes to stderr: why the code is not 0 although there is an answer. `is_printed` says that the
    answer is on stdout already.
    """

    def __init__(
        self,
        document: dict[str, Any],
        lines: str,
        code: int = DONE,
        remark: str = "",
        *,
        is_printed: bool = False,
    ) -> None:
        self.document = document
        self.lines = lines
        self.code = code
        self.remark = remark
        self.is_printed = is_printed


class OutputLost(Exception):
    """Standard output takes no more; the reason is a clause."""


def print_line(line: str, *, flush: bool = False) -> None:
    """One line of an answer to standard output, in UTF-8 whatever the terminal's settings are.

    Raises OutputLost, or BrokenPipeError where its reader has gone.
    """
    with _told():
        sys.stdout.buffer.write(line.encode("utf-8", "backslashreplace") + b"\n")
        if flush:
            sys.stdout.flush()


def flush_output() -> None:
    """Give away what was printed. Raises as `print_line`."""
    with _told():
        sys.stdout.flush()


@contextmanager
def _told() -> Generator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputLost(reason(error)) from error
