"""The desk of one open project: the only object panels talk to."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

from studio.engine.errors import StudioError
from studio.engine.plan import Plan, PlanState
from studio.ui.actions.action import Action
from studio.ui.desk.apply import Apply
from studio.ui.desk.decisions import Decisions
from studio.ui.desk.happening import Happening, Tone
from studio.ui.desk.outcome import Outcomes
from studio.ui.desk.reasons import Reasons
from studio.ui.desk.rebase import Rebase
from studio.ui.desk.recovery import Recovery
from studio.ui.desk.rollback import Rollback
from studio.ui.desk.root_watch import RootWatch
from studio.ui.desk.rounds import Rounds
from studio.ui.desk.state import Choosing, Conflicts, DeskState, Undecided
from studio.ui.desk.taking_in import propose_file, propose_text
from studio.ui.desk.undo_discard import UndoDiscard
from studio.ui.desk.undo_going import UndoGoing
from studio.ui.desk.undo_last import UndoLast
from studio.ui.desk.working import WorkingDesk
from studio.ui.look.words import say

__all__ = ["Desk", "Happening", "Tone"]


class Desk(WorkingDesk):
    """One per open project: reads, moves and decides (the classes above), applies and rolls back.

    `can` says why an action is off; every method that decides or writes asks it first.
    Everything runs on the ui thread; the engine is asked through the runner.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.rounds = Rounds(self, self.shown, self._workspace)
        self.outcomes = Outcomes(self)
        self.apply = Apply(self, self._reviewer)
        self._reasons, self._is_state_known = Reasons(DeskState()), False
        # Before anybody who shows it is told.
        for signal in (self.allowed_changed, self.shown.changed, self.store_changed, self.happened):
            signal.connect(self._forget_state)
        self.rollback = Rollback(self, self._workspace, self._reviewer)
        self.recovery = Recovery(self, self._workspace, self._reviewer)
        self.root_watch = RootWatch(self, self._workspace)
        self.rebase = Rebase(self, self._workspace, self._reviewer)
        self.decisions = Decisions(self, self._workspace, self._reviewer)
        self.undo = UndoLast(self, self.decisions.take_back_decision, self.rollback.undo)
        self.decisions.made.connect(self.undo.remember)
        self.undo_going = UndoGoing(self, self.rollback)
        self.undo_discard = UndoDiscard(self, self._workspace, self._reviewer)
        for signal in (
            self.rounds.changed, self.root_watch.changed, self.undo_discard.changed, self.recovery.changed,
        ):  # fmt: skip
            signal.connect(self.allowed_changed)

    def can(self, action: Action) -> str:
        """'' when the action is possible now, else the sentence why not."""
        self._look_at_state()
        return self._reasons.of(action)

    @property
    def reasons(self) -> Reasons:
        """Why each action is off since the last change that was told of: for what is shown. Who acts asks
        `can`, which looks again."""
        if not self._is_state_known:
            self._look_at_state()
        return self._reasons

    def _look_at_state(self) -> None:
        state = self.state
        if state != self._reasons.state:
            self._reasons = Reasons(state)
        self._is_state_known = True

    def _forget_state(self) -> None:
        self._is_state_known = False

    @property
    def state(self) -> DeskState:
        """What decides which actions are possible, as it is now."""
        plan, step, contents, choices = (
            self.current_plan,
            self.current_step,
            self.shown.contents,
            self.choices,
        )
        settlement, edited = self.rebase.settlement, self.edited
        return DeskState(
            plan=plan,
            step=step,
            departed=self.departure.sentence if self.departure is not None else "",
            is_gone=self.root_watch.is_gone,
            busy=self.busy,
            is_deciding=self.deciding,
            is_dead=self.dead_time.left > 0,
            needs_recovery=self.recovery.need is not None,
            is_stopping=self.apply.control.pause.is_set() if self.apply.control is not None else None,
            painted_revision=self.shown.painted_revision.partition("/")[0],
            has_contents=contents is not None,
            has_diff=self.shown.diff is not None,
            hunks_differ=self.shown.hunks_differ,
            needs_consent=not self.is_accepted
            or (self.shown.diff is None and step is not None and self.needs_consent(step)),
            is_comparing=self.rounds.comparison is not None,
            has_earlier_round=self.rounds.before() is not None,
            choice=Choosing.NOTHING
            if choices.is_nothing
            else Choosing.SOME
            if choices.named
            else Choosing.ALL,
            is_edited=edited is not None,
            is_edit_needless=edited is not None and contents is not None and contents.base == edited,
            is_editing=self.editing is not None,
            is_edit_outdated=self.is_edit_outdated,
            has_kept_text=plan is not None and step is not None and self.kept.has(plan, step),
            can_put_back_text=self.kept.can_put_back,
            undecided=self._undecided(plan),
            has_stale_look=self.rebase.look is not None,
            stale_refused=self.rebase.refused,
            conflicts=None
            if settlement is None
            else Conflicts(settlement.open, tuple(settlement.begun), self.rebase.is_settling_outdated),
            has_history=bool(self.history),
            has_reply=self.decisions.last_applied is not None,
            no_undo=self.undo.why_not(),
            rollback_files=None if self.rollback.preview is None else len(self.rollback.chosen),
        )

    def _undecided(self, plan: Plan | None) -> Undecided:
        if plan is None or any(self.decisions.is_approvable(plan, step) for step in plan.steps):
            return Undecided.APPROVABLE
        if any(self.kept.has(plan, step) for step in plan.steps):
            return Undecided.BEGUN
        return Undecided.TOO_LONG

    def poll(self) -> None:
        """Look at the store, and whether the project's folder is still there."""
        super().poll()
        self.root_watch.look()

    def paste(self, text: str) -> None:
        """Propose the plan that stands in this text; the gateway checks it as any other."""
        if not text.strip():
            self._say(self.tr("The clipboard holds no text."), Tone.WARNING, self.tr("Copy a diff or plan."))
            return
        title = say(self.tr("Pasted plan, {when}"), when=f"{datetime.now().astimezone():%d %b %H:%M}")
        self.runner.call(
            propose_text, self._workspace, text.encode("utf-8", "surrogatepass"), title, self.tr("you"),
            then=self._proposed, failed=self._report,
        )  # fmt: skip

    def submit_file(self, path: Path) -> None:
        """Propose the plan that stands in a `.diff`, `.patch` or `.json` file."""
        self.runner.call(
            propose_file, self._workspace, path, self.tr("you"), then=self._proposed, failed=self._report
        )

    def write_failed(self, error: StudioError) -> None:
        """Nothing runs any more, and it was not written: say why, and look whether a person is needed."""
        self.set_busy("")
        if error.code == "apply.paused":
            self._say(error.message, Tone.NEWS, error.hint)
        else:
            self._report(error)
        self.recovery.look()
        self.disk_changed()

    def _proposed(self, plan: Plan) -> None:
        self.note_decided(plan.id)  # its own news are no news to the person who pasted it
        if plan.state is PlanState.INVALID:
            problem = next(iter(plan.problems), None)
            self._say(
                problem.message if problem else self.tr("This text is no plan."), Tone.BAD,
                problem.hint if problem else "",
            )  # fmt: skip
        elif plan.duplicate:
            self._say(self._about(self.tr("“{title}” is here already."), plan), Tone.NEWS)
        else:
            self._say(self._about(self.tr("“{title}” is in the queue."), plan), Tone.NEWS)
        self.reload()
