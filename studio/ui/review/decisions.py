"""Reviewer decisions on steps and plans: approve, reject, request changes, undo."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject, QTimer, Signal

from studio.engine import LineComment, Plan, PlanState, Step, StepDecision, StepState
from studio.errors import Conflict, StudioError
from studio.names import show_name
from studio.ui.actions.action import Action
from studio.ui.look import words
from studio.ui.look.words import say
from studio.ui.review.guards import foreign_change_seconds
from studio.ui.review.state import (
    DECIDED,
    RecentDecision,
    StatusMessage,
    Tone,
    decided_words,
    recent_decision,
    undone_words,
)
from studio.ui.review.unsent import (
    CHOICES,
    COMMENT,
    EDITED,
    NOTE,
    REASON,
    WHOLE_PLAN,
    DraftKey,
    format_choices,
)
from studio.ui.review.viewed import content_key

if TYPE_CHECKING:
    from studio.ui.review.decision_input import Comments, Work
    from studio.ui.review.guards import Guards
    from studio.ui.review.project import Project
    from studio.ui.review.queue import Queue
    from studio.ui.review.viewed import Viewed
    from studio.ui.review.walk import Walk
    from studio.workspace import Reviewer, Workspace


Unsent = Mapping[DraftKey, bytes]


class UndoneDecisions(NamedTuple):
    """The plan after the undo, the decided steps and their restored drafts."""

    plan: Plan
    steps: tuple[Step, ...]
    unsent: Unsent


def take_back(
    workspace: Workspace,
    reviewer: Reviewer,
    plan_id: str,
    *,
    numbers: Sequence[int] | None = None,
    decision: RecentDecision | None = None,
) -> UndoneDecisions:
    """Void the decisions on those steps, or on all.

    Those of `decision` only where they were not decided again since. Raises Refused where no such decision is
    left.
    """
    before = workspace.proposer.plan(plan_id)
    steps = tuple(step for step in before.steps if step.state in DECIDED)
    if decision is not None:
        steps = decision.steps_in_effect(before)
    elif numbers is not None:
        steps = tuple(step for step in steps if step.number in numbers)
    unsent: dict[DraftKey, bytes] = {}
    for step in steps:
        unsent |= _unsent_of(plan_id, step)
        if step.decision is not None and step.decision.edited:
            content = workspace.proposer.contents(plan_id, step.number).decided
            if content is not None:
                key = content_key(step).encode()
                unsent[DraftKey(plan_id, step.number, EDITED)] = key + b"\n" + content
    return UndoneDecisions(reviewer.take_back(plan_id, [step.number for step in steps]), steps, unsent)


def _unsent_of(plan_id: str, step: Step) -> Unsent:
    decision = step.decision
    if decision is None:
        return {}
    kind = NOTE if step.state is StepState.APPROVED else REASON
    unsent = {DraftKey(plan_id, step.number, kind): decision.text.encode("utf-8", "surrogatepass")}
    for comment in decision.comments:
        place = -comment.line if comment.side == "base" else comment.line
        text = comment.text.encode("utf-8", "surrogatepass")
        unsent[DraftKey(plan_id, step.number, COMMENT, place)] = text
    if not decision.edited:
        selection = format_choices(content_key(step), decision.choices)
        unsent[DraftKey(plan_id, step.number, CHOICES)] = selection.encode()
    return unsent


CHANGES, SEVERAL = 1, 2
"""Draft places of a change request and of a reason for rejecting the ticked steps.

The reason for rejecting the plan has place 0.
"""


class Decisions(QObject):
    """Commands that decide on the current plan.

    Each carries the revision that was painted, and the input guard drops those made within half a second of a
    change.
    """

    def __init__(
        self, project: Project, queue: Queue, guards: Guards, *, work: Work, call: DecisionCall
    ) -> None:
        super().__init__(project)
        self._project, self._queue, self._guards = project, queue, guards
        self._work, self._call = work, call

    def approve_step(self) -> None:
        """Approve the current step as painted, then go on.

        The next undecided step becomes current.
        """
        plan, step = self._queue.current_plan, self._queue.current_step
        if plan is None or step is None or self._guards.can(Action.APPROVE_STEP) or not self._is_painted():
            return
        chosen, edited = dict(self._work.choices.current.named), self._work.edited.current
        note = self._project.unsent.text(self._queue.draft_key(NOTE))
        unit_steps = _unit_of(plan, step)
        decision = StepDecision(step.number, chosen, edited, note, self._work.comments.current)
        others = [self._decision(plan, each) for each in unit_steps[1:] if each.state is StepState.PENDING]
        self._call.send(
            plan.id,
            partial(
                self._project.reviewer.approve, plan.id, [decision, *others], seen=_revisions(unit_steps)
            ),
            about=tuple(each.number for each in unit_steps),
            jump=True,
        )  # fmt: skip

    def reject_step(self, reason: str, *, comments: bool = True) -> None:
        """Reject the current step.

        The reason, and with `comments` those too, go to the agent.
        """
        plan, step = self._queue.current_plan, self._queue.current_step
        if plan is None or step is None or self._guards.can(Action.REJECT_STEP):
            return
        numbers = plan.with_units([step.number])
        seen = _revisions(_unit_of(plan, step))
        seen[step.number] = self._work.shown.painted_revision.partition("/")[0]
        sent = {step.number: self._work.comments.current} if comments else None
        self._call.send(
            plan.id,
            partial(
                self._project.reviewer.reject, plan.id, [step.number], reason=reason, comments=sent, seen=seen
            ),
            about=numbers,
            forget=numbers,
            jump=True,
        )

    def take_back(self) -> None:
        """Undo the decision on the current step or whole plan."""
        plan, step = self._queue.current_plan, self._queue.current_step
        if plan is not None and not self._guards.can(Action.REVOKE_DECISION):
            self._call.take_back(plan.id, partial(take_back, numbers=None if step is None else [step.number]))

    def take_back_decision(self, decision: RecentDecision) -> None:
        """Void this decision where it still holds, and no other one."""
        self._call.take_back(decision.plan_id, partial(take_back, decision=decision))

    def approve_undecided(self, seen: Mapping[int, str] | None = None) -> None:
        """Approve every pending step of the current plan.

        Undecided remain stale steps, those with lines never shown nor accepted, and those with an unused
        draft. `seen` holds the revisions the reviewer was asked about, by step number.
        """
        plan = self._queue.current_plan
        if plan is None or self._guards.can(Action.APPROVE_UNDECIDED):
            return
        pending = self._work.approvable(plan)
        shown = dict(seen) if seen is not None else {step.number: step.revision for step in pending}
        steps = [step for step in pending if step.number in shown]
        decisions = [self._decision(plan, step) for step in steps]
        numbers = [step.number for step in steps]
        message = say(self.tr("Approved {steps} in “{title}”."), steps=words.steps(len(steps)))
        self._call.send(
            plan.id,
            partial(self._project.reviewer.approve, plan.id, decisions, seen=shown),
            about=tuple(numbers),
            message=_with_title(message, plan),
        )  # fmt: skip

    def reject_plan(self, reason: str, *, comments: bool = True) -> None:
        """Reject every undecided step of the current plan."""
        plan = self._queue.current_plan
        if plan is None or self._guards.can(Action.REJECT_PLAN):
            return
        numbers = tuple(step.number for step in plan.undecided)
        self._call.send(
            plan.id,
            partial(
                self._project.reviewer.reject, plan.id, numbers, reason=reason,
                comments=self._all_comments(plan) if comments else None,
                seen=_revisions(plan.valid_steps),
            ),
            about=numbers,
            forget=(WHOLE_PLAN, *numbers),
            message=_with_title(self.tr("Rejected “{title}”."), plan),
        )  # fmt: skip

    def request_changes(self, reason: str, *, comments: bool = True) -> None:
        """Send the current plan back to its agent with the requested changes."""
        plan = self._queue.current_plan
        if plan is None or self._guards.can(Action.REQUEST_CHANGES):
            return
        message = _with_title(self.tr("Requested changes to “{title}”."), plan)
        sent = self._all_comments(plan) if comments else None
        self._call.send(
            plan.id,
            partial(
                self._project.reviewer.request_changes,
                plan.id,
                reason=reason,
                comments=sent,
                version=plan.version,
            ),
            forget=(WHOLE_PLAN, *(step.number for step in plan.steps)),
            message=message,
        )

    def dismiss(self) -> None:
        """Remove the current closed, unapplied plan from the queue for good."""
        plan = self._queue.current_plan
        if plan is None or self._guards.can(Action.DISMISS):
            return
        message = _with_title(self.tr("Dismissed “{title}”."), plan)
        self._call.send(
            plan.id, partial(self._project.reviewer.dismiss, plan.id), forget=(WHOLE_PLAN,), message=message
        )

    def discard_stale(self) -> None:
        """Reject the current stale step because its file changed."""
        plan, step = self._queue.current_plan, self._queue.current_step
        if plan is None or step is None or self._guards.can(Action.DISCARD_STALE):
            return
        numbers = plan.with_units([step.number])
        discard = partial(self._project.reviewer.discard_stale, plan.id, [step.number])
        name = show_name(words.split_path(step.target)[1])
        message = say(self.tr("Discarded the step for {file}."), file=name)
        self._call.send(plan.id, discard, about=numbers, forget=numbers, jump=True, message=message)

    def _decision(self, plan: Plan, step: Step) -> StepDecision:
        """Return the approval of a step with all its drafts.

        These are selection, edited result, note and comments.
        """
        work, note = self._work, self._project.unsent.text(DraftKey(plan.id, step.number, NOTE))
        choices, edited = work.choices.of(plan, step), work.edited.of(plan, step)
        return StepDecision(step.number, choices, edited, note, work.comments.of(plan, step))

    def _all_comments(self, plan: Plan) -> dict[int, tuple[LineComment, ...]]:
        return {step.number: self._work.comments.of(plan, step) for step in plan.steps}

    def _is_painted(self) -> bool:
        """Return whether the step is painted as it would be decided.

        Warns where it is not.
        """
        if self._work.shown.painted_revision == self._work.choices.key:
            return True
        self._call.warn_step_changed()
        return False


def _unit_of(plan: Plan, step: Step) -> tuple[Step, ...]:
    """Return the step, then the other steps of its unit."""
    found = (plan.step(number) for number in plan.with_units([step.number]))
    return tuple(each for each in found if each is not None)


def _revisions(steps: Iterable[Step]) -> dict[int, str]:
    return {step.number: step.revision for step in steps}


def _with_title(sentence: str, plan: Plan) -> str:
    return say(sentence, title=show_name(plan.title))


# Saving of a decision in the store.

_SLOW_SAVE_MS = 1000
"""Time after which the window reports that a decision is still being saved."""

_OUTDATED_VIEW_CODES = ("step.", "plan.")
"""Code prefixes of conflicts with the step or plan that was seen, as opposed to a busy store."""


class DecisionCall(QObject):
    """Saving of decisions, one at a time.

    Meanwhile nothing else can be decided.
    """

    decision_made = Signal(object)
    """An undoable decision was made here."""

    def __init__(
        self,
        project: Project,
        queue: Queue,
        guards: Guards,
        *,
        walk: Walk,
        viewed: Viewed,
        comments: Comments,
    ) -> None:
        super().__init__(project)
        self._project, self._queue, self._guards = project, queue, guards
        self._walk, self._viewed, self._comments = walk, viewed, comments
        self._ahead: int | None = None
        """The next step where it is shown before the store has answered."""
        self._slow_save_timer = QTimer(self, singleShot=True, interval=_SLOW_SAVE_MS)
        self._slow_save_timer.timeout.connect(self._report_slow_save)

    def take_back(self, plan_id: str, undo: Callable[..., UndoneDecisions]) -> None:
        """Void decisions of a plan and restore their drafts.

        A newer draft is not overwritten.
        """
        self._start_saving(plan_id)
        self._project.runner.call(
            partial(undo, self._project.workspace, self._project.reviewer, plan_id),
            then=self._restore_drafts, failed=partial(self._report_failure, plan_id, None),
        )  # fmt: skip

    def _restore_drafts(self, undone: UndoneDecisions) -> None:
        for key, value in undone.unsent.items():
            if not self._project.unsent.value(key):
                self._project.unsent.store(key, value)
        self._finish_decision((), (), None, undone_words(undone.plan.title, undone.steps), undone.plan)
        self._comments.changed.emit()

    def send(
        self,
        plan_id: str,
        decision: Callable[[], Plan],
        *,
        about: Sequence[int] = (),
        forget: Sequence[int] = (),
        jump: bool = False,
        message: str = "",
    ) -> None:
        """Save a decision and move on.

        `about` are the decided steps whose decision can be undone, `forget` those (0: the plan) whose reason
        draft it uses up, `message` the status message, "" for the default of a single step. Drafts of a step
        are kept: a decision may become void before it is applied. With `jump` the next step is shown at once,
        and only shown: nothing can be decided before the store has answered.
        """
        self._start_saving(plan_id)
        cached = next((plan for plan in self._queue.plans if plan.id == plan_id), None)
        jump_from = self._queue.step_number if jump else None
        self._project.runner.call_at_once(
            lambda: self._queue.with_counts(cached, decision()),
            then=partial(self._finish_decision, about, forget, jump_from, message),
            failed=partial(self._report_failure, plan_id, jump_from),
        )
        if cached is not None and self._guards.deciding:
            self._show_ahead(cached, jump_from, about)

    def _show_ahead(self, plan: Plan, jump_from: int | None, about: Sequence[int]) -> None:
        following = self._next_step(plan, jump_from, jump_from, about)
        if following is not None:
            self._ahead = following.number
            self._queue.show_step(following.number)

    def _start_saving(self, plan_id: str) -> None:
        self._guards.deciding = True
        self._slow_save_timer.start()
        self._queue.note_decided(plan_id)
        self._guards.allowed_changed.emit()

    def _finish_decision(
        self,
        about: Sequence[int],
        forget: Sequence[int],
        jump_from: int | None,
        message: str,
        plan: Plan,
    ) -> None:
        self._end_saving()
        self._project.unsent.drop(plan.id, forget, REASON)
        if plan.state is PlanState.DISMISSED or (plan.parts and plan.state.is_decided):
            self._queue.note_exit(plan.id)
        decided = plan.step(jump_from) if jump_from is not None else None
        if decided is not None:
            # Deciding a single step implies having viewed it. Reported with the plan, not before it.
            self._viewed.set_viewed(plan, decided, viewed=True)
        here, self._ahead = jump_from if self._ahead is None else self._ahead, None
        next_step = self._next_step(plan, jump_from, here)
        if next_step is None:
            self._queue.replace_plan(plan)
            self._queue.reload()
        else:
            self._queue.show_step_first(plan, next_step.number)
        self._report_decision(plan, about, message)
        self._guards.allowed_changed.emit()

    def _report_decision(self, plan: Plan, about: Sequence[int], message: str) -> None:
        """Emit one status message, with Take back where that is possible."""
        decision = recent_decision(plan, about)
        if decision.decisions:
            self.decision_made.emit(decision)
        step = plan.step(about[0]) if about else None
        if not message and step is not None:
            message = decided_words(step)
        if message and decision.decisions:
            self._project.status_reported.emit(StatusMessage(message, decided=decision))
        elif message:
            self._project.report_status(message, Tone.NEWS)

    def _next_step(
        self, plan: Plan, jump_from: int | None, here: int | None, about: Sequence[int] = ()
    ) -> Step | None:
        """Return the step to go to after a decision, stale ones last.

        None where the reviewer went to another step than `here`, or began to type while it was being saved.
        `about` are steps whose decision the plan does not show yet.
        """
        has_moved = plan.id != self._queue.plan_id or here != self._queue.step_number
        if jump_from is None or has_moved or self._guards.key_guard.expects_text:
            return None
        others = self._walk.steps_to_decide(plan, jump_from)
        return next((step for step in others if step.number not in about), None)

    def warn_step_changed(self, step: Step | None = None) -> None:
        """Warn that a step, or else that on screen, changed meanwhile."""
        sentence = self.tr("This step just changed, so no decision was saved. Review it again.")
        if step is not None:
            name = show_name(words.split_path(step.target)[1])
            sentence = say(self.tr("{file} just changed, so no decision was saved for it."), file=name)
        self._project.report_status(sentence, Tone.WARNING)

    def _report_slow_save(self) -> None:
        self._project.report_status(
            self.tr("Your decision is still being saved. Another process may be using the same data."),
            Tone.NEWS,
        )

    def _end_saving(self) -> None:
        self._guards.deciding = False
        self._slow_save_timer.stop()

    def _report_failure(self, plan_id: str, jump_from: int | None, error: StudioError) -> None:
        """Report the error, and show the step again that is still undecided.

        The window stays where the reviewer moved on, or types by now; then the warning names the step.
        """
        self._end_saving()
        ahead, self._ahead = self._ahead, None
        is_ahead = ahead is not None and self._queue.current_ref == (plan_id, ahead)
        if is_ahead and jump_from is not None and not self._guards.key_guard.expects_text:
            self._queue.show_step(jump_from)
        self._guards.allowed_changed.emit()
        if isinstance(error, Conflict) and error.code.startswith(_OUTDATED_VIEW_CODES):
            is_shown = jump_from is None or self._queue.current_ref == (plan_id, jump_from)
            plan = next((each for each in self._queue.plans if each.id == plan_id), None)
            self.warn_step_changed(None if is_shown or plan is None else plan.step(jump_from or 0))
        else:
            self._project.report(error)
        self._guards.dead_time.begin(foreign_change_seconds())
        self._queue.reload()
