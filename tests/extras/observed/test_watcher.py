"""The watcher is a hint that arrives, gathers, does not drown, and says what it can't see."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from watchdog.observers.inotify_c import InotifyFD

from studio.extras.observed import Watcher, WatchMode, WatchState, watcher as module
from tests.extras.observed.heard import (
    EVERYTHING,
    SECONDS,
    Heard,
    Outside,
    folder_inodes,
    reaches,
    unwatched,
    watched_inodes,
    watching,
)


def test_changes_of_every_kind_are_told(project: Path) -> None:
    for name in ("old.txt", "gone.txt", "mode.txt"):
        (project / name).write_text("old")
    with watching(project) as (watcher, heard):
        (project / "a.txt").write_text("a")
        (project / "sub").mkdir()
        (project / "link").symlink_to("a.txt")
        (project / "old.txt").rename(project / "new.txt")
        (project / "gone.txt").unlink()
        (project / "mode.txt").chmod(0o700)
        assert heard.has("a.txt", "sub", "link", "old.txt", "new.txt", "gone.txt", "mode.txt")
        assert EVERYTHING not in heard.paths
        assert watcher.state == WatchState()
    calls = heard.calls
    (project / "late.txt").write_text("late")
    assert heard.calls == calls


def test_our_own_temporary_files_are_not_told(project: Path) -> None:
    with watching(project) as (_, heard):
        (project / ".exacta-01234567-89ab-cdef-0123-456789abcdef-1.tmp").write_text("x")
        (project / "mark.txt").write_text("x")
        assert heard.has("mark.txt")
        assert heard.paths == {"mark.txt"}


def test_changes_are_gathered(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WATCH_COALESCE_SECONDS", 0.5)
    with watching(project) as (_, heard), Outside(project) as outside:
        outside.do(("fill", ".", 0, 100))
        assert heard.has("99.txt")
    assert heard.calls <= 2 and len(heard.paths) == 100


def test_a_big_tree_is_watched_whole(project: Path) -> None:
    for outer in range(10):
        for inner in range(30):
            (project / f"{outer}/{inner}").mkdir(parents=True)
    with watching(project) as (watcher, heard):
        assert watched_inodes() == folder_inodes(project)
        for number in range(5):
            (project / f"7/{number}/x.txt").write_text("x")
        assert heard.has(*(f"7/{number}/x.txt" for number in range(5)))
        assert watcher.state == WatchState()
    assert watched_inodes() == []


def test_who_comes_back_is_told_to_look_at_everything(project: Path) -> None:
    with watching(project) as (watcher, heard):
        watcher.scan_all()
        assert heard.has(EVERYTHING)


def test_now_and_then_everything_is_looked_at(
    project: Path, polled: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "WATCH_RESCAN_SECONDS", 0.1)
    with watching(project) as (watcher, heard):
        assert heard.has(EVERYTHING)
        assert watcher.state == WatchState()


# Ends.


def test_what_was_stopped_before_it_started_watches_nothing(project: Path) -> None:
    before = threading.active_count()
    heard = Heard()
    watcher = Watcher(project, heard)
    watcher.stop()
    watcher.start()
    (project / "late.txt").write_text("late")
    assert (threading.active_count(), watched_inodes(), heard.calls) == (before, [], 0)


def test_what_is_stopped_while_it_starts_watches_nothing(project: Path) -> None:
    """The folders are looked through on another thread, which a disk holds up."""
    (project / "slow/deep").mkdir(parents=True)
    reached, go_on = threading.Event(), threading.Event()

    def hold_up(_path: str) -> bool:
        reached.set()
        return not go_on.wait(SECONDS)

    heard = Heard()
    watcher = Watcher(project, heard, unwatched(hold_up))
    starting = threading.Thread(target=watcher.start)
    starting.start()
    assert reached.wait(SECONDS)
    watcher.stop()
    go_on.set()
    starting.join(SECONDS)
    assert not starting.is_alive()
    (project / "late.txt").write_text("late")
    assert (watched_inodes(), heard.calls) == ([], 0)


def test_stopping_waits_for_no_disk(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "STOP_SECONDS", 0.05)
    reached, go_on = threading.Event(), threading.Event()

    def hold_up(_path: str) -> bool:
        reached.set()
        return not go_on.wait(SECONDS)

    with watching(project, hold_up):
        (project / "slow").mkdir()
        assert reached.wait(SECONDS)
    assert not go_on.is_set(), "it was stopped while its thread was held up"
    go_on.set()


def test_who_is_told_may_stop_it(project: Path) -> None:
    stopped = threading.Event()

    def stop(_paths: frozenset[str]) -> None:
        watcher.stop()
        stopped.set()

    watcher = Watcher(project, stop)
    watcher.start()
    (project / "a.txt").write_text("a")
    assert stopped.wait(SECONDS)


def test_starts_and_ends_in_quick_succession_leave_nothing(project: Path) -> None:
    for number in range(30):
        with watching(project):
            (project / f"{number}.txt").write_text("on the way out")
    assert watched_inodes() == []


# Never silent.


@pytest.mark.expects_log("Changes on disk could not be told")
def test_an_error_of_who_is_told_ends_nothing(project: Path) -> None:
    heard = Heard()

    def fail_once(paths: frozenset[str]) -> None:
        heard(paths)
        if heard.calls == 1:
            raise ValueError("told")

    watcher = Watcher(project, fail_once)
    watcher.start()
    try:
        (project / "a.txt").write_text("a")
        assert heard.has(EVERYTHING), "what was told then may have been taken for nothing"
    finally:
        watcher.stop()


def test_a_watcher_that_died_begins_anew(project: Path, polled: None) -> None:
    (project / "a").mkdir()
    with watching(project) as (watcher, heard):
        (reading,) = (thread for thread in threading.enumerate() if isinstance(thread, InotifyFD))
        reading.stop()
        reading.join(SECONDS)
        assert heard.until(lambda: watched_inodes() == folder_inodes(project))
        assert EVERYTHING in heard.paths
        (project / "a/b.txt").write_text("b")
        assert heard.has("a/b.txt")
        assert watcher.state == WatchState()


def test_a_watcher_that_died_and_can_not_begin_is_polled(
    project: Path, polled: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    from studio.extras.observed import inotify_tree

    def fail() -> None:
        raise OSError(24, "inotify instance limit reached")

    with watching(project) as (watcher, heard):
        (reading,) = (thread for thread in threading.enumerate() if isinstance(thread, InotifyFD))
        monkeypatch.setattr(inotify_tree, "InotifyFD", fail)
        reading.stop()
        reading.join(SECONDS)
        # Between its end and the look for it, it is a watcher that can't watch the folder.
        assert heard.until(lambda: "max_user_instances" in watcher.state.reason), watcher.state
        assert watcher.state.mode is WatchMode.POLLING
        heard.forget()
        assert heard.has(EVERYTHING), "again and again"
        monkeypatch.setattr(inotify_tree, "InotifyFD", InotifyFD)
        reaches(heard, watcher, WatchMode.WATCHING)


def test_a_silent_disk_is_looked_at_every_few_seconds(
    project: Path, polled: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "far").mkdir()
    monkeypatch.setattr(module, "disks_without_events", lambda _root: {"far": "nfs4"})
    with watching(project) as (watcher, heard):
        assert watcher.state.mode is WatchMode.POLLING
        assert watcher.state.reason == (
            "The folder far lies on a disk that may not tell what others write (nfs4): changes there are "
            "noticed only by looking every 5 seconds."
        )
        assert heard.has("far")
        heard.forget()
        assert heard.has("far"), "again and again"
        assert EVERYTHING not in heard.paths


@pytest.mark.parametrize("replaced", [False, True])
def test_a_root_that_went_is_told_and_so_is_its_return(
    project: Path, polled: None, *, replaced: bool
) -> None:
    is_seen = threading.Event()

    def ignores(folder: str) -> bool:
        if folder == "new":  # asked once the kernel's words of it and of the file before it were read
            is_seen.set()
        return False

    with watching(project, ignores) as (watcher, heard):
        elsewhere = project.rename(project.with_name("elsewhere"))
        if replaced:
            project.mkdir()
        assert reaches(heard, watcher, WatchMode.GONE).reason.startswith(str(project))
        assert heard.paths == {EVERYTHING}
        heard.forget()
        (elsewhere / "unseen.txt").write_text("not in the project")
        (elsewhere / "new").mkdir()
        assert is_seen.wait(SECONDS) and heard.stays_silent()
        if replaced:
            project.rmdir()
        elsewhere.rename(project)
        reaches(heard, watcher, WatchMode.WATCHING)
        assert heard.paths == {EVERYTHING}
        (project / "new/a.txt").write_text("a")
        assert heard.has("new/a.txt")


def test_a_root_that_was_removed_is_told(project: Path, polled: None) -> None:
    with watching(project) as (watcher, heard):
        project.rmdir()
        reaches(heard, watcher, WatchMode.GONE)


def test_lost_events_are_made_good(project: Path) -> None:
    """More than the kernel keeps come while the watcher is held up, and a folder is made among them."""
    most = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    for name in ("one", "two"):
        (project / name).touch()
    (project / "old").mkdir()
    reached, go_on = threading.Event(), threading.Event()

    def hold_up(path: str) -> bool:
        if path == "gate":
            reached.set()
            go_on.wait(SECONDS)
        return False

    with watching(project, hold_up) as (watcher, heard), Outside(project) as outside:
        outside.do(("mkdir", "gate"))
        assert reached.wait(SECONDS)
        outside.do(
            ("touch", most + 100, "one", "two"), ("grow", "new", ["a/b", "c"]), ("rename", "old", "../old")
        )
        go_on.set()
        assert heard.has(EVERYTHING)
        (project / "new/a/b/late.txt").write_text("late")
        assert heard.has("new/a/b/late.txt")
        assert watched_inodes() == folder_inodes(project)
        assert watcher.state == WatchState()
