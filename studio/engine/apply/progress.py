"""Progress reporting of an apply, and cancel and pause events between files."""

from __future__ import annotations

import threading
from collections.abc import Callable

from msgspec import field

from studio.errors import ApplyStopped
from studio.values import Value

Progress = Callable[[int, int], None]
"""Called with the number of steps done and the total."""


class ApplyControl(Value):
    """Events with which another thread stops an apply between two files.

    `cancel` puts everything back and cancels the plan. `pause` takes effect only before the first file is in
    place and leaves the plan paused: applying it again checks everything anew.
    """

    cancel: threading.Event = field(default_factory=threading.Event)
    pause: threading.Event = field(default_factory=threading.Event)


class SafePoints:
    """Reports progress between two files, and stops the apply on request."""

    def __init__(self, control: ApplyControl, report: Progress | None, steps: int, requests: int) -> None:
        self.is_committing = False
        self._control = control
        self._report = report or _ignore_progress
        self._steps = steps
        self._points = 2 * requests  # each file is prepared, then put in place
        self._points_passed = 0
        self._report(0, steps)

    def advance(self) -> None:
        """Report the steps done so far. Raises ApplyStopped on request."""
        if self._control.cancel.is_set():
            raise _stop_error(is_cancelled=True)
        # Once the first file is in place a pause would leave the project half changed.
        if self._control.pause.is_set() and not self.is_committing:
            raise _stop_error(is_cancelled=False)
        done = min(self._steps - 1, self._points_passed * self._steps // max(1, self._points))
        self._points_passed += 1
        self._report(max(0, done), self._steps)

    def finish(self) -> None:
        """Report that all steps are done."""
        self._report(self._steps, self._steps)


def _stop_error(*, is_cancelled: bool) -> ApplyStopped:
    if is_cancelled:
        error = ApplyStopped("apply.cancelled", "Stopped: nothing was written.", "Propose the plan again.")
    else:
        error = ApplyStopped("apply.paused", "Paused: nothing was written yet.", "Apply the plan to go on.")
    error.is_cancelled = is_cancelled
    return error


def _ignore_progress(_done: int, _total: int) -> None:
    return None
