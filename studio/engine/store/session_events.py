"""Database access for session conversation events and plans' trial command results."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any, cast

from studio.engine.session import EventKind, SessionEvent
from studio.engine.store import rows, values
from studio.engine.store.database import Database, readable
from studio.engine.trial import Trial
from studio.limits import EVENT_CHARACTERS, EVENT_ITEMS_UP_TO, SESSION_EVENTS_UP_TO, TRIALS_UP_TO

_APART = ("plan", "made")
_FIELDS = tuple(name for name in Trial.__struct_fields__ if name not in _APART)


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


class SessionEvents:
    """Events of all sessions, in order.

    Methods that write take the transaction's connection.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(
        self, connection: sqlite3.Connection, session: str, kind: EventKind, fields: Mapping[str, Any]
    ) -> None:
        """Store an event; each session keeps its newest SESSION_EVENTS_UP_TO."""
        moment = rows.time_text(rows.now())
        query = "SELECT COALESCE(MAX(number), 0) + 1 FROM session_events WHERE session = ?"
        (number,) = connection.execute(query, (session,)).fetchone()
        connection.execute(
            "INSERT INTO session_events (session, number, made, kind, fields) VALUES (?, ?, ?, ?, ?)",
            (session, number, moment, kind.value, json.dumps(_shorten(fields))),
        )
        connection.execute(
            "DELETE FROM session_events WHERE session = ? AND number <= ?",
            (session, number - SESSION_EVENTS_UP_TO),
        )

    def after(self, session: str, number: int, up_to: int) -> tuple[SessionEvent, ...]:
        """Return events of a session after a number, oldest first.

        They are at most `up_to`.
        """
        with self._database.read() as connection:
            cursor = connection.cursor()
            cursor.row_factory = sqlite3.Row
            found = cursor.execute(
                "SELECT * FROM session_events WHERE session = ? AND number > ? ORDER BY number LIMIT ?",
                (session, number, up_to),
            ).fetchall()
        with readable(self._database.file):
            return tuple(_build_event(row) for row in found)


def _shorten(value: object) -> object:
    """Truncate texts and lists, since an agent's have no limit."""
    if isinstance(value, str):
        return value[:EVENT_CHARACTERS]
    if isinstance(value, Mapping):
        return {key: _shorten(each) for key, each in cast("Mapping[str, object]", value).items()}
    if isinstance(value, (list, tuple)):
        return [_shorten(each) for each in cast("Sequence[object]", value)[:EVENT_ITEMS_UP_TO]]
    return value


def _build_event(row: sqlite3.Row) -> SessionEvent:
    return SessionEvent(
        number=values.count(row, "number"),
        when=values.moment(row, "made"),
        kind=values.enum_value(EventKind, row, "kind"),
        fields=values.json_object(row["fields"], "fields"),
    )
