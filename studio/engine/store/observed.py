"""Observed changes in the store, and how far the looking has come (contract 9)."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from studio.engine.errors import Conflict
from studio.engine.observe_limits import OBSERVED_CLOSED_UP_TO
from studio.engine.observed_change import (
    OBSERVED_TRANSITIONS,
    GroupKind,
    ObservedChange,
    ObservedDecision,
    ObservedGroup,
    ObservedState,
)
from studio.engine.plan import Operation, PersonSource
from studio.engine.store import rows, values
from studio.engine.store.database import Database, readable
from studio.engine.store.selection import full_id

_MARKS = "observed"
_COLUMNS = (
    "observed.*, observed_groups.name AS group_name, observed_groups.kind AS group_kind,"
    " observed_groups.first AS group_first, observed_groups.last AS group_last"
)


@dataclass(frozen=True, slots=True)
class ObservedMarks:
    """How far the looking has come: the baseline's commit and the tree that was seen last, in hex; the last
    position of the journal whose writes the baseline has; what git said then, as words by name."""

    baseline: str
    tree: str
    position: int
    git: Mapping[str, str | None]


class ObservedRows:
    """The observed changes of one project. Methods that write take the transaction's connection."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def marks(self) -> ObservedMarks | None:
        """None where nobody looked yet, or what was noted is damaged: then a new baseline is made."""
        with self._database.read() as connection:
            row = connection.execute("SELECT value FROM meta WHERE key = ?", (_MARKS,)).fetchone()
        try:
            return None if row is None else ObservedMarks(**json.loads(row[0]))
        except (ValueError, TypeError):
            return None

    def set_marks(self, connection: sqlite3.Connection, marks: ObservedMarks) -> None:
        said = json.dumps(
            {
                "baseline": marks.baseline,
                "tree": marks.tree,
                "position": marks.position,
                "git": dict(marks.git),
            }
        )
        connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (_MARKS, said))

    def open(self) -> tuple[ObservedChange, ...]:
        """What waits for a person's word, in the order in which it was first seen."""
        return self._select("WHERE observed.state = 'open'", ())

    def all(self) -> tuple[ObservedChange, ...]:
        """Every change that is known, the newest of those that were decided too."""
        return self._select("", ())

    def get(self, id_or_prefix: str) -> ObservedChange:
        """The change with that id or unique prefix of it. Raises NotFound or UsageError."""
        with self._database.read() as connection:
            found = full_id(connection, id_or_prefix, "observed")
        return self._select("WHERE observed.id = ?", (found,))[0]

    def replace(
        self,
        connection: sqlite3.Connection,
        gone: Iterable[ObservedChange],
        put: Iterable[ObservedChange],
    ) -> None:
        """Take open changes away that are no more, and put in those that are new or have changed."""
        connection.executemany(
            "DELETE FROM observed WHERE id = ? AND state = 'open'", [(change.id,) for change in gone]
        )
        connection.executemany(
            "INSERT INTO observed (id, op, path, target, before, after, seen, group_number, hints, state)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'open')"
            " ON CONFLICT (id) DO UPDATE SET op = excluded.op, before = excluded.before,"
            " after = excluded.after, seen = excluded.seen, group_number = excluded.group_number,"
            " hints = excluded.hints WHERE state = 'open'",
            [_row_of(change) for change in put],
        )
        connection.execute(
            "DELETE FROM observed_groups WHERE number NOT IN"
            " (SELECT group_number FROM observed WHERE group_number IS NOT NULL)"
        )

    def put_group(self, connection: sqlite3.Connection, group: ObservedGroup) -> ObservedGroup:
        """Keep a group, a new one (of number 0) under a number of its own, which comes back with it."""
        said = (group.name, group.kind.value, rows.time_text(group.first), rows.time_text(group.last))
        if group.number:
            connection.execute(
                "INSERT OR REPLACE INTO observed_groups VALUES (?, ?, ?, ?, ?)", (group.number, *said)
            )
            return group
        made = connection.execute(
            "INSERT INTO observed_groups (name, kind, first, last) VALUES (?, ?, ?, ?)", said
        )
        return replace(group, number=made.lastrowid or 0)

    def close(
        self,
        connection: sqlite3.Connection,
        changes: Sequence[ObservedChange],
        state: ObservedState,
        decision: ObservedDecision,
    ) -> None:
        """Record a person's word on open changes; `check_open` comes first."""
        assert all(state in OBSERVED_TRANSITIONS[change.state] for change in changes)
        folder = os.fsencode(decision.folder) if decision.folder is not None else None
        connection.executemany(
            "UPDATE observed SET state = ?, who = ?, decided = ?, decided_seen = ?, folder = ?"
            " WHERE id = ? AND state = 'open'",
            [
                (
                    state.value,
                    decision.who,
                    rows.time_text(decision.when),
                    decision.seen.value,
                    folder,
                    each.id,
                )
                for each in changes
            ],
        )
        connection.execute(
            "DELETE FROM observed WHERE state <> 'open' AND sequence NOT IN"
            " (SELECT sequence FROM observed WHERE state <> 'open' ORDER BY decided DESC LIMIT ?)",
            (OBSERVED_CLOSED_UP_TO,),
        )

    def check_open(self, changes: Iterable[ObservedChange]) -> None:
        """Raises Conflict unless each of these changes is open, and as it was shown."""
        known = {change.id: change.revision for change in self.open()}
        for change in changes:
            if known.get(change.id) != change.revision:
                raise Conflict(
                    "observed.changed",
                    "What was observed has changed since it was shown. Nothing was decided.",
                    "Look again: studio observed list",
                    path=change.target,
                )

    def _select(self, where: str, parameters: tuple[str, ...]) -> tuple[ObservedChange, ...]:
        with self._database.read() as connection:
            cursor = connection.cursor()
            cursor.row_factory = sqlite3.Row
            query = (
                f"SELECT {_COLUMNS} FROM observed LEFT JOIN observed_groups"
                f" ON observed_groups.number = observed.group_number {where} ORDER BY observed.sequence"
            )
            found = cursor.execute(query, parameters).fetchall()
        groups: dict[int, ObservedGroup] = {}
        with readable(self._database.file):
            return tuple(_change_of(row, groups) for row in found)


def _row_of(change: ObservedChange) -> tuple[object, ...]:
    return (
        change.id,
        change.op.value,
        rows.path_bytes(change.path),
        rows.path_bytes(change.to),
        rows.image_text(change.before),
        rows.image_text(change.after),
        rows.time_text(change.seen),
        change.group.number if change.group is not None else None,
        json.dumps(change.hints),
    )  # fmt: skip


def _change_of(row: sqlite3.Row, groups: dict[int, ObservedGroup]) -> ObservedChange:
    return ObservedChange(
        id=values.text(row, "id"),
        op=values.word(Operation, row, "op"),
        path=values.path(row, "path"),
        to=values.optional(values.path, row, "target"),
        before=rows.image_of(row, "before"),
        after=rows.image_of(row, "after"),
        seen=values.moment(row, "seen"),
        group=_group_of(row, groups),
        hints=tuple(str(hint) for hint in values.listed(row["hints"], "hints")),
        state=values.word(ObservedState, row, "state"),
        decision=_decision_of(row),
    )


def _group_of(row: sqlite3.Row, groups: dict[int, ObservedGroup]) -> ObservedGroup | None:
    """One value for all changes of a group: there may be thousands."""
    if row["group_number"] is None or row["group_name"] is None:
        return None
    number = values.count(row, "group_number")
    if number not in groups:
        groups[number] = ObservedGroup(
            number,
            values.text(row, "group_name"),
            values.word(GroupKind, row, "group_kind"),
            values.moment(row, "group_first"),
            values.moment(row, "group_last"),
        )
    return groups[number]


def _decision_of(row: sqlite3.Row) -> ObservedDecision | None:
    if row["who"] is None:
        return None
    return ObservedDecision(
        values.text(row, "who"),
        values.moment(row, "decided"),
        values.word(PersonSource, row, "decided_seen"),
        rows.folder_of(row["folder"]) if row["folder"] is not None else None,
    )
