"""Sources in folders that are denied by their name: git's HEAD opens them, from the proposal to the disk."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from studio.engine.policy import DEFAULT_DENY, LOCKED
from tests.doors.conftest import CommandLine, set_configuration
from tests.engine.git_data.repositories import commit, git, init

SOURCE, SCRIPT = "packages/ui/lib/button.dart", "bin/rails"


@pytest.fixture
def monorepo(project: Path) -> Path:
    init(project)
    commit(project, {SOURCE: "one\n", SCRIPT: "one\n", "obj/a.txt": "one\n", ".tool/a.txt": "one\n"})
    return project


def change(path: str) -> dict[str, Any]:
    return {"op": "modify", "path": path, "content": "two\n"}


def refusals(plan: dict[str, Any]) -> list[str | None]:
    """The code of each step's first problem."""
    return [next((each["code"] for each in step["problems"]), None) for step in plan["steps"]]


def test_what_head_holds_is_proposed_approved_and_written(
    studio: CommandLine, monorepo: Path, allow_review: None
) -> None:
    new = {"op": "create", "path": "packages/core/new.dart", "content": "new\n"}
    plan = studio.submit(change(SOURCE), change(SCRIPT), new)
    kinds = [[fact["kind"] for fact in step["facts"]] for step in plan["steps"]]
    assert all(each.count("tracked_folder") == 1 for each in kinds)
    fact = next(fact for fact in plan["steps"][1]["facts"] if fact["kind"] == "tracked_folder")
    assert (fact["severity"], fact["message"].partition(":")[0]) == ("note", "bin is open to changes")
    assert studio("approve", plan["plan"], "--apply").code == 0
    assert [(monorepo / path).read_text() for path in (SOURCE, SCRIPT)] == ["two\n", "two\n"]
    assert (monorepo / "packages/core/new.dart").exists()


def test_all_else_stays_denied(studio: CommandLine, monorepo: Path) -> None:
    """What git tracks of other kinds, what other rules deny within, and folders it has nothing of."""
    paths = [
        *("obj/a.txt", ".tool/a.txt", "packages/ui/obj/a.txt", "packages/node_modules/a.js", "bin/.env"),
        *("web/bin/a.txt", "packages/ui/packages/a.txt", ".git/hooks/pre-commit", "packages/studio.yaml"),
    ]
    plan = studio.submit(*({"op": "create", "path": path, "content": "x\n"} for path in paths))
    assert refusals(plan) == ["policy.denied"] * len(paths)


@pytest.mark.parametrize("level", ["user", "project"])
def test_a_deny_of_a_configuration_stays(studio: CommandLine, monorepo: Path, level: str) -> None:
    text = 'file_rules: {deny: ["packages/"]}'
    if level == "user":
        set_configuration(text)
    else:
        (monorepo / "studio.yaml").write_text(f"{text}\n")
    assert refusals(studio.submit(change(SOURCE), change(SCRIPT))) == ["policy.denied", None]


def test_an_allow_of_the_user_needs_no_head(studio: CommandLine, project: Path) -> None:
    set_configuration('file_rules: {allow: ["bin/"]}')
    (step,) = studio.submit({"op": "create", "path": "bin/a.sh", "content": "x\n"})["steps"]
    assert step["problems"] == [] and "tracked_folder" not in {fact["kind"] for fact in step["facts"]}


def test_a_folder_that_head_lost_voids_the_approval(
    studio: CommandLine, monorepo: Path, allow_review: None
) -> None:
    plan = studio.submit(change(SOURCE), change("studio_notes.md") | {"op": "create"})["plan"]
    script = studio.submit(change(SCRIPT))["plan"]
    for each in (plan, script):
        assert studio("approve", each).code == 0
    git(monorepo, "rm", "-q", "-r", "--cached", "packages")
    git(monorepo, "commit", "-q", "-m", "gone")
    said = studio("apply", plan)
    assert (said.code, said.error["code"]) == (3, "policy.changed")
    assert (monorepo / SOURCE).read_text() == "one\n"
    assert studio("apply", script).code == 0, "its folder is open as before"


def test_unreadable_git_data_opens_nothing(studio: CommandLine, monorepo: Path) -> None:
    tree = git(monorepo, "rev-parse", "HEAD^{tree}").strip()
    (monorepo / ".git/objects" / tree[:2] / tree[2:]).unlink()
    assert refusals(studio.submit(change(SOURCE))) == ["policy.denied"]


def test_tools_read_what_is_open(studio: CommandLine, monorepo: Path) -> None:
    assert studio("fs", "read", SOURCE).code == 0
    assert studio("fs", "read", "obj/a.txt").error["code"] == "policy.denied"
    (verdict,) = studio("check", SOURCE).json["verdicts"]
    assert verdict["allowed"] and verdict["rule"] == "packages/"
    assert verdict["reason"] == f"{SOURCE} may be changed: git's HEAD has files in packages."


def test_every_built_in_rule_is_listed(studio: CommandLine) -> None:
    listed = studio("config", "show").json["built_in"]
    assert {(each["pattern"], each["reason"]) for each in listed} >= {*LOCKED, *DEFAULT_DENY}
    assert {".git", "studio.yaml"} <= {each["pattern"] for each in listed if each["locked"]}
    assert [each["pattern"] for each in listed if each["opened_by_git"]] == ["bin/", "packages/"]
    text = studio("config", "show", json=False).text
    assert "denied = obj/  (built in: build output)" in text.splitlines()
