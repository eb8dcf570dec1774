"""Answer to an agent's hook: file changes become plans, commands await approval.

It becomes a plan, a tool call, or is left to the client. Nothing is decided here. What can't be decided
raises, and the caller then denies the tool.
"""

from __future__ import annotations

import os
import re
import select
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from studio import doors
from studio.doors.gate import (
    Patience,
    Verdict,
    ask_reviewer,
    plan_report,
    verdict_from_settings,
    wait_for_plan,
)
from studio.doors.hooks.answers import PRE_SKILL_SHELL_COMMAND, Answer
from studio.doors.hooks.tool_use import ToolUse, read_fields
from studio.doors.hooks.tools import HookTools, ToolKind
from studio.doors.shell_tools import request_of
from studio.doors.tool_draft import PathConverter, draft_of_tool
from studio.engine import PlanDraft, Problem, Session, Severity, find_root
from studio.errors import NotFound, Refused
from studio.names import show_name
from studio.workspace import Workspace

_PATCH = re.compile(
    r"\s*(?:cd[ \t]+(?P<folder>[\w./-]+|'[^'\n]*')[ \t]*&&\s*)?"
    r"apply_patch[ \t]*<<(?P<quote>['\"]?)(?P<end>\w+)(?P=quote)[ \t]*\n(?P<patch>.*\n)(?P=end)\s*",
    re.DOTALL,
)


class ShellPatch(NamedTuple):
    """A patch, and the folder the command changes to, or ""."""

    text: str
    folder: str


def read_shell_patch(command: str) -> ShellPatch | None:
    """Return the patch that is all of a command, else None.

    The client's own patch program applies it; with anything beside it, it is a command.
    """
    found = _PATCH.fullmatch(command)
    if found is None:
        return None
    text, end = found["patch"], found["end"]
    # Unquoted, the shell expands values, and a line equal to the delimiter ends the text early.
    if not found["quote"] and re.search(r"[$`\\]", text):
        return None
    if any(line == end for line in text.split("\n")):
        return None
    return ShellPatch(text, (found["folder"] or "").strip("'"))


DOOR = "hook"
_ELSEWHERE = "It then works in another git worktree, where changes are not reviewed."
_FREE_MODES = frozenset({"acceptEdits", "auto", "auto-edit", "bypassPermissions", "dontAsk", "yolo"})
"""Modes in which a client asks its user nothing.

Without the gate it would write at once.
"""


def answer(client: HookTools, data: bytes, environment: Mapping[str, str], patience: Patience) -> Answer:
    """Return the client's answer about a tool use, waiting for the reviewer.

    Raises Refused or NotFound for unreadable input, an unknown tool, and a folder that can be no project; the
    client must then get a denial.
    """
    use = _convert_patch(client, client.read(read_fields(data)))
    kind = client.kind_of(use)
    if kind is ToolKind.HARMLESS or (kind is ToolKind.OWN and _is_ours(client, use, environment)):
        return client.answers.no_opinion
    if kind is ToolKind.UNKNOWN:
        raise Refused(
            "hook.unknown_tool",
            f"{client.name} called the unknown tool {show_name(use.tool)}.",
            "Update Exacta Studio, or use another tool.",
        )
    start_folder = _start_folder(client, use, environment)
    if not start_folder.is_absolute() or not Path(use.cwd).is_absolute():
        raise NotFound(
            "hook.no_folder", "The client sent no absolute folder path.", "Start it in the project's folder."
        )
    root, _ = find_root(start_folder)
    workspace = Workspace.open(root)
    try:
        session = workspace.proposer.open_session(client.name, DOOR, name=use.session)
        try:
            if kind in (ToolKind.COMMAND, ToolKind.OWN):
                return _ask(workspace, session, client, use, patience)
            draft = _draft(workspace, session, use, PathConverter((root, workspace.root_path), use.cwd))
            return client.answers.denied(_propose(workspace, session, draft, patience))
        finally:
            workspace.proposer.close_session(session)
    finally:
        workspace.close()


def _start_folder(client: HookTools, use: ToolUse, environment: Mapping[str, str]) -> Path:
    return Path(environment.get(client.starts_in) or use.cwd)


def _is_ours(client: HookTools, use: ToolUse, environment: Mapping[str, str]) -> bool:
    """Return whether a tool with our server's prefix is one of ours.

    Otherwise it becomes a tool call, as for any other server. The tool's name does not identify a server: one
    called `studio__x` may have the same prefix.
    """
    if use.tool.removeprefix(client.own_server) not in doors.TOOLS or use.server not in (
        None,
        doors.connect.SERVER,
    ):
        return False
    return doors.connect.only_own_server(
        doors.connect.client_of(client.name), _start_folder(client, use, environment)
    )


def _convert_patch(client: HookTools, use: ToolUse) -> ToolUse:
    """Convert a shell command that is a patch to the patch tool.

    The client itself converts it so.
    """
    if client.patch_tool and client.kind(use.tool) is ToolKind.COMMAND:
        request = request_of(use.tool, use.input, use.cwd, client.shells.get(use.tool))
        patch = read_shell_patch(request.command) if request.shell else None
        if patch is not None:
            cwd = str(Path(request.cwd, patch.folder))
            return use._replace(tool=client.patch_tool, input={"command": patch.text}, cwd=cwd)
    return use


def _propose(workspace: Workspace, session: Session, draft: PlanDraft, patience: Patience) -> str:
    """Propose a file change and wait; return the report for the model.

    What is approved is written here, so the client only passes the report on.
    """
    plan = workspace.proposer.propose(draft, session=session, waits=True)
    plan = wait_for_plan(workspace, plan, patience)
    advice = "Repeat the same tool call to keep waiting."
    return plan_report(workspace, plan, advice)


def _draft(workspace: Workspace, session: Session, use: ToolUse, places: PathConverter) -> PlanDraft:
    draft = draft_of_tool(use.tool, use.input, places, session.agent, workspace.config.limits)
    return replace(draft, remarks=(*draft.remarks, *_remarks(use)))


def _remarks(use: ToolUse) -> tuple[Problem, ...]:
    if use.mode not in _FREE_MODES:
        return ()
    message = f"The agent runs in mode {show_name(use.mode)}: only this gate asks for approval."
    return (Problem("agent.mode", message, "", severity=Severity.NOTE),)


def _notes(client: HookTools, use: ToolUse) -> Iterator[str]:
    """Yield sentences that the reviewer needs beside a tool call's command."""
    if client.uses_other_worktree(use):
        yield _ELSEWHERE
    if use.skill:
        yield f"This comes from the text of the skill or command {show_name(use.skill)}."
    elif use.tool in client.not_shown:
        yield client.not_shown[use.tool]


def _ask(
    workspace: Workspace, session: Session, client: HookTools, use: ToolUse, patience: Patience
) -> Answer:
    """Return the answer on a command, or another tool that may act.

    It is a person's verdict, or what the user set for all of them.
    """
    request = request_of(use.tool, use.input, use.cwd, client.shells.get(use.tool))
    if notes := "\n".join(_notes(client, use)):
        request = replace(request, command=f"{notes}\n\n{request.command}")
    word = verdict_from_settings(workspace, session, request, patience)
    if word is None:
        word = ask_reviewer(workspace, session, request, patience)
    answers = PRE_SKILL_SHELL_COMMAND if use.skill else client.answers
    match word.verdict:
        case Verdict.CLIENT:
            return answers.no_opinion
        case Verdict.ALLOWED:
            return answers.allowed(word.text)
        case Verdict.DENIED:
            return answers.denied(word.text)


# Detection of the end of the client that started a hook.
#
# A client that is killed leaves its hook running.

_POLL_SECONDS = 1.0


def watch_parent(process: int) -> threading.Event:
    """Return an event that is set when this process ends.

    It is set at once if the process is gone. On Linux a pidfd holds the process, as its id may be reused.
    """
    ended = threading.Event()
    try:
        handle = os.pidfd_open(process) if hasattr(os, "pidfd_open") else None
    except (OSError, OverflowError):  # not a process id
        ended.set()
        return ended
    threading.Thread(target=_watch, args=(process, handle, ended), name="caller", daemon=True).start()
    return ended


def _watch(process: int, handle: int | None, ended: threading.Event) -> None:
    if handle is not None:
        watched = select.poll()
        watched.register(handle, select.POLLIN)
        watched.poll()
        os.close(handle)
    else:
        with suppress(OSError):
            while not ended.wait(_POLL_SECONDS):
                os.kill(process, 0)
    ended.set()
