"""Ctrl-C handling that also works where KeyboardInterrupt would be lost.

It was lost in an import: importlib drops an exception raised in its own callback, and a package may catch all
exceptions of an optional import. The interpreter drops one that is raised in an object's finalizer. And in a
`threading` wait another exception replaces it.
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


def install_interrupt_handler() -> None:
    """Make Ctrl-C raise KeyboardInterrupt as soon as it is not lost.

    Where SIGINT is ignored, as for a shell's background jobs, it stays ignored. Only in the main thread.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _pressed)
        sys.unraisablehook = _dropped


def was_interrupted() -> bool:
    """Return whether Ctrl-C interrupted this process.

    Then the process ends with no other error.
    """
    return _raised.is_set()


def _pressed(_signal: int, frame: FrameType | None) -> None:
    if _would_be_lost(frame):
        _press_again()
        return
    _raised.set()
    raise KeyboardInterrupt


def _would_be_lost(frame: FrameType | None) -> bool:
    """Return whether an import or the unraisable hook is running.

    An exception raised there is lost.
    """
    while frame is not None:
        code = frame.f_code
        if code is _dropped.__code__ or code.co_filename.startswith(_IMPORTING):
            return True
        frame = frame.f_back
    return False


def _dropped(told: sys.UnraisableHookArgs) -> None:
    if isinstance(told.exc_value, KeyboardInterrupt):
        _press_again()
    elif not was_interrupted():  # else it results from the interruption
        sys.__unraisablehook__(told)


def _press_again() -> None:
    """Repeat the signal a moment later, from a thread.

    An exception raised here, or a signal sent at once, would be lost, too.
    """
    with suppress(RuntimeError):  # the interpreter is about to exit
        # Not a Thread: starting one takes locks that may be held just where Ctrl-C was pressed.
        _thread.start_new_thread(_press, ())


def _press() -> None:
    time.sleep(_AGAIN_SECONDS)
    main = threading.main_thread().ident
    # Only a signal sent to it wakes the main thread from its wait.
    if hasattr(signal, "pthread_kill") and main is not None:
        signal.pthread_kill(main, signal.SIGINT)
    else:
        signal.raise_signal(signal.SIGINT)
