"""`studio agent opencode`, and a stand-in that speaks as it does: a person's word alone counts."""

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

from studio.doors.agents.opencode import ShellGuard, closed_rules
from studio.doors.connect import carry_out, client_of, plan_connection
from studio.engine.plan import PersonSource, PlanState
from studio.engine.session import CallState
from studio.workspace import Person, Workspace
from tests.doors.awaited import soon, waiting_call, waiting_plan
from tests.doors.conftest import TIMEOUT_SECONDS, Begun, CommandLine

Start = Callable[..., Begun]
StartProcess = Callable[..., "subprocess.Popen[bytes]"]
PERSON = Person(PersonSource.WINDOW, "ada")
BEFORE = b"alpha\nbeta\ngamma\n"
AFTER = b"alpha\nBETA\ngamma\n"
STAND_IN = Path(__file__).with_name("opencode_stand_in.py")


class StandIn:
    """What the stand-in is to say, and what it heard."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "stand_in.py").write_bytes(STAND_IN.read_bytes())
        program = folder / "opencode"
        program.write_text(f"#!/bin/sh\nexec '{sys.executable}' '{folder / 'stand_in.py'}' \"$@\"\n")
        program.chmod(0o700)
        self.says([])

    def says(self, *turns: list[Any], answers: Any = None, session: Any = None) -> None:
        said = {"turns": turns, "answers": answers or {}, "session": session or {}}
        (self.folder / "said").write_text(json.dumps(said))

    def heard(self, ending: str) -> list[dict[str, Any]]:
        """The bodies of what was sent to paths that end so."""
        log = self.folder / "log"
        lines = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
        return [body for path, body in lines if path.endswith(ending)]

    def prompts(self) -> list[list[str]]:
        """The texts of each prompt."""
        return [[part["text"] for part in body["parts"]] for body in self.heard("/prompt_async")]


@pytest.fixture
def opencode(private_folders: Path, monkeypatch: pytest.MonkeyPatch) -> StandIn:
    folder = private_folders / "programs"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
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
        return studio.begin("agent", "opencode", *words[is_json:], json=is_json, typed=typed)

    return started


@pytest.fixture
def start_process(project: Path) -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    """The same as a process of its own, which signals reach."""
    running: list[subprocess.Popen[bytes]] = []

    def started(*words: str) -> subprocess.Popen[bytes]:
        running.append(
            subprocess.Popen(
                [sys.executable, "-m", "studio", "agent", "opencode", *words],
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


def asks(name: str, permission: str, tool: str, **given: Any) -> dict[str, Any]:
    """A request of opencode, whose tool stands in its message."""
    part = {"type": "tool", "callID": name, "tool": tool, "state": {"input": given}}
    where = {"messageID": "msg", "callID": name}
    return {"id": name, "sessionID": "ses", "permission": permission, "tool": where, "part": part}


def edit(name: str, project: Path, old: str = "beta", new: str = "BETA") -> dict[str, Any]:
    return asks(name, "edit", "edit", filePath=str(project / "notes.txt"), oldString=old, newString=new)


def bash(name: str, command: str) -> dict[str, Any]:
    return asks(name, "bash", "bash", command=command, description="x")


def test_what_a_person_approves_is_written_here_and_opencode_writes_nothing(
    opencode: StandIn, start: Start, workspace: Workspace, project: Path, notes: Path
) -> None:
    opencode.says([[edit("one", project)]])
    running = start("--", "-m", "p/model", "Go", "on.")
    plan = waiting_plan(workspace)
    assert (plan.agent, plan.waits, workspace.proposer.sessions()[0].door) == ("opencode", True, "serve")
    reviewer = workspace.reviewer(PERSON)
    reviewer.approve(plan.id)
    reviewer.apply(plan.id)
    code, out, err = ended(running)
    assert (code, err) == (0, ""), err
    assert f"Plan {plan.short_id} is waiting for review" in out and notes.read_bytes() == AFTER
    (reply,) = opencode.heard("/reply")
    assert reply["reply"] == "reject", "the engine wrote"
    assert "Done: the reviewer approved this change" in reply["message"]
    (begun,) = opencode.heard("began")
    assert begun["words"] == ["serve", "--pure", "--hostname", "127.0.0.1", "--port", "0"]
    assert opencode.prompts() == [["Go on."]]


def test_one_no_tells_of_all_that_waited_and_a_yes_comes_before(
    opencode: StandIn, start: Start, workspace: Workspace, project: Path, notes: Path
) -> None:
    """A no of opencode is one to whatever else waits, without a word."""
    outside = asks("four", "external_directory", "bash", command="make")
    opencode.says([[edit("one", project), bash("two", "make"), bash("three", "rm x"), outside]])
    running = start("--json", "--", "Go on.")
    reviewer = workspace.reviewer(PERSON)
    plan = waiting_plan(workspace)
    reviewer.reject(plan.id, reason="Keep the Greek small.")
    call = waiting_call(workspace)
    assert (call.tool, call.command, call.cwd, call.agent) == ("shell", "make", str(project), "opencode")
    reviewer.allow(call.id)
    reviewer.deny(waiting_call(workspace).id, reason="Stay here.")
    code, out, _ = ended(running)
    assert (code, json.loads(out)) == (0, {"agent": "opencode", "plans": [plan.id]})
    replies = opencode.heard("/reply")
    assert [reply["reply"] for reply in replies] == ["once", "once", "reject"]
    assert "Keep the Greek small." in replies[-1]["message"] and "Stay here." in replies[-1]["message"]
    assert notes.read_bytes() == BEFORE


def test_what_is_not_understood_is_refused_and_no_plan(
    opencode: StandIn, studio: CommandLine, workspace: Workspace, project: Path, notes: Path
) -> None:
    strange = [
        asks("one", "edit", "edit", filePath=7),
        asks("two", "edit", "scribble", filePath=str(notes), content="x"),
        {**edit("three", project), "part": {"type": "text"}},
        {**edit("four", project), "part": 7},
        {**edit("five", project), "tool": None},
    ]
    other = {**edit("six", project), "sessionID": "other"}
    noise = [{}, {"type": 7}, {"type": "session.idle", "properties": {"sessionID": "other"}}]
    opencode.says([*noise, *[[each] for each in strange]])
    assert studio("agent", "opencode", "--", "Go on.").code == 0
    assert [reply["reply"] for reply in opencode.heard("/reply")] == ["reject"] * len(strange)
    assert all(plan.state is PlanState.INVALID for plan in workspace.proposer.plans())
    assert notes.read_bytes() == BEFORE and other


@pytest.mark.parametrize(
    "said",
    [
        {"answers": {"/config": {"shell": "/bin/sh"}}},
        {"answers": {"/agent": []}},
        {"answers": {"/experimental/tool/ids": {}}},
        {"session": {"permission": [{"permission": "*", "pattern": "*", "action": "allow"}]}},
        {"session": {"id": 7}},
    ],
)
def test_opencode_is_given_no_prompt_unless_it_says_that_it_asks(
    opencode: StandIn, studio: CommandLine, said: dict[str, Any]
) -> None:
    opencode.says([], **said)
    answer = studio("agent", "opencode", "--", "Go on.")
    assert (answer.code, answer.error["code"]) == (1, "agent.failed")
    assert not opencode.prompts()


@pytest.mark.parametrize(
    "brings",
    [
        ("configuration/opencode/plugins/a.js", ""),
        ("home/.opencode/tool/read.ts", ""),
        ("configuration/opencode/opencode.jsonc", '{// mine\n"plugin": ["other"],}'),
        ("project/.opencode/plugin/a.ts", ""),
        ("project/opencode.json", '{"plugins": [{"package": "./a.js"}]}'),
        ("project/opencode.json", "{"),
        ("opencode.json", '{"plugin": ["./a.js"]}'),
    ],
)
def test_opencode_is_not_started_where_it_loads_code_that_asks_nobody(
    opencode: StandIn, studio: CommandLine, private_folders: Path, project: Path, brings: tuple[str, str]
) -> None:
    file, text = brings
    configuration = os.environ.get("XDG_CONFIG_HOME", str(private_folders / "home/.config"))
    folders = {"home": str(private_folders / "home"), "configuration": configuration, "project": str(project)}
    first, _, rest = file.partition("/")
    place = Path(folders.get(first, str(project.parent)), rest or first)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text)
    answer = studio("agent", "opencode", "--", "Go on.")
    assert answer.error["code"] in ("agent.own_rules", "connect.unreadable")
    assert place.name in answer.error["message"] and not opencode.heard("began")
    place.write_text("{}")
    if place.suffix.startswith(".json"):
        assert studio("agent", "opencode", "--", "Go on.").code == 0


def test_words_that_opencode_is_not_given_and_an_opencode_that_is_missing(
    opencode: StandIn, studio: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert studio("agent", "opencode", "--", "--auto").code == 2
    monkeypatch.setenv("OPENCODE_CONFIG_CONTENT", "[]")
    assert studio("agent", "opencode", "--", "Go on.").error["code"] == "agent.failed"
    (opencode.folder / "opencode").unlink()
    assert studio("agent", "opencode").error["code"] == "agent.missing"


def test_what_opencode_says_is_shown_and_a_failed_turn_ends_with_1(opencode: StandIn, start: Start) -> None:
    def text(name: str, said: str, **time: int) -> dict[str, Any]:
        part = {"type": "text", "id": name, "text": said, **({"time": time} if time else {})}
        return {"type": "message.part.updated", "properties": {"sessionID": "ses", "part": part}}

    piece = {"sessionID": "ses", "partID": "m", "delta": "Hello\x1b[2J"}
    error = {"name": "APIError", "data": {"message": "Slow."}}
    opencode.says(
        [
            text("user", "Go on."),
            text("m", "", start=1),
            {"type": "message.part.delta", "properties": piece},
            text("m", "Hello", start=1, end=2),
            text("n", "That is all.", start=1, end=2),
            {"type": "session.error", "properties": {"sessionID": "ses", "error": error}},
        ]
    )
    code, out, _ = ended(start("--", "Go on."))
    assert (code, out) == (1, "Hello\\x1b[2J\nThat is all.\nSlow.\n")


@pytest.mark.process
def test_ctrl_c_ends_the_turn_and_its_call_and_the_next_prompt_tells_what_became_of_the_plan(
    opencode: StandIn, start_process: StartProcess, workspace: Workspace, project: Path, notes: Path
) -> None:
    opencode.says([[edit("one", project)]], [], [], [[bash("two", "make")]])
    running = start_process()
    assert running.stdin is not None
    running.stdin.write(b"Go on.\n")
    running.stdin.flush()
    plan = waiting_plan(workspace)
    running.send_signal(signal.SIGINT)
    running.stdin.write(b"Go on without.\n")
    running.stdin.flush()
    soon(lambda: len(opencode.prompts()) == 2)
    reviewer = workspace.reviewer(PERSON)
    reviewer.approve(plan.id)
    reviewer.apply(plan.id)
    running.stdin.write(b"\nAnd now?\nAnd then?\n")
    running.stdin.flush()
    call = waiting_call(workspace)
    aborted = len(opencode.heard("/abort"))
    running.send_signal(signal.SIGINT)
    out, err = (each.decode() for each in running.communicate(timeout=TIMEOUT_SECONDS))
    assert running.returncode == 130, "how the last turn ended"
    assert workspace.proposer.call(call.id).state is CallState.GONE
    assert err.count("> ") >= 3 and "still waiting for review" in out
    assert 0 < aborted < len(opencode.heard("/abort")) and not opencode.heard("/reply")
    _, second, third, _ = opencode.prompts()
    assert "waiting for review" in second[0]
    assert "Done: the reviewer approved this change" in third[0] and third[-1] == "And now?"
    assert notes.read_bytes() == AFTER


@pytest.mark.process
def test_killed_before_the_answer_opencode_is_answered_nothing_and_goes(
    opencode: StandIn, start_process: StartProcess, workspace: Workspace, project: Path, notes: Path
) -> None:
    opencode.says([[edit("one", project)]])
    running = start_process("--", "Go on.")
    plan = waiting_plan(workspace)
    (begun,) = opencode.heard("began")
    os.kill(running.pid, signal.SIGKILL)
    running.communicate(timeout=TIMEOUT_SECONDS)
    soon(lambda: not Path(f"/proc/{begun['pid']}").exists())
    assert not opencode.heard("/reply") and notes.read_bytes() == BEFORE
    assert workspace.proposer.plan(plan.id).state is PlanState.PENDING, "it can still be decided"


def test_rules_of_an_agent_allow_nothing_but_reading() -> None:
    def rule(permission: str, pattern: str, action: str) -> dict[str, str]:
        return {"permission": permission, "pattern": pattern, "action": action}

    given = [
        rule("*", "*", "allow"),
        rule("read", "secret/*", "deny"),
        rule("bash", "*", "allow"),
        rule("edit", "*", "deny"),
        rule("edit", "*.md", "allow"),
        rule("lab_*", "*", "allow"),
        rule("task", "*", "allow"),
    ]
    closed = closed_rules([*given, 7, {}], ["read", "task", "odd"])
    assert closed[0] == rule("*", "*", "ask")
    allowed = {each["permission"] for each in closed if each["action"] == "allow"}
    assert allowed <= {
        "read",
        "glob",
        "grep",
        "list",
        "lsp",
        "skill",
        "todowrite",
        "todoread",
        "external_directory",
    }
    kept = [
        each for each in closed if each["permission"] in ("edit", "lab_*") or each["pattern"] == "secret/*"
    ]
    asked = [rule("edit", "*.md", "ask"), rule("lab_*", "*", "ask")]
    assert kept == [rule("read", "secret/*", "deny"), rule("edit", "*", "deny"), *asked]
    last = {each["permission"]: each["action"] for each in closed}
    assert [last[name] for name in ("task", "question", "odd", "bash")] == ["deny", "deny", "deny", "ask"]


def test_the_shell_runs_what_was_permitted_once_and_there(tmp_path: Path) -> None:
    def run(command: str, *words: str, cwd: Path = tmp_path) -> subprocess.CompletedProcess[bytes]:
        environment = {**os.environ, "OPENCODE_SERVER_PASSWORD": "secret"}
        words = words or ("-c", command)
        return subprocess.run(
            [str(guard.program), *words], cwd=cwd, env=environment, capture_output=True, check=False
        )

    (tmp_path / "sub").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "sub")
    with ShellGuard() as guard:
        assert run("echo made > made").returncode == 126 and not (tmp_path / "made").exists()
        command = "echo \"$OPENCODE_SERVER_PASSWORD\" 'a  b' %s\\n\n\n"
        guard.permit(command, tmp_path / "link")
        assert run(command).returncode == 126, "elsewhere"
        assert run(command.rstrip("\n"), cwd=tmp_path / "sub").returncode == 126, "another command"
        assert run("", "-l", "-c", command, cwd=tmp_path / "sub").returncode == 126
        done = run(command, cwd=tmp_path / "sub")
        assert (done.returncode, done.stdout) == (0, b" a  b %sn\n")
        assert run(command, cwd=tmp_path / "sub").returncode == 126, "a second time"
    assert not guard.program.exists()


@pytest.mark.usefixtures("private_folders")
def test_our_own_plugin_is_no_code_that_asks_nobody(opencode: StandIn, studio: CommandLine) -> None:
    """As long as it is exactly that, and stands where we put it."""
    client = client_of("opencode")
    carry_out(plan_connection(client))
    plugin = client.entries[0].path
    assert studio("agent", "opencode", "--", "Go on.").code == 0
    text = plugin.read_text()
    plugin.write_text(f"{text}void 0\n")
    assert studio("agent", "opencode", "--", "Go on.").error["code"] == "agent.own_rules"
    plugin.with_name("other.js").write_text(text)
    plugin.unlink()
    assert studio("agent", "opencode", "--", "Go on.").error["code"] == "agent.own_rules"
