"""Top-level controller of an open project, which combines all review controllers."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from studio.engine import Plan
from studio.extras.grouping import StepGrouping
from studio.ui.actions.action import Action
from studio.ui.limits import WINDOW_POLL_SECONDS
from studio.ui.review.apply import Apply, Recovery
from studio.ui.review.choices import Choices, Outcomes
from studio.ui.review.commands import Calls, CommandMemory, Commands
from studio.ui.review.decision_input import Comments, Consent, PlanRecord, Work
from studio.ui.review.decisions import DecisionCall, Decisions
from studio.ui.review.editor import EditDrafts, Editor
from studio.ui.review.guards import Guards, foreign_change_seconds
from studio.ui.review.observed import ObservedChanges, RootWatch
from studio.ui.review.project import Project
from studio.ui.review.queue import Queue, Trust, Waiters
from studio.ui.review.reading import LineSearch, Outside, Reading
from studio.ui.review.reasons import DeskState, Reasons, reasons_of
from studio.ui.review.rebase import Rebase
from studio.ui.review.restore import Restore, SnapshotList
from studio.ui.review.reviews import Reviews
from studio.ui.review.rollback import Rollback
from studio.ui.review.shown_step import EditedResults, MovedCode, Rounds, ShownStep
from studio.ui.review.state import Choosing, Conflicts, Undecided
from studio.ui.review.submission import CommitMessages, Reply, Submission, TypedCopy
from studio.ui.review.ticked import TickedSteps
from studio.ui.review.undo_last import UndoDiscard, UndoExpiry, UndoLast
from studio.ui.review.viewed import Viewed
from studio.ui.review.walk import StepPrefetch, Walk
from studio.ui.settings import Settings

if TYPE_CHECKING:
    from studio.ui.runner import Runner
    from studio.workspace import Reviewer, Workspace


class ReviewContext(QObject):
    """The user's review groups and precedents, read when a plan becomes current."""

    changed = Signal()

    def __init__(self, project: Project, queue: Queue) -> None:
        super().__init__(project)
        self._project, self._queue = project, queue
        self.value = StepGrouping()
        queue.current_changed.connect(self._read)

    def _read(self) -> None:
        if self._queue.current_plan is not None and self._queue.current_step is None:
            self._project.ask_in_background(self._project.workspace.reader.gathering, then=self._set_grouping)

    def _set_grouping(self, grouping: StepGrouping) -> None:
        self.value = grouping
        self.changed.emit()


class Desk(QObject):
    """Controller of one open project.

    A panel talks to the part it shows; no part knows the desk. `can` returns why an action is disabled; every
    method that decides or writes calls it first. Everything runs on the UI thread; the engine is called
    through the runner.
    """

    def __init__(
        self,
        runner: Runner,
        workspace: Workspace,
        reviewer: Reviewer,
        *,
        notices: tuple[str, ...] = (),
        settings: Settings | None = None,
        clock: Callable[[], float] = time.monotonic,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.settings = settings or Settings(None)
        project = self.project = Project(runner, workspace, reviewer, notices, self)
        guards = self.guards = Guards(self.can, clock, self)
        self._checked_state = DeskState()
        self._reasons, self._is_state_current = reasons_of(self._checked_state), False
        guards.allowed_changed.connect(self._invalidate_state)  # before any view is notified
        self.viewed = Viewed(project)
        queue = self.queue = Queue(project, guards)
        self.viewed.follow(queue)  # before any list shows its marks
        self.walk = Walk(project, queue, guards, self.viewed)
        self._make_step_parts(project, queue, guards)
        self._make_project_parts(project, queue, guards)
        self._poll_timer = QTimer(self, interval=round(WINDOW_POLL_SECONDS * 1000))
        self._poll_timer.timeout.connect(self.poll)

    def _make_step_parts(self, project: Project, queue: Queue, guards: Guards) -> None:
        """Create the parts that show, edit and decide the current step."""
        edited = self.edited = EditedResults(project, queue, guards)
        prefetch = StepPrefetch(project, queue, self.walk)
        shown = self.shown = ShownStep(project, queue, guards, edited=edited, prefetch=prefetch)
        for listener in (self.viewed.note_painted, queue.note_place):
            shown.painted.connect(listener)
        for signal in (shown.changed, queue.store_changed, project.status_reported):
            signal.connect(guards.allowed_changed)
        choices = self.choices = Choices(project, queue, guards, shown, edited)
        edit_drafts = self.edit_drafts = EditDrafts(
            project, queue, guards, shown=shown, edited=edited, choices=choices
        )
        self.comments = Comments(project, queue)
        self.editor = Editor(
            project, queue, guards, shown=shown, edited=edited, choices=choices, edit_drafts=edit_drafts
        )  # fmt: skip
        self.typed_copy = TypedCopy(project, queue, edit_drafts)
        self.moved_code = MovedCode(project, queue, shown)
        self.rounds = Rounds(project, queue, guards, shown, self.viewed)
        self.outcomes = Outcomes(project, queue, shown, choices)
        self.consent = Consent(queue, guards, shown, choices, self.outcomes)
        self.rebase = Rebase(project, queue, guards, edited)
        self.work = Work(shown, edited, choices, edit_drafts, self.comments, self.consent, self.viewed)
        self.decision_call = DecisionCall(
            project, queue, guards, walk=self.walk, viewed=self.viewed, comments=self.comments
        )  # fmt: skip
        self.decisions = Decisions(project, queue, guards, work=self.work, call=self.decision_call)
        self.review_context = ReviewContext(project, queue)
        self.ticked = TickedSteps(
            project, queue, guards, work=self.work, viewed=self.viewed, call=self.decision_call
        )
        self.rounds.changed.connect(guards.allowed_changed)
        self.moved_code.changed.connect(guards.allowed_changed)
        self.outcomes.changed.connect(guards.allowed_changed)

    def _make_project_parts(self, project: Project, queue: Queue, guards: Guards) -> None:
        """Create the parts that import, apply and roll back plans."""
        self.submission = Submission(project, queue, guards)
        self.reply = Reply(project, queue, guards)
        self.commit_messages = CommitMessages(project, queue, guards)
        self.reviews = Reviews(project, queue, guards)
        self.calls = Calls(project, queue, guards)
        self.waiters = Waiters(project, queue)
        self.recovery = Recovery(project, queue, guards)
        self.trust = Trust(project, queue, self.settings)
        self.apply = Apply(project, queue, guards, self.recovery)
        self.rollback = Rollback(project, queue, guards, self.recovery)
        self.snapshots = SnapshotList(project, queue, guards)
        self.restore = Restore(project, queue, guards, self.recovery, self.rollback)
        self.observed = ObservedChanges(project, queue, guards, self.restore)
        self.commands = Commands(project, queue, guards, self.work, CommandMemory(self.settings))
        self.record = PlanRecord(project, queue, self.choices, self.work)
        self.commands.trial_recorded.connect(self.record.read)
        self.reading = Reading(
            project, queue, guards,
            rollback=self.rollback, restore=self.restore, observed=self.observed, submission=self.submission,
        )  # fmt: skip
        self.line_search = LineSearch(project)
        self.external_programs = Outside(project, queue, self.reading)
        self.root_watch = RootWatch(project, queue)
        self.undo = UndoLast(
            project, queue, guards,
            take_back=self.decisions.take_back_decision, undo_write=self.rollback.undo,
        )  # fmt: skip
        self.decision_call.decision_made.connect(self.undo.remember)
        self.undo_expiry = UndoExpiry(project, queue, self.rollback, self.restore)
        self.undo_discard = UndoDiscard(project, queue, guards)
        for part in (
            self.root_watch, self.undo_discard, self.recovery, self.submission, self.calls, self.reviews,
        ):  # fmt: skip
            part.changed.connect(guards.allowed_changed)

    def start(self) -> None:
        """Read the project for the first time and start polling."""
        self.project.unsent.load()
        self.queue.refresh()
        self._poll_timer.start()

    def close(self) -> None:
        """Stop polling; no callback runs afterwards."""
        self._poll_timer.stop()
        self.project.unsent.save()
        self.project.close()

    def select(self, plan_id: str | None, step: int | None = None, *, by_user: bool = True) -> None:
        """Make a step current, or the whole plan if `step` is None."""
        self.queue.select(plan_id, step, by_user=by_user)

    def window_activated(self) -> None:
        """Start the input guard and poll.

        The click that brought the window to the front must not decide anything.
        """
        self.guards.dead_time.begin(foreign_change_seconds())
        self.poll()

    def poll(self) -> None:
        """Poll the store and root folder, and retry saving drafts."""
        self.project.unsent.save()
        self.queue.poll()
        self.root_watch.check_root()

    def stop(self) -> None:
        """Pause the running apply, else stop recording the baseline.

        A paused apply stops before its first file is written.
        """
        if self.apply.control is not None:
            self.apply.stop()
        elif not self.can(Action.STOP):
            self.observed.stop_indexing()

    def can(self, action: Action) -> str:
        """Return why the action is disabled now, "" when it is possible."""
        return self.check_reasons()[action]

    @property
    def reasons(self) -> Reasons:
        """Why actions are disabled as of the last change, for display.

        Code that acts calls `can`, which checks again.
        """
        return self._reasons if self._is_state_current else self.check_reasons()

    def check_reasons(self) -> Reasons:
        """Return why each action is disabled now."""
        state = self.state
        if state != self._checked_state:
            self._checked_state, self._reasons = state, reasons_of(state)
        self._is_state_current = True
        return self._reasons

    def _invalidate_state(self) -> None:
        self._is_state_current = False

    @property
    def state(self) -> DeskState:
        """The current state that decides which actions are possible."""
        guards, queue, shown, rebase = self.guards, self.queue, self.shown, self.rebase
        plan, step, contents, choices = (
            queue.current_plan,
            queue.current_step,
            shown.contents,
            self.choices.current,
        )
        settlement, edited = rebase.settlement, self.edited.current
        return DeskState(
            plan=plan,
            step=step,
            has_folder=bool(self.walk.steps_of_row()),
            is_loaded=queue.is_loaded,
            ticked=self.ticked.state(),
            closed_sentence=queue.closed_plan.sentence if queue.closed_plan is not None else "",
            is_gone=self.root_watch.is_gone,
            busy=guards.busy,
            is_deciding=guards.deciding,
            is_input_guarded=guards.dead_time.seconds_left > 0,
            needs_recovery=self.recovery.need is not None,
            is_stopping=self.apply.control.pause.is_set() if self.apply.control is not None else None,
            is_scanning=self.observed.has_scan_client,
            is_indexing=self.observed.index_progress is not None,
            painted_revision=shown.painted_revision.partition("/")[0],
            has_contents=contents is not None,
            has_diff=shown.diff is not None,
            hunks_differ=shown.hunks_differ,
            needs_consent=self.consent.next_subject,
            is_unit_ready=plan is None or step is None or self.work.is_unit_ready(plan, step),
            pasting=self.submission.status,
            moves_code=bool(self.moved_code.of_current()),
            is_revised=plan is not None and step is not None and self.viewed.is_revised(plan, step),
            is_comparing=self.rounds.comparison is not None,
            has_other_version=self.rounds.before() is not None,
            choice=Choosing.NOTHING
            if choices.is_nothing
            else Choosing.SOME
            if choices.named
            else Choosing.ALL,
            is_edited=edited is not None,
            is_edit_needless=edited is not None and contents is not None and contents.base == edited,
            is_editing=self.editor.part is not None,
            is_edit_outdated=self.editor.is_outdated,
            has_edit_draft=plan is not None and step is not None and self.edit_drafts.has(plan, step),
            can_restore_draft=self.edit_drafts.can_restore_discarded,
            undecided=self._undecided(plan),
            has_staleness=rebase.staleness is not None,
            stale_refused=rebase.refused,
            conflicts=None
            if settlement is None
            else Conflicts(settlement.open, tuple(settlement.begun), rebase.is_settling_outdated),
            has_history=bool(queue.history),
            has_call=self.calls.current is not None,
            is_call_unread=self.calls.is_unread,
            has_reply=self.reply.last_applied is not None,
            has_commit_message=self.commit_messages.last is not None,
            is_comparing_files=self.reviews.is_comparing,
            no_undo=self.undo.why_not(),
            is_reading=self.snapshots.reading is not None or self.restore.reading is not None,
            restores=None if self.restore.preview is None else len(self.restore.preview.steps),
            restore_refused=self.restore.refusal,
            running=self.commands.running,
            observed=self.observed.count,
            is_observing=self.observed.shown_row is not None,
            is_reading_on=self.reading.is_open,
            can_read_back=self.reading.has_back,
            can_read_ahead=self.reading.has_ahead,
            has_file=bool(self.external_programs.path),
            rollback_files=None if self.rollback.preview is None else len(self.rollback.chosen),
        )

    def _undecided(self, plan: Plan | None) -> Undecided:
        if plan is None or any(self.work.is_approvable(plan, step) for step in plan.steps):
            return Undecided.APPROVABLE
        if any(self.edit_drafts.has(plan, step) for step in plan.steps):
            return Undecided.HAS_DRAFTS
        if any(self.viewed.is_revised(plan, step) for step in plan.undecided):
            return Undecided.REVISED
        return Undecided.ASKS
