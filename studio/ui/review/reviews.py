"""Reviews of changes in the files, and plans made from them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from studio.names import show_name
from studio.ui.actions.action import Action
from studio.ui.look.words import say
from studio.ui.review.state import Tone

if TYPE_CHECKING:
    from studio.engine import Plan
    from studio.errors import StudioError
    from studio.ui.review.guards import Guards
    from studio.ui.review.project import Project
    from studio.ui.review.queue import Queue


class Reviews(QObject):
    """Controller that makes reviews and shows the plan that results."""

    changed = Signal()
    """A comparison began or ended."""

    def __init__(self, project: Project, queue: Queue, guards: Guards) -> None:
        super().__init__(project)
        self._project, self._queue, self._guards = project, queue, guards
        self.is_comparing = False
        self._made = ""
        """Id of the plan to show once the queue has it."""
        queue.store_changed.connect(self._show_made)

    def start(self) -> None:
        """Review the uncommitted changes, or the current review's subject again.

        What is unchanged keeps its marks.
        """
        if self._guards.can(Action.REVIEW_CHANGES):
            return
        plan, reviews = self._queue.current_plan, self._project.workspace.reviews
        if plan is not None and plan.is_review:
            self._queue.note_exit(plan.id)  # it ends where anything differs from it
            self._compare(reviews.again, plan.id)
        else:
            self._compare(reviews.work_tree)

    def take_back(self) -> None:
        """Make a plan that reverts what is rejected in the current review."""
        plan = self._queue.current_plan
        if plan is not None and not self._guards.can(Action.APPLY):
            self._compare(self._project.workspace.reviews.take_back, plan.id)

    def propose(self) -> None:
        """Make a plan that writes the approved changes of commits."""
        plan = self._queue.current_plan
        if plan is not None and not self._guards.can(Action.PROPOSE_APPROVED):
            self._compare(self._project.workspace.reviews.propose, plan.id)

    def _compare(self, make: Callable[..., Plan | None], *plan_id: str) -> None:
        self._set_comparing(True)
        self._project.report_status(self.tr("Comparing the files…"), Tone.NEWS)
        self._project.ask_in_background(make, *plan_id, then=self._finish, failed=self._report_failure)

    def _finish(self, plan: Plan | None) -> None:
        self._set_comparing(False)
        if plan is None:
            self._project.report_status(self.tr("No differences found. There is nothing to review."))
        else:
            title = show_name(plan.title)
            self._project.report_status(say(self.tr("“{title}” is in the queue."), title=title), Tone.NEWS)
            self._queue.note_decided(plan.id)  # not reported as new
            self._made = plan.id
        self._project.unsent.load()  # it has those of the round before
        self._queue.reload()

    def _report_failure(self, error: StudioError) -> None:
        self._set_comparing(False)
        self._project.report(error)

    def _set_comparing(self, is_comparing: bool) -> None:
        self.is_comparing = is_comparing
        self.changed.emit()

    def _show_made(self) -> None:
        if self._made and any(plan.id == self._made for plan in self._queue.plans):
            plan_id, self._made = self._made, ""
            self._queue.select(plan_id, by_user=False)
