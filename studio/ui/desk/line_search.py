"""Line search across plans, project and history, with incremental results."""

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
    """Line search; a new one cancels the running one."""

    changed = Signal()

    def __init__(self, project: Project) -> None:
        super().__init__(project)
        self._project = project
        self._cancel = threading.Event()
        self.query: LineQuery | None = None
        self.hits: tuple[LineHit, ...] = ()
        self.is_running = False
        self.is_whole = True
        """Whether `hits` holds all results, and not only the first ones."""
        self.refusal = ""
        """Why the search failed."""
        project.closed.connect(self.stop)

    def search(self, query: LineQuery) -> None:
        """Cancel the running search and start this one."""
        self.stop()
        cancel = self._cancel = threading.Event()
        self.query, self.hits, self.is_running, self.is_whole, self.refusal = query, (), True, True, ""
        self.changed.emit()
        runner, reader = self._project.runner, self._project.workspace.reader

        def post_hits(hits: tuple[LineHit, ...]) -> None:
            runner.post(self._add_hits, (cancel, hits))

        self._project.ask_in_background(
            partial(reader.search, query, post_hits, cancel),
            then=partial(self._finish, cancel), failed=partial(self._report_failure, cancel),
        )  # fmt: skip

    def stop(self) -> None:
        """Cancel the search; its hits stay."""
        self._cancel.set()
        self.is_running = False

    def forget(self) -> None:
        """Cancel the search and clear its hits."""
        self.stop()
        self.query, self.hits, self.is_whole, self.refusal = None, (), True, ""
        self.changed.emit()

    def _add_hits(self, batch: tuple[threading.Event, tuple[LineHit, ...]]) -> None:
        cancel, hits = batch
        if cancel is self._cancel:
            self.hits += hits
            self.changed.emit()

    def _finish(self, cancel: threading.Event, is_whole: bool) -> None:
        if cancel is self._cancel:
            self.is_running, self.is_whole = False, is_whole
            self.changed.emit()

    def _report_failure(self, cancel: threading.Event, error: StudioError) -> None:
        if cancel is self._cancel:
            self.is_running, self.refusal = False, f"{error.message} {error.hint}".strip()
            self.changed.emit()
