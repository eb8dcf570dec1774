"""Process pool of one child process, which ends with its parent."""

from __future__ import annotations

import multiprocessing
import os
import threading
from concurrent.futures import ProcessPoolExecutor


def process_pool() -> ProcessPoolExecutor:
    """Return a pool of one process, started by its first job.

    It ends with this process.
    """
    # A fork would copy Qt's threads and locks in an unknown state.
    spawn = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(max_workers=1, mp_context=spawn, initializer=end_with_parent)


def end_with_parent() -> None:
    """End the child process once its parent has ended, even if killed.

    Call it at the child's start. It waits for work at a pipe of which it holds both ends, so it would not
    notice.
    """
    threading.Thread(target=_end_with_parent, name="parent", daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
