"""The suite of the protocol: what is there, and changing it, on every backend."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from studio.engine.filesystem.base import BackedFilesystem
from studio.errors import StudioError
from tests.engine.filesystem.backends import Make, Tree

TREE: Tree = {"dir/a": b"x", "dir/sub/b": b"yy", "empty": None, "top.txt": b"zzz", ".hidden": b""}


def paths(files: BackedFilesystem) -> list[str]:
    return [match.path for match in files.glob("**")]


def test_stat(make: Make) -> None:
    files = make(TREE)
    files.write("top.txt", "four")
    file, folder, root = files.stat("/top.txt"), files.stat("dir/"), files.stat(".")
    assert (file.path, file.is_file, file.is_directory, file.size_bytes) == ("top.txt", True, False, 4)
    assert (file.is_link, file.link_count, file.mode) == (False, 1, 0o644)
    assert (folder.path, folder.is_file, folder.is_directory, folder.size_bytes) == ("dir", False, True, 0)
    assert folder.mode == 0o755
    assert (root.path, root.is_directory) == (".", True)
    now = datetime.now(UTC)
    for moment in (file.modified_at, file.changed_at, folder.modified_at):
        assert moment is not None and abs(now - moment) < timedelta(minutes=2)
        assert moment.tzinfo is UTC
    assert file.created_at is None or file.created_at <= now + timedelta(seconds=1)


def test_delete(make: Make) -> None:
    files = make(TREE)
    files.delete("top.txt")
    files.delete("empty")
    assert paths(files) == [".hidden", "dir/a", "dir/sub/b"]
    with pytest.raises(IsADirectoryError, match="not empty") as refused:
        files.delete("dir")
    assert isinstance(refused.value, StudioError)
    assert paths(files) == [".hidden", "dir/a", "dir/sub/b"]
    files.delete("dir", recursive=True)
    assert paths(files) == [".hidden"]
    assert not files.exists("dir") and not files.exists("dir/sub/b")
    files.write("dir/new", "x")
    assert paths(files) == [".hidden", "dir/new"]


def test_what_can_not_be_deleted(make: Make) -> None:
    files = make(TREE)
    for path, error in (
        ("missing", FileNotFoundError),
        ("dir/a/b", NotADirectoryError),
        (".", PermissionError),
        ("/", PermissionError),
        ("dir/..", PermissionError),
        ("..", ValueError),
    ):
        for recursive in (
            False,
            True,
        ):
            with pytest.raises(error):
                files.delete(path, recursive)
            assert len(paths(files)) == 4


def test_mkdir(make: Make) -> None:
    files = make(TREE)
    files.mkdir("new/deep/er")
    files.mkdir("new/deep")
    files.mkdir(".", exist_ok=False)
    assert files.stat("new/deep/er").is_directory
    with pytest.raises(FileExistsError):
        files.mkdir("new", exist_ok=False)
    with pytest.raises(FileNotFoundError):
        files.mkdir("no/such", parents=False)
    assert not files.exists("no")
    files.mkdir("new/one", parents=False, exist_ok=False)
    for exist_ok in (True, False):
        with pytest.raises(FileExistsError):
            files.mkdir("dir/a", exist_ok=exist_ok)
    with pytest.raises(NotADirectoryError):
        files.mkdir("dir/a/b")
    assert len(paths(files)) == 4


def test_move_a_file(make: Make) -> None:
    files = make(TREE)
    files.move("dir/a", "far/away/c")
    assert files.read("far/away/c").content == "x"
    assert not files.exists("dir/a")
    files.move("far/away/c", "far/away/c")
    with pytest.raises(FileExistsError):
        files.move("far/away/c", "top.txt")
    assert files.read("top.txt").content == "zzz"
    files.move("far/away/c", "top.txt", overwrite=True)
    assert files.read("top.txt").content == "x"
    assert paths(files) == [".hidden", "dir/sub/b", "top.txt"]


def test_move_a_folder(make: Make) -> None:
    files = make(TREE)
    files.write("dir/sub/new", "n")
    files.delete("dir/a")
    files.move("dir", "other/place")
    assert paths(files) == [".hidden", "other/place/sub/b", "other/place/sub/new", "top.txt"]
    assert not files.exists("dir")
    files.write("other/place/sub/b", "changed")
    files.move("other/place/sub", "dir")
    assert paths(files) == [".hidden", "dir/b", "dir/new", "top.txt"]
    assert files.read("dir/b").content == "changed"
    assert files.list("other/place") == ()


def test_what_can_not_be_moved(make: Make) -> None:
    files = make(TREE)
    for source, destination, error in (
        ("missing", "b", FileNotFoundError),
        ("dir/a/b", "b", NotADirectoryError),
        (".", "b", PermissionError),
        ("dir", ".", ValueError),
        ("dir", "dir/sub/inner", ValueError),
        ("dir/a", "dir/a/b", NotADirectoryError),
        ("dir/a", "top.txt/b", NotADirectoryError),
        ("dir", "empty", FileExistsError),
        ("dir/a", "empty", FileExistsError),
        ("dir", "top.txt", FileExistsError),
        ("dir/a", "../b", ValueError),
        ("../a", "b", ValueError),
    ):
        for overwrite in (
            False,
            True,
        ):
            with pytest.raises(error) as refused:
                files.move(source, destination, overwrite)
            assert isinstance(refused.value, StudioError)
            assert paths(files) == [".hidden", "dir/a", "dir/sub/b", "top.txt"]


def test_copy(make: Make) -> None:
    files = make(TREE)
    files.copy("dir/sub/b", "far/b")
    assert files.read("far/b").content == files.read("dir/sub/b").content == "yy"
    with pytest.raises(FileExistsError):
        files.copy("dir/a", "far/b")
    files.copy("dir/a", "far/b", overwrite=True)
    assert files.read("far/b").content == "x"
    files.write("far/b", "changed")
    assert files.read("dir/a").content == "x"


def test_what_can_not_be_copied(make: Make) -> None:
    files = make(TREE)
    for source, destination, error in (
        ("missing", "b", FileNotFoundError),
        ("dir", "b", IsADirectoryError),
        (".", "b", IsADirectoryError),
        ("dir/a", "dir", FileExistsError),
        ("dir/a", "dir/a", FileExistsError),
        ("dir/a", ".", ValueError),
        ("dir/a", "top.txt/b", NotADirectoryError),
        ("dir/a", "/../b", ValueError),
    ):
        for overwrite in (
            False,
            True,
        ):
            with pytest.raises(error):
                files.copy(source, destination, overwrite)
            assert paths(files) == [".hidden", "dir/a", "dir/sub/b", "top.txt"]
