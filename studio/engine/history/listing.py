"""What was applied, newest first, and what is kept so that it can be taken back (R148)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from studio.engine.context import Context
from studio.engine.history.inverse import is_folder_step, measured, needed, stored
from studio.engine.plan import Decision, Plan, PlanState, Step, StepState

_WRITTEN = (StepState.APPLIED, StepState.ROLLED_BACK)


@dataclass(frozen=True, slots=True)
class RollbackEntry:
    """What is kept so that a step can be taken back (R148): hashes name stored bytes; None: no file."""

    file_path: str
    original_hash: str | None
    result_hash: str | None
    timestamp: datetime
    plan_id: str
    step_id: str
    used: bool


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """One applied plan."""

    plan: Plan
    applied_at: datetime
    files: int
    added: int
    removed: int
    rolled_back_by: str | None
    rolls_back: str | None
    kept: bool
    """Whether all bytes needed for taking it back are still stored."""

    @property
    def decision(self) -> Decision | None:
        """The latest decision on what was written: who made it, and how they were seen."""
        made = (step.decision for step in self.plan.steps if step.state in _WRITTEN and step.decision)
        return max(made, key=lambda decision: decision.when, default=None)


def entries(context: Context) -> tuple[HistoryEntry, ...]:
    """Applied plans, newest first."""
    plans = context.store.plans
    rolled_back_by = plans.rolled_back_by()
    order = plans.applied_order()
    applied = [plan for plan in plans.all() if plan.id in order]
    return tuple(
        _entry(context, plan, rolled_back_by.get(plan.id))
        for plan in sorted(applied, key=lambda plan: order[plan.id], reverse=True)
    )


def _entry(context: Context, plan: Plan, rolled_back_by: str | None) -> HistoryEntry:
    written = [_as_decided(context, step) for step in plan.steps if step.state in _WRITTEN]
    is_back = plan.state is PlanState.ROLLED_BACK
    return HistoryEntry(
        plan,
        plan.applied or plan.created,
        sum(1 for step in written if not is_folder_step(step)),
        sum(step.added for step in written),
        sum(step.removed for step in written),
        rolled_back_by if is_back else None,
        plan.rolls_back,
        plan.discarded is None
        and all(context.store.blobs.has(sha256) for step in written for sha256 in needed(step)),
    )


def _as_decided(context: Context, step: Step) -> Step:
    """The step with the counts of what was written, where less or other than the proposal was approved."""
    if step.result is None or step.decided_sha256 in (None, step.result.sha256):
        return step
    base = stored(context, step.base.sha256 if step.base is not None else None)
    return measured(context, step, base, stored(context, step.decided_sha256))


def rollback_entries(plan: Plan) -> tuple[RollbackEntry, ...]:
    """One entry for each step of a plan that was applied; used ones are marked, never removed."""
    return tuple(
        RollbackEntry(
            step.target,
            step.base.sha256 if step.base is not None else None,
            step.decided.sha256 if step.decided is not None else None,
            plan.applied or plan.created,
            plan.id,
            step.id,
            step.state is StepState.ROLLED_BACK,
        )
        for step in plan.steps
        if step.state in _WRITTEN
    )
