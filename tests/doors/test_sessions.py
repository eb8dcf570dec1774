"""`studio sessions`: who works here, told by what processes hold and not by the clock."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from studio import doors
from studio.engine.plan import Plan
from studio.program.notify_socket import notify_listener
from tests.doors.conftest import CommandLine

AGENT = """
import json, sys
from studio.workspace import Workspace
from studio.formats import detect
workspace = Workspace.open(sys.argv[1])
session = workspace.proposer.open_session("claude-code", "mcp", name=sys.argv[2])
for line in sys.stdin:
    word, _, text = line.strip().partition(" ")
    if word == "propose":
        plan = workspace.proposer.propose(detect.read(text.encode()), session=session)
        print(json.dumps([plan.id, plan.version]), flush=True)
    elif word == "close":
        workspace.proposer.close_session(session)
        print("closed", flush=True)
    else:
        print(session.id, flush=True)
"""
"""An agent's door in a process of its own, told what to do line by line."""


class Agent:
    def __init__(self, project: Path, name: str = "") -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", AGENT, str(project), name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, line: str) -> str:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def end(self) -> None:
        with self.process:
            self.process.kill()


@pytest.fixture
def agents(project: Path) -> Iterator[Callable[..., Agent]]:
    started: list[Agent] = []

    def start(name: str = "") -> Agent:
        started.append(Agent(project, name))
        return started[-1]

    yield start
    for agent in started:
        agent.end()


def listed(studio: CommandLine) -> list[dict[str, Any]]:
    return studio("sessions").json["sessions"]


def test_a_session_is_alive_as_long_as_its_process_and_no_longer(
    studio: CommandLine, agents: Callable[..., Agent]
) -> None:
    assert studio("sessions", json=False).text == "No sessions.\n"
    agent = agents()
    session = agent.ask("who")
    (found,) = listed(studio)
    assert found == {
        "session": session,
        "agent": "claude-code",
        "door": "mcp",
        "state": "alive",
        "since": found["since"],
        "last": found["last"],
        "plans": [],
    }
    agent.process.send_signal(signal.SIGKILL)
    agent.process.wait()
    (found,) = listed(studio)
    assert (found["session"], found["state"]) == (session, "gone")
    said = studio("sessions", json=False).text
    assert said.startswith("claude-code via mcp has ended; started 20") and said.endswith("Z, 0 plans.\n")


def test_a_session_that_ends_itself_is_gone_while_its_process_goes_on(
    studio: CommandLine, agents: Callable[..., Agent]
) -> None:
    agent, other, third = agents("nightly"), agents(), agents()
    first, second = agent.ask("who"), other.ask("who")
    assert agent.ask("close") == third.ask("close") == "closed"  # the third did nothing: it is forgotten
    assert {row["session"]: row["state"] for row in listed(studio)} == {first: "gone", second: "alive"}


def test_a_name_comes_back_to_its_session(studio: CommandLine, agents: Callable[..., Agent]) -> None:
    """Alive as long as one of its processes is."""
    agent, again = agents("morning"), agents("morning")
    session = agent.ask("who")
    assert again.ask("who") == session
    agent.end()
    assert [(row["session"], row["state"]) for row in listed(studio)] == [(session, "alive")]
    again.end()
    assert [row["state"] for row in listed(studio)] == ["gone"]
    assert "(morning)" in studio("sessions", json=False).text


def test_what_it_waits_for_shows_a_session_as_waiting_until_it_is_written(
    studio: CommandLine, agents: Callable[..., Agent], allow_review: None, project: Path
) -> None:
    """Approving alone releases nobody."""
    agent = agents()
    plan, _ = _made(agent.ask(f"propose {_create('a.txt')}"))
    waiting = studio.begin("wait", plan)
    while listed(studio)[0]["state"] != "waiting":
        assert waiting.is_running
    (found,) = listed(studio)
    assert found["plans"] == [plan] and studio("show", plan).json["session"] == found["session"]
    assert studio("approve", plan).code == 0
    assert listed(studio)[0]["state"] == "waiting" and waiting.is_running
    assert studio("apply", plan).code == 0
    assert waiting.end().code == 0
    assert (project / "a.txt").read_text() == "new\n"
    assert [row["state"] for row in listed(studio)] == ["alive"]


def test_who_waits_hears_of_a_part_and_waits_on(
    studio: CommandLine,
    agents: Callable[..., Agent],
    allow_review: None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    heard, part_sentence = threading.Event(), doors.part_sentence

    def hear(plan: Plan) -> str:
        heard.set()
        return part_sentence(plan)

    monkeypatch.setattr(doors, "part_sentence", hear)
    agent = agents()
    steps = [{"op": "create", "path": path, "content": "new\n"} for path in ("a.txt", "b.txt")]
    plan, _ = _made(agent.ask(f"propose {json.dumps({'title': 't', 'steps': steps})}"))
    waiting = studio.begin("wait", plan)
    while listed(studio)[0]["state"] != "waiting":
        assert waiting.is_running
    assert studio("approve", plan, "--step", "1").code == 0
    assert studio("apply", plan, "--approved").code == 0
    assert heard.wait(60) and waiting.is_running
    assert studio("reject", plan, "--step", "2", "--reason", "no").code == 0
    said = waiting.end()
    assert said.code == 0 and "Part 1 is applied (1 step); 1 of 2 steps still waits for review." in said.err


@pytest.mark.parametrize("way", ["reject", "withdraw"])
def test_what_ends_a_plan_releases_who_waits_for_it(
    studio: CommandLine, agents: Callable[..., Agent], allow_review: None, way: str
) -> None:
    plan, _ = _made(agents().ask(f"propose {_create('a.txt')}"))
    waiting = studio.begin("wait", plan)
    while listed(studio)[0]["state"] != "waiting":
        assert waiting.is_running
    words = {"reject": ("reject", plan, "--reason", "no"), "withdraw": ("withdraw", plan)}[way]
    assert studio(*words).code == 0
    assert waiting.end().code == 1
    assert [row["state"] for row in listed(studio)] == ["alive"]


def test_a_decision_names_the_version_that_its_question_named(
    studio: CommandLine, agents: Callable[..., Agent], project: Path
) -> None:
    """Exit 3, and nothing is decided, where the agent went on meanwhile."""
    agent = agents()
    plan, version = _made(agent.ask(f"propose {_create('a.txt')}"))
    said = studio.at_terminal(
        "approve", plan, "--apply", typed=f"{plan[:8]}\n",
        meanwhile=lambda: agent.ask(f"propose {_create('b.txt')}"),
    )  # fmt: skip
    assert said.code == 3 and said.error["code"] == "plan.other_version"
    shown = studio("show", plan).json
    assert (shown["version"], shown["state"], list(project.glob("*.txt"))) == (version + 1, "pending", [])
    assert studio.at_terminal("approve", plan, "--apply", typed=f"{plan[:8]}\n").code == 0
    assert sorted(file.name for file in project.glob("*.txt")) == ["a.txt", "b.txt"]


def test_a_submitted_text_has_no_session(studio: CommandLine) -> None:
    plan = studio.submit({"op": "create", "path": "a.txt", "content": "a\n"})
    assert "session" not in plan and listed(studio) == []


def _create(path: str) -> str:
    return f'{{"title": "t", "steps": [{{"op": "create", "path": "{path}", "content": "new\\n"}}]}}'


def _made(answer: str) -> tuple[str, int]:
    plan, version = answer.strip("[]").split(", ")
    return plan.strip('"'), int(version)


@pytest.mark.process
def test_a_wait_rings_for_no_commit_tells_that_somebody_waits(
    studio: CommandLine, agents: Callable[..., Agent], allow_review: None
) -> None:
    """The window shows it at once, and not at its next look; a process rings no bell of its own."""
    plan, _ = _made(agents().ask(f"propose {_create('a.txt')}"))
    with notify_listener() as bell:
        assert bell is not None
        waiting = studio.start("wait", plan)
        assert bell.wait(20)
        assert studio("withdraw", plan).code == 0
        with waiting:
            assert waiting.wait(20) == 1
