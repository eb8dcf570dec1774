"""When garbage is collected: what is new while somebody works, all when the window is left."""

from __future__ import annotations

import gc
from typing import Any

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtWidgets import QApplication

_OUT_OF_SIGHT_MS = 2000
"""How long another program has the keyboard before everything is looked through."""

_YOUNG_MS = 250
"""How often new objects are collected: to go through 250,000 new lists takes 13 ms (CPython 3.11)."""

_FULL_EVERY = 40
"""Every how many times old ones are collected, too."""


class GarbagePauses(QObject):
    """Collect garbage on the ui thread alone, in pauses shorter than a frame.

    Python by itself collects on whichever thread allocates: the engine's destroyed the timers of a window
    that was closed, of which Qt 6.11 says that they can't be stopped from another thread, and crashed. What
    has lived through a full collection is left out of the next: of a session of a thousand files one takes
    70 ms, and comes when the window is left. A review of 358 files by keys had 16 stalls over 50 ms, the
    longest 64 ms; with Python's own thresholds 15 and 77 ms (`tests.tools.long_review`, two cores).
    """

    def __init__(self, app: QApplication) -> None:
        super().__init__(app)
        self._left = QTimer(self, singleShot=True, interval=_OUT_OF_SIGHT_MS)
        self._left.timeout.connect(self._look_through_all)
        self._young = QTimer(self, interval=_YOUNG_MS)
        self._young.timeout.connect(self._collect)
        self._times = 0
        app.applicationStateChanged.connect(self._application_changed)

    def begin(self) -> None:
        """Take what is there now as here to stay, and collect from now on what comes."""
        gc.freeze()
        gc.callbacks.append(_set_survivors_apart)
        gc.disable()
        self._young.start()

    def end(self) -> None:
        """Let Python do as it does by itself again."""
        self._left.stop()
        self._young.stop()
        gc.enable()
        if _set_survivors_apart in gc.callbacks:
            gc.callbacks.remove(_set_survivors_apart)
        gc.unfreeze()

    def _application_changed(self, state: Qt.ApplicationState) -> None:
        if state is Qt.ApplicationState.ApplicationActive:
            self._left.stop()
        else:
            self._left.start()

    def _collect(self) -> None:
        self._times += 1
        gc.collect(1 if self._times % _FULL_EVERY else 2)

    def _look_through_all(self) -> None:
        gc.unfreeze()
        gc.collect()


def _set_survivors_apart(phase: str, info: dict[str, Any]) -> None:
    if phase == "stop" and info["generation"] == 2:
        gc.freeze()
