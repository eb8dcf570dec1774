"""Status of an agent's gate: whether its client can write unapproved."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import Enum


class Gate(Enum):
    """What a client does where we can't answer."""

    CLOSED = "closed"
    OPEN_ON_FAILURE = "open on failure"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class GateStatus:
    """Gate status of one connected agent.

    `proved`: it was tried in its current state. `why` is a sentence. `version`, of the client, and `when`,
    with its time zone, are of the last trial, which `is_own` where it ran with the user's own settings, and
    else in an empty home. `file`, for sentences, is what switches the gate off, and `reason` its kind; both
    are "" where none is known.
    """

    agent: str
    gate: Gate
    proved: bool
    why: str
    version: str = ""
    when: datetime | None = None
    file: str = ""
    reason: str = ""
    is_own: bool = False

    @property
    def is_safe(self) -> bool:
        """Whether its client can do nothing without the person's approval."""
        return self.proved and self.gate is Gate.CLOSED
