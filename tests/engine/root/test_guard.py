"""What is locked is known by device and inode, whatever it is called."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from studio.engine.plan import Plan, PlanState
from studio.engine.policy import PathVerdict
from studio.engine.root import Guard, ProjectRoot
from studio.errors import AccessDenied, LeadsOutside, StudioError
from studio.workspace import Reviewer, Workspace
from tests.engine.root.jail import no_handle_left
from tests.tools.inside import context_of


def code_of(guard: Guard, path: str) -> str:
    try:
        guard.check(path)
    except AccessDenied as refused:
        assert refused.message.endswith("under another name.") and refused.hint and refused.path == path
        return refused.code
    return ""


@pytest.mark.parametrize(
    ("locked", "other", "code"),
    [
        (".git", "innocent", "path.git"),
        (".git", "sub/innocent", "path.git"),
        ("sub/.git", "sub/innocent", "path.git"),
        ("studio.yaml", "settings", "path.configuration"),
        ("studio.yaml", "sub/settings", "path.configuration"),
        ("sub/studio.yaml", "sub/settings", "path.configuration"),
        ("sub/target", "elsewhere", "path.locked"),
        ("hooks/pre-commit", "sub/check", "path.locked"),
    ],
)
def test_a_second_name_is_the_same_thing(project: Path, locked: str, other: str, code: str) -> None:
    """A hard link stands for every way in which a file system gives one file two names."""
    for path in (locked, other):
        (project / path).parent.mkdir(parents=True, exist_ok=True)
    (project / locked).write_text("gitdir: elsewhere\n")
    os.link(project / locked, project / other)
    (project / "fine.txt").write_text("x")
    with ProjectRoot(project) as root, no_handle_left():
        guard = Guard(root, ["sub/target", "hooks/pre-commit", "not/there"])
        assert code_of(guard, other) == code
        assert code_of(guard, f"{other}/below") == code
        assert code_of(guard, "fine.txt") == code_of(guard, "new/file.txt") == ""


def test_a_folder_is_known_by_identity_for_all_that_is_in_it(project: Path, tmp_path: Path) -> None:
    """Also when it is met again: what was refused once is never kept as fine."""
    (project / "state/deep").mkdir(parents=True)
    with ProjectRoot(project) as root:
        (project / "state").rename(project / "moved")
        (project / "state").symlink_to("moved")
        guard = Guard(root, ["state"])
        assert code_of(guard, "moved/deep/file") == "", "a link is itself and not where it leads"
        (project / "state").unlink()
        (project / "moved").rename(project / "state")
        guard = Guard(root, ["state"])
        assert [code_of(guard, "state/deep/file") for _ in range(2)] == ["path.locked"] * 2


def test_a_link_on_the_way_is_refused(project: Path) -> None:
    (project / "link").symlink_to("/")
    with ProjectRoot(project) as root, pytest.raises(LeadsOutside):
        Guard(root).check("link/etc/passwd")


def test_folders_are_looked_at_once(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A plan of many files asks once for each folder and once for each file."""
    (project / "a/b/c").mkdir(parents=True)
    for number in range(50):
        (project / f"a/b/c/{number}").touch()
    with ProjectRoot(project) as root:
        guard = Guard(root)
        asked: list[str] = []
        folder, state = root.folder, root.state
        monkeypatch.setattr(root, "folder", lambda path: asked.append(path) or folder(path))
        monkeypatch.setattr(root, "state", lambda path: asked.append(path) or state(path))
        for number in range(50):
            guard.check(f"a/b/c/{number}")
        assert len(asked) == 4 + 3 + 50


def test_a_passed_folder_is_compared_for_rules_of_a_nested_project(project: Path) -> None:
    """The folder passed before the `.git` beside the next path was seen."""
    (project / "a/nested/.git").mkdir(parents=True)
    (project / "a/nested/sub").mkdir()

    def rule(path: str) -> PathVerdict:
        level = "locked" if path.endswith("y") else "user"
        return PathVerdict("", allowed=False, rule="r", level=level, reason="Locked.")

    with ProjectRoot(project) as root:
        guard = Guard(root, rules_of=lambda folder: rule)
        assert code_of(guard, "a/x") == code_of(guard, "a/nested/sub/x") == ""
        with pytest.raises(AccessDenied, match="Locked"):
            guard.check("a/nested/sub/y")


def test_a_locked_file_is_found_in_a_passed_folder(project: Path) -> None:
    (project / "a").mkdir()
    (project / "a/fine").touch()
    (project / "hidden").touch()
    os.link(project / "hidden", project / "a/other")
    with ProjectRoot(project) as root:
        guard = Guard(root, ["hidden"])
        assert [code_of(guard, path) for path in ("a/fine", "a/other", "a/fine")] == ["", "path.locked", ""]


def text_of(**step: object) -> str:
    return json.dumps({"title": "t", "steps": [step]})


@pytest.mark.parametrize("name", [".git", "studio.yaml"])
@pytest.mark.parametrize(
    "step",
    [
        {"op": "modify", "path": "innocent", "content": "x"},
        {"op": "append", "path": "innocent", "content": "x"},
        {"op": "delete", "path": "innocent"},
        {"op": "move", "path": "innocent", "to": "new"},
        {"op": "copy", "path": "innocent", "to": "new"},
        {"op": "mode", "path": "innocent", "executable": True},
    ],
    ids=lambda step: step["op"],
)
def test_no_operation_touches_what_is_locked(
    name: str, step: dict[str, object], project: Path, propose: Callable[..., Plan]
) -> None:
    (project / name).write_text("")
    os.link(project / name, project / "innocent")
    plan = propose(text_of(**step))
    assert plan.state is PlanState.INVALID
    assert plan.steps[0].problems[0].code in ("path.git", "path.configuration")


def test_what_becomes_locked_after_approval_is_not_written(
    project: Path, reviewer: Reviewer, propose: Callable[..., Plan]
) -> None:
    """The gateway looks again: the same bytes, but by now they are git's."""
    (project / "file").write_text("gitdir: x\n")
    plan = propose(text_of(op="modify", path="file", content="gitdir: y\n"))
    reviewer.approve(plan.id)
    os.link(project / "file", project / ".git")
    with pytest.raises(StudioError) as refused:
        reviewer.apply(plan.id)
    assert refused.value.code in ("path.git", "policy.changed")
    assert (project / ".git").read_text() == "gitdir: x\n"


def test_our_own_folders_in_a_project_are_known_by_identity(
    project: Path, propose: Callable[..., Plan], workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """State and configuration may lie in the project: their files are locked under every name."""
    own = project / "own"
    own.mkdir()
    (own / "config.yaml").write_text("schema_version: 1\n")
    monkeypatch.setenv("STUDIO_CONFIG_DIR", str(own))
    with ProjectRoot(project) as root:
        guard = Guard(root, context_of(workspace).policy().locked_paths)
        own.rename(project / "other")
        assert code_of(guard, "other/config.yaml") == "path.locked"


def test_where_a_git_file_leads_is_known_by_identity(project: Path, workspace: Workspace) -> None:
    """A worktree's `.git` names its repository, which may lie in the project."""
    (project / "repository/hooks").mkdir(parents=True)
    (project / ".git").write_text("gitdir: repository\n")
    with ProjectRoot(project) as root:
        guard = Guard(root, context_of(workspace).policy().locked_paths)
        (project / "repository").rename(project / "other")
        assert code_of(guard, "other/hooks/pre-commit") == "path.locked"
