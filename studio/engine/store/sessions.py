"""Database access for agent sessions: agent, interface, name, start, open plan."""

from __future__ import annotations

import sqlite3
import uuid
from collections.abc import Mapping

from msgspec.structs import replace

from studio.engine.session import Session, SessionState
from studio.engine.store import rows, values
from studio.engine.store.database import Database, readable


class Sessions:
    """Sessions of one project.

    Methods that write take the transaction's connection. Whether a session is alive is not stored: its
    process shows it with a lock (`presence`).
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def begin(self, connection: sqlite3.Connection, agent: str, door: str, name: str = "") -> str:
        """Return the id of a new or, by name, an existing session.

        Agents choose their names and their sessions': a lone surrogate is stored as an escape.
        """
        agent, name = (text.encode("utf-8", "backslashreplace").decode() for text in (agent, name))
        moment = rows.time_text(rows.now())
        if name:
            found = connection.execute(
                "SELECT id FROM sessions WHERE agent = ? AND door = ? AND name = ?", (agent, door, name)
            ).fetchone()
            if found is not None:
                self.record_activity(connection, str(found[0]))
                return str(found[0])
        session = str(uuid.uuid4())
        connection.execute(
            "INSERT INTO sessions (id, agent, door, name, since, last) VALUES (?, ?, ?, ?, ?, ?)",
            (session, agent, door, name, moment, moment),
        )
        return session

    def record_activity(self, connection: sqlite3.Connection, session: str) -> None:
        """Record that the session's agent made a call now."""
        moment = rows.time_text(rows.now())
        connection.execute("UPDATE sessions SET last = ? WHERE id = ?", (moment, session))

    def forget_unused(self, connection: sqlite3.Connection, session: str) -> None:
        """Delete an ended session that has no name, plans or calls.

        No one can return to it, and each command of an agent would leave one.
        """
        connection.execute(
            "DELETE FROM sessions WHERE id = ? AND name = ''"
            " AND NOT EXISTS (SELECT 1 FROM plans WHERE session = sessions.id)"
            " AND NOT EXISTS (SELECT 1 FROM calls WHERE session = sessions.id)",
            (session,),
        )

    def open_plan(self, connection: sqlite3.Connection, session: str) -> str | None:
        """Return the plan that the session's last call left open.

        It may have any state by now.
        """
        found = connection.execute("SELECT open_plan FROM sessions WHERE id = ?", (session,)).fetchone()
        return None if found is None else found[0]

    def set_open_plan(self, connection: sqlite3.Connection, session: str, plan_id: str) -> None:
        """Record the plan that the session's next call may change."""
        connection.execute("UPDATE sessions SET open_plan = ? WHERE id = ?", (plan_id, session))

    def adopt(self, connection: sqlite3.Connection, session: str, plan_id: str) -> None:
        """Make a plan of another session this one's.

        The next call may change it, unless this session has an open plan.
        """
        connection.execute("UPDATE plans SET session = ? WHERE id = ?", (session, plan_id))
        connection.execute(
            "UPDATE sessions SET open_plan = ? WHERE id = ? AND (open_plan IS NULL OR open_plan IN"
            " (SELECT id FROM plans WHERE state NOT IN ('pending', 'approved', 'paused')))",
            (plan_id, session),
        )

    def get(self, session: str) -> Session | None:
        """Return one session, in the state GONE, or None."""
        found = self._select_sessions("WHERE id = ?", (session,))
        return found[0] if found else None

    def all(self, states: Mapping[str, SessionState]) -> tuple[Session, ...]:
        """Return all sessions in order of their start.

        `states` has those of all that are not gone.
        """
        return tuple(
            replace(session, state=states.get(session.id, SessionState.GONE))
            for session in self._select_sessions("", ())
        )

    def _select_sessions(self, where: str, parameters: tuple[str, ...]) -> tuple[Session, ...]:
        with self._database.read() as connection:
            cursor = connection.cursor()
            cursor.row_factory = sqlite3.Row
            found = cursor.execute(f"SELECT * FROM sessions {where} ORDER BY sequence", parameters).fetchall()
            plans: dict[str, list[str]] = {}
            query = "SELECT session, id FROM plans WHERE session IS NOT NULL ORDER BY sequence"
            for session, plan_id in connection.execute(query):
                plans.setdefault(session, []).append(plan_id)
        with readable(self._database.file):
            return tuple(_build_session(row, tuple(plans.get(row["id"], ()))) for row in found)


def _build_session(row: sqlite3.Row, plans: tuple[str, ...]) -> Session:
    return Session(
        id=values.text(row, "id"),
        agent=values.text(row, "agent"),
        door=values.text(row, "door"),
        since=values.moment(row, "since"),
        last=values.moment(row, "last"),
        state=SessionState.GONE,
        name=values.text(row, "name"),
        plans=plans,
        open_plan=values.optional(values.text, row, "open_plan"),
    )
