"""The peer of `start`: a window with one label. Prints the milliseconds from spawn to its first paint."""

from __future__ import annotations

import os
import sys
import time

from PySide6.QtCore import QTimer
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QApplication, QLabel, QMainWindow

_painted: list[bool] = []


def _paint(window: QMainWindow, event: QPaintEvent) -> None:
    QMainWindow.paintEvent(window, event)
    if not _painted:
        _painted.append(True)
        QTimer.singleShot(0, _tell)


def _tell() -> None:
    """As in the real window: once the children have painted, too."""
    print((time.monotonic_ns() - int(os.environ["STUDIO_SPAWNED_NS"])) / 1e6)
    QApplication.quit()


app = QApplication(sys.argv[:1])
window = type("Window", (QMainWindow,), {"paintEvent": _paint})()
window.resize(int(sys.argv[1]), int(sys.argv[2]))
window.setCentralWidget(QLabel("One label"))
window.show()
app.exec()
