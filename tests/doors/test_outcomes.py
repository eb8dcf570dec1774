"""What an agent is told of its plan: a text, and a document that holds it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from studio.doors.limits import OUTCOME_CHARACTERS
from studio.doors.outcomes import OUTCOME_SCHEMA, Outcome, outcome_of
from studio.engine.plan import Plan, StepDecision
from studio.formats.submission import SubmittedText, read_submission
from studio.workspace import Reviewer, Workspace
from tests.doors.conftest import plan_text

OnAttempt = Callable[[Plan], Outcome]


@pytest.fixture
def project(project: Path) -> Path:
    for name in ("a.txt", "b.txt", "c.txt"):
        (project / name).write_text("one\ntwo\n")
    return project


@pytest.fixture
def told(workspace: Workspace) -> OnAttempt:
    def tell(plan: Plan) -> Outcome:
        found = workspace.proposer.plan(plan.id)
        outcome = outcome_of(found, workspace.proposer.reply(plan.id))
        assert outcome.document["text"] == outcome.text, "a model is handed one of them"
        assert outcome.document.keys() == OUTCOME_SCHEMA["properties"].keys()
        return outcome

    return tell


def proposed(workspace: Workspace, **contents: str) -> Plan:
    steps = [
        {"op": "modify", "path": f"{name}.txt", "content": content} for name, content in contents.items()
    ]
    return workspace.proposer.propose(read_submission([SubmittedText(plan_text(*steps))]))


def outcomes(told_of: Outcome) -> Mapping[str, str]:
    return {step["path"]: step["outcome"] for step in told_of.document["steps"]}


def test_what_waits_is_not_on_the_disk(workspace: Workspace, told: OnAttempt) -> None:
    found = told(proposed(workspace, a="new\n"))
    assert not found.document["decided"] and outcomes(found) == {"a.txt": "waiting"}
    assert found.text.endswith("Nothing is written before the reviewer approves and applies the plan.\n")
    assert found.document["read_again"] == []


def test_applied_as_sent_changed_and_left_out(
    workspace: Workspace, reviewer: Reviewer, told: OnAttempt
) -> None:
    plan = proposed(workspace, a="new\n", b="new\n", c="new\n")
    reviewer.approve(plan.id, [StepDecision(1), StepDecision(2, edited=b"mine\n")], note="Mine is shorter.")
    reviewer.reject(plan.id, [3], reason="Keep c.")
    reviewer.apply(plan.id)
    found = told(plan)
    assert found.document["decided"]
    assert outcomes(found) == {"a.txt": "applied", "b.txt": "changed", "c.txt": "left_out"}
    assert found.document["steps"][2]["reason"] == "Keep c."
    assert found.document["read_again"] == ["b.txt", "c.txt"], "the disk holds other bytes than were sent"
    assert "Reason: Keep c.\nWhat you proposed:" in found.text and "Note: Mine is shorter." in found.text
    assert found.text.endswith("the content differs from what you sent: b.txt, c.txt.\n")


def test_hunks_left_out(workspace: Workspace, reviewer: Reviewer, project: Path, told: OnAttempt) -> None:
    (project / "a.txt").write_text("".join(f"{number}\n" for number in range(40)))
    changed = "".join("x\n" if number in (1, 38) else f"{number}\n" for number in range(40))
    plan = proposed(workspace, a=changed)
    reviewer.approve(plan.id, [StepDecision(1, {2: False})])
    reviewer.apply(plan.id)
    found = told(plan)
    assert outcomes(found) == {"a.txt": "in_part"} and found.document["read_again"] == ["a.txt"]


def test_sent_back_and_withdrawn(workspace: Workspace, reviewer: Reviewer, told: OnAttempt) -> None:
    plan = proposed(workspace, a="new\n")
    reviewer.request_changes(plan.id, reason="Say why.")
    found = told(plan)
    assert outcomes(found) == {"a.txt": "sent_back"} and "Requested change: Say why." in found.text
    plan = proposed(workspace, b="new\n")
    workspace.proposer.withdraw(plan.id)
    found = told(plan)
    assert outcomes(found) == {"b.txt": "withdrawn"}
    assert "Step 1, b.txt: withdrawn; nothing was written." in found.text


def test_other_line_ends_than_were_sent(
    workspace: Workspace, reviewer: Reviewer, project: Path, told: OnAttempt
) -> None:
    (project / "a.txt").write_bytes(b"one\r\ntwo\r\n")
    plan = proposed(workspace, a="new\n")
    reviewer.approve(plan.id)
    reviewer.apply(plan.id)
    assert (project / "a.txt").read_bytes() == b"new\r\n"
    assert told(plan).document["read_again"] == ["a.txt"]


def test_what_is_on_the_disk_as_sent_is_not_read_again(
    workspace: Workspace, reviewer: Reviewer, told: OnAttempt
) -> None:
    plan = proposed(workspace, a="new\n")
    reviewer.approve(plan.id)
    reviewer.apply(plan.id)
    found = told(plan)
    assert found.document["read_again"] == [] and "Read the file" not in found.text
    reviewer.rollback(plan.id)
    assert told(plan).document["read_again"] == ["a.txt"]


def test_a_refused_step_says_why(workspace: Workspace, told: OnAttempt) -> None:
    found = told(proposed(workspace, missing="new\n", a="new\n"))
    refused = found.document["steps"][0]
    assert refused["outcome"] == "refused" and "missing.txt" in refused["reason"]


def test_a_long_reply_is_cut_and_what_to_read_is_still_said(
    workspace: Workspace, reviewer: Reviewer, told: OnAttempt
) -> None:
    plan = proposed(workspace, a="x\n" * OUTCOME_CHARACTERS)
    reviewer.reject(plan.id, reason="Too long.")
    text = told(plan).text
    assert len(text) < OUTCOME_CHARACTERS + 500
    assert f"studio show {plan.short_id} --reply" in text and text.endswith("a.txt.\n")


def test_a_new_file_that_was_not_made_is_not_to_be_read(
    workspace: Workspace, reviewer: Reviewer, told: OnAttempt
) -> None:
    new = {"op": "create", "path": "new.txt", "content": "new\n"}
    plan = workspace.proposer.propose(read_submission([SubmittedText(plan_text(new))]))
    reviewer.reject(plan.id, reason="Not now.")
    assert told(plan).document["read_again"] == []
    plan = workspace.proposer.propose(read_submission([SubmittedText(plan_text({**new, "content": "2\n"}))]))
    reviewer.approve(plan.id)
    reviewer.apply(plan.id)
    reviewer.rollback(plan.id)
    assert told(plan).document["read_again"] == []
