"""Names that Windows reserves, and other spellings of a path, in what a client is about to write."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from studio.workspace import Workspace
from tests.doors.awaited import waiting_plan
from tests.doors.hooks.conftest import PERSON, Hook

Start = Callable[..., Hook]


@pytest.mark.parametrize(
    ("spelled", "path"),
    [
        ("{project}/a\\x2db.mount", "a\\x2db.mount"),
        ("{project}//t/./a.py", "t/a.py"),
        ("./t//a.py", "t/a.py"),
    ],
)
def test_an_edit_is_of_the_file_that_has_the_name(
    hook: Start, workspace: Workspace, project: Path, spelled: str, path: str
) -> None:
    (project / path).parent.mkdir(exist_ok=True)
    (project / path).write_text("one\n")
    edit = {"file_path": spelled.format(project=project), "old_string": "one", "new_string": "two"}
    running = hook("Edit", edit)
    plan = waiting_plan(workspace)
    assert [(step.path, step.problems) for step in plan.steps] == [(path, ())]
    reviewer = workspace.reviewer(PERSON)
    reviewer.approve(plan.id)
    reviewer.apply(plan.id)
    assert running.said().decision == "deny"
    assert (project / path).read_text() == "two\n"


def test_a_new_file_of_such_a_name_is_refused(hook: Start, project: Path) -> None:
    said = hook("Write", {"file_path": f"{project}/end ", "content": "x\n"}).said()
    assert said.decision == "deny" and "on Linux a file that already has it can be changed" in said.reason
    assert not (project / "end ").exists()
