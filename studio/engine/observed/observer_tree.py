"""A whole tree watched by the system itself, on macOS and Windows: nothing is told of what is left out."""

from __future__ import annotations

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
from studio.engine.observed.hints import EVERYTHING, Hints
from studio.engine.observed.left_out import IsIgnored, told_of

_EVENTS: list[type[FileSystemEvent]] = [
    FileCreatedEvent,
    FileModifiedEvent,
    FileDeletedEvent,
    FileMovedEvent,
    DirCreatedEvent,
    DirDeletedEvent,
    DirMovedEvent,
]


class ObserverTree:
    """See `WatchedTree`."""

    has_lost = False

    def __init__(self, root: Path, hints: Hints, is_ignored: IsIgnored) -> None:
        """Raises OSError where the system gives no watcher."""
        self._root = root
        self._hints = hints
        self._is_ignored = is_ignored
        self._observer = Observer()

    def start(self) -> None:
        """Watch from now on. Raises OSError."""
        handler = _Handler(self._add)
        self._observer.schedule(handler, str(self._root), recursive=True, event_filter=_EVENTS)
        self._observer.start()

    def stop(self, seconds: float) -> None:
        """Watch no more; waits at most so long."""
        self._observer.stop()  # it has a thread from the moment it is made
        if self._observer.is_alive():
            self._observer.join(seconds)

    @property
    def is_alive(self) -> bool:
        return self._observer.is_alive() and all(emitter.is_alive() for emitter in self._observer.emitters)

    @property
    def unwatched(self) -> dict[str, str]:
        """Nothing that is known."""
        return {}

    def look_again(self, *, at_everything: bool) -> None:
        """The system knows the folders itself."""
        if at_everything:
            self._hints.add(EVERYTHING)

    def look_at(self, path: str) -> None:
        """The system watches it already; what changed there before was told by nobody."""
        self._hints.add(path)

    def _add(self, path: str) -> None:
        try:
            relative = Path(path).relative_to(self._root).as_posix()
        except ValueError:
            return
        told = None if is_temporary(relative.rpartition("/")[2]) else told_of(relative, self._is_ignored)
        if told is not None:
            self._hints.add(EVERYTHING if told == "." else told)


class _Handler(FileSystemEventHandler):
    def __init__(self, add: Callable[[str], None]) -> None:
        self._add = add

    def on_any_event(self, event: FileSystemEvent) -> None:
        for path in (event.src_path, event.dest_path):
            if path:
                self._add(path if isinstance(path, str) else path.decode("utf-8", "surrogateescape"))
