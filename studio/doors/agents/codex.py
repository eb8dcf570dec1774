"""Conversation with Codex in which file changes and commands need user approval.

Codex works in its read-only sandbox, and asks us for whatever that stops. The answer is yes only for a
command or tool that a person allowed. A file change is always declined: what a person approved is written by
us. If anything fails on our side, Codex gets no answer, and its sandbox holds.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, cast

from msgspec.structs import replace

from studio.doors.agents.app_server import AppServer, AppServerFailed, AppServerRefused
from studio.doors.agents.requests import AgentRequests, TurnEnd
from studio.doors.agents.server_process import Message, as_fields, as_text
from studio.doors.gate import GateAnswer, Verdict, prefix_sender
from studio.doors.shell_tools import Request
from studio.doors.tool_draft import PathConverter
from studio.engine import PlanDraft, PolicyLimits
from studio.errors import Refused
from studio.formats import plan_json
from studio.formats.folding import fold
from studio.formats.submission import SubmissionOptions, SubmittedText, read_submission
from studio.journal.file_image import sha256
from studio.values import Value

# Conversion of the app server's file changes to a draft. Found by running Codex 0.169.0: an added file is its
# text; an updated one is a line diff, to which a new name is appended in words; a deleted one is the text to
# delete.


def draft_of(changes: object, places: PathConverter, agent: str, limits: PolicyLimits) -> PlanDraft:
    """Convert changes to a draft. Raises Refused for unknown or oversized ones."""
    if not isinstance(changes, list) or not changes:
        raise _unreadable("it specifies no files")
    steps = [_step(as_fields(change)) for change in cast("list[object]", changes)]
    document = json.dumps({"title": agent, "steps": steps}).encode()
    draft = read_submission(
        [SubmittedText(document, shown="Codex's change")],
        SubmissionOptions(plan_json.NAME, agent=agent),
        limits=limits,
    )
    return replace(draft, title="", steps=fold([places.to_project_step(step) for step in draft.steps]))


def _step(change: Message) -> dict[str, Any]:
    kind = as_fields(change.get("kind"))
    path, text = as_text(change.get("path")), change.get("diff")
    if not path or not isinstance(text, str):
        raise _unreadable("a change has no path or no text")
    match kind.get("type"):
        case "add":
            return {"op": "create", "path": path, "content": text}
        case "delete":
            # Codex read it as UTF-8, or could not read it: the base is what Codex saw.
            return {"op": "delete", "path": path, "base_sha256": sha256(text.encode("utf-8", "replace"))}
        case "update":
            to = as_text(kind.get("move_path"))
            return _moved(path, to, text) if to else {"op": "modify", "path": path, "patch": text}
        case _:
            raise _unreadable("a change has an unknown kind")


def _moved(path: str, to: str, text: str) -> dict[str, Any]:
    patch = text.removesuffix(f"\n\nMoved to: {to}")
    if patch == text:
        raise _unreadable("a rename has an unknown format")
    step = {"op": "move", "path": path, "to": to}
    return {**step, "patch": patch} if patch.strip() else step


def _unreadable(why: str) -> Refused:
    return Refused(
        "agent.not_read",
        f"The change from Codex can't be read: {why}.",
        "Update Exacta Studio or Codex.",
    )


AGENT: Final = "codex"
DOOR: Final = "app-server"
TITLE: Final = "Codex"
_HARMLESS: Final = frozenset(
    """approvalId availableDecisions command commandActions cwd itemId kind proposedExecpolicyAmendment
    proposedNetworkPolicyAmendments reason startedAtMs threadId turnId""".split()
)
"""Keys of a command request that do not affect what is run.

If any other key is present, it is shown.
"""
_TOOL_CALL: Final = "mcp_tool_call"
"""The kind of elicitation by which Codex asks for an MCP tool."""


class Answer(Value):
    """The answer to Codex, and a text for its model or ""."""

    result: Mapping[str, Any]
    for_model: str = ""


class CodexThread:
    """One Codex thread in a project, from `begin` on.

    Each method raises AppServerFailed where the server ends.
    """

    def __init__(self, server: AppServer, agent_requests: AgentRequests, is_ours: IsOurs) -> None:
        self._server = server
        self._requests = agent_requests
        self._is_ours = is_ours
        self._write = agent_requests.write
        self._thread = self._turn = ""
        self._end: TurnEnd | None = None
        self._changes: dict[str, object] = {}
        self._streamed_ids: set[str] = set()

    def begin(self) -> None:
        """Start the thread in the project, behind the gate."""
        self._thread = start_thread(self._server, self._requests.workspace.root_path, self._is_ours)

    def turn(self, prompt: str) -> TurnEnd:
        """Send a prompt and answer requests until the turn ends.

        `call_off` interrupts it.
        """
        self._server.reset_called_off()
        self._end = None
        text = [{"type": "text", "text": part} for part in (*self._requests.take_messages(), prompt)]
        started = self._server.ask("turn/start", {"threadId": self._thread, "input": text})
        self._turn = as_text(as_fields(started.get("turn")).get("id"))
        while self._end is None:
            message = self._server.next()
            if message is None:
                raise AppServerFailed("it ended")
            if not message:
                self._interrupt()
            elif "id" in message:
                self._handle_request(message)
            else:
                self._handle_notification(as_text(message["method"]), as_fields(message.get("params")))
        return self._end

    def _interrupt(self) -> None:
        """End the turn, unless it has already ended."""
        if self._server.called_off.is_set():
            with suppress(AppServerRefused):
                self._server.ask("turn/interrupt", {"threadId": self._thread, "turnId": self._turn})

    def _handle_request(self, request: Message) -> None:
        """Answer a request of the server; refuse unknown ones and failures."""
        parameters = as_fields(request.get("params"))
        try:
            answer = self._answer(as_text(request["method"]), parameters)
        except Exception as error:  # on any error the request must be denied
            # Declines every kind of request: each reads the key that it uses.
            answer = Answer({"decision": "decline", "action": "decline"}, self._requests.error_message(error))
        if answer is None:
            self._server.refuse(request, "Exacta Studio does not support this request.")
            return
        if answer.for_model:
            self._steer_model(parameters, answer.for_model)
        self._server.answer(request, answer.result)

    def _answer(self, method: str, parameters: Message) -> Answer | None:
        match method:
            case "item/fileChange/requestApproval":
                return self._propose_change(parameters)
            case "item/commandExecution/requestApproval":
                return self._command_answer(self._decide_command(parameters))
            case "mcpServer/elicitation/request" if _is_tool_call(parameters):
                return _tool_answer(self._decide_tool(parameters))
            case _:
                return None

    def _steer_model(self, parameters: Message, for_model: str) -> None:
        """Send a text to the model before its tool is answered.

        The model then reads both at once, the text after the answer.
        """
        self._write(f"{for_model.splitlines()[0]}\n")
        text = prefix_sender(for_model)
        turn = {"threadId": parameters.get("threadId"), "expectedTurnId": parameters.get("turnId")}
        try:
            self._server.ask("turn/steer", {**turn, "input": [{"type": "text", "text": text}]})
        except AppServerRefused:
            self._requests.untold.add(for_model)

    def _propose_change(self, parameters: Message) -> Answer:
        """Propose a file change and wait; always decline it.

        What is approved is written here, so Codex has nothing left to do.
        """
        changes = self._changes.pop(as_text(parameters.get("itemId")), None)
        limits = self._requests.workspace.config.limits
        for_model = self._requests.change(draft_of(changes, self._requests.places, AGENT, limits))
        return Answer({"decision": "decline" if for_model else "cancel"}, for_model)

    def _decide_command(self, parameters: Message) -> GateAnswer:
        shown = as_text(parameters.get("command"))
        shell = (shown,)
        extra = {key: value for key, value in parameters.items() if value and key not in _HARMLESS}
        if extra or parameters.get("kind", "command") != "command" or not shown:
            shell = ()
            described = {key: parameters[key] for key in ("kind", "command", "reason") if parameters.get(key)}
            shown = json.dumps({**described, **extra}, ensure_ascii=False, indent=1)
        return self._requests.answer_request(Request("shell", shown, as_text(parameters.get("cwd")), shell))

    def _decide_tool(self, parameters: Message) -> GateAnswer:
        meta = as_fields(parameters.get("_meta"))
        tool = f"mcp__{as_text(parameters.get('serverName'))}__{as_text(meta.get('tool_name'))}"
        arguments = json.dumps(meta.get("tool_params"), ensure_ascii=False, indent=1)
        return self._requests.answer_request(Request(tool, arguments, ""))

    def _command_answer(self, word: GateAnswer) -> Answer:
        if word.verdict is Verdict.ALLOWED:
            return Answer({"decision": "accept"}, word.text)
        if self._server.called_off.is_set():
            return Answer({"decision": "cancel"})
        return Answer({"decision": "decline"}, word.text)

    def _handle_notification(self, method: str, parameters: Message) -> None:
        """Handle a notification: show what Codex says and record its file changes."""
        item = as_fields(parameters.get("item"))
        name = as_text(item.get("id")) or as_text(parameters.get("itemId"))
        kind = item.get("type")
        if method == "turn/completed" and parameters.get("threadId") == self._thread:
            self._end_turn(as_fields(parameters.get("turn")))
        elif method == "item/agentMessage/delta":
            self._streamed_ids.add(name)
            self._write(as_text(parameters.get("delta")))
        elif method == "item/fileChange/patchUpdated":
            self._changes[name] = parameters.get("changes")
        elif method == "item/started" and kind == "fileChange":
            self._changes[name] = item.get("changes")
        elif method == "item/started" and kind == "commandExecution":
            self._write(f"$ {as_text(item.get('command'))}\n")
        elif method == "item/completed" and kind == "agentMessage":
            text = "" if name in self._streamed_ids else as_text(item.get("text"))
            self._write(f"{text}\n")
        elif method == "error":
            self._write(f"{as_text(as_fields(parameters.get('error')).get('message'))}\n")

    def _end_turn(self, turn: Message) -> None:
        if as_text(turn.get("id")) != self._turn:
            return
        ends = {end.value: end for end in TurnEnd}
        self._end = ends.get(as_text(turn.get("status")), TurnEnd.FAILED)


def _is_tool_call(parameters: Message) -> bool:
    return as_fields(parameters.get("_meta")).get("codex_approval_kind") == _TOOL_CALL


def _tool_answer(word: GateAnswer) -> Answer:
    if word.verdict is Verdict.ALLOWED:
        return Answer({"action": "accept", "content": {}}, word.text)
    return Answer({"action": "decline"}, word.text)


# Codex settings that close all ways past its read-only sandbox.
#
# Found by running Codex 0.169.0: the sandbox stops commands and patches, but not what the user's own rules
# allow, nor MCP tools that are approved beforehand.

_OWN_SERVER: Final = "studio"
"""Our own MCP server: its tools propose and never write."""
_SYSTEM: Final = Path("/etc/codex")
_ASKS: Final = "prompt"
_START_SECONDS: Final = 120.0
"""Seconds; a thread starts only after the user's MCP servers have."""


IsOurs = Callable[[object], bool]
"""Predicate: whether a configuration entry starts our server.

A project may bring another server of the same name.
"""


def rule_files(project: Path) -> tuple[Path, ...]:
    """Return the non-empty rule files that may allow commands unasked.

    Such a command runs outside of the sandbox.
    """
    chosen = os.environ.get("CODEX_HOME")
    user = Path(chosen) if chosen else Path.home() / ".codex"
    folders = (_SYSTEM, user, *(folder / ".codex" for folder in (project, *project.parents)))
    return tuple(dict.fromkeys(file for folder in folders for file in _with_rules(folder / "rules")))


def _with_rules(folder: Path) -> Iterator[Path]:
    try:
        yield from sorted(file for file in folder.glob("*.rules") if file.stat().st_size)
    except OSError:
        return


def start_thread(server: AppServer, project: Path, is_ours: IsOurs) -> str:
    """Start a thread in the read-only sandbox and return its id.

    Codex asks the user for everything else. Raises AppServerFailed where Codex does not itself confirm this.
    """
    read = as_fields(server.ask("config/read", {"cwd": str(project)}).get("config"))
    started = server.ask(
        "thread/start",
        {
            "cwd": str(project),
            "approvalPolicy": "on-request",
            "approvalsReviewer": "user",
            "sandbox": "read-only",
            "config": {"mcp_servers": _asking(as_fields(read.get("mcp_servers")), is_ours)},
        },
        _START_SECONDS,
    )
    holds = (
        as_fields(started.get("sandbox")).get("type") == "readOnly"
        and started.get("approvalPolicy") == "on-request"
        and started.get("approvalsReviewer") == "user"
    )
    thread = as_text(as_fields(started.get("thread")).get("id"))
    if not holds or not thread:
        raise AppServerFailed("it did not start in its read-only sandbox with approval by the user")
    return thread


def _asking(servers: Message, is_ours: IsOurs) -> dict[str, Any]:
    """Return settings that make every server but ours ask for each tool.

    This overrides tools that the user approved beforehand.
    """
    return {
        name: {
            "default_tools_approval_mode": _ASKS,
            "tools": {tool: {"approval_mode": _ASKS} for tool in as_fields(as_fields(server).get("tools"))},
        }
        for name, server in servers.items()
        if name != _OWN_SERVER or not is_ours(server)
    }
