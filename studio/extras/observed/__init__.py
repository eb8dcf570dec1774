"""Package for detecting other programs' changes; exports the file watcher on demand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studio.extras.observed.state import WatchMode, WatchState
from studio.late_names import late_names

if TYPE_CHECKING:
    from studio.extras.observed.decisions import ObservedDecisions
    from studio.extras.observed.ignored import IgnoredPaths
    from studio.extras.observed.inotify_tree import InotifyTree
    from studio.extras.observed.native_tree import ObserverTree
    from studio.extras.observed.observed import Observed
    from studio.extras.observed.unwatched import Unwatched
    from studio.extras.observed.watcher import OnChange, Watcher

__all__ = [
    "IgnoredPaths",
    "InotifyTree",
    "Observed",
    "ObservedDecisions",
    "ObserverTree",
    "OnChange",
    "Unwatched",
    "WatchMode",
    "WatchState",
    "Watcher",
]

__getattr__ = late_names(
    __name__,
    {
        "studio.extras.observed.decisions": "ObservedDecisions",
        "studio.extras.observed.ignored": "IgnoredPaths",
        "studio.extras.observed.inotify_tree": "InotifyTree",
        "studio.extras.observed.native_tree": "ObserverTree",
        "studio.extras.observed.observed": "Observed",
        "studio.extras.observed.unwatched": "Unwatched",
        "studio.extras.observed.watcher": "OnChange Watcher",
    },
)
