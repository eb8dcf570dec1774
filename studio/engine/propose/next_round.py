"""Proposal of an agent session's changes, as plan update or new plan.

The call is carried out on the session's view, and the difference of the result to what is below the open plan
becomes the whole plan. So each path is in it once, whatever was done to it in any number of calls.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import pairwise

from msgspec import Struct, field
from msgspec.structs import replace

from studio.engine.draft import PlanDraft
from studio.engine.plan import Operation, Plan, Step, StepState
from studio.engine.project.context import Context
from studio.engine.propose import step_problems
from studio.engine.propose.check_steps import UNIT_FACT, Prepared
from studio.engine.propose.new_plan import (
    OpenedMeanwhile,
    Opening,
    find_open_twin,
    log_refusals,
    numbered,
    prepare,
    propose_alone,
)
from studio.engine.propose.plan_round import PlanRound, is_same_proposal, store_next_round
from studio.engine.propose.session_view import (
    LayerFiles,
    SessionView,
    execution_order,
    session_view,
    unwritten_steps,
)
from studio.engine.session import Session
from studio.errors import Refused

_AGAIN = frozenset({Operation.CREATE, Operation.MODIFY, Operation.APPEND, Operation.MODE, Operation.DELETE})
"""Operations that may replace the session's own earlier step on a path.

They are then checked on the file without that step's change.
"""


def propose_in_session(
    context: Context, draft: PlanDraft, session: Session, *, joins: bool = True, whole: bool = False
) -> Plan:
    """Propose a call as a new version or a new plan.

    A call that changes nothing returns the plan that proposed it, as `duplicate`. One without any valid step
    is a plan of its own, so that the open one need not be reviewed again. A `whole` call is proposed as a
    whole or not at all: then a refused step is raised as Refused. Raises as `Proposer.propose`.
    """
    while True:
        view = session_view(context, session, draft.format if joins else None)
        call = _check_call(context, view, draft)
        if whole and call.refused:
            raise _refusal(call.refused[0].step)
        plan = view.open_plan
        if not call.is_effective:
            holder = None if call.refused or draft.problems else _find_holder(view, call.there)
            if holder is not None:
                return replace(holder, duplicate=True)
            return propose_alone(context, draft, numbered((*call.refused, *call.there)), session.id)
        if plan is None:
            items = numbered((*call.whole, *call.refused, *call.there))
            with suppress(OpenedMeanwhile):
                opening = Opening(view.was_open) if joins else None
                return propose_alone(context, draft, items, session.id, opening=opening, waits=not joins)
            continue
        following = _build_round(view, plan, call)
        if following.is_same:
            return replace(plan, duplicate=True)
        changed = store_next_round(context, following, draft)
        if changed is not None:
            log_refusals(changed)
            return changed


def _refusal(step: Step) -> Refused:
    """Return the error for a refused step of an all-or-nothing call."""
    if not step.problems:  # stale: its base is no longer there
        moved_on = step_problems.moved_on(step.path)
        hint = "Read it again, then change its current content."
        return Refused(moved_on.kind, moved_on.message, hint, path=step.path)
    problem = step.problems[0]
    return Refused(problem.code, problem.message, problem.hint, path=step.path)


def open_twin(context: Context, prepared: Sequence[Prepared]) -> Plan | None:
    """Return the open plan with the same changes of the project's files."""
    return find_open_twin(context, [item.step for item in prepared])


class _Call(Struct):
    """Result of a call: new plan, and steps without effect.

    `is_effective`: something in the session's view changed.
    """

    whole: list[Prepared] = field(default_factory=list[Prepared])
    refused: list[Prepared] = field(default_factory=list[Prepared])
    there: list[Prepared] = field(default_factory=list[Prepared])
    is_effective: bool = False


def _check_call(context: Context, view: SessionView, draft: PlanDraft) -> _Call:
    for step in draft.steps:
        view.make_base(step)
    call, accepted = _Call(), dict[str, Prepared]()
    items = tuple(_check_on_session(context, view, draft))
    for item in sorted(items, key=lambda item: execution_order(item.step)):
        step = item.step
        if step.state is StepState.ALREADY_APPLIED:
            call.there.append(item)
        elif step.state is not StepState.PENDING:
            call.refused.append(item)
        else:
            try:
                view.apply_step(step, item.result)
            except OSError as error:
                problem = step_problems.unreadable(step.path, error)
                invalid = replace(step, state=StepState.INVALID, problems=(problem,))
                call.refused.append(Prepared(invalid))
            else:
                accepted[view.key(step.target)] = item
    call.is_effective = bool(accepted)
    if view.is_disk and are_apart(view, accepted.values()):
        # They were checked against the disk, and no other step affects their results.
        call.whole = [
            _mark_stale(view, accepted[key])
            for item in items
            if (key := view.key(item.step.target)) in accepted
        ]
        return call
    order = {view.key(item.step.target): number for number, item in enumerate(items)}
    rechecked = prepare(context, replace(draft, steps=view.tree.changes()), LayerFiles(view.below))
    for item in sorted(rechecked, key=lambda item: order.get(view.key(item.step.target), len(order))):
        if item.step.state is StepState.INVALID:
            call.refused.append(item)
        else:
            own = accepted.get(view.key(item.step.target))
            call.whole.append(_mark_stale(view, _prefer_own_step(item, own)))
    return call


def are_apart(view: SessionView, items: Iterable[Prepared]) -> bool:
    """Return whether no written path equals, or is beneath, another one."""
    written = sorted(f"{view.key(path)}/" for item in items for path in item.step.written_paths)
    return not any(after.startswith(before) for before, after in pairwise(written))


def _prefer_own_step(item: Prepared, own: Prepared | None) -> Prepared:
    """Return the call's own step where it does the same.

    That one has the facts about how the result was made.
    """
    if own is None:
        return item
    if is_same_proposal(own.step, item.step):
        facts = (fact for fact in own.step.facts if fact != UNIT_FACT)
        unit = () if item.step.unit is None else (UNIT_FACT,)
        return replace(own, step=replace(own.step, unit=item.step.unit, facts=(*unit, *facts)))
    return replace(item, step=replace(item.step, reason=own.step.reason))


def _check_on_session(context: Context, view: SessionView, draft: PlanDraft) -> Iterator[Prepared]:
    """Yield the call's steps, checked on the session's view.

    One that does not fit there, but changes a path of the open plan again, is checked on the file below that
    plan.
    """
    items = prepare(context, draft, LayerFiles(view.tree))
    unfit = [item for item in items if item.step.state in (StepState.INVALID, StepState.STALE)]
    on_disk: dict[tuple[object, ...], Prepared] = {}
    if unfit and view.open_plan is not None:
        below = prepare(context, draft, LayerFiles(view.below))
        on_disk = {_step_key(item.step): item for item in below if item.step.state is StepState.PENDING}
    for item in items:
        other = on_disk.get(_step_key(item.step)) if item in unfit else None
        if other is not None and other.step.op in _AGAIN and view.is_planned(other.step.path):
            yield other
        elif item.step.state is StepState.STALE and view.is_planned(item.step.path):
            problem = step_problems.other_round(item.step.path)
            yield Prepared(replace(item.step, state=StepState.INVALID, problems=(problem,)))
        else:
            yield item


def _step_key(step: Step) -> tuple[object, ...]:
    return step.op, step.path, step.to


def _mark_stale(view: SessionView, item: Prepared) -> Prepared:
    """Mark a step stale where the disk differs from its base.

    The base is then the result of a plan that is not applied yet, or the project's state before it changed.
    """
    step = item.step
    if step.state is not StepState.PENDING or not any(
        view.has_disk_changed(effect) for effect in step.effects
    ):
        return item
    waits_for = view.waiting_for(step)
    fact = (
        step_problems.waits_for(step.path, waits_for)
        if waits_for is not None
        else step_problems.moved_on(step.path)
    )
    return replace(item, step=replace(step, state=StepState.STALE, facts=(fact, *step.facts)))


def _find_holder(view: SessionView, items: Sequence[Prepared]) -> Plan | None:
    """Return the session's plan that already proposes all of this.

    None where the disk itself has some of it.
    """
    plans = [view.find_plan_at(item.step.target) for item in items]
    return plans[0] if plans and all(plan is not None for plan in plans) else None


def _build_round(view: SessionView, plan: Plan, call: _Call) -> PlanRound:
    """Return the plan's next round.

    A step that the session does not see stays, unless its unit writes a path that the call writes, or a
    folder above it.
    """
    steps = unwritten_steps(plan)
    valid = (item.step for item in (*call.whole, *call.refused) if item.step.state is not StepState.INVALID)
    written = {view.key(path) for step in valid for path in step.written_paths}
    written |= {path[:end] for path in written for end, character in enumerate(path) if character == "/"}
    revised = plan.with_units(
        step.number for step in steps if written.intersection(map(view.key, step.written_paths))
    )
    unseen = view.out_of_sight.difference(revised)
    before = {view.key(step.target): step for step in steps if step.number not in unseen}
    stale = view.out_of_sight.intersection(revised)
    replaced = {view.key(step.target) for step in steps if step.number in stale}
    whole = {view.key(item.step.target): item for item in call.whole}
    for key in replaced & whole.keys():
        step = whole[key].step
        fact = step_problems.replaces_stale(step.target)
        whole[key] = replace(whole[key], step=replace(step, facts=(*step.facts, fact)))
    return PlanRound.of(plan, before, whole, call.refused)
