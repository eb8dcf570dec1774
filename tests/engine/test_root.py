"""No path leads outside, whatever it is made of (promise 3; traps T7, T10, T26)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from studio.engine import system
from studio.engine.errors import NotFound, Refused
from studio.engine.root import ProjectRoot, check_root, find_root

LIMIT = 1 << 20


@pytest.fixture(params=["openat2", "components"])
def root(
    request: pytest.FixtureRequest, project: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[ProjectRoot]:
    """Both ways of walking: the kernel's, and component by component."""
    if request.param == "components":

        def no_openat2(*_: object) -> int:
            raise system.Unsupported

        monkeypatch.setattr(system, "open_beneath", no_openat2)
    with ProjectRoot(project) as opened:
        yield opened


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder beside the project whose name begins like it (T26)."""
    folder = tmp_path / "project-evil"
    folder.mkdir()
    (folder / "secret.txt").write_text("secret")
    return folder


@pytest.mark.parametrize(
    "path",
    [
        "../project-evil/secret.txt",
        "a/../../project-evil/secret.txt",
        "/etc/passwd",
        "link/secret.txt",
        "a/link/secret.txt",
        "absolute-link",
        "relative-link",
        "loop/x",
        "chain0/secret.txt",
    ],
)
def test_nothing_outside_is_read(root: ProjectRoot, outside: Path, path: str) -> None:
    project = root.path
    (project / "a").mkdir()
    (project / "link").symlink_to(outside)
    (project / "a/link").symlink_to("../../project-evil")
    (project / "absolute-link").symlink_to(outside / "secret.txt")
    (project / "relative-link").symlink_to("../project-evil/secret.txt")
    (project / "loop").symlink_to("loop")
    for number in range(40):
        (project / f"chain{number}").symlink_to(f"chain{number + 1}" if number < 39 else outside)
    with pytest.raises(Refused):
        root.read(path, LIMIT)


def test_a_link_inside_is_refused_too(root: ProjectRoot) -> None:
    """C6: also a link that stays inside is never followed."""
    (root.path / "real.txt").write_text("x")
    (root.path / "link.txt").symlink_to("real.txt")
    with pytest.raises(Refused) as caught:
        root.read("link.txt", LIMIT)
    assert caught.value.code == "path.link"
    found = root.digest("link.txt")
    assert found is not None and found[0] == ""


def test_the_path_max_chain_stays_inside(root: ProjectRoot, outside: Path) -> None:
    """Beyond PATH_MAX, resolve() gives up and a prefix check passes; a handle walk does not (safety 1.3)."""
    name = "d" * 247
    path = root.path
    os.chdir(path)
    for number in range(16):
        Path(name).mkdir()
        Path(f"s{number}").symlink_to(name)
        os.chdir(name)
    Path("escape").symlink_to("../" * 16 + "../project-evil/secret.txt")
    os.chdir(root.path)
    chain = "/".join(f"s{number}" for number in range(16)) + "/escape"
    with pytest.raises((Refused, OSError)):
        root.read(chain, LIMIT)


def test_special_files_are_known_before_they_are_read(root: ProjectRoot) -> None:
    os.mkfifo(root.path / "pipe")
    with (root.path / "sparse").open("wb") as stream:
        stream.truncate(1 << 40)
    (root.path / "folder").mkdir()
    for path, code in (("pipe", "path.not_a_file"), ("sparse", "file.too_large"), ("folder", "path.folder")):
        with pytest.raises(Refused) as caught:
            root.read(path, LIMIT)
        assert caught.value.code == code


def test_the_git_folder_is_known_by_identity(root: ProjectRoot) -> None:
    """Whatever a file system takes for .git is .git: here a second name, as folding case would give."""
    (root.path / ".git").write_text("gitdir: elsewhere\n")
    os.link(root.path / ".git", root.path / "innocent")
    with pytest.raises(Refused) as caught:
        root.check_not_git("innocent")
    assert caught.value.code == "path.git"
    (root.path / "other").write_text("x")
    root.check_not_git("other")


def test_a_root_given_through_a_link_is_the_real_folder(project: Path, tmp_path: Path) -> None:
    """T7."""
    (tmp_path / "alias").symlink_to(project)
    (project / "a.txt").write_text("a")
    with ProjectRoot(tmp_path / "alias") as root:
        assert root.path == project.resolve()
        assert root.read("a.txt", LIMIT)[0] == b"a"


def test_a_replaced_root_is_noticed(project: Path, tmp_path: Path) -> None:
    with ProjectRoot(project) as root:
        assert root.is_still_there()
        project.rename(tmp_path / "moved")
        project.mkdir()
        assert not root.is_still_there()


@pytest.mark.parametrize("path", ["/", "/etc", "/usr", "/proc", "/lib"])
def test_system_folders_are_no_projects(path: str) -> None:
    with pytest.raises(Refused):
        check_root(Path(path))


def test_home_missing_and_files_are_no_projects(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "file").write_text("x")
    with pytest.raises(Refused):
        check_root(tmp_path)
    for missing in (tmp_path / "missing", tmp_path / "file"):
        with pytest.raises(NotFound):
            check_root(missing)


def test_the_root_is_found_upwards(tmp_path: Path) -> None:
    """R12, contract 1: studio.yaml before .git before the folder itself."""
    deep = tmp_path / "a/b/c"
    deep.mkdir(parents=True)
    assert find_root(deep) == (deep, "the current folder")
    (tmp_path / "a/b/.git").write_text("gitdir: x")
    assert find_root(deep)[0] == tmp_path / "a/b"
    (tmp_path / "a/studio.yaml").write_text("")
    assert find_root(deep)[0] == tmp_path / "a"
