"""Database access for agents' tool calls and the decisions on them."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Collection

from msgspec.structs import replace

from studio.engine.plan import PersonSource
from studio.engine.session import CALL_TRANSITIONS, CallDecision, CallState, ToolCall
from studio.engine.store import rows, values
from studio.engine.store.database import Database, readable
from studio.engine.store.selection import full_id
from studio.errors import Refused
from studio.limits import CALLS_KEPT_UP_TO

_COLUMNS = "calls.*, sessions.agent AS agent"


class Calls:
    """Tool calls of one project.

    Methods that write take the transaction's connection. A waiting row may outlive its agent: methods that
    read are given the ids of the calls whose agents are present (`presence`).
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, connection: sqlite3.Connection, call: ToolCall) -> None:
        """Store a new call, and delete all but the newest ended ones."""
        connection.execute(
            "INSERT INTO calls (id, session, tool, command, cwd, state, since) VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                call.id, call.session, call.tool, call.command, rows.path_bytes(call.cwd),
                call.state.value, rows.time_text(call.since),
            ),
        )  # fmt: skip
        connection.execute(
            "DELETE FROM calls WHERE state <> 'waiting'"
            " AND sequence <= (SELECT MAX(sequence) FROM calls) - ?",
            (CALLS_KEPT_UP_TO,),
        )

    def get(self, id_or_prefix: str, present: Collection[str]) -> ToolCall:
        """Return the call with that id or unique prefix.

        A prefix has at least 4 characters. Raises NotFound or UsageError.
        """
        with self._database.read() as connection:
            call_id = full_id(connection, id_or_prefix, "calls")
            return self._select_calls(connection, "WHERE calls.id = ?", (call_id,), present)[0]

    def as_it_is(self, connection: sqlite3.Connection, call_id: str) -> ToolCall:
        """Return a call as this transaction sees it, its agent being present."""
        return self._select_calls(connection, "WHERE calls.id = ?", (call_id,), {call_id})[0]

    def all(self, present: Collection[str]) -> tuple[ToolCall, ...]:
        """Return all stored calls, oldest first."""
        with self._database.read() as connection:
            return self._select_calls(connection, "", (), present)

    def end(self, connection: sqlite3.Connection, call: ToolCall, state: CallState) -> None:
        """Move a call to a state that CALL_TRANSITIONS allows.

        Raises Refused for one that ended.
        """
        stored = connection.execute("SELECT state FROM calls WHERE id = ?", (call.id,)).fetchone()
        previous = CallState(stored[0]) if stored is not None else CallState.GONE
        if state not in CALL_TRANSITIONS[previous]:
            raise ended(replace(call, state=previous))
        connection.execute("UPDATE calls SET state = ? WHERE id = ?", (state.value, call.id))

    def decide(self, connection: sqlite3.Connection, call: ToolCall, decision: CallDecision) -> None:
        """Record a person's decision.

        Raises Refused for a call that ended.
        """
        self.end(connection, call, CallState.ALLOWED if decision.is_allowed else CallState.DENIED)
        folder = os.fsencode(decision.folder) if decision.folder is not None else None
        connection.execute(
            "UPDATE calls SET who = ?, made = ?, seen = ?, words = ?, folder = ? WHERE id = ?",
            (
                decision.who, rows.time_text(decision.when), decision.seen.value, decision.text, folder,
                call.id,
            ),
        )  # fmt: skip

    def _select_calls(
        self,
        connection: sqlite3.Connection,
        where: str,
        parameters: tuple[str, ...],
        present: Collection[str],
    ) -> tuple[ToolCall, ...]:
        cursor = connection.cursor()
        cursor.row_factory = sqlite3.Row
        query = f"SELECT {_COLUMNS} FROM calls JOIN sessions ON sessions.id = calls.session {where} "
        found = cursor.execute(f"{query} ORDER BY calls.sequence", parameters).fetchall()
        with readable(self._database.file):
            return tuple(_build_call(row, present) for row in found)


def ended(call: ToolCall) -> Refused:
    """Return the error for a decision on a call no longer waiting."""
    words = {
        CallState.ALLOWED: "was allowed already",
        CallState.DENIED: "was denied already",
    }.get(call.state, "has ended: its agent no longer waits")
    return Refused("call.ended", f"Call {call.short_id} {words}.", "It needs no decision.")


def _build_call(row: sqlite3.Row, present: Collection[str]) -> ToolCall:
    state = values.enum_value(CallState, row, "state")
    call_id = values.text(row, "id")
    if state is CallState.WAITING and call_id not in present:
        state = CallState.GONE
    return ToolCall(
        id=call_id,
        session=values.text(row, "session"),
        agent=values.text(row, "agent"),
        tool=values.text(row, "tool"),
        command=values.text(row, "command"),
        cwd=values.path(row, "cwd"),
        state=state,
        since=values.moment(row, "since"),
        decision=_build_decision(row, state),
    )


def _build_decision(row: sqlite3.Row, state: CallState) -> CallDecision | None:
    if row["who"] is None:
        return None
    return CallDecision(
        is_allowed=state is CallState.ALLOWED,
        who=values.text(row, "who"),
        when=values.moment(row, "made"),
        seen=values.enum_value(PersonSource, row, "seen"),
        text=values.text(row, "words"),
        folder=rows.folder_of(row["folder"]) if row["folder"] is not None else None,
    )
