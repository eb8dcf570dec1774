"""The installed Qt for Python does not lose references."""

from __future__ import annotations

import sys

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage, QPainter
from pytestqt.qtbot import QtBot


@pytest.mark.skipif(
    sys.version_info >= (3, 12),
    reason="from Python 3.12 on None is immortal: its references are not counted",
)
def test_pen_keeps_none_alive(qtbot: QtBot) -> None:
    """PySide6 6.12.0 on CPython 3.11 drops a reference to None per call, and aborts after thousands."""
    painter = QPainter(image := QImage(8, 8, QImage.Format.Format_RGB32))
    before = sys.getrefcount(None)
    for _ in range(1000):
        painter.setPen(Qt.GlobalColor.black)
    after = sys.getrefcount(None)
    painter.end()
    assert not image.isNull()
    assert after > before - 500
