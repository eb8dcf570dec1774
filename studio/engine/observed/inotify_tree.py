"""One watch for each folder of a tree, on Linux: watchdog reads and hands on what the kernel says.

Its own watching of a whole tree can leave no folder out, says nothing of one that it could not watch, and
gathers events without end before anybody reads them; so the folders are found and kept here. One rule keeps
them true whatever comes in between: a folder is told of after its watch is in place, so that any change is
either seen by who looks then, or an event.
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
from studio.engine.observed.hints import EVERYTHING, Hints
from studio.engine.observed.left_out import IsIgnored, is_git
from studio.engine.observed.state import mounted_twice, not_known, not_watched
from studio.engine.system.log_file import LOGGER

# MODIFY: what holds a file open for ever closes none. CLOSE_WRITE: what was written through memory has no
# other event. ATTRIB: a mode is part of a file.
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
    """What watchdog warns of is mended here, and told to who watches."""
    return "queue overflowed" not in record.getMessage()


class InotifyTree:
    """The watches of a tree, see `WatchedTree`. Once `stopped` is set, no more are made."""

    def __init__(self, root: Path, hints: Hints, is_ignored: IsIgnored, stopped: threading.Event) -> None:
        """Raises OSError where the system gives no watcher."""
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
        """Watch every folder; what changes meanwhile may be told or not."""
        self._inotify.start()
        self._look("", tells=False)

    def stop(self, seconds: float) -> None:
        """Watch nothing; waits at most so long."""
        self._is_ended = True
        # The watcher's end takes a lock that a disk which does not answer may hold.
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
        """The topmost folders that could not be watched, each with a sentence why."""
        with self._lock:
            return dict(self._unwatched)

    def look_again(self, *, at_everything: bool) -> None:
        """Watch what could not be watched before, or, as where events were lost, find every folder anew."""
        if not at_everything:
            for path in self.unwatched:
                if path:  # not every folder anew every few seconds
                    self._look_safely(path, deeply=True)
            return
        self.has_lost = False
        with self._lock:
            self._unwatched.clear()
        self._look_safely("", deeply=True)
        self._hints.add(EVERYTHING)

    def look_at(self, path: str) -> None:
        """Watch a folder that was left out before, and tell of it."""
        self._look_safely(path)

    # What watchdog calls, on its own thread.

    def on_event(self, event: InotifyEvent) -> None:
        """Something happened to an entry of a watched folder; a folder is itself an entry."""
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
            self._look_safely(path)

    def on_watch_deleted(self, wd: WatchDescriptor) -> None:
        """A watched folder was removed, or what was mounted there."""
        with self._lock:
            path = self._paths.get(wd)
        if path is not None and not self._is_over():
            self._look_safely(path)

    def on_queue_overflow(self) -> None:
        """Events were lost, and new folders with them."""
        self.has_lost = True
        self._hints.add(EVERYTHING)

    def _is_over(self) -> bool:
        return self._is_ended or self._stopped.is_set()

    def _look_safely(self, path: str, *, deeply: bool = False) -> None:
        """An error of ours must not end the thread that reads what the kernel says, or what is polled."""
        try:
            self._look(path, deeply=deeply)
        except Exception:
            LOGGER.exception("A folder could not be watched")
            with self._lock:
                self._unwatched[path] = not_known(path)

    # The folders.

    def _look(self, path: str, *, deeply: bool = False, tells: bool = True) -> None:
        """Make the watches true at a path, and beneath it where it is new to us or where told to."""
        pending = [path]
        while pending and not self._is_over():
            at = pending.pop()
            is_new = self._watch(at)
            if is_new is None:
                continue
            if is_new and tells:
                self._hints.add(at)
            if is_new or deeply:
                pending += self._folders_in(at)

    def _watch(self, path: str) -> bool | None:
        """Whether a watch was put there now, which was not before; None where there is none."""
        is_left_out = bool(path) and not is_git(path) and self._is_ignored(path)
        with self._lock:
            if is_left_out:
                self._forget(path)
                return None
            number = CallbackId(next(self._numbers))
            try:
                watch = self._inotify.add_callback(os.fsencode(f"{self._root}/{path}"), _MASK, self, number)
                if watch < 0:  # watchdog 7.1.0 takes a refusal for a watch
                    self._inotify.remove_callbacks([(watch, number)])
                    raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
            except OSError as error:
                self._forget(path)
                if error.errno not in _NO_FOLDER:
                    self._leave_unwatched(path, not_watched(path, error))
                return None
            before = self._paths.get(watch)
            if before is not None and before != path:
                if self._is_second_name(before, path):
                    self._inotify.remove_callbacks([(watch, number)])
                    self._forget(path)
                    self._leave_unwatched(path, mounted_twice(path))
                    return None
                self._forget(before)
            known = self._watches.get(path)
            if known is not None and known[0] == watch:
                self._inotify.remove_callbacks([known])
                self._watches[path] = (watch, number)
                self._unwatched.pop(path, None)
                return False
            self._forget(path)
            self._watches[path] = (watch, number)
            self._paths[watch] = path
            if path:
                self._below[path.rpartition("/")[0]].add(path)
            return True

    def _folders_in(self, path: str) -> set[str]:
        """Those found in a folder, and those known there: what became of each is for `_watch` to see."""
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
                    self._leave_unwatched(path, not_watched(path, error))
        return folders

    def _forget(self, path: str) -> None:
        """End the watches at and beneath a path. Call it with the lock held."""
        self._unwatched.pop(path, None)
        self._below.get(path.rpartition("/")[0], set()).discard(path)
        pending, ended = [path], list[tuple[WatchDescriptor, CallbackId]]()
        while pending:
            at = pending.pop()
            pending += self._below.pop(at, ())
            known = self._watches.pop(at, None)
            if known is not None:
                del self._paths[known[0]]
                ended.append(known)
        if ended:
            self._inotify.remove_callbacks(ended)

    def _leave_unwatched(self, path: str, why: str) -> None:
        """Note it. Call it with the lock held."""
        self._unwatched[path] = why
        if len(self._unwatched) > _LEFT_UNWATCHED_UP_TO:
            self._unwatched = {EVERYTHING: why}

    def _is_second_name(self, one: str, other: str) -> bool:
        """Whether both paths lead to one folder by a mount, and not because it was renamed."""
        if one.casefold() == other.casefold():  # also where a disk takes both spellings for one
            return False
        try:
            return (self._root / one).samefile(self._root / other)
        except OSError:
            return False
