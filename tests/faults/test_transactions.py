"""Every transaction, from a proposal to a rollback, meets a store that is busy, full or damaged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator
from contextlib import contextmanager

import pytest

from studio.engine.store.database import Database
from studio.errors import StudioError
from studio.formats import detect
from studio.workspace import Workspace
from tests.faults.bench import ALL_OPERATIONS, PERSON, Bench, Saved, lay_out, plan_text, tree
from tests.faults.test_moments import fill_store, hold_store
from tests.faults.test_recovery import temporaries
from tests.tools.inside import context_of

LARGE = {"op": "create", "path": "large.txt", "content": "".join(f"{n * n * 7919}\n" for n in range(90_000))}
"""Content that is stored as a file beside the database."""

Work = Callable[[Workspace], object]


def propose(workspace: Workspace) -> object:
    return workspace.proposer.propose(detect.read(plan_text(*ALL_OPERATIONS, LARGE)))


def approve(workspace: Workspace) -> object:
    return workspace.reviewer(PERSON).approve(_the_plan(workspace))


def apply(workspace: Workspace) -> object:
    return workspace.reviewer(PERSON).apply(_the_plan(workspace))


def rollback(workspace: Workspace) -> object:
    return workspace.reviewer(PERSON).rollback(_the_plan(workspace))


def _the_plan(workspace: Workspace) -> str:
    return workspace.proposer.plans()[0].id


WORKS: tuple[Work, ...] = (propose, approve, apply, rollback)


def damage_store(workspace: Workspace) -> Callable[[], object]:
    """Every page of the store is overwritten, in the file and in the log before it."""
    database = context_of(workspace).store.database
    for name in ("", "-wal"):
        file = database.file.with_name(database.file.name + name)
        with file.open("r+b") as stream:
            stream.write(b"\xff" * file.stat().st_size)
    database.connection.execute("PRAGMA shrink_memory")
    return lambda: None


TROUBLES = {"busy": hold_store, "full": fill_store, "damaged": damage_store}


@contextmanager
def troubled(
    monkeypatch: pytest.MonkeyPatch, number: int, trouble: Callable[[], object]
) -> Generator[Counter[str]]:
    """From its `number`th transaction on (from 1) the store is in trouble; counts them."""
    begun: Counter[str] = Counter()
    original = Database.write

    def write(database: Database, *, durable: bool = True) -> object:
        begun["transactions"] += 1
        if begun["transactions"] == number:
            trouble()
        return original(database, durable=durable)

    with monkeypatch.context() as patch:
        patch.setattr(Database, "write", write)
        yield begun


def _saved_before_each(bench: Bench) -> dict[Work, Saved]:
    lay_out(bench.project)
    starts: dict[Work, Saved] = {}
    for work in WORKS:
        starts[work] = bench.save()
        workspace = bench.open()
        work(workspace)
        workspace.close()
    return starts


def _count(bench: Bench, monkeypatch: pytest.MonkeyPatch, work: Work, start: Saved) -> int:
    bench.restore(start)
    workspace = bench.open()
    with troubled(monkeypatch, 0, lambda: None) as begun:
        work(workspace)
    workspace.close()
    return begun["transactions"]


def _tried(bench: Bench, monkeypatch: pytest.MonkeyPatch, work: Work, number: int, trouble: str) -> str:
    """What was said when the trouble began with that transaction, and nothing that is not so."""
    workspace = bench.open()
    before = tree(bench.project)
    release: list[Callable[[], object]] = []
    with troubled(monkeypatch, number, lambda: release.append(TROUBLES[trouble](workspace))):
        try:
            work(workspace)
            told = "done"
        except StudioError as error:
            told = error.code
            assert error.message.endswith(".") and error.hint
    release[0]()
    workspace.close()
    if told in ("store.busy", "state.full", "apply.put_back"):
        assert tree(bench.project) == before, f"{work.__name__} {number}: {told}"
    return told


def _settled(bench: Bench) -> Workspace:
    """A later start: nothing waits for recovery, and nothing of ours is left."""
    workspace = bench.open()
    workspace.recover()
    store = context_of(workspace).store
    assert not store.plans.unfinished() and store.journal.verify().damaged_at is None
    assert not any(store.journal.unanswered(plan.id) for plan in store.plans.all())
    assert temporaries(bench.project) == []
    assert not any(plan.rolls_back and plan.state.is_open for plan in store.plans.all())
    return workspace


@pytest.mark.parametrize("trouble", TROUBLES)
def test_every_transaction_of_a_store_in_trouble(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, trouble: str
) -> None:
    """Told in a sentence, or done: every file is old or every one is new, and a later start puts it right."""
    monkeypatch.setattr("studio.engine.store.database.STORE_BUSY_SECONDS", 0.05)
    starts = _saved_before_each(bench)
    old, new = starts[apply].project, starts[rollback].project
    ended: Counter[str] = Counter()
    for work, start in starts.items():
        for number in range(1, _count(bench, monkeypatch, work, start) + 1):
            bench.restore(start)
            told = _tried(bench, monkeypatch, work, number, trouble)
            ended[told] += 1
            workspace = _settled(bench)
            assert tree(bench.project) in (old, new)
            assert bool(workspace.notices) == (trouble == "damaged")
            if not workspace.notices and told not in ("done", "apply.unrecorded"):
                work(workspace)
                told = "done"
            if not workspace.notices and work in (apply, rollback):
                assert tree(bench.project) == (new if work is apply else old)
            workspace.close()
    print(f"{ended.total()} transactions of a store that is {trouble}: {dict(ended)}")
    assert ended.total() >= 2 + 1 + 4 + 4
    assert ended["apply.put_back" if trouble == "damaged" else "apply.unrecorded"] > 0
