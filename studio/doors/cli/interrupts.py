"""Ctrl-C while files are written: it stops what has put nothing in place yet, or waits until all of it is."""

from __future__ import annotations

import signal
import sys
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType

from studio.doors.cli.output import Interrupted
from studio.engine.errors import StudioError
from studio.engine.reviewer import ApplyControl


@contextmanager
def held_interrupts() -> Generator[ApplyControl]:
    """Keep Ctrl-C from this block, which writes; an apply that is given the control pauses before it has put
    a file in place, and else goes on to its end. Whatever else can stop looks at `pause` as well.

    Raises Interrupted, or KeyboardInterrupt, after the block where it was pressed. Only in the main thread.
    """
    control = ApplyControl()
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as a shell starts what runs in the background
        yield control
        return

    def pause(_signal: int, _frame: FrameType | None) -> None:
        control.pause.set()

    before = signal.signal(signal.SIGINT, pause)
    try:
        yield control
    except StudioError as stopped:
        if not control.pause.is_set():
            raise
        raise Interrupted(f"{stopped.message} {stopped.hint}") from stopped
    finally:
        signal.signal(signal.SIGINT, before)
    if control.pause.is_set():
        sys.stderr.write("studio: Ctrl-C came too late to stop this: all of it is done.\n")
        raise KeyboardInterrupt
