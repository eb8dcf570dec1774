"""A change that does not match: what the agent gets for a new one, and when a person has to step in."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from studio.engine.plan import Plan, PlanState, Problem, Step, StepState
from studio.engine.propose.agent_reply import recontext
from studio.journal.file_image import sha256
from studio.workspace import Reviewer, Workspace

Propose = Callable[..., Plan]

TEXT = "".join(f"line {number}\n" for number in range(1, 41))


def edit(old: str, new: str = "new\n", *, path: str = "a.txt", agent: str = "tester") -> str:
    step = {"op": "modify", "path": path, "edits": [{"old": old, "new": new}]}
    return json.dumps({"title": "t", "agent": agent, "steps": [step]})


def diff(line: int, context: str) -> str:
    hunk = f"@@ -{line},2 +{line},2 @@\n {context}\n-line {line + 1}\n+changed {line}\n"
    return f"--- a/a.txt\n+++ b/a.txt\n{hunk}"


def only_step(plan: Plan) -> Step:
    (step,) = plan.steps
    return step


def codes(plan: Plan) -> list[str]:
    return [problem.code for problem in only_step(plan).problems]


@pytest.fixture
def file(project: Path) -> Path:
    file = project / "a.txt"
    file.write_text(TEXT)
    return file


def test_a_diff_that_does_not_match_gets_what_a_new_one_needs(
    file: Path, propose: Propose, workspace: Workspace
) -> None:
    plan = propose(diff(20, "line twenty"))
    step = only_step(workspace.proposer.plan(plan.id))
    assert (plan.state, step.state) == (PlanState.INVALID, StepState.INVALID)
    lines = step.recontext.split("\n")
    assert sha256(TEXT.encode()) in step.recontext
    assert "Hunk 1 does not match a.txt at line 20" in step.recontext
    assert "Lines 10 to 30:" in lines
    assert "    20 | line 20" in lines and "    10 | line 10" in lines and "    31 | line 31" not in lines


def test_a_second_failure_leaves_the_file_to_a_person(
    file: Path, propose: Propose, reviewer: Reviewer
) -> None:
    assert codes(propose(edit("not there"))) == ["edit.not_found"]
    assert codes(propose(edit("nor this"))) == ["patch.manual_only", "edit.not_found"]
    assert codes(propose(edit("nor that"))) == ["patch.manual_only", "edit.not_found"]
    other = only_step(propose(edit("line 39\n", agent="another")))
    assert "after_mismatches" not in {fact.kind for fact in other.facts}, "another agent's own try"
    step = only_step(propose(edit("line 40\n")))
    assert step.state is StepState.PENDING, "what fits is not refused because of others"
    (fact,) = (fact for fact in step.facts if fact.kind == "after_mismatches")
    assert fact.message.endswith("3 changes before it were refused.")


def test_diffs_count_like_edits(file: Path, propose: Propose) -> None:
    assert codes(propose(diff(20, "line twenty"))) == ["patch.does_not_match"]
    assert codes(propose(diff(30, "line thirty"))) == ["patch.manual_only", "patch.does_not_match"]
    assert only_step(propose(diff(20, "line 20"))).state is StepState.PENDING


def test_the_lock_ends_when_the_file_changes(file: Path, propose: Propose) -> None:
    propose(edit("not there"))
    propose(edit("nor this"))
    file.write_text(TEXT + "by hand\n")
    assert only_step(propose(edit("line 40\n"))).state is StepState.PENDING
    assert codes(propose(edit("not there"))) == ["edit.not_found"], "it counts from the start again"


def test_whole_content_ends_the_lock(file: Path, propose: Propose) -> None:
    propose(edit("not there"))
    propose(edit("nor this"))
    step = {"op": "modify", "path": "a.txt", "content": "all new\n"}
    whole = propose(json.dumps({"title": "t", "agent": "tester", "steps": [step]}))
    assert only_step(whole).state is StepState.PENDING
    assert only_step(propose(edit("line 40\n"))).state is StepState.PENDING


def test_a_change_that_fits_between_two_failures_starts_anew(file: Path, propose: Propose) -> None:
    propose(edit("not there"))
    propose(edit("line 40\n"))
    assert codes(propose(edit("nor this"))) == ["edit.not_found"]


def test_other_files_are_not_held_up(file: Path, project: Path, propose: Propose) -> None:
    (project / "b.txt").write_text(TEXT)
    propose(edit("not there"))
    assert codes(propose(edit("not there", path="b.txt"))) == ["edit.not_found"]


def test_an_excerpt_shows_text_as_it_is_and_cuts_long_lines() -> None:
    current = ("\ufeff" + "x" * 1000 + "\r\nsmall\r\n").encode("utf-16-le")
    text = recontext("a.txt", current, [], None)
    assert "2 lines, utf-16-le, line ends CRLF" in text
    shown = recontext("a.txt", current, [Problem("c", "m", "h", at="target", line=2)], None)
    assert f"     1 | {'x' * 300}...\n     2 | small\n" in shown
    assert "Lines 1 to 2:" in shown


def test_places_that_meet_are_shown_once() -> None:
    problems = [Problem("c", "m", "h", at="target", line=line) for line in (3, 5, 90, 10**6)]
    text = recontext("a.txt", b"y\n" * 100, problems, None)
    assert text.count("Lines ") == 2
    assert "Lines 1 to 15:" in text and "Lines 80 to 100:" in text
