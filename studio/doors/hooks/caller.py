"""Detection of the end of the client that started a hook.

A client that is killed leaves its hook running.
"""

from __future__ import annotations

import os
import select
import threading
from contextlib import suppress

_POLL_SECONDS = 1.0


def watch_parent(process: int) -> threading.Event:
    """Return an event that is set when this process ends.

    It is set at once if the process is gone. On Linux a pidfd holds the process, as its id may be reused.
    """
    ended = threading.Event()
    try:
        handle = os.pidfd_open(process) if hasattr(os, "pidfd_open") else None
    except (OSError, OverflowError):  # not a process id
        ended.set()
        return ended
    threading.Thread(target=_watch, args=(process, handle, ended), name="caller", daemon=True).start()
    return ended


def _watch(process: int, handle: int | None, ended: threading.Event) -> None:
    if handle is not None:
        watched = select.poll()
        watched.register(handle, select.POLLIN)
        watched.poll()
        os.close(handle)
    else:
        with suppress(OSError):
            while not ended.wait(_POLL_SECONDS):
                os.kill(process, 0)
    ended.set()
