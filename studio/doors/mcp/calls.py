"""Execution of MCP tool calls: file operations, plan proposal, status, waiting, withdrawal."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from typing import Any, Final, cast

from studio.doors import json_documents
from studio.doors.gate import Patience, refuse_unallowed
from studio.doors.limits import AGENT_WAIT_SECONDS
from studio.doors.mcp.connection import ClientWait, Opened, ServedClient
from studio.doors.mcp.tools import PROPOSE, RUN, STATUS, WAIT, WITHDRAW, Tool
from studio.doors.outcomes import outcome_of
from studio.doors.sandboxed_call import shell_command
from studio.doors.shell_tools import Request
from studio.engine import Plan, PlanState
from studio.errors import InternalError, StudioError, TimedOut
from studio.extras.commands import outcome_sentence, output_of
from studio.extras.tools import as_json
from studio.formats import detect
from studio.formats.submission import SubmissionOptions, SubmittedText, read_submission
from studio.limits import SANDBOX_SECONDS
from studio.names import show_name
from studio.program.log_file import LOGGER, log_file
from studio.values import Value


class ToolCall(Value):
    """One tool call with validated arguments."""

    connection: ServedClient
    opened: Opened
    tool: Tool
    arguments: Mapping[str, Any]
    wait: ClientWait

    def plan(self) -> Plan:
        """Return the plan that the tool call names. Raises as `ServedClient.plan`."""
        return self.connection.plan(self.opened, self.arguments["plan"])


class Reply(Value):
    """The reply to a tool call.

    A document that does not contain the text would hide it: some clients show a model only the document.
    """

    text: str
    document: Mapping[str, Any] | None = None
    is_refused: bool = False


def answer(
    tool: Tool,
    connection: ServedClient,
    client: str,
    raw_arguments: Mapping[str, object],
    wait: ClientWait,
) -> Reply:
    """Carry out a tool call and return its reply; never raise.

    `client` is the client's name for itself. With arguments that the tool does not accept, nothing is stored,
    not even a session.
    """
    try:
        arguments = tool.checked(raw_arguments)
        opened = connection.enter(client)
        return _WORK.get(tool.name, _use_files)(ToolCall(connection, opened, tool, arguments, wait))
    except StudioError as error:
        return _error_reply(error)
    except sqlite3.DatabaseError:
        LOGGER.exception("the store failed during a call of %s", tool.name)
        return _error_reply(_internal("This project's store is currently unavailable."))
    except Exception:
        LOGGER.exception("a call of %s failed", tool.name)
        return _error_reply(_internal("Something went wrong inside Exacta Studio."))
    finally:
        connection.close_call()


def _internal(message: str) -> InternalError:
    return InternalError("internal", message, f"Details are in {log_file()}.")


def _error_reply(error: StudioError) -> Reply:
    return Reply(f"{error.message} {error.hint}".rstrip(), is_refused=True)


def _use_files(call: ToolCall) -> Reply:
    """Run a file tool operation on the session's files.

    Its changes join the session's plan.
    """
    workspace, session, operation = call.opened.workspace, call.opened.session, call.tool.operation
    assert operation is not None, "every other tool has work of its own"
    sandbox = call.opened.sandbox
    with sandbox.files() as base, workspace.overlay(session, base=base) as overlay:
        tool = workspace.tool(overlay, session, sandbox if base is not None else None)
        if "cancel" in operation.in_python:
            operations = cast("list[dict[str, object]]", call.arguments["operations"])
            found = as_json(tool.bulk(operations, cancel=call.wait.cancel))
        else:
            found = tool.call(operation.name, call.arguments)
    return Reply(json_documents.document_text(found), found)


def _propose(call: ToolCall) -> Reply:
    arguments, opened = call.arguments, call.opened
    options = SubmissionOptions(
        arguments.get("format", detect.AUTO),
        arguments.get("title", ""),
        repairs=arguments.get("repair", False),
        in_session=True,
        project=opened.workspace.root_path,
    )
    text = SubmittedText(arguments["text"].encode("utf-8"))
    draft = read_submission([text], options, limits=opened.workspace.config.limits)
    with opened.sandbox.files():  # a command that runs proposes before or after this, not at once
        plan = opened.proposer.propose(draft, session=opened.session)
        opened.sandbox.include_plans()
    call.connection.remember(plan)
    return _plan_reply(opened, plan)


def _run(call: ToolCall) -> Reply:
    """Run a command in the session's sandbox, if settings or reviewer allow."""
    opened, text = call.opened, call.arguments["command"]
    workspace = opened.workspace
    request = Request(RUN.name, text, str(workspace.root_path), (text,))
    seconds = call.arguments.get("timeout_seconds", SANDBOX_SECONDS)
    command = shell_command(workspace, request.shell, request.cwd, seconds)
    refuse_unallowed(workspace, opened.session, request, Patience(cancel=call.wait.cancel))
    call.wait.news = "The command runs."
    outcome, plan = opened.sandbox.run(command, show_name(text), call.wait.cancel)
    document = {
        "outcome": outcome_sentence(outcome, "It"),
        "exit": outcome.exit,
        "output": output_of(outcome),
        "plan": None if plan is None else plan.id,
        "state": None if plan is None else plan.state.value,
    }
    return Reply(json_documents.document_text(document), document)


def _report_status(call: ToolCall) -> Reply:
    call.opened.proposer.refresh()
    return _plan_reply(call.opened, call.plan())


def _wait(call: ToolCall) -> Reply:
    seconds = call.arguments.get("timeout_seconds", AGENT_WAIT_SECONDS)
    plan = call.plan()
    try:
        plan = call.opened.proposer.wait(
            plan.id,
            timeout=seconds,
            cancel=call.wait.cancel,
            on_part=call.wait.report,
        )
    except TimedOut:
        plan = call.opened.proposer.plan(plan.id)
    return _plan_reply(call.opened, plan)


def _withdraw(call: ToolCall) -> Reply:
    return _plan_reply(call.opened, call.connection.withdraw(call.opened, call.plan()))


def _plan_reply(opened: Opened, plan: Plan) -> Reply:
    outcome, chosen = outcome_of(plan, opened.proposer.reply(plan.id)), opened.chosen
    sentences = (f"The project is {show_name(str(chosen.path))}, {chosen.reason}.", *chosen.notices)
    text = outcome.text + "\n" + "\n".join(sentences) + "\n"
    document = {**outcome.document, "text": text, **chosen.document}
    return Reply(text, document, is_refused=plan.state is PlanState.INVALID)


_WORK: Final[Mapping[str, Callable[[ToolCall], Reply]]] = {
    RUN.name: _run,
    PROPOSE.name: _propose,
    STATUS.name: _report_status,
    WAIT.name: _wait,
    WITHDRAW.name: _withdraw,
}
"""The tools that are not file operations."""
