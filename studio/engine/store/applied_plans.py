"""Plans applied since a journal position, and plans still being applied."""

from __future__ import annotations

import json
from collections.abc import Set
from contextlib import suppress

from msgspec.structs import replace

from studio.engine.plan import Plan, PlanState
from studio.engine.store import Store
from studio.errors import Refused
from studio.values import Value

_REPLIED = frozenset({PlanState.COMPLETED, PlanState.ROLLED_BACK})


def _has_replied(plan: Plan) -> bool:
    """Return whether the last apply has recorded its replies."""
    return plan.state in _REPLIED or (plan.state.is_open and bool(plan.parts))


def _only(plan: Plan, step_ids: Set[str]) -> Plan:
    return replace(plan, steps=tuple(step for step in plan.steps if step.id in step_ids))


class WrittenPlans(Value):
    """Plans applied since a position, and those being applied now.

    `ended` are those with entries after the position, in order, each with the steps of these entries alone:
    an earlier part of a plan is not written again. `unfinished` are those that may be writing files
    at this moment. `position` is the journal's last.
    """

    position: int
    ended: tuple[Plan, ...]
    unfinished: tuple[Plan, ...]


def written_since(store: Store, position: int) -> WrittenPlans:
    """Return the plans that were applied after a journal position.

    A plan counts as ended, once, when its replies are in the journal, even while old files are still to be
    removed, for which there is no entry. A damaged plan is skipped: its writes are then taken for changes by
    others.
    """
    with store.database.read() as connection:
        last = connection.execute("SELECT COALESCE(MAX(position), 0) FROM journal").fetchone()[0]
        unfinished = [row[0] for row in connection.execute("SELECT plan_id FROM unfinished").fetchall()]
        found = connection.execute(
            "SELECT plan_id, json_group_array(DISTINCT step_id) FROM journal"
            " WHERE position > ? AND plan_id <> '' GROUP BY plan_id ORDER BY MAX(position)",
            (position,),
        ).fetchall()
        plans: dict[str, Plan] = {}
        for plan_id in {*unfinished, *(plan_id for plan_id, _ in found)}:
            with suppress(Refused, IndexError):
                plans[plan_id] = store.plans.as_it_is(connection, plan_id)
    writing = {each for each in unfinished if each in plans and not _has_replied(plans[each])}
    return WrittenPlans(
        last,
        tuple(
            _only(plans[plan_id], set(json.loads(steps)))
            for plan_id, steps in found
            if plan_id in plans and plan_id not in writing
        ),
        tuple(plans[plan_id] for plan_id in unfinished if plan_id in writing),
    )
