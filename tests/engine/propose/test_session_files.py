"""A small agent at work through its overlay: what it sees, what it may, and that nothing reaches the disk."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from studio.engine.filesystem.overlay_tree import BaseChanged
from studio.engine.plan import Operation, Plan, StepState
from studio.engine.propose.session_files import SessionFiles
from studio.engine.session import Session
from studio.errors import AccessDenied, LeadsOutside, PathTraversal
from studio.journal.entries import SessionListing, SessionRead
from studio.journal.file_image import sha256
from studio.workspace import Reviewer, Workspace
from tests.tools.inside import context_of


@pytest.fixture
def session(workspace: Workspace) -> Session:
    return workspace.proposer.open_session("claude-code", "mcp")


def elsewhere(path: Path, text: str) -> None:
    """Another process changes a file of the project."""
    code = "import pathlib, sys; pathlib.Path(sys.argv[1]).write_text(sys.argv[2])"
    subprocess.run([sys.executable, "-c", code, str(path), text], check=True)


def proposed(workspace: Workspace, overlay: SessionFiles, session: Session) -> Plan:
    plan = workspace.proposer.propose_changes(overlay, session)
    assert plan is not None
    return plan


def on_disk(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*.txt")}


def test_an_agent_works_on_its_own_pending_writes_until_they_are_written(
    project: Path, workspace: Workspace, reviewer: Reviewer, session: Session
) -> None:
    for name in ("a", "b", "c", "d"):
        (project / f"{name}.txt").write_bytes(f"{name}\n".encode())
    before = on_disk(project)
    with workspace.overlay(session) as files:
        files.write("new/n.txt", "n\n")
        files.write("a.txt", "a1\n")
        files.move("b.txt", "moved.txt")
        files.delete("c.txt")
        first = proposed(workspace, files, session)
    assert [(step.op, step.target) for step in first.steps] == [
        (Operation.MODIFY, "a.txt"),
        (Operation.DELETE, "c.txt"),
        (Operation.MOVE, "moved.txt"),
        (Operation.CREATE, "new/n.txt"),
    ]
    assert on_disk(project) == before and first.session == session.id

    elsewhere(project / "d.txt", "theirs\n")
    files = workspace.overlay(session)
    assert files.read_bytes("a.txt").content == b"a1\n" and files.read("d.txt").content == "theirs"
    assert not files.exists("b.txt") and not files.exists("c.txt")
    assert [entry.path for entry in files.list("new")] == ["new/n.txt"]
    assert [match.path for match in files.grep("a1")] == ["a.txt"]
    files.write("a.txt", "a2\n")
    files.write("d.txt", "d1\n")
    second = proposed(workspace, files, session)
    assert (second.id, second.version, len(second.steps)) == (first.id, 2, 5)
    a = second.steps[0]
    assert (
        a.id == first.steps[0].id and a.base == first.steps[0].base and a.revision != first.steps[0].revision
    )
    assert a.result is not None and a.result.sha256 == sha256(b"a2\n")
    assert files.read("a.txt").content == "a2", "the overlay goes on with what was proposed"

    reviewer.approve(first.id, [1, 2])
    files = workspace.overlay(session)
    files.write("a.txt", "a3\n")
    files.write("new/n.txt", "n3\n")
    third = proposed(workspace, files, session)
    assert third.id != first.id and on_disk(project) == {**before, "d.txt": b"theirs\n"}
    assert [step.state for step in third.steps] == [StepState.STALE, StepState.STALE]
    said = third.steps[0].facts[0].message
    assert said.startswith(f"a.txt waits for plan {first.short_id}")
    assert third.steps[0].base is not None and third.steps[0].base.sha256 == sha256(b"a2\n")
    assert workspace.proposer.contents(third.id, 1).base == b"a2\n"

    reviewer.reject(first.id, [3], reason="stay")
    reviewer.approve(first.id)
    reviewer.apply(first.id)
    assert (project / "a.txt").read_bytes() == b"a2\n" and (project / "b.txt").exists()
    workspace.proposer.refresh()
    third = reviewer.approve(third.id)
    assert [step.state for step in third.steps] == [StepState.APPROVED, StepState.APPROVED]
    reviewer.apply(third.id)
    assert (project / "a.txt").read_bytes() == b"a3\n" and (project / "new" / "n.txt").read_bytes() == b"n3\n"
    assert workspace.overlay(session).changes() == ()


def test_the_next_change_of_a_stale_file_starts_from_the_disk_and_replaces_its_step(
    project: Path, workspace: Workspace, reviewer: Reviewer, session: Session
) -> None:
    for name in ("a", "moved"):
        (project / f"{name}.txt").write_bytes(b"old\n")
    files = workspace.overlay(session)
    files.write("a.txt", "mine\n")
    files.write("b.txt", "mine\n")
    files.move("moved.txt", "new.txt")
    files.write("other.txt", "mine\n")
    first = proposed(workspace, files, session)
    for name in ("a", "b", "moved"):
        elsewhere(project / f"{name}.txt", "theirs\n")
    files = workspace.overlay(session)
    assert [files.read(f"{name}.txt").content for name in ("a", "b", "moved", "other")] == [
        *["theirs"] * 3,
        "mine",
    ]
    assert not files.exists("new.txt"), "its source is not what was moved"
    files.write("a.txt", "theirs and mine\n")
    workspace.proposer.refresh()
    plan = proposed(workspace, files, session)
    assert plan.id == first.id
    assert {step.target: step.state.value for step in plan.steps} == {
        "a.txt": "pending",
        "b.txt": "stale",
        "new.txt": "stale",
        "other.txt": "pending",
    }
    files.write("b.txt", "theirs and mine\n")
    files.write("moved.txt", "theirs and mine\n")
    plan = proposed(workspace, files, session)
    assert {(step.op, step.target, step.state.value) for step in plan.steps} == {
        (Operation.MODIFY, "a.txt", "pending"),
        (Operation.MODIFY, "b.txt", "pending"),
        (Operation.MODIFY, "moved.txt", "pending"),
        (Operation.MOVE, "new.txt", "invalid"),
        (Operation.CREATE, "other.txt", "pending"),
    }, "and no path is written twice"
    reviewer.approve(plan.id)
    reviewer.apply(plan.id)
    both = b"theirs and mine\n"
    assert on_disk(project) == {"a.txt": both, "b.txt": both, "moved.txt": both, "other.txt": b"mine\n"}


def test_a_change_made_on_what_is_gone_before_it_is_proposed_is_stale(
    project: Path, workspace: Workspace, session: Session
) -> None:
    (project / "a.txt").write_bytes(b"old\n")
    (project / "b.txt").write_bytes(b"old\n")
    files = workspace.overlay(session)
    files.write("a.txt", "mine\n")
    assert files.read("b.txt").content == "old"
    elsewhere(project / "a.txt", "theirs\n")
    elsewhere(project / "b.txt", "theirs\n")
    with pytest.raises(BaseChanged):
        files.write("b.txt", "mine\n")
    (step,) = proposed(workspace, files, session).steps
    assert step.state is StepState.STALE and step.facts[0].kind == "stale_on_arrival"


def test_a_result_that_is_on_disk_by_chance_does_not_pass_for_applied(
    project: Path, workspace: Workspace, reviewer: Reviewer, session: Session
) -> None:
    """The agent takes back what it proposed and was approved: the disk has it, the older plan is to come."""
    (project / "a.txt").write_bytes(b"old\n")
    files = workspace.overlay(session)
    files.write("a.txt", "new\n")
    older = proposed(workspace, files, session)
    reviewer.approve(older.id)
    files.renew()
    files.write("a.txt", "old\n")
    plan = proposed(workspace, files, session)
    workspace.proposer.refresh()
    assert workspace.proposer.plan(plan.id).steps[0].state is StepState.STALE
    reviewer.apply(older.id)
    workspace.proposer.refresh()
    reviewer.approve(plan.id)
    reviewer.apply(plan.id)
    assert (project / "a.txt").read_bytes() == b"old\n"


def test_what_the_rules_deny_is_neither_read_listed_nor_written(
    project: Path, workspace: Workspace, session: Session
) -> None:
    (project / ".git").mkdir()
    for path in (".git/config", ".env", "a.txt", "studio.yaml", "big.txt"):
        (project / path).write_bytes(b"schema_version: 1\n")
    (project / "sub").mkdir()
    (project / "sub" / "key.pem").write_bytes(b"schema_version\n")
    (project / "out").symlink_to(project.parent)
    os.truncate(project / "big.txt", 11 * 1024 * 1024)
    files = workspace.overlay(session)
    listed = files.list()
    assert [entry.name for entry in listed] == ["a.txt", "big.txt", "out", "sub"]
    assert sorted(entry.path for entry in listed.unseen) == [".env", ".git", "studio.yaml"]
    assert [match.path for match in files.glob("**")] == ["a.txt", "big.txt"]
    assert [match.path for match in files.grep("schema")] == ["a.txt"]
    for path in (".env", ".git/config", "studio.yaml", "sub/key.pem", "big.txt"):
        with pytest.raises(AccessDenied):
            files.read_bytes(path)
    for path in (".env", ".git/hooks/pre-commit", "studio.yaml", "sub/new.key", ".mcp.json"):
        with pytest.raises(AccessDenied):
            files.write(path, "x")
    for act in (
        lambda: files.delete("sub", recursive=True),
        lambda: files.move("sub", "other"),
        lambda: files.move("a.txt", ".env.local"),
        lambda: files.copy("a.txt", "a.key"),
        lambda: files.list(".git"),
        lambda: files.stat(".env"),
        lambda: files.mkdir("sub/.git"),
        lambda: files.write_bytes("large.txt", b"x" * (11 * 1024 * 1024)),
    ):
        with pytest.raises(PermissionError):
            act()
    with pytest.raises(PathTraversal):
        files.read("../secret.txt")
    for path in ("out/secret.txt", "out"):
        with pytest.raises(LeadsOutside):
            files.write(path, "x")
    assert files.changes() == () and not (project / "large.txt").exists()


def test_what_is_read_is_noted_without_its_bytes(
    project: Path, workspace: Workspace, session: Session
) -> None:
    """One row for a request and its reply, hash and size, gathered."""
    (project / "a.txt").write_bytes(b"secret words\n")
    with workspace.overlay(session) as files:
        files.read_bytes("a.txt", 7, 5)
        files.list()
        journal = context_of(workspace).store.journal
        assert journal.rows() == ()
    read, listing = (row.entry for row in journal.rows())
    assert isinstance(read, SessionRead) and isinstance(listing, SessionListing)
    assert (read.session, read.path, read.offset, read.length, read.size) == (session.id, "a.txt", 7, 5, 13)
    assert read.sha256 == sha256(b"words")
    assert (listing.path, listing.count, listing.sha256) == (".", 1, sha256(b"a.txt"))
    assert journal.verify().damaged_at is None
    connection = context_of(workspace).store.database.connection
    assert connection.execute("PRAGMA synchronous").fetchone() == (2,), "what writes is durable again"
