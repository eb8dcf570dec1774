"""Let the program run until nothing waits to be handled."""

from __future__ import annotations

import time

from PySide6.QtCore import QAbstractEventDispatcher, QEventLoop


def run_until_idle(seconds: float = 20.0) -> None:
    """Handle events, and those that come of them; fails where they never end."""
    dispatcher = QAbstractEventDispatcher.instance()
    assert dispatcher is not None
    deadline = time.monotonic() + seconds
    while dispatcher.processEvents(QEventLoop.ProcessEventsFlag.AllEvents):
        assert time.monotonic() < deadline, "there is always another event"
