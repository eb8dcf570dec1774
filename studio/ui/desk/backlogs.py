"""Backlogs of listed projects: what waits in them, open or not."""

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

if TYPE_CHECKING:
    from PySide6.QtCore import QObject

    from studio.engine.backlog import Backlog
    from studio.ui.runner import Runner
    from studio.ui.settings import Settings

_BESIDE = 4
"""Maximum number of concurrent reads, not counting disks that don't answer."""
PATIENCE_MS = 2000
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
        look: Callable[[Path], Backlog] | None = None,
    ) -> None:
        super().__init__(parent)
        self._runner, self._look = runner, look or _read_backlog
        self._found: dict[Path, Backlog] = {}
        self._queue: deque[Path] = deque()
        self._asked: dict[Path, float] = {}
        """Start time of each pending read."""
        self._late: set[Path] = set()
        self._again: set[Path] = set()
        self._shown: list[tuple[QWidget, Callable[[], Sequence[Path]]]] = []
        self._timer = QTimer(self, interval=PAUSE_MS)
        self._timer.timeout.connect(self.rescan)
        self._patience = QTimer(self, interval=PATIENCE_MS // 4)
        self._patience.timeout.connect(self._give_up)

    def of(self, root: Path) -> Backlog | None:
        """Return the last backlog read, None before the first."""
        return self._found.get(root)

    def watch(self, widget: QWidget, roots: Callable[[], Sequence[Path]]) -> None:
        """Read these projects now and while the widget is visible."""
        self._shown = [each for each in self._shown if each[0] is not widget]
        self._shown.append((widget, roots))
        self._timer.start()
        self._ask(roots())

    def rescan(self) -> None:
        """Read all visible projects again; stop the timer when there are none."""
        self._ask(self._roots())
        if not self._shown:
            self._timer.stop()

    def rang(self, key: str) -> None:
        """Read the project whose store was reported as changed."""
        for root in self._roots():
            found = self._found.get(root)
            if found is None or found.key in (key, ""):
                if root in self._asked:
                    self._again.add(root)
                self._ask((root,))

    def _roots(self) -> tuple[Path, ...]:
        self._shown = [each for each in self._shown if isValid(each[0]) and each[0].isVisible()]
        return tuple(dict.fromkeys(root for _widget, roots in self._shown for root in roots()))

    def _ask(self, roots: Iterable[Path]) -> None:
        for root in roots:
            if root not in self._asked and root not in self._queue:
                self._queue.append(root)
        self._begin()

    def _begin(self) -> None:
        while self._queue and len(self._asked.keys() - self._late) < _BESIDE:
            root = self._queue.popleft()
            self._asked[root] = time.monotonic()
            self._patience.start()
            then, failed = partial(self._answered, root), partial(self._failed, root)
            self._runner.compute_alone(self._look, root, then=then, failed=failed)

    def _give_up(self) -> None:
        """Mark reads that timed out as silent, and start others."""
        from studio.engine.backlog import Backlog, Unknown

        until = time.monotonic() - PATIENCE_MS / 1000
        late = [root for root, since in self._asked.items() if since <= until and root not in self._late]
        for root in late:
            self._late.add(root)
            self._keep(root, Backlog(unknown=Unknown.SILENT))
        self._begin()
        if not self._asked.keys() - self._late:
            self._patience.stop()

    def _answered(self, root: Path, backlog: Backlog) -> None:
        self._asked.pop(root, None)
        self._late.discard(root)
        if root in self._again:
            self._again.discard(root)
            self._ask((root,))
        self._keep(root, backlog)
        self._begin()

    def _failed(self, root: Path, _error: object) -> None:
        from studio.engine.backlog import Backlog, Unknown

        self._answered(root, Backlog(unknown=Unknown.UNREADABLE))

    def _keep(self, root: Path, backlog: Backlog) -> None:
        if self._found.get(root) != backlog:
            self._found[root] = backlog
            self.changed.emit(root)


def _read_backlog(root: Path) -> Backlog:
    from studio.engine.backlog import read_backlog  # on the read's own thread: the store takes long to load

    return read_backlog(root)


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

    def open_ones(self) -> tuple[Path, ...]:
        """Return the projects that are open in a window."""
        return tuple(self._open_roots())

    def closed_ones(self) -> tuple[Path, ...]:
        """Return recent projects that are not open, latest first."""
        is_open = frozenset(self._open_roots())
        return tuple(dict.fromkeys(root for root in self._settings.recent_projects() if root not in is_open))

    def forget(self, root: Path) -> None:
        """Remove a project from the list until it is opened again."""
        self._settings.forget_recent_project(root)
