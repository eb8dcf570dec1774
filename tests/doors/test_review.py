"""`studio review`: uncommitted changes, commits and snapshots, marked and taken back at the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.doors.conftest import CommandLine
from tests.engine.git_data.repositories import commit, git, init

OLD = "".join(f"{number}\n" for number in range(20))
NEW = OLD.replace("3\n", "three\n", 1).replace("\n15\n", "\nfifteen\n")


@pytest.fixture
def repository(project: Path) -> Path:
    init(project)
    git(project, "add", "-A")
    commit(project, {"a.txt": OLD, "b.txt": "b\n"})
    (project / "a.txt").write_text(NEW)
    (project / "new.txt").write_text("n\n")
    return project


@pytest.mark.usefixtures("allow_review")
def test_a_hunk_and_a_file_are_taken_back(studio: CommandLine, repository: Path) -> None:
    said = studio("review")
    plan = said.json["plan"]
    assert (said.code, said.json["format"], said.json["reviews"]) == (0, "review", "HEAD")
    assert studio("approve", plan, "--step", "1", "--hunks", "1:1").code == 0
    assert studio("reject", plan, "--step", "2", "--reason", "Not needed.").code == 0
    refused = studio("apply", plan)
    assert (refused.code, refused.error["code"]) == (1, "review.applied")
    back = studio("review", "--take-back", plan).json
    assert [(step["op"], step["path"]) for step in back["steps"]] == [
        ("modify", "a.txt"),
        ("delete", "new.txt"),
    ]
    assert studio("approve", back["plan"], "--apply").code == 0
    assert (repository / "a.txt").read_text() == OLD.replace("3\n", "three\n", 1)
    assert not (repository / "new.txt").exists()
    again = studio("review").json
    assert [step["state"] for step in again["steps"]] == ["approved"]
    message = studio("show", again["plan"], "--message", json=False).text
    assert message.startswith("Modify a.txt\n")
    assert studio("rollback", back["plan"]).code == 0
    assert (repository / "a.txt").read_text() == NEW
    assert (repository / "new.txt").read_text() == "n\n"


@pytest.mark.usefixtures("allow_review")
def test_commits_of_a_branch_become_a_plan(studio: CommandLine, repository: Path) -> None:
    git(repository, "checkout", "-q", "-b", "feature")
    git(repository, "commit", "-qam", "feature")
    git(repository, "checkout", "-q", "main")
    said = studio("review", "main..feature")
    assert said.json["reviews"] == "main..feature"
    proposed = studio("review", "--propose", said.json["plan"]).json
    assert studio("approve", proposed["plan"], "--apply").code == 0
    assert (repository / "a.txt").read_text() == NEW


@pytest.mark.usefixtures("allow_review")
def test_a_snapshot_is_the_base_and_a_review_is_dismissed(studio: CommandLine, repository: Path) -> None:
    assert (
        studio("review", "--snapshot", "missing").error["message"].startswith("The project has no snapshot")
    )
    assert studio("snapshot", "create", "first").code == 0
    (repository / "b.txt").write_text("B\n")
    said = studio("review", "--snapshot", "first").json
    assert [(step["op"], step["path"]) for step in said["steps"]] == [("modify", "b.txt")]
    assert studio("dismiss", said["plan"]).json["state"] == "dismissed"
    assert (repository / "b.txt").read_text() == "B\n"
    refused = studio("review", "--take-back", said["plan"])
    assert (refused.code, refused.error["code"]) == (1, "review.ended")
    assert studio("review", "--snapshot", "first").json["steps"][0]["state"] == "pending"


def test_what_is_written_for_people(studio: CommandLine, repository: Path) -> None:
    said = studio("review", json=False)
    assert "Uncommitted changes on main at " in said.text
    assert "modify  a.txt  +2 -2" in said.text
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "all")
    assert studio("review", json=False).text == "No differences to review.\n"
    assert studio("review").json == {"plan": None}


@pytest.mark.parametrize(
    ("words", "code", "error"),
    [
        (("main..x", "--snapshot", "x"), 2, "usage"),
        (("missing",), 1, "review.no_commits"),
        (("--snapshot", "missing"), 1, "review.no_base"),
        (("--take-back", "0000"), 4, "plan.not_found"),
    ],
)
def test_what_can_not_be_reviewed(
    studio: CommandLine, repository: Path, words: tuple[str, ...], code: int, error: str
) -> None:
    said = studio("review", *words)
    assert (said.code, said.error["code"]) == (code, error)
