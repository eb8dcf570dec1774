"""A tree in which disks come and go, which is watched: an error ends it.

    python -m tests.engine.observed.mounting PART PROJECT

Runs where it may mount what it likes.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from studio.engine.observed import WatchMode, WatchState, watcher
from tests.engine.observed.heard import EVERYTHING, covers, folder_inodes, reaches, watched_inodes, watching


def mount(*words: object) -> None:
    subprocess.run(["mount", *map(str, words)], check=True)


def coming(project: Path) -> None:
    """A disk is mounted on a watched folder, and taken away."""
    (project / "disk/under").mkdir(parents=True)
    with watching(project) as (watched_by, heard):
        mount("-t", "tmpfs", "x", project / "disk")
        (project / "disk/new").mkdir()
        assert heard.until(lambda: watched_inodes() == folder_inodes(project))
        assert watched_by.state == WatchState()
        (project / "disk/new/a.txt").touch()
        assert heard.has(EVERYTHING, "disk/new/a.txt")
        heard.forget()
        subprocess.run(["umount", project / "disk"], check=True)
        assert heard.has("disk")
        (project / "disk/under/b.txt").touch()
        assert heard.has("disk/under/b.txt")


def twice(project: Path) -> None:
    """One folder at two places: the kernel tells of one."""
    for name in ("a/deep", "twin"):
        (project / name).mkdir(parents=True)
    mount("--bind", project / "a", project / "twin")
    with watching(project) as (watched_by, heard):
        assert "is mounted at a second place" in reaches(heard, watched_by, WatchMode.POLLING).reason
        (project / "twin/deep/x.txt").touch()
        assert heard.until(lambda: all(covers(heard.paths, f"{name}/deep/x.txt") for name in ("a", "twin")))


def overlaid(project: Path) -> None:
    """Who writes through an overlay is heard, as in nearly every container."""
    (project / "lower/a").mkdir(parents=True)
    (project / "lower/a/old.txt").write_text("old")
    for name in ("upper", "work", "merged"):
        (project / name).mkdir()
    mount("-t", "tmpfs", "x", project / "work")
    for name in ("up", "work"):
        (project / "work" / name).mkdir()
    layers = f"lowerdir={project / 'lower'},upperdir={project / 'work/up'},workdir={project / 'work/work'}"
    mount("-t", "overlay", "x", "-o", layers, project / "merged")
    with watching(project / "merged") as (watched_by, heard):
        assert watched_by.state == WatchState()
        (project / "merged/a/old.txt").write_text("new")
        (project / "merged/a/new.txt").touch()
        assert heard.has("a/old.txt", "a/new.txt")


def folding(project: Path) -> None:
    """A disk that folds case, served by a program: also looked at, for who else may write to it.

    A new spelling of a name is no rename to this kernel, and told by the look alone.
    """
    (project / "a/Folder/deep").mkdir(parents=True)
    with watching(project) as (watched_by, heard):
        assert watched_by.state.mode is WatchMode.POLLING
        assert "(fuse" in watched_by.state.reason
        (project / "a/folder").rename(project / "a/FOLDER")
        heard.forget()
        assert heard.has(EVERYTHING)
        (project / "a/Folder/Deep/x.txt").touch()
        assert heard.has("a/folder/deep/x.txt")


PARTS = (coming, twice, overlaid, folding)

if __name__ == "__main__":
    with pytest.MonkeyPatch.context() as patch:
        for name, seconds in {"COALESCE": 0.01, "POLL": 0.1, "RESCAN": 0.3}.items():
            patch.setattr(watcher, f"WATCH_{name}_SECONDS", seconds)
        {part.__name__: part for part in PARTS}[sys.argv[1]](Path(sys.argv[2]).resolve())
