"""Thread-safe, bounded set of changed paths that await a scan."""

from __future__ import annotations

import threading

from studio.limits import WATCH_PATHS_UP_TO

EVERYTHING = ""
"""The path of the root: anything beneath it may have changed."""


class Hints:
    """Thread-safe set of relative paths, each including its whole subtree."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._paths: set[str] = set()
        self._folders: set[str] = set()
        self.wake = threading.Event()
        """Set while paths wait to be reported."""

    def add(self, path: str) -> None:
        """Add a path to be scanned."""
        with self._lock:
            if path.rpartition("/")[0] not in self._folders:
                self._paths.add(path)
                if len(self._paths) >= WATCH_PATHS_UP_TO:
                    self._collapse_to_folders()
        self.wake.set()

    def _collapse_to_folders(self) -> None:
        self._folders.update(path.rpartition("/")[0] for path in self._paths)
        self._paths.clear()
        if len(self._folders) >= WATCH_PATHS_UP_TO:
            self._folders = {EVERYTHING}

    def drain(self) -> frozenset[str] | None:
        """Remove and return the collected paths.

        The empty set means everything, None nothing.
        """
        with self._lock:
            paths = frozenset(self._paths | self._folders)
            self._paths.clear()
            self._folders.clear()
        if EVERYTHING in paths:
            return frozenset()
        return paths or None
