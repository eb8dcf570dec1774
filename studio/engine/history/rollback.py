"""Execution of a rollback, as a new plan on the current content."""

from __future__ import annotations

import uuid

from studio.engine import disk
from studio.engine.apply import gateway, recovery
from studio.engine.errors import StudioError
from studio.engine.history.generated_plan import carry_out
from studio.engine.history.rollback_plan import RollbackChoice, RollbackPlan, look
from studio.engine.plan import Plan, PlanState
from studio.engine.project.context import Context, Person
from studio.engine.project.turns import stored_plans, turn_of
from studio.engine.review.staleness import SeenFiles
from studio.engine.store.content_cache import ContentCache
from studio.engine.store.rows import now


def roll_back(context: Context, plan_id: str, choice: RollbackChoice, person: Person) -> Plan:
    """Roll back a plan, or some steps; return the new plan.

    Raises Conflict when a file changed since the apply and no drift resolution was chosen for it, or when
    this is not what was shown, FileError where the disk can't be read: then nothing is touched.
    """
    context.check_root()
    plan_id = context.store.plans.full_id(plan_id)
    with disk.writer_lock(context.store.lock_file):
        recovery.finish_interrupted(context)
        return _apply_rollback(context, context.store.plans.get(plan_id), choice, person)


def _apply_rollback(context: Context, plan: Plan, choice: RollbackChoice, person: Person) -> Plan:
    seen_files, contents = SeenFiles(context.root), ContentCache(context.store.blobs)
    rollback = look(context, plan, choice, seen_files, contents)
    if rollback.refusal is not None:
        raise rollback.refusal
    rollback.check_shown(choice.shown)
    store = context.store
    title = turn_of(plan, stored_plans(context)).plan_title
    store.blobs.add(data for found in rollback.steps for data in found.contents)
    return carry_out(context, plan_of(rollback, title, person.name), person, seen_files, contents)


def rehearse(context: Context, rollback: RollbackPlan, contents: ContentCache) -> StudioError | None:
    """Return the error the rollback would raise before writing, or None."""
    if rollback.refusal is not None:
        return rollback.refusal
    try:
        gateway.check_obstacles(context, plan_of(rollback, rollback.plan.title), contents)
    except StudioError as error:
        return error
    return None


def plan_of(rollback: RollbackPlan, title: str, who: str = "") -> Plan:
    """Return the plan that carries the rollback out, not decided yet."""
    return Plan(
        str(uuid.uuid4()),
        1,
        title,
        who,
        PlanState.APPROVED,
        now(),
        rollback.inverses,
        format="rollback",
        rolls_back=rollback.plan.id,
    )
