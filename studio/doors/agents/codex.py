"""A conversation with Codex whose every change and command waits for a person: its closed gate (contract 9).

Codex works in its read-only sandbox, and asks us for whatever that stops. Only for a command or a tool that a
person allowed the answer is yes. A change is declined, always: what a person approved was written here.
Whatever goes wrong on our side, no answer reaches Codex, and its sandbox holds.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from studio.doors.agents.app_server import AppServer, AppServerFailed, AppServerRefused
from studio.doors.agents.codex_changes import draft_of
from studio.doors.agents.codex_settings import IsOurs, start_thread
from studio.doors.agents.server_process import Message, as_fields, as_text
from studio.doors.agents.talk import TurnEnd, Wishes
from studio.doors.gate import Request, Verdict, Word
from studio.doors.untold import from_us

AGENT: Final = "codex"
DOOR: Final = "app-server"
TITLE: Final = "Codex"
_HARMLESS: Final = frozenset(
    """approvalId availableDecisions command commandActions cwd itemId kind proposedExecpolicyAmendment
    proposedNetworkPolicyAmendments reason startedAtMs threadId turnId""".split()
)
"""What a request for a command holds that does not change what is run; whatever else it holds is shown."""
_TOOL_CALL: Final = "mcp_tool_call"
"""What an elicitation is called by which Codex asks for a tool of an MCP server."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What Codex is answered, and what its model is told beside it; "" for nothing."""

    result: Mapping[str, Any]
    told: str = ""


class Conversation:
    """One thread of Codex in a project, from `begin` on; each method raises AppServerFailed where it ends."""

    def __init__(self, server: AppServer, wishes: Wishes, is_ours: IsOurs) -> None:
        self._server = server
        self._wishes = wishes
        self._is_ours = is_ours
        self._write = wishes.write
        self._thread = self._turn = ""
        self._end: TurnEnd | None = None
        self._changes: dict[str, object] = {}
        self._spoken: set[str] = set()

    def begin(self) -> None:
        """Start the thread in the project, behind the gate."""
        self._thread = start_thread(self._server, self._wishes.workspace.root_path, self._is_ours)

    def turn(self, prompt: str) -> TurnEnd:
        """Give Codex a prompt, and answer what it asks until it is done; `call_off` interrupts."""
        self._server.go_on()
        self._end = None
        text = [{"type": "text", "text": said} for said in (*self._wishes.news(), prompt)]
        started = self._server.ask("turn/start", {"threadId": self._thread, "input": text})
        self._turn = as_text(as_fields(started.get("turn")).get("id"))
        while self._end is None:
            message = self._server.next()
            if message is None:
                raise AppServerFailed("it ended")
            if not message:
                self._interrupt()
            elif "id" in message:
                self._meet(message)
            else:
                self._hear(as_text(message["method"]), as_fields(message.get("params")))
        return self._end

    def _interrupt(self) -> None:
        """End the turn, unless what was called off has ended already."""
        if self._server.called_off.is_set():
            with suppress(AppServerRefused):
                self._server.ask("turn/interrupt", {"threadId": self._thread, "turnId": self._turn})

    def _meet(self, request: Message) -> None:
        """Answer a request of the server. What is not known is refused, and so is what fails."""
        asked = as_fields(request.get("params"))
        try:
            answer = self._answer(as_text(request["method"]), asked)
        except Exception as error:  # whatever it is: nothing may be done because of it
            # A no to whatever was asked, in the words of each kind of request.
            answer = Answer({"decision": "decline", "action": "decline"}, self._wishes.why_not(error))
        if answer is None:
            self._server.refuse(request, "Exacta Studio does not answer this.")
            return
        if answer.told:
            self._tell(asked, answer.told)
        self._server.answer(request, answer.result)

    def _answer(self, method: str, asked: Message) -> Answer | None:
        match method:
            case "item/fileChange/requestApproval":
                return self._change(asked)
            case "item/commandExecution/requestApproval":
                return self._decision(self._command(asked))
            case "mcpServer/elicitation/request" if _is_tool_call(asked):
                return _action(self._tool(asked))
            case _:
                return None

    def _tell(self, asked: Message, told: str) -> None:
        """Tell the model before its tool is answered: it reads both at once, the words behind the answer."""
        self._write(f"{told.splitlines()[0]}\n")
        text = from_us(told)
        where = {"threadId": asked.get("threadId"), "expectedTurnId": asked.get("turnId")}
        try:
            self._server.ask("turn/steer", {**where, "input": [{"type": "text", "text": text}]})
        except AppServerRefused:
            self._wishes.untold.add(told)

    def _change(self, asked: Message) -> Answer:
        """A change of files: what is approved is written here, and Codex has nothing left to do."""
        changes = self._changes.pop(as_text(asked.get("itemId")), None)
        limits = self._wishes.workspace.config.limits
        told = self._wishes.change(draft_of(changes, self._wishes.places, AGENT, limits))
        return Answer({"decision": "decline" if told else "cancel"}, told)

    def _command(self, asked: Message) -> Word:
        shown = as_text(asked.get("command"))
        shell = (shown,)
        more = {key: value for key, value in asked.items() if value and key not in _HARMLESS}
        if more or asked.get("kind", "command") != "command" or not shown:
            shell = ()
            known = {key: asked[key] for key in ("kind", "command", "reason") if asked.get(key)}
            shown = json.dumps({**known, **more}, ensure_ascii=False, indent=1)
        return self._wishes.word(Request("shell", shown, as_text(asked.get("cwd")), shell))

    def _tool(self, asked: Message) -> Word:
        about = as_fields(asked.get("_meta"))
        tool = f"mcp__{as_text(asked.get('serverName'))}__{as_text(about.get('tool_name'))}"
        given = json.dumps(about.get("tool_params"), ensure_ascii=False, indent=1)
        return self._wishes.word(Request(tool, given, ""))

    def _decision(self, word: Word) -> Answer:
        if word.verdict is Verdict.ALLOWED:
            return Answer({"decision": "accept"}, word.text)
        if self._server.called_off.is_set():
            return Answer({"decision": "cancel"})
        return Answer({"decision": "decline"}, word.text)

    def _hear(self, method: str, news: Message) -> None:
        """News of the server: what Codex says is shown, and what it wants to write is noted."""
        item = as_fields(news.get("item"))
        name = as_text(item.get("id")) or as_text(news.get("itemId"))
        kind = item.get("type")
        if method == "turn/completed" and news.get("threadId") == self._thread:
            self._ended(as_fields(news.get("turn")))
        elif method == "item/agentMessage/delta":
            self._spoken.add(name)
            self._write(as_text(news.get("delta")))
        elif method == "item/fileChange/patchUpdated":
            self._changes[name] = news.get("changes")
        elif method == "item/started" and kind == "fileChange":
            self._changes[name] = item.get("changes")
        elif method == "item/started" and kind == "commandExecution":
            self._write(f"$ {as_text(item.get('command'))}\n")
        elif method == "item/completed" and kind == "agentMessage":
            text = "" if name in self._spoken else as_text(item.get("text"))
            self._write(f"{text}\n")
        elif method == "error":
            self._write(f"{as_text(as_fields(news.get('error')).get('message'))}\n")

    def _ended(self, turn: Message) -> None:
        if as_text(turn.get("id")) != self._turn:
            return
        ends = {end.value: end for end in TurnEnd}
        self._end = ends.get(as_text(turn.get("status")), TurnEnd.FAILED)


def _is_tool_call(asked: Message) -> bool:
    return as_fields(asked.get("_meta")).get("codex_approval_kind") == _TOOL_CALL


def _action(word: Word) -> Answer:
    if word.verdict is Verdict.ALLOWED:
        return Answer({"action": "accept", "content": {}}, word.text)
    return Answer({"action": "decline"}, word.text)
