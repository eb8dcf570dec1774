"""Steps come out of the store as they went in, with more hunks than are parsed at once, too."""

from __future__ import annotations

import gc
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis.strategies import integers, lists, sampled_from, tuples
from msgspec.structs import replace

from studio.engine.draft import DraftStep, PlanDraft
from studio.engine.plan import Operation, PersonSource, Step, StepDecision, StepState, Verdict
from studio.engine.store import plans as stored, rows, selection
from studio.errors import Conflict, UsageError
from studio.journal.file_image import FileImage
from studio.workspace import Person, Workspace
from tests.tools.inside import context_of

HUNKS = 3_000


@pytest.mark.parametrize("part", [1, 100, 64 * 1024, 1 << 30])
def test_hunks_are_read_whole_whatever_the_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: int
) -> None:
    monkeypatch.setattr(rows, "HUNKS_PART", part)
    first = b"a\n" * part.bit_length()  # for each part other places: none is known
    (tmp_path / "many.txt").write_bytes(first + b"a\n" * 8 * HUNKS)
    draft = DraftStep(Operation.MODIFY, "many.txt", content=first + (b"b\n" + b"a\n" * 7) * HUNKS)
    workspace = Workspace.open(tmp_path)
    plan = workspace.proposer.propose(PlanDraft("plan", (draft,), "Many"))
    assert len(plan.steps[0].hunks) == HUNKS
    assert workspace.proposer.plan(plan.id).steps[0].hunks == plan.steps[0].hunks
    reviewer = workspace.reviewer(Person(PersonSource.WINDOW, "somebody"))
    chosen = {1: False, HUNKS: frozenset({1})}
    decided = reviewer.approve(plan.id, [StepDecision(1, chosen)]).steps[0]
    assert decided.decision is not None and decided.decision.verdict is Verdict.APPROVE
    assert decided.hunks == tuple(
        replace(hunk, chosen=chosen.get(hunk.hunk, True)) for hunk in plan.steps[0].hunks
    )
    workspace.close()


def test_one_step_is_read_without_the_others(tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_bytes(b"one\n")
    drafts = [
        DraftStep(Operation.MODIFY, "one.txt", content=b"two\n"),
        DraftStep(Operation.CREATE, "new.txt", content=b"new\n"),
    ]
    workspace = Workspace.open(tmp_path)
    plan = workspace.proposer.propose(PlanDraft("plan", tuple(drafts), "Two"))
    reviewer = workspace.reviewer(Person(PersonSource.WINDOW, "somebody"))
    whole = reviewer.approve(plan.id, [2])
    store = context_of(workspace).store
    assert [store.plans.step(plan.id[:8], number) for number in (1, 2)] == list(whole.steps)
    assert workspace.proposer.contents(plan.id, 2).decided == b"new\n"
    for number in (0, 3, -1):
        with pytest.raises(UsageError, match=f"has no step {number}"):
            store.plans.step(plan.id, number)
    workspace.close()


def test_rows_that_did_not_change_give_the_same_steps(tmp_path: Path) -> None:
    """After a decision in a plan of hundreds only one step is read, and compared, anew."""
    drafts = [DraftStep(Operation.CREATE, f"{name}.txt", content=name.encode()) for name in "abc"]
    workspace = Workspace.open(tmp_path)
    plan = workspace.proposer.propose(PlanDraft("plan", tuple(drafts), "Three"))
    before = workspace.proposer.plan(plan.id)
    after = workspace.reviewer(Person(PersonSource.WINDOW, "somebody")).approve(plan.id, [2])
    assert [old is new for old, new in zip(before.steps, after.steps, strict=True)] == [True, False, True]
    assert after.steps[1].decision is not None and before.steps[1].decision is None
    workspace.close()


@given(lists(tuples(integers(0, 1), sampled_from(("read", "title", 1, 2, 3))), min_size=2, max_size=9))
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_stays_cached_after_a_change_of_one_step_is_stored(
    tmp_path: Path, acts: list[tuple[int, str | int]]
) -> None:
    """Whichever of two connections read and wrote before, between and after."""
    drafts = [DraftStep(Operation.CREATE, f"{name}.txt", content=name.encode()) for name in "abc"]
    root = Path(mkdtemp(dir=tmp_path))
    opened = [Workspace.open(root) for _ in range(2)]
    stores = [context_of(each).store for each in opened]
    plan = opened[0].proposer.propose(PlanDraft("plan", tuple(drafts), "Three"))
    for who, act in (*acts, (0, "read"), (1, "read")):
        plans, database = stores[who].plans, stores[who].database
        if isinstance(act, int):
            with database.write() as connection, plans.changing_steps(plan.id, [act]):
                before = plans.step_states(connection, plan.id)[act]
                after = StepState.APPROVED if before is StepState.PENDING else StepState.PENDING
                plans.set_step_state(connection, plan.id, act, after)
        elif act == "title":
            with database.write() as connection:
                connection.execute("UPDATE plans SET title = title || '!'")
        else:
            fresh = Workspace.open(root)
            assert plans.get(plan.id) == fresh.proposer.plan(plan.id)
            fresh.close()
    for each in opened:
        each.close()


def test_a_plan_is_read_once_until_the_store_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By whomever: this connection, another one, or one whose write came to nothing."""
    drafts = [DraftStep(Operation.CREATE, f"{name}.txt", content=name.encode()) for name in "abc"]
    workspace, other = Workspace.open(tmp_path), Workspace.open(tmp_path)
    plan = workspace.proposer.propose(PlanDraft("plan", tuple(drafts), "Three"))
    read: list[int] = []
    with_steps = stored.with_steps

    def counted(cursor: Any, plans: Any, number: int | None = None) -> Any:
        read.append(len(plans))
        return with_steps(cursor, plans, number)

    monkeypatch.setattr(stored, "with_steps", counted)
    store = context_of(workspace).store

    def approved() -> int:
        return sum(step.state is StepState.APPROVED for step in workspace.proposer.plan(plan.id).steps)

    assert approved() == approved() == 0 and read == [1]
    other.reviewer(Person(PersonSource.WINDOW, "ada")).approve(plan.id, [1])
    read.clear()
    assert approved() == approved() == 1 and read == [1]
    with pytest.raises(RuntimeError, match="not today"), store.database.write() as connection:
        store.plans.set_step_state(connection, plan.id, 2, StepState.APPROVED)
        assert store.plans.as_it_is(connection, plan.id).steps[1].state is StepState.APPROVED
        raise RuntimeError("not today")
    assert approved() == 1, "what was taken back again is not known"
    read.clear()
    workspace.reviewer(Person(PersonSource.WINDOW, "somebody")).approve(plan.id, [3])
    assert read == [1], "once, behind the decision"
    assert approved() == 2 and read == [1]
    workspace.close()
    other.close()


def test_a_decision_about_one_step_looks_at_its_file_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And says of that one what the disk says; the others are looked at with the next whole look."""
    for name in "ab":
        (tmp_path / f"{name}.txt").write_bytes(b"old\n")
    drafts = [DraftStep(Operation.MODIFY, f"{name}.txt", content=b"new\n") for name in "ab"]
    workspace = Workspace.open(tmp_path)
    plan = workspace.proposer.propose(PlanDraft("plan", tuple(drafts), "Two"))
    looked: list[str] = []
    image = context_of(workspace).known_files.image

    def looking(path: str) -> FileImage | None:
        looked.append(path)
        return image(path)

    monkeypatch.setattr(context_of(workspace).known_files, "image", looking)
    reviewer = workspace.reviewer(Person(PersonSource.WINDOW, "somebody"))
    for name in "ab":
        (tmp_path / f"{name}.txt").write_bytes(b"theirs\n")
    with pytest.raises(Conflict):
        reviewer.approve(plan.id, [2])
    assert looked == ["b.txt"]
    states = [step.state for step in workspace.proposer.plan(plan.id).steps]
    assert states == [StepState.PENDING, StepState.STALE]
    with pytest.raises(Conflict):
        reviewer.approve(plan.id)
    assert workspace.proposer.plan(plan.id).steps[0].state is StepState.STALE
    workspace.close()


def test_nothing_of_a_forgotten_store_is_held(tmp_path: Path) -> None:
    """Steps that were read once are kept for the next look; not what the user had deleted."""
    workspace = Workspace.open(tmp_path)
    draft = DraftStep(Operation.CREATE, "one.txt", content=b"one\n", reason="said once")
    workspace.proposer.plan(workspace.proposer.propose(PlanDraft("plan", (draft,), "One")).id)

    def held() -> int:
        gc.collect()
        return sum(type(each) is Step and each.reason == "said once" for each in gc.get_objects())

    assert held()
    workspace.reviewer(Person(PersonSource.WINDOW, "somebody")).delete_store()
    assert not held()


def test_steps_with_long_texts_are_read_anew(tmp_path: Path) -> None:
    workspace = Workspace.open(tmp_path)
    drafts = [
        DraftStep(Operation.CREATE, f"{size}.txt", content=b"x\n", reason="x" * size)
        for size in (selection.KEPT_CHARACTERS, selection.KEPT_CHARACTERS + 1)
    ]
    plan = workspace.proposer.propose(PlanDraft("plan", tuple(drafts), "Two"))
    first, again = (workspace.proposer.plan(plan.id).steps for _ in range(2))
    assert first == again
    assert [one is other for one, other in zip(first, again, strict=True)] == [True, False]
    workspace.close()
