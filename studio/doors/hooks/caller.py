"""Whether the client that started a hook is still there: one that was killed leaves its hook alone."""

from __future__ import annotations

import os
import select
import threading
from contextlib import suppress

_LOOK_SECONDS = 1.0


def watch_caller(process: int) -> threading.Event:
    """An event that is set when this process ends, at once where it is gone already.

    Its number may be another's by the time it is looked at: on Linux the process is held by a handle.
    """
    gone = threading.Event()
    try:
        handle = os.pidfd_open(process) if hasattr(os, "pidfd_open") else None
    except (OSError, OverflowError):  # no number of a process
        gone.set()
        return gone
    threading.Thread(target=_watch, args=(process, handle, gone), name="caller", daemon=True).start()
    return gone


def _watch(process: int, handle: int | None, gone: threading.Event) -> None:
    if handle is not None:
        watched = select.poll()
        watched.register(handle, select.POLLIN)
        watched.poll()
        os.close(handle)
    else:
        with suppress(OSError):
            while not gone.wait(_LOOK_SECONDS):
                os.kill(process, 0)
    gone.set()
