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
_interrupted = threading.Event()


def install_interrupt_handler() -> None:
    """Make Ctrl-C raise KeyboardInterrupt as soon as it is not lost.

    Where SIGINT is ignored, as for a shell's background jobs, it stays ignored. Only in the main thread.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _handle_interrupt)
        sys.unraisablehook = _handle_unraisable


def was_interrupted() -> bool:
    """Return whether Ctrl-C interrupted this process.

    Then the process ends with no other error.
    """
    return _interrupted.is_set()


def _handle_interrupt(_signal: int, frame: FrameType | None) -> None:
    if _would_be_lost(frame):
        _repeat_signal()
        return
    _interrupted.set()
    raise KeyboardInterrupt


def _would_be_lost(frame: FrameType | None) -> bool:
    """Return whether an import or the unraisable hook is running.

    An exception raised there is lost.
    """
    while frame is not None:
        code = frame.f_code
        if code is _handle_unraisable.__code__ or code.co_filename.startswith(_IMPORTING):
            return True
        frame = frame.f_back
    return False


def _handle_unraisable(error: sys.UnraisableHookArgs) -> None:
    if isinstance(error.exc_value, KeyboardInterrupt):
        _repeat_signal()
    elif not was_interrupted():  # else it results from the interruption
        sys.__unraisablehook__(error)


def _repeat_signal() -> None:
    """Repeat the signal a moment later, from a thread.

    An exception raised here, or a signal sent at once, would be lost, too.
    """
    with suppress(RuntimeError):  # the interpreter is about to exit
        # Not a Thread: starting one takes locks that may be held just where Ctrl-C was pressed.
        _thread.start_new_thread(_send_signal, ())


def _send_signal() -> None:
    time.sleep(_AGAIN_SECONDS)
    main = threading.main_thread().ident
    # Only a signal sent to it wakes the main thread from its wait.
    if hasattr(signal, "pthread_kill") and main is not None:
        signal.pthread_kill(main, signal.SIGINT)
    else:
        signal.raise_signal(signal.SIGINT)
