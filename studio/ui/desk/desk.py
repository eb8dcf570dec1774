"""The desk of one open project: the only object panels talk to."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from studio.engine.errors import StudioError
from studio.engine.names import show_name
from studio.engine.plan import Plan, PlanState, StepState
from studio.ui.actions.action import Action
from studio.ui.desk.deciding import DecidingDesk
from studio.ui.desk.happening import Happening, Tone
from studio.ui.desk.outcome import Outcomes
from studio.ui.desk.reasons import Reasons
from studio.ui.desk.recovery import Recovery
from studio.ui.desk.rollback_ways import RollbackWays
from studio.ui.desk.root_watch import RootWatch
from studio.ui.desk.rounds import Rounds
from studio.ui.desk.state import Choosing, Conflicts, DeskState, Undecided
from studio.ui.desk.taking_in import propose_file, propose_text
from studio.ui.desk.undo_discard import UndoDiscard
from studio.ui.desk.undo_going import UndoGoing
from studio.ui.desk.undo_last import UndoLast
from studio.ui.look import words
from studio.ui.look.words import say

if TYPE_CHECKING:
    from studio.engine.history import RollbackPreview, Turn, WayOut
    from studio.engine.reviewer import ApplyControl

__all__ = ["Desk", "Happening", "Tone"]

_PROGRESS_PAUSE = 0.05
"""Seconds between two reports of an apply's progress."""


class Desk(DecidingDesk):
    """One per open project: reads, moves and decides (the classes above), applies and rolls back.

    `can` says why an action is off; every method that decides or writes asks it first.
    Everything runs on the ui thread; the engine is asked through the runner.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.rounds = Rounds(self, self._workspace)
        self.outcomes = Outcomes(self)
        self.applying: ApplyControl | None = None
        """How the apply that runs now is stopped."""
        self._told_progress = 0.0
        self._reasons = Reasons(DeskState())
        self.ways = RollbackWays(self, self._workspace)
        self.recovery = Recovery(self, self._workspace, self._reviewer)
        self.root_watch = RootWatch(self, self._workspace)
        self.undo = UndoLast(self, self.take_back_decision, self.undo_write)
        self.undo_going = UndoGoing(self)
        self.undo_discard = UndoDiscard(self, self._workspace, self._reviewer)
        for signal in (self.rounds.changed, self.root_watch.changed, self.undo_discard.changed):
            signal.connect(self.allowed_changed)

    def can(self, action: Action) -> str:
        """'' when the action is possible now, else the sentence why not."""
        return self.reasons.of(action)

    @property
    def reasons(self) -> Reasons:
        """Why each action is off as things are now: for who asks about many at once."""
        state = self.state
        if state != self._reasons.state:
            self._reasons = Reasons(state)
        return self._reasons

    @property
    def state(self) -> DeskState:
        """What decides which actions are possible, as it is now."""
        plan, step, contents, choices = self.current_plan, self.current_step, self.contents, self.choices
        settlement, edited = self.settlement, self.edited
        return DeskState(
            plan=plan,
            step=step,
            departed=self.departure.sentence if self.departure is not None else "",
            is_gone=self.root_watch.is_gone,
            busy=self.busy,
            is_deciding=self.deciding,
            is_dead=self.dead_time.left > 0,
            needs_recovery=self.recovery.need is not None,
            is_stopping=self.applying.pause.is_set() if self.applying is not None else None,
            painted_revision=self.painted_revision.partition("/")[0],
            has_contents=contents is not None,
            has_diff=self.diff is not None,
            hunks_differ=self.hunks_differ,
            needs_consent=not self.is_accepted
            or (self.diff is None and step is not None and self.needs_consent(step)),
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
            has_stale_look=self.stale_look is not None,
            stale_refused=self.stale_refused,
            conflicts=None
            if settlement is None
            else Conflicts(settlement.open, tuple(settlement.begun), self.is_settling_outdated),
            has_history=bool(self.history),
            has_reply=self.last_applied is not None,
            no_undo=self.undo.why_not(),
            rollback_files=None if self.rollback is None else len(self.rollback_steps),
        )

    def _undecided(self, plan: Plan | None) -> Undecided:
        if plan is None or any(self.is_approvable(plan, step) for step in plan.steps):
            return Undecided.APPROVABLE
        if any(self.kept.has(plan, step) for step in plan.steps):
            return Undecided.BEGUN
        return Undecided.TOO_LONG

    def poll(self) -> None:
        """Look at the store, and whether the project's folder is still there."""
        super().poll()
        self.root_watch.look()

    def apply(self) -> None:
        """Write every approved step of the current plan, or nothing."""
        plan = self.current_plan
        if plan is None or self.can(Action.APPLY):
            return
        from studio.engine.reviewer import ApplyControl

        total = len(plan.approved)
        control = self.applying = ApplyControl()
        self._set_busy(say(self.tr("Applying {files}…"), files=words.files(total)))
        self.runner.call(
            partial(self._reviewer.apply, plan.id, progress=self._progress_from_engine, control=control),
            then=partial(self._applied, total),
            failed=self._write_failed,
        )

    def stop(self) -> None:
        """Stop the running apply while nothing is in place yet; the plan stays approved and can go on."""
        if self.applying is not None and not self.can(Action.STOP):
            self.applying.pause.set()
            self._set_busy(self.tr("Stopping…"))

    def preview_rollback(self, plan_id: str, steps: Sequence[int] | None = None) -> None:
        """Show what taking back a plan, or some of its steps, would do; writes nothing."""
        if self.can(Action.PREVIEW_ROLLBACK):
            return
        self.runner.call(
            self._workspace.proposer.preview_rollback,
            plan_id,
            steps,
            then=partial(self._preview_came, steps),
            failed=self._report,
        )

    def choose_rollback(self, step: int, chosen: bool) -> None:
        """Take a file into the previewed rollback or leave it as it is; drifted ones always stay."""
        if self.rollback is None:
            return
        possible = self.rollback.going | set(self.ways.chosen)
        steps = self.rollback_steps | {step} if chosen else self.rollback_steps - {step}
        self.rollback_steps = frozenset(steps & possible)
        self.rollback_changed.emit()

    def roll_back(self) -> None:
        """Carry out the previewed rollback for the chosen files."""
        if self.rollback is None or self.can(Action.ROLL_BACK):
            return
        preview, ways = self.rollback, self.ways
        files = (file for file in preview.files if file.step in self.rollback_steps)
        shown = {file.step: (ways.preview(file.step) or file).fingerprint for file in files}
        self._roll_back(preview, shown, ways.chosen)

    def cancel_rollback(self) -> None:
        """Close the preview; nothing was written."""
        self._set_rollback(None)

    def undo_write(self, plan_id: str, at_once: bool) -> None:
        """Show what taking back an applied plan would do; with `at_once` do it, if nothing drifted."""
        if self.can(Action.UNDO_LAST):
            return
        self.runner.call(
            self._workspace.proposer.preview_rollback, plan_id, None,
            then=self._undo_or_show if at_once else partial(self._preview_came, None), failed=self._report,
        )  # fmt: skip

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

    def _preview_came(self, steps: Sequence[int] | None, preview: RollbackPreview) -> None:
        self._rollback_of = None if steps is None else tuple(steps)
        self._set_rollback(preview)

    def _progress_from_engine(self, done: int, total: int) -> None:
        """On the engine thread; nobody reads more than a few numbers in a second."""
        now = time.monotonic()
        if done == total or now - self._told_progress > _PROGRESS_PAUSE:
            self._told_progress = now
            self.runner.post(self._progress, done, total)

    def _progress(self, done: int, total: int) -> None:
        if self.busy and self.applying is not None and not self.applying.pause.is_set():
            sentence = self.tr("Applying {done} of {total}…")
            self.busy_share = done / total if total else 0.0
            self._set_busy(say(sentence, done=done, total=total))

    def _applied(self, total: int, plan: Plan) -> None:
        self.applying, self.busy_share = None, 0.0
        self._set_busy("")
        written = sum(step.state is StepState.APPLIED for step in plan.steps) or total
        if plan.state is PlanState.FAILED:
            self._say(
                self._about(self.tr("“{title}” was not applied."), plan), Tone.BAD,
                " ".join(problem.message for problem in plan.problems),
            )  # fmt: skip
        else:
            sentence = say(self.tr("Applied {files} of “{title}”."), files=words.files(written))
            self._written = self._own_exit = plan.id
            self._say(self._about(sentence, plan), undo=plan.id)
        self.disk_changed()

    def _write_failed(self, error: StudioError) -> None:
        self.applying, self.busy_share = None, 0.0
        self._set_busy("")
        if error.code == "apply.paused":
            self._say(error.message, Tone.NEWS, error.hint)
        else:
            self._report(error)
        self.recovery.look()
        self.disk_changed()

    def _undo_or_show(self, preview: RollbackPreview) -> None:
        refusal = preview.refusal
        if refusal is None:
            self._roll_back(preview, {step: preview.shown[step] for step in preview.going}, {})
            return
        self._preview_came(None, preview)
        if refusal.code == "rollback.drifted":
            self._say(
                self.tr("Some files changed since. Choose what goes back."), Tone.WARNING,
                self.tr("Nothing was written."),
            )  # fmt: skip
        else:
            self._say(refusal.message, Tone.WARNING, refusal.hint)

    def _roll_back(
        self, preview: RollbackPreview, shown: Mapping[int, str], ways: Mapping[int, WayOut]
    ) -> None:
        """Take back the steps that were `shown`, as they were shown."""
        count, turn = len(shown), preview.turn
        doing = self.tr("Redoing {files}…") if turn.is_redo else self.tr("Rolling back {files}…")
        self._set_busy(say(doing, files=words.files(count)))
        self.runner.call(
            partial(self._reviewer.rollback, preview.plan.id, sorted(shown), ways=ways, shown=shown),
            then=partial(self._rolled_back, turn, count), failed=self._write_failed,
        )  # fmt: skip

    def _rolled_back(self, turn: Turn, count: int, inverse: Plan) -> None:
        self._set_busy("")
        self._set_rollback(None)
        done = self.tr("Redid {files} of “{title}”.")
        said = done if turn.is_redo else self.tr("Rolled back {files} of “{title}”.")
        said = say(said, files=words.files(count), title=show_name(turn.title))
        self._written = inverse.id
        self._say(said, undo=inverse.id)
        self.disk_changed()

    def _proposed(self, plan: Plan) -> None:
        self._decided_here.add(plan.id)  # its own news are no news to the person who pasted it
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
