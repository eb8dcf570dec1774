"""Controllers and state, without widgets, for reviewing an open project's plans."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studio.late_names import late_names

if TYPE_CHECKING:
    from studio.ui import command_process, scan_process
    from studio.ui.review.backlogs import RecentProjects
    from studio.ui.review.desk import Desk
    from studio.ui.review.observed import ScanClient
    from studio.ui.review.state import StatusMessage, Tone

__all__ = ["Desk", "RecentProjects", "ScanClient", "StatusMessage", "Tone", "command_process", "scan_process"]

__getattr__ = late_names(
    __name__,
    {
        "studio.ui.command_process": "command_process",
        "studio.ui.review.backlogs": "RecentProjects",
        "studio.ui.review.desk": "Desk",
        "studio.ui.review.observed": "ScanClient",
        "studio.ui.review.state": "StatusMessage Tone",
        "studio.ui.scan_process": "scan_process",
    },
)
