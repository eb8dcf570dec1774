"""What a session's call makes of its open plan: a further round of it, or a new plan (design 7, contract 5).

The call is carried out on what the session sees, and what that comes to, against what lies below the open
plan, is the whole plan anew. So a path stands in it once, whatever was done to it in how many calls.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from studio.engine.draft import PlanDraft
from studio.engine.errors import Refused
from studio.engine.filesystem import PathLimits
from studio.engine.limits import PLAN_PROBLEMS_UP_TO, TITLE_CHARACTERS
from studio.engine.names import show_name
from studio.engine.plan import OPEN_PLAN_STATES, Operation, Plan, Problem, Step, StepState
from studio.engine.policy import check_steps
from studio.engine.problem_lists import shortened
from studio.engine.project.context import Context
from studio.engine.propose import step_problems
from studio.engine.propose.check_steps import Prepared
from studio.engine.propose.new_plan import (
    SUMMARY_CODES,
    OpenedMeanwhile,
    Opening,
    contents_of,
    prepare,
    propose_alone,
    remember,
    submission_of,
    summary_of,
    title_of,
)
from studio.engine.propose.refusal_log import log_refusals
from studio.engine.propose.session_view import LayerFiles, SessionView, coming, is_joinable, when_taken
from studio.engine.session import Session
from studio.engine.store.rounds import store_round

_AGAIN = frozenset({Operation.CREATE, Operation.MODIFY, Operation.APPEND, Operation.MODE, Operation.DELETE})
"""What can be said of a path a second time, of the file as it is without the session's own change."""


def propose_in_session(
    context: Context, draft: PlanDraft, session: Session, *, joins: bool = True, whole: bool = False
) -> Plan:
    """The session's plan after this call: its open one in a new version, or a new one.

    A call that changes nothing returns the plan that proposed it, as `duplicate`. One of which nothing is
    valid is a plan of its own, so that nobody has to look at the open one again. A `whole` call is proposed
    as a whole or not at all: then a step that is refused is raised as Refused. Raises as `Proposer.propose`.
    """
    while True:
        view = session_view(context, session, draft.format if joins else None)
        call = _carry_out(context, view, draft)
        if whole and call.refused:
            raise _refused(call.refused[0].step)
        plan = view.open_plan
        if not call.is_effective:
            there = None if call.refused or draft.problems else _holder(view, call.there)
            if there is not None:
                return replace(there, duplicate=True)
            return propose_alone(context, draft, _numbered((*call.refused, *call.there)), session.id)
        if plan is None:
            items = _numbered((*call.whole, *call.refused, *call.there))
            with suppress(OpenedMeanwhile):
                opening = Opening(view.was_open) if joins else None
                return propose_alone(context, draft, items, session.id, opening=opening, waits=not joins)
            continue
        following = _Round.of(view, plan, call)
        if following.is_same:
            return replace(plan, duplicate=True)
        changed = _store(context, following, draft)
        if changed is not None:
            log_refusals(changed)
            return changed


def _refused(step: Step) -> Refused:
    """The error for a step of a call that is nothing without it."""
    if not step.problems:  # stale: what it was made on is not there any more
        moved_on = step_problems.moved_on(step.path)
        hint = "Read it again, and make the change on what it is now."
        return Refused(moved_on.kind, moved_on.message, hint, path=step.path)
    problem = step.problems[0]
    return Refused(problem.code, problem.message, problem.hint, path=step.path)


def session_view(context: Context, session: Session, joins: str | None) -> SessionView:
    """The project as a session sees it now; `joins` as for the view."""
    limits = context.config().limits
    return SessionView(context, session, PathLimits(limits.depth, limits.segment), joins=joins)


def open_twin(context: Context, prepared: Sequence[Prepared]) -> Plan | None:
    """The open plan that proposed the very same for the project's own files."""
    earlier = context.store.plans.by_submission(submission_of([item.step for item in prepared]))
    return next((plan for plan in earlier if plan.state in OPEN_PLAN_STATES), None)


@dataclass(slots=True)
class _Call:
    """A call carried out: the whole open plan anew, and what of the call is no change of anything.

    `is_effective`: something that the session sees became other than it was.
    """

    whole: list[Prepared] = field(default_factory=list[Prepared])
    refused: list[Prepared] = field(default_factory=list[Prepared])
    there: list[Prepared] = field(default_factory=list[Prepared])
    is_effective: bool = False


def _carry_out(context: Context, view: SessionView, draft: PlanDraft) -> _Call:
    for step in draft.steps:
        view.make_base(step)
    call, taken = _Call(), dict[str, Prepared]()
    items = tuple(_as_seen(context, view, draft))
    for item in sorted(items, key=lambda item: when_taken(item.step)):
        step = item.step
        if step.state is StepState.ALREADY_APPLIED:
            call.there.append(item)
        elif step.state is not StepState.PENDING:
            call.refused.append(item)
        else:
            try:
                view.take(step, item.result)
            except OSError as error:
                problem = step_problems.unreadable(step.path, error)
                invalid = replace(step, state=StepState.INVALID, problems=(problem,))
                call.refused.append(Prepared(invalid))
            else:
                taken[view.key(step.target)] = item
    call.is_effective = bool(taken)
    order = {view.key(item.step.target): number for number, item in enumerate(items)}
    anew = prepare(context, replace(draft, steps=view.tree.changes()), LayerFiles(view.below))
    for item in sorted(anew, key=lambda item: order.get(view.key(item.step.target), len(order))):
        if item.step.state is StepState.INVALID:
            call.refused.append(item)
        else:
            own = taken.get(view.key(item.step.target))
            call.whole.append(_against_disk(view, _in_own_words(item, own)))
    return call


def _in_own_words(item: Prepared, own: Prepared | None) -> Prepared:
    """A step as the call itself said it, where it does the same: with the facts about how it came to be."""
    if own is None:
        return item
    if is_same_proposal(own.step, item.step):
        return own
    return replace(item, step=replace(item.step, reason=own.step.reason))


def _as_seen(context: Context, view: SessionView, draft: PlanDraft) -> Iterator[Prepared]:
    """The call's steps as checked on what the session sees; where one does not fit there, but is a second
    word on a path of the open plan, on the file below that plan."""
    items = prepare(context, draft, LayerFiles(view.tree))
    unfit = [item for item in items if item.step.state in (StepState.INVALID, StepState.STALE)]
    again: dict[tuple[object, ...], Prepared] = {}
    if unfit and view.open_plan is not None:
        below = prepare(context, draft, LayerFiles(view.below))
        again = {_said(item.step): item for item in below if item.step.state is StepState.PENDING}
    for item in items:
        other = again.get(_said(item.step)) if item in unfit else None
        if other is not None and other.step.op in _AGAIN and view.is_planned(other.step.path):
            yield other
        elif item.step.state is StepState.STALE and view.is_planned(item.step.path):
            problem = step_problems.other_round(item.step.path)
            yield Prepared(replace(item.step, state=StepState.INVALID, problems=(problem,)))
        else:
            yield item


def _said(step: Step) -> tuple[object, ...]:
    return step.op, step.path, step.to


def is_same_proposal(one: Step, other: Step) -> bool:
    """Whether two steps take the same file to the same bytes and mode, by whatever operation."""
    return (one.path, one.to, one.base, one.result) == (other.path, other.to, other.base, other.result)


def _against_disk(view: SessionView, item: Prepared) -> Prepared:
    """A step is stale where the disk has something else than what it was made on: the result of a plan that
    is not applied yet, or what the project was before it moved on."""
    step = item.step
    if step.state is not StepState.PENDING or not any(view.has_drifted(effect) for effect in step.effects):
        return item
    waits_for = view.waiting_for(step)
    fact = (
        step_problems.waits_for(step.path, waits_for)
        if waits_for is not None
        else step_problems.moved_on(step.path)
    )
    return replace(item, step=replace(step, state=StepState.STALE, facts=(fact, *step.facts)))


def _holder(view: SessionView, there: Sequence[Prepared]) -> Plan | None:
    """The session's own plan that already proposes all of this, None where the disk has some of it itself."""
    plans = [view.planned_by(item.step.target) for item in there]
    return plans[0] if plans and all(plan is not None for plan in plans) else None


def _numbered(items: Sequence[Prepared]) -> tuple[Prepared, ...]:
    return tuple(
        replace(item, step=replace(item.step, number=number)) for number, item in enumerate(items, start=1)
    )


@dataclass(frozen=True, slots=True)
class _Round:
    """The open plan as it was, and what of it becomes other: steps that are new or replaced, and steps that
    are proposed no longer."""

    plan: Plan
    written: tuple[Prepared, ...]
    dropped: tuple[Step, ...]

    @classmethod
    def of(cls, view: SessionView, plan: Plan, call: _Call) -> _Round:
        """A step keeps its number for ever, whatever becomes of it (contract 3)."""
        before = {
            view.key(step.target): step for step in coming(plan) if step.number not in view.out_of_sight
        }
        written: list[Prepared] = []
        number = len(plan.steps)
        for item in call.whole:
            old = before.pop(view.key(item.step.target), None)
            if old is not None and is_same_proposal(old, item.step):
                continue
            if old is None:
                number += 1
                step = replace(item.step, number=number)
            else:
                step = replace(item.step, number=old.number, id=old.id, reason=item.step.reason or old.reason)
            written.append(replace(item, step=step))
        for item in call.refused:
            number += 1
            written.append(replace(item, step=replace(item.step, number=number)))
        return cls(plan, tuple(written), tuple(_dropped(step) for step in before.values()))

    @property
    def is_same(self) -> bool:
        return not self.written and not self.dropped

    @property
    def steps(self) -> tuple[Step, ...]:
        """All steps of the plan after it."""
        steps = {step.number: step for step in self.plan.steps}
        steps |= {step.number: step for step in (*(item.step for item in self.written), *self.dropped)}
        return tuple(steps[number] for number in sorted(steps))


def _dropped(step: Step) -> Step:
    problem = Problem(
        "step.dropped",
        f"A later round of this plan changes {show_name(step.target)} no more.",
        "Nothing is to be done about it.",
        at="target",
    )
    return replace(step, state=StepState.INVALID, problems=(problem,))


def _store(context: Context, following: _Round, draft: PlanDraft) -> Plan | None:
    """Store the round; None where the plan was decided, ended or changed since it was looked at."""
    store, before, steps = context.store, following.plan, following.steps
    check_steps(context.config_for(before.format, before.agent).limits, len(steps))
    submission = submission_of(steps)
    earlier = [plan for plan in store.plans.by_submission(submission) if plan.id != before.id]
    kept = (problem for problem in before.problems if problem.code not in SUMMARY_CODES)
    title = before.title
    if title == title_of(before.steps):
        title = draft.title[:TITLE_CHARACTERS] or title_of(steps)
    plan = replace(
        before,
        version=before.version + 1,
        title=title,
        steps=steps,
        problems=shortened((*kept, *summary_of(steps, earlier)), PLAN_PROBLEMS_UP_TO),
    )
    while True:
        named = store.blobs.add(contents_of(following.written))
        with store.database.write() as connection:
            if store.plans.version_of(connection, plan.id) != before.version or not is_joinable(
                store.plans.as_it_is(connection, plan.id)
            ):
                return None
            if store.blobs.missing(named):
                continue
            written = [item.step for item in following.written]
            store_round(store.plans, connection, plan, submission, written=written, dropped=following.dropped)
            assert plan.session is not None
            store.sessions.hear(connection, plan.session)
            for item in following.written:
                remember(context, connection, plan.agent, item)
        return store.plans.get(plan.id)
