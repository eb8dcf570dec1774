"""Data types for agent connections: logins, approval enforcement, configuration status and previews.

The doors pass these values to the window.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import Enum
from typing import Final

from msgspec import field

from studio.values import Value

LOGIN_NAMES: Final = (
    "aider", "claude-code", "cline", "codex", "continue", "gemini", "opencode", "qwen",
)  # fmt: skip


"""The agents with known logins."""


class Logins(Value):
    """Login files and folders relative to the home folder.

    `contents` replace the contents of files.
    """

    paths: tuple[str, ...] = ()
    contents: Mapping[str, bytes] = field(default_factory=dict[str, bytes])


NO_LOGINS: Final = Logins()


class Gate(Enum):
    """What a client does where we can't answer."""

    CLOSED = "closed"
    OPEN_ON_FAILURE = "open on failure"
    NONE = "none"


class GateStatus(Value):
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


class ConnectionState(Enum):
    """Status of our entries in an agent's own configuration."""

    NOT_CONNECTED = "not connected"
    CONNECTED = "connected"
    OUTDATED = "outdated"
    """They are unchanged, but this version would write other ones."""
    CHANGED = "changed"
    """One of them was changed."""
    MISSING = "missing"
    """One of them, or our hook program, was removed."""
    UNREADABLE = "unreadable"


class ConnectableAgent(Value):
    """Connection status of one agent.

    `program` is its program's name, `command` starts it in a terminal, "" for the name; `trouble` explains,
    as sentences, why its state can't be read or it can't be connected. `gate_status` is the status of its
    gate, None where it was never connected; `unseen` are sentences on what it can still write unseen, and
    `not_proved` one on why its gate can't be tried, "" where it can. `own_trial` is the command that tries it
    with the user's own settings, `own_files` the files copied for that, and `own_refusal` a sentence on why
    it can't be tried so, "" where it can.
    """

    name: str
    title: str
    program: str
    is_installed: bool
    state: ConnectionState
    unseen: tuple[str, ...]
    trouble: str = ""
    gate_status: GateStatus | None = None
    not_proved: str = ""
    own_trial: str = ""
    own_files: tuple[str, ...] = ()
    own_refusal: str = ""
    command: str = ""

    @property
    def holds_ours(self) -> bool:
        """Whether its configuration may contain our entries."""
        return self.state is not ConnectionState.NOT_CONNECTED


class OtherWays(Value):
    """Ways for agents that can't be connected.

    `mcp_entry` is the JSON text for an MCP client, `inbox` the user's inbox folder, "" for none.
    """

    mcp_entry: str
    inbox: str


class FileDifference(Value):
    """Change of one file: displayed name, unified diff, and its purposes."""

    shown: str
    diff: str
    meanings: tuple[str, ...]


class PlannedChange(Value):
    """Preview of connecting or disconnecting an agent.

    `meanings` are sentences on what is done beside the files, `remarks` on what the user should know; with
    `is_done` there is nothing to do.
    """

    files: tuple[FileDifference, ...]
    meanings: tuple[str, ...]
    remarks: tuple[str, ...]
    is_done: bool


class ChangeMade(Value):
    """The change was made as shown.

    `backups` are the copies of the old files, `missing` is a sentence on what is still wrong, "" for nothing.
    """

    backups: tuple[str, ...]
    missing: str


class ChangeNotMade(Value):
    """The change was not made, with the reason as sentences.

    `made` are files that were changed before the failure.
    """

    message: str
    hint: str
    made: tuple[str, ...] = ()


ChangeMessage = PlannedChange | ChangeMade | ChangeNotMade


"""Message of a process that previews such a change and then makes it."""
