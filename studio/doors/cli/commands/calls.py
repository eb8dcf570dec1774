"""`studio calls`, `allow`, `deny`: list and answer agents' pending tool calls.

These are all requests that are no file changes.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from studio.doors import json_documents
from studio.doors.cli.console import texts
from studio.doors.cli.console.answer import Answer
from studio.doors.cli.console.person import About, require_person
from studio.doors.limits import ASKED_LINES_UP_TO
from studio.engine import CallState
from studio.errors import Refused, UsageError
from studio.names import show_name

if TYPE_CHECKING:
    from studio.engine import ToolCall
    from studio.workspace import Reviewer, Workspace

_COLUMNS = 60
"""The approximate width of a command line in a question."""


def calls(workspace: Workspace, _arguments: argparse.Namespace) -> Answer:
    found = workspace.proposer.calls()
    document = {"calls": [json_documents.call_json(call) for call in found]}
    return Answer(document, "\n".join(map(texts.call_line, found)) or "No tool calls.")


def allow(workspace: Workspace, arguments: argparse.Namespace) -> Answer:
    call = workspace.proposer.call(arguments.call)
    return _answer(_ask(workspace, call, "Allow").allow(call.id, note=arguments.note))


def deny(workspace: Workspace, arguments: argparse.Namespace) -> Answer:
    if not arguments.reason.strip():
        raise UsageError("deny.no_reason", "A denial requires a reason.", "Add --reason TEXT.")
    call = workspace.proposer.call(arguments.call)
    return _answer(_ask(workspace, call, "Deny").deny(call.id, reason=arguments.reason))


def _answer(call: ToolCall) -> Answer:
    return Answer(json_documents.call_json(call), texts.call_line(call))


def _ask(workspace: Workspace, call: ToolCall, verb: str) -> Reviewer:
    """Return the reviewer once a person typed the tool call's id.

    The question shows all that would be run: a command with its middle cut out is another one. Raises Refused
    for one that is too long for that, and for one that ended.
    """
    if call.state is not CallState.WAITING:
        raise Refused(
            "call.ended",
            f"Tool call {call.short_id} is {call.state.value}.",
            "Only waiting tool calls can be decided. List them with: studio calls",
        )
    lines = call.command.split("\n")
    if sum(1 + len(show_name(line)) // _COLUMNS for line in lines) > ASKED_LINES_UP_TO:
        raise Refused(
            "call.too_long_here",
            f"Tool call {call.short_id} is too long to show in a terminal question.",
            "Decide on it in the window.",
        )
    about = (
        About("agent", call.agent),
        About("tool", call.tool),
        *_labelled_lines("in", [call.cwd]),
        *_labelled_lines("runs", lines),
    )
    what = f"{verb} tool call {call.short_id}?"
    return workspace.reviewer(require_person(workspace, what=what, word=call.short_id, about=about))


def _labelled_lines(label: str, lines: Iterable[str]) -> Iterator[About]:
    for number, line in enumerate(lines):
        yield About("" if number else label, line, is_whole=True)
