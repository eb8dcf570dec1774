"""Deciding at the desk: approve, reject, take back. Nothing here writes a project file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QGuiApplication

from studio.engine.errors import Conflict, StudioError
from studio.engine.names import show_name
from studio.engine.plan import LineComment, Plan, PlanState, Step, StepDecision, StepState
from studio.ui.actions.action import Action
from studio.ui.desk.dead_time import surprise
from studio.ui.desk.draft_book import NOTE, REASON, WHOLE_PLAN, DraftPlace
from studio.ui.desk.happening import Happening, Tone
from studio.ui.desk.made import MadeDecision, decided_words, made_by, taken_back_words
from studio.ui.desk.step_order import steps_after
from studio.ui.desk.taking_back import TakenBack, take_back
from studio.ui.desk.working import WorkingDesk
from studio.ui.look import words
from studio.ui.look.words import say

if TYPE_CHECKING:
    from studio.engine.workspace import Reviewer, Workspace

_PATIENCE_MS = 1000
"""How long a decision may be on its way before the window says that it waits."""

_OF_WHAT_WAS_SEEN = ("step.", "plan.")
"""Conflicts that say that the step or plan is not the one that was seen, and not that the store is busy."""

CHANGES = 1
"""The place of what is begun to be asked for; a reason for rejecting the plan stands at 0."""


class Decisions(QObject):
    """A press carries the revision that was painted, and is dropped during the dead time (look.md 9)."""

    made = Signal(object)
    """A decision was made here that can be taken back."""

    def __init__(self, desk: WorkingDesk, workspace: Workspace, reviewer: Reviewer) -> None:
        super().__init__(desk)
        self._desk = desk
        self._workspace = workspace
        self._reviewer = reviewer
        self._patience = QTimer(self)
        self._patience.setSingleShot(True)
        self._patience.setInterval(_PATIENCE_MS)
        self._patience.timeout.connect(self._say_waiting)
        self._told_waiting = False

    def approve_step(self, note: str = "") -> None:
        """Approve the current step as it is painted, then go to the next undecided one."""
        plan, step = self._desk.current_plan, self._desk.current_step
        if plan is None or step is None or self._desk.can(Action.APPROVE_STEP) or not self._is_painted():
            return
        chosen, edited = dict(self._desk.choices.named), self._desk.edited
        note = note or self._desk.draft(NOTE)
        self._decide(
            plan.id,
            partial(
                self._reviewer.approve, plan.id,
                [StepDecision(step.number, chosen, edited, note, self._desk.comments)],
                seen={step.number: step.revision},
            ),
            about=(step.number,),
            jump=True,
        )  # fmt: skip

    def reject_step(self, reason: str, *, comments: bool = True) -> None:
        """Reject the current step; the reason, and if wanted the comments, go to the agent."""
        plan, step = self._desk.current_plan, self._desk.current_step
        if plan is None or step is None or self._desk.can(Action.REJECT_STEP):
            return
        seen = {step.number: self._desk.shown.painted_revision.partition("/")[0]}
        said = {step.number: self._desk.comments} if comments else None
        self._decide(
            plan.id,
            partial(self._reviewer.reject, plan.id, [step.number], reason=reason, comments=said, seen=seen),
            about=(step.number,),
            forget=(step.number,),
            jump=True,
        )

    def take_back(self) -> None:
        """Take back the decision on the current step, or on every step of the current plan."""
        plan, step = self._desk.current_plan, self._desk.current_step
        if plan is not None and not self._desk.can(Action.TAKE_BACK):
            self._take_back(plan.id, partial(take_back, numbers=None if step is None else [step.number]))

    def take_back_decision(self, made: MadeDecision) -> None:
        """Void that decision where it still stands, and nothing that was decided before or after it."""
        self._take_back(made.plan_id, partial(take_back, made=made))

    def approve_undecided(self, seen: Mapping[int, str] | None = None) -> None:
        """Approve every pending step of the current plan; stale ones stay undecided, those with lines that
        were never shown and that nobody accepted, and those with a text that was begun and is not used.

        `seen` are the revisions that the person was asked about, by step number.
        """
        plan = self._desk.current_plan
        if plan is None or self._desk.can(Action.APPROVE_UNDECIDED):
            return
        pending = self.approvable(plan)
        shown = dict(seen) if seen is not None else {step.number: step.revision for step in pending}
        steps = [step for step in pending if step.number in shown]
        desk = self._desk
        decisions = [
            StepDecision(
                step.number, desk.chosen_of(plan, step), desk.edited_of(plan, step),
                desk.drafts.text(DraftPlace(plan.id, step.number, NOTE)), desk.comments_of(plan, step),
            )
            for step in steps
        ]  # fmt: skip
        numbers = [step.number for step in steps]
        said = say(self.tr("Approved {steps} of “{title}”."), steps=words.steps(len(steps)))
        self._decide(
            plan.id,
            partial(self._reviewer.approve, plan.id, decisions, seen=shown),
            about=tuple(numbers),
            said=_about(said, plan),
        )  # fmt: skip

    def approvable(self, plan: Plan) -> list[Step]:
        """The pending steps of a plan that can be approved without another look."""
        return [step for step in plan.steps if self.is_approvable(plan, step)]

    def is_approvable(self, plan: Plan, step: Step) -> bool:
        """Whether a step of a plan can be approved without another look."""
        is_pending = step.state is StepState.PENDING
        return is_pending and not self._desk.needs_consent(step) and not self._desk.kept.has(plan, step)

    def reject_plan(self, reason: str, *, comments: bool = True) -> None:
        """Reject every undecided step of the current plan."""
        plan = self._desk.current_plan
        if plan is None or self._desk.can(Action.REJECT_PLAN):
            return
        numbers = tuple(step.number for step in plan.undecided)
        self._decide(
            plan.id,
            partial(
                self._reviewer.reject, plan.id, numbers, reason=reason,
                comments=self._all_comments(plan) if comments else None,
                seen={step.number: step.revision for step in plan.undecided},
            ),
            about=numbers,
            forget=(WHOLE_PLAN, *numbers),
            said=_about(self.tr("Rejected “{title}”."), plan),
        )  # fmt: skip

    def request_changes(self, reason: str, *, comments: bool = True) -> None:
        """Send the current plan back to its agent with what should be different."""
        plan = self._desk.current_plan
        if plan is None or self._desk.can(Action.REQUEST_CHANGES):
            return
        said = _about(self.tr("Asked for changes of “{title}”."), plan)
        sent = self._all_comments(plan) if comments else None
        self._decide(
            plan.id,
            partial(
                self._reviewer.request_changes, plan.id, reason=reason, comments=sent, version=plan.version
            ),
            forget=(WHOLE_PLAN, *(step.number for step in plan.steps)),
            said=said,
        )

    def dismiss(self) -> None:
        """Take the current plan, which is closed and was not applied, out of the queue for good."""
        plan = self._desk.current_plan
        if plan is None or self._desk.can(Action.DISMISS):
            return
        said = _about(self.tr("Dismissed “{title}”."), plan)
        self._decide(plan.id, partial(self._reviewer.dismiss, plan.id), forget=(WHOLE_PLAN,), said=said)

    def discard_stale(self) -> None:
        """Reject the current stale step because its file has moved on."""
        plan, step = self._desk.current_plan, self._desk.current_step
        if plan is None or step is None or self._desk.can(Action.DISCARD_STALE):
            return
        discard = partial(self._reviewer.discard_stale, plan.id, [step.number])
        name = show_name(words.split_path(step.target)[1])
        said = say(self.tr("Discarded the step for {file}."), file=name)
        self._decide(plan.id, discard, about=(step.number,), forget=(step.number,), jump=True, said=said)

    def copy_reply(self) -> None:
        """Put what the agent should know on the clipboard: about the current step or plan, and where none
        waits about the plan that was applied last."""
        plan, step = self._desk.current_plan, self._desk.current_step
        if self._desk.can(Action.COPY_REPLY):
            return
        if plan is not None:
            self._ask_reply(plan, None if step is None else [step.number])
        elif self.last_applied is not None:
            self._ask_reply(self.last_applied)

    @property
    def last_applied(self) -> Plan | None:
        """The newest plan of an agent in the history, None where there is none."""
        return next((entry.plan for entry in self._desk.history if entry.rolls_back is None), None)

    def copy_reply_about(self, plan_id: str) -> None:
        """Put what the agent should know about an applied plan on the clipboard."""
        plan = next((entry.plan for entry in self._desk.history if entry.plan.id == plan_id), None)
        if plan is not None:
            self._ask_reply(plan)

    def _ask_reply(self, plan: Plan, numbers: Sequence[int] | None = None) -> None:
        self._desk.runner.call(
            self._workspace.proposer.reply, plan.id, numbers,
            then=partial(self._copy, plan), failed=self._desk.report,
        )  # fmt: skip

    def _copy(self, plan: Plan, reply: str) -> None:
        QGuiApplication.clipboard().setText(reply)
        agent = show_name(plan.agent) or self.tr("the agent")
        self._say(say(self.tr("Copied the reply for {agent}."), agent=agent), Tone.NEWS)

    def _all_comments(self, plan: Plan) -> dict[int, tuple[LineComment, ...]]:
        return {step.number: self._desk.comments_of(plan, step) for step in plan.steps}

    def _is_painted(self) -> bool:
        """Whether the current step stands on screen as it would be decided; says so where it does not."""
        if self._desk.shown.painted_revision == self._desk.shown_key:
            return True
        self._say_changed()
        return False

    def _take_back(self, plan_id: str, take: Callable[..., TakenBack]) -> None:
        self._begin_deciding(plan_id)
        self._desk.runner.call(
            partial(take, self._workspace, self._reviewer, plan_id),
            then=self._taken_back, failed=self._decision_failed,
        )  # fmt: skip

    def _taken_back(self, taken: TakenBack) -> None:
        for place, value in taken.drafts.items():
            if not self._desk.drafts.value(place):
                self._desk.drafts.keep(place, value)
        self._decided((), (), None, taken_back_words(taken.plan.title, taken.steps), taken.plan)
        self._desk.comments_changed.emit()

    def _decide(
        self,
        plan_id: str,
        decision: Callable[[], Plan],
        *,
        about: Sequence[int] = (),
        forget: Sequence[int] = (),
        jump: bool = False,
        said: str = "",
    ) -> None:
        """`about` are the steps that it decides and whose decision can be taken back, `forget` those (0: the
        plan) whose reason goes with it, `said` what is told of it, "" for what is usual of a single step.

        What was worked out for a step is kept: a decision may be void before it is applied.
        """
        self._begin_deciding(plan_id)
        known = next((plan for plan in self._desk.plans if plan.id == plan_id), None)
        self._desk.runner.call(
            lambda: self._desk.counted(known, decision()),
            then=partial(self._decided, about, forget, self._desk.step_number if jump else None, said),
            failed=self._decision_failed,
        )

    def _begin_deciding(self, plan_id: str) -> None:
        self._desk.deciding = True
        self._told_waiting = False
        self._patience.start()
        self._desk.note_decided(plan_id)
        self._desk.allowed_changed.emit()

    def _decided(
        self,
        about: Sequence[int],
        forget: Sequence[int],
        jump_from: int | None,
        said: str,
        plan: Plan,
    ) -> None:
        self._end_deciding()
        self._desk.drafts.drop(plan.id, forget, REASON)
        if plan.state is PlanState.DISMISSED:
            self._desk.note_exit(plan.id)
        decided = plan.step(jump_from) if jump_from is not None else None
        if decided is not None:
            # Whoever decides a step by itself has looked at it. Told with the plan, not before it.
            self._desk.keep_viewed(plan, decided, viewed=True)
        following = self._following(plan, jump_from)
        if following is None:
            self._desk.replace_plan(plan)
        else:
            self._desk.go_on_to(plan, following.number)
        self._tell_decided(plan, about, said)
        self._desk.allowed_changed.emit()
        self._desk.reload()

    def _tell_decided(self, plan: Plan, about: Sequence[int], said: str) -> None:
        """One line for each decision, with Take back where there is a way back."""
        made = made_by(plan, about)
        if made.decisions:
            self.made.emit(made)
        step = plan.step(about[0]) if about else None
        if not said and step is not None:
            said = decided_words(step)
        if said and made.decisions:
            self._desk.happened.emit(Happening(said, decided=made))
        elif said:
            self._say(said, Tone.NEWS)

    def _following(self, plan: Plan, jump_from: int | None) -> Step | None:
        """The step to go on with after that one was decided, stale ones last; None where the person has gone
        elsewhere, or has begun to type while it was being saved."""
        has_left = plan.id != self._desk.plan_id or jump_from != self._desk.step_number
        if jump_from is None or has_left or self._desk.press_guard.expects_text:
            return None
        after = steps_after(plan, jump_from, self._desk.step_order())
        undecided = (
            step for state in (StepState.PENDING, StepState.STALE) for step in after if step.state is state
        )
        return next(undecided, None)

    def _say_changed(self) -> None:
        self._say(
            self.tr("This step changed while you pressed. Nothing was decided. Look again."), Tone.WARNING
        )

    def _say_waiting(self) -> None:
        self._told_waiting = True
        self._say(
            self.tr("Your decision is being saved. Another process may keep the store busy."), Tone.NEWS
        )

    def _end_deciding(self) -> None:
        self._desk.deciding = False
        self._patience.stop()

    def _decision_failed(self, error: StudioError) -> None:
        self._end_deciding()
        self._desk.allowed_changed.emit()
        if isinstance(error, Conflict) and error.code.startswith(_OF_WHAT_WAS_SEEN):
            self._say_changed()
        else:
            self._desk.report(error)
        self._desk.dead_time.begin(surprise())
        self._desk.reload()

    def _say(self, sentence: str, tone: Tone = Tone.DONE) -> None:
        self._desk.happened.emit(Happening(sentence, tone))


def _about(sentence: str, plan: Plan) -> str:
    return say(sentence, title=show_name(plan.title))
