"""An agent that waits hears the decision with its words; whoever goes away leaves the plan to a person."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from studio.engine.plan import PlanState, StepDecision
from studio.workspace import Reviewer, Workspace
from tests.doors.mcp.conftest import ERAS, SECONDS, Agent, Connect, text_of, until

_CLIENT = """
import os, sys, anyio
from mcp import Client, StdioServerParameters
async def main():
    server = StdioServerParameters(command=sys.executable, args=["-m", "studio", "mcp"], env=dict(os.environ))
    async with Client(server) as client:
        text = '{"title": "t", "steps": [{"op": "create", "path": "a.txt", "content": "a"}]}'
        proposed = await client.call_tool("propose", {"text": text})
        print("proposed", flush=True)
        await client.call_tool("wait", {"plan": proposed.structured_content["plan"], "timeout_seconds": 600})
anyio.run(main)
"""


def is_waiting(workspace: Workspace) -> bool:
    return bool(workspace.proposer.waiting())


@pytest.mark.parametrize("era", ERAS)
def test_decisions_reach_an_agent_that_waits(
    agent: Agent, project: Path, workspace: Workspace, reviewer: Reviewer
) -> None:
    def decided(path: str, decide: str) -> dict[str, object]:
        plan = agent.propose(**{path: "sent\n"})
        waiting = agent.start("wait", plan=plan, timeout_seconds=600)
        until(lambda: is_waiting(workspace))
        assert agent.give("read", file_path=path)["content"] == "sent\n", "the wait holds up nothing"
        if decide == "approve":
            reviewer.approve(plan)
            assert not waiting.done(), "approved alone, nothing is on the disk yet"
            reviewer.apply(plan)
        elif decide == "edit":
            reviewer.approve(plan, [StepDecision(1, edited=b"mine\n")], note="Mine.")
            reviewer.apply(plan)
        elif decide == "reject":
            reviewer.reject(plan, reason="Not this.")
        elif decide == "send back":
            reviewer.request_changes(plan, reason="Say why.")
        else:
            agent.give("withdraw", plan=plan)
        answer = waiting.result(SECONDS)
        assert not answer.is_error and answer.structured_content is not None
        (step,) = answer.structured_content["steps"]
        again = answer.structured_content["read_again"]
        text = answer.structured_content["text"]
        for words in ("Not this.", "Say why.", "Mine."):
            assert (words in text) is (
                words == {"edit": "Mine.", "reject": "Not this.", "send back": "Say why."}.get(decide)
            )
        return {"outcome": step["outcome"], "again": again, "state": answer.structured_content["state"]}

    assert decided("a.txt", "approve") == {"outcome": "applied", "again": [], "state": "completed"}
    assert decided("b.txt", "edit") == {"outcome": "changed", "again": ["b.txt"], "state": "completed"}
    assert decided("c.txt", "reject") == {"outcome": "left_out", "again": [], "state": "rejected"}
    assert decided("d.txt", "send back") == {
        "outcome": "sent_back",
        "again": [],
        "state": "changes_requested",
    }
    assert decided("e.txt", "withdraw") == {"outcome": "withdrawn", "again": [], "state": "cancelled"}
    assert {path.name for path in project.iterdir()} == {"a.txt", "b.txt", "studio.yaml"}
    assert (project / "b.txt").read_text() == "mine\n"
    assert agent.progress, "and hears meanwhile that nothing was decided"


def test_an_agent_that_waits_is_sent_progress_again_and_again(
    connect: Connect, reviewer: Reviewer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("studio.doors.mcp.server.AGENT_PROGRESS_SECONDS", 0.02)
    agent = connect()
    plan = agent.propose(**{"a.txt": "one\n", "b.txt": "two\n"})
    waiting = agent.start("wait", plan=plan, timeout_seconds=600)
    until(lambda: len(agent.progress) >= 3)
    assert set(agent.messages) == {"Waiting for the reviewer's decision."}
    reviewer.approve(plan, [1])
    reviewer.apply(plan, approved_only=True)
    part = "Part 1 is applied (1 step); 1 of 2 steps still waits for review."
    until(lambda: agent.messages[-1] == part)
    assert not waiting.done(), "it is released when no step is open"
    agent.give("withdraw", plan=plan)
    answer = waiting.result(SECONDS)
    assert not answer.is_error and answer.structured_content is not None
    assert [step["outcome"] for step in answer.structured_content["steps"]] == ["applied", "withdrawn"]


@pytest.mark.parametrize("era", ERAS)
def test_a_wait_ends_when_the_client_cancels_it(agent: Agent, workspace: Workspace) -> None:
    plan = agent.propose(**{"a.txt": "one\n"})
    waiting = agent.start("wait", plan=plan, timeout_seconds=600)
    until(lambda: is_waiting(workspace))
    assert waiting.cancel()
    until(lambda: not is_waiting(workspace))
    assert agent.give("propose_status", plan=plan)["state"] == "pending", "the plan and the server go on"


@pytest.mark.process
def test_a_client_that_is_killed_leaves_its_plan(
    project: Path, workspace: Workspace, reviewer: Reviewer
) -> None:
    command = [sys.executable, "-c", _CLIENT]
    with subprocess.Popen(
        command, cwd=project, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as client:
        try:
            assert client.stdout is not None and client.stdout.readline() == "proposed\n"
            until(lambda: is_waiting(workspace))
        finally:
            client.kill()
    until(lambda: not is_waiting(workspace))
    (session,) = workspace.proposer.sessions()
    until(lambda: workspace.proposer.sessions()[0].state.value == "gone")
    (plan,) = session.plans
    reviewer.approve(plan)
    assert reviewer.apply(plan).state is PlanState.COMPLETED
    assert (project / "a.txt").read_text() == "a"


def test_two_agents_on_one_file(
    connect: Connect, project: Path, workspace: Workspace, reviewer: Reviewer
) -> None:
    (project / "a.txt").write_text("one\n")
    first, second = connect(name="first"), connect(name="second")
    plans = [
        agent.give("write", file_path="a.txt", content=f"{name}\n")["plan"]
        for name, agent in (("first", first), ("second", second))
    ]
    assert plans[0] != plans[1]
    assert [agent.give("read", file_path="a.txt")["content"] for agent in (first, second)] == [
        "first\n",
        "second\n",
    ]
    reviewer.approve(plans[0])
    reviewer.apply(plans[0])
    told = second.give("propose_status", plan=plans[1])
    assert told["steps"][0]["outcome"] == "stale" and "changed on disk" in told["text"]
    assert told["read_again"] == ["a.txt"]
    assert (project / "a.txt").read_text() == "first\n"


def test_a_stale_step_is_revised_on_the_file_that_is_read_again(
    agent: Agent, project: Path, workspace: Workspace, reviewer: Reviewer
) -> None:
    (project / "a.txt").write_text("one\ntwo\n")
    diff = "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n{}\n-two\n+TWO\n"
    plan = agent.give("propose", text=diff.format(" one"), title="Shout")["plan"]
    (project / "a.txt").write_text("1\ntwo\n")
    assert agent.give("propose_status", plan=plan)["read_again"] == ["a.txt"]
    refused = agent.refuse("propose", text=diff.format(" one\n three").replace("-1,2 +1,2", "-1,3 +1,3"))
    read = agent.give("read", path="a.txt")
    assert read["content"] == "1\ntwo\n" and f"as it is now has the SHA-256 {read['checksum']}" in refused
    revised = agent.give("propose", text=diff.format(" 1"))
    assert revised["plan"] == plan and [step["outcome"] for step in revised["steps"]] == ["waiting"]
    assert "a.txt on disk and replaces an earlier step that was stale." in revised["text"]
    reviewer.approve(plan)
    reviewer.apply(plan)
    assert (project / "a.txt").read_text() == "1\nTWO\n"


def test_a_step_on_a_base_that_nobody_has_can_be_revised(
    agent: Agent, project: Path, reviewer: Reviewer
) -> None:
    (project / "a.txt").write_text("one\n")
    (project / "gone").mkdir()
    for name in ("b.txt", "c.txt"):
        (project / "gone" / name).write_text("old\n")
    modify = {"op": "modify", "path": "a.txt", "content": "mine\n", "base_sha256": "0" * 64}
    steps = [modify, {"op": "delete", "path": "gone"}]
    plan = agent.give("propose", text=json.dumps({"title": "t", "steps": steps}))["plan"]
    (project / "gone/b.txt").write_text("theirs\n")
    assert agent.give("read", path="a.txt")["content"] == "one\n"
    assert [item["path"] for item in agent.give("list", path="gone")["items"]] == ["gone/b.txt"]
    for path in ("a.txt", "gone/b.txt"):
        assert agent.give("write", path=path, content="mine\n")["plan"] == plan
    reviewer.approve(plan)
    assert reviewer.apply(plan).state is PlanState.COMPLETED
    files = sorted((path.name, path.read_text()) for path in project.rglob("*.txt"))
    assert files == [("a.txt", "mine\n"), ("b.txt", "mine\n")]


def test_fifty_calls_at_once(agent: Agent, project: Path, workspace: Workspace) -> None:
    """All are answered, those that change join one plan, and none is held up by those that wait."""
    (project / "there.txt").write_text("there\n")
    plan = agent.propose(**{"first.txt": "one\n"})
    waiting = [agent.start("wait", plan=plan, timeout_seconds=600) for _ in range(20)]
    until(lambda: is_waiting(workspace))
    writes = [agent.start("write", file_path=f"{n}.txt", content="x\n") for n in range(15)]
    reads = [agent.start("read", file_path="there.txt") for _ in range(15)]
    for call in [*writes, *reads]:
        assert not call.result(SECONDS).is_error, text_of(call.result())
    (found,) = workspace.proposer.plans()
    assert len(found.valid_steps) == 16
    agent.give("withdraw", plan=plan)
    for call in waiting:
        document = call.result(SECONDS).structured_content
        assert document is not None and document["state"] == "cancelled"
    assert {path.name for path in project.iterdir()} == {"studio.yaml", "there.txt"}
