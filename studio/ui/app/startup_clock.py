"""Time since this process was spawned, to measure the first paint."""

from __future__ import annotations

import os
import time
from pathlib import Path

_STAT = Path("/proc/self/stat")
_IMPORTED_NS = time.monotonic_ns()


def milliseconds_since_spawn() -> float:
    """Return the milliseconds since the process was spawned.

    Counts from STUDIO_SPAWNED_NS (CLOCK_MONOTONIC) if that is set, else from the start time that the system
    reports (in clock ticks), else from this import.
    """
    spawned = os.environ.get("STUDIO_SPAWNED_NS", "")
    if spawned.isdigit():
        return (time.monotonic_ns() - int(spawned)) / 1e6
    return _since_start() or (time.monotonic_ns() - _IMPORTED_NS) / 1e6


def _since_start() -> float | None:
    try:
        # The program's name, in parentheses, may hold anything; the start time is field 22.
        ticks = int(_STAT.read_text("ascii", "replace").rpartition(")")[2].split()[19])
        return time.clock_gettime(time.CLOCK_BOOTTIME) * 1000 - ticks * 1000 / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError, AttributeError):
        return None
