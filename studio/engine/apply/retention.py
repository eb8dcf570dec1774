"""Retention of undo data: size and age per part, expiry, and discarding.

A plan applied at once is one part. The undo of a part is discarded when it is older than `days` and not among
the newest `plans`, or, oldest first, when all undo together exceeds `bytes`. The plan stays in the history;
only the part's bytes are freed.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence, Set
from datetime import datetime, timedelta
from itertools import accumulate

from studio.engine.config import Retention
from studio.engine.plan import OPEN_PLAN_STATES, Part, Plan, PlanState, StepState, part_key
from studio.engine.project.context import Context, Person
from studio.engine.project.rollback_titles import with_plain_title
from studio.engine.store.rows import now
from studio.errors import Refused
from studio.journal.entries import UndoDiscarded, new_correlation_id
from studio.values import Value

_LIVE_STATES = OPEN_PLAN_STATES | {PlanState.DRAFT, PlanState.EXECUTING, PlanState.PAUSED}


class RetainedUndo(Value):
    """Size and age of the undo of one part of a plan.

    `part` counts from 1; `is_one_of_several` is False for a plan applied at once. `size` is the packed bytes
    on disk that only this or other undo needs. `applied` is never before that of a part applied earlier, even
    if the clock was set back.
    """

    plan_id: str
    title: str
    applied: datetime
    size: int
    is_rollback: bool
    part: int = 1
    is_one_of_several: bool = False

    @property
    def key(self) -> str:
        return part_key(self.plan_id, self.part)


class RetentionReport(Value):
    """Kept undo, newest first, and undo that the next apply discards.

    `discarded` counts the parts whose undo is gone already; `keeps_next` is whether the undo of the next
    apply itself will be kept.
    """

    limits: Retention
    retained: tuple[RetainedUndo, ...]
    due: tuple[RetainedUndo, ...]
    discarded: int
    keeps_next: bool = True

    @property
    def size(self) -> int:
        return sum(undo.size for undo in self.retained)


class UndoLoss(Value):
    """What discarding a plan's undo would lose.

    `paths` can't be rolled back any more, in the order of the steps; `contents` is how many contents are
    freed, `freed` their packed bytes.
    """

    plan: Plan
    paths: tuple[str, ...]
    contents: int
    freed: int


def report(
    context: Context, next_plan: str | None = None, *, next_is_rollback: bool = False
) -> RetentionReport:
    """Report the kept undo and what the next apply discards of it.

    Changes nothing. `next_plan` is the id of the plan applied next; one that does not exist yet, or a
    rollback, is assumed to add no bytes. Raises NotFound.
    """
    plans = context.store.plans.all()
    limits = context.config().retention
    retained, discarded = _list_retained(context, plans)
    if next_plan is None:
        upcoming = [RetainedUndo("", "", now(), 0, next_is_rollback), *retained]
    else:
        upcoming, _ = _list_retained(context, plans, context.store.plans.get(next_plan))
    due = _select_due(upcoming, limits)
    discarded_next = tuple(undo for undo in due if undo != upcoming[0])
    return RetentionReport(
        limits, tuple(retained), discarded_next, discarded, keeps_next=len(discarded_next) == len(due)
    )


def undo_expiry(
    context: Context, next_plan: str | None = None, *, next_is_rollback: bool = False
) -> RetentionReport | None:
    """Return the report if the next apply discards undo; else None, quickly.

    The undo of the next apply itself counts too. Raises as `report`.
    """
    if not _may_be_due(context):
        return None
    found = report(context, next_plan, next_is_rollback=next_is_rollback)
    return found if found.due or not found.keeps_next else None


def discard_due(context: Context) -> tuple[str, ...]:
    """Free the bytes of every due undo and return the plans' ids.

    Contents named by an open plan, kept undo or an unfinished apply stay. The caller holds the writer lock.
    """
    store = context.store
    if not _may_be_due(context):
        return ()
    plans = store.plans.all(is_whole=True)  # contents named by a damaged plan are unknown
    limits = context.config().retention
    due = {(undo.plan_id, undo.part) for undo in _select_due(_list_retained(context, plans)[0], limits)}
    expired = {plan.id for plan in plans if _is_expired(plan, limits)}
    if not (due or expired):
        return ()
    with store.database.write() as connection:
        unreferenced = free(context, connection, due, expired)
    store.blobs.sweep(unreferenced)
    return tuple(sorted({plan_id for plan_id, _ in due}))


def free(
    context: Context,
    connection: sqlite3.Connection,
    parts: Set[tuple[str, int]],
    plan_ids: Set[str] = frozenset(),
    person: Person | None = None,
) -> frozenset[str]:
    """Forget the contents that only these parts and plans name.

    It is done in the given transaction. Marks them as discarded by `person`, or as expired. Returns the freed
    contents; `Blobs.sweep` removes their files afterwards. The caller holds the writer lock.
    """
    store = context.store
    unreferenced = store.plans.named_alone(connection, parts, plan_ids)
    store.blobs.delete(connection, unreferenced)
    name, source = (person.name, person.source) if person is not None else (None, None)
    store.plans.mark_discarded(connection, parts, plan_ids, name, source)
    return unreferenced


def loss(context: Context, plan_id: str) -> UndoLoss:
    """Return what discarding the undo of a plan would lose; change nothing.

    Raises NotFound, or Refused for a plan without kept undo.
    """
    plan = _check_discardable(context, plan_id)
    with context.store.database.read() as connection:
        unreferenced = context.store.plans.named_alone(connection, _kept_parts(plan))
    return _measure_loss(plan, unreferenced, context.store.blobs.packed_sizes())


def discard(context: Context, plan_id: str, person: Person) -> UndoLoss:
    """Free the contents that only one plan needs, as `person` decided.

    Plan and journal stay, and record who discarded it. The caller holds the writer lock. Raises as `loss`.
    """
    store, plan = context.store, _check_discardable(context, plan_id)
    sizes = store.blobs.packed_sizes()
    with store.database.write() as connection:
        unreferenced = free(context, connection, _kept_parts(plan), person=person)
        result = _measure_loss(plan, unreferenced, sizes)
        counts = len(result.paths), result.contents, result.freed
        entry = UndoDiscarded(new_correlation_id(), plan.id, person.name, person.source.value, *counts)
        store.journal.append(connection, "", [("", entry)])
    store.blobs.sweep(unreferenced)
    return result


def _check_discardable(context: Context, plan_id: str) -> Plan:
    """Return the plan if its undo can be discarded. Raises as `loss`."""
    store = context.store
    plan = store.plans.get(plan_id)
    if plan.applied is None:
        raise Refused(
            "discard.not_applied",
            f"“{plan.title}” was not applied; it has no undo data to discard.",
            "Choose an applied plan.",
        )
    if not _kept_parts(plan):
        raise Refused(
            "plan.discarded",
            f"The undo data of “{plan.title}” was discarded.",
            "Choose a plan that can still be rolled back.",
        )
    if plan.id in {unfinished.id for unfinished in store.plans.unfinished()}:
        raise Refused(
            "discard.unfinished",
            f"“{plan.title}” is being written or was interrupted, and still needs its contents.",
            "Wait until it is applied, or recover the project.",
        )
    return plan


def _kept_parts(plan: Plan) -> frozenset[tuple[str, int]]:
    return frozenset((plan.id, part.number) for part in plan.parts if part.discarded is None)


def _measure_loss(plan: Plan, unreferenced: Set[str], sizes: Mapping[str, int]) -> UndoLoss:
    kept = {number for _, number in _kept_parts(plan)}
    paths = tuple(step.target for step in plan.steps if step.state is StepState.APPLIED and step.part in kept)
    freed = unreferenced & sizes.keys()
    return UndoLoss(plan, paths, len(freed), sum(sizes[name] for name in freed))


def _may_be_due(context: Context) -> bool:
    """Check quickly whether any undo may be due.

    Never wrongly False: nothing kept is old enough, and all contents together fit.
    """
    limits = context.config().retention
    oldest = context.store.plans.oldest_stored_time()
    is_old = oldest is not None and oldest < now() - timedelta(days=limits.days)
    return is_old or context.store.blobs.size() > limits.bytes


def _is_expired(plan: Plan, limits: Retention) -> bool:
    """Return whether a plan closed unapplied and its retention time is over."""
    if plan.discarded is not None or plan.state in _LIVE_STATES or _kept_parts(plan):
        return False
    return plan.created < now() - timedelta(days=limits.days)


def _list_retained(
    context: Context, plans: Sequence[Plan], next_plan: Plan | None = None
) -> tuple[list[RetainedUndo], int]:
    """Return the kept undo, newest first, and the number of discarded parts.

    With `next_plan`, as it would be once its approved steps were applied, too.
    """
    order = context.store.plans.part_order()
    applied = sorted(
        ((plan, part) for plan in plans for part in plan.parts if (plan.id, part.number) in order),
        key=lambda found: order[found[0].id, found[1].number],
        reverse=True,
    )
    kept = [(plan, part) for plan, part in applied if part.discarded is None]
    discarded = len(applied) - len(kept)
    if next_plan is not None:
        kept.insert(0, (next_plan, Part(len(next_plan.parts) + 1, now())))
    sizes = _packed_sizes(context, kept)
    # The clock may have been set back: no part counts as older than one that was applied before it.
    times = list(accumulate((part.applied for _, part in reversed(kept)), max))
    plans_by_id = {plan.id: plan for plan in plans}
    retained = [
        RetainedUndo(
            plan.id,
            with_plain_title(plan, plans_by_id.get).title,
            applied_at,
            size,
            plan.rolls_back is not None,
            part.number,
            max(part.number, len(plan.parts)) > 1 or (plan.state.is_active and bool(plan.undecided)),
        )
        for (plan, part), applied_at, size in zip(kept, reversed(times), sizes, strict=True)
    ]
    return retained, discarded


def _select_due(retained: Sequence[RetainedUndo], limits: Retention) -> list[RetainedUndo]:
    originals = [undo for undo in retained if not undo.is_rollback]
    newest = originals[: limits.plans]
    older = retained[retained.index(newest[-1]) + 1 :] if newest else retained
    since = now() - timedelta(days=limits.days)
    due = [undo for undo in older if undo.applied < since]
    total = sum(undo.size for undo in retained) - sum(undo.size for undo in due)
    for undo in reversed(retained):
        if total <= limits.bytes:
            break
        if undo not in due:
            due.append(undo)
            total -= undo.size
    return due


def _packed_sizes(context: Context, kept: Sequence[tuple[Plan, Part]]) -> list[int]:
    """Return the packed bytes of each part.

    Shared contents count for the newest.
    """
    sizes = context.store.blobs.packed_sizes()
    counted: set[str] = set()
    result: list[int] = []
    for plan, part in kept:
        of_part = (
            step.contents
            for step in plan.steps
            if plan.part_of(step) == part.number or (step.state.is_open and part.number > len(plan.parts))
        )
        new_contents = frozenset[str]().union(*of_part) - counted
        counted |= new_contents
        result.append(sum(sizes.get(sha256, 0) for sha256 in new_contents))
    return result
