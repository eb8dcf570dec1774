"""How often an apply waits for the disk: few calls, and no more of them for more files."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path

import pytest

from studio.engine.plan import PersonSource, PlanState
from studio.engine.project.context import Person
from studio.engine.store import blobs
from studio.formats import detect
from studio.workspace import Workspace
from tests.faults.bench import propose_and_approve
from tests.faults.injection import count_calls, stop_here

FLUSHES = ("fsync", "fdatasync", "syncfs", "sync_file_range", "msync", "sync")
PERSON = Person(PersonSource.WINDOW, "tester")


def flushes(project: Path, trace: Path, names: list[str]) -> Counter[str]:
    """The calls of one apply in a process of its own, from opening the project to closing it."""
    project.mkdir()
    for name in names:
        (project / name).parent.mkdir(exist_ok=True)
        (project / name).write_bytes(b"old\n")
    workspace = Workspace.open(project)
    steps = [{"op": "modify", "path": name, "content": "new\n"} for name in names]
    plan_id = propose_and_approve(workspace, *steps)
    workspace.close()

    def apply() -> int:
        stop_here()
        opened = Workspace.open(project)
        done = opened.reviewer(PERSON).apply(plan_id)
        opened.close()
        return os.EX_OK if done.state is PlanState.COMPLETED else os.EX_SOFTWARE

    calls = count_calls(apply, trace)
    assert all((project / name).read_bytes() == b"new\n" for name in names)
    return Counter({call: times for call, times in calls.items() if call in FLUSHES})


def flushes_of_a_proposal(project: Path, trace: Path, files: int) -> int:
    """The calls of one proposal, from opening the project to closing it."""
    project.mkdir()
    for number in range(files):
        (project / f"{number}.txt").write_bytes(b"old %d\n" % number)
    Workspace.open(project).close()
    steps = [
        {"op": "modify", "path": f"{number}.txt", "content": f"new {number}\n"} for number in range(files)
    ]
    text = json.dumps({"title": "many", "steps": steps}).encode()

    def propose() -> int:
        stop_here()
        opened = Workspace.open(project)
        done = opened.proposer.propose(detect.read(text))
        opened.close()
        return os.EX_OK if done.state is PlanState.PENDING else os.EX_SOFTWARE

    calls = count_calls(propose, trace)
    return sum(times for call, times in calls.items() if call in FLUSHES)


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STUDIO_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("STUDIO_CONFIG_DIR", str(tmp_path / "config"))


def test_one_step_flushes_ten_times_at_most(tmp_path: Path) -> None:
    found = flushes(tmp_path / "project", tmp_path / "trace", ["a.txt"])
    print(f"an apply of one step flushes {found.total()} times: {dict(found)}")
    assert 4 <= found.total() <= 10


def test_more_files_are_flushed_with_their_file_system(tmp_path: Path) -> None:
    """One flush for all results, then each folder twice; never one of each file."""
    names = [f"d{number % 3}/{number}.txt" for number in range(40)]
    found = flushes(tmp_path / "project", tmp_path / "trace", names)
    print(f"an apply of 40 files in 3 folders flushes {found.total()} times: {dict(found)}")
    assert found["syncfs"] == 1
    assert found["fsync"] == 2 * 3
    assert found.total() <= 10 + 2 * 3


def test_contents_of_a_proposal_are_flushed_with_its_steps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blobs, "BLOB_TRANSACTION_BYTES", 1)
    one = flushes_of_a_proposal(tmp_path / "one", tmp_path / "trace1", 1)
    assert flushes_of_a_proposal(tmp_path / "many", tmp_path / "trace2", 9) == one
