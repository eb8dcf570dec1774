"""Whatever stands in a project, or changes under a look: the look ends and tells what is there."""

from __future__ import annotations

import os
import random
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from studio.engine.plan import Operation
from studio.engine.snapshot_store import capture
from studio.errors import Refused, UsageError
from studio.workspace import Workspace
from tests.engine.conftest import PERSON
from tests.extras.observed.heard import watching
from tests.extras.observed.model import Model, said

_GROWING = """
import sys
with open(sys.argv[1], "ab", buffering=0) as file:
    while True:
        file.write(b"more and more ")
        print(flush=True)
"""


@pytest.fixture
def workspace(project: Path) -> Iterator[Workspace]:
    (project / "a").mkdir()
    (project / "a/one.txt").write_text("one\n")
    (project / "two.txt").write_text("two\n")
    with closing(Workspace.open(project)) as opened:
        opened.observed.look()
        yield opened


def told(workspace: Workspace) -> dict[str, Operation]:
    workspace.observed.look()
    return {change.target: change.op for change in workspace.observed.open()}


def test_what_is_no_file_is_passed_over(workspace: Workspace, project: Path) -> None:
    os.mkfifo(project / "pipe")
    (project / "two.txt").unlink()
    os.mkfifo(project / "two.txt")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.path.relpath(project / "socket"))
        assert told(workspace) == {"two.txt": Operation.DELETE}
    (project / "two.txt").unlink()
    (project / "two.txt").write_text("two\n")
    assert told(workspace) == {}


def test_links_that_lead_in_a_circle_are_told_as_links(workspace: Workspace, project: Path) -> None:
    model = Model(project)
    (project / "here").symlink_to(".")
    (project / "a/up").symlink_to("..")
    (project / "left").symlink_to("right")
    (project / "right").symlink_to("left")
    workspace.observed.look()
    assert said(workspace.observed.open()) == model.expected()
    assert set(told(workspace)) == {"here", "a/up", "left", "right"}


def test_a_link_goes_back_whole(workspace: Workspace, project: Path) -> None:
    """Its bytes are no lines: half of a path would lead to quite another place."""
    (project / "two.txt").unlink()
    (project / "two.txt").symlink_to("a/one.txt")
    workspace.observed.look()
    changes, observed = workspace.observed.open(), workspace.reviewer(PERSON).observed
    with pytest.raises(UsageError, match="can't be reverted in part"):
        observed.revert(changes, {changes[0].id: {1}})
    observed.revert(changes)
    assert not (project / "two.txt").is_symlink() and (project / "two.txt").read_text() == "two\n"


def test_more_than_one_plan_may_be_is_counted_whole(
    workspace: Workspace, project: Path, private_folders: Path
) -> None:
    for number in range(5):
        (project / f"new {number}").touch()
    workspace.observed.look()
    (private_folders / "studio-config/config.yaml").write_text("limits: {own_steps: 2}\n")
    with pytest.raises(Refused, match="has 5 steps"):
        workspace.observed.preview(workspace.observed.open())


def test_a_folder_that_was_swapped_for_another_is_told_file_by_file(
    workspace: Workspace, project: Path
) -> None:
    """Only the names of the folders are told: what lies in them did not move."""
    (project / "b").mkdir()
    (project / "b/one.txt").write_text("of the other folder\n")
    (project / "b/three.txt").write_text("three\n")
    workspace.observed.look()
    workspace.reviewer(PERSON).observed.keep(workspace.observed.open())
    model = Model(project)
    with watching(project) as (_, heard):
        (project / "a").rename(project / "c")
        (project / "b").rename(project / "a")
        (project / "c").rename(project / "b")
        workspace.observed.look(heard.settled(project))
    assert said(workspace.observed.open()) == model.expected()
    assert {change.path for change in workspace.observed.open()} >= {"a/one.txt", "b/one.txt"}


def test_a_file_that_grows_without_end_holds_no_look_up(workspace: Workspace, project: Path) -> None:
    model = Model(project)
    command = [sys.executable, "-c", _GROWING, str(project / "log.txt")]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as grower:
        assert grower.stdout is not None
        for _ in range(8):
            grower.stdout.readline()
            assert "log.txt" in told(workspace)
        grower.kill()
        grower.communicate()
    workspace.observed.look()
    assert said(workspace.observed.open()) == model.expected()


def test_a_file_that_changes_whenever_it_is_read_is_told_as_it_was_at_last(
    workspace: Workspace, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody writes between its first byte and its last, each time."""
    model, read = Model(project), os.read
    count = 0

    def written_meanwhile(handle: int, length: int) -> bytes:
        nonlocal count
        count += 1
        (project / "two.txt").write_text(f"number {count}\n")
        return read(handle, length)

    (project / "two.txt").write_text("begins\n")
    with monkeypatch.context() as patch:
        patch.setattr(capture.os, "read", written_meanwhile)
        workspace.observed.look(["two.txt"])
    assert count >= 3, "read again, and not for ever"
    workspace.observed.look(["two.txt"])
    assert said(workspace.observed.open()) == model.expected()


def test_what_would_be_over_the_cap_is_not_read(
    workspace: Workspace, project: Path, private_folders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (private_folders / "studio-config/config.yaml").write_text("observe: {bytes: 100000}\n")
    (project / "large.bin").touch()
    os.truncate(project / "large.bin", 1 << 34)
    with monkeypatch.context() as patch:
        patch.setattr(capture.os, "read", lambda *_: pytest.fail("it was read"))
        with pytest.raises(Refused, match=r"largest file is large\.bin, 17,179,869,184 bytes"):
            workspace.observed.look()
    (project / "large.bin").unlink()
    (project / "two.txt").write_text("by others\n")
    assert told(workspace) == {"two.txt": Operation.MODIFY}


def test_a_file_that_is_written_all_the_time_does_not_fill_the_room(
    workspace: Workspace, project: Path, private_folders: Path
) -> None:
    """What it was in between goes; what the project holds now, and held, stays."""
    (private_folders / "studio-config/config.yaml").write_text("observe: {bytes: 200000}\n")
    chance, before = random.Random(1), (project / "two.txt").read_bytes()
    for number in range(12):
        (project / "log.bin").write_bytes(chance.randbytes(60_000))
        (project / "two.txt").write_text(f"number {number}\n")
        workspace.observed.look(["log.bin"])
        workspace.observed.look(["two.txt"])
    changes = {change.path: change for change in workspace.observed.open()}
    assert workspace.observed.contents(changes["log.bin"]).after == (project / "log.bin").read_bytes()
    assert workspace.observed.contents(changes["two.txt"]).before == before
    workspace.reviewer(PERSON).observed.revert(list(changes.values()))
    assert not (project / "log.bin").exists() and (project / "two.txt").read_bytes() == before
    (project / "log.bin").write_bytes(chance.randbytes(250_000))
    with pytest.raises(Refused, match="bytes would be stored"):
        workspace.observed.look()


@pytest.mark.parametrize("name", ["one.txt", "."])
def test_what_can_not_be_read_is_not_told_as_gone(workspace: Workspace, project: Path, name: str) -> None:
    """Root reads everything: for root the mode is all that changed."""
    (project / "a" / name).chmod(0)
    try:
        found = told(workspace)
    finally:
        (project / "a" / name).chmod(0o755 if name == "." else 0o644)
    assert Operation.DELETE not in found.values()
    assert told(workspace) == {}
