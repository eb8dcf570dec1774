"""The process: protocol alone on standard output, its end, and a project that can't be opened."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from studio.engine.plan import PlanState
from studio.workspace import Workspace
from tests.doors.conftest import CommandLine, set_configuration
from tests.doors.mcp.conftest import ERAS, SECONDS, Connect, ServedHere

HELLO = {"name": "raw", "version": "1"}
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": ERAS["auto"],
    "io.modelcontextprotocol/clientInfo": HELLO,
    "io.modelcontextprotocol/clientCapabilities": {},
}
INITIALIZE = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": HELLO}
TEXT = json.dumps({"title": "t", "steps": [{"op": "create", "path": "a.txt", "content": "a\n"}]})


Sent = tuple[str, dict[str, Any]] | bytes


def exchange(*sent: Sent) -> tuple[list[dict[str, Any]], str]:
    """What the server answers to these requests, line by line, until its input ends; and its other output.

    The answer to a request is waited for, to a line of bytes it is not.
    """
    server = ServedHere()
    answers: list[dict[str, Any]] = []
    for number, each in enumerate(sent):
        if isinstance(each, bytes):
            server.stdin.write(each + b"\n")
            continue
        line = {"jsonrpc": "2.0", "id": number, "method": each[0], "params": each[1]}
        server.stdin.write(json.dumps(line).encode() + b"\n")
        server.stdin.flush()
        while True:
            answers.append(json.loads(server.stdout.readline()))
            if answers[-1].get("id") == number:
                break
    server.stdin.close()
    assert server.stdout.read() == b""
    return answers, server.end()


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.usefixtures("connect")
def test_nothing_but_protocol_on_standard_output(workspace: Workspace, era: str) -> None:
    """Also where there is something to tell people: that goes to standard error. Both eras answer a look at
    `server/discover`, each in its way."""
    set_configuration("review: {odd: 1}")
    meta = {"_meta": ENVELOPE} if era == "auto" else {}
    opening = [] if era == "auto" else [("initialize", INITIALIZE)]
    answers, said = exchange(
        *opening,
        ("server/discover", meta),
        ("tools/list", meta),
        ("tools/call", {**meta, "name": "propose", "arguments": {"text": TEXT}}),
        ("tools/call", {**meta, "name": "nothing", "arguments": {}}),
    )
    discovered, listed, proposed, unknown = answers[-4:]
    if era == "auto":
        assert discovered["result"]["supportedVersions"] == [ERAS["auto"]]
    else:
        assert answers[0]["result"]["protocolVersion"] == ERAS["legacy"]
        assert discovered["error"]["code"] == -32601
    assert listed["result"]["tools"] and not proposed["result"]["isError"]
    assert unknown["error"] == {"code": -32602, "message": "Unknown tool nothing."}
    assert "has no effect" in said and said.startswith("studio: ")
    (session,) = workspace.proposer.sessions()
    assert (session.agent, session.state.value) == ("raw", "gone")
    assert [plan.state for plan in workspace.proposer.plans()] == [PlanState.PENDING]


@pytest.mark.usefixtures("connect")
def test_what_is_no_protocol_ends_nothing(workspace: Workspace) -> None:
    call = {"name": "propose", "arguments": {"text": "\ud800"}}
    answers, _ = exchange(
        ("initialize", INITIALIZE),
        b"garbage",
        b'{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": 3}}',
        json.dumps({"jsonrpc": "2.0", "id": 8, "method": "tools/call", "params": call}).encode(),
        ("ping", {}),
    )
    assert answers[0]["id"] == 0 and answers[-1]["result"] == {}
    assert all("error" in answer or answer["result"].get("isError") for answer in answers[1:-1])
    assert workspace.proposer.plans() == ()


@pytest.mark.process
def test_ctrl_c_does_not_wait_for_the_next_line(project: Path) -> None:
    server = subprocess.Popen(
        [sys.executable, "-m", "studio", "mcp"], cwd=project, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert server.stdin is not None and server.stdout is not None
    with server:
        hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": INITIALIZE}
        server.stdin.write(json.dumps(hello).encode() + b"\n")
        server.stdin.flush()
        assert server.stdout.readline()
        server.send_signal(signal.SIGINT)
        assert server.wait(SECONDS) == -signal.SIGINT


@pytest.mark.usefixtures("connect")
def test_a_session_ends_with_its_connection_and_one_without_a_plan_is_forgotten(workspace: Workspace) -> None:
    call = {"name": "exists", "arguments": {"path": "a.txt"}}
    answers, _ = exchange(("initialize", INITIALIZE), ("tools/call", call))
    assert answers[1]["result"]["structuredContent"] == {"path": "a.txt", "exists": False}
    assert workspace.proposer.sessions() == ()


def test_a_project_that_can_not_be_opened_and_one_that_goes(connect: Connect, tmp_path: Path) -> None:
    """One sentence each time, and the next call tries again."""
    place = tmp_path / "later"
    agent = connect("--project", str(place))
    assert agent.tools()
    sentence = agent.refuse("read", file_path="a.txt")
    assert "later" in sentence and sentence.endswith(".") and "\n" not in sentence
    place.mkdir()
    (place / "a.txt").write_text("one\n")
    assert agent.give("read", file_path="a.txt")["content"] == "one\n"
    plan = agent.propose(**{"b.txt": "b\n"})
    place.rename(tmp_path / "gone")
    assert "is no longer the folder that was opened" in agent.refuse("read", file_path="a.txt")
    assert "no longer the folder" in agent.refuse("propose", text=TEXT)
    (tmp_path / "gone").rename(place)
    assert agent.give("propose_status", plan=plan)["state"] == "pending"


def test_a_project_that_is_forgotten_meanwhile(connect: Connect, project: Path, workspace: Workspace) -> None:
    """The connection goes on with the new store, and knows what it proposed since."""
    agent = connect()
    agent.propose(**{"a.txt": "a\n"})
    shutil.rmtree(workspace.state_folder)
    plan = agent.give("write", file_path="b.txt", content="b\n")["plan"]
    assert agent.give("wait", plan=plan, timeout_seconds=0)["state"] == "pending"
    assert agent.give("withdraw", plan=plan)["state"] == "cancelled"


def test_the_sdk_is_an_extra(studio: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it is not installed one sentence says how to get it."""
    monkeypatch.delitem(sys.modules, "studio.doors.mcp.server", raising=False)
    for name in ["mcp", *(each for each in sys.modules if each.startswith("mcp."))]:
        monkeypatch.setitem(sys.modules, name, None)
    told = studio.begin("mcp").end()
    assert told.code == 1 and told.error["code"] == "mcp.not_installed"
    assert "exacta-studio[mcp]" in told.error["hint"]


@pytest.mark.usefixtures("connect")
def test_a_request_with_half_a_character_is_answered() -> None:
    """The SDK drops what is no JSON to it, and its client would wait for ever."""
    (said, *_), _ = exchange(("propose\ud800", {}))
    assert said["id"] == 0 and "Send valid Unicode." in said["error"]["message"]
