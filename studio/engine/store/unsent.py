"""What a reviewer has begun and not decided: it survives a kill of the process (design 8, look 9.7)."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from enum import Enum

from studio.engine.store import rows, values
from studio.engine.store.database import Database, readable


class UnsentKind(Enum):
    """What was begun. A viewed mark holds the revision that was viewed."""

    REASON = "reason"
    NOTE = "note"
    COMMENT = "comment"
    EDITED = "edited"
    VIEWED = "viewed"
    CHOICES = "choices"


@dataclass(frozen=True, slots=True)
class UnsentText:
    """One thing begun on a step (`step` 0: on the plan itself).

    `place` tells those of one kind apart: for a comment its line, 1-based, negative on the base's side; else
    0.
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
    """The unsent texts of one project, of all its windows."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def keep(self, unsent: UnsentText) -> None:
        """Store an unsent text in the place of the one before; an empty one is dropped."""
        with self._database.write() as connection:
            if not unsent.value:
                connection.execute(
                    "DELETE FROM drafts WHERE plan_id = ? AND number = ? AND kind = ? AND place = ?",
                    (unsent.plan_id, unsent.step, unsent.kind.value, unsent.place),
                )
                return
            connection.execute(
                "INSERT OR REPLACE INTO drafts VALUES (?, ?, ?, ?, ?, ?)",
                (
                    unsent.plan_id,
                    unsent.step,
                    unsent.kind.value,
                    unsent.place,
                    unsent.value,
                    rows.time_text(rows.now()),
                ),
            )

    def forget_plan(self, connection: sqlite3.Connection, plan_id: str) -> None:
        """Forget every unsent text of a plan."""
        connection.execute("DELETE FROM drafts WHERE plan_id = ?", (plan_id,))

    def all(self, plan_id: str | None = None) -> tuple[UnsentText, ...]:
        """Every unsent text, or those of one plan, by plan, step, kind and place."""
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
                    values.word(UnsentKind, row, "kind"),
                    values.data(row, "value"),
                    values.whole(row, "place"),
                )
                for row in found
            )
