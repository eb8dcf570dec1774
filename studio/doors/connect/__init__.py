"""Connection of agents: add and remove entries in their configuration.

Removing an entry restores the exact bytes from before.
"""

from studio.doors.clients.client import (
    SERVER,
    Client,
    hook_command,
    project_server_entry,
    server_entry,
    server_entry_text,
)
from studio.doors.clients.codex import CODEX
from studio.doors.clients.known import CLIENTS, client_of
from studio.doors.clients.opencode import OPENCODE
from studio.doors.connect.connection import (
    Connection,
    EntryState,
    FileChange,
    carry_out,
    check_connection,
    entry_states,
    has_written_entries,
    is_own_server,
    only_own_server,
    plan_connection,
    plan_removal,
)
from studio.doors.connect.disabled_hooks import DisabledHooks, find_disabled_hooks, hook_settings
from studio.doors.connect.ungated_plugins import find_unasked_code

__all__ = [
    "CLIENTS",
    "CODEX",
    "OPENCODE",
    "SERVER",
    "Client",
    "Connection",
    "DisabledHooks",
    "EntryState",
    "FileChange",
    "carry_out",
    "check_connection",
    "client_of",
    "entry_states",
    "find_disabled_hooks",
    "find_unasked_code",
    "has_written_entries",
    "hook_command",
    "hook_settings",
    "is_own_server",
    "only_own_server",
    "plan_connection",
    "plan_removal",
    "project_server_entry",
    "server_entry",
    "server_entry_text",
]
