"""Ctrl-C ends a command wherever it is pressed, also where the exception that says so would be lost.

In an import it was: importlib drops what is raised in a callback of its own, and a package may catch all that
comes out of an import it only tries. The interpreter drops what is raised while it takes an object down. And
within the waiting of `threading` another exception comes in its place.
"""

from __future__ import annotations

import _thread
import signal
import sys
import threading
import time
from contextlib import suppress
from types import FrameType

_AGAIN_SECONDS = 0.005
_IMPORTING = "<frozen importlib"
_raised = threading.Event()


def hear_interrupts() -> None:
    """From now on Ctrl-C raises KeyboardInterrupt as soon as that can be heard. Where it is ignored, as a
    shell starts what runs in the background, it stays so. Only in the main thread."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _pressed)
        sys.unraisablehook = _dropped


def was_interrupted() -> bool:
    """Whether Ctrl-C was to end this process: then no other error is what it ends with."""
    return _raised.is_set()


def _pressed(_signal: int, frame: FrameType | None) -> None:
    if _would_be_lost(frame):
        _press_again()
        return
    _raised.set()
    raise KeyboardInterrupt


def _would_be_lost(frame: FrameType | None) -> bool:
    """Whether an import, or what is told of a lost exception, is under way: what is raised there is lost."""
    while frame is not None:
        code = frame.f_code
        if code is _dropped.__code__ or code.co_filename.startswith(_IMPORTING):
            return True
        frame = frame.f_back
    return False


def _dropped(told: sys.UnraisableHookArgs) -> None:
    if isinstance(told.exc_value, KeyboardInterrupt):
        _press_again()
    elif not was_interrupted():  # else it comes of what was left in the middle
        sys.__unraisablehook__(told)


def _press_again() -> None:
    """A moment later, from a thread: what is raised here, or pressed here at once, would be lost, too."""
    with suppress(RuntimeError):  # the interpreter is about to end
        # Not a Thread: to start one takes locks that may be held just where Ctrl-C was pressed.
        _thread.start_new_thread(_press, ())


def _press() -> None:
    time.sleep(_AGAIN_SECONDS)
    main = threading.main_thread().ident
    # Only a signal of its own wakes the main thread from its waiting.
    if hasattr(signal, "pthread_kill") and main is not None:
        signal.pthread_kill(main, signal.SIGINT)
    else:
        signal.raise_signal(signal.SIGINT)
