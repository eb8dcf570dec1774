"""Lines looked for across plans, project and history: what was found so far, told as it comes."""

from __future__ import annotations

import threading
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

if TYPE_CHECKING:
    from studio.engine.errors import StudioError
    from studio.engine.reader import LineHit, LineQuery
    from studio.ui.desk.project import Project


class LineSearch(QObject):
    """One search at a time: another one ends it."""

    changed = Signal()

    def __init__(self, project: Project) -> None:
        super().__init__(project)
        self._project = project
        self._cancel = threading.Event()
        self.query: LineQuery | None = None
        self.hits: tuple[LineHit, ...] = ()
        self.is_running = False
        self.is_whole = True
        """Whether all that was found is told; else there is more of it than that."""
        self.refusal = ""
        """Why it can't be looked for."""
        project.closed.connect(self.stop)

    def search(self, query: LineQuery) -> None:
        """Look for these lines, and for no others any more."""
        self.stop()
        cancel = self._cancel = threading.Event()
        self.query, self.hits, self.is_running, self.is_whole, self.refusal = query, (), True, True, ""
        self.changed.emit()
        runner, reader = self._project.runner, self._project.workspace.reader

        def tell(hits: tuple[LineHit, ...]) -> None:
            runner.post(self._came, (cancel, hits))

        self._project.ask_aside(
            partial(reader.search, query, tell, cancel),
            then=partial(self._ended, cancel), failed=partial(self._failed, cancel),
        )  # fmt: skip

    def stop(self) -> None:
        """Look no further; what was found stays."""
        self._cancel.set()
        self.is_running = False

    def forget(self) -> None:
        """Nothing is looked for."""
        self.stop()
        self.query, self.hits, self.is_whole, self.refusal = None, (), True, ""
        self.changed.emit()

    def _came(self, told: tuple[threading.Event, tuple[LineHit, ...]]) -> None:
        cancel, hits = told
        if cancel is self._cancel:
            self.hits += hits
            self.changed.emit()

    def _ended(self, cancel: threading.Event, is_whole: bool) -> None:
        if cancel is self._cancel:
            self.is_running, self.is_whole = False, is_whole
            self.changed.emit()

    def _failed(self, cancel: threading.Event, error: StudioError) -> None:
        if cancel is self._cancel:
            self.is_running, self.refusal = False, f"{error.message} {error.hint}".strip()
            self.changed.emit()
