"""Deferral of Ctrl-C during writes: an apply stops early or completes.

It stops an apply that has put no file in place yet, or waits for its end.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType

from studio.doors.cli.console.output import Interrupted
from studio.engine import ApplyControl
from studio.errors import StudioError


@contextmanager
def defer_interrupts() -> Generator[ApplyControl]:
    """Defer Ctrl-C in this block, which writes.

    An apply with the yielded control pauses before it has put a file in place, and else continues to its end.
    Other work that can stop checks `pause` as well. Raises Interrupted, or KeyboardInterrupt, after the block
    where it was pressed. Only in the main thread.
    """
    control = ApplyControl()
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as a shell starts background jobs
        yield control
        return

    def pause(_signal: int, _frame: FrameType | None) -> None:
        control.pause.set()

    previous = signal.signal(signal.SIGINT, pause)
    try:
        yield control
    except StudioError as error:
        if not control.pause.is_set():
            raise
        raise Interrupted(f"{error.message} {error.hint}") from error
    finally:
        signal.signal(signal.SIGINT, previous)
    if control.pause.is_set():
        sys.stderr.write("studio: Ctrl-C came too late; the command completed.\n")
        raise KeyboardInterrupt
