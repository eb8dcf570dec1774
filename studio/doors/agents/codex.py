"""A conversation with Codex whose every change and command waits for a person: its closed gate (contract 9).

Codex works in its read-only sandbox, and asks us for whatever that stops. Only for a command or a tool that a
person allowed the answer is yes. A change is declined, always: what a person approved was written here.
Whatever goes wrong on our side, no answer reaches Codex, and its sandbox holds.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

from studio.doors import gate
from studio.doors.agents.app_server import (
    AppServer,
    AppServerFailed,
    AppServerRefused,
    Message,
    as_fields,
    as_text,
)
from studio.doors.agents.codex_changes import draft_of
from studio.doors.agents.codex_settings import IsOurs, start_thread
from studio.doors.gate import Patience, Request, Verdict, Word
from studio.doors.places import Places
from studio.engine.errors import StudioError
from studio.engine.plan import DECIDED_STATES
from studio.engine.proposer import Session
from studio.engine.workspace import LOGGER, Workspace, log_file

AGENT: Final = "codex"
DOOR: Final = "app-server"
_SHOWN_WITH_COMMAND: Final = ("networkApprovalContext", "additionalPermissions")
_TOOL_CALL: Final = "mcp_tool_call"
"""What an elicitation is called by which Codex asks for a tool of an MCP server."""

_FROM_US: Final = "Exacta Studio, through which your user decides, says: "
"""Before what the model reads as its user's words."""

Write = Callable[[str], None]
"""Shows a piece of text as it comes: what Codex says, and what it does; it is not escaped."""


class TurnEnd(Enum):
    """How a turn ended, in Codex' own words."""

    COMPLETED = "completed"
    FAILED = "failed"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class Answer:
    """What Codex is answered, and what its model is told beside it; "" for nothing."""

    result: Mapping[str, Any]
    told: str = ""


class Conversation:
    """One thread of Codex in a project, from `begin` on; each method raises AppServerFailed where it ends."""

    def __init__(self, server: AppServer, workspace: Workspace, session: Session, write: Write) -> None:
        self.plans: list[str] = []
        """The ids of all plans that it proposed."""
        self._server = server
        self._workspace = workspace
        self._session = session
        self._write = write
        self._thread = self._turn = ""
        self._end: TurnEnd | None = None
        self._changes: dict[str, object] = {}
        self._spoken: set[str] = set()
        self._untold: list[str] = []
        """Plans of whose outcome the model was not told yet."""
        self._unsaid: list[str] = []
        """What the model was to be told, and came too late for its turn."""
        root = workspace.root_path
        self._places = Places((root, root.resolve()), str(root))

    def begin(self, is_ours: IsOurs) -> None:
        """Start the thread in the project, behind the gate."""
        self._thread = start_thread(self._server, self._workspace.root_path, is_ours)

    def turn(self, prompt: str) -> TurnEnd:
        """Give Codex a prompt, and answer what it asks until it is done; `call_off` interrupts."""
        self._server.go_on()
        self._end = None
        text = [{"type": "text", "text": said} for said in (*self._news(), prompt)]
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

    def _news(self) -> list[str]:
        """What the model was not told yet; plans that still wait are told of again next time."""
        plans = [self._workspace.proposer.plan(plan) for plan in self._untold]
        news = [*self._unsaid, *(_FROM_US + gate.told_of(self._workspace, plan) for plan in plans)]
        self._untold = [plan.id for plan in plans if plan.state not in DECIDED_STATES]
        self._unsaid = []
        return news

    def _meet(self, request: Message) -> None:
        """Answer a request of the server. What is not known is refused, and so is what fails."""
        asked = as_fields(request.get("params"))
        try:
            answer = self._answer(as_text(request["method"]), asked)
        except StudioError as error:
            answer = _stopped(f"{error.message} {error.hint}")
        except Exception:  # whatever it is: nothing may be done because of it
            LOGGER.exception("a request of Codex failed")
            answer = _stopped(f"Something went wrong. The details are in {log_file()}.")
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
        text = _FROM_US + told
        where = {"threadId": asked.get("threadId"), "expectedTurnId": asked.get("turnId")}
        try:
            self._server.ask("turn/steer", {**where, "input": [{"type": "text", "text": text}]})
        except AppServerRefused:
            self._unsaid.append(text)

    def _change(self, asked: Message) -> Answer:
        """A change of files: what is approved is written here, and Codex has nothing left to do."""
        changes = self._changes.pop(as_text(asked.get("itemId")), None)
        draft = draft_of(changes, self._places, self._session.agent, self._workspace.config.limits)
        plan = self._workspace.proposer.propose(draft, session=self._session, waits=True)
        self.plans.append(plan.id)
        if plan.state not in DECIDED_STATES:
            self._write(f"Plan {plan.short_id} waits for a person: {plan.title}\n")
        plan = gate.wait_for_plan(self._workspace, plan, self._patience)
        if plan.state in DECIDED_STATES:
            return Answer({"decision": "decline"}, gate.told_of(self._workspace, plan))
        self._untold.append(plan.id)
        self._write(f"Plan {plan.short_id} still waits for a person; Codex is told with the next prompt.\n")
        return Answer({"decision": "cancel"})

    def _command(self, asked: Message) -> Word:
        shown = as_text(asked.get("command"))
        more = {key: asked[key] for key in _SHOWN_WITH_COMMAND if asked.get(key)}
        if more or asked.get("kind", "command") != "command" or not shown:
            known = {key: asked[key] for key in ("kind", "command", "reason") if asked.get(key)}
            shown = json.dumps({**known, **more}, ensure_ascii=False, indent=1)
        return self._asked(Request("shell", shown, as_text(asked.get("cwd"))))

    def _tool(self, asked: Message) -> Word:
        about = as_fields(asked.get("_meta"))
        tool = f"mcp__{as_text(asked.get('serverName'))}__{as_text(about.get('tool_name'))}"
        given = json.dumps(about.get("tool_params"), ensure_ascii=False, indent=1)
        return self._asked(Request(tool, given, ""))

    def _asked(self, request: Request) -> Word:
        """A person's word. Codex' own rules have let pass what they let pass: what comes is for a person."""
        word = gate.settled(self._workspace)
        if word is None or word.verdict is Verdict.CLIENT:
            self._write(f"Codex asks a person for {request.tool}: {request.command}\n")
            word = gate.ask_person(self._workspace, self._session, request, self._patience)
        return word

    @property
    def _patience(self) -> Patience:
        return Patience(cancel=self._server.called_off)

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


def _stopped(why: str) -> Answer:
    """A no to whatever was asked, in the words of each kind of request."""
    return Answer({"decision": "decline", "action": "decline"}, f"Exacta Studio stopped this: {why}")
