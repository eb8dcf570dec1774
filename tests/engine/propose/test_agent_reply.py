"""What the agent is told after decisions: what went in, what did not, and why."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from studio.engine.plan import LineComment, Plan, StepDecision
from studio.workspace import Reviewer, Workspace

Propose = Callable[..., Plan]

LINES = [f"line {number}\n" for number in range(1, 41)]


def changed(*numbers: int) -> str:
    return "".join("changed\n" if at + 1 in numbers else line for at, line in enumerate(LINES))


@pytest.fixture
def plan(project: Path, propose: Propose) -> Plan:
    for name in ("one.txt", "two.txt", "three.txt"):
        (project / name).write_text("".join(LINES))
    steps = [
        {"op": "modify", "path": "one.txt", "content": changed(3, 30)},
        {"op": "modify", "path": "two.txt", "content": changed(5)},
        {"op": "modify", "path": "three.txt", "patch": "@@ -1,1 +1,1 @@\n-no such line\n+x\n"},
    ]
    return propose(json.dumps({"title": "Three", "agent": "claude-code", "steps": steps}))


def test_a_reply_says_what_went_in_what_did_not_and_why(
    plan: Plan, project: Path, reviewer: Reviewer, workspace: Workspace
) -> None:
    reviewer.approve(plan.id, [StepDecision(1, {2: False}, text="Line 30 is right as it is.")])
    comments = {2: [LineComment("result", 5, "Why?"), LineComment("base", 6, "Not this one.")]}
    reviewer.reject(plan.id, [2], reason="Keep line 5.", comments=comments)
    text = workspace.proposer.reply(plan.id)
    head, first, second, third = text.split("\n\n", 3)
    assert head == f"Plan {plan.short_id}, “Three”: decided, not applied yet."
    assert first.startswith(
        "Step 1, one.txt: approved in part.\nNote: Line 30 is right as it is.\nHunk 2 of 2 excluded.\n"
    )
    assert "-line 30\n+changed\n" in first
    assert second.startswith("Step 2, two.txt: rejected; nothing was written.\nReason: Keep line 5.\n")
    assert "On line 5 of your result: Why?\nOn line 6 of the file as it was: Not this one.\n" in second
    assert "What you proposed:\ndiff --git a/two.txt b/two.txt\n" in second
    assert third.startswith("Step 3, three.txt: refused;")
    assert "The file as it is now has the SHA-256" in third, "what a new diff needs"

    reviewer.apply(plan.id)
    assert "Step 1, one.txt: applied in part." in workspace.proposer.reply(plan.id, [1])
    diff = first[first.index("--- ") :] + "\n"
    subprocess.run(["git", "apply", "-"], input=diff, cwd=project, text=True, check=True)
    assert (project / "one.txt").read_text() == changed(3, 30), "the rest applies to what was written"


def test_comments_come_back_with_the_decision(plan: Plan, reviewer: Reviewer, workspace: Workspace) -> None:
    said = LineComment("result", 3, "Two\nlines, ünïcödé")
    assert reviewer.approve(plan.id, [StepDecision(1, comments=[said])]).steps[0].decision is not None
    decision = workspace.proposer.plan(plan.id).steps[0].decision
    assert decision is not None and decision.comments == (said,)


def test_a_rejected_new_file_and_an_edited_result(
    project: Path, reviewer: Reviewer, workspace: Workspace, propose: Propose
) -> None:
    steps = [{"op": "create", "path": f"{name}.txt", "content": "one\n"} for name in ("a", "b")]
    plan = propose(json.dumps({"title": "t", "steps": steps}))
    reviewer.reject(plan.id, [1], reason="No.")
    reviewer.approve(plan.id, [StepDecision(2, edited=b"two\n")])
    text = workspace.proposer.reply(plan.id)
    assert "--- /dev/null\n+++ b/a.txt\n" in text
    assert "Step 2, b.txt: approved with changes of the reviewer.\nFrom the decided result" in text
    assert "-two\n+one\n" in text


def test_changes_asked_for(plan: Plan, reviewer: Reviewer, workspace: Workspace) -> None:
    reviewer.request_changes(
        plan.id, reason="Smaller, please.", comments={1: [LineComment("result", 3, "?")]}
    )
    text = workspace.proposer.reply(plan.id)
    assert "changes are requested; nothing was written. Propose a new round." in text
    assert text.count("Smaller, please.") == 1
    assert "Step 1, one.txt: changes are requested.\nOn line 3 of your result: ?" in text


def test_names_from_outside_stay_on_their_line(workspace: Workspace, propose: Propose) -> None:
    plan = propose(
        json.dumps({"title": "a\n\u202eb", "steps": [{"op": "create", "path": "a", "content": ""}]})
    )
    head = workspace.proposer.reply(plan.id).splitlines()[0]
    assert "\u202e" not in head and head.endswith("not decided as a whole yet.")


def test_rounds_are_plans_of_the_same_agent_that_came_to_nothing(
    project: Path, reviewer: Reviewer, workspace: Workspace, propose: Propose
) -> None:
    (project / "a.txt").write_text("".join(LINES))

    def proposed(number: int, title: str = "Retry", agent: str = "claude-code", path: str = "a.txt") -> Plan:
        op = "modify" if path == "a.txt" else "create"
        steps = [{"op": op, "path": path, "content": changed(number)}]
        return propose(json.dumps({"title": title, "agent": agent, "steps": steps}))

    first = proposed(1)
    reviewer.request_changes(first.id, reason="Another line.")
    second = proposed(2, title="Retry, again")
    assert [plan.id for plan in workspace.proposer.rounds(second.id)] == [first.id]
    reviewer.reject(second.id, reason="No.")
    others = [proposed(3, agent="codex"), proposed(4, title="Else", path="b.txt"), proposed(5, agent="")]
    third = proposed(6)
    assert [plan.id for plan in workspace.proposer.rounds(third.id)] == [first.id, second.id]
    assert [workspace.proposer.rounds(other.id) for other in others] == [(), (), ()]
    same_title = proposed(7, path="c.txt")
    assert [plan.id for plan in workspace.proposer.rounds(same_title.id)] == [first.id]


def test_a_withdrawn_plan_is_not_called_undecided(plan: Plan, workspace: Workspace) -> None:
    workspace.proposer.withdraw(plan.id)
    text = workspace.proposer.reply(plan.id)
    assert text.startswith(f"Plan {plan.short_id}, “Three”: withdrawn; nothing was written.\n")
    assert "Step 1, one.txt: withdrawn; nothing was written.\n" in text
    assert "not decided" not in text and "Step 3, three.txt: refused;" in text
