"""The watching of one tree: begun on any thread, ended by another, whichever comes first."""

from __future__ import annotations

import threading
from pathlib import Path

from studio.engine.project.watcher import OnChange, Watcher


class TreeWatch:
    """Owns the watcher of one tree, so that one which was ended before it had begun watches nothing."""

    def __init__(self, root: Path, on_change: OnChange) -> None:
        self._root = root
        self._on_change = on_change
        self._lock = threading.Lock()
        self._watcher: Watcher | None = None
        self._is_ended = False

    def begin(self) -> None:
        """Watch; where the system has no watcher to give, only looking tells. Takes long for a large tree."""
        watcher = Watcher(self._root, self._on_change)
        try:
            watcher.start()
        except OSError:
            return
        with self._lock:
            if not self._is_ended:
                self._watcher = watcher
                return
        watcher.stop()

    def end(self) -> None:
        """Watch no more; no call comes after this returns."""
        with self._lock:
            self._is_ended = True
            watcher, self._watcher = self._watcher, None
        if watcher is not None:
            watcher.stop()
