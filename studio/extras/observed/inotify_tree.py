"""Recursive inotify watching on Linux, one watch for each folder.

watchdog's own recursive watch can exclude no folder, doesn't report one that it could not watch, and queues
events without bound; so folders are tracked here. One invariant holds whatever happens in between: a folder
is reported after its watch is in place, so that any change is either seen by the scan that follows, or an
event.
"""

from __future__ import annotations

import errno
import logging
import os
import threading
from collections import defaultdict
from itertools import count
from pathlib import Path

from watchdog.observers.inotify_c import (
    CallbackId,
    InotifyConstants,
    InotifyEvent,
    InotifyFD,
    Mask,
    WatchDescriptor,
)

from studio.engine.disk.temporary_names import is_temporary
from studio.extras.observed.hints import EVERYTHING, Hints
from studio.extras.observed.state import mounted_twice, not_watched, unexpected_watch_error
from studio.extras.observed.unwatched import IsIgnored, is_git
from studio.program.log_file import LOGGER

# MODIFY: a file that stays open sends no CLOSE_WRITE. CLOSE_WRITE: a write through a memory map sends no
# other event. ATTRIB: the mode is part of a file.
_MASK = Mask(
    InotifyConstants.IN_MODIFY
    | InotifyConstants.IN_CLOSE_WRITE
    | InotifyConstants.IN_ATTRIB
    | InotifyConstants.IN_MOVE
    | InotifyConstants.IN_CREATE
    | InotifyConstants.IN_DELETE
    | InotifyConstants.IN_ONLYDIR
    | InotifyConstants.IN_DONT_FOLLOW
    | InotifyConstants.IN_EXCL_UNLINK
)
_NO_FOLDER = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)
_LEFT_UNWATCHED_UP_TO = 100
_LOGGER_OF_OVERFLOWS = "watchdog.observers.inotify_c"


def _is_no_overflow(record: logging.LogRecord) -> bool:
    """Return whether a log record is not watchdog's warning of an overflow.

    Overflows are handled and reported here.
    """
    return "queue overflowed" not in record.getMessage()


class InotifyTree:
    """Watches of a tree, see `WatchedTree`; `stopped` ends adding them."""

    def __init__(self, root: Path, hints: Hints, is_ignored: IsIgnored, stopped: threading.Event) -> None:
        """Open the watcher.

        Raises OSError where the system gives none.
        """
        self._root = root
        self._hints = hints
        self._is_ignored = is_ignored
        self._stopped = stopped
        self._is_ended = False
        self.has_lost = False
        self._numbers = count(1)
        self._lock = threading.Lock()
        self._paths: dict[WatchDescriptor, str] = {}
        self._watches: dict[str, tuple[WatchDescriptor, CallbackId]] = {}
        self._below: defaultdict[str, set[str]] = defaultdict(set)
        self._unwatched: dict[str, str] = {}
        logging.getLogger(_LOGGER_OF_OVERFLOWS).addFilter(_is_no_overflow)
        self._inotify = InotifyFD()

    def start(self) -> None:
        """Watch every folder; changes made meanwhile may or may not be reported."""
        self._inotify.start()
        self._update_watches("", notifies=False)

    def stop(self, seconds: float) -> None:
        """End all watches, waiting at most so many seconds."""
        self._is_ended = True
        # Stopping the watcher takes a lock that an unresponsive disk may hold.
        ending = threading.Thread(target=self._inotify.stop, name="studio-watch-end", daemon=True)
        ending.start()
        ending.join(seconds)
        if self._inotify.is_alive():
            self._inotify.join(seconds)

    @property
    def is_alive(self) -> bool:
        return self._inotify.is_alive()

    @property
    def unwatched(self) -> dict[str, str]:
        """The topmost folders that could not be watched, each with the reason."""
        with self._lock:
            return dict(self._unwatched)

    def rescan(self, *, at_everything: bool) -> None:
        """Retry failed watches, or after lost events rebuild all of them."""
        if not at_everything:
            for path in self.unwatched:
                if path:  # the root would rescan every folder every few seconds
                    self._update_safely(path, deeply=True)
            return
        self.has_lost = False
        with self._lock:
            self._unwatched.clear()
        self._update_safely("", deeply=True)
        self._hints.add(EVERYTHING)

    def include_folder(self, path: str) -> None:
        """Watch a folder that was excluded before, and report it."""
        self._update_safely(path)

    # Callbacks of watchdog, on its own thread.

    def on_event(self, event: InotifyEvent) -> None:
        """Handle an event of an entry in a watched folder.

        Folders are entries too.
        """
        with self._lock:
            folder = self._paths.get(event.wd)
        name = os.fsdecode(event.name)
        if folder is None or not name or is_temporary(name) or self._is_over():
            return
        if is_git(folder):
            self._hints.add(folder)
            return
        path = f"{folder}/{name}" if folder else name
        self._hints.add(path)
        if event.mask & InotifyConstants.IN_ISDIR:
            self._update_safely(path)

    def on_watch_deleted(self, wd: WatchDescriptor) -> None:
        """Handle the removal or unmounting of a watched folder."""
        with self._lock:
            path = self._paths.get(wd)
        if path is not None and not self._is_over():
            self._update_safely(path)

    def on_queue_overflow(self) -> None:
        """Note that events were lost, and new folders with them."""
        self.has_lost = True
        self._hints.add(EVERYTHING)

    def _is_over(self) -> bool:
        return self._is_ended or self._stopped.is_set()

    def _update_safely(self, path: str, *, deeply: bool = False) -> None:
        """Update the watches at a path, logging any error.

        An error of ours must not end the thread that reads events, or the polling.
        """
        try:
            self._update_watches(path, deeply=deeply)
        except Exception:
            LOGGER.exception("A folder could not be watched")
            with self._lock:
                self._unwatched[path] = unexpected_watch_error(path)

    # The folders.

    def _update_watches(self, path: str, *, deeply: bool = False, notifies: bool = True) -> None:
        """Update the watches at a path.

        Continues beneath it where the folder is new or `deeply` is set.
        """
        pending = [path]
        while pending and not self._is_over():
            at = pending.pop()
            is_new = self._watch_folder(at)
            if is_new is None:
                continue
            if is_new and notifies:
                self._hints.add(at)
            if is_new or deeply:
                pending += self._list_folders(at)

    def _watch_folder(self, path: str) -> bool | None:
        """Watch a folder; return whether the watch is new, None without one."""
        is_left_out = bool(path) and not is_git(path) and self._is_ignored(path)
        with self._lock:
            if is_left_out:
                self._end_watches(path)
                return None
            number = CallbackId(next(self._numbers))
            try:
                watch = self._inotify.add_callback(os.fsencode(f"{self._root}/{path}"), _MASK, self, number)
                if watch < 0:  # watchdog 7.1.0 takes a refusal for a watch
                    self._inotify.remove_callbacks([(watch, number)])
                    raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
            except OSError as error:
                self._end_watches(path)
                if error.errno not in _NO_FOLDER:
                    self._record_unwatched(path, not_watched(path, error))
                return None
            before = self._paths.get(watch)
            if before is not None and before != path:
                if self._is_second_name(before, path):
                    self._inotify.remove_callbacks([(watch, number)])
                    self._end_watches(path)
                    self._record_unwatched(path, mounted_twice(path))
                    return None
                self._end_watches(before)
            previous = self._watches.get(path)
            if previous is not None and previous[0] == watch:
                self._inotify.remove_callbacks([previous])
                self._watches[path] = (watch, number)
                self._unwatched.pop(path, None)
                return False
            self._end_watches(path)
            self._watches[path] = (watch, number)
            self._paths[watch] = path
            if path:
                self._below[path.rpartition("/")[0]].add(path)
            return True

    def _list_folders(self, path: str) -> set[str]:
        """Return the folders found in a folder and those watched there before.

        What became of each is for `_watch_folder` to find out.
        """
        if is_git(path):
            return set()
        with self._lock:
            folders = set(self._below.get(path, ()))
        prefix = f"{path}/" if path else ""
        try:
            with os.scandir(f"{self._root}/{path}") as entries:
                folders.update(
                    prefix + entry.name for entry in entries if entry.is_dir(follow_symlinks=False)
                )
        except OSError as error:
            if error.errno not in _NO_FOLDER:
                with self._lock:
                    self._record_unwatched(path, not_watched(path, error))
        return folders

    def _end_watches(self, path: str) -> None:
        """End the watches of a subtree; call with the lock held."""
        self._unwatched.pop(path, None)
        self._below.get(path.rpartition("/")[0], set()).discard(path)
        pending, ended = [path], list[tuple[WatchDescriptor, CallbackId]]()
        while pending:
            at = pending.pop()
            pending += self._below.pop(at, ())
            watch = self._watches.pop(at, None)
            if watch is not None:
                del self._paths[watch[0]]
                ended.append(watch)
        if ended:
            self._inotify.remove_callbacks(ended)

    def _record_unwatched(self, path: str, why: str) -> None:
        """Record a folder that can't be watched; call with the lock held."""
        self._unwatched[path] = why
        if len(self._unwatched) > _LEFT_UNWATCHED_UP_TO:
            self._unwatched = {EVERYTHING: why}

    def _is_second_name(self, one: str, other: str) -> bool:
        """Return whether a mount, not a rename, gives a folder both paths."""
        if one.casefold() == other.casefold():  # also for a disk that ignores case
            return False
        try:
            return (self._root / one).samefile(self._root / other)
        except OSError:
            return False
