"""Outcomes of commands that were tried with a plan's results."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import fields
from typing import Any

from studio.engine.limits import TRIALS_UP_TO
from studio.engine.store import rows, values
from studio.engine.store.database import Database, readable
from studio.engine.trial import Trial

_APART = ("plan", "made")
_FIELDS = tuple(field.name for field in fields(Trial) if field.name not in _APART)


class Trials:
    """Trials of one project.

    Methods that write take the transaction's connection.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, connection: sqlite3.Connection, trial: Trial) -> None:
        """Store a trial; each plan keeps its newest TRIALS_UP_TO."""
        text = json.dumps({name: getattr(trial, name) for name in _FIELDS}, default=dict)
        connection.execute(
            "INSERT INTO trials (plan_id, made, said) VALUES (?, ?, ?)",
            (trial.plan, rows.time_text(trial.made), text),
        )
        connection.execute(
            "DELETE FROM trials WHERE plan_id = ? AND sequence NOT IN"
            " (SELECT sequence FROM trials WHERE plan_id = ? ORDER BY sequence DESC LIMIT ?)",
            (trial.plan, trial.plan, TRIALS_UP_TO),
        )

    def of(self, plan_id: str) -> tuple[Trial, ...]:
        """Return a plan's trials, newest first.

        Raises Refused for a damaged one.
        """
        with self._database.read() as connection:
            cursor = connection.cursor()
            cursor.row_factory = sqlite3.Row
            select = "SELECT * FROM trials WHERE plan_id = ? ORDER BY sequence DESC"
            found = cursor.execute(select, (plan_id,)).fetchall()
        with readable(self._database.file):
            return tuple(map(_build_trial, found))

    def forget_plan(self, connection: sqlite3.Connection, plan_id: str) -> None:
        """Delete the trials of a plan."""
        connection.execute("DELETE FROM trials WHERE plan_id = ?", (plan_id,))


def _build_trial(row: sqlite3.Row) -> Trial:
    try:
        fields: dict[str, Any] = json.loads(values.text(row, "said"))
        fields |= {name: tuple(fields[name]) for name in ("argv", "tests")}
        return Trial(plan=row["plan_id"], made=values.moment(row, "made"), **fields)
    except (TypeError, KeyError, AttributeError) as error:
        raise ValueError("said") from error
