"""The window process: startup, windows, notifications, uncaught exceptions, smoke run, garbage collection."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studio.late_names import late_names

if TYPE_CHECKING:
    from studio.ui.app.accessibility import describe_widgets
    from studio.ui.app.attention import Attention, Notifications
    from studio.ui.app.event_loop import run_until_ended
    from studio.ui.app.smoke import Smoke, Watchdog, check_screenshot
    from studio.ui.app.start import show_window

__all__ = [
    "Attention",
    "Notifications",
    "Smoke",
    "Watchdog",
    "check_screenshot",
    "describe_widgets",
    "run_until_ended",
    "show_window",
]

__getattr__ = late_names(
    __name__,
    {
        "studio.ui.app.accessibility": "describe_widgets",
        "studio.ui.app.attention": "Attention Notifications",
        "studio.ui.app.event_loop": "run_until_ended",
        "studio.ui.app.smoke": "Smoke Watchdog check_screenshot",
        "studio.ui.app.start": "show_window",
    },
)
