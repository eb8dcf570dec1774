"""The group around a command: found where the system handed one over, and gone with what is in it."""

from __future__ import annotations

import os
import subprocess
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from studio.extras.sandbox import Command, launch
from studio.extras.sandbox.control_group import ControlGroup, delegated_group
from tests.tools.sandboxed import opened

UNIFIED = (Path("/sys/fs/cgroup"), Path("/sys/fs/cgroup/unified"))


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Groups as systemd lays them out for a user; a test says what is in their files."""
    mount = tmp_path / "cgroup"
    inner = mount / "user.slice/user-7.slice/user@7.service/app.slice/terminal.scope"
    inner.mkdir(parents=True)
    (mount / "cgroup.controllers").write_text("cpu memory pids\n")
    for folder in (inner, *inner.parents):
        if folder.is_relative_to(mount):
            (folder / "cgroup.procs").write_text("")
            (folder / "cgroup.subtree_control").write_text("memory pids\n")
    (inner / "cgroup.subtree_control").write_text("")
    return mount


def own(tmp_path: Path, path: str) -> Path:
    file = tmp_path / "own"
    file.write_text(f"1:name=systemd:/x\n0::/{path}\n")
    return file


def test_the_nearest_group_that_can_limit_memory_is_taken(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 7)
    slices = "user.slice/user-7.slice/user@7.service/app.slice"
    assert delegated_group(tree, own(tmp_path, f"{slices}/terminal.scope")) == tree / slices
    (tree / slices / "cgroup.subtree_control").write_text("pids\n")
    assert delegated_group(tree, own(tmp_path, f"{slices}/terminal.scope")) == (tree / slices).parent
    assert delegated_group(tree, own(tmp_path, "../outside")) is None


def test_none_is_taken_where_none_was_handed_over(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    where = own(tmp_path, "user.slice/user-7.slice/user@7.service/app.slice/terminal.scope")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert delegated_group(tree, where) is None, "root may write there, and it is systemd's"
    monkeypatch.setattr(os, "geteuid", lambda: 7)
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert delegated_group(tree, where) is None
    (tmp_path / "own").write_text("4:memory:/\n")
    assert delegated_group(tree, tmp_path / "own") is None, "a system without version 2"
    assert delegated_group(tree, tmp_path / "nothing") is None


@pytest.fixture
def unified() -> Iterator[Path]:
    """A group of version 2 of this kernel, in which a test may make others."""
    for mount in UNIFIED:
        writable = all(os.access(each, os.W_OK) for each in (mount, mount / "cgroup.procs"))
        if writable and (mount / "cgroup.controllers").exists():
            folder = mount / f"exacta-test-{uuid.uuid4().hex}"
            folder.mkdir()
            yield folder
            folder.rmdir()
            return
    pytest.skip("no control groups of version 2 are writable here")


def test_it_ends_what_is_in_it_and_goes_and_the_next_one_sweeps(unified: Path) -> None:
    left = unified / "exacta-run-left"
    left.mkdir()
    with ControlGroup(unified, {"cgroup.max.descendants": "7"}) as group:
        assert not left.exists(), "what a killed run left is gone"
        [folder] = unified.glob("exacta-run-*")
        assert (folder / "cgroup.max.descendants").read_text() == "7\n"
        with subprocess.Popen(["sh", "-c", "sleep 1000 & sleep 1000"]) as shell:
            group.add_process(shell.pid)
            group.close()
            assert shell.wait(20) == -9
        assert not folder.exists()
    with pytest.raises(OSError, match="No such file"):
        ControlGroup(unified, {"memory.nothing": "1"})
    assert not list(unified.glob("exacta-run-*")), "one that can't be limited does not stay"


def test_a_command_runs_in_it_and_memory_is_named_where_there_is_none(
    project: Path, unified: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launch, "memory_group", lambda: ControlGroup(unified, {}))
    with opened(project) as sandbox:
        seen: list[int] = []
        reads, goes_on = os.pipe()

        def look(_data: bytes) -> None:
            [folder] = unified.glob("exacta-run-*")
            seen.append(len((folder / "cgroup.procs").read_text().split()))
            os.write(goes_on, b"\n")

        outcome = sandbox.run(
            Command(("sh", "-c", "echo begun; read -r _; true")), on_output=look, stdin=reads
        )
        os.close(reads)
        os.close(goes_on)
        assert seen and seen[0] >= 2, "the process around it, and the command"
        assert not any("memory" in sentence for sentence in outcome.not_enforced)
        monkeypatch.setattr(launch, "memory_group", lambda: None)
        outcome = sandbox.run(Command(("true",)))
        assert any("memory" in sentence for sentence in outcome.not_enforced)
    assert not list(unified.glob("exacta-run-*"))
