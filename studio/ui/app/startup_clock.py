"""How long ago this process was spawned; for the first-paint measure of contract 9."""

from __future__ import annotations

import os
import time
from pathlib import Path

_STAT = Path("/proc/self/stat")
_IMPORTED_NS = time.monotonic_ns()


def milliseconds_since_spawn() -> float:
    """Milliseconds since STUDIO_SPAWNED_NS (CLOCK_MONOTONIC) when that is set, else since the start.

    The start is what the system says (in clock ticks); where it doesn't, the moment of this import.
    """
    given = os.environ.get("STUDIO_SPAWNED_NS", "")
    if given.isdigit():
        return (time.monotonic_ns() - int(given)) / 1e6
    return _since_start() or (time.monotonic_ns() - _IMPORTED_NS) / 1e6


def _since_start() -> float | None:
    try:
        # The name of the program, in parentheses, may hold anything; start time is field 22.
        ticks = int(_STAT.read_text("ascii", "replace").rpartition(")")[2].split()[19])
        return time.clock_gettime(time.CLOCK_BOOTTIME) * 1000 - ticks * 1000 / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError, AttributeError):
        return None
