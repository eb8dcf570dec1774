"""What an agent's gate is worth: whether its client can write without a person's word (design 2)."""

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
class GateStanding:
    """The gate of one connected agent as it stands now.

    `proved`: it was tried with what is there now. `why` is a sentence. `version`, of the client, and `when`,
    with its zone, are of the last trial, which `is_own` where it was made with its user's own settings, and
    else in an empty home. `file`, for sentences, switches it off, and `reason` is its kind; both are ""
    where none is known.
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
        """Whether nothing that its client does passes by the person."""
        return self.proved and self.gate is Gate.CLOSED
