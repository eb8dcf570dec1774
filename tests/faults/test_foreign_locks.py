"""Files that other programs have locked are neither replaced nor deleted."""

from __future__ import annotations

import fcntl
import json
import os
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from threading import Event

import pytest

from studio.engine import disk
from studio.engine.apply import ending
from studio.engine.apply.gateway import ApplyRefused
from studio.engine.disk import foreign_locks
from studio.engine.disk.foreign_locks import LeasePatience, wait_until_free
from studio.engine.plan import PlanState, StepState
from studio.engine.root import ProjectRoot
from studio.errors import FileLocked, Refused
from studio.formats import detect
from studio.limits import LOCK_TIMEOUT_SECONDS
from studio.system.os_errors import LockHeld, find_lock_holders, reason
from studio.workspace import Reviewer, Workspace
from tests.doors.conftest import CommandLine, set_review
from tests.faults.bench import Bench, propose_and_approve, tree

LOCKER = """
import fcntl, os, struct, sys
kind, *paths = sys.argv[1:]
files = [open(path, "rb+") for path in paths]
for file in files:
    if kind == "flock":
        fcntl.flock(file, fcntl.LOCK_SH)
    elif kind == "posix":
        fcntl.lockf(file, fcntl.LOCK_EX, 1, 2)
    elif kind == "ofd":
        fcntl.fcntl(file, fcntl.F_OFD_SETLK, struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0))
    else:
        fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_WRLCK)
        import signal
        signal.signal(signal.SIGIO, signal.SIG_IGN)
print("locked", flush=True)
sys.stdin.read()
"""


class Time:
    """A clock that only sleeping moves; `at` is called with each new time."""

    def __init__(self, at: Callable[[float], None] = lambda _: None) -> None:
        self.now = 0.0
        self.pauses: list[float] = []
        self._at = at

    def clock(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now += seconds
        self._at(self.now)


@contextmanager
def locked(kind: str, *paths: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process holds locks on the files until its input ends."""
    command = [sys.executable, "-c", LOCKER, kind, *map(str, paths)]
    holder = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert holder.stdin is not None and holder.stdout is not None
    try:
        assert holder.stdout.readline() == "locked\n"
        yield holder
    finally:
        holder.stdin.close()
        holder.wait()
        holder.stdout.close()


def release(holder: subprocess.Popen[str]) -> None:
    assert holder.stdin is not None
    holder.stdin.close()
    holder.wait()


@pytest.mark.parametrize("kind", ["flock", "posix", "ofd", "lease"])
def test_every_kind_of_lock_is_seen_for_five_seconds(kind: str, bench: Bench) -> None:
    for name in ("a.txt", "b.txt"):
        (bench.project / name).write_text("abcdef")
    time = Time()
    with ProjectRoot(bench.project) as root, locked(kind, bench.project / "a.txt") as holder:
        found = wait_until_free(root, ["a.txt", "b.txt"], clock=time.clock, sleep=time.sleep)
        assert list(found) == ["a.txt"]
        error = found["a.txt"]
        assert isinstance(error, FileLocked) and error.retryable and error.registry == "FS-005"
        assert "a.txt" in error.message and "try again" in error.hint
        if kind != "ofd":  # of those the system names no process
            assert f"(process {holder.pid})" in error.message and "python" in error.message
    assert time.now == pytest.approx(LOCK_TIMEOUT_SECONDS)
    assert time.pauses[:4] == pytest.approx([0.02, 0.04, 0.08, 0.16]), "exponential back-off"
    assert len(time.pauses) < 12
    with ProjectRoot(bench.project) as root:
        assert wait_until_free(root, ["a.txt", "b.txt"], clock=time.clock, sleep=time.sleep) == {}


def test_a_lock_that_is_let_go_in_time_costs_only_the_waiting(bench: Bench) -> None:
    file = bench.project / "a.txt"
    file.write_text("a")
    with ProjectRoot(bench.project) as root, locked("flock", file) as holder:
        time = Time(lambda now: release(holder) if now > 1 and holder.poll() is None else None)
        assert wait_until_free(root, ["a.txt"], clock=time.clock, sleep=time.sleep) == {}
    assert 1 < time.now < 3


def test_asking_holds_nothing_and_what_is_no_file_is_not_asked(bench: Bench) -> None:
    """Nothing else is tried again."""
    (bench.project / "a.txt").write_text("a")
    (bench.project / "link").symlink_to("a.txt")
    os.mkfifo(bench.project / "pipe")
    time = Time()
    with ProjectRoot(bench.project) as root, (bench.project / "a.txt").open("rb") as own:
        paths = ["a.txt", "missing", "no/folder", "link", "pipe"]
        assert wait_until_free(root, paths, clock=time.clock, sleep=time.sleep) == {}
        fcntl.flock(own, fcntl.LOCK_EX | fcntl.LOCK_NB)
        assert list(wait_until_free(root, paths, clock=time.clock, sleep=time.sleep)) == ["a.txt"]
        status = os.fstat(own.fileno())
        assert find_lock_holders((status.st_dev, status.st_ino))[0].endswith(f"(process {os.getpid()})")
        assert find_lock_holders((status.st_dev, 0)) == ()


def test_who_only_waits_for_a_lock_is_not_called_its_holder(bench: Bench) -> None:
    file = bench.project / "a.txt"
    file.write_text("a")
    command = [sys.executable, "-c", LOCKER, "flock", str(file)]
    with file.open("rb") as own:
        fcntl.flock(own, fcntl.LOCK_EX)
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as waiting:
            while not any("->" in line and f" {waiting.pid} " in line for line in lock_table()):
                Event().wait(0.01)
            status = os.fstat(own.fileno())
            (holder,) = find_lock_holders((status.st_dev, status.st_ino))
            fcntl.flock(own, fcntl.LOCK_UN)
    assert holder.endswith(f"(process {os.getpid()})")


def lock_table() -> list[str]:
    return Path("/proc/locks").read_text().splitlines()


def test_a_reader_with_a_shared_record_lock_is_seen_too(bench: Bench) -> None:
    (bench.project / "a.txt").write_text("a")
    record = struct.pack("hhqqi4x", fcntl.F_RDLCK, os.SEEK_SET, 0, 1, 0)
    with ProjectRoot(bench.project) as root, (bench.project / "a.txt").open("rb") as reader:
        fcntl.fcntl(reader, fcntl.F_OFD_SETLK, record)
        assert list(wait_until_free(root, ["a.txt"], timeout=0)) == ["a.txt"]


@pytest.mark.parametrize("kind", ["flock", "lease"])
def test_the_gateway_reports_every_locked_file_and_writes_nothing(
    kind: str, bench: Bench, workspace: Workspace, reviewer: Reviewer, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ["a.txt", "b.txt", "c.txt", "free.txt"]
    for name in names:
        (bench.project / name).write_text("old")
    before = tree(bench.project)
    plan_id = propose_and_approve(
        workspace,
        {"op": "modify", "path": "a.txt", "content": "new"},
        {"op": "delete", "path": "b.txt"},
        {"op": "move", "path": "c.txt", "to": "d.txt"},
        {"op": "modify", "path": "free.txt", "content": "new"},
        {"op": "create", "path": "new.txt", "content": "new"},
    )
    time = Time()
    patient = partial(wait_until_free, clock=time.clock, sleep=time.sleep)
    monkeypatch.setattr(disk, "wait_until_free", patient)
    monkeypatch.setattr(foreign_locks, "wait_until_free", patient)
    with locked(kind, *(bench.project / name for name in names[:3])):
        with pytest.raises(ApplyRefused) as caught:
            reviewer.apply(plan_id)
        assert {number: problem.code for number, problem in caught.value.problems.items()} == {
            1: "disk.locked",
            2: "disk.locked",
            3: "disk.locked",
        }
        assert workspace.proposer.plan(plan_id).state is PlanState.APPROVED
    assert tree(bench.project) == before
    assert time.now == pytest.approx(LOCK_TIMEOUT_SECONDS), "5 s in all, not for each file"
    assert reviewer.apply(plan_id).state is PlanState.COMPLETED


def test_the_command_line_tells_who_holds_it_and_goes_on_afterwards(bench: Bench) -> None:
    """With a real process and the real clock; a lease is in the way before the file can even be read."""
    (bench.project / "a.txt").write_text("old")
    set_review("allow")
    studio = CommandLine(bench.project, here=True)
    plan = studio.submit({"op": "modify", "path": "a.txt", "content": "new"})["plan"]
    assert studio("approve", plan).code == 0
    with locked("lease", bench.project / "a.txt") as holder:
        refused = studio("apply", plan)
        assert refused.code == 1
        assert refused.error["code"] == "disk.locked"
        assert (refused.error["registry"], refused.error["retryable"]) == ("FS-005", True)
        assert "a.txt" in refused.error["message"] and f"process {holder.pid}" in refused.error["message"]
        assert studio("show", plan).json["state"] == "approved", "a file that can't be read is not stale"
    assert (bench.project / "a.txt").read_text() == "old"
    assert studio("apply", plan).json["state"] == "completed"
    assert (bench.project / "a.txt").read_text() == "new"


def test_a_rollback_waits_for_a_lease_and_does_not_call_it_a_change(
    bench: Bench, workspace: Workspace, reviewer: Reviewer
) -> None:
    file = bench.project / "a.txt"
    file.write_text("old")
    plan_id = propose_and_approve(workspace, {"op": "modify", "path": "a.txt", "content": "new"})
    reviewer.apply(plan_id)
    with locked("lease", file) as holder, ThreadPoolExecutor(1) as helper:
        # Looking at the file asks its holder to let go; he does once the rollback has met the lease.
        helper.submit(lambda: (_met(file), release(holder)))
        assert reviewer.rollback(plan_id).state is PlanState.COMPLETED
    assert file.read_text() == "old"


def _met(file: Path) -> None:
    """Wait until somebody has asked the holder of a lease to give it back."""
    inode = f":{file.stat().st_ino} "
    while f"{inode}0 EOF" not in (locks := Path("/proc/locks").read_text()) or "BREAKING" not in locks:
        Event().wait(0.01)


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> Time:
    """The clock by which leases are waited for: it moves by sleeping alone."""
    time = Time()
    waiting = partial(wait_until_free, clock=time.clock, sleep=time.sleep)
    monkeypatch.setattr(foreign_locks, "wait_until_free", waiting)
    return time


@pytest.mark.parametrize("op", ["modify", "delete", "create"])
def test_a_proposal_waits_for_a_lease_that_is_given_back(op: str, bench: Bench) -> None:
    """Another program saves the file just now: that is no reason to refuse what an agent proposes for it."""
    file = bench.project / "a.txt"
    file.write_text("old")
    studio = CommandLine(bench.project, here=True)
    step = {"op": op, "path": "a.txt"} | (
        {} if op == "delete" else {"content": "old" if op == "create" else "new"}
    )
    with locked("lease", file) as holder, ThreadPoolExecutor(1) as helper:
        helper.submit(lambda: (_met(file), release(holder)))
        (told,) = studio.submit(step)["steps"]
    assert told["state"] == ("already_applied" if op == "create" else "pending")


def test_a_proposal_names_who_keeps_a_lease_and_waits_five_seconds_for_all(
    bench: Bench, workspace: Workspace, patient: Time
) -> None:
    steps = [{"op": "modify", "path": name, "content": "new"} for name in ("a.txt", "b.txt", "c.txt")]
    for step in steps:
        (bench.project / step["path"]).write_text("old")
    with locked("lease", bench.project / "a.txt", bench.project / "b.txt") as holder:
        plan = workspace.proposer.propose(detect.read(json.dumps({"title": "t", "steps": steps}).encode()))
    assert [step.state for step in plan.steps] == [StepState.INVALID, StepState.INVALID, StepState.PENDING]
    for step in plan.steps[:2]:
        (problem,) = step.problems
        assert problem.code == "disk.locked"
        assert step.path in problem.message and f"(process {holder.pid})" in problem.message
    assert patient.now == pytest.approx(LOCK_TIMEOUT_SECONDS)


def test_recovery_waits_for_a_lease_names_its_holder_and_leaves_all_as_it_is(
    bench: Bench, workspace: Workspace, reviewer: Reviewer, monkeypatch: pytest.MonkeyPatch, patient: Time
) -> None:
    for name in ("a.txt", "b.txt"):
        (bench.project / name).write_text("old")
    plan_id = propose_and_approve(
        workspace,
        {"op": "modify", "path": "a.txt", "content": "new"},
        {"op": "modify", "path": "b.txt", "content": "new"},
    )

    def kill(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(ending, "record_done", kill)
        with pytest.raises(KeyboardInterrupt):
            reviewer.apply(plan_id)
    before = tree(bench.project)
    with locked("lease", bench.project / "b.txt") as holder:
        with pytest.raises(Refused, match=f"can't be finished: b.txt is locked by .* {holder.pid}") as caught:
            reviewer.recover()
        assert caught.value.code == "recovery.blocked"
        assert patient.now == pytest.approx(LOCK_TIMEOUT_SECONDS)
        assert workspace.proposer.plan(plan_id).state is PlanState.EXECUTING
    assert tree(bench.project) == before
    (plan,) = reviewer.recover()
    assert plan.state is PlanState.COMPLETED


def test_any_look_at_a_file_under_a_lease_names_its_holder(bench: Bench) -> None:
    (bench.project / "a.txt").write_text("a")
    with ProjectRoot(bench.project) as root, locked("lease", bench.project / "a.txt") as holder:
        for look in (root.digest, partial(root.read, limit=9)):
            with pytest.raises(BlockingIOError) as caught:
                look("a.txt")
            assert "locked by python" in reason(caught.value) and f"{holder.pid}" in reason(caught.value)


def test_a_file_that_is_held_whenever_it_is_looked_at_is_given_up(bench: Bench, patient: Time) -> None:
    """Nothing at that place is locked when it is asked: the look would be tried for ever."""
    looks: list[int] = []

    def look() -> None:
        looks.append(1)
        raise LockHeld("gone.txt", bench.project.stat())

    with (
        ProjectRoot(bench.project) as root,
        pytest.raises(FileLocked, match=r"gone\.txt can't be read: it is"),
    ):
        LeasePatience(root).retry(look)
    assert len(looks) < 300
