"""What a reviewer has begun is in the store at once, for every process."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from studio.engine.plan import Plan
from studio.engine.store import Store
from studio.engine.store.unsaved_input import UnsentKind, UnsentText
from studio.workspace import Reviewer, Workspace


@pytest.fixture
def plan(propose: Callable[..., Plan]) -> Plan:
    return propose(json.dumps({"title": "t", "steps": [{"op": "create", "path": "a.txt", "content": "a\n"}]}))


def test_a_draft_is_there_for_another_process(plan: Plan, reviewer: Reviewer, workspace: Workspace) -> None:
    reason = UnsentText(plan.id, 1, UnsentKind.REASON, b"too lo")
    reviewer.keep_unsent(reason)
    other = Store(workspace.state_folder)
    assert other.unsent.all() == (reason,) and reason.text == "too lo"
    other.close()


def test_the_last_one_counts_and_an_empty_one_is_dropped(plan: Plan, reviewer: Reviewer) -> None:
    for text in ("a", "ab", "abc"):
        reviewer.keep_unsent(UnsentText(plan.id, 1, UnsentKind.NOTE, text.encode()))
    assert [unsent.text for unsent in reviewer.unsent(plan.id)] == ["abc"]
    reviewer.keep_unsent(UnsentText(plan.id, 1, UnsentKind.NOTE, b""))
    assert reviewer.unsent() == ()


def test_comments_stand_at_their_lines_on_either_side(plan: Plan, reviewer: Reviewer) -> None:
    for place, text in ((12, "here"), (-12, "there"), (3, "first")):
        reviewer.keep_unsent(UnsentText(plan.id, 1, UnsentKind.COMMENT, text.encode(), place))
    assert [(unsent.place, unsent.text) for unsent in reviewer.unsent(plan.id)] == [
        (-12, "there"),
        (3, "first"),
        (12, "here"),
    ]
