"""A plan taken back: a new plan whose base is the bytes now on disk (contract 6)."""

from __future__ import annotations

import uuid
from dataclasses import replace

from studio.engine import disk
from studio.engine.apply import gateway, recovery
from studio.engine.errors import StudioError
from studio.engine.history.outlook import RollbackChoice, RollbackOutlook, look
from studio.engine.plan import OPEN_PLAN_STATES, Decision, Plan, PlanState, Step, Verdict
from studio.engine.project.context import Context, Person
from studio.engine.project.turns import stored_plans, turn_of
from studio.engine.propose.submission_hash import submission_hash
from studio.engine.review.staleness import SeenFiles
from studio.engine.store.kept import KeptContents
from studio.engine.store.rows import now


def roll_back(context: Context, plan_id: str, choice: RollbackChoice, person: Person) -> Plan:
    """Take back a plan, or some steps of it, as a new plan in the history; returns that plan.

    Raises Conflict when a file is no longer what we wrote and no way was chosen for it, or when this is not
    what was shown, FileError where the disk does not let it look: then nothing is touched (promise 7).
    """
    context.check_root()
    plan_id = context.store.plans.full_id(plan_id)
    with disk.writer_lock(context.store.lock_file):
        recovery.finish_interrupted(context)
        return _rolled_back(context, context.store.plans.get(plan_id), choice, person)


def _rolled_back(context: Context, plan: Plan, choice: RollbackChoice, person: Person) -> Plan:
    seen, contents = SeenFiles(context.root), KeptContents(context.store.blobs)
    outlook = look(context, plan, choice, seen, contents)
    if outlook.refusal is not None:
        raise outlook.refusal
    outlook.check_shown(choice.shown)
    store = context.store
    title = turn_of(plan, stored_plans(context)).plan_title
    rollback = _decided(context, plan_of(outlook, title, person.name), person)
    store.blobs.add(data for found in outlook.steps for data in found.contents)
    with store.database.write() as connection:
        store.plans.add_decided(connection, rollback, submission_hash(rollback.steps))
        # From this transaction on: after a crash before the next one it would wait in the queue, approved.
        store.plans.mark_unfinished(connection, rollback.id)
        decisions = store.plans.decisions_made(connection, rollback.id)
    try:
        return gateway.apply_locked(context, rollback, decisions, seen, contents=contents)
    except StudioError:
        # Not begun: it must not wait in the queue for a press that nobody means any more. One that was
        # begun and put back is paused, and may be applied again.
        if store.plans.get(rollback.id).state in OPEN_PLAN_STATES:
            with store.database.write() as connection:
                store.plans.set_plan_state(connection, rollback.id, PlanState.CANCELLED)
                store.plans.mark_finished(connection, rollback.id)
        raise


def rehearse(context: Context, outlook: RollbackOutlook, contents: KeptContents) -> StudioError | None:
    """What the rollback would end with, up to its first write; None where nothing stands in its way."""
    if outlook.refusal is not None:
        return outlook.refusal
    try:
        gateway.check_obstacles(context, plan_of(outlook, outlook.plan.title), contents)
    except StudioError as error:
        return error
    return None


def plan_of(outlook: RollbackOutlook, title: str, who: str = "") -> Plan:
    """The plan that carries the rollback out; nobody has decided it yet."""
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


def _decided(context: Context, plan: Plan, person: Person) -> Plan:
    fingerprint = context.config().policy().fingerprint
    steps = (replace(step, decision=_decision(context, step, person, fingerprint)) for step in plan.steps)
    return replace(plan, steps=tuple(steps))


def _decision(context: Context, step: Step, person: Person, fingerprint: str) -> Decision:
    return Decision(
        Verdict.APPROVE,
        person.name,
        now(),
        "",
        step.base.sha256 if step.base is not None else None,
        step.result.sha256 if step.result is not None else None,
        {},
        False,
        context.root.identity,
        fingerprint,
        seen=person.source,
        folder=context.config().folder,
    )
