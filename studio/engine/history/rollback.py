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
        return _rolled_back(context, context.store.plans.get(plan_id), choice, person)


def _rolled_back(context: Context, plan: Plan, choice: RollbackChoice, person: Person) -> Plan:
    seen, contents = SeenFiles(context.root), ContentCache(context.store.blobs)
    outlook = look(context, plan, choice, seen, contents)
    if outlook.refusal is not None:
        raise outlook.refusal
    outlook.check_shown(choice.shown)
    store = context.store
    title = turn_of(plan, stored_plans(context)).plan_title
    store.blobs.add(data for found in outlook.steps for data in found.contents)
    return carry_out(context, plan_of(outlook, title, person.name), person, seen, contents)


def rehearse(context: Context, outlook: RollbackPlan, contents: ContentCache) -> StudioError | None:
    """Return the error the rollback would raise before writing, or None."""
    if outlook.refusal is not None:
        return outlook.refusal
    try:
        gateway.check_obstacles(context, plan_of(outlook, outlook.plan.title), contents)
    except StudioError as error:
        return error
    return None


def plan_of(outlook: RollbackPlan, title: str, who: str = "") -> Plan:
    """Return the plan that carries the rollback out, not decided yet."""
    return Plan(
        str(uuid.uuid4()),
        1,
        title,
        who,
        PlanState.APPROVED,
        now(),
        outlook.inverses,
        format="rollback",
        rolls_back=outlook.plan.id,
    )
