"""A door can propose; only the reviewer side can decide."""

from __future__ import annotations

import inspect
import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from studio.engine.plan import Plan, PlanState
from studio.engine.proposer import Proposer
from studio.engine.store import Store
from studio.engine.store.plans import Plans
from studio.formats import detect
from studio.journal.entries import Content, CreateMode, FileWrite
from studio.journal.file_image import FileImage
from studio.workspace import Reviewer, Workspace
from tests.engine.conftest import PERSON

DECIDING = {
    "approve",
    "reject",
    "request_changes",
    "dismiss",
    "discard_undo",
    "take_back",
    "discard_stale",
    "allow",
    "deny",
    "apply",
    "rollback",
    "recover",
    "rebase",
    "delete_store",
    "observed",
    "snapshots",
    "distrust_configuration",
    "trust_configuration",
    "write_configuration",
    "unsent",
    "keep_unsent",
}


def public(kind: type) -> set[str]:
    return {name for name, _ in inspect.getmembers(kind) if not name.startswith("_")}


def test_the_door_s_side_has_no_way_to_decide() -> None:
    assert public(Reviewer) == DECIDING | {"person"}
    assert not public(Proposer) & DECIDING


def test_calling_everything_a_door_has_decides_nothing(
    project: Path, workspace: Workspace, propose: Callable[..., Plan]
) -> None:
    """Nor is anything put into the project."""
    plan = propose(json.dumps({"title": "t", "steps": [{"op": "create", "path": "a.txt", "content": "a\n"}]}))
    proposer = workspace.proposer
    proposer.plans()
    proposer.plan(plan.id)
    proposer.contents(plan.id, 1)
    proposer.check(["a.txt"])
    proposer.history()
    proposer.refresh()
    assert proposer.plan(plan.id).state is PlanState.PENDING
    assert proposer.withdraw(plan.id).state is PlanState.CANCELLED
    assert list(project.iterdir()) == []


def test_nothing_happens_because_an_entry_stands_in_the_journal(
    project: Path, workspace: Workspace, propose: Callable[..., Plan]
) -> None:
    """A request appended straight to the journal is carried out by nobody who opens the
    project."""
    plan = propose(json.dumps({"title": "t", "steps": [{"op": "create", "path": "a.txt", "content": "a\n"}]}))
    step = plan.steps[0]
    assert step.result is not None and step.result.sha256 is not None
    image = FileImage(step.result.sha256, step.result.size, 0o644)
    content = Content(step.result.sha256, step.result.size)
    store = Store(workspace.state_folder)
    with store.database.write() as connection:
        entry = FileWrite(f"{step.id}-1", "a.txt", content, CreateMode.CREATE_NEW, image, None, ".exacta-x")
        store.journal.append(connection, plan.id, [(step.id, entry)])
    store.close()
    again = Workspace.open(project)
    again.recover()
    again.proposer.refresh()
    again.reviewer(PERSON).recover()
    again.close()
    assert list(project.iterdir()) == []


def test_the_journal_s_chain_shows_damage(
    project: Path, workspace: Workspace, propose: Callable[..., Plan]
) -> None:
    """A changed entry, a cut and a swap are found."""
    plan = propose(json.dumps({"title": "t", "steps": [{"op": "create", "path": "a.txt", "content": "a\n"}]}))
    reviewer = workspace.reviewer(PERSON)
    reviewer.approve(plan.id)
    reviewer.apply(plan.id)
    store = Store(workspace.state_folder)
    try:
        assert [type(row.entry).__name__ for row in store.journal.rows()] == ["FileWrite", "FileWritten"]
        assert store.journal.verify().damaged_at is None
        with store.database.write() as connection:
            connection.execute(
                "UPDATE journal SET entry = replace(entry, 'a.txt', 'b.txt') WHERE position = 2"
            )
        assert store.journal.verify().damaged_at == 2
    finally:
        store.close()


def test_two_doors_that_propose_the_same_at_once_make_one_plan(
    workspace: Workspace, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both have looked and found nothing; the second still finds the first when it writes."""
    text = json.dumps({"title": "t", "steps": [{"op": "create", "path": "a.txt", "content": "a\n"}]})
    monkeypatch.setattr(Plans, "by_submission", lambda *_: ())
    first = workspace.proposer.propose(detect.read(text.encode()))
    second = workspace.proposer.propose(detect.read(text.encode()))
    assert second.id == first.id and second.duplicate
    assert len(workspace.proposer.plans()) == 1


def test_a_store_that_another_process_is_making_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite does not wait for the change to write-ahead mode, which a writer holds up; the store does."""
    other = sqlite3.connect(tmp_path / "store.sqlite3", isolation_level=None)
    other.execute("CREATE TABLE begun (x)")
    other.execute("BEGIN IMMEDIATE")
    monkeypatch.setattr("studio.engine.store.database.time.sleep", lambda _seconds: other.rollback())
    Store(tmp_path).close()
    assert not other.in_transaction
    other.close()
