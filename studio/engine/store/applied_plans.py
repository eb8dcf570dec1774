"""Plans applied since a journal position, and plans still being applied."""

from __future__ import annotations

from contextlib import suppress

from studio.engine.plan import Plan, PlanState
from studio.engine.store import Store
from studio.errors import Refused
from studio.values import Value

_REPLIED = frozenset({PlanState.COMPLETED, PlanState.ROLLED_BACK})


class WrittenPlans(Value):
    """Plans applied since a position, and those being applied now.

    `ended` are those with entries after the position, in order; `unfinished` those that may be writing files
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
            "SELECT plan_id FROM journal WHERE position > ? AND plan_id <> ''"
            " GROUP BY plan_id ORDER BY MAX(position)",
            (position,),
        ).fetchall()
        plans: dict[str, Plan] = {}
        for plan_id in {*unfinished, *(row[0] for row in found)}:
            with suppress(Refused, IndexError):
                plans[plan_id] = store.plans.as_it_is(connection, plan_id)
    writing = {each for each in unfinished if each in plans and plans[each].state not in _REPLIED}
    return WrittenPlans(
        last,
        tuple(plans[row[0]] for row in found if row[0] in plans and row[0] not in writing),
        tuple(plans[plan_id] for plan_id in unfinished if plan_id in writing),
    )
