"""Check that a graphical display exists before Qt starts (`DISPLAY`, `WAYLAND_DISPLAY`)."""

from __future__ import annotations

import os
import sys

from studio.errors import Refused

_SAYS_WHERE = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")


def check_display(*, smoke: bool) -> None:
    """Raise Refused without a display; with `smoke`, paint into memory instead."""
    if sys.platform in ("win32", "darwin") or any(os.environ.get(name) for name in _SAYS_WHERE):
        return
    if smoke:
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
        return
    raise Refused(
        "display.missing",
        "There is no display to open the window on: neither DISPLAY nor WAYLAND_DISPLAY is set.",
        ("Start it on a desktop, or take a screenshot without one: studio --smoke --screenshot FILE"),
    )
