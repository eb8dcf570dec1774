"""The same text makes the same plan, whether it comes through the command line or the window."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from studio.doors.json_documents import plan_json
from studio.engine.plan import Plan
from studio.ui.review.desk import Desk
from tests.tools.forked import ForkServer, command_of

DIFF = "--- a/two.txt\n+++ b/two.txt\n@@ -1,2 +1,2 @@\n line 1\n-line 2\n+second\n"
TEXTS = {
    "change.diff": DIFF,
    "several.txt": DIFF + "--- a/.git/config\n+++ b/.git/config\n@@ -1 +1 @@\n-a\n+b\n",
    "plan.json": json.dumps(
        {
            "title": "A title",
            "agent": "codex",
            "steps": [{"op": "create", "path": "new.txt", "content": "n\n"}],
        }
    ),
    "untitled.json": json.dumps({"steps": [{"op": "delete", "path": "one.txt"}]}),
    "prose.txt": "just a sentence\n",
    "none.txt": "NO_CHANGES_REQUIRED\n",
}


def told(plan: dict[str, Any]) -> dict[str, Any]:
    """What is the plan's own, and not of the time at which it came, nor of the project."""
    steps = [{key: value for key, value in step.items() if key != "id"} for step in plan["steps"]]
    own = {key: value for key, value in plan.items() if key != "project"}
    return {**own, "steps": steps, "plan": "", "created": ""}


def through_command_line(
    forks: ForkServer | None, project: Path, text: str, *words: str | Path
) -> dict[str, Any]:
    submit = ("--json", "submit", *map(str, words), "--project", str(project))
    command, handles = command_of(forks, *submit)
    done = subprocess.run(
        command, pass_fds=handles, input=text.encode(), capture_output=True, check=False, timeout=60
    )
    plan = json.loads(done.stdout)
    assert isinstance(plan, dict)
    return told(plan)


def through_window(plan: Plan) -> dict[str, Any]:
    return told(plan_json(plan))


@pytest.fixture
def twin(bench: Any, tmp_path: Path) -> Path:
    """The same files in another project, with a store of its own."""
    return Path(shutil.copytree(bench.root, tmp_path / "twin" / bench.root.name))


@pytest.mark.parametrize("name", TEXTS)
def test_a_file_makes_the_same_plan_through_both_doors(
    name: str, twin: Path, tmp_path: Path, make_desk: Callable[..., Desk], forks: ForkServer | None
) -> None:
    file = tmp_path / name
    file.write_text(TEXTS[name])
    desk = make_desk()
    desk.submission.submit_files([file])
    by_hand = {} if name == "plan.json" else {"agent": "you"}
    words = [word for key, value in by_hand.items() for word in (f"--{key}", value)]
    (plan,) = desk.queue.plans
    assert through_window(plan) == through_command_line(forks, twin, "", file, *words)


def test_a_pasted_text_makes_the_plan_of_standard_input(
    twin: Path, make_desk: Callable[..., Desk], forks: ForkServer | None
) -> None:
    desk = make_desk()
    desk.submission.paste(DIFF)
    desk.submission.propose()
    (plan,) = desk.queue.plans
    assert through_window(plan) == through_command_line(forks, twin, DIFF, "-", "--agent", "you")
