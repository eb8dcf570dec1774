"""Database access for file changes made outside plans, and scan state."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence

from msgspec.structs import replace

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
from studio.errors import Conflict
from studio.limits import OBSERVED_CLOSED_UP_TO
from studio.values import Value

_MARKS = "observed"
_BEGUN = "observed_begun"
_WRITINGS = "observed_writings"
_ASKED_AT_ONCE = 500
"""Number of parameters that every SQLite version accepts in one query."""

_SELECT = (
    "SELECT observed.*, observed_groups.name AS group_name, observed_groups.kind AS group_kind,"
    " observed_groups.first AS group_first, observed_groups.last AS group_last"
    " FROM observed LEFT JOIN observed_groups ON observed_groups.number = observed.group_number"
)


class ObservedMarks(Value):
    """State of the last scan.

    The baseline's commit and the last scanned tree, in hex; the last journal position whose writes the
    baseline includes; the state of git at that time, by name.
    """

    baseline: str
    tree: str
    position: int
    git: Mapping[str, str | None]


Stamp = tuple[str, str, int | None]
"""Id, time seen, and group number of an open change.

No two versions of a change have the same, because a changed one is seen anew.
"""


class OpenSince(Value):
    """The open changes, without those that the caller already has.

    `stamps` are all of them in the order first seen, and `read` the changes unknown to the caller. `writings`
    is the number of writes so far.
    """

    writings: int
    stamps: tuple[Stamp, ...]
    read: Mapping[Stamp, ObservedChange]
    groups: Mapping[int, ObservedGroup]


class ObservedRows:
    """Observed changes of one project.

    Methods that write take the transaction's connection.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def marks(self) -> ObservedMarks | None:
        """Return the state of the last scan.

        None where there was no scan or the state is damaged: then a new baseline is made.
        """
        with self._database.read() as connection:
            row = connection.execute("SELECT value FROM meta WHERE key = ?", (_MARKS,)).fetchone()
        try:
            return None if row is None else ObservedMarks(**json.loads(row[0]))
        except (ValueError, TypeError):
            return None

    def set_marks(self, connection: sqlite3.Connection, marks: ObservedMarks) -> None:
        text = json.dumps(
            {
                "baseline": marks.baseline,
                "tree": marks.tree,
                "position": marks.position,
                "git": dict(marks.git),
            }
        )
        connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (_MARKS, text))
        connection.execute("DELETE FROM meta WHERE key = ?", (_BEGUN,))

    def indexing_position(self) -> int | None:
        """Return the journal's last position when an interrupted indexing began.

        None where no first indexing was interrupted.
        """
        with self._database.read() as connection:
            # Builds from before this row existed leave it in place when they finish indexing.
            row = connection.execute(
                "SELECT value FROM meta WHERE key = ? AND NOT EXISTS (SELECT 1 FROM meta WHERE key = ?)",
                (_BEGUN, _MARKS),
            ).fetchone()
        return None if row is None else int(row[0])

    def set_indexing_position(self, connection: sqlite3.Connection, position: int) -> None:
        """Note that the first indexing found all files without reading them."""
        connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (_BEGUN, position))

    def open_since(self, writings: int, cached: Collection[Stamp]) -> OpenSince | None:
        """Return the open changes, None if there were no writes since.

        `writings` is the number of writes that the caller knows. Only changes that are not in `cached` are
        read completely: there may be tens of thousands.
        """
        with self._database.read() as connection:
            now = _read_writings(connection)
            if now == writings:
                return None
            stamps: tuple[Stamp, ...] = tuple(
                connection.execute(
                    "SELECT id, seen, group_number FROM observed WHERE state = 'open' ORDER BY sequence"
                )
            )
            changed = {stamp[0]: stamp for stamp in stamps if stamp not in cached}
            found = self._read_each(connection, list(changed))
            numbered = _fetch_rows(connection, "SELECT * FROM observed_groups", ())
        with readable(self._database.file):
            groups = dict(map(_number_group, numbered))
        return OpenSince(now, stamps, {changed[change.id]: change for change in found}, groups)

    def all(self) -> tuple[ObservedChange, ...]:
        """Return all stored changes, including the newest decided ones."""
        return self._select_changes("", ())

    def get(self, id_or_prefix: str) -> ObservedChange:
        """Return the change with that id or unique prefix.

        Raises NotFound or UsageError.
        """
        with self._database.read() as connection:
            found = full_id(connection, id_or_prefix, "observed")
        return self._select_changes("WHERE observed.id = ?", (found,))[0]

    def replace(
        self,
        connection: sqlite3.Connection,
        obsolete: Iterable[ObservedChange],
        updated: Iterable[ObservedChange],
    ) -> None:
        """Delete open changes that are gone, and store new and updated ones."""
        _count_writing(connection)
        connection.executemany(
            "DELETE FROM observed WHERE id = ? AND state = 'open'", [(change.id,) for change in obsolete]
        )
        connection.executemany(
            "INSERT INTO observed (id, op, path, target, before, after, seen, group_number, hints, state)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'open')"
            " ON CONFLICT (id) DO UPDATE SET op = excluded.op, before = excluded.before,"
            " after = excluded.after, seen = excluded.seen, group_number = excluded.group_number,"
            " hints = excluded.hints WHERE state = 'open'",
            [_to_row(change) for change in updated],
        )
        connection.execute(
            "DELETE FROM observed_groups WHERE number NOT IN"
            " (SELECT group_number FROM observed WHERE group_number IS NOT NULL)"
        )

    def store_group(self, connection: sqlite3.Connection, group: ObservedGroup) -> ObservedGroup:
        """Store a group, and return it with its number.

        A new group has number 0 and gets one.
        """
        _count_writing(connection)
        values = (group.name, group.kind.value, rows.time_text(group.first), rows.time_text(group.last))
        if group.number:
            connection.execute(
                "INSERT OR REPLACE INTO observed_groups VALUES (?, ?, ?, ?, ?)", (group.number, *values)
            )
            return group
        cursor = connection.execute(
            "INSERT INTO observed_groups (name, kind, first, last) VALUES (?, ?, ?, ?)", values
        )
        return replace(group, number=cursor.lastrowid or 0)

    def close(
        self,
        connection: sqlite3.Connection,
        changes: Sequence[ObservedChange],
        state: ObservedState,
        decision: ObservedDecision,
    ) -> None:
        """Record a decision on open changes, after `check_open`."""
        assert all(state in OBSERVED_TRANSITIONS[change.state] for change in changes)
        _count_writing(connection)
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
        """Raise Conflict unless these changes are open and as shown."""
        chosen = tuple(changes)
        with self._database.read() as connection:
            found = self._read_each(connection, [change.id for change in chosen])
        revisions = {change.id: change.revision for change in found if change.state is ObservedState.OPEN}
        for change in chosen:
            if revisions.get(change.id) != change.revision:
                raise Conflict(
                    "observed.changed",
                    "The outside change just changed. Nothing was decided.",
                    "Review it again.",
                    path=change.target,
                )

    def _select_changes(self, where: str, parameters: tuple[str, ...]) -> tuple[ObservedChange, ...]:
        with self._database.read() as connection:
            found = _fetch_rows(connection, f"{_SELECT} {where} ORDER BY observed.sequence", parameters)
        return self._build_changes(found)

    def _read_each(self, connection: sqlite3.Connection, ids: Sequence[str]) -> tuple[ObservedChange, ...]:
        """Return the changes with these ids, open or not."""
        found: list[sqlite3.Row] = []
        for first in range(0, len(ids), _ASKED_AT_ONCE):
            some = ids[first : first + _ASKED_AT_ONCE]
            where = f"WHERE observed.id IN ({', '.join('?' * len(some))})"
            found += _fetch_rows(connection, f"{_SELECT} {where}", some)
        return self._build_changes(found)

    def _build_changes(self, found: Iterable[sqlite3.Row]) -> tuple[ObservedChange, ...]:
        groups: dict[int, ObservedGroup] = {}
        with readable(self._database.file):
            return tuple(_build_change(row, groups) for row in found)


def _fetch_rows(connection: sqlite3.Connection, query: str, parameters: Sequence[str]) -> list[sqlite3.Row]:
    cursor = connection.cursor()
    cursor.row_factory = sqlite3.Row
    return cursor.execute(query, parameters).fetchall()


def _read_writings(connection: sqlite3.Connection) -> int:
    row = connection.execute("SELECT value FROM meta WHERE key = ?", (_WRITINGS,)).fetchone()
    return 0 if row is None else int(row[0])


def _count_writing(connection: sqlite3.Connection) -> None:
    """Count a write, so that readers notice that open changes differ."""
    connection.execute(
        "INSERT OR REPLACE INTO meta VALUES (?, ?)", (_WRITINGS, _read_writings(connection) + 1)
    )


def _number_group(row: sqlite3.Row) -> tuple[int, ObservedGroup]:
    number = values.count(row, "number")
    return number, _build_group(row, number, "")


def _to_row(change: ObservedChange) -> tuple[object, ...]:
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


def _build_change(row: sqlite3.Row, groups: dict[int, ObservedGroup]) -> ObservedChange:
    return ObservedChange(
        id=values.text(row, "id"),
        op=values.enum_value(Operation, row, "op"),
        path=values.path(row, "path"),
        to=values.optional(values.path, row, "target"),
        before=rows.image_of(row, "before"),
        after=rows.image_of(row, "after"),
        seen=values.moment(row, "seen"),
        group=_find_group(row, groups),
        hints=tuple(str(hint) for hint in values.json_list(row["hints"], "hints")),
        state=values.enum_value(ObservedState, row, "state"),
        decision=_build_decision(row),
    )


def _find_group(row: sqlite3.Row, groups: dict[int, ObservedGroup]) -> ObservedGroup | None:
    """Return one shared object per group: thousands of changes may have it."""
    if row["group_number"] is None or row["group_name"] is None:
        return None
    number = values.count(row, "group_number")
    if number not in groups:
        groups[number] = _build_group(row, number, "group_")
    return groups[number]


def _build_group(row: sqlite3.Row, number: int, prefix: str) -> ObservedGroup:
    return ObservedGroup(
        number,
        values.text(row, f"{prefix}name"),
        values.enum_value(GroupKind, row, f"{prefix}kind"),
        values.moment(row, f"{prefix}first"),
        values.moment(row, f"{prefix}last"),
    )


def _build_decision(row: sqlite3.Row) -> ObservedDecision | None:
    if row["who"] is None:
        return None
    return ObservedDecision(
        values.text(row, "who"),
        values.moment(row, "decided"),
        values.enum_value(PersonSource, row, "decided_seen"),
        rows.folder_of(row["folder"]) if row["folder"] is not None else None,
    )
