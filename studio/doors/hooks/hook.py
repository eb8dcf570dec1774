"""One use of a tool, from the client's question to its answer: a plan, a call, or none of our business.

Nothing is decided here. What has no answer raises, and the client is told no (promise 10).
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from studio.doors.hooks import answers
from studio.doors.hooks.answers import Answer
from studio.doors.hooks.clients import Client, ToolKind
from studio.doors.hooks.places import Places
from studio.doors.hooks.shell_patch import read_shell_patch
from studio.doors.hooks.tool_use import ToolUse, read_tool_use
from studio.doors.outcomes import outcome_of
from studio.engine.draft import PlanDraft
from studio.engine.errors import NotFound, Refused, TimedOut
from studio.engine.names import show_name
from studio.engine.plan import Plan, PlanState, Problem, Severity, StepState
from studio.engine.proposer import CallState, Session
from studio.engine.workspace import Workspace, find_root
from studio.formats.folding import fold
from studio.formats.submission import SubmissionOptions, SubmittedText, read_submission

DOOR = "hook"
_FREE_MODES = frozenset({"acceptEdits", "auto", "bypassPermissions", "dontAsk"})
"""In these a client asks its user nothing: without the gate it would write at once."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait for a person: so many seconds, and not after `cancel` is set."""

    seconds: float
    cancel: threading.Event | None = None


def answer(client: Client, data: bytes, environment: Mapping[str, str], patience: Patience) -> Answer:
    """What the client is told about a use of a tool; waits for the person.

    Raises Refused or NotFound for what can't be read, a tool that is not known, and a folder that can be no
    project; then the client must be told no.
    """
    use = _as_patch(client, read_tool_use(data))
    kind = client.kind(use.tool)
    if kind is ToolKind.HARMLESS:
        return answers.no_opinion()
    if kind is ToolKind.UNKNOWN:
        raise Refused(
            "hook.unknown_tool",
            f"The tool {show_name(use.tool)} of {client.name} is not known, nor what it writes.",
            "Update Exacta Studio, or do it with another tool.",
        )
    started = Path(environment.get(client.starts_in) or use.cwd)
    if not started.is_absolute() or not Path(use.cwd).is_absolute():
        raise NotFound("hook.no_folder", "The client named no folder.", "Start it in the project's folder.")
    root, _ = find_root(started)
    workspace = Workspace.open(root)
    try:
        session = workspace.proposer.open_session(client.name, DOOR, name=use.session)
        try:
            if kind is ToolKind.COMMAND:
                return _ask(workspace, session, use, patience)
            draft = _draft(workspace, session, use, Places((root, workspace.root_path), use.cwd))
            return _propose(workspace, session, draft, patience)
        finally:
            workspace.proposer.close_session(session)
    finally:
        workspace.close()


def _as_patch(client: Client, use: ToolUse) -> ToolUse:
    """A patch in a command of the shell as the use of the tool for patches, which the client makes of it."""
    if client.patch_tool and client.kind(use.tool) is ToolKind.COMMAND:
        patch = read_shell_patch(_command(use.input))
        if patch is not None:
            cwd = str(Path(use.cwd, patch.folder))
            return replace(use, tool=client.patch_tool, input={"command": patch.text}, cwd=cwd)
    return use


def _propose(workspace: Workspace, session: Session, draft: PlanDraft, patience: Patience) -> Answer:
    """A change of files: what is approved is written here, and the client has nothing left to do."""
    proposer = workspace.proposer
    plan = proposer.propose(draft, session=session, waits=True)
    still = ""
    try:
        plan = proposer.wait(plan.id, timeout=patience.seconds, cancel=patience.cancel)
    except TimedOut:
        plan = proposer.plan(plan.id)
        still = " Use the same tool again with the same arguments to wait on."
    told = outcome_of(plan, proposer.reply(plan.id)).text
    return answers.denied(f"{_head(plan)}{still}\n\n{told}")


def _head(plan: Plan) -> str:
    """What a model needs first: an answer that stops its tool looks like a failure, and need not be one."""
    if plan.state is PlanState.COMPLETED and not any(step.state is StepState.APPLIED for step in plan.steps):
        return "There is nothing to do: the disk holds this already."
    if plan.state is PlanState.COMPLETED:
        return "Done: a person approved this change, and Exacta Studio wrote it. Do not make it again."
    if plan.state in (PlanState.PENDING, PlanState.APPROVED, PlanState.EXECUTING, PlanState.PAUSED):
        return "Nothing is written yet: this change still waits for a person."
    return "Nothing is written."


def _draft(workspace: Workspace, session: Session, use: ToolUse, places: Places) -> PlanDraft:
    said = json.dumps({"tool_name": use.tool, "tool_input": use.input}).encode()
    draft = read_submission(
        [SubmittedText(said, shown="What the tool is to write")],
        SubmissionOptions("tool-calls", agent=session.agent),
        limits=workspace.config.limits,
    )
    steps = fold([places.of_step(step) for step in draft.steps])
    return replace(draft, title="", steps=steps, remarks=(*draft.remarks, *_remarks(use)))


def _remarks(use: ToolUse) -> tuple[Problem, ...]:
    if use.mode not in _FREE_MODES:
        return ()
    message = f"The agent runs in the mode {show_name(use.mode)}: it asks nobody but this gate."
    return (Problem("agent.mode", message, "", severity=Severity.NOTE),)


def _ask(workspace: Workspace, session: Session, use: ToolUse, patience: Patience) -> Answer:
    """A command, or another tool that may act: a person's word, or what the user set for all of them."""
    match workspace.agents_shell:
        case "client":
            return answers.no_opinion()
        case "deny":
            return answers.denied("The user's settings let no agent run commands here (agents: shell: deny).")
        case "sandbox":
            return answers.denied(
                "The user's settings let agents run commands in a sandbox alone (agents: shell: sandbox),"
                " and this version has none yet."
            )
        case "ask":
            pass
    proposer = workspace.proposer
    call = proposer.ask(session, use.tool, command=_command(use.input), cwd=use.cwd)
    try:
        call = proposer.wait_for_call(call.id, timeout=patience.seconds, cancel=patience.cancel)
    except TimedOut:
        pass
    finally:
        call = proposer.leave_call(call.id)
    said = call.decision.text if call.decision is not None else ""
    if call.state is CallState.ALLOWED:
        return answers.allowed(f"The person who allowed it says: {said}" if said else "")
    if call.state is CallState.DENIED:
        return answers.denied(f"A person denied this: {said}")
    return answers.denied("Nobody decided this in time; it was not run. Ask again, or do without it.")


def _command(given: Mapping[str, Any]) -> str:
    """What a shell would be given; of another tool all of its arguments."""
    command = given.get("command", given.get("cmd"))
    if isinstance(command, str):
        return command
    return json.dumps(given, ensure_ascii=False, indent=1)
