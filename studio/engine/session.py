"""Sessions: one agent at one door, from first to last call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Any


class SessionState(Enum):
    """Whether a process acts for the agent, and waits for decisions."""

    ALIVE = "alive"
    WAITING = "waiting"
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class Session:
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


@dataclass(frozen=True, slots=True)
class SessionEvent:
    """One event of a session.

    `number` counts from 1, `fields` depend on the kind.
    """

    number: int
    when: datetime
    kind: EventKind
    fields: Mapping[str, Any]
