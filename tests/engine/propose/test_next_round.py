"""Who waits and what joins which plan."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from studio.engine.draft import DraftStep
from studio.engine.plan import Plan, PlanState, StepState
from studio.engine.propose import next_round
from studio.engine.propose.check_steps import Prepared, StepChecker
from studio.engine.session import Session
from studio.engine.store.database import FILE_NAME
from studio.errors import Conflict, Refused
from studio.formats import detect
from studio.journal.file_image import sha256
from studio.workspace import Reviewer, Workspace


class Agent:
    """Proposes JSON plans in one session."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.session: Session = workspace.proposer.open_session("claude-code", "mcp")

    def propose(self, *steps: dict[str, Any], title: str = "Work", waits: bool = False) -> Plan:
        draft = detect.read(json.dumps({"title": title, "steps": list(steps)}).encode())
        return self.workspace.proposer.propose(draft, session=self.session, waits=waits)


@pytest.fixture
def agent(workspace: Workspace, project: Path) -> Agent:
    (project / "a.txt").write_bytes(b"one\ntwo\n")
    return Agent(workspace)


def create(path: str, content: str = "new\n") -> dict[str, Any]:
    return {"op": "create", "path": path, "content": content}


def edit(old: str, new: str) -> dict[str, Any]:
    return {"op": "modify", "path": "a.txt", "edits": [{"old": old, "new": new}]}


def results(plan: Plan) -> list[tuple[int, str, str | None]]:
    return [(step.number, step.target, step.result.sha256 if step.result else None) for step in plan.steps]


def test_calls_join_the_open_plan_and_raise_its_version(agent: Agent) -> None:
    first = agent.propose(create("b.txt"))
    second = agent.propose(edit("one", "ONE"))
    assert (first.version, second.version, second.id, second.title) == (1, 2, first.id, "Work")
    third = agent.propose(edit("two", "TWO"))
    assert third.version == 3 and results(third) == [
        (1, "b.txt", sha256(b"new\n")),
        (2, "a.txt", sha256(b"ONE\nTWO\n")),
    ]
    before, after = second.steps[1], third.steps[1]
    assert before.id == after.id and before.base == after.base and before.revision != after.revision
    assert third.steps[0] == first.steps[0], "what a call does not touch stays as it was looked at"
    (session,) = agent.workspace.proposer.sessions()
    assert (session.plans, session.open_plan) == ((first.id,), first.id)


FIRST_CALLS = {
    "of all kinds": (
        create("b/c/new.txt"),
        edit("one", "ONE"),
        {"op": "delete", "path": "gone.txt"},
        {"op": "move", "path": "moved.txt", "to": "d/moved.txt"},
        {"op": "copy", "path": "copied.txt", "to": "copy.txt"},
        {"op": "append", "path": "log.txt", "content": "more\n"},
    ),
    "a copy of what is changed": (
        edit("one", "ONE"),
        {"op": "copy", "path": "a.txt", "to": "copy.txt"},
        {"op": "copy", "path": "log.txt", "to": "logs/log.txt"},
        {"op": "delete", "path": "log.txt"},
    ),
    "some refused or there": (
        create("copied.txt"),
        edit("missing", "x"),
        {"op": "modify", "path": "log.txt", "content": "0\n"},
        create("b.txt"),
    ),
}


@pytest.mark.parametrize("steps", FIRST_CALLS.values(), ids=FIRST_CALLS)
def test_a_first_call_is_checked_once_and_as_the_whole_would_be(
    agent: Agent, project: Path, monkeypatch: pytest.MonkeyPatch, steps: tuple[dict[str, Any], ...]
) -> None:
    for name in ("gone", "moved", "copied", "log"):
        (project / f"{name}.txt").write_bytes(b"0\n")
    checked: list[int] = []
    check = StepChecker.prepare

    def counted(checker: StepChecker, drafts: tuple[DraftStep, ...]) -> tuple[Prepared, ...]:
        checked.append(len(drafts))
        return check(checker, drafts)

    with monkeypatch.context() as patch:
        patch.setattr(StepChecker, "prepare", counted)
        plan = agent.propose(*steps)
        assert checked == [len(steps)]
        patch.setattr(next_round, "are_apart", lambda *_: False)
        agent.workspace.proposer.withdraw(plan.id)
        whole = Agent(agent.workspace).propose(*steps)
    assert len(checked) == 3, "once as the call, once as the whole"
    assert [(step.number, step.state, step.facts, step.unit) for step in plan.steps] == [
        (step.number, step.state, step.facts, step.unit) for step in whole.steps
    ]
    assert results(plan) == results(whole) and plan.problems == whole.problems


def test_the_very_same_again_changes_nothing(agent: Agent) -> None:
    """Whether it is said of the file as it is, or of what the session made of it."""
    plan = agent.propose(edit("one", "ONE"))
    for again in (edit("one", "ONE"), {"op": "modify", "path": "a.txt", "content": "ONE\ntwo\n"}):
        found = agent.propose(again)
        assert (found.id, found.version, found.duplicate) == (plan.id, 1, True)
    agent.propose(create("b.txt"))
    found = agent.propose(create("b.txt"))
    assert (found.id, found.version, found.duplicate) == (plan.id, 2, True)


def test_a_second_word_on_a_path_is_a_new_round_of_its_step(agent: Agent) -> None:
    first = agent.propose(create("b.txt"))
    second = agent.propose(create("b.txt", "other\n"))
    assert second.id == first.id and results(second) == [(1, "b.txt", sha256(b"other\n"))]
    third = agent.propose({"op": "move", "path": "b.txt", "to": "c.txt"}, create("d.txt"))
    assert [(step.number, step.target, step.state.value) for step in third.steps] == [
        (1, "b.txt", "invalid"),
        (2, "c.txt", "pending"),
        (3, "d.txt", "pending"),
    ]
    assert "no longer changes b.txt" in third.steps[0].problems[0].message
    fourth = agent.propose(create("b.txt"))
    assert [step.number for step in fourth.steps if step.target == "b.txt"] == [1, 4]


def test_a_plan_of_which_nothing_is_left_is_withdrawn(agent: Agent) -> None:
    plan = agent.propose(create("b.txt"))
    gone = agent.propose({"op": "delete", "path": "b.txt"})
    assert (gone.id, gone.state) == (plan.id, PlanState.CANCELLED)
    assert agent.propose(create("b.txt")).id != plan.id


@pytest.mark.parametrize("verdict", ["approve", "reject"])
def test_once_a_step_is_decided_the_next_call_opens_a_new_plan(
    agent: Agent, reviewer: Reviewer, verdict: str
) -> None:
    plan = agent.propose(create("b.txt"), create("c.txt"))
    if verdict == "approve":
        reviewer.approve(plan.id, [1])
    else:
        reviewer.reject(plan.id, [1], reason="no")
    following = agent.propose(create("d.txt"))
    assert following.id != plan.id and following.version == 1
    assert agent.propose(create("e.txt")).id == following.id


def test_who_waits_has_a_plan_of_its_own_and_so_has_a_submitted_text(agent: Agent) -> None:
    open_plan = agent.propose(create("b.txt"))
    waiting = agent.propose(create("c.txt"), waits=True)
    assert waiting.id != open_plan.id and waiting.session == agent.session.id
    text = json.dumps({"title": "t", "steps": [create("d.txt")]}).encode()
    alone = agent.workspace.proposer.propose(detect.read(text))
    assert alone.session is None
    assert agent.propose(create("e.txt")).id == open_plan.id


def test_what_is_refused_joins_beside_what_is_valid_and_else_stands_alone(agent: Agent) -> None:
    plan = agent.propose(create("b.txt"))
    refused = agent.propose(create(".git/config"))
    assert refused.id != plan.id and refused.state is PlanState.INVALID
    mixed = agent.propose(create("c.txt"), create(".env"))
    assert mixed.id == plan.id and [step.state.value for step in mixed.steps] == [
        "pending",
        "pending",
        "invalid",
    ]
    assert any(problem.code == "plan.steps_refused" for problem in mixed.problems)


def test_a_rejection_of_the_same_is_told_again(agent: Agent, reviewer: Reviewer) -> None:
    plan = agent.propose(create("b.txt"))
    reviewer.reject(plan.id, reason="not here")
    again = agent.propose(create("b.txt"))
    assert again.id != plan.id and "not here" in again.problems[0].message


def test_a_decision_counts_for_the_version_that_was_looked_at(agent: Agent, reviewer: Reviewer) -> None:
    plan = agent.propose(create("b.txt"))
    agent.propose(create("c.txt"))
    for decide in (
        lambda: reviewer.approve(plan.id, version=plan.version),
        lambda: reviewer.reject(plan.id, [1], reason="no", version=plan.version),
        lambda: reviewer.request_changes(plan.id, reason="no", version=plan.version),
    ):
        with pytest.raises(Conflict, match="changed by its agent"):
            decide()
    now = agent.workspace.proposer.plan(plan.id)
    assert {step.state for step in now.steps} == {StepState.PENDING}
    assert reviewer.approve(plan.id, version=2).state is PlanState.APPROVED


def test_a_file_becomes_a_folder_in_several_calls(agent: Agent, reviewer: Reviewer, project: Path) -> None:
    """The steps of later calls join the unit, which is decided and written whole."""
    agent.propose({"op": "delete", "path": "a.txt"})
    second = agent.propose(create("a.txt/x"))
    third = agent.propose(create("a.txt/y"))
    assert third.id == second.id and len({step.unit for step in third.steps} - {None}) == 1
    assert [step.unit is None for step in third.steps] == [False] * 3
    reviewer.approve(third.id, [3])
    reviewer.apply(third.id)
    assert (project / "a.txt" / "x").read_text() == (project / "a.txt" / "y").read_text() == "new\n"
    reviewer.rollback(third.id, [1])
    assert (project / "a.txt").read_bytes() == b"one\ntwo\n"


def test_a_folder_becomes_a_file_in_one_call(agent: Agent, reviewer: Reviewer, project: Path) -> None:
    (project / "d" / "e").mkdir(parents=True)
    (project / "d" / "e" / "x").write_text("x")
    plan = agent.propose({"op": "delete", "path": "d/e/x"}, create("d"))
    reviewer.approve(plan.id, [1])
    reviewer.apply(plan.id)
    assert (project / "d").read_text() == "new\n"
    reviewer.rollback(plan.id)
    assert (project / "d" / "e" / "x").read_text() == "x"


def test_half_of_a_unit_is_not_written_whoever_recorded_the_decisions(
    agent: Agent, reviewer: Reviewer, project: Path
) -> None:
    plan = agent.propose({"op": "delete", "path": "a.txt"}, create("a.txt/x"))
    reviewer.approve(plan.id)
    with sqlite3.connect(agent.workspace.state_folder / FILE_NAME) as connection:
        connection.execute("UPDATE steps SET state = 'rejected' WHERE number = 2")
    with pytest.raises(Refused) as caught:
        reviewer.apply(plan.id)
    assert caught.value.code == "plan.divided_unit"
    assert (project / "a.txt").read_bytes() == b"one\ntwo\n"


def test_a_unit_is_decided_by_who_saw_all_of_it(agent: Agent, reviewer: Reviewer) -> None:
    plan = agent.propose({"op": "delete", "path": "a.txt"}, create("a.txt/x"))
    seen = {plan.steps[0].number: plan.steps[0].revision}
    with pytest.raises(Conflict):
        reviewer.approve(plan.id, [1], seen=seen)
    with pytest.raises(Conflict):
        reviewer.reject(plan.id, [1], reason="no", seen=seen)
