"""Tool calls: agents' requests that can't be shown as file changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from pathlib import Path

from studio.engine.plan import PersonSource


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


@dataclass(frozen=True, slots=True)
class CallDecision:
    """A person's decision on a tool call; the agent receives `text`."""

    is_allowed: bool
    who: str
    when: datetime
    seen: PersonSource
    text: str = ""
    folder: Path | None = None


@dataclass(frozen=True, slots=True)
class Call:
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
