"""A stale step put on the file as it is now, or a conflict with its lines."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from studio.engine.diff import LineRange, merge, resolve_conflicts
from studio.engine.plan import Plan, PlanState, StepState
from studio.engine.review.rebase import RebaseConflict
from studio.errors import Conflict, Refused
from studio.journal.file_image import sha256
from studio.workspace import Reviewer, Workspace

Propose = Callable[..., Plan]

LINES = [f"line {number}\n" for number in range(1, 31)]


def text(**changes: str) -> str:
    """The file with lines replaced: `l4="x\n"`."""
    lines = list(LINES)
    for name, line in changes.items():
        lines[int(name[1:]) - 1] = line
    return "".join(lines)


def plan_text(step: dict[str, object]) -> str:
    return json.dumps({"title": "rebase", "agent": "tester", "steps": [step]})


@pytest.fixture
def plan(project: Path, propose: Propose) -> Plan:
    (project / "a.txt").write_text(text())
    return propose(plan_text({"op": "modify", "path": "a.txt", "content": text(l4="four\n")}))


def test_a_clean_rebase_is_decided_anew_and_applied(
    plan: Plan, project: Path, reviewer: Reviewer, workspace: Workspace
) -> None:
    proposed = plan.steps[0]
    reviewer.approve(plan.id)
    (project / "a.txt").write_text(text(l20="twenty\n", l21="more\n"))
    workspace.proposer.refresh()
    looked = workspace.proposer.preview_rebase(plan.id, 1)
    assert looked.result == text(l4="four\n", l20="twenty\n", l21="more\n").encode()
    assert not looked.conflicts and not looked.only_formatting
    rebased = reviewer.rebase(plan.id, 1)
    step = rebased.steps[0]
    assert (rebased.state, step.state, step.decision) == (PlanState.PENDING, StepState.PENDING, None)
    assert step.base is not None and step.base.sha256 == sha256((project / "a.txt").read_bytes())
    assert (step.added, step.removed, len(step.hunks)) == (1, 1, 1)
    assert [fact.kind for fact in step.facts] == ["rebased"]
    assert step.rebased_from is not None
    assert (step.rebased_from.before, step.rebased_from.after) == (proposed.base, proposed.result)
    assert step.revision != proposed.revision
    reviewer.approve(plan.id, seen={1: step.revision})
    assert reviewer.apply(plan.id).state is PlanState.COMPLETED
    assert (project / "a.txt").read_text() == text(l4="four\n", l20="twenty\n", l21="more\n")
    reviewer.rollback(plan.id)
    assert (project / "a.txt").read_text() == text(l20="twenty\n", l21="more\n")


def test_a_conflict_names_its_lines_and_changes_nothing(
    plan: Plan, project: Path, reviewer: Reviewer, workspace: Workspace
) -> None:
    (project / "a.txt").write_text("first\n" + text(l5="five\n", l20="twenty\n"))
    with pytest.raises(RebaseConflict, match="line 5") as caught:
        reviewer.rebase(plan.id, 1)
    (conflict,) = caught.value.conflicts
    assert (conflict.base, conflict.current, conflict.proposed) == (
        LineRange(3, 2),
        LineRange(4, 2),
        LineRange(3, 2),
    )
    assert workspace.proposer.plan(plan.id).steps[0].state is StepState.STALE
    settled = b"first\n" + text(l4="four\n", l5="five\n", l20="twenty\n").encode()
    rebased = reviewer.rebase(plan.id, 1, settled=settled)
    assert rebased.steps[0].state is StepState.PENDING
    reviewer.approve(plan.id)
    reviewer.apply(plan.id)
    assert (project / "a.txt").read_bytes() == settled


def test_a_rebase_of_a_rebase(plan: Plan, project: Path, reviewer: Reviewer) -> None:
    first = plan.steps[0]
    for line in (20, 25):
        (project / "a.txt").write_text(text(**{f"l{line}": "drift\n"}))
        step = reviewer.rebase(plan.id, 1).steps[0]
        assert step.rebased_from is not None and step.rebased_from.after == first.result
    reviewer.approve(plan.id)
    reviewer.apply(plan.id)
    # Its own changes and the file's: what was line 20 went back with the file.
    assert (project / "a.txt").read_text() == text(l4="four\n", l25="drift\n")


def test_drift_that_a_formatter_explains_is_said(plan: Plan, project: Path, reviewer: Reviewer) -> None:
    (project / "a.txt").write_text(text(l20="  line  20\n"))
    step = reviewer.rebase(plan.id, 1).steps[0]
    assert [fact.kind for fact in step.facts] == ["rebased", "formatting_drift"]


def test_what_is_known_of_the_place_outlives_a_rebase(
    project: Path, propose: Propose, reviewer: Reviewer
) -> None:
    """A twin and a hard link are still there; what the old bytes hid is not."""
    (project / "a.txt").write_text(text())
    (project / "A.TXT").write_text("")
    (project / "b.txt").hardlink_to(project / "a.txt")
    plan = propose(plan_text({"op": "modify", "path": "a.txt", "content": text(l4="four\u202e\n")}))
    assert {fact.kind for fact in plan.steps[0].facts} == {"name_twin", "hard_link", "bidi"}
    (project / "a.txt").write_text(text(l4="drift\n"))
    rebased = reviewer.rebase(plan.id, 1, settled=text(l4="four\n").encode())
    assert {fact.kind for fact in rebased.steps[0].facts} == {"rebased", "name_twin", "hard_link"}


def test_what_the_file_holds_already_is_already_applied(
    plan: Plan, project: Path, reviewer: Reviewer
) -> None:
    (project / "a.txt").write_text(text(l4="four\n", l20="drift\n"))
    rebased = reviewer.rebase(plan.id, 1)
    assert rebased.steps[0].state is StepState.ALREADY_APPLIED


def test_a_mode_changed_meanwhile_stays(project: Path, propose: Propose, reviewer: Reviewer) -> None:
    file = project / "run.sh"
    file.write_text(text())
    plan = propose(
        plan_text({"op": "modify", "path": "run.sh", "content": text(l4="four\n"), "executable": True})
    )
    file.write_text(text(l20="drift\n"))
    file.chmod(0o600)
    step = reviewer.rebase(plan.id, 1).steps[0]
    assert step.base is not None and step.result is not None
    assert (step.base.mode & 0o777, step.result.mode & 0o111) == (0o600, 0o111)


def test_what_can_t_be_rebased_says_why(
    plan: Plan, project: Path, reviewer: Reviewer, propose: Propose
) -> None:
    with pytest.raises(Refused, match="only a stale step"):
        reviewer.rebase(plan.id, 1)
    create = propose(plan_text({"op": "create", "path": "new.txt", "content": "x\n"}))
    (project / "new.txt").write_text("other\n")
    with pytest.raises(Refused) as caught:
        reviewer.rebase(create.id, 1)
    assert caught.value.code == "rebase.operation"
    unknown = propose(plan_text({"op": "modify", "path": "a.txt", "content": "x\n", "base_sha256": "0" * 64}))
    assert unknown.steps[0].state is StepState.STALE
    with pytest.raises(Refused) as caught:
        reviewer.rebase(unknown.id, 1)
    assert caught.value.code == "rebase.no_base"


def test_a_move_whose_far_end_is_taken_stays_stale(
    project: Path, propose: Propose, reviewer: Reviewer
) -> None:
    (project / "a.txt").write_text(text())
    plan = propose(plan_text({"op": "move", "path": "a.txt", "to": "b.txt"}))
    (project / "b.txt").write_text("taken\n")
    with pytest.raises(Refused) as caught:
        reviewer.rebase(plan.id, 1)
    assert caught.value.code == "rebase.elsewhere"
    (project / "b.txt").unlink()
    (project / "a.txt").write_text(text(l4="drift\n"))
    reviewer.rebase(plan.id, 1)
    reviewer.approve(plan.id)
    reviewer.apply(plan.id)
    assert (project / "b.txt").read_text() == text(l4="drift\n")


def test_the_pieces_around_conflicts_make_the_settled_text() -> None:
    """What a person settles is put between what merged by itself."""
    base = b"".join(b"%d\n" % number for number in range(20))
    current = base.replace(b"3\n4", b"3\nfour").replace(b"\n15\n", b"\nfifteen\n")
    proposed = base.replace(b"3\n4", b"3\nFOUR").replace(b"\n10\n", b"\nTEN\n")
    merged = merge(base, current, proposed)
    assert merged.result is None and len(merged.conflicts) == 1
    assert resolve_conflicts(merged.pieces, [b"4!\n"], current) == base.replace(
        b"\n4\n", b"\n4!\n", 1
    ).replace(b"\n10\n", b"\nTEN\n").replace(b"\n15\n", b"\nfifteen\n")


def test_a_rebase_onto_a_file_nobody_saw_changes_nothing(
    plan: Plan, project: Path, reviewer: Reviewer, workspace: Workspace
) -> None:
    """The text a person settled belongs to the file they looked at."""
    (project / "a.txt").write_bytes(b"something else\n")
    workspace.proposer.refresh()
    with pytest.raises(Conflict) as caught:
        reviewer.rebase(plan.id, 1, settled=b"settled\n", onto=sha256(b"seen\n"))
    assert caught.value.code == "rebase.moved_on"
    assert workspace.proposer.plan(plan.id).steps[0].state is StepState.STALE
    rebased = reviewer.rebase(plan.id, 1, settled=b"settled\n", onto=sha256(b"something else\n"))
    assert rebased.steps[0].state is StepState.PENDING


def png_step(result: bytes) -> str:
    content = base64.b64encode(result).decode()
    return plan_text({"op": "modify", "path": "a.png", "content_base64": content})


def test_a_picture_is_not_merged_and_the_sentence_says_so(
    project: Path, propose: Propose, reviewer: Reviewer, workspace: Workspace
) -> None:
    (project / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n\0")
    plan = propose(png_step(b"\x89PNG\r\n\x1a\n\1"))
    (project / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n\2")
    workspace.proposer.refresh()
    for call in (workspace.proposer.preview_rebase, reviewer.rebase):
        with pytest.raises(Refused) as caught:
            call(plan.id, 1)
        assert (caught.value.code, caught.value.path) == ("merge.binary", "a.png")
        assert caught.value.message == (
            "a.png changed meanwhile, and step 1 can't be rebased: only text can be merged, and one side"
            " is not text."
        )


def test_a_picture_whose_mode_alone_changed_keeps_its_proposal(
    project: Path, propose: Propose, reviewer: Reviewer, workspace: Workspace
) -> None:
    (project / "a.png").write_bytes(b"\0old")
    plan = propose(png_step(b"\0new"))
    (project / "a.png").chmod(0o755)
    workspace.proposer.refresh()
    assert workspace.proposer.plan(plan.id).steps[0].state is StepState.STALE
    reviewer.rebase(plan.id, 1)
    reviewer.approve(plan.id)
    reviewer.apply(plan.id)
    assert (project / "a.png").read_bytes() == b"\0new"
    assert (project / "a.png").stat().st_mode & 0o777 == 0o755
