"""Queries for plans with their steps, ids by prefix, and plan dismissals."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial
from typing import Literal

from studio.engine.plan import Dismissal, Part, PersonSource, Plan, PlanState, Step, StepState
from studio.engine.store import rows, values
from studio.errors import NotFound, UsageError
from studio.limits import PREFIX_CHARACTERS
from studio.names import show_name
from studio.values import Value


def add_dismissal(connection: sqlite3.Connection, plan_id: str, dismissal: Dismissal) -> None:
    """Record a dismissal; the plan's own row stays as it is."""
    folder = os.fsencode(dismissal.folder) if dismissal.folder is not None else None
    dismissed_at = rows.time_text(dismissal.when)
    connection.execute(
        "INSERT INTO dismissals VALUES (?, ?, ?, ?, ?, ?)",
        (plan_id, dismissal.was.value, dismissal.who, dismissed_at, dismissal.seen.value, folder),
    )


def read_dismissal(cursor: sqlite3.Cursor, plan: sqlite3.Row) -> Dismissal | None:
    """Return the dismissal of a plan's row, or None.

    Raises ValueError.
    """
    if plan["state"] != PlanState.DISMISSED.value:
        return None
    row = cursor.execute("SELECT * FROM dismissals WHERE plan_id = ?", (plan["id"],)).fetchone()
    if row is None:
        return None
    return Dismissal(
        was=values.enum_value(PlanState, row, "was"),
        who=values.text(row, "who"),
        when=values.moment(row, "made"),
        seen=values.enum_value(PersonSource, row, "seen"),
        folder=rows.folder_of(row["folder"]) if row["folder"] is not None else None,
    )


def read_parts(cursor: sqlite3.Cursor, plan: sqlite3.Row) -> tuple[Part, ...]:
    """Return the parts of a plan's row, in order.

    Raises ValueError.
    """
    if plan["applied"] is None:
        return ()
    found = cursor.execute("SELECT * FROM parts WHERE plan_id = ? ORDER BY number", (plan["id"],)).fetchall()
    return tuple(
        Part(
            values.count(row, "number"),
            values.moment(row, "applied"),
            values.optional(values.moment, row, "discarded"),
            values.optional(values.text, row, "discarded_by"),
            values.optional(partial(values.enum_value, PersonSource), row, "discarded_seen"),
        )
        for row in found
    )


_KEPT_STEPS = 4096
KEPT_CHARACTERS = 4096
"""Longest text of a row that is cached along with its step."""

_STEP_TEXTS = ("hunks", "facts", "problems", "reason")
_DECISION_TEXTS = ("choices", "comments", "words")
_REBASE_TEXTS = ("hunks", "facts")


class StoredPlan(Value):
    """A plan's row, and a function that builds the plan from it.

    `read` raises ValueError, which names the plan. `is_short`: no text of it or its steps exceeds the cache
    limit.
    """

    row: sqlite3.Row
    read: Callable[[], Plan]
    is_short: bool


def full_id(
    connection: sqlite3.Connection, id_or_prefix: str, table: Literal["plans", "calls", "observed"] = "plans"
) -> str:
    wanted = id_or_prefix.strip().lower()
    what = "observed change" if table == "observed" else table.removesuffix("s")
    word = what.partition(" ")[0]
    if len(wanted) < PREFIX_CHARACTERS:
        raise UsageError(
            f"{word}.prefix",
            f"The id “{wanted}” is too short.",
            f"Specify at least {PREFIX_CHARACTERS} characters of its id.",
        )
    # "g" follows "f", so this range contains every id with the prefix.
    found = connection.execute(
        f"SELECT id FROM {table} WHERE id >= ? AND id < ? ORDER BY id LIMIT 2", (wanted, wanted + "g")
    ).fetchall()
    if not found:
        raise NotFound(
            f"{word}.not_found",
            f"There is no {what} {wanted} in this project.",
            "Check its id.",
        )
    if len(found) > 1 and found[0][0] != wanted:
        raise UsageError(
            f"{word}.ambiguous", f"The id “{wanted}” matches several {what}s.", "Specify more of its id."
        )
    return found[0][0]


def with_steps(
    cursor: sqlite3.Cursor, plans: Sequence[sqlite3.Row], number: int | None = None
) -> Iterator[StoredPlan]:
    """Yield plans with their steps in order, or with one of them."""
    one = "" if number is None else f"AND number = {number:d}"
    ids = (json.dumps([row["id"] for row in plans if isinstance(row["id"], str)]),)

    def found(what: str, texts: Sequence[str] = ()) -> list[sqlite3.Row]:
        table, _, rest = what.partition(" ")
        short = (f"typeof({text}) = 'text' AND length({text}) <= {KEPT_CHARACTERS}" for text in texts)
        return cursor.execute(
            f"SELECT *, {' AND '.join(short) or '1'} AS is_short FROM {table} "
            f"WHERE plan_id IN (SELECT value FROM json_each(?)) {one} {rest}",
            ids,
        ).fetchall()

    decisions = {_step_place(row): row for row in found("decisions AND taken_back IS NULL", _DECISION_TEXTS)}
    rebases = {_step_place(row): row for row in found("rebases ORDER BY sequence", _REBASE_TEXTS)}
    recontexts = {_step_place(row): str(row["words"]) for row in found("recontexts")}
    steps: dict[str, list[sqlite3.Row]] = {row["id"]: [] for row in plans}
    for row in found("steps ORDER BY plan_id, number", _STEP_TEXTS):
        steps[row["plan_id"]].append(row)

    texts = (*decisions.values(), *rebases.values(), *(row for own in steps.values() for row in own))
    long = {_step_place(row) for row in texts if not row["is_short"]}
    long_plans = {plan_id for plan_id, _ in long}

    def step_of(row: sqlite3.Row) -> Step:
        place = _step_place(row)
        read = _build_long_step if place in long else _build_step
        # The decision is suspended: its base is not on disk now, but may return.
        decision = None if row["state"] == StepState.STALE.value else decisions.get(place)
        return read(row, decision, rebases.get(place), recontexts.get(place, ""))

    def plan_of(row: sqlite3.Row) -> Plan:
        try:
            own = tuple(step_of(step) for step in steps[row["id"]])
            if number is None and [step.number for step in own] != list(range(1, len(own) + 1)):
                raise ValueError("its steps are not numbered consecutively")
            return rows.plan_of(row, own, read_parts(cursor, row), read_dismissal(cursor, row))
        except ValueError as error:
            raise ValueError(f"in plan {show_name(str(row['id'])[:8])} {error}") from error

    def is_short(row: sqlite3.Row) -> bool:
        own = len(str(row["message"])) + len(str(row["problems"]))
        return row["id"] not in long_plans and own <= KEPT_CHARACTERS

    return (StoredPlan(row, partial(plan_of, row), is_short(row)) for row in plans)


_build_decision = lru_cache(_KEPT_STEPS)(rows.decision_of)
"""Builds a decision, cached by its row: an apply changes the states of all steps, and no decision."""


@lru_cache(_KEPT_STEPS)
def _build_step(
    row: sqlite3.Row, decision: sqlite3.Row | None, rebase: sqlite3.Row | None, recontext: str
) -> Step:
    """Build a step, cached by its rows.

    After each decision a window reads the plan again, and gets the same objects for all other steps.
    """
    parsed = _build_decision(decision) if decision is not None else None
    return rows.step_of(row, parsed, rebase, recontext)


def _build_long_step(
    row: sqlite3.Row, decision: sqlite3.Row | None, rebase: sqlite3.Row | None, recontext: str
) -> Step:
    parsed = rows.decision_of(decision) if decision is not None else None
    return rows.step_of(row, parsed, rebase, recontext)


def forget_steps() -> None:
    """Clear the step cache, because a store was deleted."""
    _build_step.cache_clear()
    _build_decision.cache_clear()


def _step_place(row: sqlite3.Row) -> tuple[str, int]:
    return row["plan_id"], row["number"]
