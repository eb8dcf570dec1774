"""Standard output, and what is said when it takes no more; loads nothing, for it serves --version, too."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager

INTERRUPTED = 130
"""The exit code of a command that Ctrl-C ended, as shells have it."""


class Interrupted(Exception):
    """The command ends because somebody pressed Ctrl-C; the text is a sentence that says how things stand."""


class OutputLost(Exception):
    """Standard output takes no more; the reason is a clause."""


def print_line(line: str, *, flush: bool = False) -> None:
    """One line of an answer to standard output. Raises as `print_text`."""
    print_text(f"{line}\n", flush=flush)


def print_text(text: str, *, flush: bool = False) -> None:
    """A text to standard output as it is, in UTF-8 whatever the terminal's settings are.

    Raises OutputLost, or BrokenPipeError where its reader has gone.
    """
    if sys.stdout is None:
        raise OutputLost("it is closed")
    with _told():
        sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))
        if flush:
            sys.stdout.flush()


def flush_output() -> None:
    """Give away what was printed. Raises as `print_line`."""
    # A packaged window has no standard output.
    if sys.stdout is not None:
        with _told():
            sys.stdout.flush()


def while_output_lasts(work: Callable[[], int]) -> int:
    """The exit code of work that prints: 0 where its reader has gone, 1 where nothing more can be
    written, 130 after Ctrl-C. What is said where standard error is closed goes nowhere."""
    if sys.stderr is None:
        while os.open(os.devnull, os.O_RDWR) < 2:
            pass  # its number must become that of no file of ours
        sys.stderr = io.StringIO()
    try:
        code = work()
        flush_output()
        return code
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        forget_output()  # whoever read the stream has enough
        return 0
    except OutputLost as error:
        forget_output()
        sys.stderr.write(f"studio: Standard output can't be written: {error}.\n")
        return 1


def forget_output() -> None:
    """Keep the interpreter from complaining at its end about what it could not print."""
    if sys.stdout is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def _told() -> Generator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        from studio.engine.workspace import reason

        raise OutputLost(reason(error)) from error
