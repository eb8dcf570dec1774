"""A system that has no watch left, or no watcher at all: said, and looked at by the clock."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from studio.extras.observed import WatchMode, watcher
from tests.extras.observed.heard import (
    EVERYTHING,
    Heard,
    folder_inodes,
    reaches,
    watched_inodes,
    watching,
)
from tests.faults.injection import Injection, inject, run_plain, stop_here


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(watcher, "WATCH_COALESCE_SECONDS", 0.01)
    monkeypatch.setattr(watcher, "WATCH_POLL_SECONDS", 0.2)
    (tmp_path / "a/b/c").mkdir(parents=True)
    return tmp_path


def watched(project: Path, check: Callable[[watcher.Watcher, Heard], None]) -> Callable[[], int]:
    """What the child does: watch the project, and look at what is told."""

    def action() -> int:
        stop_here()
        with watching(project) as (watched_by, heard):
            check(watched_by, heard)
        return 0

    return action


def sees_all(watched_by: watcher.Watcher, heard: Heard, project: Path) -> None:
    reaches(heard, watched_by, WatchMode.WATCHING)
    assert watched_inodes() == folder_inodes(project)
    (project / "a/b/c/late.txt").touch()
    assert heard.has("a/b/c/late.txt")


def test_the_last_watches_are_taken_by_somebody_else_and_given_back(project: Path) -> None:
    """Each thread counts its calls by itself: the one that looks every few seconds gets what the one that
    began did not."""

    def check(watched_by: watcher.Watcher, heard: Heard) -> None:
        assert watched_by.state.mode is WatchMode.POLLING
        assert "fs.inotify.max_user_watches" in watched_by.state.reason
        sees_all(watched_by, heard, project)
        assert EVERYTHING in heard.paths, "the change of the state"

    assert inject(watched(project, check), Injection("inotify_add_watch", 3, "ENOSPC", onwards=True)) == 0


def test_a_system_without_any_watch_left_is_polled_whole(project: Path) -> None:
    def check(watched_by: watcher.Watcher, heard: Heard) -> None:
        assert "fs.inotify.max_user_watches" in watched_by.state.reason
        assert heard.has(EVERYTHING)
        heard.forget()
        assert heard.has(EVERYTHING), "again and again"
        assert watched_by.state.mode is WatchMode.POLLING

    assert inject(watched(project, check), Injection("inotify_add_watch", 1, "ENOSPC", onwards=True)) == 0


def test_a_system_without_a_watcher_is_polled_whole(project: Path) -> None:
    def check(watched_by: watcher.Watcher, heard: Heard) -> None:
        assert "fs.inotify.max_user_instances" in watched_by.state.reason
        assert heard.has(EVERYTHING)
        heard.forget()
        assert heard.has(EVERYTHING), "again and again"
        assert watched_by.state.mode is WatchMode.POLLING

    calls = "inotify_init,inotify_init1"
    assert inject(watched(project, check), Injection(calls, 1, "EMFILE", onwards=True)) == 0


def test_nothing_is_polled_where_all_is_watched(project: Path) -> None:
    assert run_plain(watched(project, lambda by, heard: sees_all(by, heard, project))) == 0
