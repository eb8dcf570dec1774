"""Package for detecting other programs' changes; exports the file watcher on demand."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from studio.extras.observed.state import WatchMode, WatchState

if TYPE_CHECKING:
    from studio.extras.observed.watcher import OnChange, Watcher

__all__ = ["OnChange", "WatchMode", "WatchState", "Watcher"]


def __getattr__(name: str) -> object:
    """Load the watcher lazily, because a command needs none."""
    if name in __all__:
        return getattr(import_module("studio.extras.observed.watcher"), name)
    raise AttributeError(name)
