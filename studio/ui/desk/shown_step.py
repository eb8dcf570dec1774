"""Contents of the current step on screen, and their diff."""

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
    from studio.ui.desk.walk import StepPrefetch


class ShownStep(QObject):
    """Reader of the current step's sides and diff.

    It reads again whenever the step or its content changes. A prefetched step is shown in the same frame, and
    read again behind it.
    """

    changed = Signal()

    def __init__(
        self, project: Project, queue: Queue, guards: Guards, *, edited: EditedResults, prefetch: StepPrefetch
    ) -> None:
        super().__init__(project)
        self._project, self._queue, self._guards = project, queue, guards
        self._edited, self._prefetch = edited, prefetch
        self._wanted_key = ""
        self._contents: StepContents | None = None
        self._revision = ""
        """The step revision that the contents belong to."""
        self.proposed: bytes | None = None
        """The result as proposed, whatever is shown."""
        self.own: Own = ()
        """The lines of the shown result that the reviewer wrote."""
        self.diff: FileDiff | None = None
        self.is_head = False
        """Whether `diff` is the first screen of a long diff whose rest follows."""
        self.unshown = 0
        """Changed lines of `diff` that are too long to read on screen."""
        self.hunks_differ = False
        """Whether `diff` has other hunks than those stored with the step."""
        self.painted_revision = ""
        queue.step_replaced.connect(self._clear)
        queue.contents_wanted.connect(self.load)
        edited.changed.connect(self.load)
        project.closed.connect(self._stop)

    @property
    def contents(self) -> StepContents | None:
        """The sides of the current step, None until they are read.

        Also None where another process changed the step and the screen shows the revision before.
        """
        step = self._queue.current_step
        return self._contents if step is not None and step.revision == self._revision else None

    @property
    def is_as_proposed(self) -> bool:
        """Whether the proposal is shown, and not an edited result."""
        step = self._queue.current_step
        decision = None if step is None else step.decision
        return self._edited.current is None and not (decision is not None and decision.edited)

    def mark_painted(self, revision: str) -> None:
        """Record which revision of the step the diff view has painted."""
        self.painted_revision = revision if self.contents is not None else ""
        self._guards.allowed_changed.emit()

    def key_of(self, plan: Plan, step: Step) -> str:
        """Return the key of what is shown of a step.

        An answer with another key came too late.
        """
        edited = self._edited.of(plan, step)
        key = f"{plan.id}/{step.number}/{step.revision}"
        return key + (f"/{sha256(edited)}" if edited is not None else "")

    def load(self) -> None:
        """Read and diff the current step.

        What is shown stays until the new contents come.
        """
        self.painted_revision = ""
        plan, step = self._queue.current_plan, self._queue.current_step
        if plan is None or step is None:
            self._wanted_key = ""
            self.changed.emit()
            self._project.runner.next_turn(self._queue.update_lists)
            return
        key = self._wanted_key = self.key_of(plan, step)
        prefetched = self._prefetch.of(step)
        cached = (
            prefetched.contents if prefetched is not None and self._edited.of(plan, step) is None else None
        )
        if prefetched is not None and cached is not None:
            self.proposed = cached.result
            self._show_diff(key, cached, prefetched.compared)
        self._project.runner.call(
            self._project.workspace.proposer.contents, plan.id, step.number,
            then=partial(self._compare_contents, key, cached), failed=self._project.report,
        )  # fmt: skip

    def _clear(self) -> None:
        self._contents, self.diff, self.unshown, self.own = None, None, 0, ()
        self.painted_revision = ""

    def _stop(self) -> None:
        self._wanted_key = ""
        self._prefetch.stop()

    def _effective_contents(self, plan: Plan, step: Step, contents: StepContents) -> StepContents:
        """Return the contents to show: base and effective result."""
        edited = self._edited.of(plan, step)
        if edited is None and step.decision is not None and step.decision.edited:
            edited = contents.decided
        return contents if edited is None else replace(contents, result=edited)

    def _compare_contents(self, key: str, cached: StepContents | None, contents: StepContents) -> None:
        """Diff the contents, unless they equal the prefetched `cached` ones."""
        plan, step = self._queue.current_plan, self._queue.current_step
        if key == self._wanted_key and contents != cached and plan is not None and step is not None:
            if cached is not None:
                # What is on screen is outdated, whatever is painted of it meanwhile.
                self._contents = None
                self.mark_painted("")
            self.proposed = contents.result
            shown = self._effective_contents(plan, step, contents)
            if is_long(shown.base, shown.result):
                self._project.runner.compute(
                    head_of, shown.base, shown.result, shown.setting,
                    then=partial(self._show_head, key, shown), failed=self._project.report,
                )  # fmt: skip
            self._project.runner.compute(
                compare_step, step, shown, contents.result,
                then=partial(self._show_diff, key, shown), failed=self._project.report,
            )  # fmt: skip

    def _show_head(self, key: str, contents: StepContents, head: FileDiff | None) -> None:
        """Show the first screen of a long diff; the whole follows."""
        if key == self._wanted_key and head is not None:
            self._set_contents(contents)
            self.diff, self.is_head = head, True
            self.changed.emit()

    def _show_diff(self, key: str, contents: StepContents, compared: Compared) -> None:
        if key == self._wanted_key:
            self._set_contents(contents)
            self.is_head = False
            self.diff, self.unshown, self.hunks_differ, self.own = compared
            self.changed.emit()
            self._project.runner.next_turn(self._queue.update_lists)
            self._project.runner.next_turn(self._prefetch.read)

    def _set_contents(self, contents: StepContents) -> None:
        step = self._queue.current_step
        self._contents, self._revision = contents, step.revision if step is not None else ""
