"""Is there a display to open a window on? Asked before Qt, which would abort the process (no Qt here)."""

from __future__ import annotations

import os
import sys

from studio.engine.errors import Refused

_SAYS_WHERE = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")


def check_display(*, smoke: bool) -> None:
    """Raise Refused where no window can open; with `smoke`, paint into memory instead (contract 9)."""
    if sys.platform in ("win32", "darwin") or any(os.environ.get(name) for name in _SAYS_WHERE):
        return
    if smoke:
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
        return
    raise Refused(
        "display.missing",
        "There is no display to open the window on: neither DISPLAY nor WAYLAND_DISPLAY is set.",
        "Start it on a desktop, or look at it without one: studio --smoke --screenshot FILE",
    )
