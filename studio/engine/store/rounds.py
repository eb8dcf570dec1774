"""A further round of an open plan in the store: its session changed what it proposes (contract 5)."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from studio.engine.plan import Plan, PlanState, Step, StepState
from studio.engine.store import rows
from studio.engine.store.plans import Plans


def store_round(
    plans: Plans,
    connection: sqlite3.Connection,
    plan: Plan,
    submission: str,
    *,
    written: Sequence[Step],
    dropped: Sequence[Step],
) -> None:
    """Give a plan its next version: steps that are new or other than before are `written`, those it no longer
    proposes are invalid from now on. Without a valid step it is withdrawn."""
    places = [(plan.id, step.number) for step in written]
    for table in ("steps", "rebases", "recontexts"):
        connection.executemany(f"DELETE FROM {table} WHERE plan_id = ? AND number = ?", places)
    plans.add_steps(connection, plan.id, written)
    plans.set_step_states(connection, plan.id, [step.number for step in dropped], StepState.INVALID)
    connection.executemany(
        "UPDATE steps SET problems = ? WHERE plan_id = ? AND number = ?",
        [(rows.problems_text(step.problems), plan.id, step.number) for step in dropped],
    )
    connection.execute(
        "UPDATE plans SET version = ?, title = ?, submission = ?, problems = ? WHERE id = ?",
        (plan.version, plan.title, bytes.fromhex(submission), rows.problems_text(plan.problems), plan.id),
    )
    if plan.valid_steps:
        plans.settle(connection, plan.id)
    else:
        plans.set_plan_state(connection, plan.id, PlanState.CANCELLED)


def store_message(connection: sqlite3.Connection, plan_id: str, message: str) -> None:
    """Keep other words of a plan's author about the whole; nobody decides by them."""
    connection.execute("UPDATE plans SET message = ? WHERE id = ?", (message, plan_id))
