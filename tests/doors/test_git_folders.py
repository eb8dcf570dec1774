"""Attacks through git's own folders, from the command line to a real `git status` (contract 8, promise 7)."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.doors.conftest import CommandLine, plan_text

EVIL = '[core]\n\tbare = false\n\tworktree = ..\n\tfsmonitor = "touch RAN; false"\n'


def git(*words: str, folder: Path) -> None:
    subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repository(project: Path) -> Path:
    """A bare repository that lies in the project, as a test's data or a vendored thing."""
    git("init", "--bare", "vendor.git", folder=project)
    return project / "vendor.git"


def test_a_program_is_not_planted_in_an_embedded_repository(
    studio: CommandLine, project: Path, repository: Path, allow_review: None
) -> None:
    planted = {"op": "modify", "path": "vendor.git/config", "content": EVIL}
    said = studio("submit", stdin=plan_text(planted))
    assert (said.code, said.json["state"]) == (1, "invalid")
    (problem,) = said.json["steps"][0]["problems"]
    assert problem["code"] == "path.git_folder"
    assert problem["message"].startswith("vendor.git/config lies in vendor.git, which is a folder of git's")
    (verdict,) = studio("check", "vendor.git/config").json["verdicts"]
    assert (verdict["rule"], verdict["level"]) == ("git folder", "locked")
    studio("approve", said.json["plan"], "--apply")
    look = ("--git-dir=vendor.git", "--work-tree=.", "status")
    git(*look, folder=project)
    assert not (project / "RAN").exists()
    # The attack is one: written by another hand, the very same bytes run.
    (repository / "config").write_text(EVIL)
    git(*look, folder=project)
    assert (project / "RAN").exists()


def test_a_repository_is_not_made_in_two_plans(
    studio: CommandLine, project: Path, allow_review: None
) -> None:
    """Neither is one alone; the second is refused when it comes to be written."""
    first = studio.submit(
        {"op": "create", "path": "tool/config", "content": EVIL},
        {"op": "create", "path": "tool/HEAD", "content": "ref: refs/heads/main\n"},
    )
    second = studio.submit({"op": "mkdir", "path": "tool/objects"}, {"op": "mkdir", "path": "tool/refs"})
    assert studio("approve", first["plan"], "--apply").code == 0
    said = studio("approve", second["plan"], "--apply")
    assert (said.code, said.error["code"]) == (1, "path.git_folder")
    assert "would with this plan be a folder of git's" in said.error["message"]
    assert not (project / "tool/objects").exists()
    third = studio.submit({"op": "mkdir", "path": "tool/objects"}, {"op": "mkdir", "path": "tool/refs"})
    assert {step["problems"][0]["code"] for step in third["steps"]} == {"path.git_folder"}


def test_a_program_that_git_runs_from_the_project_is_shown(studio: CommandLine, project: Path) -> None:
    """A filter may be changed, and looks dangerous; what `git status` runs unasked is locked."""
    git("init", folder=project)
    git("config", "filter.tidy.clean", "python3 tools/tidy.py %f", folder=project)
    git("config", "core.fsmonitor", "tools/watch.sh", folder=project)
    steps = [{"op": "create", "path": f"tools/{name}", "content": "x\n"} for name in ("tidy.py", "watch.sh")]
    allowed, refused = studio.submit(*steps)["steps"]
    fact = next(fact for fact in allowed["facts"] if fact["kind"] == "danger_path")
    assert fact["severity"] == "danger"
    assert fact["message"] == "tools/tidy.py is named by a command in git's configuration (filter.clean)."
    assert refused["state"] == "invalid"


def test_what_a_nested_repository_includes_is_a_danger(studio: CommandLine, project: Path) -> None:
    """By what it says: its place and name say nothing, and git status in either folder would run it."""
    git("init", "sub", folder=project)
    git("config", "include.path", "../../shared/team.txt", folder=project / "sub")
    planted = {"op": "create", "path": "shared/team.txt", "content": '[core]\n\tfsmonitor = "touch RAN"\n'}
    facts = studio.submit(planted)["steps"][0]["facts"]
    (fact,) = [fact for fact in facts if fact["kind"] == "git_configuration"]
    assert fact["severity"] == "danger" and "core.fsmonitor says what git runs" in fact["message"]


def test_what_git_would_not_run_is_none(studio: CommandLine) -> None:
    contents = (
        "[alias]\n\tco = checkout\n[core]\n\tpager = less\nthis is no configuration\n",
        "# A list\n\n- [core] the core\n- [alias] other names\n",
        "[tool.ruff]\nline-length = 110\n",
        "[core]\n\tautocrlf = input\n",
    )
    steps = ({"op": "create", "path": f"{len(each)}.txt", "content": each} for each in contents)
    found = studio.submit(*steps)["steps"]
    assert len(found) == len(contents)
    assert "git_configuration" not in {fact["kind"] for step in found for fact in step["facts"]}
