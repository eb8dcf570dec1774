"""File systems that can't exchange, rename without replacing, or link: the same result, less exclusively."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from studio.engine import root
from studio.engine.apply import ending
from studio.engine.disk import TargetChanged, files
from studio.engine.plan import PlanState
from studio.journal.entries import FileWritten
from studio.system import syscalls
from studio.workspace import Reviewer, Workspace
from tests.faults.bench import ALL_OPERATIONS, MANY, Bench, lay_out, propose_and_approve, tree
from tests.faults.lacking import no_links, refuse
from tests.faults.test_recovery import NEW, OLD, Killed, kill, modify, once, temporaries
from tests.tools.inside import context_of


@pytest.fixture(params=["no exchange", "no links either", "no way at all", "no openat2", "no syncfs"])
def poor(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """A kernel or file system that lacks something."""
    lacks = str(request.param)
    if lacks in ("no exchange", "no links either", "no way at all"):
        monkeypatch.setattr(syscalls, "exchange", refuse)
    if lacks in ("no exchange", "no way at all"):
        monkeypatch.setattr(syscalls, "rename_new", refuse)
    if lacks in ("no links either", "no way at all"):
        monkeypatch.setattr(os, "link", no_links)
    if lacks == "no openat2":
        monkeypatch.setattr(syscalls, "open_beneath", refuse)
    if lacks == "no syncfs":
        monkeypatch.setattr(syscalls, "flush_file_system", refuse)
    return lacks


def test_all_operations_apply_and_roll_back(
    poor: str, bench: Bench, workspace: Workspace, reviewer: Reviewer
) -> None:
    lay_out(bench.project)
    old = tree(bench.project)
    plan_id = propose_and_approve(workspace, *ALL_OPERATIONS, *MANY)
    assert reviewer.apply(plan_id).state is PlanState.COMPLETED
    new = tree(bench.project)
    assert new != old and not [name for name in new if ".exacta" in name]
    written = [
        row.entry
        for row in context_of(workspace).store.journal.rows(plan_id=plan_id)
        if isinstance(row.entry, FileWritten) and row.entry.path == "a.txt"
    ]
    assert [entry.exclusive for entry in written] == [poor in ("no openat2", "no syncfs")]
    back = reviewer.rollback(plan_id)
    assert tree(bench.project) == old
    reviewer.rollback(back.id)
    assert tree(bench.project) == new


def test_everything_goes_back_after_a_crash(
    poor: str, bench: Bench, workspace: Workspace, reviewer: Reviewer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without links there is no kept file: the old bytes come from the store, mode and all."""
    lay_out(bench.project)
    old = tree(bench.project)
    plan_id = propose_and_approve(workspace, *ALL_OPERATIONS)
    with monkeypatch.context() as patch:
        once(patch, ending, "record_done", kill)
        with pytest.raises(Killed):
            reviewer.apply(plan_id)
    (bench.project / "d.bin").unlink()
    (plan,) = reviewer.recover()
    assert plan.state is PlanState.PAUSED
    assert tree(bench.project) == old
    assert reviewer.apply(plan_id).state is PlanState.COMPLETED


def test_a_write_right_before_the_replacing_is_seen(
    bench: Bench, workspace: Workspace, reviewer: Reviewer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The window is microseconds, not the whole staging."""
    for name in ("a.txt", "b.txt"):
        (bench.project / name).write_text(OLD)
    plan_id = modify(workspace, "a.txt", "b.txt")
    target = bench.project / "b.txt"

    def write(*_: object) -> None:
        target.write_text("theirs")

    calls = 0

    def unsupported(*_: object) -> None:
        nonlocal calls
        calls += 1
        if calls == 2:
            write()
        raise syscalls.Unsupported

    monkeypatch.setattr(syscalls, "exchange", unsupported)
    with pytest.raises(TargetChanged):
        reviewer.apply(plan_id)
    assert target.read_text() == "theirs" and (bench.project / "a.txt").read_text() == OLD
    assert temporaries(bench.project) == []


def test_a_write_that_was_linked_aside_comes_back(
    bench: Bench, workspace: Workspace, reviewer: Reviewer, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = bench.project / "a.txt"
    target.write_text(OLD)
    plan_id = modify(workspace, "a.txt")
    monkeypatch.setattr(syscalls, "exchange", refuse)
    once(monkeypatch, files, "replace", lambda *_: target.write_text("theirs"))
    with pytest.raises(TargetChanged):
        reviewer.apply(plan_id)
    assert target.read_text() == "theirs"
    assert temporaries(bench.project) == []


@pytest.mark.parametrize("way", ["openat2", "walk"])
def test_a_link_anywhere_on_the_way_is_refused(
    bench: Bench, workspace: Workspace, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    """Both ways of opening: first, middle and last component."""
    if way == "walk":
        monkeypatch.setattr(syscalls, "open_beneath", refuse)
    outside = bench.project.parent / "outside"
    (outside / "b").mkdir(parents=True)
    (outside / "b/c").write_text("SECRET")
    (bench.project / "x/y").mkdir(parents=True)
    (bench.project / "first").symlink_to(outside)
    (bench.project / "x/middle").symlink_to(outside / "b")
    (bench.project / "x/y/last").symlink_to(outside / "b/c")
    opened: root.ProjectRoot = context_of(workspace).root
    for path in ("first/b/c", "x/middle/c", "x/y/last"):
        with pytest.raises(Exception, match="link"):
            opened.read(path, 100)
    found: Any = opened.digest("x/y/last")
    assert found[0] == ""


def test_a_new_file_survives_a_kill_between_link_and_unlink(
    bench: Bench, workspace: Workspace, reviewer: Reviewer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The new name and our own are one file then: it must neither stop recovery nor stay."""
    plan_id = propose_and_approve(workspace, {"op": "create", "path": "a.txt", "content": NEW})
    monkeypatch.setattr(syscalls, "rename_new", refuse)
    unlink = os.unlink

    def killed(path: Any, *, dir_fd: int | None = None) -> None:
        if dir_fd is not None and b".exacta" in os.fsencode(path):
            raise Killed
        unlink(path, dir_fd=dir_fd)

    with monkeypatch.context() as patch:
        patch.setattr(os, "unlink", killed)
        with pytest.raises(Killed):
            reviewer.apply(plan_id)
    assert len(tree(bench.project)) == 2
    (plan,) = reviewer.recover()
    assert plan.state is PlanState.COMPLETED
    assert [Path(name).name for name in tree(bench.project)] == ["a.txt"]


@pytest.fixture
def without_links(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("exchange", "rename_new"):
        monkeypatch.setattr(syscalls, name, refuse)
    monkeypatch.setattr(os, "link", no_links)


def killed_before_naming(patch: pytest.MonkeyPatch, path: str) -> None:
    """Have the process killed before the rename to a path, over the empty file that reserves it."""
    rename = os.rename

    def killed(source: Any, target: Any, **folders: Any) -> None:
        if os.fsdecode(target) == Path(path).name:
            raise Killed
        rename(source, target, **folders)

    patch.setattr(os, "rename", killed)


@pytest.mark.usefixtures("without_links")
@pytest.mark.parametrize(
    "new",
    [
        ({"op": "create", "path": "new/a.txt", "content": NEW}, "new/a.txt"),
        ({"op": "create", "path": "empty.txt", "content": ""}, "empty.txt"),
        ({"op": "move", "path": "here.txt", "to": "there/it.txt"}, "there/it.txt"),
        ({"op": "copy", "path": "c.bin", "to": "d.bin"}, "d.bin"),
    ],
)
def test_an_empty_file_that_reserved_a_name_goes_after_a_kill(
    bench: Bench,
    workspace: Workspace,
    reviewer: Reviewer,
    monkeypatch: pytest.MonkeyPatch,
    new: tuple[dict[str, str], str],
) -> None:
    step, path = new
    lay_out(bench.project)
    old = tree(bench.project)
    plan_id = propose_and_approve(workspace, step)
    with monkeypatch.context() as patch:
        killed_before_naming(patch, path)
        with pytest.raises(Killed):
            reviewer.apply(plan_id)
    assert (bench.project / path).read_bytes() == b""
    reviewer.recover()
    assert tree(bench.project) == old
    assert reviewer.apply(plan_id).state is PlanState.COMPLETED
    assert (bench.project / path).exists() and temporaries(bench.project) == []


@pytest.mark.usefixtures("without_links")
def test_a_recovery_that_is_killed_brings_a_deleted_file_back(
    bench: Bench, workspace: Workspace, reviewer: Reviewer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An empty file has its name in that moment, and ours its bytes."""
    lay_out(bench.project)
    old = tree(bench.project)
    create = {"op": "create", "path": "z.txt", "content": NEW}
    plan_id = propose_and_approve(workspace, {"op": "delete", "path": "old.txt"}, create)
    with monkeypatch.context() as patch:
        once(patch, ending, "record_done", kill)
        with pytest.raises(Killed):
            reviewer.apply(plan_id)
    (bench.project / "z.txt").unlink()
    with monkeypatch.context() as patch:
        killed_before_naming(patch, "old.txt")
        with pytest.raises(Killed):
            reviewer.recover()
    assert (bench.project / "old.txt").read_bytes() == b""
    reviewer.recover()
    assert tree(bench.project) == old


@pytest.mark.usefixtures("without_links")
@pytest.mark.parametrize("theirs", [b"", b"theirs"])
def test_a_file_that_others_made_meanwhile_stays_without_links(
    bench: Bench, workspace: Workspace, reviewer: Reviewer, monkeypatch: pytest.MonkeyPatch, theirs: bytes
) -> None:
    """An empty one too: it is none that reserved the name."""
    plan_id = propose_and_approve(workspace, {"op": "create", "path": "a.txt", "content": NEW})
    target = bench.project / "a.txt"
    once(monkeypatch, files, "put_in_place", lambda *_: target.write_bytes(theirs))
    with pytest.raises(TargetChanged):
        reviewer.apply(plan_id)
    assert target.read_bytes() == theirs and temporaries(bench.project) == []
