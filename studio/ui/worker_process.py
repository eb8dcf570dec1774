"""The process beside the window that computes for it, and that must not outlive it."""

from __future__ import annotations

import multiprocessing
import os
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor


def process_pool() -> ProcessPoolExecutor:
    """Return a pool of one process, which starts with its first job and ends with this one."""
    from concurrent.futures import ProcessPoolExecutor

    # A fork would copy Qt's threads and locks in an unknown state.
    spawn = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(max_workers=1, mp_context=spawn, initializer=end_with_parent)


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
