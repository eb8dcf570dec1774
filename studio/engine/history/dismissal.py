"""Dismissal of closed, unapplied plans from the queue, freeing their contents.

It is recorded like a decision. The history stays readable; contents that only this plan references are freed.
"""

from __future__ import annotations

from studio.engine import disk
from studio.engine.apply import retention
from studio.engine.plan import Dismissal, Plan, PlanState
from studio.engine.project.context import Context, Person
from studio.engine.store.rows import now
from studio.engine.store.selection import add_dismissal
from studio.errors import Refused


def dismiss(context: Context, plan_id: str, person: Person) -> Plan:
    """Dismiss a plan that is closed without having been applied.

    That is a refused, withdrawn, rejected, sent back or failed one. Contents that only it references are
    freed. Raises Refused for any other state and while an apply of it is unfinished, NotFound, and TimedOut
    while another process writes.
    """
    store = context.store
    found = store.plans.get(plan_id)
    # The lock excludes apply, recovery and retention.
    with disk.writer_lock(store.lock_file):
        plan = store.plans.get(found.id)
        plan.check_dismissible()
        if any(other.id == plan.id for other in store.plans.unfinished()):
            raise Refused(
                "dismiss.unfinished",
                f"An interrupted apply of “{plan.title}” still needs its contents.",
                "Recover the project first.",
            )
        folder = context.config().folder
        with store.database.write() as connection:
            previous_state = store.plans.state_of(connection, plan.id)
            if plan.is_review and previous_state.is_open:
                store.plans.set_plan_state(connection, plan.id, PlanState.CANCELLED)
            store.plans.set_plan_state(connection, plan.id, PlanState.DISMISSED)
            dismissal = Dismissal(previous_state, person.name, now(), person.source, folder)
            add_dismissal(connection, plan.id, dismissal)
            unreferenced = retention.free(context, connection, frozenset(), {plan.id})
            store.unsent.forget_plan(connection, plan.id)
            store.trials.forget_plan(connection, plan.id)
        store.blobs.sweep(unreferenced)
    return store.plans.get(plan.id)
