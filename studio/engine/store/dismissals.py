"""Records of dismissed plans: who, when, and the state before."""

from __future__ import annotations

import os
import sqlite3

from studio.engine.plan import Dismissal, PersonSource, PlanState
from studio.engine.store import rows, values


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
        was=values.word(PlanState, row, "was"),
        who=values.text(row, "who"),
        when=values.moment(row, "made"),
        seen=values.word(PersonSource, row, "seen"),
        folder=rows.folder_of(row["folder"]) if row["folder"] is not None else None,
    )
