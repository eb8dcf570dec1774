"""What is kept to take a change back, and what taking it back never does."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from studio.engine.plan import Plan, PlanState, StepState
from studio.engine.store import Store
from studio.engine.store.rows import now, time_text
from studio.errors import Conflict
from studio.journal.file_image import sha256
from studio.workspace import Reviewer, Workspace
from tests.engine.conftest import PERSON

Apply = Callable[..., Plan]


def text_of(*steps: dict[str, object]) -> str:
    return json.dumps({"title": "t", "steps": steps})


@pytest.fixture
def apply(propose: Callable[..., Plan], reviewer: Reviewer) -> Apply:
    def call(*steps: dict[str, object]) -> Plan:
        plan = propose(text_of(*steps))
        reviewer.approve(plan.id)
        return reviewer.apply(plan.id)

    return call


def test_an_entry_holds_what_was_there_its_plan_and_its_step(
    project: Path, apply: Apply, workspace: Workspace, reviewer: Reviewer
) -> None:
    """The raw bytes and their SHA-256; None: there was no file."""
    (project / "a.txt").write_bytes(b"\xef\xbb\xbfold\r\n")
    (project / "gone.txt").write_bytes(b"gone\n")
    (project / "here.txt").write_bytes(b"\xff\xfeh\0\n\0")
    (project / "i.bin").write_bytes(b"\0i")
    (project / "i.bin").chmod(0o600)
    (project / "d").mkdir()
    plan = apply(
        {"op": "modify", "path": "a.txt", "content": "new\n"},
        {"op": "create", "path": "new.txt", "content": "new\n"},
        {"op": "delete", "path": "gone.txt"},
        {"op": "move", "path": "here.txt", "to": "there.txt"},
        {"op": "copy", "path": "i.bin", "to": "j.bin"},
        {"op": "delete", "path": "d"},
        {"op": "modify", "path": "i.bin", "content_base64": "AGo="},
    )
    entries = list(workspace.proposer.rollback_entries(plan.id))
    contents = {
        "a.txt": (b"\xef\xbb\xbfold\r\n", b"\xef\xbb\xbfnew\r\n", 0o644, "utf-8", "CRLF"),
        "new.txt": (None, b"new\n", None, None, None),
        "gone.txt": (b"gone\n", None, 0o644, "utf-8", "LF"),
        "here.txt": (b"\xff\xfeh\0\n\0", b"\xff\xfeh\0\n\0", 0o644, "utf-16-le", "LF"),
        "j.bin": (None, b"\0i", None, None, None),
        "d": (None, None, 0o755, None, None),
        "i.bin": (b"\0i", b"\0j", 0o600, None, None),
    }
    encodings = {"gone.txt": "ascii"}
    for entry, (path, told) in zip(entries, contents.items(), strict=True):
        original, left, mode, encoding, line_ending = told
        assert (entry.file_path, entry.original_content, entry.mode) == (path, original, mode)
        assert entry.existed == (original is not None or path == "d")
        assert (entry.original_hash, entry.post_hash) == (
            sha256(original) if original is not None else None,
            sha256(left) if left is not None else None,
        )
        assert (entry.encoding, entry.line_ending) == (encodings.get(path, encoding), line_ending)
    assert [entry.operation for entry in entries] == [step.op for step in plan.steps]
    assert {(entry.plan_id, entry.used) for entry in entries} == {(plan.id, False)}
    assert [entry.step_id for entry in entries] == [step.id for step in plan.steps]
    assert all(entry.timestamp == plan.applied for entry in entries)
    assert all(entry.timestamp.utcoffset() == timedelta(0) for entry in entries)
    reviewer.rollback(plan.id, [2])
    assert [entry.used for entry in workspace.proposer.rollback_entries(plan.id)] == [
        False,
        True,
        *[False] * 5,
    ]
    assert sha256(b"") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


def test_what_was_there_is_stored_before_anything_is_written(
    project: Path, propose: Callable[..., Plan]
) -> None:
    """With the proposal itself, and another process finds it."""
    (project / "a.txt").write_bytes(b"old\n")
    plan = propose(text_of({"op": "modify", "path": "a.txt", "content": "new\n"}))
    again = Workspace.open(project)
    try:
        assert again.proposer.contents(plan.id, 1).base == b"old\n"
    finally:
        again.close()


def test_a_deleted_file_comes_back_unless_something_new_is_there(
    project: Path, apply: Apply, reviewer: Reviewer
) -> None:
    """With its bytes and its mode."""
    (project / "a.bin").write_bytes(b"\0old")
    (project / "a.bin").chmod(0o750)
    plan = apply({"op": "delete", "path": "a.bin"})
    (project / "a.bin").write_bytes(b"new")
    with pytest.raises(Conflict, match=r"a\.bin"):
        reviewer.rollback(plan.id)
    assert (project / "a.bin").read_bytes() == b"new"
    (project / "a.bin").unlink()
    reviewer.rollback(plan.id)
    assert (project / "a.bin").read_bytes() == b"\0old"
    assert (project / "a.bin").stat().st_mode & 0o777 == 0o750


def test_a_created_file_goes_only_while_it_is_ours(project: Path, apply: Apply, reviewer: Reviewer) -> None:
    """By its hash; the folders that the step made go when nothing else is in them."""
    plan = apply({"op": "create", "path": "made/deep/a.txt", "content": "ours\n"})
    (project / "made/deep/a.txt").write_text("theirs\n")
    with pytest.raises(Conflict, match=r"a\.txt"):
        reviewer.rollback(plan.id)
    (project / "made/deep/a.txt").write_text("ours\n")
    (project / "made/mine.txt").write_text("mine\n")
    reviewer.rollback(plan.id)
    assert sorted(path.name for path in project.rglob("*")) == ["made", "mine.txt"]


def test_one_plan_is_taken_back_and_no_other_with_it(
    project: Path, apply: Apply, reviewer: Reviewer, workspace: Workspace
) -> None:
    """A later plan on the same path is drift, and is not taken back for the earlier one's sake."""
    (project / "a.txt").write_text("one\n")
    first = apply({"op": "modify", "path": "a.txt", "content": "two\n"})
    second = apply({"op": "modify", "path": "a.txt", "content": "three\n"})
    other = apply({"op": "create", "path": "b.txt", "content": "b\n"})
    with pytest.raises(Conflict, match=r"a\.txt"):
        reviewer.rollback(first.id)
    assert (project / "a.txt").read_text() == "three\n"
    reviewer.rollback(second.id)
    reviewer.rollback(first.id)
    assert (project / "a.txt").read_text() == "one\n"
    assert (project / "b.txt").read_text() == "b\n"
    assert workspace.proposer.plan(other.id).state is PlanState.COMPLETED


def test_the_user_s_git_folder_is_never_touched(project: Path, apply: Apply, reviewer: Reviewer) -> None:
    """Taking back is no reset and no clean; not even a time of `.git` changes."""
    (project / ".git").mkdir()
    (project / ".git/index").write_bytes(b"index")
    (project / "untracked.txt").write_text("mine\n")

    def seen() -> list[tuple[str, int, int]]:
        paths = [project / ".git", project / ".git/index", project / "untracked.txt"]
        return [(path.name, path.stat().st_mtime_ns, path.stat().st_ctime_ns) for path in paths]

    before = seen()
    plan = apply({"op": "create", "path": "a.txt", "content": "a\n"})
    reviewer.rollback(plan.id)
    assert seen() == before


def test_an_append_is_a_replacement_of_the_whole_file(project: Path, apply: Apply) -> None:
    """Who has the file open reads the old bytes to the end, and never half of the new ones."""
    (project / "log.txt").write_bytes(b"first\n")
    with (project / "log.txt").open("rb") as reader:
        apply({"op": "append", "path": "log.txt", "content": "second\n"})
        assert reader.read() == b"first\n"
    assert (project / "log.txt").read_bytes() == b"first\nsecond\n"


@pytest.mark.parametrize("decided", [False, True])
def test_time_alone_changes_nothing(
    project: Path, propose: Callable[..., Plan], workspace: Workspace, decided: bool
) -> None:
    """A plan waits for years, over restarts; time neither approves nor ends anything."""
    plan = propose(text_of({"op": "create", "path": "a.txt", "content": "a\n"}))
    if decided:
        workspace.reviewer(PERSON).approve(plan.id)
    store = Store(workspace.state_folder)
    with store.database.write() as connection:
        long_ago = time_text(now() - timedelta(days=4000))
        connection.execute("UPDATE plans SET created = ?", (long_ago,))
    store.close()
    again = Workspace.open(project)
    try:
        again.proposer.refresh()
        (step,) = again.proposer.plan(plan.id).steps
        assert step.state is (StepState.APPROVED if decided else StepState.PENDING)
        assert not (project / "a.txt").exists(), "approval is not execution"
        reviewer = again.reviewer(PERSON)
        if not decided:
            reviewer.approve(plan.id)
        assert reviewer.apply(plan.id).state is PlanState.COMPLETED
    finally:
        again.close()
