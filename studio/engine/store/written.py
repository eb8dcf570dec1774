"""What plans have written since a position of the journal, as one transaction sees it."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from studio.engine.errors import Refused
from studio.engine.plan import Plan, PlanState
from studio.engine.store import Store

_REPLIED = frozenset({PlanState.COMPLETED, PlanState.ROLLED_BACK})


@dataclass(frozen=True, slots=True)
class WrittenPlans:
    """`ended`: the plans with entries after the position that was asked for, in their order; `unfinished`:
    those that may be at their files this moment. `position` is the journal's last."""

    position: int
    ended: tuple[Plan, ...]
    unfinished: tuple[Plan, ...]


def written_since(store: Store, position: int) -> WrittenPlans:
    """A plan is among the ended ones once its replies stand in the journal, and comes only once: also while
    the old files are still to be removed, for which the journal has no entry. One that is damaged is left
    out: what it wrote is then taken for somebody else's."""
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
