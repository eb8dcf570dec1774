"""Whether the project's folder is still where it was opened: it may be moved, deleted or unmounted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from studio.engine.names import show_name
from studio.ui.desk.happening import Happening, Tone
from studio.ui.look.words import say

if TYPE_CHECKING:
    from studio.ui.desk.project import Project
    from studio.ui.desk.queue import Queue


class RootWatch(QObject):
    """Looks when the desk does, and says what it finds; while the folder is gone nothing can be decided."""

    changed = Signal()
    came_back = Signal()
    """The folder is there again; whoever watches it begins anew."""

    def __init__(self, project: Project, queue: Queue) -> None:
        super().__init__(project)
        self._project, self._queue = project, queue
        self.is_gone = False

    def look(self) -> None:
        """Ask whether the path still names the folder that was opened."""
        self._project.runner.call(lambda: self._project.workspace.is_there, then=self._got)

    def _got(self, is_there: bool) -> None:
        if is_there is not self.is_gone:
            return
        self.is_gone = not is_there
        name = show_name(str(self._project.root_path))
        if self.is_gone:
            said = self.tr("{folder} is not there any more: it was moved, deleted or unmounted.")
            hint = self.tr("Put it back, or open it where it is now. Nothing is decided meanwhile.")
            self._project.happened.emit(Happening(say(said, folder=name), Tone.BAD, hint))
        else:
            self._project.happened.emit(Happening(say(self.tr("{folder} is back."), folder=name)))
            self.came_back.emit()
            self._queue.disk_changed()
        self.changed.emit()
