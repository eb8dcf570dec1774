"""Which folder is the project, compared with git's own answer where git decides."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from studio.engine.root import find_project_above, find_root
from studio.errors import Refused
from tests.tools.rights import as_root

OTHER_USER = 4321
HEAD = b"ref: refs/heads/main\n"


@pytest.fixture
def deep(tmp_path: Path) -> Path:
    """A folder in a folder in one that is a repository."""
    folder = tmp_path / "outer" / "inner" / "deep"
    folder.mkdir(parents=True)
    make_repository(tmp_path / "outer" / ".git")
    return folder


def make_repository(folder: Path, head: bytes = HEAD) -> None:
    for name in ("objects", "refs"):
        (folder / name).mkdir(parents=True)
    (folder / "HEAD").write_bytes(head)


def git_root(folder: Path) -> Path | None:
    """The top of the work tree, as git says; None where it ends with an error."""
    words = ("git", "rev-parse", "--show-toplevel")
    # As pytest's folders may lie in a repository, and belong to another user in a container.
    environment = {
        **os.environ,
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "safe.directory",
        "GIT_CONFIG_VALUE_0": "*",
    }
    said = subprocess.run(words, cwd=folder, env=environment, capture_output=True, check=False)
    return Path(os.fsdecode(said.stdout.rstrip(b"\n"))) if said.returncode == 0 else None


def chosen(folder: Path) -> Path | None:
    try:
        return find_root(folder).path
    except Refused as error:
        assert error.code == "root.git_file"
        return None


def test_the_root_is_found_upwards(tmp_path: Path) -> None:
    """studio.yaml before .git before the folder itself."""
    deep = tmp_path / "a/b/c"
    deep.mkdir(parents=True)
    assert find_root(deep) == (deep, "the current folder")
    (tmp_path / "a/b/.git").mkdir()
    (tmp_path / "a/b/.git/HEAD").write_bytes(HEAD)
    assert find_root(deep) == (tmp_path / "a/b", "the nearest folder with .git")
    (tmp_path / "a/studio.yaml").write_text("")
    assert find_root(deep) == (tmp_path / "a", "the nearest folder with studio.yaml")


def test_it_climbs_from_where_links_lead(deep: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(deep)
    assert find_root(tmp_path / "link").path == tmp_path / "outer"


FOLDERS: dict[str, Callable[[Path], object]] = {
    "empty": lambda git: git.mkdir(),
    "only a folder for hooks": lambda git: (git / "hooks").mkdir(parents=True),
    "empty HEAD": lambda git: make_repository(git, b""),
    "text as HEAD": lambda git: make_repository(git, b"main\n"),
    "HEAD names no reference": lambda git: make_repository(git, b"ref: heads/main\n"),
    "half a hash": lambda git: make_repository(git, b"12345678901234567890\n"),
    "HEAD is a folder": lambda git: (git / "HEAD").mkdir(parents=True),
    "HEAD is a link elsewhere": lambda git: (make_repository(git), relink(git / "HEAD", "config")),
    "a reference": make_repository,
    "a reference far behind": lambda git: make_repository(git, b"ref:\t \r\nrefs/heads/x"),
    "a hash": lambda git: make_repository(git, b"ABCDEF0123" * 4 + b"\n"),
    "a hash of SHA-256": lambda git: make_repository(git, b"abcdef01" * 8 + b"\n"),
    "HEAD is an old link": lambda git: (make_repository(git), relink(git / "HEAD", "refs/heads/main")),
    "a link to a repository": lambda git: (make_repository(git.parent / "r"), git.symlink_to("r")),
    "a link that leads nowhere": lambda git: git.symlink_to("nowhere"),
    "a pipe": os.mkfifo,
}


def relink(path: Path, to: str) -> None:
    path.unlink()
    path.symlink_to(to)


@pytest.mark.parametrize("kind", FOLDERS)
def test_a_folder_counts_where_git_takes_it(deep: Path, kind: str) -> None:
    FOLDERS[kind](deep.parent / ".git")
    # Newer versions of git than 2.39.5 end at a pipe.
    assert chosen(deep) == (deep.parents[1] if kind == "a pipe" else git_root(deep))
    assert find_project_above(deep) == chosen(deep)


@pytest.mark.parametrize("what", ["HEAD", "commondir"])
def test_a_pipe_in_a_repository_holds_up_nobody(deep: Path, what: str) -> None:
    repository = deep / "repository"
    make_repository(repository)
    (repository / what).unlink(missing_ok=True)
    os.mkfifo(repository / what)
    (deep.parent / ".git").write_text(f"gitdir: {repository}\n")
    assert chosen(deep) is None
    shutil.rmtree(repository / "objects")
    (deep.parent / ".git").unlink()
    repository.rename(deep.parent / ".git")
    assert chosen(deep) == (deep.parents[1] if what == "HEAD" else deep.parent)


def test_a_folder_that_has_only_a_head_is_a_sign(deep: Path) -> None:
    """Git itself wants `objects` and `refs` as well; tools that mark a project make neither."""
    (deep.parent / ".git").mkdir()
    (deep.parent / ".git/HEAD").write_bytes(HEAD)
    assert chosen(deep) == deep.parent


@settings(max_examples=60)
@given(
    st.one_of(
        st.binary(max_size=60),
        st.lists(
            st.sampled_from(
                [b"ref:", b"refs/", b"heads/x", b" ", b"\n", b"\t", b"\v", b"\0", b"REF:", b"a" * 40]
            ),
            max_size=5,
        ).map(b"".join),
    )
)
def test_git_reads_the_same_head(head: bytes) -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place).resolve() / "a"
        make_repository(folder / ".git", head)
        make_repository(folder.parent / ".git")
        assert chosen(folder) == git_root(folder)


FILES: dict[str, bytes] = {
    "a repository": b"gitdir: ../repository\n",
    "line ends of Windows": b"gitdir: ../repository\r\n",
    "no line end": b"gitdir: ../repository",
    "the repository above": b"gitdir: ../.git\n",
    "missing": b"gitdir: ../nowhere\n",
    "no repository": b"gitdir: ../inner\n",
    "not whole": b"gitdir: ../torn\n",
    "a file": b"gitdir: ../repository/HEAD\n",
    "empty": b"",
    "no path": b"gitdir: \n",
    "no blank": b"gitdir:../repository\n",
    "another word": b"worktree: ../repository\n",
    "two lines": b"gitdir: ../repository\nmore\n",
    "no text": b"\xff\xfe\x00g",
    "a path with NUL": b"gitdir: ../nowhere\0\n",
    "a long path": b"gitdir: " + b"x" * 5000 + b"\n",
    "too long": b"gitdir: ../repository" + b"\n" * (1 << 20),
}


@pytest.mark.parametrize("kind", FILES)
def test_a_git_file_leads_to_a_repository_or_ends_the_search(deep: Path, kind: str) -> None:
    make_repository(deep.parents[1] / "repository")
    make_repository(deep.parents[1] / "torn")
    (deep.parents[1] / "torn/objects").rmdir()
    (deep.parent / ".git").write_bytes(FILES[kind])
    assert chosen(deep) == git_root(deep)
    assert find_project_above(deep) == deep.parent, "nothing else is written there"


def test_worktrees_and_submodules_count_until_their_repository_is_gone(tmp_path: Path) -> None:
    def git(*words: str) -> None:
        name = ("-c", "user.name=n", "-c", "user.email=n@localhost", "-c", "protocol.file.allow=always")
        subprocess.run(["git", *name, *words], cwd=tmp_path, check=True, capture_output=True)

    git("init", "-q", "main")
    git("-C", "main", "commit", "-q", "--allow-empty", "-m", "first")
    git("-C", "main", "worktree", "add", "-q", "--detach", "../main/tree")
    git("clone", "-q", "main", "other")
    git("-C", "other", "submodule", "--quiet", "add", str(tmp_path / "main"), "module")
    git("init", "-q", "--separate-git-dir", "kept", "main/apart")
    folders = [tmp_path / name for name in ("main/tree", "other/module", "main/apart")]
    for folder in folders:
        (folder / "deep").mkdir()
        assert find_root(folder / "deep") == (folder, "the nearest folder with .git")
    (tmp_path / "main/.git/objects").rename(tmp_path / "objects")
    assert chosen(folders[0]) is None, "what a worktree shares is gone"
    (tmp_path / "other/.git").rename(tmp_path / "moved")
    (tmp_path / "kept").rename(tmp_path / "lost")
    for folder in folders:
        assert chosen(folder / "deep") is None


def test_a_stronger_sign_above_needs_no_git_file(deep: Path) -> None:
    (deep.parent / ".git").write_text("gitdir: nowhere\n")
    (deep.parents[1] / "studio.yaml").touch()
    assert chosen(deep) == deep.parents[1]


def make_foreign(path: Path) -> None:
    os.chown(path, OTHER_USER, OTHER_USER, follow_symlinks=False)


SHARED = {
    "nobody else writes": (0o755, True, True),
    "nobody else writes, of another group": (0o755, False, True),
    "our own group writes": (0o775, True, True),
    "another group writes": (0o775, False, False),
    "sticky": (0o1777, True, False),
    "sticky, of another group": (0o1777, False, False),
    "all others write": (0o757, True, False),
}


@as_root
@pytest.mark.parametrize("name", [".git", "studio.yaml", "link"])
@pytest.mark.parametrize("kind", SHARED)
def test_a_sign_of_another_user_in_a_shared_folder_is_not_used(
    deep: Path, monkeypatch: pytest.MonkeyPatch, name: str, kind: str
) -> None:
    mode, is_own_group, counts = SHARED[kind]
    shared = deep.parent
    if name == "studio.yaml":
        (shared / "studio.yaml").touch()
    elif name == ".git":
        make_repository(shared / ".git")
    else:
        make_repository(deep / "repository")
        (shared / ".git").symlink_to(deep / "repository")
    shared.chmod(mode)
    assert chosen(deep) == shared, "it is our own"
    make_foreign(shared / (".git" if name == "link" else name))
    if not is_own_group:
        group = os.getegid() + 1
        monkeypatch.setattr(os, "getegid", lambda: group)
    assert chosen(deep) == (shared if counts else deep.parents[1])


@as_root
def test_a_broken_git_file_of_another_user_stops_nobody(deep: Path) -> None:
    (deep.parent / ".git").write_text("gitdir: nowhere\n")
    deep.parent.chmod(0o1777)
    assert chosen(deep) is None
    make_foreign(deep.parent / ".git")
    assert chosen(deep) is not None and find_project_above(deep) != deep.parent
