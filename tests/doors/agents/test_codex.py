"""`studio agent codex`, and a stand-in for Codex that speaks as recorded: a person's word alone counts."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from studio.doors.connect import server_entry
from studio.engine.plan import PersonSource, PlanState, StepDecision
from studio.engine.session import CallState
from studio.workspace import Person, Workspace
from tests.doors.awaited import soon, waiting_call, waiting_plan
from tests.doors.conftest import TIMEOUT_SECONDS, Begun, CommandLine, set_configuration
from tests.tools.sandboxed import opened

Start = Callable[..., Begun]
StartProcess = Callable[..., "subprocess.Popen[bytes]"]
PERSON = Person(PersonSource.WINDOW, "ada")
BEFORE = b"alpha\nbeta\ngamma\n"
HUNK = "@@ -1,3 +1,3 @@\n alpha\n-beta\n+BETA\n gamma\n"
ENDED = {"method": "turn/completed", "params": {"threadId": "T", "turn": {"id": "U", "status": "completed"}}}
PROMPTS = {"default_tools_approval_mode": "prompt"}
NOTE_PROMPTS = {"approval_mode": "prompt"}
STAND_IN = """#!{python}
import json, sys
from pathlib import Path
here = Path(__file__)
log = open(here.with_name("log"), "a")
servers = json.loads(here.with_name("servers").read_text())
turns = json.loads(here.with_name("turns").read_text())
started = json.loads(here.with_name("started").read_text())
def hear():
    line = sys.stdin.readline()
    if not line:
        sys.exit(0)
    log.write(line)
    log.flush()
    return json.loads(line)
def say(message):
    print(message if isinstance(message, str) else json.dumps(message), flush=True)
def react(heard):
    results = dict([
        ("config/read", {{"config": {{"mcp_servers": servers}}}}),
        ("thread/start", {{**heard.get("params", {{}}), **started}}),
        ("turn/start", {{"turn": {{"id": "U"}}}}),
    ])
    if "method" in heard and "id" in heard:
        if heard["method"] == "turn/steer" and here.with_name("refuses").exists():
            say({{"id": heard["id"], "error": {{"code": -32600}}}})
        else:
            say({{"id": heard["id"], "result": results.get(heard["method"], {{}})}})
while True:
    heard = hear()
    react(heard)
    if heard.get("method") != "turn/start":
        continue
    for message in turns.pop(0):
        while "hold" in message:
            react(hear())
        if "exit" in message:
            sys.exit(message["exit"])
        say(message)
        while "id" in message:
            heard = hear()
            react(heard)
            if heard.get("id") == message["id"] and "method" not in heard:
                break
"""


class StandIn:
    """What the stand-in is to say, and what it heard."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        program = folder / "codex"
        program.write_text(STAND_IN.format(python=sys.executable))
        program.chmod(0o700)
        self.starts({"sandbox": {"type": "readOnly"}})
        self.has(lab={"tools": {"note": {}}}, studio={**server_entry(), "env": None})

    def says(self, *turns: list[Any], ended: dict[str, Any] = ENDED) -> None:
        (self.folder / "turns").write_text(json.dumps([[*turn, ended] for turn in turns]))

    def starts(self, said: dict[str, Any]) -> None:
        (self.folder / "started").write_text(json.dumps({"thread": {"id": "T"}, **said}))

    def has(self, **servers: object) -> None:
        """What stands in its configuration as servers."""
        (self.folder / "servers").write_text(json.dumps(servers))

    def refuses_to_steer(self) -> None:
        (self.folder / "refuses").touch()

    @property
    def heard(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (self.folder / "log").read_text().splitlines()]

    def asked(self, method: str) -> list[dict[str, Any]]:
        return [message["params"] for message in self.heard if message.get("method") == method]

    @property
    def told(self) -> list[str]:
        """What the model reads of us while its turn goes on."""
        return [asked["input"][0]["text"] for asked in self.asked("turn/steer")]

    def answer(self, number: int) -> Any:
        (answer,) = [each for each in self.heard if each.get("id") == number and "method" not in each]
        return answer.get("result", answer.get("error"))


def request(number: int, method: str, **fields: Any) -> dict[str, Any]:
    """A request of the server; those of ours count from 1."""
    return {"id": 100 + number, "method": method, "params": {"threadId": "T", "turnId": "U", **fields}}


def change(number: int, changes: object) -> list[dict[str, Any]]:
    item = {"type": "fileChange", "id": f"item{number}", "changes": changes}
    return [
        {"method": "item/started", "params": {"item": item}},
        request(number, "item/fileChange/requestApproval", itemId=f"item{number}"),
    ]


def command(number: int, **fields: Any) -> dict[str, Any]:
    fields = {"kind": "command", "command": "/bin/sh -c 'make'", "cwd": "/work", **fields}
    return request(number, "item/commandExecution/requestApproval", **fields)


def tool(number: int) -> dict[str, Any]:
    meta = {"codex_approval_kind": "mcp_tool_call", "tool_name": "note", "tool_params": {"text": "hello"}}
    return request(number, "mcpServer/elicitation/request", serverName="lab", _meta=meta)


def update(project: Path) -> list[dict[str, Any]]:
    return [{"path": str(project / "notes.txt"), "kind": {"type": "update", "move_path": None}, "diff": HUNK}]


@pytest.fixture
def codex(private_folders: Path, monkeypatch: pytest.MonkeyPatch) -> StandIn:
    folder = private_folders / "programs"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return StandIn(folder)


@pytest.fixture(autouse=True)
def notes(project: Path) -> Path:
    (project / "notes.txt").write_bytes(BEFORE)
    return project / "notes.txt"


@pytest.fixture
def start(studio: CommandLine, monkeypatch: pytest.MonkeyPatch) -> Start:
    """Starts our program on a prompt, or without one on what is typed, on a thread."""
    monkeypatch.setattr("studio.doors.cli.commands.agent.signal", Mock())  # the main thread alone may set one

    def started(*words: str, typed: bytes = b"") -> Begun:
        is_json = words[:1] == ("--json",)
        return studio.begin("agent", "codex", *words[is_json:], json=is_json, typed=typed)

    return started


@pytest.fixture
def start_process(project: Path) -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    """The same as a process of its own, which signals reach."""
    running: list[subprocess.Popen[bytes]] = []

    def started(*words: str) -> subprocess.Popen[bytes]:
        running.append(
            subprocess.Popen(
                [sys.executable, "-m", "studio", "agent", "codex", *words],
                cwd=project,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
        )
        return running[-1]

    yield started
    for process in running:
        process.kill()
        process.communicate()


def ended(running: Begun) -> tuple[int, str, str]:
    said = running.end()
    return said.code, said.text, said.err


def test_what_a_person_approves_is_written_here_and_codex_writes_nothing(
    codex: StandIn, start: Start, workspace: Workspace, project: Path, notes: Path
) -> None:
    (project / "gone.txt").write_bytes(b"bye\n")
    (project / "old.txt").write_bytes(b"one\r\ntwo")
    to = str(project / "sub/moved.txt")
    moved = f"@@ -1,2 +1,2 @@\n-one\r\n+ONE\r\n two\n\\ No newline at end of file\n\n\nMoved to: {to}"
    changes = [
        *update(project),
        {"path": str(project / "gone.txt"), "kind": {"type": "delete"}, "diff": "bye\n"},
        {"path": str(project / "old.txt"), "kind": {"type": "update", "move_path": to}, "diff": moved},
        {"path": str(project / "new.txt"), "kind": {"type": "add"}, "diff": "new"},
    ]
    codex.says(change(1, changes))
    running = start("--", "-c", "model=m", "Go", "on.")
    plan = waiting_plan(workspace)
    assert (plan.agent, plan.waits, workspace.proposer.sessions()[0].door) == ("codex", True, "app-server")
    assert [step.path for step in plan.steps] == ["notes.txt", "gone.txt", "old.txt", "new.txt"]
    reviewer = workspace.reviewer(PERSON)
    reviewer.approve(
        plan.id, [StepDecision(1, edited=b"alpha\nBeta!\ngamma\n"), *map(StepDecision, (2, 3, 4))]
    )
    reviewer.apply(plan.id)
    code, out, err = ended(running)
    assert (code, err) == (0, ""), err
    assert f"Plan {plan.short_id} is waiting for review" in out and "Done: the reviewer approved" in out
    assert notes.read_bytes() == b"alpha\nBeta!\ngamma\n"
    assert (project / "sub/moved.txt").read_bytes() == b"ONE\r\ntwo"
    assert (project / "new.txt").read_bytes() == b"new"
    assert not (project / "gone.txt").exists() and not (project / "old.txt").exists()
    assert codex.answer(101) == {"decision": "decline"}, "the engine wrote"
    (told,) = codex.told
    assert (
        "Done: the reviewer approved this change" in told
        and "Read the file again" in told
        and "+BETA" in told
    )
    methods = [message.get("method", "answer") for message in codex.heard]
    assert methods[-2:] == ["turn/steer", "answer"], "told before, so that the model reads both at once"
    (begun,) = codex.asked("thread/start")
    assert (begun["sandbox"], begun["approvalPolicy"], begun["approvalsReviewer"]) == (
        "read-only",
        "on-request",
        "user",
    )
    assert begun["config"] == {"mcp_servers": {"lab": {**PROMPTS, "tools": {"note": NOTE_PROMPTS}}}}
    (prompt,) = codex.asked("turn/start")
    assert prompt["input"] == [{"type": "text", "text": "Go on."}]


@pytest.mark.parametrize("other", [{"command": "/tmp/other"}, {"env": {"PYTHONPATH": "/tmp"}}, {"env": [1]}])
def test_another_server_of_our_name_is_asked_for(codex: StandIn, start: Start, other: dict[str, Any]) -> None:
    """One that a project brought, say: what it does nobody reviews."""
    codex.says([])
    codex.has(studio={**server_entry(), **other})
    assert ended(start("--", "Go on."))[0] == 0
    (begun,) = codex.asked("thread/start")
    assert begun["config"] == {"mcp_servers": {"studio": {**PROMPTS, "tools": {}}}}


def test_a_rejected_change_and_every_call_are_told_and_only_an_allowed_one_is_accepted(
    codex: StandIn, start: Start, workspace: Workspace, project: Path, notes: Path
) -> None:
    network = {"networkApprovalContext": {"host": "example.org", "protocol": "https"}}
    unknown = request(6, "item/permissions/requestApproval", permissions={})
    codex.says([*change(1, update(project)), command(2), command(3, **network), tool(4), tool(5), unknown])
    running = start("--json", "--", "Go on.")
    reviewer = workspace.reviewer(PERSON)
    plan = waiting_plan(workspace)
    reviewer.reject(plan.id, reason="Keep the Greek small.")
    call = waiting_call(workspace)
    assert (call.tool, call.command, call.cwd, call.agent) == ("shell", "/bin/sh -c 'make'", "/work", "codex")
    reviewer.allow(call.id)
    call = waiting_call(workspace)
    assert "example.org" in call.command and "make" in call.command
    reviewer.deny(call.id, reason="Stay here.")
    call = waiting_call(workspace)
    assert call.tool == "mcp__lab__note" and '"hello"' in call.command
    reviewer.allow(call.id)
    reviewer.deny(waiting_call(workspace).id, reason="Once is enough.")
    code, out, _ = ended(running)
    assert (code, json.loads(out)) == (0, {"agent": "codex", "plans": [plan.id]})
    decisions = [codex.answer(number) for number in range(101, 106)]
    accepted = {"action": "accept", "content": {}}
    assert decisions == [
        {"decision": "decline"},
        {"decision": "accept"},
        {"decision": "decline"},
        accepted,
        {"action": "decline"},
    ]
    assert codex.answer(106)["code"] == -32601
    rejected, denied, refused = codex.told
    assert "Keep the Greek small." in rejected and "Stay here." in denied and "Once is enough." in refused
    assert notes.read_bytes() == BEFORE


def test_what_the_user_set_for_commands_is_asked_of_nobody(
    codex: StandIn, studio: CommandLine, workspace: Workspace
) -> None:
    set_configuration("agents: {shell: deny}")
    codex.says([command(1), tool(2)])
    assert studio("agent", "codex", "--", "Go on.").code == 0
    assert [codex.answer(101), codex.answer(102)] == [{"decision": "decline"}, {"action": "decline"}]
    assert not workspace.proposer.calls() and "agents: shell:" in codex.told[0]


def test_a_command_is_run_in_the_sandbox_where_the_user_says_so(
    codex: StandIn, start: Start, workspace: Workspace, project: Path, notes: Path
) -> None:
    """And declined: Codex has nothing left to run. The tool of a server waits for a person as ever."""
    opened(project).close()
    set_configuration("agents: {shell: sandbox}")
    written = command(1, command="/bin/sh -c 'echo new >> notes.txt'", cwd=str(project))
    codex.says([written, command(2, cwd="/"), tool(3)], [])
    running = start(typed=b"Go on.\nAnd on.\n")
    workspace.reviewer(PERSON).deny(waiting_call(workspace).id, reason="No.")
    assert ended(running)[0] == 0
    assert codex.answer(101) == {"decision": "decline"} == codex.answer(102)
    (plan,) = workspace.proposer.plans()
    assert (plan.agent, plan.title) == ("codex", "Changes of /bin/sh -c 'echo new >> notes.txt'")
    run, elsewhere, _ = codex.told
    assert "This command was run in a sandbox" in run and plan.short_id in run
    assert "Nothing was run: / is not a folder of the project" in elsewhere
    assert notes.read_bytes() == BEFORE
    assert plan.short_id in codex.asked("turn/start")[1]["input"][0]["text"]


def test_what_codex_leaves_to_a_person_is_asked_also_where_its_own_rules_count(
    codex: StandIn, start: Start, workspace: Workspace
) -> None:
    set_configuration("agents: {shell: client}")
    codex.says([command(1)])
    running = start("--", "Go on.")
    workspace.reviewer(PERSON).allow(waiting_call(workspace).id)
    assert ended(running)[0] == 0 and codex.answer(101) == {"decision": "accept"}


def test_what_is_not_understood_is_declined_and_no_plan(
    codex: StandIn, studio: CommandLine, workspace: Workspace, project: Path, notes: Path
) -> None:
    path = str(project / "notes.txt")
    bad: list[object] = [
        None,
        [],
        ["x"],
        [{"path": path, "diff": HUNK}],
        [{"path": path, "kind": {"type": "chmod"}, "diff": HUNK}],
        [{"path": path, "kind": {"type": "delete"}}],
        [{"path": path, "kind": {"type": "update", "move_path": f"{path}2"}, "diff": HUNK}],
    ]
    turn = [message for number, changes in enumerate(bad) for message in change(number, changes)]
    unknown_item = request(50, "item/fileChange/requestApproval", itemId="never seen")
    legacy = request(51, "applyPatchApproval", fileChanges={}), request(52, "execCommandApproval")
    noise = [
        "no JSON",
        "[]",
        "{}",
        {"params": 1, "method": 7},
        {"method": "item/started", "params": {"item": 7}},
    ]
    codex.says([*noise, *turn, unknown_item, *legacy])
    assert studio("agent", "codex", "--", "Go on.").code == 0
    for number in (*range(len(bad)), 50):
        assert codex.answer(100 + number)["decision"] == "decline"
    assert len(codex.told) == len(bad) + 1 and all("can't be read" in told for told in codex.told)
    assert [codex.answer(number)["code"] for number in (151, 152)] == [-32601, -32601]
    assert not workspace.proposer.plans() and notes.read_bytes() == BEFORE


def test_a_change_outside_of_the_project_or_of_other_text_is_refused_without_a_person(
    codex: StandIn, studio: CommandLine, workspace: Workspace, project: Path
) -> None:
    out = [{"path": str(project.parent / "out.txt"), "kind": {"type": "add"}, "diff": "x\n"}]
    late = [{**update(project)[0], "diff": HUNK.replace("beta", "other")}]
    codex.says([*change(1, out), *change(2, late)])
    said = studio("agent", "codex", "--", "Go on.")
    assert said.code == 0 and len(said.json["plans"]) == 2
    assert [plan.state for plan in workspace.proposer.plans()] == [PlanState.INVALID] * 2
    assert all("Nothing is written." in told for told in codex.told)
    assert not (project.parent / "out.txt").exists()


def test_what_codex_says_is_shown_as_it_comes_and_escaped(codex: StandIn, start: Start) -> None:
    delta = {"method": "item/agentMessage/delta", "params": {"itemId": "m", "delta": "Hel"}}
    rest = {"method": "item/agentMessage/delta", "params": {"itemId": "m", "delta": "lo\x1b[2J"}}
    whole = {"type": "agentMessage", "id": "m", "text": "Hello"}
    other = {"type": "agentMessage", "id": "n", "text": "That is all."}
    done = [{"method": "item/completed", "params": {"item": item}} for item in (whole, other)]
    codex.says([delta, rest, *done, {"method": "error", "params": {"error": {"message": "Slow."}}}])
    code, out, _ = ended(start("--", "Go on."))
    assert code == 0 and out == "Hello\\x1b[2J\nThat is all.\nSlow.\n", out


def test_a_failed_turn_and_a_server_that_ends_end_with_1(codex: StandIn, studio: CommandLine) -> None:
    codex.says([], ended={**ENDED, "params": {"threadId": "T", "turn": {"id": "U", "status": "failed"}}})
    assert studio("agent", "codex", "--", "Go on.").code == 1
    codex.says([{"exit": 3}])
    said = studio("agent", "codex", "--", "Go on.")
    assert (said.code, said.error["code"]) == (1, "agent.failed")
    assert "it ended with code 3" in said.error["message"]


@pytest.mark.parametrize(
    "started",
    [
        {"sandbox": {"type": "workspaceWrite"}},
        {"sandbox": {"type": "readOnly"}, "approvalPolicy": "never"},
        {"sandbox": {"type": "readOnly"}, "approvalsReviewer": "auto_review"},
        {"sandbox": {"type": "readOnly"}, "thread": {}},
    ],
)
def test_codex_is_given_no_prompt_unless_it_says_that_it_can_only_read(
    codex: StandIn, studio: CommandLine, started: dict[str, Any]
) -> None:
    codex.starts(started)
    codex.says([])
    said = studio("agent", "codex", "--", "Go on.")
    assert said.code == 1 and "read-only sandbox" in said.error["message"]
    assert not codex.asked("turn/start")


def test_an_agent_without_a_closed_gate_is_not_started(
    codex: StandIn, studio: CommandLine, project: Path, private_folders: Path
) -> None:
    said = studio("agent", "gemini")
    assert (said.code, said.error["code"]) == (1, "agent.no_gate") and "studio run" in said.error["hint"]
    assert studio("agent", "codex", "--", "--full-auto").code == 2
    for folder in (project / ".codex", private_folders / "home/.codex"):
        (folder / "rules").mkdir(parents=True)
        rules = folder / "rules/default.rules"
        rules.write_text('prefix_rule(pattern=["touch"])\n')
        said = studio("agent", "codex", "--", "Go on.")
        assert (said.code, said.error["code"]) == (1, "agent.own_rules")
        assert str(rules) in said.error["message"]
        rules.write_text("")
    (codex.folder / "codex").unlink()
    assert studio("agent", "codex").error["code"] == "agent.missing"
    assert not (codex.folder / "log").exists()


@pytest.mark.process
def test_ctrl_c_interrupts_the_turn_and_the_next_prompt_tells_what_became_of_it_and_a_second_one_ends(
    codex: StandIn, start_process: StartProcess, workspace: Workspace, project: Path, notes: Path
) -> None:
    codex.says(change(1, update(project)), [], [], [command(2), {"hold": True}])
    running = start_process()
    assert running.stdin is not None
    running.stdin.write(b"Go on.\n")
    running.stdin.flush()
    plan = waiting_plan(workspace)
    running.send_signal(signal.SIGINT)
    running.stdin.write(b"Go on without.\n")
    running.stdin.flush()
    soon(lambda: len(codex.asked("turn/start")) == 2)
    reviewer = workspace.reviewer(PERSON)
    reviewer.approve(plan.id)
    reviewer.apply(plan.id)
    running.stdin.write(b"\nAnd now?\nAnd then?\n")
    running.stdin.flush()
    call = waiting_call(workspace)
    running.send_signal(signal.SIGINT)
    soon(lambda: len(codex.asked("turn/interrupt")) == 2)
    assert workspace.proposer.call(call.id).state is CallState.GONE
    running.send_signal(signal.SIGINT)
    out, err = (each.decode() for each in running.communicate(timeout=TIMEOUT_SECONDS))
    assert running.returncode == 130 and "Codex was stopped" in err, err
    assert err.count("> ") >= 3 and "still waiting for review" in out
    assert codex.answer(101) == {"decision": "cancel"} == codex.answer(102)
    _, second, third, _ = codex.asked("turn/start")
    assert "waiting for review" in second["input"][0]["text"]
    news, prompt = (item["text"] for item in third["input"])
    assert "Done: the reviewer approved this change" in news and prompt == "And now?"
    assert notes.read_bytes() == b"alpha\nBETA\ngamma\n"


def test_what_comes_too_late_for_its_turn_is_told_with_the_next(
    codex: StandIn, start: Start, workspace: Workspace, project: Path
) -> None:
    codex.refuses_to_steer()
    codex.says(change(1, update(project)), [])
    running = start(typed=b"Go on.\nAnd now?\n")
    workspace.reviewer(PERSON).reject(waiting_plan(workspace).id, reason="Keep it.")
    assert ended(running)[0] == 0
    _, second = codex.asked("turn/start")
    assert "Keep it." in second["input"][0]["text"]


@pytest.mark.process
def test_killed_before_the_answer_codex_is_answered_nothing(
    codex: StandIn, start_process: StartProcess, workspace: Workspace, project: Path, notes: Path
) -> None:
    codex.says(change(1, update(project)))
    running = start_process("--", "Go on.")
    plan = waiting_plan(workspace)
    os.kill(running.pid, signal.SIGKILL)
    running.communicate(timeout=TIMEOUT_SECONDS)
    assert [each for each in codex.heard if "method" not in each] == []
    assert notes.read_bytes() == BEFORE
    assert workspace.proposer.plan(plan.id).state is PlanState.PENDING, "it can still be decided"
