"""Undo is kept for the newest plans and days, up to a size; what goes is visible before."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from studio.engine.apply import retention
from studio.engine.plan import Plan, PlanState
from studio.engine.project.context import Context
from studio.engine.store import Store
from studio.engine.store.rows import now, time_text
from studio.errors import Refused
from studio.workspace import Reviewer, Workspace
from tests.tools.inside import context_of


@pytest.fixture
def context(workspace: Workspace) -> Context:
    return context_of(workspace)


@pytest.fixture
def apply(propose: Callable[..., Plan], reviewer: Reviewer) -> Callable[..., Plan]:
    def call(path: str, content: str) -> Plan:
        plan = propose(
            json.dumps({"title": path, "steps": [{"op": "create", "path": path, "content": content}]})
        )
        reviewer.approve(plan.id)
        return reviewer.apply(plan.id)

    return call


def settings(**values: int) -> None:
    file = Path(os.environ["STUDIO_CONFIG_DIR"], "config.yaml")
    file.write_text(f"retention: {json.dumps(values)}\n")


def age(workspace: Workspace, plan: Plan, days: float) -> None:
    """Make a plan older than it is."""
    store = Store(workspace.state_folder)
    moment = time_text(now() - timedelta(days=days))
    with store.database.write() as connection:
        connection.execute(
            "UPDATE plans SET applied = ?, created = ? WHERE id = ?", (moment, moment, plan.id)
        )
        connection.execute("UPDATE parts SET applied = ? WHERE plan_id = ?", (moment, plan.id))
    store.close()


def titles(kept: tuple[retention.RetainedUndo, ...]) -> list[str]:
    return [undo.title for undo in kept]


def test_an_old_plan_stays_while_it_is_among_the_newest(
    workspace: Workspace, context: Context, apply: Callable[..., Plan]
) -> None:
    for number in range(3):
        age(workspace, apply(f"{number}.txt", "x"), 30 - number)
    settings(plans=2, days=7)
    report = retention.report(context)
    assert titles(report.retained) == ["2.txt", "1.txt", "0.txt"]
    assert titles(report.due) == ["1.txt", "0.txt"], "the next plan is one of the newest two"
    assert len(retention.discard_due(context)) == 1, "as long as there is none, one is one of them"


def test_many_young_plans_stay(workspace: Workspace, context: Context, apply: Callable[..., Plan]) -> None:
    settings(plans=1, days=7)
    for number in range(3):
        age(workspace, apply(f"{number}.txt", "x"), 6 - number)
    assert retention.report(context).due == ()


def test_what_is_due_goes_and_the_plan_stays_in_the_history(
    workspace: Workspace, context: Context, apply: Callable[..., Plan], reviewer: Reviewer
) -> None:
    settings(plans=1, days=7)
    old, new = apply("old.txt", "old bytes\n"), apply("new.txt", "new bytes\n")
    age(workspace, old, 8)
    assert retention.discard_due(context) == (old.id,)
    assert retention.report(context).discarded == 1
    entries = {entry.plan.id: entry.kept for entry in workspace.proposer.history()}
    assert entries == {old.id: False, new.id: True}
    with pytest.raises(Refused, match="was discarded"):
        reviewer.rollback(old.id)
    assert reviewer.rollback(new.id).state is PlanState.COMPLETED


def test_the_oldest_goes_at_the_cap_even_if_it_is_young(context: Context, apply: Callable[..., Plan]) -> None:
    for number in range(4):
        apply(f"{number}.bin", "".join(random.Random(number).choices("abcdefghij", k=40_000)))
    sizes = [undo.size for undo in retention.report(context).retained]
    assert all(size > 10_000 for size in sizes)
    settings(bytes=sum(sizes[:2]) + 100)
    assert titles(retention.report(context).due) == ["0.bin", "1.bin"]
    retention.discard_due(context)
    assert titles(retention.report(context).retained) == ["3.bin", "2.bin"]
    assert retention.discard_due(context) == ()


def test_a_rollback_does_not_count_as_a_plan(
    workspace: Workspace, context: Context, apply: Callable[..., Plan], reviewer: Reviewer
) -> None:
    settings(plans=1, days=7)
    first = apply("a.txt", "x")
    back = reviewer.rollback(first.id)
    for plan in (first, back):
        age(workspace, plan, 9)
    assert retention.report(context, next_is_rollback=True).due == ()
    assert retention.discard_due(context) == ()
    assert titles(retention.report(context).due) == ["Roll back “a.txt”", "a.txt"]


def test_bytes_that_an_open_plan_names_stay(
    workspace: Workspace, context: Context, apply: Callable[..., Plan], propose: Callable[..., Plan]
) -> None:
    apply("a.txt", "the same bytes\n")
    waiting = propose(
        json.dumps(
            {"title": "w", "steps": [{"op": "create", "path": "b.txt", "content": "the same bytes\n"}]}
        )
    )
    apply("c.txt", "other bytes\n")
    settings(plans=1, days=0)
    assert len(retention.discard_due(context)) == 1
    result = waiting.steps[0].result
    assert result is not None and context.store.blobs.get(result.sha256 or "") == b"the same bytes\n"


def test_an_apply_frees_what_is_due(workspace: Workspace, apply: Callable[..., Plan]) -> None:
    settings(plans=1, days=7)
    age(workspace, apply("old.txt", "old\n"), 8)
    assert [entry.kept for entry in workspace.proposer.history()] == [True]
    apply("new.txt", "new\n")
    assert [entry.kept for entry in workspace.proposer.history()] == [True, False]


def test_a_content_whose_file_is_lost_takes_no_room(
    workspace: Workspace, context: Context, apply: Callable[..., Plan]
) -> None:
    """What somebody removed from the store's folder is counted as nothing, and hides no other number."""
    apply("large.txt", random.Random(1).randbytes(400_000).hex())
    apply("small.txt", "x")
    before = {undo.title: undo.size for undo in retention.report(context).retained}
    for file in (workspace.state_folder / "blobs").rglob("*"):
        if file.is_file():
            file.unlink()
    after = {undo.title: undo.size for undo in retention.report(context).retained}
    assert before["large.txt"] > 256 * 1024
    assert after == {"large.txt": 0, "small.txt": before["small.txt"]}
