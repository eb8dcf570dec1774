"""A damaged store is set aside and named, never deleted; a newer one is only read."""

from __future__ import annotations

import random
import sqlite3
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from studio.engine.plan import PlanState
from studio.engine.store import Store
from studio.errors import Conflict, Refused, StudioError
from studio.formats import detect
from studio.workspace import Workspace
from tests.faults.bench import PERSON, Bench, plan_text, propose_and_approve, tree
from tests.faults.injection import count_calls, run, stop_here
from tests.tools.inside import context_of

CREATE = {"op": "create", "path": "new.txt", "content": "new\n"}


@pytest.fixture
def stored(bench: Bench) -> Path:
    """The file of a store that holds some plans."""
    workspace = bench.open()
    for number in range(6):
        step = {"op": "create", "path": f"f{number}.txt", "content": f"{number}\n" * 200}
        propose_and_approve(workspace, step)
    workspace.close()
    (file,) = bench.state.rglob("store.sqlite3")
    return file


def works_on_empty(bench: Bench, file: Path, damaged: bytes) -> None:
    """The damaged bytes are kept under another name, told of once, and a new store works."""
    workspace = bench.open()
    kept = [path for path in file.parent.iterdir() if ".damaged-" in path.name]
    assert any(path.read_bytes() == damaged for path in kept)
    (notice,) = workspace.notices
    assert "damaged" in notice and any(str(path) in notice for path in kept)
    assert workspace.proposer.plans() == ()
    workspace.reviewer(PERSON).apply(propose_and_approve(workspace, CREATE))
    assert (bench.project / "new.txt").read_text() == "new\n"
    workspace.close()
    again = bench.open()
    assert again.notices == () and len(again.proposer.plans()) == 1
    again.close()


@pytest.mark.parametrize("damage", ["garbage", "zeros", "half", "one page", "a hundred bytes", "odd size"])
def test_a_damaged_store_is_set_aside(bench: Bench, stored: Path, damage: str) -> None:
    whole = stored.read_bytes()
    dice = random.Random(3)
    damaged = {
        "garbage": dice.randbytes(len(whole)),
        "zeros": bytes(len(whole)),
        "half": whole[: len(whole) // 2],
        "one page": whole[:4096],
        "a hundred bytes": whole[:100],
        "odd size": whole[: len(whole) - 4096 - 17],
    }[damage]
    stored.write_bytes(damaged)
    works_on_empty(bench, stored, damaged)


@pytest.mark.parametrize("table", ["blobs", "journal", "decisions"])
def test_damage_that_only_a_look_at_every_page_finds(bench: Bench, stored: Path, table: str) -> None:
    """Nothing that opening a project reads is touched: unseen, the store would be written on."""
    with sqlite3.connect(stored) as connection:
        (page,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (table,)).fetchone()
        (size,) = connection.execute("PRAGMA page_size").fetchone()
    connection.close()
    damaged = bytearray(stored.read_bytes())
    damaged[(page - 1) * size : page * size] = b"\xff" * size
    stored.write_bytes(damaged)
    works_on_empty(bench, stored, bytes(damaged))


def test_a_page_that_the_disk_does_not_give_is_no_damage(bench: Bench, stored: Path, tmp_path: Path) -> None:
    """A sector can't be read, at the first look and at the second: the store is refused, and stays where it
    is."""

    def look() -> int:
        stop_here()
        try:
            bench.open().close()
        except Refused as error:
            bench.tell(error.code)
        return 0

    half = count_calls(look, tmp_path / "trace")["pread64"] // 2
    each_look = f"inject=pread64:error=EIO:when={half}+{half}"
    assert run(look, "-f", "-e", "trace=pread64", "-e", each_look) == 0
    assert bench.told() == "state.unusable"
    assert [path.name for path in stored.parent.iterdir() if ".damaged-" in path.name] == []
    workspace = bench.open()
    assert workspace.notices == () and len(workspace.proposer.plans()) == 6
    workspace.close()


def test_an_empty_store_file_is_a_new_store(bench: Bench, stored: Path) -> None:
    stored.write_bytes(b"")
    workspace = bench.open()
    assert workspace.proposer.plans() == ()
    workspace.close()


def test_bytes_flipped_anywhere_never_lead_to_wrong_bytes_on_disk(bench: Bench, stored: Path) -> None:
    """Set aside, refused in a sentence, or applied exactly as approved; never anything else."""
    whole, dice = stored.read_bytes(), random.Random(11)
    ended: Counter[str] = Counter()
    for turn in range(40):
        for path in bench.project.iterdir():
            path.unlink()
        for path in stored.parent.iterdir():
            if path.is_file():
                path.unlink()
        flipped = bytearray(whole)
        # Most of the file is pages of tables in which nothing is; each fourth time it is the beginning.
        start = dice.randrange(len(whole) if turn % 4 else 4096)
        for place in range(start, min(start + dice.choice((1, 8, 64)), len(whole))):
            flipped[place] ^= dice.randrange(1, 256)
        stored.write_bytes(flipped)
        try:
            ended[_try_all(bench)] += 1
        except StudioError as error:
            assert error.message and error.hint
            ended[error.code] += 1
        for path in bench.project.iterdir():
            number = path.name.removeprefix("f").removesuffix(".txt")
            assert path.read_text() == f"{number}\n" * 200
    print(dict(ended))
    assert ended["set aside"] and ended["all applied"]


def _try_all(bench: Bench) -> str:
    workspace = bench.open()
    try:
        if workspace.notices:
            return "set aside"
        for plan in workspace.proposer.plans():
            workspace.reviewer(PERSON).apply(plan.id)
        return "all applied"
    finally:
        workspace.close()


def test_a_store_that_is_set_aside_while_it_is_opened_is_opened_anew(
    bench: Bench, stored: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite says of a file that another process took away that the disk failed."""
    real, taken = sqlite3.connect, list[Path]()

    class ConflictChoice(sqlite3.Connection):
        def execute(self, *words: Any) -> sqlite3.Cursor:
            taken.append(stored.rename(stored.with_name(f"{stored.name}.damaged-by-another")))
            raise sqlite3.OperationalError("disk I/O error")

    def connect(*words: Any, **more: Any) -> sqlite3.Connection:
        return real(*words, **more) if taken else real(*words, **more, factory=ConflictChoice)

    monkeypatch.setattr(sqlite3, "connect", connect)
    Store(stored.parent).close()
    assert taken and stored.stat().st_size


def test_a_failing_disk_is_told_at_once(bench: Bench, stored: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[int] = []

    def connect(*_words: Any, **_more: Any) -> sqlite3.Connection:
        tried.append(1)
        raise sqlite3.OperationalError("disk I/O error")

    monkeypatch.setattr(sqlite3, "connect", connect)
    with pytest.raises(Refused, match="disk I/O error"):
        Store(stored.parent)
    assert len(tried) == 1


def test_two_that_find_the_damage_at_once_set_it_aside_once(bench: Bench, stored: Path) -> None:
    """The second one must not set the first one's fresh store aside."""
    stored.write_bytes(b"not a store" * 1000)
    barrier, stores = threading.Barrier(4), list[Store]()
    failures: list[Exception] = []

    def open_store() -> None:
        barrier.wait()
        try:
            store = Store(stored.parent)
            stores.append(store)
            store.close()
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=open_store) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert sum(store.database.archived is not None for store in stores) == 1
    assert sum(".damaged-" in path.name for path in stored.parent.iterdir()) == 1


def test_a_store_damaged_while_it_is_open_is_told_in_a_sentence(bench: Bench, stored: Path) -> None:
    workspace = bench.open()
    assert len(workspace.proposer.plans()) == 6
    context_of(workspace).store.database.connection.execute("PRAGMA shrink_memory")
    stored.write_bytes(b"\xff" * stored.stat().st_size)
    with pytest.raises(StudioError) as caught:
        workspace.proposer.plans()
    assert caught.value.message and caught.value.hint
    workspace.close()
    reopened = bench.open()
    assert len(reopened.notices) == 1
    reopened.close()


def test_a_store_that_a_newer_program_brings_up_to_date_is_not_written_any_more(
    bench: Bench, stored: Path
) -> None:
    """It may hold its rows together in a way that this one does not know."""
    workspace = bench.open()
    plan = workspace.proposer.plans()[0]
    with sqlite3.connect(stored) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(Refused) as caught:
        workspace.reviewer(PERSON).apply(plan.id)
    assert caught.value.code == "store_newer" and "Update" in caught.value.hint
    assert not (bench.project / "f0.txt").exists()
    assert workspace.proposer.plan(plan.id).state is PlanState.APPROVED
    assert any("newer Exacta Studio" in notice for notice in workspace.notices)
    workspace.close()


def test_a_newer_store_is_read_and_never_written(bench: Bench, stored: Path) -> None:
    with sqlite3.connect(stored) as connection:
        connection.execute("PRAGMA user_version = 99")
        connection.execute("ALTER TABLE plans ADD COLUMN later TEXT")
    connection.close()
    before = stored.read_bytes()
    workspace = bench.open()
    plans = workspace.proposer.plans()
    assert len(plans) == 6 and {plan.state for plan in plans} == {PlanState.APPROVED}
    assert any("newer Exacta Studio" in notice for notice in workspace.notices)
    reviewer = workspace.reviewer(PERSON)
    writes = (
        lambda: workspace.proposer.propose(detect.read(plan_text(CREATE))),
        lambda: reviewer.apply(plans[0].id),
        lambda: reviewer.take_back(plans[0].id),
        lambda: workspace.proposer.withdraw(plans[0].id),
    )
    for write in writes:
        with pytest.raises(Refused) as caught:
            write()
        assert caught.value.code == "store_newer"
    workspace.proposer.refresh()
    workspace.close()
    assert stored.read_bytes() == before
    assert tree(bench.project) == {}


def test_a_store_kept_busy_by_another_process_is_told(
    bench: Bench, stored: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("studio.engine.store.database.STORE_BUSY_SECONDS", 0.05)
    other = sqlite3.connect(stored, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    workspace: Workspace = bench.open()
    plan = workspace.proposer.plans()[0]
    with pytest.raises(Conflict, match="busy"):
        workspace.reviewer(PERSON).apply(plan.id)
    assert tree(bench.project) == {}
    other.execute("ROLLBACK")
    other.close()
    assert workspace.reviewer(PERSON).apply(plan.id).state is PlanState.COMPLETED
    workspace.close()
