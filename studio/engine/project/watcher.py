"""Changes on disk as they happen: a hint where to look, never the authority (Q21; the hash decides).

watchdog is always given an event filter: without one its own walk of a big tree overflows its queue
and it delivers nothing at all. When events may have been lost, the empty set says "look at everything".
"""

from __future__ import annotations

import logging
import threading
import warnings
from collections.abc import Callable
from pathlib import Path

from watchdog.events import (
    DirCreatedEvent,
    DirDeletedEvent,
    DirMovedEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileSystemEvent,
    FileSystemEventHandler,
)
from watchdog.observers import Observer

from studio.engine.disk.temporary_names import is_temporary
from studio.engine.limits import WATCH_COALESCE_SECONDS

OnChange = Callable[[frozenset[str]], None]

# watchdog 7.1.0 over 5,000 folders: without this 98 % of a processor
# for ever and none of 20,000 new files told of, with it none and all.
_EVENTS: list[type[FileSystemEvent]] = [
    FileCreatedEvent,
    FileModifiedEvent,
    FileDeletedEvent,
    FileMovedEvent,
    DirCreatedEvent,
    DirDeletedEvent,
    DirMovedEvent,
]
_OVERFLOW_LOGGER = "watchdog.observers.inotify_c"
_STOP_LOGGER = "watchdog.observers.inotify"


def _is_no_late_event(record: logging.LogRecord) -> bool:
    """watchdog tells of an event that comes while it is being stopped as of an error; nobody waits for it."""
    return "called when the thread is inactive" not in record.getMessage()


class Watcher:
    """Watches one project tree and calls back, on its own thread, with gathered relative paths."""

    def __init__(self, root: Path, on_change: OnChange) -> None:
        self._root = root
        self._on_change = on_change
        self._observer = Observer()
        self._paths: set[str] = set()
        self._everything = False
        self._wake = threading.Event()
        self._stopping = False
        self._lock = threading.Lock()
        self._teller = threading.Thread(target=self._tell, name="studio-watch", daemon=True)
        self._overflow = _Overflow(self.look_at_everything)

    def start(self) -> None:
        """Begin watching. Raises OSError where the system gives no watcher at all.

        Of a tree with more folders than the system has watches left, watchdog 7.1.0 watches a part and says
        nothing: then only looking tells of the others.
        """
        # Folders made in quick succession are met twice by watchdog, which tells so in huge warnings; turned
        # into errors they would end its thread. The second watch does no harm.
        warnings.filterwarnings("ignore", message="Callback with id", category=RuntimeWarning)
        try:
            self._observer.schedule(
                _Handler(self._add), str(self._root), recursive=True, event_filter=_EVENTS
            )
            self._observer.start()
        except OSError:
            self._observer.stop()  # watchdog 7.1.0 has a thread from the moment it is made
            raise
        logging.getLogger(_OVERFLOW_LOGGER).addFilter(self._overflow)
        logging.getLogger(_STOP_LOGGER).addFilter(_is_no_late_event)
        self._teller.start()

    def stop(self) -> None:
        """End watching; no call back comes after this returns."""
        logging.getLogger(_OVERFLOW_LOGGER).removeFilter(self._overflow)
        self._stopping = True
        self._wake.set()
        if self._observer.is_alive():
            self._observer.stop()
            self._observer.join()
        if self._teller.is_alive():
            self._teller.join()

    def look_at_everything(self) -> None:
        """Events may have been lost."""
        with self._lock:
            self._everything = True
        self._wake.set()

    def _add(self, path: str) -> None:
        try:
            relative = Path(path).relative_to(self._root).as_posix()
        except ValueError:
            return
        if relative == "." or is_temporary(relative.rpartition("/")[2]):
            return
        with self._lock:
            self._paths.add(relative)
        self._wake.set()

    def _tell(self) -> None:
        pause = threading.Event()
        while not self._stopping:
            self._wake.wait()
            if self._stopping:
                return
            pause.wait(WATCH_COALESCE_SECONDS)
            self._wake.clear()
            with self._lock:
                paths: frozenset[str] = frozenset() if self._everything else frozenset(self._paths)
                anything = self._everything or bool(self._paths)
                self._paths.clear()
                self._everything = False
            if anything and not self._stopping:
                self._on_change(paths)


class _Handler(FileSystemEventHandler):
    def __init__(self, add: Callable[[str], None]) -> None:
        self._add = add

    def on_any_event(self, event: FileSystemEvent) -> None:
        for path in (event.src_path, event.dest_path):
            if path:
                self._add(path if isinstance(path, str) else path.decode("utf-8", "surrogateescape"))


class _Overflow(logging.Filter):
    """The only public sign of a lost event is a warning in watchdog's log; it is ours to act on."""

    def __init__(self, act: Callable[[], None]) -> None:
        super().__init__()
        self._act = act

    def filter(self, record: logging.LogRecord) -> bool:
        if "overflow" in record.getMessage().lower():
            self._act()
            return False
        return True
