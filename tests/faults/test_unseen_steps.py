"""Steps of an apply that leave no trace once it is done: who may read what is unfinished, what is flushed
before the first exchange, what is counted before the first write, what the journal says of a failure."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from studio.engine.apply import ending
from studio.engine.plan import PlanState
from studio.errors import StudioError
from studio.journal.entries import FaultKind, FileFault
from studio.system import syscalls
from studio.workspace import Reviewer, Workspace
from tests.engine.root.jail import few_handles
from tests.faults.bench import MANY, Bench, lay_out, propose_and_approve, tree
from tests.faults.test_recovery import NEW, OLD, Killed, kill, modify, once, temporaries

SECRET = {"op": "modify", "path": "a.txt", "content": "the key is 1234\n"}
FEW = MANY[:3]


@pytest.fixture
def no_umask() -> Any:
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.mark.usefixtures("no_umask")
def test_what_is_not_finished_only_its_owner_reads(
    bench: Bench, workspace: Workspace, reviewer: Reviewer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed when every byte is written and the target's own mode is not set yet: what lies there, for
    as long as nobody recovers, shows a private file's bytes to nobody."""
    (bench.project / "a.txt").write_text("old\n")
    (bench.project / "a.txt").chmod(0o600)
    plan_id = propose_and_approve(workspace, SECRET)
    with monkeypatch.context() as patch:
        patch.setattr(os, "fchmod", kill)
        with pytest.raises(Killed):
            reviewer.apply(plan_id)
    (unfinished,) = temporaries(bench.project)
    assert unfinished.read_text() == SECRET["content"]
    assert stat.S_IMODE(unfinished.stat().st_mode) == 0o600
    (plan,) = reviewer.recover()
    assert plan.state is PlanState.PAUSED and temporaries(bench.project) == []


def test_a_restore_that_was_killed_before_it_set_the_mode_is_made_anew(
    bench: Bench, workspace: Workspace, reviewer: Reviewer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bytes are whole, and the file still has the mode of what is not finished."""
    (bench.project / "a.txt").write_text(OLD)
    (bench.project / "a.txt").chmod(0o640)
    (bench.project / "b.txt").write_text(OLD)
    plan_id = modify(workspace, "a.txt", "b.txt")
    with monkeypatch.context() as patch:
        once(patch, ending, "record_done", kill)
        with pytest.raises(Killed):
            reviewer.apply(plan_id)
    for kept in temporaries(bench.project):
        kept.unlink()
    (bench.project / "b.txt").write_text(OLD)
    with monkeypatch.context() as patch:
        patch.setattr(os, "fchmod", kill)
        with pytest.raises(Killed):
            reviewer.recover()
    (unfinished,) = temporaries(bench.project)
    assert (unfinished.read_text(), stat.S_IMODE(unfinished.stat().st_mode)) == (OLD, 0o600)
    reviewer.recover()
    assert tree(bench.project)["a.txt"] == ("file", 0o640, OLD.encode())
    assert temporaries(bench.project) == []


def no_such_call(_handle: int) -> None:
    raise syscalls.Unsupported("syncfs")


def lacks_nothing(_patch: pytest.MonkeyPatch) -> None:
    return None


def lacks_syncfs(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(syscalls, "flush_file_system", no_such_call)


def old_kernel(patch: pytest.MonkeyPatch) -> None:
    """Before Linux 5.8 syncfs says that all went well, whatever happened."""
    patch.setattr(os, "uname", lambda: SimpleNamespace(release="5.7.0-generic"))


class Flushes:
    """What was flushed until the first result was put in its place, by inode; syncfs counts for itself."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.files: set[int] = set()
        self.file_systems: set[int] = set()
        self._is_over = False
        flush, flush_all, exchange = os.fsync, syscalls.flush_file_system, syscalls.exchange

        def flushed(handle: int) -> None:
            flush(handle)
            self._add(self.files, os.fstat(handle).st_ino)

        def all_flushed(handle: int) -> None:
            flush_all(handle)
            self._add(self.file_systems, os.fstat(handle).st_dev)

        def exchanged(folder: int, one: bytes, other: bytes) -> None:
            self._is_over = True
            exchange(folder, one, other)

        patch.setattr(os, "fsync", flushed)
        patch.setattr(syscalls, "flush_file_system", all_flushed)
        patch.setattr(syscalls, "exchange", exchanged)

    def _add(self, seen: set[int], number: int) -> None:
        if not self._is_over:
            seen.add(number)


@pytest.mark.parametrize(
    ("steps", "lacks", "together"),
    [
        (FEW, lacks_nothing, False),
        (MANY, lacks_nothing, True),
        (MANY, lacks_syncfs, False),
        (MANY, old_kernel, False),
    ],
    ids=["a few", "many", "many without syncfs", "many on an old kernel"],
)
def test_every_result_is_on_the_disk_before_the_first_one_is_in_place(
    bench: Bench,
    workspace: Workspace,
    reviewer: Reviewer,
    monkeypatch: pytest.MonkeyPatch,
    *,
    steps: tuple[dict[str, Any], ...],
    lacks: Callable[[pytest.MonkeyPatch], None],
    together: bool,
) -> None:
    """Where the one flush for all is missing, each file gets its own."""
    lay_out(bench.project)
    plan_id = propose_and_approve(workspace, *steps)
    with monkeypatch.context() as patch:
        lacks(patch)
        flushes = Flushes(patch)
        assert reviewer.apply(plan_id).state is PlanState.COMPLETED
    results = {(bench.project / step["path"]).stat().st_ino for step in steps}
    assert flushes.file_systems == ({bench.project.stat().st_dev} if together else set())
    assert together or results <= flushes.files


def test_a_file_whose_flush_failed_is_written_anew_and_never_flushed_again(
    bench: Bench, workspace: Workspace, reviewer: Reviewer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second flush of the same file would say that all is well, and the bytes would be gone."""
    (bench.project / "a.txt").write_text(OLD)
    plan_id = modify(workspace, "a.txt")
    failed: list[int] = []
    flush = os.fsync

    def fail_once(handle: int) -> None:
        if not failed:
            failed.append(os.dup(handle))  # as long as it is open nobody else gets its inode
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        assert not os.path.samestat(os.fstat(handle), os.fstat(failed[0]))
        flush(handle)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fail_once)
        assert reviewer.apply(plan_id).state is PlanState.COMPLETED
    status = os.fstat(failed[0])
    os.close(failed[0])
    assert status.st_nlink == 0 and not os.path.samestat(status, (bench.project / "a.txt").stat())
    assert (bench.project / "a.txt").read_text() == NEW and temporaries(bench.project) == []


def test_what_was_read_back_wrongly_is_flushed_when_it_is_written_anew(
    bench: Bench, workspace: Workspace, reviewer: Reviewer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The one flush for all of them was before."""
    lay_out(bench.project)
    plan_id = propose_and_approve(workspace, *MANY)
    write, wrong = os.write, [b"bad"]
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", lambda handle, data: write(handle, wrong.pop() if wrong else data))
        flushes = Flushes(patch)
        assert reviewer.apply(plan_id).state is PlanState.COMPLETED
    anew = flushes.files & {(bench.project / step["path"]).stat().st_ino for step in MANY}
    assert len(anew) == 1 and wrong == []


HANDLES = 25
"""How many files an apply may need open at a time, the writer lock among them."""


def test_too_few_handles_stop_an_apply_before_it_begins(
    bench: Bench, workspace: Workspace, reviewer: Reviewer
) -> None:
    """At once and with nothing asked for in the journal, not with half of the files prepared."""
    for folder in range(12):
        (bench.project / f"d{folder}").mkdir()
        (bench.project / f"d{folder}/a.txt").write_text(OLD)
    plan_id = modify(workspace, *(f"d{folder}/a.txt" for folder in range(12)))
    before = tree(bench.project)
    for spare in (0, HANDLES // 2, HANDLES - 1):
        with few_handles(spare), pytest.raises(StudioError) as caught:
            reviewer.apply(plan_id)
        assert "Nothing was written" in caught.value.message and caught.value.hint
        assert workspace.proposer.plan(plan_id).state is PlanState.APPROVED
        assert tree(bench.project) == before and not workspace.needs_recovery
    assert workspace.journal.newest() == ()
    with few_handles(HANDLES):
        assert reviewer.apply(plan_id).state is PlanState.COMPLETED
        reviewer.rollback(plan_id)
    assert tree(bench.project) == before


@pytest.mark.parametrize(
    ("number", "kind"),
    [
        (errno.ENOSPC, FaultKind.DISK_FULL),
        (errno.EDQUOT, FaultKind.DISK_FULL),
        (errno.EACCES, FaultKind.ACCESS_DENIED),
        (errno.EROFS, FaultKind.ACCESS_DENIED),
        (errno.EIO, FaultKind.IO_ERROR),
        (None, FaultKind.IO_ERROR),
    ],
    ids=["full", "quota", "denied", "read-only", "broken", "killed"],
)
def test_the_journal_says_what_kind_of_fault_it_was(
    bench: Bench,
    workspace: Workspace,
    reviewer: Reviewer,
    monkeypatch: pytest.MonkeyPatch,
    *,
    number: int | None,
    kind: FaultKind,
) -> None:
    """Of every request of the plan, also of those that had gone well until then."""
    for name in ("a.txt", "b.txt"):
        (bench.project / name).write_text(OLD)
    plan_id = modify(workspace, "a.txt", "b.txt")

    def fail(*_: object) -> None:
        if number is None:
            raise Killed
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as patch:
        once(patch, syscalls, "exchange", fail, 2)
        with pytest.raises((StudioError, Killed)):
            reviewer.apply(plan_id)
    reviewer.recover()
    assert {path.read_text() for path in bench.project.iterdir()} == {OLD} != {NEW}
    faults = [row.entry for row in workspace.journal.newest() if isinstance(row.entry, FileFault)]
    assert sorted(fault.path for fault in faults) == ["a.txt", "b.txt"]
    assert {fault.fault_kind for fault in faults} == {kind}
