"""What an open step is by the file it changes, and how long an approval counts."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from studio.engine.apply.gateway import Drifted
from studio.engine.config import ConfigRefused
from studio.engine.plan import Plan, PlanState, StepState
from studio.engine.review import staleness
from studio.engine.store import Store
from studio.engine.store.rows import now, time_text
from studio.errors import ErrorKind
from studio.workspace import Reviewer, Workspace

STEPS = [{"op": "create", "path": f"{name}.txt", "content": f"{name}\n"} for name in "ab"]


def let_count(text: str) -> None:
    Path(os.environ["STUDIO_CONFIG_DIR"], "config.yaml").write_text(f"review: {{approval_minutes: {text}}}\n")


@pytest.fixture
def store(workspace: Workspace) -> Iterator[Store]:
    opened = Store(workspace.state_folder)
    yield opened
    opened.close()


@pytest.fixture
def approved(propose: Callable[..., Plan], reviewer: Reviewer) -> Plan:
    return reviewer.approve(propose(json.dumps({"title": "t", "steps": STEPS})).id)


def made_ago(store: Store, minutes: float) -> None:
    """Plans and decisions are that much older."""
    moment = time_text(now() - timedelta(minutes=minutes))
    with store.database.write() as connection:
        connection.execute("UPDATE decisions SET made = ?", (moment,))
        connection.execute("UPDATE plans SET created = ?", (moment,))


@pytest.mark.parametrize("is_approved", [False, True])
@pytest.mark.parametrize(
    ("contents", "wanted"),
    [
        (["old\n"], None),
        (["new\n"], StepState.ALREADY_APPLIED),
        (["else\n"], StepState.STALE),
        ([None], StepState.STALE),
        (["else\n", "old\n"], None),
        (["else\n", "new\n"], StepState.ALREADY_APPLIED),
    ],
    ids=["base", "result", "other", "gone", "base again", "result after other"],
)
def test_an_open_step_is_what_its_file_holds(
    *,
    project: Path,
    workspace: Workspace,
    reviewer: Reviewer,
    propose: Callable[..., Plan],
    contents: list[str | None],
    wanted: StepState | None,
    is_approved: bool,
) -> None:
    """None is the state before; where the file holds the result, nothing is left to apply."""
    file = project / "a.txt"
    file.write_text("old\n")
    step = {"op": "modify", "path": "a.txt", "content": "new\n"}
    plan = propose(json.dumps({"title": "t", "steps": [step]}))
    if is_approved:
        plan = reviewer.approve(plan.id)
    before = plan.steps[0].state
    for content in contents:
        if content is None:
            file.unlink()
        else:
            file.write_text(content)
        workspace.proposer.refresh()
    found = workspace.proposer.plan(plan.id)
    assert found.steps[0].state is (wanted or before)
    assert (found.state is PlanState.COMPLETED) == (wanted is StepState.ALREADY_APPLIED)


@pytest.mark.parametrize(("minutes", "counts"), [(29.9, True), (30.1, False)])
def test_an_approval_counts_as_long_as_the_user_says(
    workspace: Workspace, store: Store, approved: Plan, minutes: float, counts: bool
) -> None:
    """Then its steps are pending again, the decision is void, and the plan says why; nothing is written."""
    let_count("30")
    made_ago(store, minutes)
    assert workspace.proposer.refresh() is not counts
    plan = workspace.proposer.plan(approved.id)
    wanted = StepState.APPROVED if counts else StepState.PENDING
    assert {step.state for step in plan.steps} == {wanted}
    assert plan.state is (PlanState.APPROVED if counts else PlanState.PENDING)
    assert [problem.code for problem in plan.problems] == ([] if counts else ["decision.expired"])
    assert counts or "The steps 1, 2 were approved more than 30 minutes ago" in plan.problems[0].message
    assert list(workspace.root_path.iterdir()) == []


def test_an_approval_from_the_future_counts_no_more(
    workspace: Workspace, store: Store, reviewer: Reviewer, approved: Plan
) -> None:
    """The clock was set back since, or wrong then: nobody can say how old the approval is."""
    made_ago(store, -2)
    assert not workspace.proposer.refresh(), "without a limit no clock is asked"
    let_count("240")
    with pytest.raises(Drifted, match="a time in the future, by this computer's clock") as refused:
        reviewer.apply(approved.id)
    assert refused.value.code == "decision.expired"
    assert list(workspace.root_path.iterdir()) == []
    assert workspace.proposer.plan(approved.id).state is PlanState.PENDING
    reviewer.approve(approved.id)
    assert reviewer.apply(approved.id).state is PlanState.COMPLETED


def test_an_apply_of_what_counts_no_more_writes_nothing_and_says_so(
    workspace: Workspace, store: Store, reviewer: Reviewer, approved: Plan
) -> None:
    """The gateway asks the clock itself; decided again, the plan is applied, and the word about it goes."""
    let_count("1")
    made_ago(store, 2)
    with pytest.raises(Drifted, match="approved more than 1 minute ago") as refused:
        reviewer.apply(approved.id)
    assert (refused.value.code, refused.value.kind) == ("decision.expired", ErrorKind.CONFLICT)
    assert list(workspace.root_path.iterdir()) == []
    assert workspace.proposer.plan(approved.id).state is PlanState.PENDING
    reviewer.approve(approved.id)
    done = reviewer.apply(approved.id)
    assert done.state is PlanState.COMPLETED and done.problems == ()
    reviewer.rollback(approved.id)


def test_a_plan_that_waits_never_expires(
    workspace: Workspace, store: Store, reviewer: Reviewer, propose: Callable[..., Plan]
) -> None:
    """People come back after lunch; nor does a rejection."""
    let_count("1")
    waiting = propose(json.dumps({"title": "t", "steps": STEPS}))
    reviewer.reject(waiting.id, [1], reason="no")
    made_ago(store, 60 * 24 * 400)
    workspace.proposer.refresh()
    states = [step.state for step in workspace.proposer.plan(waiting.id).steps]
    assert states == [StepState.REJECTED, StepState.PENDING]


def test_without_a_time_an_approval_counts_for_ever(
    workspace: Workspace, store: Store, reviewer: Reviewer, approved: Plan
) -> None:
    assert workspace.config.approval_minutes == 0
    made_ago(store, 60 * 24 * 400)
    assert not workspace.proposer.refresh()
    assert reviewer.apply(approved.id).state is PlanState.COMPLETED


@pytest.mark.parametrize("text", ["241", "-1", "soon", "1.5"])
def test_other_times_are_refused(workspace: Workspace, text: str) -> None:
    let_count(text)
    with pytest.raises(ConfigRefused, match="approval_minutes"):
        assert workspace.config.approval_minutes


def test_a_project_can_not_set_it(project: Path, workspace: Workspace) -> None:
    (project / "studio.yaml").write_text("review: {approval_minutes: 1}\n")
    assert workspace.config.approval_minutes == 0
    assert any(
        "has an effect only in the user configuration" in warning for warning in workspace.config.warnings
    )


def test_a_decision_about_another_step_tells_of_an_approval_that_is_too_old(
    approved: Plan, propose: Callable[..., Plan], reviewer: Reviewer, store: Store
) -> None:
    """Only the file of the step that is decided is looked at; how old approvals are needs no look."""
    let_count("30")
    with store.database.write() as connection:
        connection.execute("UPDATE decisions SET made = ?", (time_text(now() - timedelta(minutes=31)),))
    other = propose(
        json.dumps({"title": "u", "steps": [{"op": "create", "path": "c.txt", "content": "c\n"}]})
    )
    reviewer.approve(other.id, [1])
    found = store.plans.get(approved.id)
    assert {step.state for step in found.steps} == {StepState.PENDING}


def test_a_plan_that_is_written_while_it_is_looked_at_stays_written(
    workspace: Workspace, reviewer: Reviewer, approved: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`studio show` beside an apply: the step was read as approved, and is found applied."""
    within, begun = staleness.within, list[bool]()

    def writing(*given: Any) -> Any:
        if not begun:
            begun.append(True)
            reviewer.apply(approved.id)
        return within(*given)

    monkeypatch.setattr(staleness, "within", writing)
    assert not workspace.proposer.refresh(), "nothing is left to say of it"
    assert workspace.proposer.plan(approved.id).state is PlanState.COMPLETED
