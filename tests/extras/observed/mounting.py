"""A tree in which disks come and go, which is watched: an error ends it.

    python -m tests.extras.observed.mounting PROJECT PART...

Runs where it may mount what it likes.
"""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
from collections.abc import Collection, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Protocol

import pytest

from studio.engine.observed_change import ObservedChange
from studio.engine.plan import Operation
from studio.errors import Refused
from studio.extras.observed import WatchMode, WatchState, watcher
from studio.formats import detect
from studio.workspace import Workspace
from tests.engine.conftest import PERSON
from tests.engine.snapshot_store.folders import disturb
from tests.extras.observed.heard import EVERYTHING, covers, folder_inodes, reaches, watched_inodes, watching
from tests.extras.observed.model import Model, said


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


class Look(Protocol):
    def __call__(self, paths: Collection[str] = ()) -> list[ObservedChange]: ...


@contextmanager
def looked_at(project: Path) -> Iterator[Look]:
    """Look at paths, or at everything, and compare with two plain walks; gives what is told."""
    with closing(Workspace.open(project)) as workspace:
        workspace.observed.look()
        model = Model(project)

        def look(paths: Collection[str] = ()) -> list[ObservedChange]:
            workspace.observed.look(paths)
            expected = model.expected()
            assert said(workspace.observed.open()) == expected, (said(workspace.observed.open()), expected)
            return list(workspace.observed.open())

        yield look


def looked_at_beside(project: Path) -> None:
    """Whatever others do on a disk in memory beneath the project, and on an overlay, is told."""
    (project / "lower/a").mkdir(parents=True)
    (project / "lower/a/old.txt").write_text("old")
    for name in ("memory", "merged"):
        (project / name).mkdir()
    mount("-t", "tmpfs", "x", project / "memory")
    for name in ("up", "work"):
        (project / "memory" / name).mkdir()
    memory = project / "memory"
    layers = f"userxattr,lowerdir={project / 'lower'},upperdir={memory / 'up'},workdir={memory / 'work'}"
    mount("-t", "overlay", "x", "-o", layers, project / "merged")
    chance = random.Random(5)
    for place in (memory, project / "merged", project):
        inside = place / "inside"
        inside.mkdir()
        disturb(inside, chance, 15)
        with looked_at(place) as look:
            for _ in range(6):
                disturb(inside, chance, 6)
                look()
            if (place / "a").is_dir():
                # An overlay renames no folder of its lower layer: what is moved is copied and removed.
                shutil.move(place / "a", place / "b")
                assert ("a/old.txt", "b/old.txt") in [(change.path, change.to) for change in look()]


def looked_at_folding(project: Path) -> None:
    """A disk on which every spelling leads to one file: it is told once, whatever spelling the hint had.

    It shows all names in small letters, so that no new spelling is seen.
    """
    (project / "a/Folder").mkdir(parents=True)
    (project / "a/Folder/one.txt").write_text("one")
    (project / "Two.txt").write_text("two")
    with looked_at(project) as look:
        (project / "TWO.txt").write_text("changed")
        assert [change.path for change in look(["TWO.txt", "Two.txt"])] == ["two.txt"]
        (project / "A/FOLDER/New.txt").touch()
        assert {change.path for change in look(["A/FOLDER/New.txt"])} == {"a/folder/new.txt", "two.txt"}


def respelled(project: Path) -> None:
    """A disk that keeps the case of names and folds it: another spelling is told as a move."""
    (project / "a/Folder").mkdir(parents=True)
    (project / "a/Folder/one.txt").write_text("one")
    (project / "Two.txt").write_text("two")
    with looked_at(project) as look:
        (project / "Two.txt").rename(project / "TWO.txt")
        assert [(change.path, change.to) for change in look()] == [("Two.txt", "TWO.txt")]
        (project / "a/Folder").rename(project / "a/FOLDER")
        moved = ("a/Folder/one.txt", "a/FOLDER/one.txt")
        assert moved in [(change.path, change.to) for change in look()]
        # Written by the name it has: such a disk keeps what it remembers of a file by each name that is used.
        (project / "a/FOLDER/one.txt").write_text("one more")
        look(["a/folder/one.txt"])
        (project / "tWo.txt").unlink()
        (project / "two.txt").write_text("anew")
        look(["tWo.txt", "two.txt"])
        look()
    with closing(Workspace.open(project)) as workspace:
        changes = workspace.observed.open()
        assert {change.path for change in changes} >= {"a/Folder/one.txt", "Two.txt"}
        decisions = workspace.reviewer(PERSON).observed
        decisions.revert(changes)
        assert (project / "two.txt").read_text() == "two"
        assert (project / "a/FOLDER/one.txt").read_text() == "one"
        workspace.observed.look()
        left = workspace.observed.open()
        assert {change.op for change in left} == {Operation.MOVE}, "each has the name that others gave it"
        with pytest.raises(Refused, match="only the spelling"):
            workspace.observed.preview(left)
        with pytest.raises(Refused, match="only the spelling"):
            decisions.revert(left)
        decisions.keep(left)
        assert not workspace.observed.open()


def rolled_back(project: Path) -> None:
    """A disk that keeps no permission bits: what a plan made there is its own, and goes back."""
    (project / "b.txt").write_text("b")
    steps = [
        {"op": "create", "path": "new/a.txt", "content": "a\n"},
        {"op": "create", "path": "run.sh", "content": "a\n", "executable": True},
        {"op": "modify", "path": "b.txt", "content": "c"},
        {"op": "mkdir", "path": "made"},
    ]
    with closing(Workspace.open(project)) as workspace:
        workspace.observed.look()
        text = json.dumps({"title": "t", "steps": steps}).encode()
        plan = workspace.proposer.propose(detect.read(text))
        reviewer = workspace.reviewer(PERSON)
        reviewer.approve(plan.id)
        reviewer.apply(plan.id)
        workspace.observed.look()
        assert workspace.observed.open() == ()
        reviewer.rollback(plan.id)
        assert {path.name: path.is_file() and path.read_text() for path in project.iterdir()} == {
            "b.txt": "b"
        }


PARTS = (coming, twice, overlaid, folding, looked_at_beside, looked_at_folding, respelled, rolled_back)

if __name__ == "__main__":
    with pytest.MonkeyPatch.context() as patch:
        for name, seconds in {"COALESCE": 0.01, "POLL": 0.1, "RESCAN": 0.3}.items():
            patch.setattr(watcher, f"WATCH_{name}_SECONDS", seconds)
        for part in PARTS:
            if part.__name__ in sys.argv[2:]:
                place = Path(sys.argv[1]).resolve() / part.__name__
                place.mkdir()
                part(place)
