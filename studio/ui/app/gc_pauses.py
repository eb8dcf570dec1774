"""When Python looks for garbage: among what is new while somebody works, among all when nobody looks."""

from __future__ import annotations

import gc
from typing import Any

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtWidgets import QApplication

_OUT_OF_SIGHT_MS = 2000
"""How long another program has the keyboard before everything is looked through."""


class GarbagePauses(QObject):
    """Keeps the pauses shorter than a frame: what has lived through one full look is left out of the next.

    A full look at a session of a thousand files takes 70 ms; it comes when the window is left.
    """

    def __init__(self, app: QApplication) -> None:
        super().__init__(app)
        self._left = QTimer(self)
        self._left.setSingleShot(True)
        self._left.setInterval(_OUT_OF_SIGHT_MS)
        self._left.timeout.connect(self._look_through_all)
        app.applicationStateChanged.connect(self._application_changed)

    def begin(self) -> None:
        """Take what is there now as here to stay, and let Python look for garbage from now on."""
        gc.freeze()
        gc.callbacks.append(_set_survivors_apart)
        gc.enable()

    def end(self) -> None:
        """Let Python do as it does by itself again."""
        self._left.stop()
        if _set_survivors_apart in gc.callbacks:
            gc.callbacks.remove(_set_survivors_apart)
        gc.unfreeze()

    def _application_changed(self, state: Qt.ApplicationState) -> None:
        if state is Qt.ApplicationState.ApplicationActive:
            self._left.stop()
        else:
            self._left.start()

    def _look_through_all(self) -> None:
        gc.unfreeze()
        gc.collect()


def _set_survivors_apart(phase: str, info: dict[str, Any]) -> None:
    if phase == "stop" and info["generation"] == 2:
        gc.freeze()
