"""What others write in a project's tree: the watcher, which hints where to look and says how well it sees."""

from studio.engine.observed.state import WatchMode, WatchState
from studio.engine.observed.watcher import OnChange, Watcher

__all__ = ["OnChange", "WatchMode", "WatchState", "Watcher"]
