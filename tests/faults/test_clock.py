"""The clock set back or ahead changes neither order nor undo nor recovery: only times that are shown."""

from __future__ import annotations

import threading
import time
from datetime import datetime, timedelta, tzinfo
from itertools import count
from typing import Self

import pytest

from studio.engine.apply import ending
from studio.engine.plan import PlanState
from studio.engine.store import rows
from studio.extras.observed import Watcher
from studio.workspace import Reviewer, Workspace
from tests.faults.bench import Bench, propose_and_approve, tree
from tests.faults.test_recovery import NEW, OLD, Killed, kill, once
from tests.tools.inside import context_of

YEAR = timedelta(days=365)


class Clock(datetime):
    """The wall clock of the engine, wrong by `off`."""

    off = timedelta()

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> Self:
        wrong = datetime.now(tz) + cls.off
        return cls.fromisoformat(wrong.isoformat())


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> type[Clock]:
    monkeypatch.setattr(rows, "datetime", Clock)
    monkeypatch.setattr(Clock, "off", timedelta())
    return Clock


def create(workspace: Workspace, number: int) -> str:
    step = {"op": "create", "path": f"{number}.txt", "content": f"{number}\n"}
    return propose_and_approve(workspace, step)


def test_history_is_in_the_order_of_applying(
    workspace: Workspace, reviewer: Reviewer, clock: type[Clock]
) -> None:
    applied: list[str] = []
    for number, years in enumerate((0, -1, 2, -30, 0)):
        clock.off = years * YEAR
        plan_id = create(workspace, number)
        clock.off -= timedelta(hours=1)  # also between the decision and the apply
        assert reviewer.apply(plan_id).state is PlanState.COMPLETED
        applied.append(plan_id)
    clock.off = -5 * YEAR
    back = reviewer.rollback(applied[3])
    assert [entry.plan.id for entry in workspace.proposer.history()] == [back.id, *reversed(applied)]
    journal = context_of(workspace).store.journal
    assert [row.position for row in journal.rows()] == list(range(1, len(journal.rows()) + 1))
    assert journal.verify().damaged_at is None


def test_undo_of_a_plan_applied_under_a_wrong_clock_is_kept(
    workspace: Workspace, reviewer: Reviewer, clock: type[Clock]
) -> None:
    """It counts as new as it is, and as the plans before it."""
    clock.off = -YEAR
    oldest = create(workspace, 0)
    reviewer.apply(oldest)
    clock.off = timedelta()
    reviewer.apply(create(workspace, 1))
    clock.off = -2 * YEAR
    wrong = create(workspace, 2)
    reviewer.apply(wrong)
    clock.off = timedelta()
    for number in range(3, 14):
        reviewer.apply(create(workspace, number))
    report = workspace.proposer.retention()
    assert not report.due, "what was due went with the last apply"
    gone = {entry.plan.id for entry in workspace.proposer.history() if entry.plan.discarded is not None}
    assert gone == {oldest}
    assert reviewer.rollback(wrong).state is PlanState.COMPLETED


@pytest.mark.parametrize("years", [-1, 1])
def test_recovery_does_not_ask_the_clock(
    bench: Bench,
    workspace: Workspace,
    reviewer: Reviewer,
    clock: type[Clock],
    monkeypatch: pytest.MonkeyPatch,
    *,
    years: int,
) -> None:
    (bench.project / "a.txt").write_text(OLD)
    plan_id = propose_and_approve(workspace, {"op": "modify", "path": "a.txt", "content": NEW})
    with monkeypatch.context() as patch:
        once(patch, ending, "record_done", kill)
        with pytest.raises(Killed):
            reviewer.apply(plan_id)
    clock.off = years * YEAR
    (plan,) = reviewer.recover()
    assert plan.state is PlanState.COMPLETED
    assert {name: entry[2] for name, entry in tree(bench.project).items()} == {"a.txt": NEW.encode()}


def test_the_watcher_tells_while_the_clock_runs_backward(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = count(2_000_000_000, -10)
    monkeypatch.setattr(time, "time", lambda: float(next(seconds)))
    told: list[frozenset[str]] = []
    came = threading.Event()

    def tell(paths: frozenset[str]) -> None:
        told.append(paths)
        came.set()

    watcher = Watcher(bench.project, tell)
    watcher.start()
    try:
        (bench.project / "a.txt").write_text("a")
        assert came.wait(10)
    finally:
        watcher.stop()
    assert "a.txt" in told[0]
