"""Plans read out of the store, each once for as long as nothing in the store changes."""

from __future__ import annotations

import sqlite3

from studio.engine.errors import Refused
from studio.engine.plan import Plan
from studio.engine.store.database import Database, readable
from studio.engine.store.selection import StoredPlan, with_steps

_PLANS_AT_ONCE = 500
_KEPT_STEPS = 4096


class PlanReader:
    """What one look at the store found the looks after it need not read: a single decision takes four.

    Another connection's commit ends that, and so does a write of our own; within one nothing is known, as
    what it changed may be taken back.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self.damages: dict[str, str] = {}
        """A sentence for each plan (by its id) that was left out because a row of it can't be read."""
        self._state: tuple[int, int] | None = None
        self._known: dict[str, Plan] = {}
        self._steps = 0

    def select(
        self,
        connection: sqlite3.Connection,
        where: str,
        values: tuple[object, ...],
        number: int | None = None,
        *,
        is_whole: bool = True,
    ) -> tuple[Plan, ...]:
        """With a `number` the plans have that one step only, or none. One that is damaged is left out unless
        `is_whole`; then it raises Refused."""
        cursor = connection.cursor()
        cursor.row_factory = sqlite3.Row
        found = cursor.execute(f"SELECT * FROM plans {where}", values).fetchall()
        is_kept = number is None and self._is_current()
        known = self._known if is_kept else {}
        plans: list[Plan] = []
        for first in range(0, len(found), _PLANS_AT_ONCE):
            part = found[first : first + _PLANS_AT_ONCE]
            unread = [row for row in part if row["id"] not in known]
            stored = {each.row["id"]: each for each in with_steps(cursor, unread, number)} if unread else {}
            for row in part:
                try:
                    plans.append(known.get(row["id"]) or self._read(stored[row["id"]], is_kept=is_kept))
                except Refused as error:
                    if is_whole:
                        raise
                    self.damages[str(row["id"])] = str(error)
        return tuple(plans)

    def _read(self, stored: StoredPlan, *, is_kept: bool) -> Plan:
        with readable(self._database.file):
            plan = stored.read()
        if is_kept and stored.is_short and self._steps + len(plan.steps) < _KEPT_STEPS:
            self._known[plan.id] = plan
            self._steps += max(1, len(plan.steps))
        return plan

    def _is_current(self) -> bool:
        """Whether what is known is all as this transaction sees it, or was forgotten."""
        state = self._database.state()
        if state is not None and state != self._state:
            self._state, self._known, self._steps = state, {}, 0
        return state is not None
