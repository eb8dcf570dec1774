"""Permission requests of agents for tool calls: creation, reviewer decision, end.

A process of the agent waits while a person decides.
"""

from __future__ import annotations

import uuid

from studio.engine.project.context import Context, Person
from studio.engine.session import CallDecision, CallState, Session, ToolCall
from studio.engine.store import calls
from studio.engine.store.database import translated
from studio.engine.store.rows import now
from studio.errors import Refused
from studio.limits import AGENT_CHARACTERS, CALL_CHARACTERS
from studio.names import show_name


def ask(context: Context, session: Session, tool: str, *, command: str, cwd: str) -> ToolCall:
    """Store a new tool call that waits for a decision.

    This process is present for it until `leave`. Raises Refused.
    """
    if len(command) + len(cwd) > CALL_CHARACTERS:
        raise Refused(
            "call.too_long",
            f"The input of {show_name(tool[:AGENT_CHARACTERS])} is longer than {CALL_CHARACTERS:,}"
            " characters, too long to review.",
            "Split it into smaller calls.",
        )
    store, call_id = context.store, str(uuid.uuid4())
    call = ToolCall(
        id=call_id,
        session=session.id,
        agent=session.agent,
        tool=tool[:AGENT_CHARACTERS],
        command=command,
        cwd=cwd,
        state=CallState.WAITING,
        since=now(),
    )
    with translated(context.folder / "sessions"):
        context.presence.acquire(call_id, waits=True)
    with store.database.write() as connection:
        store.calls.add(connection, call)
        store.sessions.record_activity(connection, session.id)
    return call


def leave(context: Context, call_id: str) -> ToolCall:
    """End this process's presence for a call, and return the call.

    Its state is gone where no one decided it.
    """
    store = context.store
    call = store.calls.get(call_id, {call_id})
    if call.state is CallState.WAITING:
        with store.database.write() as connection:
            call = store.calls.as_it_is(connection, call.id)
            if call.state is CallState.WAITING:
                store.calls.end(connection, call, CallState.GONE)
    context.presence.release(call_id)
    return store.calls.get(call_id, ())


def decide(context: Context, call_id: str, person: Person, text: str, *, is_allowed: bool) -> ToolCall:
    """Store a person's decision on a waiting call.

    Raises Refused for one that ended, NotFound, UsageError.
    """
    store = context.store
    call = store.calls.get(call_id, context.presence.states())
    if call.state is not CallState.WAITING:
        raise calls.ended(call)
    decision = CallDecision(is_allowed, person.name, now(), person.source, text, context.config().folder)
    with store.database.write() as connection:
        store.calls.decide(connection, call, decision)
    return store.calls.get(call.id, ())
