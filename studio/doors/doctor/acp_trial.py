"""Tests whether ACP agents write files despite denied, failed or late answers.

The client behaves as `studio acp` does: it offers to read and write files, puts the agent into its asking
mode, and allows file changes, because each then arrives as a write.
"""

from __future__ import annotations

import json
import queue
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, cast

from studio.doors.agents.server_process import (
    AgentFailed,
    Message,
    ServerProcess,
    as_fields,
    as_list,
    as_text,
)
from studio.doors.clients import gemini, qwen
from studio.doors.clients.client import AcpAgent, TrialClient
from studio.doors.doctor.gate_proof import Attempt, OnAttempt, judge_attempts
from studio.doors.doctor.trial import Tried, trial_environment, was_written
from studio.doors.limits import TRIAL_SECONDS
from studio.extras.agents import GateStatus
from studio.program.work_folder import WorkFolder
from studio.values import Value

_ATTEMPTS: Final = (Attempt.NO_GATE, Attempt.ANSWERS_NO, Attempt.KILLED, Attempt.GARBAGE, Attempt.LATE)
"""What our side may do while it is asked to write."""
_MUTE: Final = (Attempt.KILLED, Attempt.LATE)
LATE_SECONDS: Final = 10.0
"""Seconds without an answer; later effects are not proved."""
_REFUSED: Final = {"code": -32003, "message": "Nothing is written."}
_NO_METHOD: Final = {"code": -32601, "message": "Method not supported."}


def prove_acp_gate(
    agent: TestedAcpAgent, on_attempt: OnAttempt = lambda _attempt, _tried: None
) -> GateStatus:
    """Run the agent in every attempt and return the worst result.

    `on_attempt` receives each attempt. Raises OSError where the agent can't be started, AgentFailed where it
    does not respond.
    """

    def tries() -> Iterator[tuple[Attempt, Tried]]:
        for attempt in _ATTEMPTS:
            with WorkFolder("doctor") as folder:
                yield attempt, _try_agent(agent, attempt, folder)

    return judge_attempts(agent.agent.gate, agent.client, tries(), on_attempt)


def _try_agent(agent: TestedAcpAgent, attempt: Attempt, folder: Path) -> Tried:
    client = agent.client
    with trial_environment(client, folder) as (place, _):
        client.set_up(place, [])
        environment = {**place.environment, **client.variables(place.url)}
        with _Talk([client.program, *agent.words], place.project, environment) as talk:
            talk.begin(agent, place.project, is_gated=attempt is not Attempt.NO_GATE)
            path = talk.turn(attempt)
    return Tried(was_written(place), path, talk.has_ended)


class _Talk(ServerProcess):
    """A connection to the agent process, for use in a `with` block."""

    def begin(self, agent: TestedAcpAgent, project: Path, *, is_gated: bool) -> None:
        """Start a session, with or without the gate. Raises AgentFailed."""
        capabilities = {"readTextFile": is_gated, "writeTextFile": is_gated}
        self._ask(
            "initialize",
            {"protocolVersion": 1, "clientCapabilities": {"fs": capabilities, "terminal": False}},
        )
        reply = self._ask("session/new", {"cwd": str(project), "mcpServers": []})
        self._session = as_text(reply.get("sessionId"))
        mode = agent.agent.asking_mode if is_gated else agent.unguarded_mode
        self._ask("session/set_mode", {"sessionId": self._session, "modeId": mode})

    def turn(self, attempt: Attempt) -> str:
        """Prompt the agent and fail as `attempt` says when it writes.

        Returns the path that it asked to write, "" for none.
        """
        prompt = [{"type": "text", "text": "Go on."}]
        self._send(
            {
                "id": "turn",
                "method": "session/prompt",
                "params": {"sessionId": self._session, "prompt": prompt},
            }
        )
        path, deadline = "", time.monotonic() + TRIAL_SECONDS
        while (message := self._next(deadline)) is not None and message.get("id") != "turn":
            if path and attempt in _MUTE:
                continue
            if message.get("method") != "fs/write_text_file":
                self._answer(message)
                continue
            path = as_text(as_fields(message.get("params")).get("path"))
            match attempt:
                case Attempt.KILLED:
                    self.close_input()
                case Attempt.LATE:
                    deadline = time.monotonic() + LATE_SECONDS
                case Attempt.GARBAGE:
                    self._write(b"Not JSON, nor anything else.\n")
                    self._send({"id": message.get("id"), "result": "nor an answer"})
                case _:
                    self._send({"id": message.get("id"), "error": _REFUSED})
        if attempt is Attempt.LATE:
            self.kill()  # killed before it notices that the pipe is closed: that is another attempt
        return path

    def _answer(self, request: Message) -> None:
        parameters = as_fields(request.get("params"))
        match request.get("method"):
            case "fs/read_text_file":
                file = Path(as_text(parameters.get("path")))
                response: Mapping[str, Any] = {"result": {"content": file.read_text(encoding="utf-8")}}
            case "session/request_permission":
                options = [as_fields(each) for each in as_list(parameters.get("options"))]
                once = [each.get("optionId") for each in options if each.get("kind") == "allow_once"]
                chosen = {"outcome": "selected", "optionId": as_text(once[0] if once else "")}
                response = {"result": {"outcome": chosen}}
            case _:
                response = {"error": _NO_METHOD}
        if "id" in request:
            self._send({"id": request["id"], **response})

    def _ask(self, method: str, parameters: Mapping[str, Any]) -> Message:
        """Return the result of a request, skipping earlier messages. Raises AgentFailed."""
        self._send({"id": method, "method": method, "params": dict(parameters)})
        deadline = time.monotonic() + TRIAL_SECONDS
        while (message := self._next(deadline)) is not None:
            if message.get("id") == method and "method" not in message:
                if "error" in message:
                    raise AgentFailed(f"it refused {method}")
                return as_fields(message.get("result"))
        raise AgentFailed(f"it did not answer {method}")

    def _next(self, deadline: float) -> Message | None:
        """Return the next message; None at its end or the deadline."""
        while not self.has_ended:
            try:
                line = self.lines.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                return None
            self.has_ended = not line
            try:
                message: object = json.loads(line or b"")
            except (ValueError, RecursionError):
                continue
            if isinstance(message, dict):
                return cast("Message", message)
        return None

    def _send(self, message: Mapping[str, Any]) -> None:
        self._write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    def _write(self, data: bytes) -> None:
        """Write to the agent's input. Raises AgentFailed."""
        try:
            self.input.write(data)
            self.input.flush()
        except (OSError, ValueError) as error:
            raise AgentFailed("it ended") from error


# ACP agents that write only through us, with their test setup.


class TestedAcpAgent(Value):
    """One agent of a conversation and its test setup.

    `client` has its program, home and wish; `words` are the arguments that make it speak ACP, and in
    `unguarded_mode` it asks no one.
    """

    agent: AcpAgent
    client: TrialClient
    words: tuple[str, ...]
    unguarded_mode: str


ACP_TEST_AGENTS: Final[Mapping[str, TestedAcpAgent]] = {
    each.agent.gate: each
    for each in (
        TestedAcpAgent(gemini.ACP, gemini.TRIED_GEMINI, ("--acp", "-m", gemini.MODEL), "yolo"),
        TestedAcpAgent(qwen.ACP, qwen.TRIED_QWEN, ("--acp", "--auth-type", "openai"), "yolo"),
    )
}
"""By gate name."""
