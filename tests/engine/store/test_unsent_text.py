"""What a reviewer has begun is in the store at once, for every process (design 8)."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from studio.engine.plan import Plan
from studio.engine.reviewer import Reviewer
from studio.engine.store import Store
from studio.engine.store.drafts import Draft, DraftKind
from studio.engine.workspace import Workspace


@pytest.fixture
def plan(propose: Callable[..., Plan]) -> Plan:
    return propose(json.dumps({"title": "t", "steps": [{"op": "create", "path": "a.txt", "content": "a\n"}]}))


def test_a_draft_is_there_for_another_process(plan: Plan, reviewer: Reviewer, workspace: Workspace) -> None:
    reason = Draft(plan.id, 1, DraftKind.REASON, b"too lo")
    reviewer.keep_draft(reason)
    other = Store(workspace.state_folder)
    assert other.drafts.all() == (reason,) and reason.text == "too lo"
    other.close()


def test_the_last_one_counts_and_an_empty_one_is_dropped(plan: Plan, reviewer: Reviewer) -> None:
    for text in ("a", "ab", "abc"):
        reviewer.keep_draft(Draft(plan.id, 1, DraftKind.NOTE, text.encode()))
    assert [draft.text for draft in reviewer.drafts(plan.id)] == ["abc"]
    reviewer.keep_draft(Draft(plan.id, 1, DraftKind.NOTE, b""))
    assert reviewer.drafts() == ()


def test_comments_stand_at_their_lines_on_either_side(plan: Plan, reviewer: Reviewer) -> None:
    for place, text in ((12, "here"), (-12, "there"), (3, "first")):
        reviewer.keep_draft(Draft(plan.id, 1, DraftKind.COMMENT, text.encode(), place))
    assert [(draft.place, draft.text) for draft in reviewer.drafts(plan.id)] == [
        (-12, "there"),
        (3, "first"),
        (12, "here"),
    ]


def test_dropping_leaves_viewed_marks_unless_named(plan: Plan, reviewer: Reviewer) -> None:
    for kind in DraftKind:
        reviewer.keep_draft(Draft(plan.id, 1, kind, b"x"))
    reviewer.drop_drafts(plan.id, 1)
    assert [draft.kind for draft in reviewer.drafts()] == [DraftKind.VIEWED]
    reviewer.drop_drafts(plan.id, 1, DraftKind.VIEWED)
    assert reviewer.drafts() == ()
