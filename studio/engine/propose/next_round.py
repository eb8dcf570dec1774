"""What a session's call makes of its open plan: a further round of it, or a new plan (design 7, contract 5).

The call is carried out on what the session sees, and what that comes to, against what lies below the open
plan, is the whole plan anew. So a path stands in it once, whatever was done to it in how many calls.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import pairwise

from studio.engine.draft import PlanDraft
from studio.engine.errors import Refused
from studio.engine.filesystem import PathLimits
from studio.engine.plan import OPEN_PLAN_STATES, Operation, Plan, Step, StepState
from studio.engine.project.context import Context
from studio.engine.propose import step_problems
from studio.engine.propose.check_steps import Prepared
from studio.engine.propose.mutual_problems import UNIT_FACT
from studio.engine.propose.new_plan import (
    OpenedMeanwhile,
    Opening,
    numbered,
    prepare,
    propose_alone,
    submission_of,
)
from studio.engine.propose.plan_round import PlanRound, is_same_proposal, store_following
from studio.engine.propose.refusal_log import log_refusals
from studio.engine.propose.session_view import LayerFiles, SessionView, coming, when_taken
from studio.engine.session import Session

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
            return propose_alone(context, draft, numbered((*call.refused, *call.there)), session.id)
        if plan is None:
            items = numbered((*call.whole, *call.refused, *call.there))
            with suppress(OpenedMeanwhile):
                opening = Opening(view.was_open) if joins else None
                return propose_alone(context, draft, items, session.id, opening=opening, waits=not joins)
            continue
        following = _following(view, plan, call)
        if following.is_same:
            return replace(plan, duplicate=True)
        changed = store_following(context, following, draft)
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
    if view.is_disk and are_apart(view, taken.values()):
        # They were checked against the disk, and no other step changes what they come to.
        call.whole = [
            _against_disk(view, taken[key]) for item in items if (key := view.key(item.step.target)) in taken
        ]
        return call
    order = {view.key(item.step.target): number for number, item in enumerate(items)}
    anew = prepare(context, replace(draft, steps=view.tree.changes()), LayerFiles(view.below))
    for item in sorted(anew, key=lambda item: order.get(view.key(item.step.target), len(order))):
        if item.step.state is StepState.INVALID:
            call.refused.append(item)
        else:
            own = taken.get(view.key(item.step.target))
            call.whole.append(_against_disk(view, _in_own_words(item, own)))
    return call


def are_apart(view: SessionView, items: Iterable[Prepared]) -> bool:
    """Whether no path that they write is another's, or lies beneath it."""
    written = sorted(f"{view.key(path)}/" for item in items for path in item.step.written_paths)
    return not any(after.startswith(before) for before, after in pairwise(written))


def _in_own_words(item: Prepared, own: Prepared | None) -> Prepared:
    """A step as the call itself said it, where it does the same: with the facts about how it came to be."""
    if own is None:
        return item
    if is_same_proposal(own.step, item.step):
        facts = (fact for fact in own.step.facts if fact != UNIT_FACT)
        unit = () if item.step.unit is None else (UNIT_FACT,)
        return replace(own, step=replace(own.step, unit=item.step.unit, facts=(*unit, *facts)))
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


def _following(view: SessionView, plan: Plan, call: _Call) -> PlanRound:
    before = {view.key(step.target): step for step in coming(plan) if step.number not in view.out_of_sight}
    return PlanRound.of(plan, before, {view.key(item.step.target): item for item in call.whole}, call.refused)
