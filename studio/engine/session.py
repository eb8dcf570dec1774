"""Dataclasses of agent sessions, conversation events, and tool calls with decisions."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import Enum
from pathlib import Path
from typing import Any

from studio.engine.plan import PersonSource
from studio.values import Value


class SessionState(Enum):
    """Whether a process acts for the agent, and waits for decisions."""

    ALIVE = "alive"
    WAITING = "waiting"
    GONE = "gone"


class Session(Value):
    """One agent at one door, as of the query.

    `last` is the time of its last call. `name` is the agent's name for the session, "" where it has none and
    can't be resumed. `plans` are the ids of all its proposals, oldest first; `open_plan` is the one that its
    next call may still change, if no step of it is decided by then.
    """

    id: str
    agent: str
    door: str
    since: datetime
    last: datetime
    state: SessionState
    name: str = ""
    plans: tuple[str, ...] = ()
    open_plan: str | None = None


class EventKind(Enum):
    """Kind of an event in a conversation."""

    BEGAN = "began"
    """The agent started.

    Fields: `title`, `version`, `command`, `mode`, `resumed`, and `sandbox` with what it gets there
    (`network`, `logins`), None outside of it.
    """
    PROMPT = "prompt"
    """The person's prompt: `text`."""
    MESSAGE = "message"
    """A part of the agent's message: `text`."""
    THOUGHT = "thought"
    """A part of the agent's reported reasoning: `text`."""
    TODO = "todo"
    """The agent's to-do list; the newest is effective.

    Fields: `entries`, each with `text` and `status`.
    """
    TOOL = "tool"
    """The current state of a tool call.

    Fields: `tool` (its id), `title`, `kind`, `status`, `paths`.
    """
    NOTICE = "notice"
    """Our own notice: `text`, and `is_bad` for a failure."""
    TURN_ENDED = "turn_ended"
    """The agent's turn ended: `reason`."""
    ENDED = "ended"
    """The agent ended: `reason`."""


class SessionEvent(Value):
    """One event of a session.

    `number` counts from 1, `fields` depend on the kind.
    """

    number: int
    when: datetime
    kind: EventKind
    fields: Mapping[str, Any]


class CallState(Enum):
    """State of a tool call: waiting, decided, or given up."""

    WAITING = "waiting"
    ALLOWED = "allowed"
    DENIED = "denied"
    GONE = "gone"


CALL_TRANSITIONS: Mapping[CallState, frozenset[CallState]] = {
    CallState.WAITING: frozenset({CallState.ALLOWED, CallState.DENIED, CallState.GONE}),
    CallState.ALLOWED: frozenset(),
    CallState.DENIED: frozenset(),
    CallState.GONE: frozenset(),
}


class CallDecision(Value):
    """A person's decision on a tool call; the agent receives `text`."""

    is_allowed: bool
    who: str
    when: datetime
    seen: PersonSource
    text: str = ""
    folder: Path | None = None


class ToolCall(Value):
    """One tool call that an agent asks permission for.

    `command` is the shell command, else the tool's arguments as JSON; `cwd` the folder it would run in. A
    person allows or denies it while its agent waits. It is never a step: its effect on files is unknown.
    """

    id: str
    session: str
    agent: str
    tool: str
    command: str
    cwd: str
    state: CallState
    since: datetime
    decision: CallDecision | None = None

    @property
    def short_id(self) -> str:
        """The id's first eight hex digits, which a person types to confirm."""
        return self.id[:8]
