"""An edited result is what is decided, written and taken back; the rest goes back as a diff."""

from __future__ import annotations

import base64
import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from studio.engine.diff import apply_strict, parse_unified
from studio.engine.plan import Plan, PlanState, StepDecision, StepState
from studio.errors import Refused, UsageError
from studio.formats import detect
from studio.journal.file_image import sha256
from studio.workspace import Reviewer, Workspace

Propose = Callable[..., Plan]

BASE = b"one\r\ntwo\r\nthree\r\n"
PROPOSED = "one\r\nTWO\r\nthree\r\nfour\r\n"
EDITED = b"one\r\nTwo!\r\nthree\r\n"


def plan_text(*steps: dict[str, object]) -> str:
    return json.dumps({"title": "edit", "agent": "tester", "steps": list(steps)})


@pytest.fixture
def plan(project: Path, propose: Propose) -> Plan:
    (project / "a.txt").write_bytes(BASE)
    return propose(plan_text({"op": "modify", "path": "a.txt", "content": PROPOSED}))


def test_an_edited_result_is_written_and_rolled_back(
    plan: Plan, project: Path, reviewer: Reviewer, workspace: Workspace
) -> None:
    approved = reviewer.approve(plan.id, [StepDecision(1, edited=EDITED)])
    step = approved.steps[0]
    assert step.decision is not None and step.decision.edited
    assert step.decided_sha256 == sha256(EDITED)
    assert step.result == plan.steps[0].result, "the proposal never changes"
    assert reviewer.apply(plan.id).state is PlanState.COMPLETED
    assert (project / "a.txt").read_bytes() == EDITED
    (entry,) = workspace.proposer.history()
    assert (entry.added, entry.removed) == (1, 1)
    reviewer.rollback(plan.id)
    assert (project / "a.txt").read_bytes() == BASE


def test_what_was_edited_away_goes_back_as_a_diff(
    plan: Plan, project: Path, reviewer: Reviewer, workspace: Workspace, tmp_path: Path
) -> None:
    assert workspace.proposer.excluded_diff(plan.id, 1) == b"", "nothing is decided"
    reviewer.approve(plan.id, [StepDecision(1, edited=EDITED)])
    text = workspace.proposer.excluded_diff(plan.id, 1)
    (patch,) = parse_unified(text)
    assert apply_strict(EDITED, patch) == PROPOSED.encode()
    (tmp_path / "a.txt").write_bytes(EDITED)
    subprocess.run(["git", "apply", "-"], input=text, cwd=tmp_path, check=True)
    assert (tmp_path / "a.txt").read_bytes() == PROPOSED.encode()


def test_of_a_rejected_step_the_whole_proposal_goes_back(
    plan: Plan, project: Path, reviewer: Reviewer, workspace: Workspace, propose: Propose
) -> None:
    reviewer.reject(plan.id, reason="no")
    (patch,) = parse_unified(workspace.proposer.excluded_diff(plan.id, 1))
    assert apply_strict(BASE, patch) == PROPOSED.encode()
    new = propose(plan_text({"op": "create", "path": "new.txt", "content": "x\n"}))
    reviewer.reject(new.id, reason="no")
    (patch,) = parse_unified(workspace.proposer.excluded_diff(new.id, 1))
    assert patch.old_path is None and apply_strict(b"", patch) == b"x\n"


def test_the_proposal_itself_is_no_edit(plan: Plan, reviewer: Reviewer, workspace: Workspace) -> None:
    step = reviewer.approve(plan.id, [StepDecision(1, edited=PROPOSED.encode())]).steps[0]
    assert step.decision is not None and not step.decision.edited
    assert workspace.proposer.excluded_diff(plan.id, 1) == b""


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"one\0\r\n", "text.binary"),
        ("one\r\n\u00e4".encode("windows-1252"), "text.not_encodable"),
        ("\ufeffone\r\n".encode(), "result.mark"),
        ("\ufeffone\r\n".encode("utf-16-le"), "text.not_encodable"),
        (b"x" * (10 * 1024 * 1024 + 1), "policy.denied"),
    ],
)
def test_what_is_no_text_of_the_file_s_form_is_refused(
    plan: Plan, reviewer: Reviewer, workspace: Workspace, content: bytes, code: str
) -> None:
    with pytest.raises(Refused) as caught:
        reviewer.approve(plan.id, [StepDecision(1, edited=content)])
    assert caught.value.code == code
    assert workspace.proposer.plan(plan.id).state is PlanState.PENDING


def test_an_edit_that_undoes_everything_or_meets_chosen_hunks_is_refused(
    plan: Plan, reviewer: Reviewer
) -> None:
    with pytest.raises(UsageError, match="Step 1 would change nothing"):
        reviewer.approve(plan.id, [StepDecision(1, edited=BASE)])
    with pytest.raises(UsageError, match="chosen hunks"):
        reviewer.approve(plan.id, [StepDecision(1, {1: False}, EDITED)])


@pytest.mark.parametrize(("edited", "kept"), [(b"a\nc\n", b"a\nc\n"), (b"A\nb\n", b"A\nb\n")])
def test_an_edited_append_and_create_are_written(
    project: Path, propose: Propose, reviewer: Reviewer, edited: bytes, kept: bytes
) -> None:
    """An append that is no addition any more replaces the whole file."""
    (project / "log.txt").write_bytes(b"a\n")
    plan = propose(
        plan_text(
            {"op": "append", "path": "log.txt", "content": "b\n"},
            {"op": "create", "path": "new.txt", "content": "x\n"},
        )
    )
    reviewer.approve(plan.id, [StepDecision(1, edited=edited), StepDecision(2, edited="\u00e4\n".encode())])
    reviewer.apply(plan.id)
    assert (project / "log.txt").read_bytes() == kept
    assert (project / "new.txt").read_bytes() == "\u00e4\n".encode()
    reviewer.rollback(plan.id)
    assert (project / "log.txt").read_bytes() == b"a\n"
    assert not (project / "new.txt").exists()


def test_a_deletion_has_no_result_to_edit(project: Path, propose: Propose, reviewer: Reviewer) -> None:
    (project / "a.txt").write_bytes(BASE)
    plan = propose(plan_text({"op": "delete", "path": "a.txt"}))
    with pytest.raises(UsageError, match="edited result"):
        reviewer.approve(plan.id, [StepDecision(1, edited=EDITED)])


def test_no_text_takes_the_place_of_a_binary_file(
    project: Path, workspace: Workspace, reviewer: Reviewer
) -> None:
    """What is no text is approved as it is, or not at all."""
    (project / "logo.png").write_bytes(b"\x89PNG\r\n\x1a\nold")
    exact = base64.b64encode(b"\x89PNG\r\n\x1a\nnew").decode()
    steps = [{"op": "modify", "path": "logo.png", "content_base64": exact}]
    plan = workspace.proposer.propose(detect.read(json.dumps({"title": "x", "steps": steps}).encode()))
    assert plan.steps[0].state is StepState.PENDING
    with pytest.raises(UsageError, match="not editable text"):
        reviewer.approve(plan.id, [StepDecision(1, edited=b"text\n")])
    assert workspace.proposer.plan(plan.id).steps[0].decision is None
