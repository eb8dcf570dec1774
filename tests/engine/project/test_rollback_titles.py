"""What a rollback of a rollback is called: never a title within a title."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from hypothesis import given, strategies as st
from msgspec.structs import replace

from studio.engine.plan import Plan, PlanState
from studio.engine.project.rollback_titles import Turn, turn_of, with_plain_title
from studio.workspace import Reviewer, Workspace
from tests.tools.inside import context_of

FIRST = Plan("0", 1, "Dates", "codex", PlanState.COMPLETED, datetime(2026, 1, 1, tzinfo=UTC), ())


def chain(title: str, length: int) -> list[Plan]:
    """A plan and rollbacks, each of the one before, with the titles that were stored formerly."""
    plans = [replace(FIRST, title=title)]
    for number in range(1, length + 1):
        nested = f"Roll back “{plans[-1].title}”"
        plans.append(replace(FIRST, id=str(number), title=nested, rolls_back=plans[-1].id))
    return plans


@given(st.text(), st.integers(0, 9))
def test_every_second_turn_is_a_redo(title: str, length: int) -> None:
    plans = chain(title, length)
    known = {plan.id: plan for plan in plans}
    assert turn_of(plans[-1], known.get) == Turn(title, is_redo=length % 2 == 1)
    shown = [with_plain_title(plan, known.get).title for plan in plans]
    back, redo = f"Roll back “{title}”", f"Redo “{title}”"
    assert shown == [title, *(back if number % 2 else redo for number in range(1, length + 1))]


def test_what_is_lost_or_turns_in_a_circle_is_named_by_what_is_there() -> None:
    lost = replace(FIRST, id="1", title="Roll back “Dates”", rolls_back="gone")
    assert with_plain_title(lost, lambda _: None) == lost
    assert turn_of(lost, lambda _: None) == Turn("Roll back “Dates”", is_redo=False)
    circle = replace(FIRST, rolls_back="1"), replace(lost, rolls_back="0")
    known = {plan.id: plan for plan in circle}
    assert turn_of(circle[0], known.get).title == lost.title


def test_an_agents_own_title_stays_whatever_it_says() -> None:
    plan = replace(FIRST, title="Roll back “Roll back “x””")
    assert with_plain_title(plan, {plan.id: plan}.get) == plan
    assert turn_of(plan, {plan.id: plan}.get) == Turn(plan.title, is_redo=False)


@pytest.mark.parametrize("stored", ["now", "formerly"])
def test_the_history_tells_them_plainly(
    workspace: Workspace, reviewer: Reviewer, propose: Callable[..., Plan], stored: str
) -> None:
    steps = [{"op": "create", "path": "a.txt", "content": "x\n"}]
    plan = propose(json.dumps({"title": "Dates", "steps": steps}))
    reviewer.approve(plan.id)
    reviewer.apply(plan.id)
    back = reviewer.rollback(plan.id)
    redo = reviewer.rollback(back.id)
    assert [back.title, redo.title] == ["Roll back “Dates”", "Redo “Dates”"]
    if stored == "formerly":
        with context_of(workspace).store.database.write() as connection:
            nested = "Roll back “Roll back “Dates””"
            connection.execute("UPDATE plans SET title = ? WHERE id = ?", (nested, redo.id))
    said = [entry.plan.title for entry in workspace.proposer.history()]
    assert said == ["Redo “Dates”", "Roll back “Dates”", "Dates"]
    assert [entry.turn.is_redo for entry in workspace.proposer.history()] == [False, True, False]
    preview = workspace.proposer.preview_rollback(redo.id)
    assert (preview.plan.title, preview.turn.plan_title) == ("Redo “Dates”", "Roll back “Dates”")
    assert [undo.title for undo in workspace.proposer.retention().retained] == said
