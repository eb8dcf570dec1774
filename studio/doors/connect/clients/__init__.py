"""The agents that can be connected: their files, and our entries in them."""

from studio.doors.connect.clients.client import (
    PASSED_ON,
    SERVER,
    Client,
    Entry,
    OffReason,
    Switch,
    hook_command,
    identity,
    is_group,
    project_server_entry,
    server_entry,
)
from studio.doors.connect.clients.known import CLAUDE_CODE, CLIENTS, CODEX, OPENCODE, client_of

__all__ = [
    "CLAUDE_CODE",
    "CLIENTS",
    "CODEX",
    "OPENCODE",
    "PASSED_ON",
    "SERVER",
    "Client",
    "Entry",
    "OffReason",
    "Switch",
    "client_of",
    "hook_command",
    "identity",
    "is_group",
    "project_server_entry",
    "server_entry",
]
