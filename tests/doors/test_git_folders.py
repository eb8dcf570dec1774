"""Attacks through git's own folders, from the command line to a real `git status`."""

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
    assert problem["message"].startswith("vendor.git/config is in vendor.git, which is a git folder")
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
