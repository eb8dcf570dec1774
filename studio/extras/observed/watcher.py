"""File watcher that reports changed paths; timed rescans of unwatchable parts.

Hints are never the authority; the hash before a write decides. What can't be watched is reported by a timer:
every few seconds the unwatched parts, and now and then everything.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from studio.extras import observed
from studio.extras.observed.hints import EVERYTHING, Hints
from studio.extras.observed.ignored import IGNORE_FILE
from studio.extras.observed.state import NO_WATCHER, WatchMode, WatchState, gone, no_events
from studio.extras.observed.unwatched import Unwatched
from studio.limits import WATCH_COALESCE_SECONDS, WATCH_POLL_SECONDS, WATCH_RESCAN_SECONDS
from studio.program.log_file import LOGGER
from studio.system.syscalls import mounts

# Disks that others write to without an event on this machine: networks, hosts of virtual machines.

# Names as in /proc/self/mountinfo. Overlays are absent: writes through one send events, and nearly every
# container is on one.
_KINDS = frozenset(
    "nfs nfs4 cifs smb3 smbfs 9p virtiofs ceph afs coda lustre gpfs beegfs ocfs2 gfs2 orangefs pvfs2 ncpfs "
    "vboxsf vmhgfs prl_fs drvfs fuse fuseblk".split()
)


def disks_without_events(root: Path) -> dict[str, str]:
    """Return the mounts of disks without events, each with its kind.

    Paths are relative to the resolved root; "" is the root's own disk.
    """
    found: dict[str, str] = {}
    top, prefix = os.fsencode(root), os.fsencode(root).rstrip(b"/") + b"/"
    root_kind, length = "", -1
    for place, kind in mounts():
        if place.startswith(prefix):
            found[os.fsdecode(place.removeprefix(prefix))] = kind
        elif (top == place or prefix.startswith(place.rstrip(b"/") + b"/")) and len(place) >= length:
            root_kind, length = kind, len(place)
    found[""] = root_kind
    return {path: kind for path, kind in found.items() if _is_silent(kind)}


def _is_silent(kind: str) -> bool:
    return kind.partition(".")[0] in _KINDS


STOP_SECONDS = 2.0
"""Seconds that stopping waits for a thread.

An unresponsive disk may block one.
"""

OnChange = Callable[[frozenset[str]], None]
"""Callback with changed relative paths, each standing for its subtree.

The empty set means that anything may have changed, the watch status included.
"""


class WatchedTree(Protocol):
    """Interface of the platforms' tree watchers, which fill the hints."""

    def start(self) -> None:
        """Start watching.

        Raises OSError.
        """
        ...

    def stop(self, seconds: float) -> None:
        """Stop watching, waiting at most so many seconds."""
        ...

    @property
    def is_alive(self) -> bool: ...

    @property
    def has_lost(self) -> bool:
        """Whether events were lost, so that every folder must be found again."""
        ...

    @property
    def unwatched(self) -> dict[str, str]:
        """Folders without events, each with the reason."""
        ...

    def rescan(self, *, at_everything: bool) -> None:
        """Retry failed watches, or find every folder again."""
        ...

    def include_folder(self, path: str) -> None:
        """Watch a folder that was excluded before, with its contents."""
        ...


class Watcher:
    """Watcher of one tree that calls back on its own thread.

    May be started on one thread and stopped by another, whichever comes first.
    """

    def __init__(self, root: Path, on_change: OnChange, unwatched: Unwatched | None = None) -> None:
        self._root = root
        self._on_change = on_change
        self._unwatched = unwatched or Unwatched()
        self._required_paths: frozenset[str] = frozenset()
        self._watched_for: frozenset[str] = frozenset()
        """The held files for which the tree is currently watched."""
        self._hints = Hints()
        self._tree: WatchedTree | None = None
        self._silent: dict[str, str] = {}
        self._identity = self._root_identity()
        self._is_there = self._identity is not None
        self._state = WatchState()
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._notifier = threading.Thread(target=self._notify, name="studio-watch", daemon=True)

    @property
    def state(self) -> WatchState:
        """The current watch status."""
        return self._state

    def start(self) -> None:
        """Start watching by whatever means the system has.

        Takes long for a large tree, and reports nothing meanwhile.
        """
        self._silent = disks_without_events(self._root)
        tree = self._start_tree()
        with self._lock:
            if not self._stopped.is_set():
                self._tree = tree
                self._state = self._compute_state()
                self._hints.wake.set()  # some folders may have been guessed
                self._notifier.start()
                return
        if tree is not None:
            tree.stop(STOP_SECONDS)

    def stop(self) -> None:
        """Stop watching; no callback follows, unless one is blocked for good."""
        with self._lock:
            self._stopped.set()
        self._hints.wake.set()
        if self._notifier.is_alive() and self._notifier is not threading.current_thread():
            self._notifier.join(STOP_SECONDS)
        tree, self._tree = self._tree, None
        if tree is not None:
            tree.stop(STOP_SECONDS)

    def scan_all(self) -> None:
        """Report everything, as after a focus change or a system resume."""
        self._hints.add(EVERYTHING)

    def watch_always(self, paths: frozenset[str]) -> None:
        """Watch the folders of these files even if ignored.

        Those of an earlier call are released.
        """
        if paths != self._required_paths:
            self._required_paths = paths
            self._hints.wake.set()

    def _start_tree(self) -> WatchedTree | None:
        try:
            tree = _create_tree(self._root, self._hints, self._unwatched, self._stopped)
        except OSError:
            return None
        try:
            tree.start()
        except OSError:
            tree.stop(STOP_SECONDS)
            return None
        return tree

    # Run on the reporting thread.

    def _notify(self) -> None:
        now = time.monotonic()
        next_look, next_rescan = now + WATCH_POLL_SECONDS, now + WATCH_RESCAN_SECONDS
        while not self._stopped.is_set():
            self._hints.wake.wait(max(0.0, next_look - time.monotonic()))
            self._stopped.wait(WATCH_COALESCE_SECONDS if self._hints.wake.is_set() else 0)
            if self._stopped.is_set():
                return
            self._hints.wake.clear()
            try:
                now = time.monotonic()
                is_rescan = now >= next_rescan
                if now >= next_look:
                    next_look = now + WATCH_POLL_SECONDS
                    next_rescan = now + WATCH_RESCAN_SECONDS if is_rescan else next_rescan
                    self._scan_polled(is_rescan=is_rescan)
                    next_look = time.monotonic() + WATCH_POLL_SECONDS
                self._notify_once()
            except Exception:
                LOGGER.exception("Changes on disk could not be told")
                self._hints.add(EVERYTHING)

    def _notify_once(self) -> None:
        self._check_root()
        if self._tree is not None and not self._tree.is_alive:
            self._tree.stop(STOP_SECONDS)
            self._restart()
        elif self._tree is not None and self._tree.has_lost:
            self._tree.rescan(at_everything=True)
        self._watch_otherwise()
        paths, state = self._hints.drain(), self._compute_state()
        if paths is not None and any(path.rpartition("/")[2] == IGNORE_FILE for path in paths):
            self._unwatched.clear()
            if self._tree is not None:
                self._tree.rescan(at_everything=True)
        if state != self._state:
            self._state, paths = state, frozenset[str]()
        elif not self._is_there:
            return  # later events are of a folder that was moved away
        if paths is not None and not self._stopped.is_set():
            self._on_change(paths)

    def _scan_polled(self, *, is_rescan: bool) -> None:
        """Retry failed watches and report the polled paths."""
        if is_rescan:
            self._silent = disks_without_events(self._root)
            self._unwatched.clear()
            self._hints.add(EVERYTHING)
        if self._tree is None:
            self._restart()
        elif self._is_there and self._tree.is_alive:
            self._tree.rescan(at_everything=is_rescan)
        for path in self._polled_paths():
            self._hints.add(path)

    def _watch_otherwise(self) -> None:
        """Watch newly observed folders, and release those that no longer are."""
        folders = self._unwatched.ask()
        observed = self._required_paths
        if observed != self._watched_for:
            self._watched_for = observed
            folders += self._unwatched.watch_always(observed)
        if self._tree is not None:
            for folder in folders:
                self._tree.include_folder(folder)

    def _restart(self) -> None:
        self._hints.add(EVERYTHING)
        self._tree = self._start_tree()

    def _check_root(self) -> None:
        is_there = self._root_identity() == self._identity
        if is_there and not self._is_there and self._tree is not None:
            self._tree.rescan(at_everything=True)
        self._is_there = is_there

    def _root_identity(self) -> tuple[int, int] | None:
        try:
            status = self._root.stat()
        except OSError:
            return None
        return status.st_dev, status.st_ino

    def _polled_paths(self) -> dict[str, str]:
        """Return the polled paths, each with the reason."""
        if self._tree is None:
            return {EVERYTHING: NO_WATCHER}
        silent = {path: no_events(path, kind) for path, kind in self._silent.items()}
        return {**silent, **self._tree.unwatched}

    def _compute_state(self) -> WatchState:
        if not self._is_there:
            return WatchState(WatchMode.GONE, gone(str(self._root)))
        reasons = self._polled_paths().values()
        return next((WatchState(WatchMode.POLLING, why) for why in reasons), WatchState())


def _create_tree(root: Path, hints: Hints, unwatched: Unwatched, stopped: threading.Event) -> WatchedTree:
    """Return the tree watcher of this platform.

    Raises OSError where the system gives none.
    """
    if sys.platform == "linux":
        return observed.InotifyTree(root, hints, unwatched, stopped)
    return observed.ObserverTree(root, hints, unwatched)
