"""`sources` narrow what plans of one format or agent may touch, whenever that is asked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from studio.engine.plan import PersonSource, StepDecision
from studio.errors import Refused
from studio.workspace import Person, Workspace
from tests.doors.conftest import CommandLine, set_configuration

PLAN = {"title": "Two files", "agent": "Me Too", "steps": [
    {"op": "create", "path": "docs/a.md", "content": "a\n"},
    {"op": "create", "path": "src/b.py", "content": "b\n"},
]}  # fmt: skip
DIFF = b"--- /dev/null\n+++ b/src/c.py\n@@ -0,0 +1 @@\n+c\n"


def submit(studio: CommandLine, agent: str = "Me Too") -> list[str]:
    said = studio("submit", "--agent", agent, stdin=json.dumps(PLAN).encode())
    return [step["state"] for step in said.json["steps"]]


def test_a_format_and_an_agent_are_narrowed_at_propose(studio: CommandLine) -> None:
    set_configuration("sources: {plan: {deny: [docs/]}, me-too: {allowed_extensions: [md]}}")
    assert submit(studio) == ["invalid", "invalid"], "both apply"
    assert submit(studio, "another") == ["invalid", "pending"]
    assert studio("submit", "--agent", "another", stdin=DIFF).json["steps"][0]["state"] == "pending"


def test_check_answers_as_for_that_format_and_agent(studio: CommandLine) -> None:
    set_configuration("sources: {plan: {deny: [docs/]}, me-too: {allowed_extensions: [md]}}")
    assert studio("check", "docs/a.md", "src/b.py").code == 0
    said = studio("check", "docs/a.md", "src/b.py", "--format", "plan", "--agent", "Me Too")
    found = [(verdict["allowed"], verdict["rule"], verdict["level"]) for verdict in said.json["verdicts"]]
    assert found == [
        (False, "docs/", "source plan"),
        (False, "allowed_extensions", "source me-too"),
    ]
    assert studio("check", "x.py", "--format", "file-action").code == 1, "blocks may touch Markdown alone"
    refused = studio("check", "x.py", "--format", "no-such")
    assert (refused.code, refused.error["code"]) == (2, "format.not_known")


def test_limits_of_a_source_count(studio: CommandLine) -> None:
    set_configuration("sources: {me-too: {steps: 1}, plan: {file_bytes: 1}}")
    said = studio("submit", stdin=json.dumps(PLAN).encode())
    assert (said.code, said.error["code"]) == (1, "plan.too_many_steps")
    assert submit(studio, "another") == ["invalid", "invalid"]
    assert studio("submit", stdin=DIFF).code == 0


@pytest.mark.parametrize("source", ["plan", "me-too"])
def test_a_source_narrowed_after_the_approval_makes_it_stale(
    studio: CommandLine, project: Path, source: str
) -> None:
    """What a decision was made on has changed, though the rules for all have not."""
    set_configuration("review: {command_line: allow}")
    plan = studio("submit", stdin=json.dumps(PLAN).encode()).json["plan"]
    assert studio("approve", plan).code == 0
    set_configuration(f"review: {{command_line: allow}}\nsources: {{{source}: {{steps: 5}}}}")
    said = studio("apply", plan)
    assert said.code == 3 and b"policy.changed" in said.out
    assert not (project / "src").exists()
    assert studio("show", plan).json["state"] == "pending", "it is decided anew"


def test_another_source_leaves_the_approval_alone(studio: CommandLine, project: Path) -> None:
    set_configuration("review: {command_line: allow}")
    plan = studio("submit", stdin=json.dumps(PLAN).encode()).json["plan"]
    assert studio("approve", plan).code == 0
    set_configuration("review: {command_line: allow}\nsources: {unified: {deny: [src/]}}")
    assert studio("apply", plan).code == 0
    assert (project / "src" / "b.py").read_text() == "b\n"


def test_a_rollback_is_the_persons_and_no_source_narrows_it(studio: CommandLine, project: Path) -> None:
    set_configuration("review: {command_line: allow}")
    plan = studio("submit", stdin=json.dumps(PLAN).encode()).json["plan"]
    assert studio("approve", plan, "--apply").code == 0
    narrowed = "sources: {plan: {deny: ['*']}, rollback: {deny: ['*']}}"
    set_configuration(f"review: {{command_line: allow}}\n{narrowed}")
    assert studio("rollback", plan).code == 0
    assert not (project / "src" / "b.py").exists()


def test_a_stale_step_that_a_source_denies_by_now_does_not_come_back(
    studio: CommandLine, project: Path
) -> None:
    file = project / "a.txt"
    file.write_text("one\n")
    edit = {"op": "modify", "path": "a.txt", "edits": [{"old": "one", "new": "two"}]}
    plan = studio.submit(edit)["plan"]
    file.write_text("drifted\n")
    assert studio("show", plan).json["stale"]
    set_configuration("sources: {tester: {deny: ['*.txt']}}")
    file.write_text("one\n")
    assert studio("show", plan).json["stale"]
    set_configuration("sources: {somebody: {deny: ['*.txt']}}")
    assert not studio("show", plan).json["stale"]


def test_what_a_person_edits_keeps_to_the_size_that_its_source_may_have(
    studio: CommandLine, project: Path
) -> None:
    set_configuration("sources: {tester: {file_bytes: 4}}")
    plan = studio.submit({"op": "create", "path": "a.txt", "content": "one\n"})["plan"]
    workspace = Workspace.open(project)
    try:
        reviewer = workspace.reviewer(Person(PersonSource.WINDOW, "me"))
        with pytest.raises(Refused, match="limit of 4"):
            reviewer.approve(plan, [StepDecision(1, edited=b"three\n")])
    finally:
        workspace.close()
