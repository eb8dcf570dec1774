"""Ignored folders take no watch, as long as no plan that waits would write there."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from studio.extras.observed import watcher
from studio.workspace import Workspace
from tests.doors.awaited import soon
from tests.extras.observed.heard import Heard, watched_inodes


def inodes(project: Path, *folders: str) -> list[int]:
    return sorted((project / folder).stat().st_ino for folder in folders)


def watches(project: Path, *folders: str) -> bool:
    """Waits until just these folders are watched: what is ignored is asked for after the start."""
    return soon(lambda: watched_inodes() == inodes(project, *folders))


def make(project: Path, *folders: str) -> None:
    for folder in folders:
        (project / folder).mkdir(parents=True)


def begin_repository(project: Path, ignored: str) -> None:
    subprocess.run(["git", "init", "-q"], cwd=project, check=True)
    (project / ".gitignore").write_text(ignored)


@contextmanager
def listening(project: Path) -> Iterator[tuple[Workspace, Heard]]:
    heard, workspace = Heard(), Workspace.open(project)
    try:
        workspace.listen(heard)
        yield workspace, heard
    finally:
        workspace.close()


def test_what_git_ignores_takes_no_watch(project: Path) -> None:
    make(project, "src/out", "out/deep", "kept/.venv")
    begin_repository(project, "/out/\n")
    with listening(project) as (_, heard):
        watched = ("", ".git", "src", "src/out", "kept", "kept/.venv")
        assert watches(project, *watched)
        heard.forget()
        make(project, "kept/new/out")
        (project / "out/deep/a.o").touch()
        assert heard.settled(project) == {"kept/new", "kept/new/out"}
        assert watches(project, *watched, "kept/new", "kept/new/out")


def test_a_folder_that_is_made_and_ignored_is_left_again(project: Path) -> None:
    make(project, "src")
    begin_repository(project, "/out/\n")
    with listening(project) as (_, heard):
        make(project, "out/deep/deeper")
        assert heard.has("out")
        assert watches(project, "", ".git", "src")


def test_without_git_what_tools_make_takes_no_watch(project: Path) -> None:
    make(project, "src", "node_modules/a/b", "src/.venv/lib")
    with listening(project):
        assert watches(project, "", "src")


def test_what_the_user_leaves_out_takes_no_watch(project: Path, private_folders: Path) -> None:
    make(project, "src/build/deep")
    (private_folders / "studio-config/config.yaml").write_text('observe: {ignore: ["**/build/"]}\n')
    with listening(project):
        assert watches(project, "", "src")


def test_where_a_plan_would_write_is_watched_and_what_changed_there_is_told(project: Path) -> None:
    make(project, "src", "out/deep", "out/other")
    begin_repository(project, "/out/\n")
    with listening(project) as (workspace, heard):
        assert watches(project, "", ".git", "src")
        workspace.listen_at(frozenset({"src/a.txt", "out/deep/a.txt"}))
        assert heard.has("out", "out/deep")
        assert watches(project, "", ".git", "src", "out", "out/deep")
        heard.forget()
        (project / "out/deep/a.txt").touch()
        assert heard.settled(project) == {"out/deep/a.txt"}
        workspace.listen(heard)
        assert watches(project, "", ".git", "src", "out", "out/deep"), "whoever listens"


def test_what_is_ignored_no_more_is_watched_at_once_and_the_other_way_round(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(project, "src/deep", "out/deep")
    begin_repository(project, "/out/\n")
    with listening(project) as (workspace, heard):
        (project / ".gitignore").write_text("/src/\n")
        assert watches(project, "", ".git", "out", "out/deep")
        assert heard.has("")
        workspace.listen_at(frozenset({"src/a.txt"}))
        assert heard.has("src")
        assert watches(project, "", ".git", "src", "out", "out/deep")
        workspace.listen_at(frozenset())
        monkeypatch.setattr(watcher, "WATCH_RESCAN_SECONDS", 0)
        monkeypatch.setattr(watcher, "WATCH_POLL_SECONDS", 0.05)
        workspace.stop_listening()
        workspace.listen(heard)
        assert watches(project, "", ".git", "out", "out/deep")


def test_what_git_tracks_in_an_ignored_folder_is_seen_by_the_clock(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Git ignores no folder that holds a tracked file."""
    make(project, "out")
    begin_repository(project, "/out/\n")
    monkeypatch.setattr(watcher, "WATCH_RESCAN_SECONDS", 0)
    monkeypatch.setattr(watcher, "WATCH_POLL_SECONDS", 0.05)
    with listening(project):
        assert watches(project, "", ".git")
        (project / "out/a.txt").touch()
        subprocess.run(["git", "add", "-f", "out/a.txt"], cwd=project, check=True)
        assert watches(project, "", ".git", "out")


def test_rules_that_cannot_be_read_say_nothing_of_other_folders(project: Path) -> None:
    """A pipe in the place of a file of rules; what git ignores elsewhere stays out of the looks."""
    make(project, "src", "deep/out", "deep/in", "out/deep")
    begin_repository(project, "out/\n")
    with closing(Workspace.open(project)) as workspace:
        workspace.observed.look()
        os.mkfifo(project / "deep/.gitignore")
        workspace.observed.look()
        for folder in ("src", "deep/out", "deep/in", "out", "out/deep"):
            (project / folder / "new.txt").write_text("new\n")
        workspace.observed.look()
        told = {change.path for change in workspace.observed.open()}
    assert told == {"src/new.txt", "deep/in/new.txt", "deep/out/new.txt"}
