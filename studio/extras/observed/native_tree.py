"""Recursive file watcher for macOS and Windows, based on watchdog's observer."""

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
from studio.extras.observed.hints import EVERYTHING, Hints
from studio.extras.observed.unwatched import IsIgnored, find_reported_path

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
    """Recursive watch of a tree by the operating system, see `WatchedTree`."""

    has_lost = False

    def __init__(self, root: Path, hints: Hints, is_ignored: IsIgnored) -> None:
        """Open the watcher.

        Raises OSError where the system gives none.
        """
        self._root = root
        self._hints = hints
        self._is_ignored = is_ignored
        self._observer = Observer()

    def start(self) -> None:
        """Start watching.

        Raises OSError.
        """
        handler = _Handler(self._add)
        self._observer.schedule(handler, str(self._root), recursive=True, event_filter=_EVENTS)
        self._observer.start()

    def stop(self, seconds: float) -> None:
        """Stop watching, waiting at most so many seconds."""
        self._observer.stop()  # its thread exists from construction on
        if self._observer.is_alive():
            self._observer.join(seconds)

    @property
    def is_alive(self) -> bool:
        return self._observer.is_alive() and all(emitter.is_alive() for emitter in self._observer.emitters)

    @property
    def unwatched(self) -> dict[str, str]:
        """Always empty: the system reports no such folders."""
        return {}

    def rescan(self, *, at_everything: bool) -> None:
        """Report everything if asked to; the system tracks folders itself."""
        if at_everything:
            self._hints.add(EVERYTHING)

    def include_folder(self, path: str) -> None:
        """Report a folder that was excluded before.

        The system watches it already, but its changes went unreported.
        """
        self._hints.add(path)

    def _add(self, path: str) -> None:
        try:
            relative = Path(path).relative_to(self._root).as_posix()
        except ValueError:
            return
        hint = (
            None
            if is_temporary(relative.rpartition("/")[2])
            else find_reported_path(relative, self._is_ignored)
        )
        if hint is not None:
            self._hints.add(EVERYTHING if hint == "." else hint)


class _Handler(FileSystemEventHandler):
    def __init__(self, add: Callable[[str], None]) -> None:
        self._add = add

    def on_any_event(self, event: FileSystemEvent) -> None:
        for path in (event.src_path, event.dest_path):
            if path:
                self._add(path if isinstance(path, str) else path.decode("utf-8", "surrogateescape"))
