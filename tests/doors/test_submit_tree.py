"""`studio submit --tree DIR [--delete]`: a folder beside the project as a plan."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.doors.conftest import CommandLine, set_configuration
from tests.engine.git_data.repositories import git, init, state_of


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
    assert (again.code, again.json["plan"]) == (0, None)
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
    assert sorted(told["message"].removeprefix("Excluded from the folder: ").rstrip(".").split(", ")) == [
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
    """`steps` is for what a text proposes, `own_steps` for a folder."""
    set_configuration("limits: {steps: 1}")
    assert len(studio("submit", "--tree", str(tree)).json["steps"]) == 2
    set_configuration("limits: {own_steps: 1}")
    (tree / "third.txt").write_text("3")
    said = studio("submit", "--tree", str(tree))
    assert (said.code, said.error["code"]) == (1, "plan.too_many_steps")
    assert "own_steps" in said.error["hint"]


def test_what_is_tracked_in_an_ignored_folder_is_not_ignored(
    studio: CommandLine, project: Path, tree: Path
) -> None:
    for folder in (project, tree):
        (folder / "made").mkdir()
        (folder / ".gitignore").write_text("made/\n")
        (folder / "made/tracked.txt").write_text("old\n")
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    subprocess.run(["git", "-C", str(project), "add", "-f", "made/tracked.txt"], check=True)
    (tree / "made/tracked.txt").write_text("new\n")
    (tree / "made/other.txt").write_text("other\n")
    said = steps(studio("submit", "--tree", str(tree)).json)
    assert ("modify", "made/tracked.txt") in said
    assert not any(path == "made/other.txt" for _op, path in said)


def test_one_path_that_will_not_do_holds_up_no_other(studio: CommandLine, project: Path, tree: Path) -> None:
    """Another kind of entry there, a file over the limit, one that can't be read: a refused step each."""
    set_configuration("limits: {file_bytes: 1000}")
    (tree / "large.txt").write_bytes(b"x" * 1001)
    (tree / "closed.txt").write_text("x")
    (tree / "closed.txt").chmod(0)
    (project / "folder").mkdir()
    (project / "folder/kept.txt").write_text("kept\n")
    (tree / "folder").write_text("a file here")
    (project / "file").write_text("a file there")
    (project / "link").symlink_to("folder")
    for name in ("file", "link"):
        (tree / name).mkdir()
        (tree / name / "inner.txt").write_text("x")
    said = studio("submit", "--tree", str(tree), "--delete").json
    refused = {step["path"]: step["problems"][0]["message"] for step in said["steps"] if step["problems"]}
    refused_too = {"closed.txt"} if os.geteuid() else set()
    assert refused.keys() == {"file", "folder", "large.txt", "link"} | refused_too, refused
    assert "1001 bytes are more than the limit of 1000" in refused["large.txt"]
    pending = {(step["op"], step["path"]) for step in said["steps"] if step["state"] == "pending"}
    assert {("create", "deep/new.bin"), ("modify", "changed.txt"), ("delete", "gone.txt")} <= pending
    assert ("delete", "file") not in pending


def test_files_behind_a_link_of_the_folder_are_not_deleted(
    studio: CommandLine, project: Path, tree: Path
) -> None:
    """The link may lead to the very files, so nobody can say that the folder lacks them."""
    (project / "linked").mkdir()
    (project / "linked/a.txt").write_text("a\n")
    (tree / "linked").symlink_to("deep")
    assert not any(
        "linked" in path for _op, path in steps(studio("submit", "--tree", str(tree), "--delete").json)
    )


def test_the_limit_says_no_before_the_rest_is_read(studio: CommandLine, project: Path, tree: Path) -> None:
    set_configuration("limits: {own_steps: 1}")
    with (tree / "deep/zz.bin").open("wb") as huge:
        huge.truncate(9 << 20)
    for number in range(40):
        (tree / f"deep/z{number}.bin").write_bytes(b"")
        os.truncate(tree / f"deep/z{number}.bin", 9 << 20)
    said = studio("submit", "--tree", str(tree))  # 360 MB are more than the folder may bring
    assert (said.code, said.error["code"]) == (1, "plan.too_many_steps")


@pytest.mark.parametrize("place", [".git/HEAD", ".git/config", "../home-excludes", ".gitignore"])
def test_a_pipe_among_the_data_of_git_holds_nobody_up(
    studio: CommandLine, project: Path, tree: Path, place: str
) -> None:
    init(project)
    git(project, "config", "core.excludesFile", str(project.parent / "home-excludes"))
    (project / ".git/info/exclude").write_text("*.log\n")
    (tree / "a.log").write_text("x")
    assert ("create", "a.log") not in steps(studio("submit", "--tree", str(tree)).json)
    (project / place).unlink(missing_ok=True)
    os.mkfifo(project / place)
    before = state_of(project)
    said = studio("submit", "--tree", str(tree)).json
    assert ("create", "a.log") in steps(said)
    (told,) = [problem for problem in said["problems"] if problem["code"] == "tree.git_unread"]
    assert told["message"].startswith("Git data can't be read. ")
    assert told["message"].endswith(" So files that git ignores are included.")
    assert state_of(project) == before
