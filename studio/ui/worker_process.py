"""The process beside the window that computes for it, and that must not outlive it."""

from __future__ import annotations

import multiprocessing
import os
import threading


def end_with_parent() -> None:
    """In that process, at its start: end it as soon as the window's process is gone, a killed one too.

    It waits for work at a pipe of which it holds both ends, and would never see that nobody is there.
    """
    threading.Thread(target=_end_with_parent, name="parent", daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
