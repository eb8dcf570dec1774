"""How steps of a plan may be gathered: the user's own groups, and what was decided of such files before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from studio.engine.gathering import Gathering

if TYPE_CHECKING:
    from studio.ui.desk.project import Project
    from studio.ui.desk.queue import Queue


class Gathered(QObject):
    """Read anew each time a plan as a whole becomes current."""

    changed = Signal()

    def __init__(self, project: Project, queue: Queue) -> None:
        super().__init__(project)
        self._project, self._queue = project, queue
        self.value = Gathering()
        queue.current_changed.connect(self._read)

    def _read(self) -> None:
        if self._queue.current_plan is not None and self._queue.current_step is None:
            self._project.ask_aside(self._project.workspace.reader.gathering, then=self._got)

    def _got(self, gathering: Gathering) -> None:
        self.value = gathering
        self.changed.emit()
