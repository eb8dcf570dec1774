"""What git runs or reads beneath the root is locked (contract 8, promise 7)."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.engine.git_locks import read_git_locks
from studio.engine.plan import Plan
from studio.engine.workspace import Workspace


def configured(root: Path, text: str, name: str = ".git/config") -> None:
    file = root / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("[core]\n\thooksPath = tools/hooks\n", "tools/hooks"),
        ("[CORE]\nHOOKSPATH=tools/hooks # ours\n", "tools/hooks"),
        ('[core] hookspath = "tools/h ; x" ; note\n', "tools/h ; x"),
        ("[core]\nhooksPath = tools/\\\nhooks\n", "tools/hooks"),
        ("[core]\nhooksPath = ./tools/../ci/hooks/\n", "ci/hooks"),
        ("[other]\nx = 1\n[core]\nbare\nhooksPath = a\\\\b\n", "a\\b"),
    ],
)
def test_the_folder_of_hooks_is_read_as_git_reads_it(project: Path, text: str, path: str) -> None:
    configured(project, text)
    assert path in read_git_locks(project).paths
    shown = subprocess.run(
        ["git", "config", "--file", ".git/config", "core.hooksPath"],
        cwd=project,
        capture_output=True,
        check=True,
    )
    assert os.path.normpath(shown.stdout.decode().rstrip("\n")) == path


def test_hooks_at_the_root_are_locked_by_name(project: Path) -> None:
    configured(project, "[core]\nhooksPath = .\n")
    assert "pre-commit" in read_git_locks(project).paths


def test_included_files_are_locked_and_followed(project: Path) -> None:
    configured(project, '[include]\npath = ../team.gitconfig\n[includeIf "onbranch:x"]\npath = ../more\n')
    configured(project, "[core]\nhooksPath = hooks\n[include]\npath = team.gitconfig\n", "team.gitconfig")
    assert set(read_git_locks(project).paths) >= {"team.gitconfig", "more", "hooks"}


def test_the_users_own_configuration_counts(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / ".git").mkdir()
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "global"))
    configured(tmp_path, "[core]\nhooksPath = my-hooks\n", "global")
    assert "my-hooks" in read_git_locks(project).paths


def test_where_a_git_file_points_is_locked(project: Path) -> None:
    (project / "store" / "worktrees" / "w").mkdir(parents=True)
    (project / "store" / "worktrees" / "w" / "commondir").write_text("../..\n")
    configured(project, "[core]\nhooksPath = hooks\n", "store/config")
    (project / ".git").write_text("gitdir: store/worktrees/w\n")
    assert set(read_git_locks(project).paths) >= {"store/worktrees/w", "store", "hooks"}


def test_a_link_to_a_repository_in_the_project_is_locked(project: Path) -> None:
    (project / "repository").mkdir()
    (project / ".git").symlink_to("repository")
    assert "repository" in read_git_locks(project).paths


def test_a_project_inside_a_worktree(project: Path) -> None:
    inner = project / "sub"
    inner.mkdir()
    configured(project, "[core]\nhooksPath = sub/hooks\n")
    assert "hooks" in read_git_locks(inner).paths


@given(st.text())
def test_no_configuration_stops_it(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    root = tmp_path_factory.mktemp("any")
    (root / ".git").mkdir()
    (root / ".git" / "config").write_bytes(text.encode("utf-8", "surrogatepass"))
    read_git_locks(root)


def test_steps_into_them_are_refused_as_soon_as_git_says_so(
    project: Path, workspace: Workspace, propose: Callable[..., Plan]
) -> None:
    text = '{"title": "x", "steps": [{"op": "create", "path": "tools/hooks/pre-commit", "content": "x"}]}'
    assert workspace.proposer.check(["tools/hooks/pre-commit"])[0].allowed
    configured(project, "[core]\nhooksPath = tools/hooks\n")
    (verdict,) = workspace.proposer.check(["tools/hooks/pre-commit"])
    assert (verdict.allowed, verdict.level) == (False, "locked")
    (problem,) = propose(text).steps[0].problems
    assert problem.code == "policy.denied"


def test_our_own_folders_are_locked(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STUDIO_STATE_DIR", str(project / "state"))
    monkeypatch.setenv("STUDIO_CONFIG_DIR", str(project / "conf"))
    workspace = Workspace.open(project)
    try:
        verdicts = workspace.proposer.check(["state/x/store.sqlite3", "conf/config.yaml", "stated"])
    finally:
        workspace.close()
    assert [verdict.allowed for verdict in verdicts] == [False, False, True]
