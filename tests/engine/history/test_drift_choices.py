"""A rollback where files changed since: refused, and the ways out."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from studio.engine.history import DriftResolution
from studio.engine.plan import Plan, PlanState, StepState
from studio.errors import Conflict, Refused
from studio.workspace import Reviewer, Workspace

OLD, NEW, THEIRS = "old\n", "new\n", "theirs\n"


@pytest.fixture
def applied(project: Path, propose: Callable[..., Plan], reviewer: Reviewer) -> Callable[..., Plan]:
    def call(*steps: dict[str, Any]) -> Plan:
        plan = propose(json.dumps({"title": "t", "steps": steps}))
        reviewer.approve(plan.id)
        return reviewer.apply(plan.id)

    return call


@pytest.fixture
def drifted(project: Path, applied: Callable[..., Plan]) -> Plan:
    """Two files modified by a plan; the first changed by somebody after it."""
    for name in ("a.txt", "b.txt"):
        (project / name).write_text(OLD)
    plan = applied(*({"op": "modify", "path": name, "content": NEW} for name in ("a.txt", "b.txt")))
    (project / "a.txt").write_text(THEIRS)
    return plan


def texts(project: Path) -> dict[str, str]:
    return {path.relative_to(project).as_posix(): path.read_text() for path in project.rglob("*.*")}


def test_without_a_way_nothing_is_touched(project: Path, drifted: Plan, reviewer: Reviewer) -> None:
    with pytest.raises(Conflict, match=r"a\.txt changed"):
        reviewer.rollback(drifted.id)
    assert texts(project) == {"a.txt": THEIRS, "b.txt": NEW}


def test_keep_leaves_the_file_and_takes_the_others_back(
    project: Path, drifted: Plan, reviewer: Reviewer, workspace: Workspace
) -> None:
    back = reviewer.rollback(drifted.id, ways={1: DriftResolution.KEEP})
    assert texts(project) == {"a.txt": THEIRS, "b.txt": OLD} and len(back.steps) == 1
    states = [step.state for step in workspace.proposer.plan(drifted.id).steps]
    assert states == [StepState.APPLIED, StepState.ROLLED_BACK]
    with pytest.raises(Refused, match="every file would be kept"):
        reviewer.rollback(drifted.id, [1], ways={1: DriftResolution.KEEP})


def test_restore_is_a_plan_on_today_s_bytes_and_can_be_taken_back(
    project: Path, drifted: Plan, reviewer: Reviewer
) -> None:
    back = reviewer.rollback(drifted.id, ways={1: DriftResolution.RESTORE})
    assert texts(project) == {"a.txt": OLD, "b.txt": OLD}
    reviewer.rollback(back.id)
    assert texts(project) == {"a.txt": THEIRS, "b.txt": NEW}


def test_save_beside_leaves_both(project: Path, drifted: Plan, reviewer: Reviewer) -> None:
    (project / "a.before.txt").write_text("taken\n")
    reviewer.rollback(drifted.id, [1], ways={1: DriftResolution.SAVE_BESIDE})
    assert texts(project) == {
        "a.txt": THEIRS,
        "b.txt": NEW,
        "a.before.txt": "taken\n",
        "a.before-2.txt": OLD,
    }


def test_a_way_counts_only_for_files_that_changed(project: Path, drifted: Plan, reviewer: Reviewer) -> None:
    reviewer.rollback(drifted.id, ways={1: DriftResolution.KEEP, 2: DriftResolution.KEEP})
    assert texts(project)["b.txt"] == OLD


@pytest.mark.parametrize(
    "case",
    [
        ({"op": "create", "path": "a.txt", "content": NEW}, None, THEIRS, None),
        ({"op": "delete", "path": "a.txt"}, OLD, THEIRS, OLD),
        ({"op": "modify", "path": "a.txt", "content": NEW}, OLD, None, OLD),
        ({"op": "append", "path": "a.txt", "content": NEW}, OLD, THEIRS, OLD),
    ],
)
def test_restore_brings_back_what_was_there_before_the_plan(
    project: Path,
    applied: Callable[..., Plan],
    reviewer: Reviewer,
    case: tuple[dict[str, Any], str | None, str | None, str | None],
) -> None:
    step, before, after, restored = case
    file = project / "a.txt"
    if before is not None:
        file.write_text(before)
    plan = applied(step)
    if after is None:
        file.unlink()
    else:
        file.write_text(after)
    back = reviewer.rollback(plan.id, ways={1: DriftResolution.RESTORE})
    assert (file.read_text() if file.exists() else None) == restored
    reviewer.rollback(back.id)
    assert (file.read_text() if file.exists() else None) == after


def test_restore_moves_a_changed_file_back(
    project: Path, applied: Callable[..., Plan], reviewer: Reviewer
) -> None:
    (project / "a.txt").write_text(OLD)
    plan = applied({"op": "move", "path": "a.txt", "to": "b.txt"})
    (project / "b.txt").write_text(THEIRS)
    back = reviewer.rollback(plan.id, ways={1: DriftResolution.RESTORE})
    assert texts(project) == {"a.txt": OLD}
    reviewer.rollback(back.id)
    assert texts(project) == {"b.txt": THEIRS}


@pytest.mark.parametrize("way", [DriftResolution.RESTORE, DriftResolution.SAVE_BESIDE])
def test_where_no_way_leads_nothing_is_touched(
    project: Path,
    applied: Callable[..., Plan],
    reviewer: Reviewer,
    way: DriftResolution,
    workspace: Workspace,
) -> None:
    """A created file that is gone: there is nothing to restore, and nothing to save."""
    (project / "b.txt").write_text(OLD)
    plan = applied(
        {"op": "create", "path": "a.txt", "content": NEW}, {"op": "modify", "path": "b.txt", "content": NEW}
    )
    (project / "a.txt").unlink()
    with pytest.raises(Conflict, match="This resolution is not possible"):
        reviewer.rollback(plan.id, ways={1: way})
    assert texts(project) == {"b.txt": NEW}
    assert workspace.proposer.plan(plan.id).state is PlanState.COMPLETED


def test_merge_takes_the_plan_s_change_out_of_today_s_text(
    project: Path, applied: Callable[..., Plan], reviewer: Reviewer
) -> None:
    lines = [f"line {number}\n" for number in range(1, 10)]
    (project / "a.txt").write_text("".join(lines))
    plan = applied({"op": "modify", "path": "a.txt", "edits": [{"old": "line 2\n", "new": "the plan's\n"}]})
    (project / "a.txt").write_text((project / "a.txt").read_text().replace("line 8", "theirs"))
    back = reviewer.rollback(plan.id, ways={1: DriftResolution.MERGE})
    assert (project / "a.txt").read_text() == "".join(lines).replace("line 8", "theirs")
    reviewer.rollback(back.id)
    assert "the plan's" in (project / "a.txt").read_text() and "theirs" in (project / "a.txt").read_text()


def test_a_picture_is_not_merged(project: Path, applied: Callable[..., Plan], reviewer: Reviewer) -> None:
    (project / "a.bin").write_bytes(b"\0one")
    plan = applied({"op": "modify", "path": "a.bin", "content_base64": "AHR3bw=="})
    (project / "a.bin").write_bytes(b"\0three")
    with pytest.raises(Conflict, match="only text can be merged, and one side is not text"):
        reviewer.rollback(plan.id, ways={1: DriftResolution.MERGE})
    reviewer.rollback(plan.id, ways={1: DriftResolution.RESTORE})
    assert (project / "a.bin").read_bytes() == b"\0one"


def test_a_merge_that_touches_is_refused(project: Path, drifted: Plan, reviewer: Reviewer) -> None:
    with pytest.raises(Conflict, match="in 1 place"):
        reviewer.rollback(drifted.id, ways={1: DriftResolution.MERGE})
    assert texts(project) == {"a.txt": THEIRS, "b.txt": NEW}
