"""Manual Python garbage collection on the UI thread, in short timed runs."""

from __future__ import annotations

import gc
from typing import Any

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtWidgets import QApplication

_OUT_OF_SIGHT_MS = 2000
"""Time in the background after which everything is collected."""

_YOUNG_MS = 250
"""Interval of collecting new objects: scanning 250,000 new lists takes 13 ms (CPython 3.11)."""

_FULL_EVERY = 40
"""Every how many of those collections old objects are collected, too."""


class GarbagePauses(QObject):
    """Garbage collector that runs on the UI thread only.

    Python by itself collects on whichever thread allocates: on the engine's it destroyed the timers of a
    closed window, which Qt 6.11 says can't be stopped from another thread, and crashed. Pauses are shorter
    than a frame, and survivors of a full collection are excluded from the next: for a session of a thousand
    files a full one takes 70 ms, and runs once the window is in the background. A review of 358 files by keys
    had 16 stalls over 50 ms, the longest 64 ms; with Python's own thresholds 15 and 77 ms
    (`tests.tools.long_review`, two cores).
    """

    def __init__(self, app: QApplication) -> None:
        super().__init__(app)
        self._idle_timer = QTimer(self, singleShot=True, interval=_OUT_OF_SIGHT_MS)
        self._idle_timer.timeout.connect(self._collect_all)
        self._young_timer = QTimer(self, interval=_YOUNG_MS)
        self._young_timer.timeout.connect(self._collect)
        self._times = 0
        app.applicationStateChanged.connect(self._application_changed)

    def begin(self) -> None:
        """Freeze the existing objects and collect new ones from now on."""
        gc.freeze()
        gc.callbacks.append(_freeze_survivors)
        gc.disable()
        self._young_timer.start()

    def end(self) -> None:
        """Restore Python's automatic collection."""
        self._idle_timer.stop()
        self._young_timer.stop()
        gc.enable()
        if _freeze_survivors in gc.callbacks:
            gc.callbacks.remove(_freeze_survivors)
        gc.unfreeze()

    def _application_changed(self, state: Qt.ApplicationState) -> None:
        if state is Qt.ApplicationState.ApplicationActive:
            self._idle_timer.stop()
        else:
            self._idle_timer.start()

    def _collect(self) -> None:
        self._times += 1
        gc.collect(1 if self._times % _FULL_EVERY else 2)

    def _collect_all(self) -> None:
        gc.unfreeze()
        gc.collect()


def _freeze_survivors(phase: str, info: dict[str, Any]) -> None:
    if phase == "stop" and info["generation"] == 2:
        gc.freeze()
