"""Sessions: one agent at one door, from its first call to its last (design 2, contract 9)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Any


class SessionState(Enum):
    """Whether a process is there that speaks for the agent, and whether it waits for a decision."""

    ALIVE = "alive"
    WAITING = "waiting"
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class Session:
    """One agent at one door, as it stood when it was asked for.

    `last` is when its last call came. `name` is what the agent calls the session, "" where it has none and
    nobody can come back to it. `plans` are the ids of all it proposed, oldest first; `open_plan` is the one
    that its next call may still change, if no step of it is decided by then.
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
    """What was said or done in a session that a person talks in."""

    BEGAN = "began"
    """The agent is there: `title`, `version`, `command`, `mode`, `resumed`, and as `sandbox` what it is given
    there (`network`, `logins`), None outside of it."""
    PROMPT = "prompt"
    """What the person said: `text`."""
    MESSAGE = "message"
    """A piece of what the agent says: `text`."""
    THOUGHT = "thought"
    """A piece of what it says it thinks: `text`."""
    TODO = "todo"
    """What it means to do: `entries`, each with `text` and `status`. The newest counts."""
    TOOL = "tool"
    """A use of a tool, as it is now: `tool` (its id), `title`, `kind`, `status`, `paths`."""
    NOTICE = "notice"
    """What we say of it: `text`, and `is_bad` where something went wrong."""
    TURN_ENDED = "turn_ended"
    """The agent has nothing more to say to a prompt: `reason`."""
    ENDED = "ended"
    """The agent is gone: `reason`."""


@dataclass(frozen=True, slots=True)
class SessionEvent:
    """One thing said or done in a session; `number` counts them from 1, `fields` are as its kind says."""

    number: int
    when: datetime
    kind: EventKind
    fields: Mapping[str, Any]
