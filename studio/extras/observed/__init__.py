"""Package for detecting other programs' changes; exports the file watcher on demand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studio.extras.observed.state import WatchMode, WatchState
from studio.late_names import late_names

if TYPE_CHECKING:
    from studio.extras.observed.watcher import OnChange, Watcher

__all__ = ["OnChange", "WatchMode", "WatchState", "Watcher"]

__getattr__ = late_names(__name__, {"studio.extras.observed.watcher": "OnChange Watcher"})
