"""How long the undo of applied plans is kept, what it takes, and what goes next (R151, R152, design 7).

A plan's undo goes when the plan is older than the days and not among the newest plans, or, oldest first,
when all undo together is over the bytes. The plan stays in the history; only its bytes go.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import accumulate

from studio.engine.config import Retention
from studio.engine.context import Context
from studio.engine.plan import OPEN_PLAN_STATES, Plan, PlanState
from studio.engine.store.rows import now

_LIVE_STATES = OPEN_PLAN_STATES | {PlanState.DRAFT, PlanState.EXECUTING, PlanState.PAUSED}


@dataclass(frozen=True, slots=True)
class KeptUndo:
    """The undo of one applied plan: the bytes on disk that only it or other undo needs, packed.

    `applied` is never before that of a plan applied earlier, whatever the clock said.
    """

    plan_id: str
    title: str
    applied: datetime
    size: int
    is_rollback: bool


@dataclass(frozen=True, slots=True)
class RetentionReport:
    """What undo is kept, newest first, what it takes in bytes, and which plans' undo goes at the next apply.

    `discarded` counts the plans whose undo is gone already.
    """

    limits: Retention
    kept: tuple[KeptUndo, ...]
    due: tuple[KeptUndo, ...]
    discarded: int

    @property
    def size(self) -> int:
        return sum(undo.size for undo in self.kept)


def report(context: Context) -> RetentionReport:
    """What is kept and what goes next. Nothing is changed."""
    return _report(context, context.store.plans.all())


def discard_due(context: Context) -> tuple[str, ...]:
    """Free the bytes of every plan whose undo is due; their ids. For the holder of the writer lock.

    Contents that an open plan, kept undo or an unfinished apply names stay.
    """
    store = context.store
    if not _may_be_due(context):
        return ()
    plans = store.plans.all(is_whole=True)  # contents that a damaged plan names are not known
    due = {undo.plan_id for undo in _report(context, plans).due}
    stale = {plan.id for plan in plans if _is_over(plan, context.config().retention)}
    if not due | stale:
        return ()
    unfinished = {plan.id for plan in store.plans.unfinished()}
    named = set[str]().union(
        *(plan.contents for plan in plans if _is_named(plan, due | stale) or plan.id in unfinished)
    )
    going = set[str]().union(*(plan.contents for plan in plans if plan.id in due | stale)) - named
    store.blobs.discard(going)
    with store.database.write() as connection:
        store.plans.mark_discarded(connection, due | stale)
    return tuple(sorted(due))


def _may_be_due(context: Context) -> bool:
    """Quick, and never wrongly no: nothing kept is old enough, and all contents together fit."""
    limits = context.config().retention
    oldest = context.store.plans.oldest_kept()
    is_old = oldest is not None and oldest < now() - timedelta(days=limits.days)
    return is_old or context.store.blobs.size() > limits.bytes


def _is_named(plan: Plan, going: set[str]) -> bool:
    return plan.id not in going and plan.discarded is None


def _is_over(plan: Plan, limits: Retention) -> bool:
    """Closed without having been applied, and long enough ago that nobody takes that back."""
    if plan.applied is not None or plan.discarded is not None or plan.state in _LIVE_STATES:
        return False
    return plan.created < now() - timedelta(days=limits.days)


def _report(context: Context, plans: Sequence[Plan]) -> RetentionReport:
    limits = context.config().retention
    order = context.store.plans.applied_order()
    applied = sorted(
        (plan for plan in plans if plan.id in order), key=lambda plan: order[plan.id], reverse=True
    )
    keeping = [plan for plan in applied if plan.discarded is None]
    sizes = _sizes(context, keeping)
    # The clock may have been set back: no plan is taken for older than one that was applied before it.
    times = list(accumulate((plan.applied or plan.created for plan in reversed(keeping)), max))
    kept = [
        KeptUndo(plan.id, plan.title, applied_at, sizes[plan.id], plan.rolls_back is not None)
        for plan, applied_at in zip(keeping, reversed(times), strict=True)
    ]
    return RetentionReport(limits, tuple(kept), tuple(_due(kept, limits)), len(applied) - len(keeping))


def _due(kept: Sequence[KeptUndo], limits: Retention) -> list[KeptUndo]:
    counted = [undo for undo in kept if not undo.is_rollback]
    newest = counted[: limits.plans]
    older = kept[kept.index(newest[-1]) + 1 :] if newest else kept
    since = now() - timedelta(days=limits.days)
    due = [undo for undo in older if undo.applied < since]
    total = sum(undo.size for undo in kept) - sum(undo.size for undo in due)
    for undo in reversed(kept):
        if total <= limits.bytes:
            break
        if undo not in due:
            due.append(undo)
            total -= undo.size
    return due


def _sizes(context: Context, plans: Sequence[Plan]) -> dict[str, int]:
    """Packed bytes by plan; what several name counts for the newest of them."""
    sizes = context.store.blobs.packed_sizes()
    seen: set[str] = set()
    result: dict[str, int] = {}
    for plan in plans:
        own = plan.contents - seen
        seen |= own
        result[plan.id] = sum(sizes.get(sha256, 0) for sha256 in own)
    return result
