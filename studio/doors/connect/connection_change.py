"""Connecting or disconnecting an agent: configuration edits, and Codex's hook trust.

Nothing is decided here: the caller has shown it to a person, who confirmed.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from importlib.util import find_spec
from pathlib import Path

from studio.doors.clients.client import Client, hook_command
from studio.doors.clients.codex import CODEX
from studio.doors.clients.codex_trust import HookTrust, forget_trust, query_trust, set_trust, trusted_key
from studio.doors.connect.connection import (
    Connection,
    carry_out,
    plan_connection,
    plan_removal,
    remove_empty_files,
)
from studio.values import Value


class AgentChange(Value):
    """The change of an agent's files, and Codex's trust in the hook.

    The trust is queried only where nothing else is to be done.
    """

    connection: Connection
    trust: HookTrust

    @property
    def client(self) -> Client:
        return self.connection.client

    @property
    def is_done(self) -> bool:
        """Whether nothing is left that can be done here."""
        return self.connection.is_done and (self.trust.is_trusted or not self.client.is_installed)

    @property
    def meanings(self) -> tuple[str, ...]:
        """One sentence for each effect beside the files."""
        if self.client.name != CODEX.name:
            return ()
        if not self.connection.removes:
            return ("Codex will trust the hook.",)
        return ("Codex will no longer trust the hook.",) if self.client.is_installed else ()

    @property
    def remarks(self) -> list[str]:
        """What a person should know beside the change itself."""
        client, connection = self.client, self.connection
        remarks = [
            f"The entry of Exacta Studio in {change.file.display_name} was changed or removed."
            for change in connection.files
            if change.is_lost
        ]
        if not connection.removes and not client.is_installed:
            remarks.append(f"{client.title} is not installed, or {client.program} is not on PATH.")
        if not connection.removes and client.no_gate:
            remarks.append(client.no_gate)
        if not connection.removes and find_spec("mcp") is None:
            remarks.append(
                "The tools require the package mcp, which is not installed: pip install 'mcp>=2.3,<3'"
            )
        return remarks


def plan_change(client: Client, *, removes: bool, asks: bool = True) -> AgentChange:
    """Return the change that connecting or removing would make.

    Changes nothing. `asks`: query Codex where only its trust is left. Raises as `plan_connection`.
    """
    connection = plan_removal(client) if removes else plan_connection(client)
    trust = HookTrust()
    if asks and client.name == CODEX.name and connection.is_done and not removes:
        trust = query_trust(hook_command(client))
    return AgentChange(connection, trust)


def make_change(
    change: AgentChange, hold: Callable[[], AbstractContextManager[object]] = nullcontext
) -> tuple[dict[Path, str], HookTrust]:
    """Carry out the change; write files within a `held` block.

    Returns the backup of each file, and Codex's trust in the hook afterwards. Raises as `carry_out`.
    """
    client, trust = change.client, HookTrust()
    is_codex, removes = client.name == CODEX.name, change.connection.removes
    # Codex reports the hook's key only while the hook is there.
    key = trusted_key(hook_command(client)) if is_codex and removes else ""
    with hold():
        backups = carry_out(change.connection)
    if is_codex and not removes:
        trust = set_trust(hook_command(client))
    if key:
        trust = forget_trust(key)
    if removes:
        with hold():
            remove_empty_files(change.connection)
    return backups, trust
