"""What waits in projects that stand in a list, whether or not a window has them open."""

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
"""So many looks at a time, those not counted whose disk does not answer."""
PATIENCE_MS = 2000
"""After which a disk counts as one that does not answer."""
PAUSE_MS = 3000
"""From one look to the next."""


class Backlogs(QObject):
    """Looks while somebody shows what is found: again every few seconds, and when a bell rings.

    A disk may take its time, or never answer: each look has a thread that nothing waits for, and a project is
    not asked again before it has answered.
    """

    changed = Signal(object)
    """The `Path` of a project of which something else is known than before."""

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
        """Since when each answer is awaited."""
        self._late: set[Path] = set()
        self._again: set[Path] = set()
        self._shown: list[tuple[QWidget, Callable[[], Sequence[Path]]]] = []
        self._timer = QTimer(self, interval=PAUSE_MS)
        self._timer.timeout.connect(self.look_again)
        self._patience = QTimer(self, interval=PATIENCE_MS // 4)
        self._patience.timeout.connect(self._give_up)

    def of(self, root: Path) -> Backlog | None:
        """What was found at the last look, None before the first one."""
        return self._found.get(root)

    def watch(self, widget: QWidget, roots: Callable[[], Sequence[Path]]) -> None:
        """Look at these projects now, and on for as long as the widget is on screen."""
        self._shown = [each for each in self._shown if each[0] is not widget]
        self._shown.append((widget, roots))
        self._timer.start()
        self._ask(roots())

    def look_again(self) -> None:
        """Look at all that is on screen; at nothing from then on where nothing is."""
        self._ask(self._roots())
        if not self._shown:
            self._timer.stop()

    def rang(self, key: str) -> None:
        """The store of that name has changed."""
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
        """Say of those that did not answer in time that they don't; the others need not wait for them."""
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
    from studio.engine.backlog import read_backlog  # on the look's own thread: the store takes long to load

    return read_backlog(root)


# The projects that a person can go to: those that are open in windows, and those from before.


class KnownProjects:
    """One for all windows of the process."""

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
        """Those that a window has open."""
        return tuple(self._open_roots())

    def closed_ones(self) -> tuple[Path, ...]:
        """Those opened before, the last one first, without those that are open."""
        is_open = frozenset(self._open_roots())
        return tuple(dict.fromkeys(root for root in self._settings.recent_projects() if root not in is_open))

    def forget(self, root: Path) -> None:
        """List a project no more until it is opened again."""
        self._settings.forget_recent_project(root)
