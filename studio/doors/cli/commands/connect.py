"""`studio connect`: change an agent's configuration, or remove our entries.

A person has seen the difference.
"""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from pathlib import Path
from typing import Any, Final

from studio.doors.cli.console import texts
from studio.doors.cli.console.answer import DONE, REFUSED, Answer
from studio.doors.cli.console.interrupts import defer_interrupts
from studio.doors.cli.console.person import About, NoProject, require_person
from studio.doors.clients.chosen_places import use_chosen_places
from studio.doors.clients.codex_trust import HookTrust
from studio.doors.connect import Connection, check_connection, client_of, server_entry_text
from studio.doors.connect.connection_change import AgentChange, make_change, plan_change
from studio.engine import user_review
from studio.errors import UsageError
from studio.names import show_lines, show_name

MCP: Final = "mcp"


def connect(arguments: Namespace) -> Answer:
    """Connect the agent, remove that, or only show what would be changed.

    Raises NeedsPerson, Refused, Conflict or FileError.
    """
    if arguments.agent == MCP:
        return _entry_of_server(arguments)
    use_chosen_places()
    change = plan_change(client_of(arguments.agent), removes=arguments.remove, asks=not arguments.dry_run)
    remarks = change.remarks
    if arguments.dry_run:
        return _answer(change.connection, remarks, is_done=change.connection.is_done)
    if change.is_done:
        return _answer_changed(change.connection, remarks, change.trust)
    _require_person(change)
    backups, trust = make_change(change, defer_interrupts)
    return _answer_changed(change.connection, remarks, trust, backups)


def _require_person(change: AgentChange) -> None:
    client, connection = change.client, change.connection
    check_connection(connection)
    for each in connection.changes:
        sys.stderr.write(f"{show_lines(each.diff)}\n")
    removes = connection.removes
    what = f"Remove Exacta Studio from the configuration of {client.title}?"
    if not removes:
        what = f"Add Exacta Studio to the configuration of {client.title}?"
    about: list[About] = []
    for each in connection.changes:
        about.append(About("changes", show_name(str(each.file.path))))
        about += [About("at", show_name(str(each.file.place)))] if each.file.is_linked else []
    meanings = [meaning for each in connection.changes for meaning in each.meanings if not removes]
    about += [About("effect", meaning) for meaning in meanings]
    about += [About("effect", meaning) for meaning in change.meanings]
    require_person(NoProject(user_review()), what=what, word=client.name, about=about)


def _answer_changed(
    connection: Connection, remarks: list[str], trust: HookTrust, backups: dict[Path, str] | None = None
) -> Answer:
    """Return the answer after the change.

    The exit code is REFUSED where Codex does not trust the hook, which is then no gate.
    """
    missing = [trust.missing] if trust.missing else []
    code = REFUSED if missing and connection.client.is_installed else DONE
    return _answer(connection, [*remarks, *missing], is_done=not missing, backups=backups, code=code)


def _answer(
    connection: Connection,
    remarks: list[str],
    *,
    is_done: bool,
    backups: dict[Path, str] | None = None,
    code: int = DONE,
) -> Answer:
    saved = backups or {}
    files: list[dict[str, Any]] = []
    for change in connection.changes:
        backup = {"backup": saved[change.file.path]} if change.file.path in saved else {}
        files.append({"path": str(change.file.path), **backup, "diff": change.diff})
    document = {"agent": connection.client.name, "files": files, "done": is_done, "remarks": remarks}
    lines = [_state_line(connection, is_done=is_done, was_written=backups is not None)]
    for change in connection.changes:
        lines.append(f"  {change.file.display_name}: {' '.join(change.meanings)}")
        if change.file.path in saved:
            lines.append(f"    backup: {show_name(saved[change.file.path])}")
        if backups is None:
            lines.append(texts.diff_text(change.diff).rstrip("\n"))
    return Answer(document, "\n".join(lines), code, "\n".join(f"studio: {show_name(it)}" for it in remarks))


def _state_line(connection: Connection, *, is_done: bool, was_written: bool) -> str:
    title, removes = connection.client.title, connection.removes
    if not connection.changes and is_done:
        return f"{title} has no entries of Exacta Studio." if removes else f"{title} is connected."
    if not was_written:
        return f"Changes for {title}, not written:"
    if removes:
        return f"{title} is disconnected. Changed files:"
    return f"{title} is connected{{'' if is_done else ', but not completely'}}. Changed files:"


def _entry_of_server(arguments: Namespace) -> Answer:
    if arguments.remove:
        raise UsageError(
            "connect.nothing_written",
            "connect mcp writes nothing, so there is nothing to remove.",
            "Omit --remove.",
        )
    text = server_entry_text()
    document: dict[str, Any] = {"agent": MCP, "files": [], "done": False, "entry": json.loads(text)}
    remark = "studio: Nothing was written. Add this entry to your agent's configuration."
    return Answer(document, text, remark=remark)
