"""Two releases of a real package through the window: submitted, approved, applied, taken back by clicks."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.journeys.desktop import Desktop
from tests.journeys.hands import wait_for
from tests.journeys.person import Program
from tests.tools.packages import FileContent, Versions, contents, docutils

PATIENCE = 60.0
"""Seconds that writing hundreds of files may take on a busy machine."""


def expected_after(steps: list[dict[str, Any]], versions: Versions) -> Mapping[str, FileContent]:
    """The old tree with the paths of all valid steps as they are in the new one."""
    old, new = contents(versions.old), contents(versions.new)
    valid = [step for step in steps if step["state"] != "invalid"]
    changed = {path for step in valid for path in _written(step)}
    kept = {path: content for path, content in old.items() if path not in changed}
    return kept | {path: new[path] for path in changed if path in new}


def _written(step: dict[str, Any]) -> set[str]:
    if step["op"] == "copy":
        return {step["to"]}
    return {step["path"], step.get("to", step["path"])}


@pytest.mark.network
def test_a_release_is_applied_and_taken_back_by_clicks(tmp_path: Path, desktop: Desktop) -> None:
    versions = docutils(tmp_path)
    project = tmp_path / "project"
    shutil.copytree(versions.old, project)
    diff = tmp_path / "release.diff"
    diff.write_bytes(versions.diff)
    person = desktop.open(project)
    agent = Program(project)

    plan = agent.submit(diff, "The next release")
    wait_for(lambda: person.place[0] == plan, "the plan in the window")
    steps = agent.json("show", plan)["steps"]
    assert sum(step["state"] == "pending" for step in steps) >= 60
    person.click_step(plan)
    person.click("plan-approve_undecided")
    person.click("plan-approve-now")
    person.wait_until_on("apply")
    assert contents(project) == contents(versions.old), "deciding writes nothing"

    person.click("toolbar-apply")
    wait_for(lambda: person.history_states() == ["applied"], "the plan in the history", PATIENCE)
    applied = contents(project)
    assert applied == expected_after(steps, versions)
    assert applied != contents(versions.old)

    person.open_rollback(0)
    person.click("rollback-write")
    wait_for(lambda: len(person.history_states()) == 2, "the rollback in the history", PATIENCE)
    assert contents(project) == contents(versions.old)
    assert agent.json("show", plan)["state"] == "rolled_back"
