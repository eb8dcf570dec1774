"""Lines whose commit depends on missing objects have no author; others have git's."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from studio.engine.git_data import GitData
from tests.engine.git_data.repositories import commit, git, init


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A history with an edit of each file, a rename and a merge; nothing changes it."""
    server = init(tmp_path_factory.mktemp("server"))
    git(server, "config", "uploadpack.allowFilter", "true")
    commit(server, {"deep/a.txt": "1\n2\n3\n", "old.txt": "x\ny\nz\n", "once.txt": "o\n"}, "first")
    git(server, "checkout", "-q", "-b", "side")
    commit(server, {"deep/a.txt": "1\n2\n3\nside\n"}, "side")
    git(server, "checkout", "-q", "main")
    commit(server, {"deep/a.txt": "main\n1\n2\n3\n"}, "main")
    git(server, "merge", "-q", "--no-edit", "side")
    git(server, "mv", "old.txt", "new.txt")
    git(server, "commit", "-q", "-m", "rename")
    commit(server, {"new.txt": "x\nY\nz\n"}, "edit")
    return server


_PATHS = ("deep/a.txt", "new.txt", "once.txt")


def blamed_by_git(folder: Path, path: str) -> list[tuple[str, bool]]:
    """The commit of each line, and whether git marks it as a boundary, but for a root commit."""
    roots = set(git(folder, "rev-list", "--max-parents=0", "HEAD").split())
    shallow = folder / ".git/shallow"
    roots -= set(shallow.read_text().split()) if shallow.exists() else set[str]()
    names = [line.split()[0] for line in git(folder, "blame", "-l", "-s", path).splitlines()]
    marked = [(name.lstrip("^")[:39], name.startswith("^")) for name in names]
    return [(name, is_marked and name not in {root[:39] for root in roots}) for name, is_marked in marked]


def blamed(git_data: GitData, path: str) -> list[tuple[str, bool]] | None:
    answer = git_data.blame(path)
    if answer is None:
        return None
    return [(run.commit[:39], run.is_boundary) for run in answer.lines for _ in range(run.count)]


@pytest.mark.parametrize("depth", [1, 2, 3, 9])
def test_a_shallow_clone_has_gits_commits_and_boundaries(server: Path, tmp_path: Path, depth: int) -> None:
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", f"--depth={depth}", server.as_uri(), str(clone))
    with GitData(clone) as git_data:
        for path in _PATHS:
            assert blamed(git_data, path) == blamed_by_git(clone, path), (path, git_data.why)


@pytest.mark.parametrize("kind", ["blob:none", "tree:0"])
def test_a_partial_clone_has_no_wrong_author(server: Path, tmp_path: Path, kind: str) -> None:
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", f"--filter={kind}", server.as_uri(), str(clone))
    with GitData(clone) as git_data:
        for path in _PATHS:
            assert blamed(git_data, path) in (None, blamed_by_git(server, path))
        assert git_data.blame("new.txt") is None and "partial clone" in git_data.why
        git(clone, "fetch", "-q", "--refetch", "--no-filter")
        for path in _PATHS:
            assert blamed(git_data, path) == blamed_by_git(server, path), git_data.why


@pytest.mark.parametrize(
    "name",
    ["HEAD:deep", "HEAD~2^1:deep/a.txt", "HEAD~2^2:deep/a.txt", "HEAD~2^2", "HEAD~2^2:"],
)
def test_a_missing_object_leaves_lines_unknown(server: Path, project: Path, name: str) -> None:
    found = git(server, "rev-parse", name).strip()
    shutil.copytree(server, project, dirs_exist_ok=True)
    (project / f".git/objects/{found[:2]}/{found[2:]}").unlink()
    with GitData(project) as git_data:
        assert git_data.blame("deep/a.txt") is None
        assert "objects are missing" in git_data.why


def test_a_worktree_of_a_shallow_clone_has_no_wrong_author(server: Path, tmp_path: Path) -> None:
    clone, tree = tmp_path / "clone", tmp_path / "tree"
    git(tmp_path, "clone", "-q", "--depth=1", server.as_uri(), str(clone))
    git(clone, "worktree", "add", "-q", "--detach", str(tree))
    with GitData(tree) as git_data:
        assert git_data.blame("new.txt") is None
        assert "shallow clone" in git_data.why
