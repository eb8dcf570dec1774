"""Another program, or the store, gets in the way at one certain moment of an apply."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from typing import Any

import pytest

from studio.engine.apply import ending, gateway
from studio.engine.branch.posix import PosixFS
from studio.engine.disk import TargetChanged
from studio.engine.plan import PlanState
from studio.errors import StudioError
from studio.workspace import Reviewer, Workspace
from tests.faults.bench import PERSON, Bench, propose_and_approve, tree
from tests.faults.test_recovery import OLD, once, temporaries
from tests.tools.inside import context_of

THEIRS = "theirs\n"
STEPS = {
    "modify": {"op": "modify", "path": "sub/b.txt", "content": "ours\n"},
    "delete": {"op": "delete", "path": "sub/b.txt"},
    "move": {"op": "move", "path": "sub/b.txt", "to": "c.txt"},
    "mode": {"op": "mode", "path": "sub/b.txt", "executable": True},
}
MOMENTS: dict[str, tuple[object, str]] = {
    "after the validation": (gateway, "begin"),
    "after the staging": (PosixFS, "commit"),
}


@pytest.mark.parametrize("manner", ["atomically", "in place"])
@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("step", STEPS)
def test_a_target_changed_before_its_exchange(
    bench: Bench,
    workspace: Workspace,
    reviewer: Reviewer,
    monkeypatch: pytest.MonkeyPatch,
    *,
    step: str,
    moment: str,
    manner: str,
) -> None:
    """Their bytes stand, the other file is as it was, the plan ends failed, nothing of ours is left."""
    (bench.project / "sub").mkdir()
    for name in ("a.txt", "sub/b.txt"):
        (bench.project / name).write_text(OLD)
    target = bench.project / "sub/b.txt"
    first = {"op": "modify", "path": "a.txt", "content": "ours\n"}
    plan_id = propose_and_approve(workspace, first, STEPS[step])
    started = tree(bench.project)

    def write(*_: object) -> None:
        if manner == "atomically":
            (bench.project / "theirs").write_text(THEIRS)
            (bench.project / "theirs").replace(target)
        else:
            target.write_text(THEIRS)

    owner, name = MOMENTS[moment]
    once(monkeypatch, owner, name, write)
    with pytest.raises(TargetChanged):
        reviewer.apply(plan_id)
    wanted = {**started, "sub/b.txt": ("file", started["sub/b.txt"][1], THEIRS.encode())}
    assert tree(bench.project) == wanted
    assert workspace.proposer.plan(plan_id).state is PlanState.FAILED
    store = context_of(workspace).store
    assert not store.journal.unanswered(plan_id) and store.journal.verify().damaged_at is None
    assert not store.plans.unfinished()


def hold_store(workspace: Workspace) -> Callable[[], object]:
    """Another process writes to the store for long; the answer lets it go on."""
    other = sqlite3.connect(context_of(workspace).store.database.file, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")

    def release() -> None:
        other.execute("ROLLBACK")
        other.close()

    return release


def fill_store(workspace: Workspace) -> Callable[[], object]:
    """The store can't grow by one page; the answer gives it room."""
    connection = context_of(workspace).store.database.connection
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    connection.execute(f"PRAGMA max_page_count = {pages}")
    return lambda: connection.execute("PRAGMA max_page_count = 1000000")


@pytest.mark.parametrize(
    ("trouble", "moment", "ended"),
    [
        (hold_store, (gateway, "begin"), "store.busy"),
        (fill_store, (gateway, "begin"), "state.full"),
        (hold_store, (ending, "record_done"), "apply.unrecorded"),
        (fill_store, (ending, "record_done"), "apply.unrecorded"),
        (hold_store, (ending, "sweep"), "done"),
    ],
    ids=[
        "busy at the requests",
        "full at the requests",
        "busy at the replies",
        "full at the replies",
        "busy at the end",
    ],
)
def test_a_store_that_is_busy_or_full(
    bench: Bench,
    monkeypatch: pytest.MonkeyPatch,
    trouble: Callable[[Workspace], Callable[[], object]],
    moment: tuple[Any, str],
    ended: str,
) -> None:
    """Nothing is written, or all of it; the next recovery records it, and nothing of ours is left."""
    monkeypatch.setattr("studio.engine.store.database.STORE_BUSY_SECONDS", 0.05)
    names = [f"{number}.txt" for number in range(40)]
    for name in names:
        (bench.project / name).write_text(OLD)
    workspace: Workspace = bench.open()
    reviewer: Reviewer = workspace.reviewer(PERSON)
    plan_id = propose_and_approve(
        workspace, *({"op": "modify", "path": name, "content": "ours\n"} for name in names)
    )
    release: list[Callable[[], object]] = []
    original = getattr(*moment)

    def troubled(*arguments: Any) -> Any:
        if not release:
            release.append(trouble(workspace))
        return original(*arguments)

    monkeypatch.setattr(*moment, troubled)
    try:
        state = reviewer.apply(plan_id).state
    except StudioError as error:
        assert error.code == ended and error.message.endswith(".") and error.hint
    else:
        assert ended == "done" and state is PlanState.COMPLETED
    release[0]()
    reviewer.recover()
    is_written = ended in ("apply.unrecorded", "done")
    assert {entry[2].decode() for entry in tree(bench.project).values()} == {"ours\n" if is_written else OLD}
    assert temporaries(bench.project) == []
    state = workspace.proposer.plan(plan_id).state
    assert state is (PlanState.COMPLETED if is_written else PlanState.APPROVED)
    store = context_of(workspace).store
    assert not store.plans.unfinished() and not store.journal.unanswered(plan_id)
    assert store.journal.verify().damaged_at is None
    assert reviewer.apply(plan_id).state is PlanState.COMPLETED if not is_written else True
    workspace.close()


def test_a_system_that_gives_no_thread_after_the_record(
    bench: Bench, workspace: Workspace, reviewer: Reviewer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Everything is written and recorded; the displaced files go with the next recovery."""
    names = [f"{number}.txt" for number in range(150)]
    for name in names:
        (bench.project / name).write_text(OLD)
    plan_id = propose_and_approve(
        workspace, *({"op": "modify", "path": name, "content": "ours\n"} for name in names)
    )

    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", refuse)
        assert reviewer.apply(plan_id).state is PlanState.COMPLETED
    assert len(temporaries(bench.project)) == len(names)
    reviewer.recover()
    assert temporaries(bench.project) == []
    assert not workspace.needs_recovery
