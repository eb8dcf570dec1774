"""The clock that dead times run by in journeys."""

from __future__ import annotations

import time


class Clock:
    """Runs as the real one until a test stops it: a dead time that begins then lasts until it goes on.

    A press that must fall into a dead time falls into it on a slow machine too.
    """

    def __init__(self) -> None:
        self._stopped: float | None = None

    def __call__(self) -> float:
        return time.monotonic() if self._stopped is None else self._stopped

    def stop(self) -> None:
        self._stopped = time.monotonic()

    def go_on(self) -> None:
        self._stopped = None
