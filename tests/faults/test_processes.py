"""Several processes at one project, and plans at the limits of size."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from studio.engine import disk
from studio.engine.plan import Plan, PlanState
from studio.errors import Refused, TimedOut
from studio.formats import detect
from studio.workspace import Reviewer, Workspace
from tests.faults.bench import PERSON, Bench, plan_text, propose_and_approve, tree
from tests.tools.inside import context_of

ROOT = Path(__file__).parents[2]

APPLY = """
import sys
from studio.errors import StudioError
from studio.workspace import Workspace
from tests.faults.bench import PERSON
workspace = Workspace.open(sys.argv[1])
print("ready", flush=True)
sys.stdin.readline()
try:
    print(workspace.reviewer(PERSON).apply(sys.argv[2]).state.value)
except StudioError as error:
    print(error.code)
workspace.close()
"""

DISMISS = """
import sys
from studio.errors import StudioError
from studio.workspace import Workspace
from tests.faults.bench import PERSON
workspace = Workspace.open(sys.argv[1])
print("ready", flush=True)
sys.stdin.readline()
try:
    reviewer = workspace.reviewer(PERSON)
    verb = {"dismiss": reviewer.dismiss, "take_back": reviewer.take_back}[sys.argv[3]]
    print(verb(sys.argv[2]).state.value)
except StudioError as error:
    print(error.code)
workspace.close()
"""

HOLD = """
import sys, threading
from pathlib import Path
from studio.engine import disk
from tests.tools.inside import context_of
with disk.writer_lock(Path(sys.argv[1])):
    print("ready", flush=True)
    threading.Event().wait()
"""


@contextmanager
def process(source: str, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """A process that has said that it is ready; killed at the end, if it still runs."""
    started = subprocess.Popen(
        [sys.executable, "-c", source, *arguments],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert started.stdout is not None
    assert started.stdout.readline() == "ready\n"
    try:
        yield started
    finally:
        started.kill()
        started.communicate()


def test_two_processes_apply_one_plan_once(bench: Bench, workspace: Workspace, reviewer: Reviewer) -> None:
    """One writes it, the other is told that it is done; nobody writes twice."""
    for number in range(30):
        (bench.project / f"{number}.txt").write_text("old\n")
    plan_id = propose_and_approve(
        workspace, *({"op": "append", "path": f"{number}.txt", "content": "new\n"} for number in range(30))
    )
    project = str(bench.project)
    with process(APPLY, project, plan_id) as one, process(APPLY, project, plan_id) as other:
        for each in (one, other):
            assert each.stdin is not None
            each.stdin.write("go\n")
            each.stdin.flush()
        said = sorted(each.communicate()[0].strip() for each in (one, other))
    assert said == ["completed", "plan.state"]
    assert {entry[2] for entry in tree(bench.project).values()} == {b"old\nnew\n"}
    rows = context_of(workspace).store.journal.rows(plan_id=plan_id)
    assert len(rows) == 60 and context_of(workspace).store.journal.verify().damaged_at is None


@pytest.mark.parametrize("rival", ["dismiss", "take_back"])
def test_two_processes_end_a_rejected_plan_one_way(
    bench: Bench, workspace: Workspace, reviewer: Reviewer, rival: str
) -> None:
    """Dismissed once, or open again with every byte; never dismissed and open, nor open without its bytes."""
    plan_id = propose_and_approve(workspace, {"op": "create", "path": "a.txt", "content": "a\n"})
    reviewer.take_back(plan_id)
    reviewer.reject(plan_id, reason="no")
    project = str(bench.project)
    with (
        process(DISMISS, project, plan_id, "dismiss") as one,
        process(DISMISS, project, plan_id, rival) as other,
    ):
        for each in (one, other):
            assert each.stdin is not None
            each.stdin.write("go\n")
            each.stdin.flush()
        said = sorted(each.communicate()[0].strip() for each in (one, other))
    plan = workspace.proposer.plan(plan_id)
    store = context_of(workspace).store
    if plan.state is PlanState.DISMISSED:
        assert said == ["dismissed", "plan.state"]
        assert plan.dismissal is not None and plan.dismissal.was is PlanState.REJECTED
        assert store.blobs.missing(plan.contents) == plan.contents
    else:
        assert said == ["pending", "plan.state"]
        assert store.blobs.missing(plan.contents) == frozenset()


def test_a_plan_opened_again_while_it_is_dismissed_stays_open(
    workspace: Workspace, reviewer: Reviewer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Taking back a decision waits for no other writer."""
    plan_id = propose_and_approve(workspace, {"op": "create", "path": "a.txt", "content": "a\n"})
    reviewer.take_back(plan_id)
    reviewer.reject(plan_id, reason="no")
    store = context_of(workspace).store
    unfinished = store.plans.unfinished

    def take_back_meanwhile() -> tuple[Plan, ...]:
        reviewer.take_back(plan_id)
        return unfinished()

    monkeypatch.setattr(store.plans, "unfinished", take_back_meanwhile)
    with pytest.raises(Refused, match="can't become dismissed"):
        reviewer.dismiss(plan_id)
    plan = workspace.proposer.plan(plan_id)
    assert plan.state is PlanState.PENDING and store.blobs.missing(plan.contents) == frozenset()


def test_what_a_dismissal_frees_is_stored_again_for_a_proposal_that_came_meanwhile(
    workspace: Workspace, reviewer: Reviewer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between storing its bytes and its rows a proposal holds no lock."""
    step = {"op": "create", "path": "a.txt", "content": "a\n"}
    old = workspace.proposer.propose(detect.read(plan_text(step)))
    workspace.proposer.withdraw(old.id)
    blobs = context_of(workspace).store.blobs
    add = blobs.add
    calls: list[int] = []

    def add_and_lose(contents: Iterable[bytes], *, durable: bool) -> frozenset[str]:
        names = add(contents, durable=durable)
        if not calls:
            reviewer.dismiss(old.id)
        calls.append(len(names))
        return names

    monkeypatch.setattr(blobs, "add", add_and_lose)
    new = workspace.proposer.propose(detect.read(plan_text(step)))
    assert calls == [1, 1]
    assert workspace.proposer.contents(new.id, 1).result == b"a\n"


def test_a_lock_ends_with_its_process(
    bench: Bench, workspace: Workspace, reviewer: Reviewer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While it is held nobody writes, and is told so; a killed holder holds nothing."""
    plan_id = propose_and_approve(workspace, {"op": "create", "path": "a.txt", "content": "a\n"})
    lock = context_of(workspace).store.lock_file
    wait = disk.writer_lock
    with process(HOLD, str(lock)) as holder:
        with monkeypatch.context() as patch:
            patch.setattr(disk, "writer_lock", lambda file: wait(file, timeout=0.05))
            with pytest.raises(TimedOut, match="writing to this project") as caught:
                reviewer.apply(plan_id)
        assert caught.value.hint
        assert tree(bench.project) == {}
        assert workspace.proposer.plan(plan_id).state is PlanState.APPROVED
        os.kill(holder.pid, signal.SIGKILL)
        holder.wait()
        assert reviewer.apply(plan_id).state is PlanState.COMPLETED


def test_two_threads_apply_different_plans(bench: Bench, workspace: Workspace) -> None:
    """The lock holds between threads of one process as well; each has its own store."""
    plans = [
        propose_and_approve(workspace, {"op": "create", "path": f"{number}.txt", "content": f"{number}\n"})
        for number in range(6)
    ]
    states: list[PlanState] = []

    def apply(plan_id: str) -> None:
        states.append(workspace.reviewer(PERSON).apply(plan_id).state)
        workspace.close_thread()

    threads = [threading.Thread(target=apply, args=(plan_id,)) for plan_id in plans]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert states == [PlanState.COMPLETED] * 6
    assert len(tree(bench.project)) == 6


def test_a_thousand_steps_and_back(bench: Bench, workspace: Workspace, reviewer: Reviewer) -> None:
    """The longest plan there may be."""
    for number in range(600):
        folder = bench.project / f"d{number % 20}"
        folder.mkdir(exist_ok=True)
        (folder / f"{number}.txt").write_text(f"old {number}\n")
    old = tree(bench.project)
    plan_id = propose_and_approve(
        workspace,
        *({"op": "modify", "path": f"d{n % 20}/{n}.txt", "content": f"new {n}\n"} for n in range(400)),
        *({"op": "delete", "path": f"d{n % 20}/{n}.txt"} for n in range(400, 600)),
        *({"op": "create", "path": f"made/e{n % 20}/{n}.txt", "content": f"{n}\n"} for n in range(400)),
    )
    assert len(workspace.proposer.plan(plan_id).steps) == 1000
    assert reviewer.apply(plan_id).state is PlanState.COMPLETED
    now = tree(bench.project)
    assert sum(entry[0] == "file" for entry in now.values()) == 800
    assert now["d7/7.txt"][2] == b"new 7\n" and now["made/e3/3.txt"][2] == b"3\n"
    reviewer.rollback(plan_id)
    assert tree(bench.project) == old


def test_a_file_of_nine_megabytes(bench: Bench, workspace: Workspace, reviewer: Reviewer) -> None:
    """Near the largest file; its content lies beside the database."""
    line = "".join(chr(33 + number * 7 % 90) for number in range(99)) + "\n"
    content = "".join(f"{number:08}{line}" for number in range(9 * 1024 * 1024 // 108))
    (bench.project / "big.txt").write_text(content)
    plan_id = propose_and_approve(workspace, {"op": "append", "path": "big.txt", "content": "the end\n"})
    reviewer.apply(plan_id)
    assert (bench.project / "big.txt").read_text() == content + "the end\n"
    reviewer.rollback(plan_id)
    assert (bench.project / "big.txt").read_text() == content
