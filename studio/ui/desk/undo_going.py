"""Whose undo the next apply pushes out, told before it does (R152, design 7)."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from studio.engine.names import show_name
from studio.engine.plan import OPEN_PLAN_STATES
from studio.ui.look.words import counted, say

if TYPE_CHECKING:
    from studio.engine.proposer import RetentionReport
    from studio.ui.desk.project import Project
    from studio.ui.desk.queue import Queue
    from studio.ui.desk.restore import Restore
    from studio.ui.desk.rollback import Rollback


class UndoGoing(QObject):
    """Asks for the plan that would be applied next: the current one while it is open, a rollback or a
    restore while one is previewed, any plan otherwise."""

    changed = Signal()

    def __init__(self, project: Project, queue: Queue, rollback: Rollback, restore: Restore) -> None:
        super().__init__(project)
        self._rollback, self._restore = rollback, restore
        self._project, self._queue = project, queue
        self._asked: object = None
        self.report: RetentionReport | None = None
        for part in (rollback, restore):
            part.changed.connect(self._look)
        for signal in (queue.current_changed, queue.history_changed, queue.plans_changed):
            signal.connect(self._look)

    @property
    def sentence(self) -> str:
        """What stands in the status bar; "" where nothing goes."""
        if self.report is None:
            return ""
        if not self.report.due:
            return self.tr("What is applied next can't be undone: its undo has no room")
        first = self.report.due[-1]
        said = self.tr("The next apply discards the undo of “{title}”")
        more = len(self.report.due) - 1
        if more:
            said += counted(more, self.tr(" and of {n} more plan"), self.tr(" and of {n} more plans"))
        return say(said, title=show_name(first.title))

    def _look(self) -> None:
        plan = self._queue.current_plan
        following = plan.id if plan is not None and plan.state in OPEN_PLAN_STATES else None
        is_rollback = self._rollback.preview is not None or self._restore.preview is not None
        about = (None if is_rollback else following, is_rollback, self._queue.history)
        if about == self._asked:
            return
        self._asked = about
        self._project.read_undo_going(about[0], next_is_rollback=is_rollback, then=partial(self._came, about))

    def _came(self, about: object, report: RetentionReport | None) -> None:
        if about == self._asked and report != self.report:
            self.report = report
            self.changed.emit()
