"""Agents that can be connected, and what connecting one would change, as the doors tell the window."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from studio.engine.gate import GateStanding


class ConnectionState(Enum):
    """How our entries stand in an agent's own configuration."""

    NOT_CONNECTED = "not connected"
    CONNECTED = "connected"
    OUTDATED = "outdated"
    """They are as they were written, and would be written otherwise now."""
    CHANGED = "changed"
    """Somebody changed one of them."""
    MISSING = "missing"
    """Somebody took one of them out, or our hook program."""
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class ConnectableAgent:
    """One agent as it stands now: `program` is what it is started as, `trouble` why its state can't be read,
    or it can't be connected, as sentences.

    `standing` is what its gate is worth, None where it was never connected; `unseen` are sentences on what it
    can still write without being seen, and `not_proved` one on why its gate can't be tried, "" where it can.
    `own_trial` is the command that tries it with its user's own settings, `own_files` what that is given
    copies of, and `own_refusal` a sentence on why it can't be tried so, "" where it can.
    """

    name: str
    title: str
    program: str
    is_installed: bool
    state: ConnectionState
    unseen: tuple[str, ...]
    trouble: str = ""
    standing: GateStanding | None = None
    not_proved: str = ""
    own_trial: str = ""
    own_files: tuple[str, ...] = ()
    own_refusal: str = ""

    @property
    def holds_ours(self) -> bool:
        """Whether anything of ours may stand in its configuration."""
        return self.state is not ConnectionState.NOT_CONNECTED


@dataclass(frozen=True, slots=True)
class FileDifference:
    """What would become of one file: its name for sentences, a unified diff, and what that is good for."""

    shown: str
    diff: str
    meanings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PlannedChange:
    """What connecting an agent, or taking that back, would do. `meanings` are sentences on what is done
    beside the files, `remarks` on what a person should know; with `is_done` nothing is left to do."""

    files: tuple[FileDifference, ...]
    meanings: tuple[str, ...]
    remarks: tuple[str, ...]
    is_done: bool


@dataclass(frozen=True, slots=True)
class ChangeMade:
    """It was done as it was shown. `backups` are where files are kept as they were, `missing` a sentence on
    what is not as it should be all the same, "" for nothing."""

    backups: tuple[str, ...]
    missing: str


@dataclass(frozen=True, slots=True)
class ChangeNotMade:
    """Why it was not done, as sentences. `made` are files that were changed before."""

    message: str
    hint: str
    made: tuple[str, ...] = ()


ToldOfChange = PlannedChange | ChangeMade | ChangeNotMade
"""What a process says that shows such a change and then makes it."""
