"""The clock that dead times run by in journeys."""

from __future__ import annotations

import time


class Clock:
    """Runs as the real one until a test stops it: a dead time that begins then lasts until it goes on.

    A press that must fall into a dead time falls into it on a slow machine too.
    """

    def __init__(self) -> None:
        self._stopped: float | None = None
        self._ahead = 0.0

    def __call__(self) -> float:
        return time.monotonic() + self._ahead if self._stopped is None else self._stopped

    @property
    def is_stopped(self) -> bool:
        return self._stopped is not None

    def skip(self, seconds: float) -> None:
        """Be so much later at once: nobody learns anything from waiting."""
        self._ahead += seconds

    def stop(self) -> None:
        self._stopped = self()

    def go_on(self) -> None:
        self._stopped = None
