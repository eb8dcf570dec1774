"""Periodic reader of pending review work per project; recent projects list."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

from studio.extras.backlog import Backlog, Unknown, read_backlog

if TYPE_CHECKING:
    from studio.ui.runner import Runner
    from studio.ui.settings import Settings

_MAX_CONCURRENT_READS = 4
"""Maximum number of concurrent reads, not counting disks that don't answer."""
UNRESPONSIVE_MS = 2000
"""Time after which a disk counts as unresponsive."""
PAUSE_MS = 3000
"""Interval between two reads."""


class Backlogs(QObject):
    """Reader of backlogs while a widget shows them.

    It reads every few seconds, and when a store reports a change. A disk may be slow or never answer, so each
    read has a thread of its own that nothing waits for, and a project is not read again before its answer.
    """

    changed = Signal(object)
    """Carries the `Path` of a project whose backlog changed."""

    def __init__(
        self,
        runner: Runner,
        parent: QObject | None = None,
        *,
        read: Callable[[Path], Backlog] | None = None,
    ) -> None:
        super().__init__(parent)
        self._runner, self._read_backlog = runner, read or read_backlog
        self._cached: dict[Path, Backlog] = {}
        self._queue: deque[Path] = deque()
        self._started_at: dict[Path, float] = {}
        """Start time of each pending read."""
        self._overdue: set[Path] = set()
        self._stale: set[Path] = set()
        self._watchers: list[tuple[QWidget, Callable[[], Sequence[Path]]]] = []
        self._rescan_timer = QTimer(self, interval=PAUSE_MS)
        self._rescan_timer.timeout.connect(self.rescan)
        self._overdue_timer = QTimer(self, interval=UNRESPONSIVE_MS // 4)
        self._overdue_timer.timeout.connect(self._mark_overdue)

    def of(self, root: Path) -> Backlog | None:
        """Return the last backlog read, None before the first."""
        return self._cached.get(root)

    def watch(self, widget: QWidget, roots: Callable[[], Sequence[Path]]) -> None:
        """Read these projects now and while the widget is visible."""
        self._watchers = [each for each in self._watchers if each[0] is not widget]
        self._watchers.append((widget, roots))
        self._rescan_timer.start()
        self._enqueue(roots())

    def rescan(self) -> None:
        """Read all visible projects again; stop the timer when there are none."""
        self._enqueue(self._roots())
        if not self._watchers:
            self._rescan_timer.stop()

    def read_changed(self, key: str) -> None:
        """Read the project whose store was reported as changed."""
        for root in self._roots():
            cached = self._cached.get(root)
            if cached is None or cached.key in (key, ""):
                if root in self._started_at:
                    self._stale.add(root)
                self._enqueue((root,))

    def _roots(self) -> tuple[Path, ...]:
        self._watchers = [each for each in self._watchers if isValid(each[0]) and each[0].isVisible()]
        return tuple(dict.fromkeys(root for _widget, roots in self._watchers for root in roots()))

    def _enqueue(self, roots: Iterable[Path]) -> None:
        for root in roots:
            if root not in self._started_at and root not in self._queue:
                self._queue.append(root)
        self._start_reads()

    def _start_reads(self) -> None:
        while self._queue and len(self._started_at.keys() - self._overdue) < _MAX_CONCURRENT_READS:
            root = self._queue.popleft()
            self._started_at[root] = time.monotonic()
            self._overdue_timer.start()
            then, failed = partial(self._finish_read, root), partial(self._mark_unreadable, root)
            self._runner.compute_alone(self._read_backlog, root, then=then, failed=failed)

    def _mark_overdue(self) -> None:
        """Mark reads that timed out as silent, and start others."""
        until = time.monotonic() - UNRESPONSIVE_MS / 1000
        overdue = [
            root for root, since in self._started_at.items() if since <= until and root not in self._overdue
        ]
        for root in overdue:
            self._overdue.add(root)
            self._store(root, Backlog(unknown=Unknown.SILENT))
        self._start_reads()
        if not self._started_at.keys() - self._overdue:
            self._overdue_timer.stop()

    def _finish_read(self, root: Path, backlog: Backlog) -> None:
        self._started_at.pop(root, None)
        self._overdue.discard(root)
        if root in self._stale:
            self._stale.discard(root)
            self._enqueue((root,))
        self._store(root, backlog)
        self._start_reads()

    def _mark_unreadable(self, root: Path, _error: object) -> None:
        self._finish_read(root, Backlog(unknown=Unknown.UNREADABLE))

    def _store(self, root: Path, backlog: Backlog) -> None:
        if self._cached.get(root) != backlog:
            self._cached[root] = backlog
            self.changed.emit(root)


# Projects the user can switch to.


class RecentProjects:
    """Open and recent projects, shared by all windows of the process."""

    def __init__(
        self,
        runner: Runner,
        settings: Settings,
        open_roots: Callable[[], Sequence[Path]],
        parent: QObject | None = None,
    ) -> None:
        self._settings, self._open_roots = settings, open_roots
        self.backlogs = Backlogs(runner, parent)

    def open_projects(self) -> tuple[Path, ...]:
        """Return the projects that are open in a window."""
        return tuple(self._open_roots())

    def closed_projects(self) -> tuple[Path, ...]:
        """Return recent projects that are not open, latest first."""
        is_open = frozenset(self._open_roots())
        return tuple(dict.fromkeys(root for root in self._settings.recent_projects() if root not in is_open))

    def remove(self, root: Path) -> None:
        """Remove a project from the list until it is opened again."""
        self._settings.remove_recent_project(root)
