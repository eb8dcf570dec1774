"""Calls: an agent asks to do what is no file change that can be shown (design 2, contract 4)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from pathlib import Path

from studio.engine.plan import PersonSource


class CallState(Enum):
    """Who waits for a person's word, got it, or is there no longer."""

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
    """A person's word on a call; `text` is what the agent is told with it."""

    is_allowed: bool
    who: str
    when: datetime
    seen: PersonSource
    text: str = ""
    folder: Path | None = None


@dataclass(frozen=True, slots=True)
class Call:
    """One use of a tool that an agent asks for. `command` is what a shell would be given, else the tool's
    arguments as JSON; `cwd` the folder it would run in.

    It is allowed or denied by a person while its agent waits, and is never a step: what it does to files
    nobody has seen.
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
        """The first eight hex digits: what a person types to show themselves."""
        return self.id[:8]
