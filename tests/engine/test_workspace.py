"""The engine owns the watcher: whoever opened a project is told of changes in its tree."""

from __future__ import annotations

import errno
import threading
from pathlib import Path

import pytest

from studio.errors import LeadsOutside, Refused
from studio.extras.observed import WatchMode, WatchState, inotify_tree, watcher
from studio.extras.reader import FolderQuery
from studio.workspace import Workspace

SECONDS = 10


class Told:
    """What was called back, and on which thread."""

    def __init__(self) -> None:
        self.paths: set[str] = set()
        self.threads: set[str] = set()
        self.at_all = threading.Event()

    def __call__(self, paths: frozenset[str]) -> None:
        self.paths |= paths
        self.threads.add(threading.current_thread().name)
        self.at_all.set()


def test_a_change_in_the_tree_is_told_until_the_project_is_closed(project: Path) -> None:
    told = Told()
    workspace = Workspace.open(project)
    try:
        workspace.listen(told)
        (project / "new.txt").write_text("new")
        assert told.at_all.wait(SECONDS)
        assert told.paths == {"new.txt"}
        assert threading.current_thread().name not in told.threads
    finally:
        workspace.close()
    assert not {thread.name for thread in threading.enumerate()} & told.threads
    (project / "late.txt").write_text("late")
    workspace.listen(told)
    assert not {thread.name for thread in threading.enumerate()} & told.threads, "it is closed"
    assert told.paths == {"new.txt"}


def test_who_listens_anew_takes_the_place_of_who_did(project: Path, workspace: Workspace) -> None:
    """As where the project's folder went and came back: the first watcher holds the folder that went."""
    first, second = Told(), Told()
    workspace.listen(first)
    gone = project.rename(project.with_name("gone"))
    project.mkdir()
    workspace.listen(second)
    first.at_all.clear()
    (gone / "old.txt").write_text("old")
    (project / "new.txt").write_text("new")
    assert second.at_all.wait(SECONDS)
    assert second.paths == {"new.txt"}
    assert not first.at_all.is_set()
    workspace.stop_listening()
    assert not {thread.name for thread in threading.enumerate()} & second.threads


def test_without_a_watcher_it_is_told_to_look_and_why(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> None:
        raise OSError(errno.EMFILE, "inotify instance limit reached")

    assert workspace.watch_state == WatchState()
    monkeypatch.setattr(inotify_tree, "InotifyFD", fail)
    monkeypatch.setattr(watcher, "WATCH_POLL_SECONDS", 0.01)
    told = Told()
    workspace.listen(told)
    assert workspace.watch_state.mode is WatchMode.POLLING
    assert "fs.inotify.max_user_instances" in workspace.watch_state.reason
    assert told.at_all.wait(SECONDS)
    assert told.paths == set(), "everything"


def test_who_listens_can_be_told_to_look(workspace: Workspace) -> None:
    workspace.scan_all()
    told = Told()
    workspace.listen(told)
    workspace.scan_all()
    assert told.at_all.wait(SECONDS)
    assert told.paths == set(), "everything"


def test_a_listed_link_is_not_taken_for_a_pattern(project: Path, workspace: Workspace) -> None:
    (project / "link").symlink_to("elsewhere")
    with pytest.raises(LeadsOutside):
        workspace.reader.browse(FolderQuery("link"))
    with pytest.raises(Refused, match="glob pattern"):
        workspace.reader.browse(FolderQuery("", "["))
