"""`studio connect`: an agent's own configuration, changed for a person who saw how, or back (contract 9)."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from studio.doors.cli import texts
from studio.doors.cli.answer import DONE, REFUSED, Answer
from studio.doors.cli.interrupts import held_interrupts
from studio.doors.cli.person import About, require_person
from studio.doors.connect import (
    CODEX,
    Client,
    Connection,
    carry_out,
    check_connection,
    client_of,
    hook_command,
    plan_connection,
    plan_removal,
    server_entry,
)
from studio.doors.connect.codex_trust import HookTrust, forget_trust, look_at_trust, set_trust, trusted_key
from studio.engine.config import ReviewCommandLine, user_review
from studio.engine.errors import UsageError
from studio.engine.names import show_lines, show_name

MCP: Final = "mcp"


@dataclass(frozen=True, slots=True)
class _NoProject:
    """Whom to ask about what belongs to no project."""

    command_line_review: ReviewCommandLine


def connect(arguments: Namespace) -> Answer:
    """Connect the agent, take that back, or only say what would be changed.

    Raises NeedsPerson, Refused, Conflict or FileError.
    """
    if arguments.agent == MCP:
        return _entry_of_server(arguments)
    client = client_of(arguments.agent)
    connection = plan_removal(client) if arguments.remove else plan_connection(client)
    remarks = _remarks(client, connection)
    if arguments.dry_run:
        return _answer(connection, remarks, done=connection.is_done)
    trust = HookTrust()
    if client.name == CODEX and connection.is_done and not arguments.remove:
        trust = look_at_trust(hook_command(client))
    if connection.is_done and (trust.is_trusted or not client.is_installed):
        return _done(connection, remarks, trust)
    known = trusted_key(hook_command(client)) if client.name == CODEX and arguments.remove else ""
    backups = _carried_out(client, connection)
    if client.name == CODEX and not arguments.remove:
        trust = set_trust(hook_command(client))
    if known:
        trust = forget_trust(known)
    return _done(connection, remarks, trust, backups)


def _carried_out(client: Client, connection: Connection) -> dict[Path, str]:
    check_connection(connection)
    for change in connection.changes:
        sys.stderr.write(f"{show_lines(change.diff)}\n")
    removes = connection.removes
    what = f"Take Exacta Studio out of the configuration of {client.title}?"
    if not removes:
        what = f"Put Exacta Studio into the configuration of {client.title}?"
    about = [About("changes", change.file.shown) for change in connection.changes]
    meanings = [each for change in connection.changes for each in change.meanings if not removes]
    about += [About("so that", meaning) for meaning in meanings]
    if client.name == CODEX and not removes:
        about.append(About("and", "Codex is told to trust the hook."))
    elif client.name == CODEX and client.is_installed:
        about.append(About("and", "Codex is told to forget that it trusts the hook."))
    require_person(_NoProject(user_review()), what=what, word=client.name, about=about)
    with held_interrupts():
        return carry_out(connection)


def _remarks(client: Client, connection: Connection) -> list[str]:
    """What a person should know beside the change itself."""
    remarks = [
        f"{change.file.shown} no longer holds what was written there; somebody changed or removed it."
        for change in connection.files
        if change.is_lost
    ]
    if not connection.removes and not client.is_installed:
        remarks.append(f"{client.title} is not installed here, or not found as {client.program}.")
    if not connection.removes and client.no_gate:
        remarks.append(client.no_gate)
    if not connection.removes and find_spec("mcp") is None:
        remarks.append("The tools need the package mcp, which is not installed: pip install 'mcp>=2.3,<3'")
    return remarks


def _done(
    connection: Connection, remarks: list[str], trust: HookTrust, backups: dict[Path, str] | None = None
) -> Answer:
    """After it was done: not all of it where Codex does not trust the hook, which is then no gate."""
    missing = [trust.missing] if trust.missing else []
    code = REFUSED if missing and connection.client.is_installed else DONE
    return _answer(connection, [*remarks, *missing], done=not missing, backups=backups, code=code)


def _answer(
    connection: Connection,
    remarks: list[str],
    *,
    done: bool,
    backups: dict[Path, str] | None = None,
    code: int = DONE,
) -> Answer:
    kept = backups or {}
    files: list[dict[str, Any]] = []
    for change in connection.changes:
        backup = {"backup": kept[change.file.path]} if change.file.path in kept else {}
        files.append({"path": str(change.file.path), **backup, "diff": change.diff})
    document = {"agent": connection.client.name, "files": files, "done": done, "remarks": remarks}
    lines = [_state_line(connection, done=done, wrote=backups is not None)]
    for change in connection.changes:
        lines.append(f"  {change.file.shown}: {' '.join(change.meanings)}")
        if change.file.path in kept:
            lines.append(f"    as it was: {show_name(kept[change.file.path])}")
        if backups is None:
            lines.append(texts.diff_text(change.diff).rstrip("\n"))
    return Answer(document, "\n".join(lines), code, "\n".join(f"studio: {show_name(it)}" for it in remarks))


def _state_line(connection: Connection, *, done: bool, wrote: bool) -> str:
    title, removes = connection.client.title, connection.removes
    if not connection.changes and done:
        return f"Nothing of Exacta Studio is in {title}." if removes else f"{title} is connected."
    if not wrote:
        return f"This would be changed for {title}; nothing is written:"
    if removes:
        return f"{title} is no longer connected. What was changed:"
    return f"{title} is connected{'' if done else ', but not whole'}. What was changed:"


def _entry_of_server(arguments: Namespace) -> Answer:
    if arguments.remove:
        raise UsageError(
            "connect.nothing_written",
            "connect mcp writes nothing, so nothing is removed.",
            "Leave out --remove.",
        )
    entry = {"mcpServers": {"studio": server_entry()}}
    document: dict[str, Any] = {"agent": MCP, "files": [], "done": False, "entry": entry}
    remark = "studio: Nothing was written: put this into your agent's configuration."
    return Answer(document, json.dumps(entry, indent=2, ensure_ascii=False), remark=remark)
