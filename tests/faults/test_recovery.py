"""Moments of a failed or interrupted apply, one at a time: who may be written over, and what is told."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from studio.engine import disk
from studio.engine.apply import ending
from studio.engine.apply.gateway import ApplyRefused
from studio.engine.disk import DiskChange, TargetChanged, batch, files, folders, undoing
from studio.engine.plan import PlanState, StepState
from studio.engine.store.journal import StoredJournal
from studio.engine.store.plans import Plans
from studio.errors import Conflict, Refused
from studio.system import syscalls
from studio.workspace import Reviewer, Workspace
from tests.faults.bench import PERSON, Bench, propose_and_approve, tree
from tests.tools.inside import context_of

OLD, NEW = "old\n" * 100, "new\n" * 100


class Killed(BaseException):
    """Stands for the end of the process at that point."""


def modify(workspace: Workspace, *names: str) -> str:
    return propose_and_approve(workspace, *({"op": "modify", "path": name, "content": NEW} for name in names))


@pytest.fixture
def two_files(bench: Bench) -> Path:
    for name in ("a.txt", "b.txt"):
        (bench.project / name).write_text(OLD)
        (bench.project / name).chmod(0o640)
    return bench.project


def once(
    monkeypatch: pytest.MonkeyPatch, owner: Any, name: str, act: Callable[..., object], call: int = 1
) -> None:
    """Do `act` with the arguments of the `call`th call of a function, right before it."""
    original, calls = getattr(owner, name), 0

    def replacement(*arguments: Any, **named: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == call:
            act(*arguments)
        return original(*arguments, **named)

    monkeypatch.setattr(owner, name, replacement)


def kill(*_: object) -> None:
    raise Killed


def temporaries(project: Path) -> list[Path]:
    return sorted(path for path in project.rglob("*") if ".exacta" in path.name)


def test_a_write_cut_short_is_never_put_in_place_of_a_file(
    two_files: Path, workspace: Workspace, reviewer: Reviewer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A person wrote our very result by hand while we staged it, and we died with half of it written."""
    plan_id = modify(workspace, "a.txt", "b.txt")

    def half(_root: object, path: str, data: bytes, **_named: object) -> None:
        (two_files / path).write_bytes(data[:10])
        (two_files / path).chmod(0o600)
        (two_files / "a.txt").write_text(NEW)
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(files, "write_temporary", half)
        with pytest.raises(Killed):
            reviewer.apply(plan_id)
    (plan,) = reviewer.recover()
    assert plan.state is PlanState.PAUSED
    assert {name: entry[1:] for name, entry in tree(two_files).items()} == {
        "a.txt": (0o640, OLD.encode()),
        "b.txt": (0o640, OLD.encode()),
    }


def test_a_restore_from_the_store_cut_short_is_finished_by_the_next_recovery(
    two_files: Path, workspace: Workspace, reviewer: Reviewer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Put back from the kept file or else from the blob, also when that was cut
    short once."""
    plan_id = modify(workspace, "a.txt", "b.txt")
    with monkeypatch.context() as patch:
        once(patch, ending, "record_done", kill)
        with pytest.raises(Killed):
            reviewer.apply(plan_id)
    kept = temporaries(two_files)
    assert len(kept) == 2
    cut = next(path for path in kept if path.read_text() == OLD)
    cut.write_text(OLD[:8])
    cut.chmod(0o600)
    for path in kept:
        if path != cut:
            path.unlink()
    (two_files / "b.txt").write_text(OLD)
    (plan,) = reviewer.recover()
    assert (two_files / "a.txt").read_text() == OLD and (two_files / "b.txt").read_text() == OLD
    assert temporaries(two_files) == []
    assert plan.state is PlanState.PAUSED


def test_the_newest_of_two_foreign_writes_is_in_place(
    two_files: Path, workspace: Workspace, reviewer: Reviewer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One before our exchange, one between it and the way back: neither is lost, the newer one stands."""
    plan_id = modify(workspace, "a.txt")

    def write(text: str) -> None:
        (two_files / "other").write_text(text)
        (two_files / "other").replace(two_files / "a.txt")

    once(monkeypatch, syscalls, "exchange", lambda *_: write("first"), 1)
    once(monkeypatch, syscalls, "exchange", lambda *_: write("second"), 2)
    with pytest.raises(TargetChanged):
        reviewer.apply(plan_id)
    assert (two_files / "a.txt").read_text() == "second"
    plan = workspace.proposer.plan(plan_id)
    assert plan.state is PlanState.FAILED
    foreign_paths = [problem.message for problem in plan.problems if problem.code == "recovery.kept"]
    (kept,) = temporaries(two_files)
    assert kept.read_text() == "first"
    assert len(foreign_paths) == 1 and kept.name in foreign_paths[0]


def test_a_file_made_where_a_deleted_one_was_stays(
    two_files: Path, workspace: Workspace, reviewer: Reviewer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The delete displaced a foreign write, and somebody made the file anew before it could go back."""
    plan_id = propose_and_approve(workspace, {"op": "delete", "path": "a.txt"})
    once(monkeypatch, syscalls, "rename_new", lambda *_: (two_files / "a.txt").write_text("first"), 1)
    once(monkeypatch, syscalls, "rename_new", lambda *_: (two_files / "a.txt").write_text("second"), 2)
    with pytest.raises(TargetChanged):
        reviewer.apply(plan_id)
    assert (two_files / "a.txt").read_text() == "second"
    assert [path.read_text() for path in temporaries(two_files)] == ["first"]
    assert any(problem.code == "recovery.kept" for problem in workspace.proposer.plan(plan_id).problems)


def test_a_file_removed_in_that_moment_stays_removed(
    two_files: Path, workspace: Workspace, reviewer: Reviewer, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan_id = modify(workspace, "a.txt", "b.txt")
    once(monkeypatch, syscalls, "exchange", lambda *_: (two_files / "b.txt").unlink(), 2)
    with pytest.raises(TargetChanged):
        reviewer.apply(plan_id)
    assert {name: entry[2] for name, entry in tree(two_files).items()} == {"a.txt": OLD.encode()}


def test_a_prepared_file_that_somebody_removed_is_no_conflict(
    two_files: Path, workspace: Workspace, reviewer: Reviewer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A cleaning program took our file away: everything goes back and the plan can be applied again."""
    plan_id = modify(workspace, "a.txt", "b.txt")
    with monkeypatch.context() as patch:
        once(patch, syscalls, "exchange", lambda *_: temporaries(two_files)[0].unlink(), 1)
        once(patch, syscalls, "exchange", lambda *_: [path.unlink() for path in temporaries(two_files)], 2)
        with pytest.raises(Refused, match="Nothing was written"):
            reviewer.apply(plan_id)
    assert {entry[2] for entry in tree(two_files).values()} == {OLD.encode()}
    assert workspace.proposer.plan(plan_id).state is PlanState.PAUSED
    assert reviewer.apply(plan_id).state is PlanState.COMPLETED


@pytest.mark.parametrize("target", ["link", "folder", "pipe"])
def test_a_target_that_became_something_else_is_left_alone(
    two_files: Path,
    workspace: Workspace,
    reviewer: Reviewer,
    monkeypatch: pytest.MonkeyPatch,
    target: str,
) -> None:
    plan_id = modify(workspace, "a.txt", "b.txt")
    (two_files.parent / "outside").write_text(OLD)

    def become(*_: object) -> None:
        path = two_files / "b.txt"
        path.unlink()
        if target == "link":
            path.symlink_to(two_files.parent / "outside")
        elif target == "folder":
            path.mkdir()
            (path / "inside").write_text("theirs")
        else:
            os.mkfifo(path)

    once(monkeypatch, syscalls, "exchange", become, 2)
    with pytest.raises(TargetChanged):
        reviewer.apply(plan_id)
    path = two_files / "b.txt"
    assert (two_files / "a.txt").read_text() == OLD
    assert path.is_symlink() or path.is_fifo() or (path / "inside").read_text() == "theirs"
    assert (two_files.parent / "outside").read_text() == OLD
    assert temporaries(two_files) == []


def test_what_is_written_into_the_displaced_file_through_an_open_handle_stays(
    two_files: Path, workspace: Workspace, reviewer: Reviewer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An editor held the file open and wrote after the exchange: its bytes are kept and named."""
    plan_id = modify(workspace, "a.txt")
    with (two_files / "a.txt").open("r+") as handle:

        def write(*_: object) -> None:
            handle.write("THEIRS")
            handle.flush()

        once(monkeypatch, ending, "sweep", write)
        plan = reviewer.apply(plan_id)
    assert plan.state is PlanState.COMPLETED and (two_files / "a.txt").read_text() == NEW
    (kept,) = temporaries(two_files)
    assert kept.read_text().startswith("THEIRS")
    (problem,) = plan.problems
    assert problem.code == "recovery.kept" and kept.name in problem.message and problem.hint
    assert workspace.recover() == ()


def test_what_is_written_into_the_displaced_file_before_a_crash_goes_back_in_place(
    two_files: Path, workspace: Workspace, reviewer: Reviewer, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan_id = modify(workspace, "a.txt", "b.txt")
    with (two_files / "a.txt").open("r+") as handle:
        once(monkeypatch, ending, "record_done", kill)
        with pytest.raises(Killed):
            reviewer.apply(plan_id)
        handle.write("THEIRS")
    (plan,) = reviewer.recover()
    assert plan.state is PlanState.FAILED
    assert (two_files / "a.txt").read_text().startswith("THEIRS")
    assert (two_files / "b.txt").read_text() == OLD
    assert temporaries(two_files) == []


def test_a_temporary_name_that_is_taken_stops_the_apply_and_is_left_alone(
    two_files: Path, workspace: Workspace, reviewer: Reviewer, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan_id = modify(workspace, "a.txt", "b.txt")
    taken: list[Path] = []

    def take(_root: object, path: str, *_: object) -> None:
        taken.append(two_files / path)
        taken[0].write_text("somebody's")

    with monkeypatch.context() as patch:
        once(patch, files, "write_temporary", take, 2)
        with pytest.raises(Refused, match="Nothing was written"):
            reviewer.apply(plan_id)
    assert (two_files / "a.txt").read_text() == OLD
    assert temporaries(two_files) == taken and taken[0].read_text() == "somebody's"
    assert workspace.proposer.plan(plan_id).state is PlanState.PAUSED
    assert reviewer.apply(plan_id).state is PlanState.COMPLETED
    assert (two_files / "a.txt").read_text() == NEW and taken[0].read_text() == "somebody's"


def test_a_folder_that_became_a_link_does_not_hold_up_recovery(
    bench: Bench, workspace: Workspace, reviewer: Reviewer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The others go back, the plan ends failed, what the link leads to is not looked at."""
    for name in ("in/a.txt", "b.txt"):
        (bench.project / name).parent.mkdir(exist_ok=True)
        (bench.project / name).write_text(OLD)
    plan_id = modify(workspace, "in/a.txt", "b.txt")
    with monkeypatch.context() as patch:
        once(patch, ending, "record_done", kill)
        with pytest.raises(Killed):
            reviewer.apply(plan_id)
    monkeypatch.setattr(batch, "AGAIN_SECONDS", 0.05)
    moved = bench.project.parent / "moved"
    (bench.project / "in").rename(moved)
    (bench.project / "in").symlink_to(moved)
    outside = tree(moved)
    (plan,) = reviewer.recover()
    assert plan.state is PlanState.FAILED
    assert any(problem.code == "recovery.left" and "in/a.txt" in problem.message for problem in plan.problems)
    assert (bench.project / "b.txt").read_text() == OLD
    assert tree(moved) == outside
    assert reviewer.recover() == ()
    assert reviewer.apply(modify(workspace, "b.txt")).state is PlanState.COMPLETED


def test_a_lost_blob_stops_neither_the_others_nor_recovery(
    two_files: Path, workspace: Workspace, reviewer: Reviewer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Kept file gone and stored bytes damaged: that target is named, the others go back."""
    plan_id = modify(workspace, "a.txt", "b.txt")
    with monkeypatch.context() as patch:
        once(patch, ending, "record_done", kill)
        with pytest.raises(Killed):
            reviewer.apply(plan_id)
    (two_files / "a.txt").write_text("mine now")
    temporaries(two_files)[0].unlink()
    store = context_of(workspace).store
    with store.database.write() as connection:
        connection.execute("UPDATE blobs SET packed = x'00'")
    (plan,) = reviewer.recover()
    assert plan.state is PlanState.FAILED
    assert (two_files / "a.txt").read_text() == "mine now"
    assert any(problem.code == "recovery.left" for problem in plan.problems)
    assert reviewer.recover() == ()


def test_an_apply_that_could_not_be_recorded_says_so_and_is_recorded_later(
    two_files: Path, workspace: Workspace, reviewer: Reviewer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Step 6 of the protocol failed: everything is written, and the next recovery records it."""
    plan_id = modify(workspace, "a.txt", "b.txt")

    def full(*_: object) -> None:
        raise Refused("state.full", "The disk of the state folder is full.", "Free some space.")

    with monkeypatch.context() as patch:
        once(patch, StoredJournal, "append", full, 2)
        with pytest.raises(Refused, match="was written completely") as caught:
            reviewer.apply(plan_id)
    assert caught.value.code == "apply.unrecorded" and caught.value.hint
    assert (two_files / "a.txt").read_text() == NEW
    (plan,) = reviewer.recover()
    assert plan.state is PlanState.COMPLETED
    assert {step.state for step in plan.steps} == {StepState.APPLIED}
    assert temporaries(two_files) == []
    reviewer.rollback(plan_id)
    assert (two_files / "b.txt").read_text() == OLD


def test_trouble_after_the_record_is_no_failure_of_the_apply(
    two_files: Path, workspace: Workspace, reviewer: Reviewer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Everything is written and recorded; what is left is forgotten later."""
    plan_id = modify(workspace, "a.txt", "b.txt")

    def full(*_: object) -> None:
        raise Refused("state.full", "The disk of the state folder is full.", "Free some space.")

    with monkeypatch.context() as patch:
        once(patch, Plans, "mark_finished", full)
        assert reviewer.apply(plan_id).state is PlanState.COMPLETED
    assert workspace.needs_recovery
    reviewer.recover()
    assert not workspace.needs_recovery and temporaries(two_files) == []


def test_a_plan_decided_anew_in_between_is_not_written(
    two_files: Path, bench: Bench, workspace: Workspace, reviewer: Reviewer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another window took the approval back and gave it anew, after the plan was read."""
    plan_id = modify(workspace, "a.txt")
    other = bench.open()

    def decide_anew(*_: object) -> None:
        second = other.reviewer(PERSON)
        second.take_back(plan_id)
        second.approve(plan_id)

    once(monkeypatch, disk, "check_handles", decide_anew)
    with pytest.raises(Conflict, match="decided again"):
        reviewer.apply(plan_id)
    other.close()
    assert (two_files / "a.txt").read_text() == OLD
    assert reviewer.apply(plan_id).state is PlanState.COMPLETED


def test_a_file_that_cannot_be_read_for_the_moment_has_not_drifted(
    two_files: Path, workspace: Workspace, reviewer: Reviewer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The approval stands: a reading error is no change."""
    plan_id = modify(workspace, "a.txt")
    looks = 0

    def fail_twice(*_: object) -> None:
        nonlocal looks
        looks += 1
        if looks <= 2:
            raise PermissionError(13, "Permission denied", "a.txt")

    original = type(context_of(workspace).root).digest

    def digest(root: Any, path: str) -> Any:
        fail_twice()
        return original(root, path)

    with monkeypatch.context() as patch:
        patch.setattr(type(context_of(workspace).root), "digest", digest)
        with pytest.raises(Refused, match="Nothing was written") as caught:
            reviewer.apply(plan_id)
    assert not isinstance(caught.value, ApplyRefused)
    assert workspace.proposer.plan(plan_id).state is PlanState.APPROVED
    assert reviewer.apply(plan_id).state is PlanState.COMPLETED


def test_putting_back_goes_on_after_an_error(
    two_files: Path, workspace: Workspace, reviewer: Reviewer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One file can't be put back for the moment: the other is, and recovery does the rest."""
    plan_id = modify(workspace, "a.txt", "b.txt")
    original = undoing.put_back

    def put_back(root: Any, placement: DiskChange, content: Any) -> Any:
        if placement.path == "b.txt":
            raise OSError(5, "Input/output error", "b.txt")
        return original(root, placement, content)

    def fail(*_: object) -> None:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patch:
        once(patch, folders, "flush_folders", fail)
        patch.setattr(undoing, "put_back", put_back)
        with pytest.raises(Refused, match="Not everything was restored"):
            reviewer.apply(plan_id)
    assert (two_files / "a.txt").read_text() == OLD and (two_files / "b.txt").read_text() == NEW
    (plan,) = reviewer.recover()
    assert plan.state is PlanState.PAUSED
    assert (two_files / "b.txt").read_text() == OLD and temporaries(two_files) == []
