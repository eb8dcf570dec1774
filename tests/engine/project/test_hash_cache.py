"""An unchanged file is not hashed again to tell which steps are stale; an apply hashes every file."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from studio.engine.apply.gateway import Drifted
from studio.engine.disk import image_at
from studio.engine.plan import Plan, StepState
from studio.engine.project import context
from studio.engine.project.context import FileImageCache
from studio.engine.root import ProjectRoot
from studio.journal.file_image import FileImage
from studio.workspace import Reviewer, Workspace


class Looks:
    """How often files were hashed; the clock of the young can be put forward."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.paths: list[str] = []
        self.ahead_ns = 60 * 1_000_000_000
        monkeypatch.setattr(context, "image_at", self._look)
        monkeypatch.setattr(context, "time", self)

    def time_ns(self) -> int:
        return time.time_ns() + self.ahead_ns

    def _look(self, root: ProjectRoot, path: str) -> FileImage | None:
        self.paths.append(path)
        return image_at(root, path)


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> Looks:
    return Looks(monkeypatch)


@pytest.fixture
def files(project: Path) -> Iterator[FileImageCache]:
    (project / "a.txt").write_bytes(b"one\n")
    with ProjectRoot(project) as root:
        yield FileImageCache(root)


def test_an_old_file_is_hashed_once(files: FileImageCache, looks: Looks) -> None:
    first = files.image("a.txt")
    assert first is not None and files.image("a.txt") == first
    assert looks.paths == ["a.txt"]


def test_a_young_file_is_hashed_each_time(files: FileImageCache, looks: Looks) -> None:
    """Within a tick of the clock it could be written again and look the same."""
    looks.ahead_ns = 0
    files.image("a.txt")
    files.image("a.txt")
    assert looks.paths == ["a.txt", "a.txt"]


def test_a_clock_set_back_makes_no_file_old(files: FileImageCache, looks: Looks) -> None:
    looks.ahead_ns = -3600 * 1_000_000_000
    files.image("a.txt")
    files.image("a.txt")
    assert looks.paths == ["a.txt", "a.txt"]


@pytest.mark.parametrize("how", ["in place", "replaced", "mode", "times put back"])
def test_whatever_differs_has_it_hashed_again(
    project: Path, files: FileImageCache, looks: Looks, how: str
) -> None:
    file = project / "a.txt"
    before = file.stat()
    assert files.image("a.txt") is not None
    if how == "replaced":
        (project / "b.txt").write_bytes(b"two\n")
        (project / "b.txt").replace(file)
    elif how == "mode":
        file.chmod(0o755)
    else:
        file.write_bytes(b"two\n")
    if how == "times put back":
        os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    with ProjectRoot(project) as root:
        assert files.image("a.txt") == image_at(root, "a.txt")


def test_what_is_gone_or_forgotten_is_not_known(project: Path, files: FileImageCache, looks: Looks) -> None:
    files.image("a.txt")
    files.keep_only(["other.txt"])
    files.image("a.txt")
    assert looks.paths == ["a.txt", "a.txt"]
    (project / "a.txt").unlink()
    assert files.image("a.txt") is None
    (project / "a.txt").mkdir()
    folder = files.image("a.txt")
    assert folder is not None and folder.is_folder


def modified(project: Path, propose: Callable[..., Plan]) -> Plan:
    (project / "a.txt").write_bytes(b"one\n")
    step = {"op": "modify", "path": "a.txt", "content": "two\n"}
    return propose(json.dumps({"title": "t", "steps": [step]}))


def test_looking_at_all_open_steps_again_hashes_nothing(
    project: Path, workspace: Workspace, propose: Callable[..., Plan], looks: Looks
) -> None:
    plan = modified(project, propose)
    workspace.proposer.refresh()
    workspace.proposer.refresh()
    assert looks.paths == ["a.txt"]
    (project / "a.txt").write_bytes(b"other\n")
    assert workspace.proposer.refresh()
    assert workspace.proposer.plan(plan.id).steps[0].state is StepState.STALE


def test_an_apply_hashes_what_is_known(
    project: Path,
    reviewer: Reviewer,
    propose: Callable[..., Plan],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What is remembered may be wrong: then nothing is written all the same."""
    plan = modified(project, propose)
    base = plan.steps[0].base

    def remembered(_files: FileImageCache, _path: str) -> FileImage | None:
        return base

    with monkeypatch.context() as patch:
        patch.setattr(FileImageCache, "image", remembered)
        (project / "a.txt").write_bytes(b"other\n")
        reviewer.approve(plan.id)
        with pytest.raises(Drifted):
            reviewer.apply(plan.id)
    assert (project / "a.txt").read_bytes() == b"other\n"
