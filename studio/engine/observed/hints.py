"""Where to look: paths gathered until they are told, in memory that no number of changes makes grow."""

from __future__ import annotations

import threading

from studio.engine.limits import WATCH_PATHS_UP_TO

EVERYTHING = ""
"""The path of the root: whatever lies beneath it may have changed."""


class Hints:
    """Relative paths, each of which stands for itself and for all that lies beneath. For every thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._paths: set[str] = set()
        self._folders: set[str] = set()
        self.wake = threading.Event()
        """Set where something waits to be told."""

    def add(self, path: str) -> None:
        """Somebody should look at this path."""
        with self._lock:
            if path.rpartition("/")[0] not in self._folders:
                self._paths.add(path)
                if len(self._paths) >= WATCH_PATHS_UP_TO:
                    self._gather_by_folder()
        self.wake.set()

    def _gather_by_folder(self) -> None:
        self._folders.update(path.rpartition("/")[0] for path in self._paths)
        self._paths.clear()
        if len(self._folders) >= WATCH_PATHS_UP_TO:
            self._folders = {EVERYTHING}

    def take(self) -> frozenset[str] | None:
        """What was gathered, which is forgotten: the empty set for everything, None for nothing."""
        with self._lock:
            taken = frozenset(self._paths | self._folders)
            self._paths.clear()
            self._folders.clear()
        if EVERYTHING in taken:
            return frozenset()
        return taken or None
