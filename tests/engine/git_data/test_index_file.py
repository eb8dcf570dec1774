"""A split or sparse index, which libgit2 refuses, has the tracked files that git lists."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from studio.engine.git_data import GitData
from tests.engine.git_data.repositories import commit, git, init, write

_FOLDERS = ("a", "a/b", "a/b/c", "d", "d/e", "é x")
_PATHS = tuple(f"{folder}/{name}" for folder in _FOLDERS for name in ("1", "2.log", "long-name-3"))
_SOME = st.sets(st.sampled_from(_PATHS))


@pytest.fixture
def git_data(project: Path) -> Iterator[GitData]:
    with GitData(project) as asked:
        yield asked


def assert_as_git(project: Path, git_data: GitData) -> None:
    """Everything is ignored but what is tracked, and the folders above that."""
    paths = "".join(f"{path}\0" for path in _PATHS)
    ignored = set(git(project, "check-ignore", "--stdin", "-z", given=paths, may_fail=True).split("\0"))
    tracked = set(git(project, "ls-files", "-z").split("\0")) - {""}
    assert git_data.ignored([(path, False) for path in _PATHS]) == ignored - {""}, git_data.why
    folders = {folder for folder in _FOLDERS if not any(path.startswith(f"{folder}/") for path in tracked)}
    assert git_data.ignored([(folder, True) for folder in _FOLDERS]) == folders


def begin(project: Path, version: int) -> None:
    shutil.rmtree(project)
    init(project)
    git(project, "config", "index.version", str(version))
    write(project, dict.fromkeys(_PATHS, "x\n"))
    write(project, {".git/info/exclude": "*\n"})


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(version=st.sampled_from((2, 4)), chosen=st.tuples(_SOME, _SOME, _SOME, _SOME, _SOME))
def test_a_split_index_has_what_git_lists(
    project: Path, git_data: GitData, version: int, chosen: tuple[set[str], ...]
) -> None:
    shared, added, removed, changed, planned = chosen
    begin(project, version)
    git(project, "config", "splitIndex.maxPercentChange", "100")
    git(project, "add", "-f", "--", *shared, "a/1")
    git(project, "update-index", "--split-index")
    if removed:
        git(project, "rm", "-q", "--cached", "--ignore-unmatch", "--", *removed)
    write(project, dict.fromkeys(changed, "other\n"))
    git(project, "add", "-f", "--", *changed, *added, "d/1")
    git(project, "add", "-f", "-N", "--", *planned, "d/2.log")  # an entry of version 3
    assert b"link" in (project / ".git/index").read_bytes()
    assert_as_git(project, git_data)


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    version=st.sampled_from((2, 4)), tracked=_SOME, cone=st.sets(st.sampled_from(_FOLDERS[:-1]), max_size=2)
)
def test_a_sparse_index_has_what_git_lists(
    project: Path, git_data: GitData, version: int, tracked: set[str], cone: set[str]
) -> None:
    begin(project, version)
    git(project, "add", "-f", "--", *tracked, "é x/1")
    git(project, "commit", "-qm", "all")
    git(project, "sparse-checkout", "set", "--cone", "--sparse-index", *cone)
    assert b"sdir" in (project / ".git/index").read_bytes()
    assert_as_git(project, git_data)


def test_a_folder_of_a_missing_tree_counts_as_tracked(project: Path, git_data: GitData) -> None:
    init(project)
    commit(project, {"a/b/c": "", "made/x": "", "top": ""})
    tree = git(project, "rev-parse", "HEAD:made").strip()
    git(project, "sparse-checkout", "set", "--cone", "--sparse-index", "a")
    write(project, {".git/info/exclude": "made/\nother/\n"})
    (project / f".git/objects/{tree[:2]}/{tree[2:]}").unlink()
    assert git_data.ignored([("made", True), ("made/y", False), ("other", True)]) == {"other"}


@pytest.mark.parametrize("name", ["index", "sharedindex"])
@pytest.mark.parametrize("share", [0.4, 0.99])
def test_a_damaged_split_index_has_no_answer(
    project: Path, git_data: GitData, name: str, share: float
) -> None:
    init(project)
    commit(project, {"a": "", "b/c": ""})
    git(project, "update-index", "--split-index")
    (project / "d").write_text("")
    git(project, "add", "d")
    write(project, {".gitignore": "b\n"})
    assert git_data.ignored([("b", True)]) == frozenset()
    for file in (project / ".git").glob(f"{name}*"):
        content = file.read_bytes()
        file.chmod(0o600)
        file.write_bytes(content[: int(len(content) * share)])
    (project / ".git/index").touch()
    assert git_data.ignored([("b", True)]) is None
    assert git_data.why.startswith("Git data can't be read. ")
