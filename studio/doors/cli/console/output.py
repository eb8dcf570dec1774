"""Printing to standard output; exit codes of lost output and Ctrl-C.

It imports no other module of the program, as --version uses it.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager

INTERRUPTED = 130
"""The exit code after Ctrl-C, as in shells."""


class Interrupted(Exception):
    """Ctrl-C ended the command; the text is a sentence on its state."""


class OutputLost(Exception):
    """Standard output can't be written; the reason is a clause."""


def print_line(line: str, *, flush: bool = False) -> None:
    """Print one line of an answer. Raises as `print_text`."""
    print_text(f"{line}\n", flush=flush)


def print_text(text: str, *, flush: bool = False) -> None:
    """Print a text in UTF-8, whatever the terminal's settings.

    Raises OutputLost, or BrokenPipeError where its reader has gone.
    """
    if sys.stdout is None:
        raise OutputLost("it is closed")
    with _write_errors():
        sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))
        if flush:
            sys.stdout.flush()


def flush_output() -> None:
    """Flush standard output. Raises as `print_line`."""
    # A packaged window has no standard output.
    if sys.stdout is not None:
        with _write_errors():
            sys.stdout.flush()


def run_with_output(work: Callable[[], int]) -> int:
    """Run work that prints, and return its exit code.

    The code is 0 where the reader has gone, 1 where nothing more can be written, 130 after Ctrl-C. Where
    standard error is closed, messages are dropped.
    """
    if sys.stderr is None:
        while os.open(os.devnull, os.O_RDWR) < 2:
            pass  # no file of ours may get descriptor 2
        sys.stderr = io.StringIO()
    try:
        code = work()
        flush_output()
        return code
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        forget_output()  # the reader has all that it wanted
        return 0
    except OutputLost as error:
        forget_output()
        sys.stderr.write(f"studio: Standard output can't be written: {error}.\n")
        return 1


def forget_output() -> None:
    """Discard unprinted output, so that the interpreter reports no error at exit."""
    if sys.stdout is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def _write_errors() -> Generator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        from studio.system.os_errors import reason

        raise OutputLost(reason(error)) from error
