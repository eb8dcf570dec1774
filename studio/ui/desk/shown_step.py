"""What stands on screen of the current step: both sides, and the diff between them."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from studio.engine.plan import Plan, Step, sha256
from studio.ui.desk.queue_state import Own, compare_step, head_of, is_long

if TYPE_CHECKING:
    from studio.engine.diff import FileDiff
    from studio.engine.workspace import StepContents
    from studio.ui.desk.edited import EditedResults
    from studio.ui.desk.guards import Guards
    from studio.ui.desk.project import Project
    from studio.ui.desk.queue import Queue
    from studio.ui.desk.queue_state import Compared
    from studio.ui.desk.walk import StepAhead


class ShownStep(QObject):
    """Read and compared anew whenever another step, or another content of it, is current.

    What was read ahead stands there in the same frame, and is read again behind it.
    """

    changed = Signal()

    def __init__(
        self, project: Project, queue: Queue, guards: Guards, *, edited: EditedResults, ahead: StepAhead
    ) -> None:
        super().__init__(project)
        self._project, self._queue, self._guards = project, queue, guards
        self._edited, self._ahead = edited, ahead
        self._wanted = ""
        self._contents: StepContents | None = None
        self._revision = ""
        """Which revision of the step the contents are of."""
        self.proposed: bytes | None = None
        """The result as it was proposed, whatever is shown."""
        self.own: Own = ()
        """The lines of the shown result that a person wrote."""
        self.diff: FileDiff | None = None
        self.is_head = False
        """Whether `diff` is the first screen of a long one, of which the rest follows."""
        self.unshown = 0
        """Changed lines of `diff` that are too long to be read on screen."""
        self.hunks_differ = False
        """Whether `diff` has other hunks than those that were stored with the step."""
        self.painted_revision = ""
        queue.goes_on.connect(self._clear)
        queue.contents_wanted.connect(self.load)
        edited.changed.connect(self.load)
        project.closed.connect(self._stop)

    @property
    def contents(self) -> StepContents | None:
        """The sides of the current step; None until they have come, also where another process changed the
        step and what stands on screen is of the revision before."""
        step = self._queue.current_step
        return self._contents if step is not None and step.revision == self._revision else None

    @property
    def is_as_proposed(self) -> bool:
        """Whether what is shown is the proposal, and no result of a person's."""
        step = self._queue.current_step
        decision = None if step is None else step.decision
        return self._edited.current is None and not (decision is not None and decision.edited)

    def mark_painted(self, revision: str) -> None:
        """The diff view says which revision of the current step stands on screen now."""
        self.painted_revision = revision if self.contents is not None else ""
        self._guards.allowed_changed.emit()

    def key_of(self, plan: Plan, step: Step) -> str:
        """Names what is shown of a step; an answer about anything else came too late."""
        edited = self._edited.of(plan, step)
        key = f"{plan.id}/{step.number}/{step.revision}"
        return key + (f"/{sha256(edited)}" if edited is not None else "")

    def load(self) -> None:
        """Read and compare the sides of the current step; what is shown stays until they come."""
        self.painted_revision = ""
        plan, step = self._queue.current_plan, self._queue.current_step
        if plan is None or step is None:
            self._wanted = ""
            self.changed.emit()
            self._project.runner.next_turn(self._queue.tell_lists)
            return
        wanted = self._wanted = self.key_of(plan, step)
        ahead = self._ahead.of(step)
        known = ahead.contents if ahead is not None and self._edited.of(plan, step) is None else None
        if ahead is not None and known is not None:
            self.proposed = known.result
            self._got_diff(wanted, known, ahead.compared)
        self._project.runner.call(
            self._project.workspace.proposer.contents, plan.id, step.number,
            then=partial(self._got_contents, wanted, known), failed=self._project.report,
        )  # fmt: skip

    def _clear(self) -> None:
        self._contents, self.diff, self.unshown, self.own = None, None, 0, ()
        self.painted_revision = ""

    def _stop(self) -> None:
        self._wanted = ""
        self._ahead.stop()

    def _as_shown(self, plan: Plan, step: Step, contents: StepContents) -> StepContents:
        """The contents that are shown: base, and what would be written."""
        edited = self._edited.of(plan, step)
        if edited is None and step.decision is not None and step.decision.edited:
            edited = contents.decided
        return contents if edited is None else replace(contents, result=edited)

    def _got_contents(self, wanted: str, known: StepContents | None, contents: StepContents) -> None:
        """Compare the sides, unless they stand on screen as they were `known` ahead."""
        plan, step = self._queue.current_plan, self._queue.current_step
        if wanted == self._wanted and contents != known and plan is not None and step is not None:
            if known is not None:
                # What stands there is not what it is by now, whatever is painted of it meanwhile.
                self._contents = None
                self.mark_painted("")
            self.proposed = contents.result
            shown = self._as_shown(plan, step, contents)
            if is_long(shown.base, shown.result):
                self._project.runner.compute(
                    head_of, shown.base, shown.result, shown.setting,
                    then=partial(self._got_head, wanted, shown), failed=self._project.report,
                )  # fmt: skip
            self._project.runner.compute(
                compare_step, step, shown, contents.result,
                then=partial(self._got_diff, wanted, shown), failed=self._project.report,
            )  # fmt: skip

    def _got_head(self, wanted: str, contents: StepContents, head: FileDiff | None) -> None:
        """The first screen of a long diff; the whole follows and can be decided."""
        if wanted == self._wanted and head is not None:
            self._keep(contents)
            self.diff, self.is_head = head, True
            self.changed.emit()

    def _got_diff(self, wanted: str, contents: StepContents, compared: Compared) -> None:
        if wanted == self._wanted:
            self._keep(contents)
            self.is_head = False
            self.diff, self.unshown, self.hunks_differ, self.own = compared
            self.changed.emit()
            self._project.runner.next_turn(self._queue.tell_lists)
            self._project.runner.next_turn(self._ahead.read)

    def _keep(self, contents: StepContents) -> None:
        step = self._queue.current_step
        self._contents, self._revision = contents, step.revision if step is not None else ""
