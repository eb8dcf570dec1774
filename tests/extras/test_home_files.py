"""Files of the user's own outside of every project: read as they are, replaced whole or not."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from studio.errors import Conflict, FileError, NotAFile, Refused
from studio.extras import home_files
from studio.extras.home_files import (
    HomeFile,
    read_home_file,
    read_stored_file,
    replace_home_file,
    write_stored_file,
)
from tests.tools.rights import as_root


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The home folder itself, which never is a project; one of its files lies in it directly."""
    (tmp_path / ".agent").mkdir()
    return tmp_path


def test_it_is_replaced_with_all_that_belongs_to_it(home: Path) -> None:
    file = home / ".agent" / "settings.json"
    file.write_bytes(b"old")
    file.chmod(0o640)
    os.setxattr(file, "user.note", b"kept")
    replace_home_file(read_home_file(file), b"new")
    assert file.read_bytes() == b"new"
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert os.getxattr(file, "user.note") == b"kept"
    assert [path.name for path in file.parent.iterdir()] == ["settings.json"]


def test_a_new_one_is_made_with_its_folder_and_removed_again(home: Path) -> None:
    file = home / "none" / "yet" / "settings.json"
    replace_home_file(read_home_file(file), b"new")
    assert file.read_bytes() == b"new" and stat.S_IMODE(file.stat().st_mode) == 0o600
    replace_home_file(read_home_file(file), None)
    assert not list(file.parent.iterdir())


def write(file: Path) -> None:
    file.write_bytes(b"theirs")


def exchange(file: Path) -> None:
    file.with_name("other").write_bytes(b"theirs")
    file.with_name("other").replace(file)


@pytest.mark.parametrize("act", [write, exchange, Path.unlink, lambda file: file.chmod(0o600)])
def test_what_changed_since_it_was_read_is_left_as_it_is(home: Path, act: Callable[[Path], None]) -> None:
    file = home / ".agent" / "settings.json"
    file.write_bytes(b"old")
    read = read_home_file(file)
    act(file)
    now = file.read_bytes() if file.exists() else None
    with pytest.raises(Conflict, match="no longer as it was shown"):
        replace_home_file(read, b"new")
    assert (file.read_bytes() if file.exists() else None) == now
    assert not [path for path in file.parent.iterdir() if path.name.startswith(".exacta")]


def test_one_that_came_meanwhile_is_not_written_over(home: Path) -> None:
    file = home / "new.json"
    read = read_home_file(file)
    file.write_bytes(b"theirs")
    with pytest.raises(Conflict):
        replace_home_file(read, b"new")
    assert file.read_bytes() == b"theirs"


def test_a_link_is_followed_once_and_named(home: Path) -> None:
    target, link = home / "dotfiles" / "settings.json", home / ".agent" / "settings.json"
    target.parent.mkdir()
    target.write_bytes(b"old")
    link.symlink_to(target)
    read = read_home_file(link)
    assert read.data == b"old" and str(target) in read.display_name
    link.unlink()
    link.symlink_to(home / "elsewhere")  # what is asked for next counts no more
    replace_home_file(read, b"new")
    assert target.read_bytes() == b"new" and not (home / "elsewhere").exists()


def test_a_link_to_nothing_is_refused(home: Path) -> None:
    link = home / "settings.json"
    link.symlink_to(home / "nothing")
    with pytest.raises(Refused, match="where nothing is"):
        read_home_file(link)
    link.unlink()
    link.symlink_to(link)
    with pytest.raises(FileError):
        read_home_file(link)


@pytest.mark.parametrize("make", [os.mkfifo, Path.mkdir])
def test_what_is_no_file_is_refused_at_once(home: Path, make: Callable[[Path], None]) -> None:
    make(home / "settings.json")
    with pytest.raises(NotAFile, match="settings"):
        read_home_file(home / "settings.json")


@as_root
def test_another_users_file_or_folder_is_not_changed(home: Path) -> None:
    file = home / ".agent" / "settings.json"
    file.write_bytes(b"old")
    for path in (file, file.parent):
        os.chown(path, 4321, 4321)
        with pytest.raises(Refused, match="belongs to another user"):
            replace_home_file(read_home_file(file), b"new")
        os.chown(path, os.geteuid(), os.getegid())
    assert file.read_bytes() == b"old"


def test_a_project_and_our_own_folders_are_no_place_for_it(home: Path, private_folders: Path) -> None:
    """What lies in a project is written by its plans alone, also by way of a link."""
    (home / "project" / ".git").mkdir(parents=True)
    (home / "project" / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (home / "opened").mkdir()
    (home / "opened" / "studio.yaml").write_text("")
    (home / "link").symlink_to(home / "opened")
    for file in (home / "project" / "a", home / "link" / "a", private_folders / "studio-state" / "a"):
        with pytest.raises(Refused):
            replace_home_file(read_home_file(file), b"new")
        assert not file.exists()


def test_a_crash_leaves_the_old_one(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = home / "settings.json"
    file.write_bytes(b"old")

    def fail(*_: object) -> None:
        raise OSError("no")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(FileError):
        replace_home_file(read_home_file(file), b"new")
    monkeypatch.undo()
    assert file.read_bytes() == b"old" and len(list(home.iterdir())) == 2


def test_what_is_kept_is_for_its_owner_alone() -> None:
    assert read_stored_file("a/b") is None
    path = write_stored_file("a/b", b"text", executable=True)
    assert read_stored_file("a/b") == b"text"
    assert stat.S_IMODE(path.stat().st_mode) == 0o700 == stat.S_IMODE(path.parent.stat().st_mode)
    write_stored_file("a/b", b"other")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    home_files.remove_stored_file("a/b")
    home_files.remove_stored_file("a/b")
    assert read_stored_file("a/b") is None and not list(path.parent.iterdir())


def test_a_file_is_equal_by_what_it_holds(home: Path) -> None:
    (home / "a").write_bytes(b"x")
    (home / "a").chmod(0o600)
    assert read_home_file(home / "a") == HomeFile(home / "a", (home / "a").resolve(), b"x")
