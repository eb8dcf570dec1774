"""What is read of a repository is what git itself says of it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from studio.engine.git_data import GitData, Head, HeldObject
from studio.system import child_process
from tests.engine.git_data.repositories import commit, git, ignored_folders, init, state_of, write


@pytest.fixture
def repository(project: Path) -> Path:
    return init(project)


@pytest.fixture
def git_data(project: Path) -> Iterator[GitData]:
    with GitData(project) as asked:
        yield asked


# What is ignored

_FOLDERS = ("a", "b", "a/b", "a/b/c", "b/c")
_FILES = tuple(f"{folder}/{name}" for folder in (".", *_FOLDERS) for name in ("x.log", "y.txt", "#a"))
_PATHS = tuple(path.removeprefix("./") for path in _FILES)
_RULES = st.sampled_from(
    "*.log a/ /a a/b b/ !b/ **/c a/** !y.txt x.* /a/* !/a/b/ c a/b/x.log [xy].* \\#a #a b/c/ * !*/ !a/b/x.log"
    " /* b/** !**/c/ y.tx?".split()
)


def ignored_by_git(folder: Path) -> tuple[set[str], set[str]]:
    """Files and topmost folders that git ignores in a repository in which each folder holds a file."""
    given_paths = "".join(f"{path}\0" for path in _PATHS)
    files = set(git(folder, "check-ignore", "--stdin", "-z", given=given_paths, may_fail=True).split("\0"))
    lines = git(folder, "status", "--porcelain", "-z", "-uall", "--ignored=matching").split("\0")
    folders = {line[3:-1] for line in lines if line.startswith("!! ") and line.endswith("/")}
    return files - {""}, folders


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    top=st.lists(_RULES, max_size=4),
    inner=st.lists(_RULES, max_size=2),
    tracked=st.sets(st.sampled_from(_PATHS), max_size=3),
)
def test_it_ignores_what_git_ignores(
    project: Path, git_data: GitData, top: list[str], inner: list[str], tracked: set[str]
) -> None:
    """By one process for all examples: no answer is the one from before."""
    shutil.rmtree(project)
    init(project)
    write(project, dict.fromkeys(_PATHS, "x\n"))
    write(project, {".gitignore": "\n".join(top) + "\n", "a/.gitignore": "\n".join(inner) + "\n"})
    if tracked:
        git(project, "add", "-f", "--", *tracked)
    files, folders = ignored_by_git(project)
    assert git_data.ignored([(path, False) for path in _PATHS]) == files
    assert ignored_folders(project, git_data) == set(folders)
    assert git_data.ignored([(path, True) for path in folders]) == folders


def test_what_another_file_took_is_taken_back(repository: Path, git_data: GitData) -> None:
    """libgit2 takes back only what the same file took."""
    write(
        repository,
        {".git/info/exclude": "*.log\n", ".gitignore": "!kept.log\n/a/*\n", "a/.gitignore": "!b/\n"},
    )
    write(
        repository,
        {
            "a/b/x": "",
            "a/c/x": "",
            "a [1]/.gitignore": "/made/\n",
            "a [1]/made/x": "",
            "a [1]/deep/made/x": "",
        },
    )
    asked = [("kept.log", False), ("x.log", False), ("a/b", True), ("a/c", True)]
    assert git_data.ignored(asked) == {"x.log", "a/c"}
    assert ignored_folders(repository, git_data) == {"a [1]/made", "a/c"}


def test_a_folder_whose_own_rules_take_all_is_ignored(repository: Path, git_data: GitData) -> None:
    """As a tool's cache is, at any depth, where it is called like one; no other folder hides its own."""
    takes_all = ("*", "# Created by a tool.\n*\n", "/*\r\n", "!.gitignore\n**\n")
    takes_some = ("*\n!.gitignore\n", "*.log\n", "*/\n")
    asked, ignored = list[str](), set[str]()
    for number, rules in enumerate((*takes_all, *takes_some)):
        caches = (f".cache{number}", f"a/b{number}/.cache [1]")
        ignored |= set(caches) if rules in takes_all else set()
        asked += [*caches, f"sources{number}"]
        for folder in asked[-3:]:
            inner = {f"{folder}/.gitignore": rules, f"{folder}/x.txt": "", f"{folder}/v/d/x.txt": ""}
            write(repository, inner)
    commit(repository, {f"a/b{number}/tracked": "" for number in range(len(takes_all + takes_some))})
    lines = git(repository, "status", "--porcelain", "-z", "--ignored").split("\0")
    assert {line[3:-1] for line in lines if line.startswith("!!")} >= ignored
    assert ignored_folders(repository, git_data) & {*asked} == ignored
    paths = [(folder, True) for folder in asked]
    assert git_data.ignored(paths) == ignored
    at_top = {folder for folder in asked if folder.startswith(".")}
    git(repository, "add", "-f", *(f"{folder}/v/d/x.txt" for folder in sorted(at_top)))
    assert git_data.ignored(paths) == ignored - at_top
    assert not at_top & ignored_folders(repository, git_data)


def test_what_the_user_ignores_everywhere_is_ignored(
    repository: Path, git_data: GitData, private_folders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GIT_CONFIG_GLOBAL")
    write(private_folders, {"config/git/ignore": "*.mine\n"})
    paths = [("a.mine", False), ("a.own", False), ("a.info", False), ("a.txt", False)]
    write(repository, {".git/info/exclude": "*.info\n"})
    assert git_data.ignored(paths) == {"a.mine", "a.info"}
    write(private_folders, {"home/.gitconfig": "[core]\nexcludesFile = ~/own\n", "home/own": "*.own\n"})
    assert git_data.ignored(paths) == {"a.own", "a.info"}
    write(private_folders, {"home/.gitconfig": "[core]\nexcludesFile = /dev/null\n"})
    assert git_data.ignored(paths) == {"a.info"}


def test_a_folder_is_found_in_an_index_sorted_without_case(repository: Path, git_data: GitData) -> None:
    commit(repository, {"B/x": "", "a/x": "", "b.txt": "", "c/x": "", ".gitignore": "[a-zA-Z]/\n"})
    git(repository, "config", "core.ignorecase", "true")
    paths = [(name, True) for name in "aBbcd"]
    assert git_data.ignored(paths) == {"d"}
    git(repository, "config", "core.ignorecase", "false")
    assert git_data.ignored(paths) == {"b", "d"}


def test_a_project_may_be_a_folder_of_its_repository(project: Path) -> None:
    init(project)
    held = commit(
        project, {"inner/a.txt": "1\n", "inner/made/kept": "", "inner/.gitignore": "made/\n/b.txt\n"}
    )
    write(project, {"inner/deep/made/x": "", ".gitignore": "*.log\n"})
    with GitData(project / "inner") as git_data:
        asked = [("b.txt", False), ("a.txt", False), ("x.log", False), ("deep/b.txt", False)]
        assert git_data.ignored(asked) == {"b.txt", "x.log"}
        assert ignored_folders(project / "inner", git_data) == {"deep/made"}
        found = git_data.blobs_at(held, ["a.txt", "inner/a.txt", "made"])
    assert found is not None and set(found) == {"a.txt", "made"}


def test_a_project_that_is_ignored_whole_has_rules_of_its_own(project: Path) -> None:
    """Who keeps a home in git ignores everything there, and reviews projects in it all the same."""
    init(project)
    write(project, {".gitignore": "*\n", "code/made/x": ""})
    with GitData(project / "code") as git_data:
        assert git_data.ignored([("a.txt", False), ("made", True)]) == frozenset()
        assert ignored_folders(project / "code", git_data) == frozenset()


# Where the work tree stands


def head_by_git(folder: Path) -> tuple[str | None, str | None, str, str | None]:
    said = [
        git(folder, *words, may_fail=True).strip() or None
        for words in (
            ("symbolic-ref", "--short", "-q", "HEAD"),
            ("rev-parse", "-q", "--verify", "HEAD"),
            ("reflog", "-1", "--format=%gs"),
            ("rev-parse", "-q", "--verify", "refs/stash"),
        )
    ]
    return said[0], said[1], said[2] or "", said[3]


@pytest.fixture(scope="module")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = init(tmp_path_factory.mktemp("two-branches"))
    commit(made, {"a.txt": "1\n"})
    git(made, "checkout", "-q", "-b", "v2")
    commit(made, {"a.txt": "2\n"}, "second")
    git(made, "checkout", "-q", "main")
    commit(made, {"a.txt": "3\n"}, "third")
    return made


@pytest.fixture
def two_branches(made_once: Path, project: Path) -> Path:
    """The branch v2 and main (checked out) change the same line."""
    return shutil.copytree(made_once, project, dirs_exist_ok=True)


def test_the_head_is_as_git_says(made_once: Path, project: Path, git_data: GitData) -> None:
    """By one process for all of them."""
    for commands, in_progress in (
        ((), None),
        (("checkout -q v2",), None),
        (("checkout -q --detach v2",), None),
        (("checkout -q v2", "reset -q --hard main"), None),
        (("merge -q v2",), "merge"),
        (("rebase -q v2",), "rebase"),
        (("rebase -q --apply v2",), "rebase"),
        (("cherry-pick v2",), "cherry-pick"),
        (("revert --no-edit main~1",), "revert"),
        (("bisect start",), "bisect"),
        (("rebase -q -X theirs v2",), None),
        (("merge -q v2", "merge --abort"), None),
        (("checkout -q v2", "pack-refs --all"), None),
    ):
        shutil.rmtree(project)
        shutil.copytree(made_once, project)
        for command in commands:
            git(project, *command.split(), may_fail=True)
        head = git_data.head()
        assert head is not None
        assert (head.branch, head.commit, head.action, head.stash) == head_by_git(project), commands
        assert head.in_progress == in_progress, commands


def test_each_answer_is_of_now(two_branches: Path, git_data: GitData) -> None:
    before = git_data.head()
    write(two_branches, {"a.txt": "mine\n"})
    git(two_branches, "stash", "-q")
    after = git_data.head()
    assert before is not None and after is not None and before != after
    assert (after.branch, after.commit, after.action, after.stash) == head_by_git(two_branches)
    assert after.stash is not None


def test_a_repository_without_a_commit_has_a_branch(repository: Path, git_data: GitData) -> None:
    assert git_data.head() == Head("main", None, "", None, None)
    assert ignored_folders(repository, git_data) == frozenset()


def test_a_linked_worktree_has_a_head_of_its_own(two_branches: Path, tmp_path: Path) -> None:
    linked = tmp_path / "linked"
    git(two_branches, "worktree", "add", "-q", str(linked), "v2")
    write(two_branches, {".git/info/exclude": "*.log\n"})
    git(linked, "rebase", "-q", "main", may_fail=True)
    with GitData(linked) as git_data:
        head = git_data.head()
        assert git_data.ignored([("a.log", False)]) == {"a.log"}
    assert head is not None
    assert (head.branch, head.commit, head.action, head.stash) == head_by_git(linked)
    assert head.in_progress == "rebase"


def test_a_submodule_is_held_by_the_one_and_a_project_itself(two_branches: Path, tmp_path: Path) -> None:
    outer = init(tmp_path / "outer")
    git(outer, "submodule", "add", "-q", str(two_branches), "module")
    held = commit(outer, {".gitignore": "module/\n"})
    with GitData(outer) as git_data:
        assert git_data.ignored([("module", True)]) == frozenset()
        assert git_data.blobs_at(held, ["module", "module/a.txt"]) == objects_by_git(outer, held, "module")
    with GitData(outer / "module") as git_data:
        head = git_data.head()
    assert head is not None
    assert (head.branch, head.commit, head.action, head.stash) == head_by_git(outer / "module")


def test_without_a_work_tree_there_is_nothing(
    project: Path, git_data: GitData, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(project, "init", "-q", "--bare")
    with monkeypatch.context() as patch:
        patch.delattr(child_process, "start")  # nor a process
        assert_nothing(git_data)
    shutil.rmtree(project)
    init(project)
    git(project, "config", "core.bare", "true")
    assert_nothing(git_data)


def assert_nothing(git_data: GitData) -> None:
    assert git_data.ignored([("a.log", False)]) == frozenset()
    assert git_data.head() is None
    assert git_data.blobs_at("0" * 40, ["a.log"]) == {}
    assert git_data.why == ""


# What a commit holds


def objects_by_git(folder: Path, held: str, *paths: str) -> dict[str, HeldObject]:
    lines = git(folder, "ls-tree", "-r", "-t", "-z", held, *paths).split("\0")
    parts = (line.partition("\t") for line in lines if line)
    return {path: HeldObject(int(said.split()[0], 8), said.split()[2]) for said, _, path in parts}


def test_a_commit_holds_what_git_lists(repository: Path, git_data: GitData) -> None:
    (repository / "link").symlink_to("a/b")
    (repository / os.fsdecode(b"caf\xe9")).write_text("1\n")
    names = {"a.txt": "1", "a/b/c.txt": "2", "a/b.txt": "3", "run": "4", "a-b": "5", "a/b/c.txt2/d": "6"}
    write(repository, names)
    (repository / "run").chmod(0o755)
    git(repository, "add", "-A")
    held = commit(repository, {"a/b/\u00e4": "7"})
    git(repository, "rm", "-q", "-r", "a")
    commit(repository, {"later": ""})
    listed = objects_by_git(repository, held)
    missing = ["later", "a/b/c.txt/d", "a/", "/a", "", "a//b", "a/../a", "run/x"]
    assert git_data.blobs_at(held, [*listed, *missing]) == listed
    in_bytes = [os.fsencode(path) for path in listed]
    found = git_data.blobs_at(held, in_bytes)
    assert found == {os.fsencode(path): one for path, one in listed.items()}


def test_a_commit_that_is_not_there_is_no_empty_one(repository: Path, git_data: GitData) -> None:
    assert git_data.blobs_at("1" * 40, ["a.txt"]) is None
    assert "There is no commit 1111" in git_data.why
    assert git_data.head() is not None and git_data.why == ""


# What it leaves as it was


def test_nothing_is_written_and_nothing_that_is_configured_runs(two_branches: Path, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\necho $0 >> {ran}\ncat\n")
    program.chmod(0o755)
    git(two_branches, "stash", "-q", may_fail=True)
    write(two_branches, {".gitattributes": "* filter=it diff=it\n", ".gitignore": "*.log\nmade/\n"})
    write(two_branches, {"made/x": "", "a.txt": "changed\n"})
    for variable in ("filter.it.clean", "filter.it.process", "filter.it.smudge", "diff.it.textconv"):
        git(two_branches, "config", variable, str(program))
    git(two_branches, "config", "core.fsmonitor", str(program))
    git(two_branches, "config", "core.hooksPath", str(tmp_path))
    before = state_of(two_branches)
    with GitData(two_branches) as git_data:
        head = git_data.head()
        assert head is not None and head.commit is not None
        assert git_data.blobs_at(head.commit, ["a.txt"])
        assert git_data.ignored([("a.txt", False), ("a.log", False)]) == {"a.log"}
        assert ignored_folders(two_branches, git_data) == {"made"}
    assert state_of(two_branches) == before
    assert not ran.exists()
