"""Autosaved drafts of review input: comments, reasons, edits, hunk choices."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from enum import Enum

from studio.engine.store import rows, values
from studio.engine.store.database import Database, readable
from studio.values import Value


class UnsentKind(Enum):
    """Kind of unsaved input; a viewed mark holds the viewed revision."""

    REASON = "reason"
    NOTE = "note"
    COMMENT = "comment"
    EDITED = "edited"
    VIEWED = "viewed"
    CHOICES = "choices"


class UnsentText(Value):
    """One piece of unsaved input on a step or plan.

    `step` is 0 for the plan itself. `place` distinguishes those of one kind: for a comment its line, 1-based,
    negative on the base's side; else 0.
    """

    plan_id: str
    step: int
    kind: UnsentKind
    value: bytes
    place: int = 0

    @property
    def text(self) -> str:
        return self.value.decode("utf-8", "replace")


class UnsentTexts:
    """Unsaved review input of one project, from all windows."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def record(self, *unsent: UnsentText) -> None:
        """Store unsaved input, replacing the previous; empty input deletes it."""
        moment = rows.time_text(rows.now())
        with self._database.write() as connection:
            connection.executemany(
                "DELETE FROM drafts WHERE plan_id = ? AND number = ? AND kind = ? AND place = ?",
                [(each.plan_id, each.step, each.kind.value, each.place) for each in unsent],
            )
            connection.executemany(
                "INSERT INTO drafts VALUES (?, ?, ?, ?, ?, ?)",
                [
                    (each.plan_id, each.step, each.kind.value, each.place, each.value, moment)
                    for each in unsent
                    if each.value
                ],
            )

    def copy_steps(
        self, connection: sqlite3.Connection, plan_id: str, other: str, numbers: Mapping[int, int]
    ) -> None:
        """Copy unsaved input from steps of a plan to another's.

        `numbers` has the other plan's step for each.
        """
        connection.executemany(
            "INSERT INTO drafts SELECT ?, ?, kind, place, value, written FROM drafts "
            "WHERE plan_id = ? AND number = ?",
            [(other, new, plan_id, old) for old, new in numbers.items()],
        )

    def forget_plan(self, connection: sqlite3.Connection, plan_id: str) -> None:
        """Delete all unsaved input of a plan."""
        connection.execute("DELETE FROM drafts WHERE plan_id = ?", (plan_id,))

    def all(self, plan_id: str | None = None) -> tuple[UnsentText, ...]:
        """Return all unsaved input, or that of one plan.

        Sorted by plan, step, kind and place.
        """
        where, parameters = ("WHERE plan_id = ?", (plan_id,)) if plan_id is not None else ("", ())
        with self._database.read() as connection:
            cursor = connection.cursor()
            cursor.row_factory = sqlite3.Row
            found = cursor.execute(
                f"SELECT plan_id, number, kind, value, place FROM drafts {where} "
                "ORDER BY plan_id, number, kind, place",
                parameters,
            ).fetchall()
        with readable(self._database.file):
            return tuple(
                UnsentText(
                    values.text(row, "plan_id"),
                    values.count(row, "number"),
                    values.enum_value(UnsentKind, row, "kind"),
                    values.data(row, "value"),
                    values.whole(row, "place"),
                )
                for row in found
            )
