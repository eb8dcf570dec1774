"""Folders that git's HEAD opens: those, and no others, of which it has a file."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from studio.engine.git_data import GitData
from studio.engine.policy import OPENED_BY_GIT, Policy, RuleSet
from studio.system import child_process
from tests.engine.git_data.repositories import commit, git, init, write

RULES = (
    (),
    (RuleSet("user", deny=("packages/b/",)),),
    (RuleSet("user", allow=("bin/",)), RuleSet("project", deny=("*.md", "/packages/a/"))),
)
NAMES = st.sampled_from(
    "packages bin Packages BIN obj node_modules .config .env secrets src a b run.exe x.key a.md bins".split()
)
PATHS = st.lists(NAMES, min_size=1, max_size=4).map("/".join)


@pytest.fixture
def git_data(project: Path) -> Iterator[GitData]:
    with GitData(project) as asked:
        yield asked


def without_clashes(paths: set[str]) -> set[str]:
    """Those of the paths that can be files of one tree."""
    return {path for path in paths if not any(other.startswith(f"{path}/") for other in paths)}


def opened_by_hand(path: str, in_head: set[str]) -> str | None:
    """The path with its open folders called otherwise; None where one of these names is not open."""
    parts = path.split("/")
    for count, name in enumerate(parts[:-1], start=1):
        if f"{name.lower()}/" in OPENED_BY_GIT:
            folder = "/".join(path.split("/")[:count])
            if not any(file.startswith(f"{folder}/") for file in in_head):
                return None
            parts[count - 1] = "sources"
    return "/".join(parts)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(held=st.sets(PATHS, max_size=5), staged=st.sets(PATHS, max_size=2), asked=st.sets(PATHS, max_size=20))
def test_exactly_the_folders_with_files_in_head_are_opened(
    project: Path, git_data: GitData, held: set[str], staged: set[str], asked: set[str]
) -> None:
    """What is in the index alone, or on disk, opens nothing; by one process for all repositories."""
    shutil.rmtree(project)
    init(project)
    held = without_clashes(held)
    if held:
        commit(project, dict.fromkeys(held, "x\n"))
    new = without_clashes(held | staged) - held
    new = {path for path in new if not any(path.startswith(f"{file}/") for file in held)}
    if new:
        write(project, dict.fromkeys(new, "x\n"))
        git(project, "add", "-f", "--", *new)
    tracked = git_data.tracked_folders()
    assert tracked is not None, git_data.why
    for rules in RULES:
        before, after = Policy(rules), Policy(rules, tracked_folders=lambda: tracked)
        for path in asked | held | staged:
            was = before.check(path)
            now = after.check(path)
            if was.allowed or was.level != "default" or was.rule not in OPENED_BY_GIT:
                assert now == was
                continue
            renamed = opened_by_hand(path, held)
            # A user's rule speaks of the real name, and is in `was` if it speaks of this path.
            expected = renamed is not None and Policy().check(renamed).allowed
            assert now.allowed is expected, path
            assert bool(after.opened_folders(path)) is (renamed is not None)


def test_folders_in_each_spelling_and_depth_are_found(project: Path, git_data: GitData) -> None:
    init(project)
    files = (
        "packages/ui/a.ts",
        "web/Packages/a.ts",
        "bin/packages/tool/bin/run",
        "obj/bin/x",
        "src/packages",
    )
    commit(project, dict.fromkeys(files, "x\n"))
    assert git_data.tracked_folders() == {
        *("packages", "web/Packages", "bin", "bin/packages", "bin/packages/tool/bin", "obj/bin")
    }


def test_a_submodule_is_no_file_and_its_own_files_open_nothing(project: Path, tmp_path: Path) -> None:
    module = init(tmp_path / "module")
    commit(module, {"bin/run": "x\n"})
    init(project)
    git(project, "submodule", "add", "-q", str(module), "packages/module")
    git(project, "commit", "-q", "-m", "module")
    with GitData(project) as git_data:
        assert git_data.tracked_folders() == frozenset()
    with GitData(project / "packages/module") as git_data:
        assert git_data.tracked_folders() == {"bin"}


def test_a_project_within_a_repository_has_its_own_part_of_the_tree(tmp_path: Path) -> None:
    outer = init(tmp_path / "packages")
    commit(outer, {"bin/a": "x\n", "inner/bin/b": "x\n", "file": "x\n"})
    (outer / "new").mkdir()
    for folder, expected in (("inner", {"bin"}), ("new", set[str]()), ("inner/bin", set[str]())):
        with GitData(outer / folder) as git_data:
            assert git_data.tracked_folders() == expected, folder


def test_head_is_read_anew_for_each_question(project: Path, git_data: GitData) -> None:
    init(project)
    assert git_data.tracked_folders() == frozenset(), "there is no commit yet"
    commit(project, {"bin/a": "x\n"})
    assert git_data.tracked_folders() == {"bin"}
    git(project, "rm", "-q", "-r", "bin")
    assert git_data.tracked_folders() == {"bin"}, "the index is not asked"
    git(project, "commit", "-q", "-m", "gone")
    assert git_data.tracked_folders() == frozenset()


def test_a_tree_that_names_itself_many_times_is_searched_once(project: Path, git_data: GitData) -> None:
    """Git stores it in nine objects; its paths are two million."""
    init(project)
    blob = git(project, "hash-object", "-w", "--stdin", given="x\n").strip()
    tree = git(project, "mktree", given=f"100644 blob {blob}\tfile\n").strip()
    for _ in range(6):
        entries = "".join(f"040000 tree {tree}\t{at}\n" for at in range(10))
        tree = git(project, "mktree", given=entries).strip()
    entries = f"040000 tree {tree}\tdeep\n040000 tree {tree}\tbin\n"
    tree = git(project, "mktree", given=entries).strip()
    git(project, "update-ref", "HEAD", git(project, "commit-tree", "-m", "deep", tree).strip())
    assert git_data.tracked_folders() == {"bin"}


def test_where_git_data_cant_be_read_nothing_is_opened(project: Path, git_data: GitData) -> None:
    init(project)
    held = commit(project, {"bin/a": "x\n"})
    tree = git(project, "rev-parse", f"{held}:bin").strip()
    (project / ".git/objects" / tree[:2] / tree[2:]).unlink()
    assert git_data.tracked_folders() is None
    assert git_data.why


def test_without_a_repository_no_process_is_started(
    project: Path, git_data: GitData, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(child_process, "start")
    assert git_data.tracked_folders() == frozenset()
    assert git_data.why == ""
