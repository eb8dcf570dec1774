"""Every folder is watched that should be, and no other, whatever happens to it; and each change is told."""

from __future__ import annotations

import errno
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from watchdog.observers.inotify_c import CallbackId, InotifyFD, Mask, WatchCallback, WatchDescriptor

from studio.extras.observed import Watcher, WatchMode, WatchState, inotify_tree
from studio.system import syscalls
from tests.extras.observed.heard import (
    EVERYTHING,
    Heard,
    Outside,
    covers,
    folder_inodes,
    reaches,
    watched_inodes,
    watching,
)

# What is left out.


def test_an_ignored_folder_takes_no_watch(project: Path) -> None:
    for name in ("src/a", "out/deep", "src/out/deep"):
        (project / name).mkdir(parents=True)
    asked: set[str] = set()

    def is_ignored(path: str) -> bool:
        asked.add(path)
        return path.rpartition("/")[2] == "out"

    with watching(project, is_ignored) as (_, heard):
        watched = sorted(path.stat().st_ino for path in (project, project / "src", project / "src/a"))
        assert watched_inodes() == watched
        (project / "out/a.o").touch()
        (project / "out/deeper").mkdir()
        assert heard.settled(project) == set()
        (project / "src/a/out").mkdir()
        (project / "src/a/out/b.o").touch()
        assert heard.settled(project) == {"src/a/out"}
        assert watched_inodes() == watched
        (project / "out").rename(project / "in")
        assert heard.settled(project) == {"out", "in", "in/deep", "in/deeper"}
    assert not {path for path in asked if path.startswith("out/")}


def test_git_at_work_is_told_once_and_its_objects_are_not(project: Path) -> None:
    def git(*words: str) -> None:
        identity = ("-c", "user.name=n", "-c", "user.email=e@x")
        subprocess.run(["git", *identity, *words], cwd=project, check=True, capture_output=True)

    (project / "a.txt").write_text("a")
    with watching(project) as (_, heard):
        git("init", "-q", "-b", "main")
        assert heard.settled(project) == {".git"}
        assert watched_inodes() == sorted(path.stat().st_ino for path in (project, project / ".git"))
        for words, files in {
            ("add", "."): set[str](),
            ("commit", "-q", "-m", "one"): set[str](),
            ("commit", "-q", "--allow-empty", "-m", "two"): set[str](),
            ("checkout", "-q", "-b", "other", "main~"): set[str](),
            ("update-ref", "refs/heads/other", "main"): set[str](),
            ("reset", "-q", "--soft", "HEAD~"): set[str](),
            ("mv", "a.txt", "b.txt"): {"a.txt", "b.txt"},
            ("stash",): {"a.txt", "b.txt"},
        }.items():
            git(*words)
            assert heard.settled(project) == {".git", *files}, words


def test_a_git_that_is_a_link_or_a_file_is_not_followed(project: Path) -> None:
    elsewhere = project.with_name("elsewhere")
    elsewhere.mkdir()
    for name in ("one", "two"):
        (project / name).mkdir()
    (project / "one/.git").symlink_to(elsewhere)
    (project / "two/.git").write_text("gitdir: ../../elsewhere")
    with watching(project) as (_, heard):
        assert watched_inodes() == folder_inodes(project)
        (elsewhere / "HEAD").touch()
        (project / "two/.git").write_text("gitdir: elsewhere")
        assert heard.settled(project) == {"two/.git"}


# How programs save.


def in_place(file: Path) -> None:
    file.write_text("new")


def by_rename(file: Path) -> None:
    file.with_name("x.tmp").write_text("new")
    file.with_name("x.tmp").replace(file)


def with_backup(file: Path) -> None:
    """As vim does with writebackup."""
    backup = file.rename(file.with_name(f"{file.name}~"))
    file.write_text("new")
    backup.unlink()


def anew(file: Path) -> None:
    file.unlink()
    file.write_text("new")


def by_exchange(file: Path) -> None:
    """As an apply does."""
    name = ".exacta-01234567-89ab-cdef-0123-456789abcdef-1.tmp"
    file.with_name(name).write_text("new")
    folder = os.open(file.parent, os.O_RDONLY)
    syscalls.exchange(folder, name.encode(), file.name.encode())
    os.close(folder)
    file.with_name(name).unlink()


def by_sed(file: Path) -> None:
    subprocess.run(["sed", "-i", "s/old/new/", file], check=True)


@pytest.mark.parametrize("save", [in_place, by_rename, with_backup, anew, by_exchange, by_sed])
def test_a_saved_file_is_told(save: Callable[[Path], None], project: Path) -> None:
    (project / "a").mkdir()
    (project / "a/file.txt").write_text("old")
    with watching(project) as (_, heard):
        save(project / "a/file.txt")
        told = heard.settled(project)
        assert "a/file.txt" in told
        assert not {path for path in told if not path.startswith("a/")}
        assert not {path for path in told if ".exacta" in path}


# Folders that come, go and change places.


def grow(root: Path) -> None:
    (root / "a/b/c").mkdir(parents=True)
    (root / "z").mkdir()


def test_a_moved_folder_is_told_at_both_its_paths(project: Path) -> None:
    grow(project)
    with watching(project) as (_, heard):
        (project / "a").rename(project / "z/a")
        assert heard.settled(project) == {"a", "z/a", "z/a/b", "z/a/b/c"}
        assert watched_inodes() == folder_inodes(project)
        (project / "z/a/b/c/file.txt").touch()
        assert heard.settled(project) == {"z/a/b/c/file.txt"}


def test_a_new_spelling_of_a_folder_is_told_as_any_other_name(project: Path) -> None:
    grow(project)
    with watching(project) as (_, heard):
        (project / "a").rename(project / "A")
        assert heard.settled(project) == {"a", "A", "A/b", "A/b/c"}
        assert watched_inodes() == folder_inodes(project)


def test_folders_that_change_places_are_watched_where_they_are(project: Path) -> None:
    grow(project)
    (project / "z/y").mkdir()
    with watching(project) as (_, heard):
        folder = os.open(project, os.O_RDONLY)
        syscalls.exchange(folder, b"a", b"z")
        os.close(folder)
        assert {"a", "z"} <= heard.settled(project)
        assert watched_inodes() == folder_inodes(project)
        for name in ("a/y/1", "z/b/c/2"):
            (project / name).touch()
        assert heard.settled(project) == {"a/y/1", "z/b/c/2"}


def test_a_folder_from_outside_is_watched_and_one_that_left_is_not(project: Path) -> None:
    grow(project)
    elsewhere = project.with_name("elsewhere")
    with watching(project) as (_, heard):
        (project / "a").rename(elsewhere)
        assert heard.settled(project) == {"a"}
        assert watched_inodes() == folder_inodes(project)
        (elsewhere / "b/unseen").touch()
        assert heard.settled(project) == set()
        elsewhere.rename(project / "back")
        assert heard.settled(project) == {"back", "back/b", "back/b/c"}
        assert watched_inodes() == folder_inodes(project)


def test_a_folder_and_a_file_or_link_that_take_turns(project: Path) -> None:
    grow(project)
    elsewhere = project.with_name("elsewhere")
    (elsewhere / "deep").mkdir(parents=True)
    with watching(project) as (_, heard):
        (project / "a").rename(elsewhere / "a")
        (project / "a").symlink_to(elsewhere)
        assert heard.settled(project) == {"a"}
        assert watched_inodes() == folder_inodes(project)
        (project / "a/deep/unseen").touch()
        assert heard.settled(project) == set()
        (project / "a").unlink()
        (project / "a").write_text("a file")
        (project / "a").unlink()
        (elsewhere / "a").rename(project / "a")
        assert heard.settled(project) == {"a", "a/b", "a/b/c"}
        assert watched_inodes() == folder_inodes(project)


def test_links_in_a_circle_are_not_followed(project: Path) -> None:
    grow(project)
    (project / "a/b/up").symlink_to("../..")
    (project / "self").symlink_to("self")
    with watching(project) as (watcher, heard):
        assert watched_inodes() == folder_inodes(project)
        (project / "z/up").symlink_to("..")
        assert heard.settled(project) == {"z/up"}
        assert watched_inodes() == folder_inodes(project)
        assert watcher.state == WatchState()


def test_many_trees_at_once_are_watched_and_told(project: Path) -> None:
    """Folders and files made faster than their watches."""
    trees = [f"{number}/deep" for number in range(400)]
    with watching(project) as (_, heard), Outside(project) as outside:
        outside.do(("mkdir", "new"), ("grow", "new", trees), ("rename", "new", "renamed"))
        heard.settled(project)
        assert watched_inodes() == folder_inodes(project)
        files = [f"renamed/{tree}/late.txt" for tree in trees[::40]]
        outside.do(*(("write", file) for file in files))
        assert heard.settled(project) == set(files)


def test_an_archive_is_unpacked_before_our_eyes(project: Path) -> None:
    source = project.with_name("source")
    for number in range(50):
        (source / f"{number}/a").mkdir(parents=True)
        (source / f"{number}/a/file").touch()
    subprocess.run(["tar", "cf", "source.tar", "source"], cwd=source.parent, check=True)
    with watching(project) as (_, heard):
        subprocess.run(["tar", "xf", "../source.tar"], cwd=project, check=True)
        told = heard.settled(project)
        assert all(covers(told, f"source/{number}/a/file") for number in range(50))
        assert watched_inodes() == folder_inodes(project)


def test_what_becomes_of_the_root_s_own_mode_is_nobody_s_change(project: Path) -> None:
    with watching(project) as (_, heard):
        project.chmod(0o755)
        assert heard.settled(project) == set()


# What can't be watched.


def refuse(monkeypatch: pytest.MonkeyPatch, refused: dict[bytes, int]) -> None:
    """Folders of these names get no watch for the reason given; watchdog returns -1 for EACCES."""

    class Refusing(InotifyFD):
        def add_callback(
            self, path: bytes, mask: Mask, callback: WatchCallback, id_: CallbackId
        ) -> WatchDescriptor:
            number = refused.get(path.rpartition(b"/")[2]) if Path(os.fsdecode(path)).is_dir() else None
            if number == errno.EACCES:
                return WatchDescriptor(-1)
            if number is not None:
                raise OSError(number, os.strerror(number))
            return super().add_callback(path, mask, callback, id_)

    monkeypatch.setattr(inotify_tree, "InotifyFD", Refusing)


@pytest.mark.parametrize(
    ("number", "why"),
    [
        (errno.EACCES, "The folder a/b can't be watched (access to a/b is denied): "),
        (errno.ENAMETOOLONG, "The folder a/b can't be watched (the name a/b is too long"),
        (errno.ENOSPC, "The system has no watch left for every folder (fs.inotify.max_user_watches): "),
    ],
)
def test_a_folder_without_a_watch_is_polled_until_it_has_one(
    number: int, why: str, project: Path, polled: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    grow(project)
    refused = {b"b": number}
    refuse(monkeypatch, refused)
    with watching(project) as (watcher, heard):
        assert watcher.state.mode is WatchMode.POLLING
        assert watcher.state.reason.startswith(why)
        assert watcher.state.reason.endswith(": changes there are noticed only by looking every 5 seconds.")
        assert heard.has("a/b")
        heard.forget()
        assert heard.has("a/b"), "again and again"
        assert EVERYTHING not in heard.paths
        refused.clear()
        reaches(heard, watcher, WatchMode.WATCHING)
        assert watched_inodes() == folder_inodes(project)
        (project / "a/b/c/late.txt").touch()
        assert heard.has("a/b/c/late.txt")


def test_a_folder_that_could_not_be_listed_is_polled_until_it_can(
    project: Path, polled: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    grow(project)

    def too_many(folder: str) -> object:
        if folder.endswith("/a"):
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE), folder)
        return scandir(folder)

    scandir = os.scandir
    with monkeypatch.context() as patch:
        patch.setattr(os, "scandir", too_many)
        watcher = Watcher(project, heard := Heard())
        watcher.start()
    try:
        assert watcher.state.reason.startswith("The folder a can't be watched (too many files are open")
        reaches(heard, watcher, WatchMode.WATCHING)
        assert watched_inodes() == folder_inodes(project)
    finally:
        watcher.stop()


def test_many_folders_without_a_watch_are_everything(
    project: Path, polled: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(200):
        (project / f"{number}/b").mkdir(parents=True)
    refuse(monkeypatch, {b"b": errno.ENOSPC})
    with watching(project) as (watcher, heard):
        assert "max_user_watches" in watcher.state.reason
        assert heard.has(EVERYTHING)


def test_a_new_folder_without_a_watch_is_told(
    project: Path, polled: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse(monkeypatch, {b"new": errno.ENOSPC})
    with watching(project) as (watcher, heard):
        assert watcher.state == WatchState()
        (project / "new").mkdir()
        reaches(heard, watcher, WatchMode.POLLING)
        (project / "new").rmdir()
        reaches(heard, watcher, WatchMode.WATCHING)


@pytest.mark.expects_log("A folder could not be watched")
def test_an_error_of_the_rules_ends_nothing(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither where a folder comes nor where it is looked at again by the clock."""
    monkeypatch.setattr("studio.extras.observed.watcher.WATCH_POLL_SECONDS", 0.02)

    def fail(path: str) -> bool:
        if path == "bad":
            raise ValueError(path)
        return False

    with watching(project, fail) as (watcher, heard):
        (project / "bad").mkdir()
        reaches(heard, watcher, WatchMode.POLLING)
        (project / "good").mkdir()
        assert heard.has("good")
