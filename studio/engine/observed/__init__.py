"""What others write in a project's tree: the watcher, which hints where to look and says how well it sees."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from studio.engine.observed.state import WatchMode, WatchState

if TYPE_CHECKING:
    from studio.engine.observed.watcher import OnChange, Watcher

__all__ = ["OnChange", "WatchMode", "WatchState", "Watcher"]


def __getattr__(name: str) -> object:
    """The watcher is loaded by who watches: a command does not."""
    if name in __all__:
        return getattr(import_module("studio.engine.observed.watcher"), name)
    raise AttributeError(name)
