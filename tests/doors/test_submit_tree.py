"""`studio submit --tree DIR [--delete]`: a folder beside the project as a plan (contract 2, 9)."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.doors.conftest import CommandLine, set_configuration


@pytest.fixture
def tree(project: Path, tmp_path: Path) -> Path:
    """A copy of the project, as somebody works in a worktree."""
    (project / "kept.txt").write_text("kept\n")
    (project / "changed.txt").write_text("old\n")
    (project / "gone.txt").write_text("gone\n")
    copy = tmp_path / "copy"
    shutil.copytree(project, copy)
    (copy / "changed.txt").write_text("new\n")
    (copy / "gone.txt").unlink()
    (copy / "deep").mkdir()
    (copy / "deep/new.bin").write_bytes(b"\x00\xff")
    return copy


def steps(document: dict[str, object]) -> list[tuple[str, str]]:
    listed = document["steps"]
    assert isinstance(listed, list)
    return sorted((step["op"], step["path"]) for step in listed)


@pytest.mark.usefixtures("allow_review")
def test_a_folder_becomes_what_makes_the_project_like_it(
    studio: CommandLine, project: Path, tree: Path
) -> None:
    said = studio("submit", "--tree", str(tree), "--agent", "codex")
    assert said.code == 0 and said.json["format"] == "tree" and said.json["title"] == "Changes of copy"
    assert steps(said.json) == [("create", "deep/new.bin"), ("modify", "changed.txt")]
    assert studio("approve", said.json["plan"], "--apply").code == 0
    assert (project / "deep/new.bin").read_bytes() == b"\x00\xff"
    assert (project / "gone.txt").exists(), "what the folder lacks stays without --delete"
    again = studio("submit", "--tree", str(tree))
    assert (again.code, again.json) == (0, {"plan": None})
    deleting = studio("submit", "--tree", str(tree), "--delete")
    assert steps(deleting.json) == [("delete", "gone.txt")]
    assert studio("approve", deleting.json["plan"], "--apply").code == 0
    assert not (project / "gone.txt").exists()


def test_what_may_not_be_proposed_is_left_out_and_counted(
    studio: CommandLine, project: Path, tree: Path
) -> None:
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    (project / ".gitignore").write_text("*.log\n")
    (tree / "a.log").write_text("x")
    (tree / "node_modules/deep").mkdir(parents=True)
    (tree / "node_modules/deep/a.js").write_text("x")
    (tree / ".git").mkdir()
    (tree / ".git/config").write_text("[core]\n")
    (tree / "link").symlink_to("kept.txt")
    said = studio("submit", "--tree", str(tree), "--delete").json
    assert steps(said) == [
        ("create", "deep/new.bin"),
        ("delete", ".gitignore"),
        ("delete", "gone.txt"),
        ("modify", "changed.txt"),
    ]
    (told,) = [problem for problem in said["problems"] if problem["code"] == "tree.left_out"]
    assert sorted(told["message"].removeprefix("Left out of the folder: ").rstrip(".").split(", ")) == [
        "1 denied by a rule",
        "1 ignored by git",
        "1 neither a file nor a folder",
        "2 locked",
    ]


def test_what_git_tracks_is_not_ignored(studio: CommandLine, project: Path, tree: Path) -> None:
    (project / "a.log").write_text("old\n")
    (project / ".gitignore").write_text("*.log\n")
    shutil.copy(project / ".gitignore", tree)
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    subprocess.run(["git", "-C", str(project), "add", "-f", "a.log"], check=True)
    (tree / "a.log").write_text("new\n")
    assert ("modify", "a.log") in steps(studio("submit", "--tree", str(tree)).json)


def test_a_bit_that_changes_is_a_step_too(studio: CommandLine, tree: Path) -> None:
    (tree / "kept.txt").chmod(0o755)
    assert ("mode", "kept.txt") in steps(studio("submit", "--tree", str(tree)).json)


def test_a_folder_that_holds_the_project_or_lies_in_it_is_refused(
    studio: CommandLine, project: Path, tree: Path
) -> None:
    (project / "inner").mkdir()
    for folder in (project, project.parent, project / "inner"):
        said = studio("submit", "--tree", str(folder))
        assert (said.code, said.error["code"]) == (1, "tree.not_apart")
    assert studio("submit", "--tree", str(tree / "missing")).code == 4
    assert studio("submit", "--tree", str(tree), "x.diff").error["code"] == "submit.tree_and_text"
    assert studio("submit", "--delete", stdin=b"").error["code"] == "submit.delete_alone"


def test_a_folder_may_have_more_steps_than_a_text(studio: CommandLine, tree: Path) -> None:
    """Contract 8: `steps` is for what a text proposes, `own_steps` for a folder."""
    set_configuration("limits: {steps: 1}")
    assert len(studio("submit", "--tree", str(tree)).json["steps"]) == 2
    set_configuration("limits: {own_steps: 1}")
    (tree / "third.txt").write_text("3")
    said = studio("submit", "--tree", str(tree))
    assert (said.code, said.error["code"]) == (1, "plan.too_many_steps")
    assert "own_steps" in said.error["hint"]
