"""Proposal of a sandboxed command's changes as successive versions of a plan.

They are made while the command runs and once it has ended. Each scan finds all changes so far. It replaces
the session's open plan, as long as no step of that is decided; then what was not proposed yet is the next
plan. A plan of an earlier layer is left alone: this layer does not contain its changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress

from msgspec.structs import replace

from studio.engine.draft import PlanDraft
from studio.engine.plan import Plan, PlanState, Step, StepState
from studio.engine.project.context import Context
from studio.engine.propose.check_steps import Prepared
from studio.engine.propose.comparison import REMARK_CODES
from studio.engine.propose.layer_draft import LayerChanges, OverlaidResult, build_layer_draft
from studio.engine.propose.new_plan import (
    OpenedMeanwhile,
    Opening,
    log_refusals,
    numbered,
    prepare,
    propose_alone,
    shorten_message,
)
from studio.engine.propose.plan_round import PlanRound, store_next_round
from studio.engine.propose.session_view import is_joinable, unwritten_steps
from studio.engine.session import Session
from studio.engine.store.plans import store_message


def propose_layer(context: Context, found: LayerChanges, session: Session) -> Plan | None:
    """Propose a layer's changes in the session's plan; None without any.

    A scan that finds nothing new returns the newest plan, as `duplicate`. The command's output so far is
    stored with all plans of the session. Raises as `build_layer_draft`.
    """
    draft = build_layer_draft(context, found, session.agent)
    _update_message(
        context, _filter_layer_plans(context.store.plans.find_by_session(session.id, PlanState), found), draft
    )
    overlaid = {(result, ()) for result in found.overlaid_results}
    items = [item for item in prepare(context, draft) if _step_outcome(item.step) not in overlaid]
    while True:
        stored = context.store.sessions.get(session.id)
        opened = None if stored is None else stored.open_plan
        plans = context.store.plans.find_by_session(session.id, PlanState)
        ours = _filter_layer_plans(plans, found)
        joined = next((plan for plan in ours if plan.id == opened and is_joinable(plan)), None)
        proposed = {
            _step_outcome(step) for plan in ours if plan is not joined for step in _settled_steps(plan)
        }
        proposed |= {
            _step_outcome(step) for plan in plans if plan not in ours for step in _waiting_steps(plan)
        }
        new = [item for item in items if _step_outcome(item.step) not in proposed]
        if joined is None:
            if not new:
                return replace(plans[-1], duplicate=True) if plans else None
            with suppress(OpenedMeanwhile):
                return propose_alone(context, draft, numbered(new), session.id, opening=Opening(opened))
            continue
        following = _build_round(joined, new)
        if following.is_same and not _has_other_exclusions(context, joined, draft):
            return replace(joined, duplicate=True)
        changed = store_next_round(context, following, draft, remarks=draft.remarks)
        if changed is not None:
            log_refusals(changed)
            return changed


def _update_message(context: Context, plans: Sequence[Plan], draft: PlanDraft) -> None:
    """Update the command's output in these plans.

    No one decides on it, so the plan's version stays.
    """
    message = shorten_message(draft)
    outdated = [plan for plan in plans if plan.message != message]
    if outdated:
        with context.store.database.write() as connection:
            for plan in outdated:
                store_message(connection, plan.id, message)


def _filter_layer_plans(plans: Sequence[Plan], found: LayerChanges) -> list[Plan]:
    """Return the plans made from this layer, and older ones in it."""
    since = found.since_ns / 1e9
    return [plan for plan in plans if plan.created.timestamp() >= since or plan.id in found.plans]


def _settled_steps(plan: Plan) -> Iterable[Step]:
    """Yield the steps of a plan that need not be proposed again."""
    yield from _waiting_steps(plan)
    for step in plan.steps:
        if step.decision is not None or step.state is StepState.INVALID:
            yield step


def _waiting_steps(plan: Plan) -> Iterable[Step]:
    """Yield a plan's steps that wait for a decision or an apply."""
    if plan.state.is_active:
        yield from (step for step in plan.steps if step.state.is_open)


def _step_outcome(step: Step) -> tuple[OverlaidResult, tuple[str, ...]]:
    """Return what a step leaves at a path, or why it can't.

    The base does not matter.
    """
    result, problems = step.result, tuple(problem.code for problem in step.problems)
    sha256, mode = (None, None) if result is None else (result.sha256, result.git_mode)
    return OverlaidResult(step.target, sha256, mode), problems if step.state is StepState.INVALID else ()


def _has_other_exclusions(context: Context, plan: Plan, draft: PlanDraft) -> bool:
    """Return whether other paths are excluded than in the last scan.

    That is worth a new round as well.
    """
    remarks = tuple(problem for problem in plan.problems if problem.code in REMARK_CODES)
    return remarks != draft.remarks or context.store.left_out.of(plan.id) != draft.left_out


def _build_round(plan: Plan, items: Sequence[Prepared]) -> PlanRound:
    reported = {_step_outcome(step) for step in plan.steps if step.state is StepState.INVALID}
    refused = [item for item in items if item.step.state is StepState.INVALID]
    return PlanRound.of(
        plan,
        {step.target: step for step in unwritten_steps(plan)},
        {item.step.target: item for item in items if item.step.state is not StepState.INVALID},
        [item for item in refused if _step_outcome(item.step) not in reported],
    )
