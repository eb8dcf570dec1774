"""What git runs or reads beneath the root is locked."""

from __future__ import annotations

import os
import pwd
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from studio.engine.plan import Plan
from studio.engine.policy.git_locks import read_git_locks
from studio.workspace import Workspace
from tests.engine.policy.pipes import PLACES


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
    locks = read_git_locks(project)
    assert path in locks.paths
    assert locks.unread == ()
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


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[core]\n" + "# long\n" * 200_000, "has 1,400,007 bytes; the limit is 1,048,576"),
        ("[core\nhooksPath = x\n", "is not a configuration that git can read"),
        ("".join(f"[include]\npath = {number}\n" for number in range(60)), "more than 50 files"),
        ("[include]\npath = .\n", ".git is a folder, not a file"),
        (f"[include]\npath = {'x' * 300}\n", "can't be read"),
    ],
    ids=["large", "broken", "many", "folder", "long name"],
)
def test_what_can_not_be_read_whole_locks_more(
    project: Path, workspace: Workspace, text: str, sentence: str
) -> None:
    """Whatever it may name is called like a hook or a configuration."""
    (project / ".git").mkdir()
    (project / ".git/config").write_text("")
    assert workspace.proposer.check(["ci/pre-push"])[0].allowed
    configured(project, text)
    for path in ("ci/pre-push", "Update.exe", "a/team.gitconfig"):
        (verdict,) = workspace.proposer.check([path])
        assert (verdict.allowed, verdict.level) == (False, "locked"), path
        assert "git's configuration can't be read" in verdict.reason
    assert workspace.proposer.check(["a.txt"])[0].allowed
    assert sentence in " ".join(workspace.notices)
    configured(project, "")
    assert workspace.proposer.check(["ci/pre-push"])[0].allowed
    assert workspace.notices == ()


@pytest.mark.parametrize("place", sorted(PLACES.keys() - {"our own input"}))
def test_what_is_no_file_is_not_waited_for(
    project: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    (project / ".git").mkdir()
    monkeypatch.delenv("GIT_CONFIG_GLOBAL")
    PLACES[place](project)
    assert read_git_locks(project).unread


def test_a_missing_include_is_no_trouble(project: Path) -> None:
    configured(project, "[include]\npath = nowhere/at-all\npath = config/beneath-a-file\n")
    assert read_git_locks(project).unread == ()


def test_what_a_shared_repository_says_counts_once_it_says_it(project: Path, workspace: Workspace) -> None:
    """A `commondir` that comes later leads to another configuration."""
    (project / ".git").mkdir()
    configured(project, "[core]\nhooksPath = hooks\n", "shared/config")
    assert workspace.proposer.check(["hooks/pre-commit"])[0].allowed
    (project / ".git/commondir").write_text("../shared\n")
    assert not workspace.proposer.check(["hooks/pre-commit"])[0].allowed
    assert not workspace.proposer.check(["shared/config"])[0].allowed


def test_every_repository_around_the_project_counts(project: Path) -> None:
    """A submodule's commits run its own hooks, those of the repository above run that one's."""
    inner = project / "sub"
    configured(inner, "[core]\nhooksPath = own\n")
    configured(project, "[core]\nhooksPath = sub/theirs\n")
    assert set(read_git_locks(inner).paths) >= {"own", "theirs"}


@pytest.mark.parametrize(
    ("text", "program"),
    [
        ("[diff]\nexternal = tools/d.sh\n", ("tools/d.sh", "diff.external")),
        ('[diff "x"]\ntextconv = python3 \\"tools/a b.py\\" %f\n', ("tools/a b.py", "diff.textconv")),
        ('[filter "x"]\nprocess = sh -c ./run.sh\n', ("run.sh", "filter.process")),
        ("[alias]\nx = !./x.sh --config=ci/x.toml\n", ("ci/x.toml", "alias.x")),
        ("[core]\nsshCommand = 'open tools/ssh\n", ("tools/ssh", "core.sshcommand")),
    ],
)
def test_files_in_commands_are_known(project: Path, text: str, program: tuple[str, str]) -> None:
    configured(project, text)
    locks = read_git_locks(project)
    assert program in locks.programs
    assert program[0] not in locks.paths


def test_words_that_are_no_files_are_left_alone(project: Path) -> None:
    configured(project, "[alias]\nst = status\nt = !make test\n[core]\nfsmonitor = true\npager = less\n")
    locks = read_git_locks(project)
    assert locks.programs == ()
    assert locks.paths == (".git",)


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


def test_a_repository_in_the_project_locks_its_own_hooks(project: Path, workspace: Workspace) -> None:
    """A submodule's `.git` names a repository, whose configuration names a folder that commits run."""
    (project / "sub/deep").mkdir(parents=True)
    (project / "sub/.git").write_text("gitdir: ../store/sub\n")
    configured(project, "[core]\nhooksPath = hooks\n[include]\npath = ../../sub/more\n", "store/sub/config")
    paths = ["sub/hooks/pre-commit", "sub/more", "sub/Hooks", "hooks/pre-commit", "sub/deep/a.txt"]
    verdicts = workspace.proposer.check(paths)
    assert [verdict.allowed for verdict in verdicts] == [False, False, False, True, True]
    assert [verdict.level for verdict in verdicts[:3]] == ["locked"] * 3
    os.mkfifo(project / "store/sub/commondir")
    paths = ["sub/deep/pre-push", "pre-push"]
    assert [verdict.allowed for verdict in workspace.proposer.check(paths)] == [False, True]


@pytest.mark.parametrize(
    "command",
    [
        "sh -c 'cd tools && ./watch.sh'",
        "$(git rev-parse --show-toplevel)/tools/watch.sh",
        "${PWD}/tools/watch.sh --fast",
        "`pwd`/tools/watch.sh",
        "(./tools/watch.sh)",
        "./tools/watch.sh;true",
        "f() { ./tools/watch.sh; }; f",
        "cat<tools/watch.sh",
    ],
)
def test_a_program_is_found_in_what_a_shell_runs(project: Path, command: str) -> None:
    configured(project, f'[core]\n\tfsmonitor = "{command}"\n[alias]\n\tx = "!{command}"\n')
    locks = read_git_locks(project)
    assert "tools/watch.sh" in locks.paths
    assert ("tools/watch.sh", "alias.x") in locks.programs


@pytest.mark.parametrize("path", ["../x\0y", "x/" * 500_000], ids=["nul", "long"])
def test_a_path_that_nothing_can_open_locks_more(project: Path, path: str) -> None:
    configured(project, path, ".git/commondir")
    configured(project, f"gitdir: {path}\n", "nested/.git")
    configured(project, f"[include]\n\tpath = {path}\n")
    assert read_git_locks(project).names
    assert read_git_locks(project, "nested").names


@pytest.mark.parametrize(
    "text",
    [
        "[core]\n" + "".join(f"hooksPath = {number}/x\n" for number in range(3000)),
        "[alias]\nx = !" + " ".join(f"./{number}" for number in range(3000)),
    ],
    ids=["folders", "programs"],
)
def test_a_configuration_that_names_too_much_locks_more(project: Path, text: str) -> None:
    configured(project, text)
    assert read_git_locks(project).names


@pytest.mark.parametrize("name", ["GIT_CONFIG_GLOBAL", "HOME"])
def test_no_variable_hides_the_accounts_own_configuration(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    home = tmp_path / "account"
    configured(home, f"[core]\n\thooksPath = {project}/ci\n", ".gitconfig")
    account = pwd.struct_passwd(("me", "x", os.getuid(), 0, "", str(home), "/bin/sh"))
    monkeypatch.setattr(pwd, "getpwuid", lambda _uid: account)
    monkeypatch.setenv(name, os.devnull)
    assert "ci" in read_git_locks(project).paths
