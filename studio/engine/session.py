"""Sessions: one agent at one door, from its first call to its last (design 2, contract 9)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import Enum


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
