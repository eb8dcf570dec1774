"""Whole plans against links: proposed, approved, then the folder is another one."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from studio.engine.disk import batch
from studio.engine.plan import Plan, PlanState, StepState
from studio.errors import StudioError
from studio.workspace import Reviewer, Workspace
from tests.engine.root.jail import SECRET, shape

TEXT = SECRET.decode()
PLANS: dict[str, Mapping[str, Any]] = {
    "create": {"op": "create", "path": "sub/new.txt", "content": "new\n"},
    "create deeper": {"op": "create", "path": "sub/more/new.txt", "content": "new\n"},
    "modify": {"op": "modify", "path": "sub/secret.txt", "content": "new\n"},
    "append": {"op": "append", "path": "sub/secret.txt", "content": "new\n"},
    "delete": {"op": "delete", "path": "sub/secret.txt"},
    "delete folder": {"op": "delete", "path": "sub/vault"},
    "move from": {"op": "move", "path": "sub/secret.txt", "to": "moved.txt"},
    "move to": {"op": "move", "path": "own.txt", "to": "sub/new.txt"},
    "copy from": {"op": "copy", "path": "sub/secret.txt", "to": "copy.txt"},
    "copy to": {"op": "copy", "path": "own.txt", "to": "sub/new.txt"},
    "mkdir": {"op": "mkdir", "path": "sub/made"},
    "mode": {"op": "mode", "path": "sub/secret.txt", "executable": True},
}
each_plan = pytest.mark.parametrize("step", PLANS.values(), ids=PLANS.keys())


@pytest.fixture(autouse=True)
def both_ways(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A link that is in the way is looked at again for seconds, as a rival may exchange it: here it stays."""
    monkeypatch.setattr(batch, "AGAIN_SECONDS", 0.0)


@pytest.fixture
def outside(project: Path) -> Path:
    """A folder beside the project that holds the very same files as the project's `sub`."""
    for base in (project / "sub", project.with_name("project-evil")):
        (base / "vault").mkdir(parents=True)
        for name in ("secret.txt", "vault/inner.txt"):
            (base / name).write_bytes(SECRET)
    (project / "own.txt").write_text("own\n")
    return project.with_name("project-evil")


def text_of(*steps: Mapping[str, Any]) -> str:
    return json.dumps({"title": "t", "steps": list(steps)})


@each_plan
def test_a_plan_through_a_link_is_refused(
    step: Mapping[str, Any], project: Path, outside: Path, workspace: Workspace, propose: Callable[..., Plan]
) -> None:
    """The bytes are those that the step asks for: only the link is wrong."""
    (project / "sub").rename(project / "real")
    (project / "sub").symlink_to(outside)
    before = shape(outside)
    plan = propose(text_of(step))
    assert plan.state is PlanState.INVALID
    refused = plan.steps[0]
    assert refused.state is StepState.INVALID and refused.problems[0].code == "path.link"
    assert shape(outside) == before
    stored = workspace.proposer.contents(plan.id, 1)
    assert stored.base is None and stored.result is None


@each_plan
def test_a_folder_that_becomes_a_link_after_approval_stops_the_apply(
    *,
    step: Mapping[str, Any],
    project: Path,
    outside: Path,
    reviewer: Reviewer,
    workspace: Workspace,
    propose: Callable[..., Plan],
) -> None:
    plan = propose(text_of(step))
    reviewer.approve(plan.id)
    (project / "sub").rename(project / "real")
    (project / "sub").symlink_to(outside)
    before, inside = shape(outside), shape(project)
    with pytest.raises(StudioError):
        reviewer.apply(plan.id)
    assert shape(outside) == before
    assert shape(project) == inside
    (project / "sub").unlink()
    (project / "real").rename(project / "sub")
    workspace.proposer.refresh()
    assert reviewer.apply(plan.id).state is PlanState.COMPLETED, "the same plan goes through afterwards"


def test_a_plan_cannot_make_the_link_it_would_use(
    project: Path, outside: Path, reviewer: Reviewer, propose: Callable[..., Plan]
) -> None:
    """No operation makes links, and a diff that tries is refused as a whole entry."""
    diff = (
        "diff --git a/door b/door\nnew file mode 120000\n--- /dev/null\n+++ b/door\n"
        f"@@ -0,0 +1 @@\n+{outside}\n\\ No newline at end of file\n"
        "diff --git a/door/new.txt b/door/new.txt\nnew file mode 100644\n--- /dev/null\n+++ b/door/new.txt\n"
        "@@ -0,0 +1 @@\n+written\n"
    )
    plan = propose(diff)
    assert plan.steps[0].state is StepState.INVALID
    before = shape(outside)
    if plan.state is not PlanState.INVALID:
        reviewer.approve(plan.id)
        reviewer.apply(plan.id)
    assert shape(outside) == before
    assert not (project / "door").is_symlink()


@pytest.mark.parametrize("op", ["create", "modify", "append", "delete", "move", "copy", "mkdir", "mode"])
def test_every_operation_has_its_path_parsed(op: str, outside: Path, propose: Callable[..., Plan]) -> None:
    """Both paths of a move, by one parser: the target's name like the source's."""
    for path in (
        "../project-evil/secret.txt",
        "sub/../../project-evil/secret.txt",
        "/etc/passwd",
        "//server/share",
        "..\\project-evil\\secret.txt",
        "C:\\secret.txt",
        "sub/secret.txt\0.md",
        "",
        ".",
        "sub/",
        "sub//",
    ):
        extra = {
            "create": {"content": "x"},
            "modify": {"content": "x"},
            "append": {"content": "x"},
            "move": {"to": "new.txt"},
            "copy": {"to": "new.txt"},
            "mode": {"executable": True},
        }.get(op, {})
        before = shape(outside)
        steps = [{"op": op, "path": path, **extra}]
        if "to" in extra:
            steps.append({"op": op, "path": "own.txt", "to": path})
        for step in steps:
            plan = propose(text_of(step))
            assert plan.state is PlanState.INVALID
            problems = [problem.code for each in plan.steps for problem in each.problems] or [
                problem.code for problem in plan.problems
            ]
            assert problems and not any(code.startswith("target.") for code in problems)
        assert shape(outside) == before
