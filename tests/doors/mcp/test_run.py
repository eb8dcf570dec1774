"""`run`: commands and file tools of a session share their files, and what both change is one plan."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from studio.engine import CallState, Person, PersonSource
from studio.extras.sandbox import Command, Outcome, Sandbox
from studio.workspace import Workspace
from tests.doors.awaited import waiting_call
from tests.doors.conftest import set_configuration
from tests.doors.mcp.conftest import Connect
from tests.engine.git_data.repositories import init
from tests.tools.sandboxed import opened, state_of

PERSON = Person(PersonSource.WINDOW, "ada")


@pytest.fixture(autouse=True)
def files(project: Path) -> None:
    opened(project).close()
    set_configuration("agents: {shell: sandbox}")
    (project / "notes.txt").write_bytes(b"alpha\n")
    (project / "old.txt").write_bytes(b"old\n")


def apply(workspace: Workspace, plan: str) -> None:
    workspace.reviewer(PERSON).approve(plan)
    workspace.reviewer(PERSON).apply(plan)


def test_both_work_on_the_same_files_and_propose_one_plan(
    connect: Connect, workspace: Workspace, project: Path
) -> None:
    agent, before = connect(), state_of(project)
    plan = agent.give("write", path="notes.txt", content="by a tool\n")["plan"]
    command = "cat notes.txt; echo made > made.txt; rm old.txt; echo kept > .kept; exit 3"
    ran = agent.give("run", command=command)
    assert (ran["exit"], ran["output"], ran["plan"]) == (3, "by a tool\n", plan)
    assert agent.give("read", path="made.txt")["content"] == "made\n"
    assert not agent.give("exists", path="old.txt")["exists"]
    assert agent.give("append", path="made.txt", content="more\n")["plan"] == plan
    assert agent.give("run", command="cat made.txt; echo last >> notes.txt")["output"] == "made\nmore\n"
    assert agent.propose(**{"new.txt": "proposed\n"}) == plan
    assert agent.give("run", command="cat new.txt; rm .kept")["output"] == "proposed\n"
    assert state_of(project) == before and [each.id for each in workspace.proposer.plans()] == [plan]
    apply(workspace, plan)
    assert {path.name: path.read_text() for path in project.glob("*.txt")} == {
        "notes.txt": "by a tool\nlast\n",
        "made.txt": "made\nmore\n",
        "new.txt": "proposed\n",
    }
    assert agent.give("run", command="cat new.txt")["output"] == "proposed\n"


def test_what_git_ignores_is_shared_and_only_what_the_tool_wrote_of_it_proposed(
    connect: Connect, workspace: Workspace, project: Path
) -> None:
    init(project)
    (project / ".gitignore").write_text("logs/\n")
    agent = connect()
    plan = agent.give("write", path="logs/wanted.txt", content="wanted\n")["plan"]
    agent.give("run", command="echo log > logs/log.txt; cat logs/wanted.txt > copy.txt")
    assert agent.give("read", path="logs/log.txt")["content"] == "log\n"
    assert agent.give("run", command="cat logs/log.txt")["output"] == "log\n"
    agent.give("write", path="logs/second.txt", content="second\n")
    steps = workspace.proposer.plan(plan).steps
    assert {step.path for step in steps} == {"logs/wanted.txt", "copy.txt", "logs/second.txt"}


def test_a_rejected_change_is_gone_for_both(connect: Connect, workspace: Workspace) -> None:
    agent = connect()
    plan = agent.give("run", command="echo no > no.txt; echo yes > yes.txt")["plan"]
    number = next(step.number for step in workspace.proposer.plan(plan).steps if step.path == "no.txt")
    workspace.reviewer(PERSON).reject(plan, [number], reason="No.")
    assert not agent.give("exists", path="no.txt")["exists"]
    assert agent.give("run", command="ls *.txt")["output"] == "notes.txt\nold.txt\nyes.txt\n"


def test_a_change_rejected_while_a_command_runs_is_gone_after_it(
    connect: Connect, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent, run = connect(), Sandbox.run
    plan = agent.propose(**{"no.txt": "no\n"})

    def run_and_reject(sandbox: Sandbox, command: Command, **given: Any) -> Outcome:
        outcome = run(sandbox, command, **given)
        workspace.reviewer(PERSON).reject(plan, reason="No.")
        workspace.close_thread()
        return outcome

    monkeypatch.setattr(Sandbox, "run", run_and_reject)
    assert agent.give("run", command="cat no.txt")["output"] == "no\n"
    assert not agent.give("exists", path="no.txt")["exists"]


def test_an_apply_waits_for_no_idle_sandbox(connect: Connect, workspace: Workspace) -> None:
    agent = connect()
    agent.give("run", command="echo mine > mine.txt")
    other = connect(name="other").propose(**{"other.txt": "other\n"})
    assert not workspace.is_command_running
    apply(workspace, other)
    assert agent.give("run", command="cat other.txt mine.txt")["output"] == "other\nmine\n"


def test_the_reviewer_is_asked_unless_the_settings_answer(connect: Connect, workspace: Workspace) -> None:
    set_configuration("agents: {shell: ask}")
    agent = connect()
    running = agent.start("run", command="echo ran")
    call = waiting_call(workspace)
    assert (call.tool, call.command) == ("run", "echo ran")
    workspace.reviewer(PERSON).allow(call.id)
    result = running.result(20).structured_content
    assert isinstance(result, dict) and result["output"] == "ran\n"
    set_configuration("agents: {shell: deny}")
    assert "allow no commands of agents" in agent.refuse("run", command="echo ran")
    assert workspace.proposer.calls()[0].state is CallState.ALLOWED
