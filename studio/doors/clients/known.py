"""Registry of the agents that can be connected, by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from studio.doors.clients.claude_code import CLAUDE_CODE
from studio.doors.clients.client import (
    Client,
    KnownClient,
    TrialClient,
    hook_name_of,
    inherited_variables,
)
from studio.doors.clients.cline import CLINE
from studio.doors.clients.codex import CODEX
from studio.doors.clients.continue_cli import CONTINUE
from studio.doors.clients.gemini import GEMINI
from studio.doors.clients.hook_program import hook_program
from studio.doors.clients.opencode import OPENCODE
from studio.doors.clients.qwen import QWEN
from studio.errors import UsageError
from studio.extras.home_files import stored_file_path
from studio.program.own_program import own_command

CLIENTS_BY_NAME: Final[Mapping[str, KnownClient]] = {
    known.name: known for known in (CLAUDE_CODE, CLINE, CODEX, CONTINUE, GEMINI, OPENCODE, QWEN)
}
CLIENTS: Final = tuple(CLIENTS_BY_NAME)
TRIED_CLIENTS: Final[Mapping[str, TrialClient]] = {
    name: known.tried for name, known in CLIENTS_BY_NAME.items() if known.tried is not None
}
"""Clients whose gates can be tested."""
_UNSEEN_OF_ALL: Final = (
    "Commands and other tools that you allow can write anything: you see the command, not its changes.",
    "With agents: {shell: client} in your configuration, shell commands do not wait for your decision.",
    "Servers and hooks that its own configuration starts run without asking.",
    (
        "Command-line options, environment variables and settings of an organization can disable its "
        "hooks unnoticed."
    ),
    "Settings outside of the open projects, or deep inside a large project, are not read.",
)
"""Limits of every agent with a hook.

It asks before it uses a tool, and for nothing else that it starts.
"""


def client_of(name: str) -> Client:
    """Return the client of that name, for this process' environment variables.

    Raises UsageError.
    """
    client = CLIENTS_BY_NAME.get(name)
    if client is None:
        raise UsageError(
            "connect.unknown",
            f"Unknown agent {name}.",
            f"Use one of: {', '.join(CLIENTS)}, mcp.",
        )
    hook = stored_file_path(hook_name_of(name))
    words = [*own_command(), "hook", name, *client.words]
    entries = client.entries(hook)
    program = hook_program(name, words, hook.parent, inherited_variables(), seconds=client.seconds)
    return Client(
        name,
        client.title,
        client.program,
        tuple(entry for entry in entries if entry.is_wanted),
        None if client.no_gate else program,
        client.habits,
        client.no_gate,
        client.unseen if client.no_gate else (*client.unseen, *_UNSEEN_OF_ALL),
        client.seconds,
        tuple(entry for entry in entries if not entry.is_wanted),
        client.json_extra,
    )
