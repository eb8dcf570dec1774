"""Two releases of a real package as one plan: submitted, approved, applied, taken back."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from studio.engine.plan import PersonSource, Plan, PlanState, StepState
from studio.engine.project.context import Person
from studio.formats import detect
from studio.workspace import Workspace
from tests.tools.packages import FileContent, Versions, contents, demo, docutils, generated


def expected_after(plan: Plan, versions: Versions) -> dict[str, FileContent]:
    """The old tree with the paths of all valid steps as they are in the new one."""
    old, new = contents(versions.old), contents(versions.new)
    changed = {path for step in plan.valid_steps for path in step.written_paths}
    kept = {path: content for path, content in old.items() if path not in changed}
    return kept | {path: new[path] for path in changed if path in new}


@pytest.mark.parametrize(
    ("make", "files"),
    [pytest.param(docutils, 60, marks=pytest.mark.network), (generated, 60), (demo, 15)],
)
def test_every_byte_of_a_release_arrives_and_goes_back(
    make: Callable[[Path], Versions], files: int, tmp_path: Path
) -> None:
    versions = make(tmp_path)
    project = tmp_path / "project"
    shutil.copytree(versions.old, project)
    workspace = Workspace.open(project)
    try:
        plan = workspace.proposer.propose(detect.read(versions.diff, "unified"))
        refused = [step for step in plan.steps if step.state is StepState.INVALID]
        print(f"{versions.name}: {len(plan.steps)} files changed, {len(refused)} refused")
        for step in refused:
            print(f"  {step.path}: {step.problems[0].message}")
        operations = Counter(step.op.value for step in plan.valid_steps)
        assert sum(operations.values()) >= files
        assert min(operations[op] for op in ("modify", "create", "delete", "move")) > 0, operations
        assert {step.problems[0].code for step in refused} <= {"file.binary", "file.link", "policy.denied"}

        reviewer = workspace.reviewer(Person(PersonSource.WINDOW, "tester"))
        reviewer.approve(plan.id)
        applied = reviewer.apply(plan.id)
        assert applied.state is PlanState.COMPLETED
        assert contents(project) == expected_after(applied, versions)

        reviewer.rollback(plan.id)
        assert contents(project) == contents(versions.old)
        assert workspace.proposer.plan(plan.id).state is PlanState.ROLLED_BACK
    finally:
        workspace.close()
