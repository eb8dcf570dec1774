"""What is waiting in a project that nobody opened: counted as its store says, with nothing of it touched."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from studio.engine.draft import DraftStep, PlanDraft
from studio.engine.plan import Operation
from studio.engine.store.database import FILE_NAME
from studio.engine.store.schema import SCHEMA_VERSION
from studio.extras.backlog import Backlog, OpenPlans, Unknown, find_open_plans_near, read_backlog
from studio.program.app_folders import project_key, state_directory
from studio.program.locks import writer_lock
from studio.workspace import Workspace
from tests.engine.conftest import PERSON
from tests.tools.inside import context_of

_WRITER = """
import sys
from studio.engine.draft import DraftStep, PlanDraft
from studio.engine.plan import Operation
from studio.workspace import Workspace

for number in range(int(sys.argv[2])):
    workspace = Workspace.open(sys.argv[1])
    step = DraftStep(Operation.CREATE, f"new-{number}.txt", content=b"new")
    workspace.proposer.propose(PlanDraft("plan", (step,), f"New {number}", "codex"))
    workspace.close()
"""
_KILLED = """
import os, sys
from studio.workspace import Workspace

workspace = Workspace.open(sys.argv[1])
session = workspace.proposer.open_session("codex", "hook", name="killed")
workspace.proposer.ask(session, "Bash", command="make")
os._exit(0)
"""


def propose(workspace: Workspace, *names: str) -> list[str]:
    """A plan for each name, which makes that file; their ids."""
    drafts = [
        PlanDraft("plan", (DraftStep(Operation.CREATE, name, content=b"new"),), name, "codex")
        for name in names
    ]
    return [workspace.proposer.propose(draft).id for draft in drafts]


def run(program: str, *words: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", program, *words])


def store_of(project: Path) -> Path:
    return state_directory() / project_key(project) / FILE_NAME


def everything_in(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Each file beneath a folder with its bytes and the time at which it was written."""
    files = [file for file in folder.rglob("*") if file.is_file()]
    return {str(file): (file.read_bytes(), file.stat().st_mtime_ns) for file in files}


def change(project: Path, statement: str) -> None:
    with closing(sqlite3.connect(store_of(project))) as connection:
        connection.execute(statement)
        connection.commit()


@pytest.fixture
def kept(project: Path) -> Path:
    """A project with two plans that wait, one for Apply and one that was rejected; nobody has it open."""
    with closing(Workspace.open(project)) as workspace:
        ids = propose(workspace, "a", "b", "c", "d")
        reviewer = workspace.reviewer(PERSON)
        reviewer.approve(ids[2])
        reviewer.reject(ids[3], reason="No.")
    return project


def test_plans_are_counted_as_they_stand(kept: Path) -> None:
    assert read_backlog(kept) == Backlog(project_key(kept), undecided=2, approved=1)


def test_a_look_leaves_everything_as_it_is(kept: Path) -> None:
    before = everything_in(state_directory())
    assert read_backlog(kept).undecided == 2
    assert everything_in(state_directory()) == before


def test_the_same_is_seen_while_the_project_is_open(kept: Path) -> None:
    with closing(Workspace.open(kept)) as workspace:
        propose(workspace, "e")
        assert read_backlog(kept).undecided == 3
        propose(workspace, "f")  # the look before took no right to write away
        assert read_backlog(kept).undecided == 4


def test_a_plan_that_was_applied_waits_no_more(kept: Path) -> None:
    with closing(Workspace.open(kept)) as workspace:
        reviewer = workspace.reviewer(PERSON)
        approved = next(plan for plan in workspace.proposer.plans() if plan.state.value == "approved")
        reviewer.apply(approved.id)
        assert read_backlog(kept) == Backlog(project_key(kept), undecided=2)


def test_a_call_counts_as_long_as_its_agent_is_there(kept: Path) -> None:
    with closing(Workspace.open(kept)) as workspace:
        session = workspace.proposer.open_session("codex", "hook", name="here")
        call = workspace.proposer.ask(session, "Bash", command="make")
        assert read_backlog(kept).calls == 1
        workspace.proposer.leave_call(call.id)
        assert read_backlog(kept).calls == 0


def test_what_a_killed_agent_left_is_neither_counted_nor_swept(kept: Path) -> None:
    """The store has a log that nobody wrote back, and the lock of a process that is gone."""
    assert run(_KILLED, str(kept)).wait() == 0
    store = store_of(kept)
    assert store.with_name(f"{FILE_NAME}-wal").stat().st_size > 0
    held = sorted((store.parent / "sessions").iterdir())
    before = {file: content for file, content in everything_in(store.parent).items() if "-shm" not in file}
    assert read_backlog(kept) == Backlog(project_key(kept), undecided=2, approved=1)
    assert sorted((store.parent / "sessions").iterdir()) == held != []
    after = everything_in(store.parent)
    assert {file: content for file, content in after.items() if "-shm" not in file} == before


def test_an_interrupted_apply_is_told_from_one_that_runs(kept: Path) -> None:
    with closing(Workspace.open(kept)) as workspace:
        store = context_of(workspace).store
        plan = workspace.proposer.plans()[2]
        with store.database.write() as connection:
            store.plans.mark_unfinished(connection, plan.id)
        assert read_backlog(kept).is_interrupted
        with writer_lock(store.lock_file):
            assert not read_backlog(kept).is_interrupted
        assert read_backlog(kept).is_interrupted


def test_a_project_without_a_store_gets_none(project: Path) -> None:
    assert read_backlog(project) == Backlog(project_key(project), unknown=Unknown.NO_STORE)
    assert list(state_directory().iterdir()) == []


def _replace(project: Path) -> None:
    project.rename(project.with_name("elsewhere"))
    project.mkdir()


def _put_a_file(project: Path) -> None:
    shutil.rmtree(project)
    project.write_bytes(b"")


def _take_the_index_away(project: Path) -> None:
    store_of(project).with_name(f"{FILE_NAME}-wal").write_bytes(b"log")


@pytest.mark.parametrize(
    ("happens", "unknown"),
    [
        (shutil.rmtree, Unknown.GONE),
        (_put_a_file, Unknown.GONE),
        (_replace, Unknown.REPLACED),
        (lambda project: shutil.rmtree(store_of(project).parent), Unknown.NO_STORE),
        (lambda project: change(project, f"PRAGMA user_version = {SCHEMA_VERSION + 1}"), Unknown.NEWER),
        (lambda project: change(project, f"PRAGMA user_version = {SCHEMA_VERSION - 1}"), Unknown.OLDER),
        (lambda project: store_of(project).write_bytes(b"no database " * 1000), Unknown.DAMAGED),
        (lambda project: change(project, "DROP TABLE unfinished"), Unknown.DAMAGED),
        (_take_the_index_away, Unknown.UNREADABLE),
    ],
)  # fmt: skip
def test_what_is_not_known_is_said_with_its_reason(
    kept: Path, happens: Callable[[Path], object], unknown: Unknown
) -> None:
    happens(kept)
    before = everything_in(state_directory())
    found = read_backlog(kept)
    assert (found.unknown, found.undecided, found.calls, found.approved) == (unknown, 0, 0, 0)
    assert everything_in(state_directory()) == before


def test_a_path_that_is_none_is_not_known(tmp_path: Path) -> None:
    assert read_backlog(Path("a\0b")).unknown is Unknown.UNREADABLE
    assert read_backlog(tmp_path / ("n" * 300)).unknown is Unknown.UNREADABLE
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    assert read_backlog(loop).unknown is Unknown.UNREADABLE


def test_a_store_that_is_written_all_the_time_is_read_right(kept: Path) -> None:
    """Another process opens, writes and closes the store again and again: its log comes and goes."""
    writer = run(_WRITER, str(kept), "12")
    seen: list[int] = []
    while writer.poll() is None:
        found = read_backlog(kept)
        assert found.unknown in (None, Unknown.UNREADABLE)
        if found.unknown is None:
            assert found.approved == 1
            seen.append(found.undecided)
    assert writer.returncode == 0
    assert seen == sorted(seen)
    assert len(set(seen)) > 2
    assert read_backlog(kept) == Backlog(project_key(kept), undecided=14, approved=1)


def test_a_writer_is_not_held_up(kept: Path) -> None:
    with closing(sqlite3.connect(store_of(kept), isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert read_backlog(kept).undecided == 2
        other.execute("DELETE FROM meta WHERE key = 'nothing'")
        other.execute("COMMIT")
    assert not list(store_of(kept).parent.glob("*-shm")) and not list(store_of(kept).parent.glob("*-wal"))


def test_folders_around_with_open_plans_are_found(kept: Path) -> None:
    """Those at and above the folder, not the project itself, and none whose plans have ended."""
    deep = kept / "sub" / "deep"
    deep.mkdir(parents=True)
    assert find_open_plans_near(deep, deep) == (OpenPlans(kept, 3),)
    assert find_open_plans_near(deep, kept) == ()
    with closing(Workspace.open(deep.parent)) as workspace:
        (plan,) = propose(workspace, "new")
        assert find_open_plans_near(deep, kept) == (OpenPlans(deep.parent, 1),)
        assert find_open_plans_near(deep, deep) == (OpenPlans(deep.parent, 1), OpenPlans(kept, 3))
        workspace.reviewer(PERSON).reject(plan, reason="No.")
    assert find_open_plans_near(deep, deep) == (OpenPlans(kept, 3),)


def test_open_plans_of_an_older_store_are_found_and_it_stays_old(kept: Path) -> None:
    """Whoever chose the folder was an older version, and nobody opens it any more."""
    for column in ("restores", "message"):
        change(kept, f"ALTER TABLE plans DROP COLUMN {column}")
    change(kept, "PRAGMA user_version = 2")
    before = everything_in(state_directory())
    assert find_open_plans_near(kept / "sub", kept / "sub") == (OpenPlans(kept, 3),)
    assert everything_in(state_directory()) == before


@pytest.mark.parametrize(
    "happens",
    [
        lambda project: store_of(project).write_bytes(b"SQLite format 3\0" + b"x" * 5000),
        lambda project: store_of(project).write_bytes(b""),
        lambda project: change(project, "DROP TABLE plans"),
        lambda project: change(project, f"PRAGMA user_version = {SCHEMA_VERSION + 1}"),
        lambda project: (change(project, "PRAGMA user_version = 1"), change(project, "DROP TABLE plans")),
        _take_the_index_away,
        _replace,
    ],
)
def test_a_store_that_can_not_be_read_has_no_open_plans(
    kept: Path, happens: Callable[[Path], object]
) -> None:
    happens(kept)
    before = everything_in(state_directory())
    assert find_open_plans_near(kept / "sub", kept / "sub") == ()
    assert everything_in(state_directory()) == before
