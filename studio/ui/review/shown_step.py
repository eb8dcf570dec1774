"""Current step's contents and diff, edited results, moved code, version comparison."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace
from PySide6.QtCore import QObject, Signal

from studio.engine import Plan, Step, StepState
from studio.extras.diff_view.moved import ChangedRuns, MovedBlock, StepSides, changed_runs, moved_blocks
from studio.journal.file_image import sha256
from studio.ui.diff.model.cells import Side
from studio.ui.diff.model.moved_lines import MovedLines, MovedPart
from studio.ui.limits import MOVED_BATCH_BYTES
from studio.ui.review.guards import OWN_CHANGE_SECONDS
from studio.ui.review.queue_state import Own, compare_step, diff_of, head_of, is_long
from studio.ui.review.state import Tone
from studio.ui.review.unsent import CHOICES, DRAFT, DRAFT_BASE, EDITED, USED, DraftKey
from studio.ui.review.viewed import content_key
from studio.values import Value

if TYPE_CHECKING:
    from studio.engine import FileDiff, StepContents
    from studio.errors import StudioError
    from studio.ui.review.guards import Guards
    from studio.ui.review.project import Project
    from studio.ui.review.queue import Queue
    from studio.ui.review.queue_state import Compared
    from studio.ui.review.viewed import Viewed
    from studio.ui.review.walk import StepPrefetch


class MovedCode(QObject):
    """Search for moved lines, started when a plan's first step is shown.

    Another plan cancels it.
    """

    changed = Signal()

    def __init__(self, project: Project, queue: Queue, shown: ShownStep) -> None:
        super().__init__(project)
        self._project, self._queue, self._shown = project, queue, shown
        self._plan_version: tuple[str, int] | None = None
        self._blocks: tuple[MovedBlock, ...] = ()
        self._cached: dict[int, MovedLines] = {}
        """Moved lines of the step queried last."""
        shown.changed.connect(self._start_search)
        project.closed.connect(self._cancel)

    def of_current(self) -> MovedLines:
        """Return the current step's moved lines if it shows the proposal."""
        plan, step = self._queue.current_plan, self._queue.current_step
        is_searched = plan is not None and self._plan_version == (plan.id, plan.version)
        # The lines of an edited result have other numbers.
        if plan is None or step is None or not is_searched or not self._shown.is_as_proposed:
            return MovedLines()
        # Called on every update of the enabled actions.
        if step.number not in self._cached:
            self._cached = {step.number: MovedLines(self._parts(plan, step.number))}
        return self._cached[step.number]

    def _parts(self, plan: Plan, number: int) -> Iterator[MovedPart]:
        for block in self._blocks:
            source, target = plan.step(block.step), plan.step(block.to_step)
            if source is None or target is None:
                continue
            if block.step == number:
                yield MovedPart(
                    Side.BASE, block.first, block.count, block.to_step, block.to_first, target.target
                )
            if block.to_step == number:
                yield MovedPart(
                    Side.RESULT, block.to_first, block.count, block.step, block.first, source.path
                )

    def _start_search(self) -> None:
        plan = self._queue.current_plan
        if plan is None or self._shown.contents is None or self._plan_version == (plan.id, plan.version):
            return
        plan_version = self._plan_version = plan.id, plan.version
        self._blocks, self._cached = (), {}
        # Read errors are reported where the step is shown; here they only leave nothing marked.
        self._project.ask_in_background(
            partial(self._project.workspace.reader.sides, plan.id),
            then=partial(self._compare, plan_version, ChangedRuns((), ())), failed=lambda _error: None,
        )  # fmt: skip

    def _compare(self, plan_version: tuple[str, int], runs: ChangedRuns, sides: Sequence[StepSides]) -> None:
        """Compare one batch of files, then schedule the next.

        Syntax highlighting of what is on screen runs in between.
        """
        if self._plan_version != plan_version:
            return
        size = count = 0
        while count < len(sides) and size < MOVED_BATCH_BYTES:
            size += len(sides[count].base) + len(sides[count].result)
            count += 1
        if not count:
            self._project.runner.compute_apart(
                moved_blocks, runs, then=partial(self._set_blocks, plan_version)
            )
            return
        self._project.runner.compute_apart(
            changed_runs, sides[:count],
            then=lambda more: self._compare(plan_version, runs + more, sides[count:]),
        )  # fmt: skip

    def _set_blocks(self, plan_version: tuple[str, int], blocks: tuple[MovedBlock, ...]) -> None:
        if self._plan_version == plan_version and blocks:
            self._blocks, self._cached = blocks, {}
            self.changed.emit()

    def _cancel(self) -> None:
        self._plan_version, self._blocks, self._cached = None, (), {}


class EditedResults(QObject):
    """Edited results in use.

    A draft that is not in use belongs to `EditDrafts`.
    """

    changed = Signal()
    """The result of the current step changed."""

    def __init__(self, project: Project, queue: Queue, guards: Guards) -> None:
        super().__init__(project)
        self._unsent, self._queue, self._guards = project.unsent, queue, guards
        self._cached: tuple[object, bytes | None] = None, None

    @property
    def current(self) -> bytes | None:
        """The current step's edited result, None if it is as proposed."""
        plan, step = self._queue.current_plan, self._queue.current_step
        key = plan and plan.id, step, self._unsent.revision
        if self._cached[0] != key:  # read a hundred times for each decision
            self._cached = key, self.of(plan, step) if plan is not None and step is not None else None
        return self._cached[1]

    def of(self, plan: Plan, step: Step) -> bytes | None:
        """Return the edited result of an undecided step, None if as proposed."""
        return self.last_edited(plan, step) if step.state is StepState.PENDING else None

    def last_edited(self, plan: Plan, step: Step) -> bytes | None:
        """Return the last edited result of a step, whatever its state now."""
        value = self._unsent.value(DraftKey(plan.id, step.number, EDITED, USED))
        key, line_end, content = value.partition(b"\n")
        return content if line_end and key.decode() == content_key(step) else None

    def store(self, plan: Plan, step: Step, content: bytes) -> None:
        """Store an edited result; content equal to the proposal deletes it."""
        is_proposed = step.result is not None and step.result.sha256 == sha256(content)
        value = b"" if is_proposed else content_key(step).encode() + b"\n" + content
        self._unsent.store(DraftKey(plan.id, step.number, EDITED, USED), value)

    def use(self, plan: Plan, step: Step, content: bytes) -> None:
        """Set the current step's result; discard its draft and selection."""
        self.store(plan, step, content)
        for place in (DRAFT, DRAFT_BASE):
            self._unsent.store(DraftKey(plan.id, step.number, EDITED, place), "")
        self._unsent.store(self._queue.draft_key(CHOICES), "")
        self._emit_changed()

    def drop(self) -> None:
        """Revert to the result as proposed."""
        if self.current is not None:
            self._unsent.store(self._queue.draft_key(EDITED, USED), "")
            self._emit_changed()

    def _emit_changed(self) -> None:
        self._guards.dead_time.begin(OWN_CHANGE_SECONDS)
        self.changed.emit()


class ShownStep(QObject):
    """Reader of the current step's sides and diff.

    It reads again whenever the step or its content changes. A prefetched step is shown in the same frame, and
    read again behind it.
    """

    changed = Signal()
    painted = Signal()
    """The diff view painted the current revision of the step."""

    def __init__(
        self, project: Project, queue: Queue, guards: Guards, *, edited: EditedResults, prefetch: StepPrefetch
    ) -> None:
        super().__init__(project)
        self._project, self._queue, self._guards = project, queue, guards
        self._edited, self.prefetch = edited, prefetch
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
        queue.plans_changed.connect(self._read_ahead)
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
        if self.painted_revision:
            self.painted.emit()
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
        prefetched = self.prefetch.of(step)
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
        self.prefetch.stop()

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
            self._project.runner.next_turn(self.prefetch.read)

    def _read_ahead(self) -> None:
        """Read the step that follows by now, after a decision."""
        if self.contents is not None:
            self._project.runner.next_turn(self.prefetch.read)

    def _set_contents(self, contents: StepContents) -> None:
        step = self._queue.current_step
        self._contents, self._revision = contents, step.revision if step is not None else ""


class EarlierResult(NamedTuple):
    """Hash of an earlier result, "" for no file.

    `round` is that of the plan that proposed it (from 1), 0 for what was seen last.
    """

    round: int
    sha256: str


class Comparison(Value):
    """Diff of a step's result against that of `round`, as in `EarlierResult`."""

    round: int
    diff: FileDiff | None
    before: bytes | None
    after: bytes | None


class Rounds(QObject):
    """Earlier versions of the current step; a comparison is read-only."""

    changed = Signal()

    def __init__(
        self, project: Project, queue: Queue, guards: Guards, shown: ShownStep, viewed: Viewed
    ) -> None:
        super().__init__(project)
        self._project, self._queue, self._guards = project, queue, guards
        self._shown, self._viewed = shown, viewed
        self._plan_id = ""
        self._earlier: tuple[Plan, ...] = ()
        self.comparison: Comparison | None = None
        queue.current_changed.connect(self._follow_plan)
        shown.changed.connect(self.close)

    @property
    def earlier(self) -> tuple[Plan, ...]:
        """Earlier versions of the current plan, oldest first."""
        plan = self._queue.current_plan
        return self._earlier if plan is not None and plan.id == self._plan_id else ()

    @property
    def number(self) -> int:
        """Version number of the current plan, from 1."""
        return len(self.earlier) + 1

    def before(self) -> EarlierResult | None:
        """Return the version seen last, else that of the newest earlier round."""
        plan, step = self._queue.current_plan, self._queue.current_step
        if plan is None or step is None:
            return None
        seen = self._viewed.result_before(plan, step)
        if seen is not None:
            return EarlierResult(0, seen)
        for number, earlier in reversed(list(enumerate(self.earlier, 1))):
            same = earlier.step_with_target(step)
            if same is not None and same.result is not None:
                return EarlierResult(number, same.result.sha256 or "")
        return None

    def compare(self) -> None:
        """Show the diff against that version, and accept what was revised."""
        found, step = self.before(), self._queue.current_step
        if found is None or self._shown.contents is None or step is None:
            return
        self._project.runner.call(
            self._project.workspace.proposer.content, found.sha256,
            then=partial(self._compare_with, found, step.revision), failed=self._project.report,
        )  # fmt: skip

    def close(self) -> None:
        """Show the step itself again."""
        if self.comparison is not None:
            self.comparison = None
            self._guards.dead_time.begin(OWN_CHANGE_SECONDS)
            self.changed.emit()

    def _follow_plan(self) -> None:
        self.close()
        plan = self._queue.current_plan
        if plan is None or plan.id == self._plan_id:
            self.changed.emit()
            return
        self._plan_id, self._earlier = plan.id, ()
        self.changed.emit()
        self._project.runner.call(
            self._project.workspace.proposer.rounds, plan.id, then=partial(self._set_rounds, plan.id),
            failed=self._ignore_failure,
        )  # fmt: skip

    def _set_rounds(self, plan_id: str, earlier: tuple[Plan, ...]) -> None:
        if plan_id == self._plan_id and earlier != self._earlier:
            self._earlier = earlier
            self.changed.emit()

    def _compare_with(self, found: EarlierResult, revision: str, before: bytes | None) -> None:
        contents = self._shown.contents
        if contents is None or not self._is_current(revision):
            return
        if before is None and found.sha256:
            self._project.report_status(self.tr("The previous version is no longer stored."), Tone.NEWS)
            return
        self._project.runner.compute(
            diff_of, before, contents.result, contents.setting,
            then=partial(self._show_comparison, found.round, revision, before, contents.result),
            failed=self._project.report,
        )  # fmt: skip

    def _show_comparison(
        self, number: int, revision: str, before: bytes | None, after: bytes | None, diff: FileDiff | None
    ) -> None:
        plan, step = self._queue.current_plan, self._queue.current_step
        if plan is not None and step is not None and step.revision == revision:
            self.comparison = Comparison(number, diff, before, after)
            self._viewed.accept(plan, step)
            self.changed.emit()

    def _is_current(self, revision: str) -> bool:
        step = self._queue.current_step
        return step is not None and step.revision == revision

    def _ignore_failure(self, _error: StudioError) -> None:
        """Ignore the error: without that version there is nothing to compare."""
