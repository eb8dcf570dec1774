"""From a proposal to bytes on disk and back: every operation, whole or not at all."""

from __future__ import annotations

import hashlib
import json
import os
import stat
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from studio.engine.apply.gateway import ApplyRefused, Drifted
from studio.engine.plan import Plan, PlanState, StepDecision, StepState
from studio.engine.root import ProjectRoot
from studio.errors import Conflict, Refused, TimedOut
from studio.workspace import Reviewer, Workspace
from tests.tools.rights import IS_ROOT

Propose = Callable[..., Plan]


def plan_text(*steps: dict[str, Any]) -> str:
    return json.dumps({"title": "A plan", "agent": "tester", "steps": list(steps)})


def tree(folder: Path) -> dict[str, tuple[str, int, bytes]]:
    """Every entry with kind, permission bits and bytes."""
    found: dict[str, tuple[str, int, bytes]] = {}
    for path in sorted(folder.rglob("*")):
        mode = stat.S_IMODE(path.lstat().st_mode)
        kind = "folder" if path.is_dir() else "file"
        found[path.relative_to(folder).as_posix()] = (kind, mode, b"" if path.is_dir() else path.read_bytes())
    return found


ALL_OPERATIONS = plan_text(
    {"op": "create", "path": "new/deep/file.txt", "content": "hello\n"},
    {"op": "modify", "path": "a.txt", "edits": [{"old": "two", "new": "zwei"}]},
    {"op": "append", "path": "log.txt", "content": "more\n"},
    {"op": "delete", "path": "old.txt"},
    {"op": "move", "path": "here.txt", "to": "there/it.txt", "edits": [{"old": "x", "new": "y"}]},
    {"op": "copy", "path": "b.bin", "to": "c.bin"},
    {"op": "mkdir", "path": "empty"},
    {"op": "mode", "path": "run.sh", "executable": True},
)


@pytest.fixture
def full_project(project: Path) -> Path:
    (project / "a.txt").write_bytes(b"one\r\ntwo\r\nthree\r\n")
    (project / "log.txt").write_bytes(b"first\n")
    (project / "old.txt").write_bytes(b"going\n")
    (project / "old.txt").chmod(0o640)
    (project / "here.txt").write_bytes(b"x\n")
    (project / "here.txt").chmod(0o600)
    (project / "b.bin").write_bytes(b"\0\1\2")
    (project / "run.sh").write_bytes(b"#!/bin/sh\n")
    return project


def test_all_operations_apply_and_roll_back(
    full_project: Path, propose: Propose, reviewer: Reviewer, workspace: Workspace
) -> None:
    """What was there is kept in the store, and nothing beside the files."""
    before = tree(full_project)
    plan = propose(ALL_OPERATIONS)
    assert [step.state for step in plan.steps] == [StepState.PENDING] * 8
    assert reviewer.approve(plan.id).state is PlanState.APPROVED
    assert tree(full_project) == before, "approving writes nothing"
    done = reviewer.apply(plan.id)
    assert done.state is PlanState.COMPLETED
    after = tree(full_project)
    assert after["new/deep/file.txt"][2] == b"hello\n"
    assert after["a.txt"][2] == b"one\r\nzwei\r\nthree\r\n"
    assert after["log.txt"][2] == b"first\nmore\n"
    assert "old.txt" not in after and "here.txt" not in after
    assert after["there/it.txt"] == ("file", 0o600, b"y\n")
    assert after["c.bin"][2] == b"\0\1\2"
    assert after["empty"][0] == "folder"
    assert after["run.sh"][1] & 0o111 == 0o111
    assert not [name for name in after if ".exacta" in name]

    back = reviewer.rollback(plan.id)
    assert back.state is PlanState.COMPLETED and back.rolls_back == plan.id
    assert tree(full_project) == before
    assert workspace.proposer.plan(plan.id).state is PlanState.ROLLED_BACK

    again = reviewer.rollback(back.id)
    assert tree(full_project) == after, "a rollback can be rolled back"
    assert workspace.proposer.plan(plan.id).state is PlanState.COMPLETED
    assert workspace.proposer.plan(back.id).state is PlanState.ROLLED_BACK
    reviewer.rollback(again.id)
    assert tree(full_project) == before
    assert workspace.proposer.plan(plan.id).state is PlanState.ROLLED_BACK


def test_one_step_is_rolled_back_and_its_folders_go_only_when_empty(
    project: Path, propose: Propose, reviewer: Reviewer, workspace: Workspace
) -> None:
    plan = propose(
        plan_text(
            {"op": "create", "path": "made/one.txt", "content": "1\n"},
            {"op": "create", "path": "made/two.txt", "content": "2\n"},
        )
    )
    reviewer.approve(plan.id)
    reviewer.apply(plan.id)
    reviewer.rollback(plan.id, [1])
    assert sorted(tree(project)) == ["made", "made/two.txt"]
    assert workspace.proposer.plan(plan.id).state is PlanState.COMPLETED
    reviewer.rollback(plan.id, [2])
    assert tree(project) == {}
    assert workspace.proposer.plan(plan.id).state is PlanState.ROLLED_BACK


def test_rollback_refuses_on_drift_and_touches_nothing(
    project: Path, propose: Propose, reviewer: Reviewer
) -> None:
    """What somebody changed after us is theirs."""
    (project / "a.txt").write_text("a\n")
    (project / "b.txt").write_text("b\n")
    plan = propose(
        plan_text(
            {"op": "modify", "path": "a.txt", "content": "A\n"},
            {"op": "modify", "path": "b.txt", "content": "B\n"},
        )
    )
    reviewer.approve(plan.id)
    reviewer.apply(plan.id)
    (project / "b.txt").write_text("mine\n")
    with pytest.raises(Conflict, match=r"b\.txt"):
        reviewer.rollback(plan.id)
    assert (project / "a.txt").read_text() == "A\n"
    reviewer.rollback(plan.id, [1])
    assert (project / "a.txt").read_text() == "a\n"
    assert (project / "b.txt").read_text() == "mine\n"


def test_drift_before_apply_makes_the_step_stale_and_writes_nothing(
    project: Path, propose: Propose, reviewer: Reviewer, workspace: Workspace
) -> None:
    """Newer edits of the user are never overwritten."""
    (project / "a.txt").write_text("a\n")
    plan = propose(
        plan_text(
            {"op": "modify", "path": "a.txt", "content": "A\n"},
            {"op": "create", "path": "new.txt", "content": "new\n"},
        )
    )
    reviewer.approve(plan.id)
    (project / "a.txt").write_text("edited by hand\n")
    with pytest.raises(Drifted):
        reviewer.apply(plan.id)
    assert sorted(tree(project)) == ["a.txt"]
    now = workspace.proposer.plan(plan.id)
    assert now.stale and now.state is PlanState.PENDING
    assert [step.state for step in now.steps] == [StepState.STALE, StepState.APPROVED]

    (project / "a.txt").write_text("a\n")
    workspace.proposer.refresh()
    assert workspace.proposer.plan(plan.id).state is PlanState.APPROVED, "its base is back"
    assert reviewer.apply(plan.id).state is PlanState.COMPLETED
    assert (project / "a.txt").read_text() == "A\n"


def _other_rules(_reviewer: Reviewer, _plan: str) -> None:
    Path(os.environ["STUDIO_CONFIG_DIR"], "config.yaml").write_text("file_rules: {deny: [a.txt, b.txt]}\n")


@pytest.mark.parametrize(
    ("between", "after"),
    [
        (lambda *_: None, StepState.APPROVED),
        (lambda reviewer, plan: reviewer.rebase(plan, 1), StepState.STALE),
        (lambda reviewer, plan: reviewer.discard_stale(plan, [1]), StepState.REJECTED),
        (_other_rules, StepState.STALE),
    ],
    ids=["back", "rebased", "discarded", "other rules"],
)
def test_an_approval_rests_while_its_step_is_stale(
    *,
    project: Path,
    propose: Propose,
    reviewer: Reviewer,
    workspace: Workspace,
    between: Callable[[Reviewer, str], object],
    after: StepState,
) -> None:
    """It counts again for what was approved, under the same rules."""
    (project / "a.txt").write_text("a\nb\nc\nd\ne\n")
    plan = propose(plan_text({"op": "modify", "path": "a.txt", "edits": [{"old": "a", "new": "A"}]})).id
    reviewer.approve(plan)
    (project / "a.txt").write_text("a\nb\nc\nd\nby hand\n")
    workspace.proposer.refresh()
    stale = workspace.proposer.plan(plan).steps[0]
    assert stale.state is StepState.STALE and stale.decision is None
    between(reviewer, plan)
    (project / "a.txt").write_text("a\nb\nc\nd\ne\n")
    workspace.proposer.refresh()
    assert workspace.proposer.plan(plan).steps[0].state is after


@pytest.mark.parametrize(
    "rules",
    [
        "file_rules: {deny: [elsewhere/]}",
        "limits: {file_bytes: 1048576}",
        "encodings: {'legacy/**': windows-1252}",
        "sources: {tester: {deny: [elsewhere/]}}",
    ],
)
def test_rules_that_changed_after_the_approval_void_it(
    project: Path, propose: Propose, reviewer: Reviewer, workspace: Workspace, rules: str
) -> None:
    """Also where they still allow the step: the person decided under others."""
    step = {"op": "create", "path": "new.txt", "content": "new\n"}
    plan = propose(json.dumps({"title": "t", "agent": "tester", "steps": [step]}))
    reviewer.approve(plan.id)
    Path(os.environ["STUDIO_CONFIG_DIR"], "config.yaml").write_text(f"{rules}\n")
    with pytest.raises(Drifted) as refused:
        reviewer.apply(plan.id)
    assert refused.value.code == "policy.changed" and not (project / "new.txt").exists()
    assert workspace.proposer.plan(plan.id).steps[0].state is StepState.PENDING
    reviewer.approve(plan.id)
    assert reviewer.apply(plan.id).state is PlanState.COMPLETED


def test_a_file_that_can_not_be_read_for_the_moment_has_not_drifted(
    project: Path, propose: Propose, reviewer: Reviewer, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An error of the disk voids no decision; applying says so and writes nothing."""
    (project / "a.txt").write_text("a\n")
    plan = propose(plan_text({"op": "modify", "path": "a.txt", "content": "A\n"}))
    reviewer.approve(plan.id)

    def broken(*_: object) -> None:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patched:
        patched.setattr(ProjectRoot, "digest", broken)
        assert not workspace.proposer.refresh()
        with pytest.raises(Refused):
            reviewer.apply(plan.id)
    assert workspace.proposer.plan(plan.id).state is PlanState.APPROVED
    assert reviewer.apply(plan.id).state is PlanState.COMPLETED


def test_mode_owner_and_attributes_survive(project: Path, propose: Propose, reviewer: Reviewer) -> None:
    file = project / "a.txt"
    file.write_text("a\n")
    file.chmod(0o754)
    try:
        os.setxattr(file, "user.note", b"kept")
    except OSError:
        pytest.fail("the test's file system must have extended attributes")
    plan = propose(plan_text({"op": "modify", "path": "a.txt", "content": "A\n"}))
    reviewer.approve(plan.id)
    reviewer.apply(plan.id)
    assert stat.S_IMODE(file.stat().st_mode) == 0o754
    assert os.getxattr(file, "user.note") == b"kept"


def test_hunks_left_out_are_not_written(
    project: Path, propose: Propose, reviewer: Reviewer, workspace: Workspace
) -> None:
    lines = [f"line {number}\n" for number in range(40)]
    (project / "a.txt").write_text("".join(lines))
    changed = lines.copy()
    changed[2], changed[30] = "first change\n", "second change\n"
    plan = propose(plan_text({"op": "modify", "path": "a.txt", "content": "".join(changed)}))
    assert len(plan.steps[0].hunks) == 2
    plan = reviewer.approve(plan.id, [StepDecision(1, {1: False})])
    assert [hunk.chosen for hunk in plan.steps[0].hunks] == [False, True]
    reviewer.apply(plan.id)
    expected = lines.copy()
    expected[30] = "second change\n"
    assert (project / "a.txt").read_text() == "".join(expected)
    (entry,) = workspace.proposer.history()
    assert (entry.added, entry.removed) == (1, 1), "history counts what was written"
    assert plan.steps[0].decided_sha256 == hashlib.sha256("".join(expected).encode()).hexdigest()


def test_partial_approval_writes_the_approved_steps_only(
    project: Path, propose: Propose, reviewer: Reviewer
) -> None:
    plan = propose(
        plan_text(
            {"op": "create", "path": "yes.txt", "content": "yes\n"},
            {"op": "create", "path": "no.txt", "content": "no\n"},
        )
    )
    reviewer.approve(plan.id, [1])
    with pytest.raises(Refused, match="undecided"):
        reviewer.apply(plan.id)
    reviewer.reject(plan.id, [2], reason="not wanted")
    assert reviewer.apply(plan.id).state is PlanState.COMPLETED
    assert sorted(tree(project)) == ["yes.txt"]


def test_a_step_that_changed_under_the_press_decides_nothing(
    project: Path, propose: Propose, reviewer: Reviewer, workspace: Workspace
) -> None:
    (project / "a.txt").write_text("a\n")
    plan = propose(plan_text({"op": "modify", "path": "a.txt", "content": "A\n"}))
    painted = {1: plan.steps[0].revision}
    (project / "a.txt").write_text("drift\n")
    with pytest.raises(Conflict):
        reviewer.approve(plan.id, [1], seen=painted)
    assert workspace.proposer.plan(plan.id).steps[0].state is StepState.STALE


def test_same_submission_again_is_the_same_plan(project: Path, propose: Propose, reviewer: Reviewer) -> None:
    """What is there already is done, and no error."""
    text = plan_text({"op": "create", "path": "a.txt", "content": "a\n"})
    first = propose(text)
    second = propose(text)
    assert second.id == first.id and second.duplicate
    reviewer.approve(first.id)
    reviewer.apply(first.id)
    third = propose(text)
    assert [step.state for step in third.steps] == [StepState.ALREADY_APPLIED]
    assert third.state is PlanState.COMPLETED


def test_a_diff_that_is_on_disk_already_is_already_applied(
    project: Path, propose: Propose, reviewer: Reviewer
) -> None:
    (project / "a.txt").write_text("one\ntwo\n")
    diff = "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+zwei\n"
    plan = propose(diff)
    reviewer.approve(plan.id)
    reviewer.apply(plan.id)
    assert propose(diff).steps[0].state is StepState.ALREADY_APPLIED


def test_a_rejected_submission_comes_back_with_its_reason(
    project: Path, propose: Propose, reviewer: Reviewer
) -> None:
    text = plan_text({"op": "create", "path": "a.txt", "content": "a\n"})
    first = propose(text)
    assert reviewer.reject(first.id, reason="no such file wanted").state is PlanState.REJECTED
    second = propose(text)
    assert second.id != first.id
    assert any("no such file wanted" in problem.message for problem in second.problems)


def test_a_folder_delete_is_its_files_and_folders(
    project: Path, propose: Propose, reviewer: Reviewer
) -> None:
    """One deletion to a step."""
    (project / "dir/sub").mkdir(parents=True)
    (project / "dir/a.txt").write_text("a\n")
    (project / "dir/sub/b.txt").write_text("b\n")
    before = tree(project)
    plan = propose(plan_text({"op": "delete", "path": "dir"}))
    assert [step.path for step in plan.steps] == ["dir/a.txt", "dir/sub/b.txt", "dir/sub", "dir"]
    reviewer.approve(plan.id)
    reviewer.apply(plan.id)
    assert tree(project) == {}
    reviewer.rollback(plan.id)
    assert tree(project) == before


def test_a_folder_that_would_not_be_empty_stops_the_plan_before_it_writes(
    project: Path, propose: Propose, reviewer: Reviewer
) -> None:
    (project / "dir").mkdir()
    (project / "dir/a.txt").write_text("a\n")
    (project / "dir/b.txt").write_text("b\n")
    plan = propose(plan_text({"op": "delete", "path": "dir"}))
    reviewer.reject(plan.id, [2], reason="keep it")
    reviewer.approve(plan.id)
    with pytest.raises(ApplyRefused, match=r"dir/b\.txt remains"):
        reviewer.apply(plan.id)
    assert sorted(tree(project)) == ["dir", "dir/a.txt", "dir/b.txt"]
    assert reviewer.take_back(plan.id, [3]).state is PlanState.PENDING
    reviewer.reject(plan.id, [3], reason="it is not empty")
    reviewer.apply(plan.id)
    assert sorted(tree(project)) == ["dir", "dir/b.txt"]


@pytest.mark.parametrize(
    ("steps", "code"),
    [
        ([{"op": "modify", "path": "missing.txt", "content": "x\n"}], "target.missing"),
        ([{"op": "create", "path": "a.txt", "content": "other\n"}], "target.exists"),
        ([{"op": "modify", "path": "a.txt", "edits": [{"old": "nowhere", "new": "x"}]}], "edit.not_found"),
        ([{"op": "modify", "path": "a.txt", "edits": [{"old": "a", "new": "x"}]}], "edit.not_unique"),
        ([{"op": "modify", "path": "b.bin", "content": "text\n"}], "text.uneditable"),
        ([{"op": "modify", "path": "link.txt", "content": "x\n"}], "path.link"),
        ([{"op": "create", "path": "linked/x.txt", "content": "x\n"}], "path.link"),
        ([{"op": "delete", "path": "pipe"}], "path.not_a_file"),
        ([{"op": "create", "path": "a.txt/b/c", "content": "x\n"}], "path.beneath_file"),
        ([{"op": "mkdir", "path": "a.txt/b"}], "path.beneath_file"),
        ([{"op": "copy", "path": "b.bin", "to": "a.txt/b"}], "path.beneath_file"),
        (
            [
                {"op": "create", "path": "n/new/x", "content": "x\n"},
                {"op": "copy", "path": "a.txt", "to": "n"},
            ],
            "path.beneath_file",
        ),
    ],
)
def test_steps_that_cannot_be_done_are_invalid_with_the_reason(
    project: Path, tmp_path: Path, propose: Propose, steps: list[dict[str, Any]], code: str
) -> None:
    (project / "a.txt").write_text("a a\n")
    (project / "b.bin").write_bytes(b"\0\1")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside.txt").write_text("outside\n")
    (project / "link.txt").symlink_to(tmp_path / "outside.txt")
    (project / "linked").symlink_to(tmp_path / "outside")
    os.mkfifo(project / "pipe")
    plan = propose(plan_text(*steps))
    assert plan.steps[0].state is StepState.INVALID
    assert plan.steps[0].problems[0].code == code
    assert plan.steps[0].problems[0].hint


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (("../a", "b"), "1 of 2 steps was refused. The other steps are not affected."),
        (("../a",), "1 of 1 step was refused. Correct it and submit again."),
        (("../a", "../b"), "2 of 2 steps were refused. Correct them and submit again."),
    ],
)
def test_a_plan_counts_its_refused_steps_in_words(
    propose: Propose, names: tuple[str, ...], said: str
) -> None:
    plan = propose(plan_text(*({"op": "create", "path": name, "content": "x\n"} for name in names)))
    (problem,) = plan.problems
    assert f"{problem.message} {problem.hint}" == said


def test_one_refused_step_does_not_hold_up_its_siblings(
    project: Path, propose: Propose, reviewer: Reviewer
) -> None:
    plan = propose(
        plan_text(
            {"op": "create", "path": "../out.txt", "content": "x\n"},
            {"op": "create", "path": ".git/hooks/pre-commit", "content": "x\n"},
            {"op": "create", "path": "fine.txt", "content": "x\n"},
        )
    )
    assert [step.state for step in plan.steps] == [StepState.INVALID, StepState.INVALID, StepState.PENDING]
    assert any("2 of 3 steps were refused" in problem.message for problem in plan.problems)
    reviewer.approve(plan.id)
    reviewer.apply(plan.id)
    assert sorted(tree(project)) == ["fine.txt"]


def test_every_problem_is_reported_at_once(project: Path, propose: Propose, reviewer: Reviewer) -> None:
    names = ["one/a.txt", "two/b.txt"]
    for name in names:
        (project / name).parent.mkdir()
        (project / name).write_text(name)
    plan = propose(plan_text(*({"op": "modify", "path": name, "content": "new\n"} for name in names)))
    reviewer.approve(plan.id)
    with closed([project / name for name in names]), pytest.raises(ApplyRefused) as caught:
        reviewer.apply(plan.id)
    assert set(caught.value.problems) == {1, 2}
    assert reviewer.apply(plan.id).state is PlanState.COMPLETED


@contextmanager
def closed(files: list[Path]) -> Iterator[None]:
    """Files that nobody can replace: their folders are read-only, or for root, whom that does not stop, they
    have the immutable attribute."""
    folders = [str(file.parent) for file in files]
    close, reopen = (
        (["chattr", "+i", *map(str, files)], ["chattr", "-i", *map(str, files)])
        if IS_ROOT
        else (["chmod", "555", *folders], ["chmod", "755", *folders])
    )
    done = subprocess.run(close, check=False)
    assert done.returncode == 0, "as root this test needs a file system with attributes"
    try:
        yield
    finally:
        subprocess.run(reopen, check=True)


def test_a_rollback_that_can_not_begin_leaves_no_plan_behind(
    project: Path, propose: Propose, reviewer: Reviewer, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    from studio.engine import disk

    plan = propose(plan_text({"op": "create", "path": "a.txt", "content": "a\n"}))
    reviewer.approve(plan.id)
    reviewer.apply(plan.id)
    waiting = disk.writer_lock
    monkeypatch.setattr(disk, "writer_lock", lambda file: waiting(file, timeout=0.05))
    with waiting(workspace.state_folder / "writer.lock"), pytest.raises(TimedOut):
        reviewer.rollback(plan.id)
    assert [plan.state for plan in workspace.proposer.plans()] == [PlanState.COMPLETED]
    assert (project / "a.txt").read_text() == "a\n"


def test_a_rollback_that_is_refused_does_not_wait_in_the_queue(
    project: Path, propose: Propose, reviewer: Reviewer, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    from studio.engine import disk

    plan = propose(plan_text({"op": "create", "path": "a.txt", "content": "a\n"}))
    reviewer.approve(plan.id)
    reviewer.apply(plan.id)
    monkeypatch.setattr(disk.Obstacles, "of", lambda *_: disk.Obstacle("its disk is read-only", "Wait."))
    with pytest.raises(ApplyRefused):
        reviewer.rollback(plan.id)
    assert [plan.state for plan in workspace.proposer.plans()] == [PlanState.COMPLETED, PlanState.CANCELLED]
    assert (project / "a.txt").read_text() == "a\n"


@pytest.mark.parametrize(("folds", "second"), [(False, StepState.PENDING), (True, StepState.INVALID)])
def test_names_that_differ_by_case_are_two_files_where_the_volume_says_so(
    propose: Propose, monkeypatch: pytest.MonkeyPatch, folds: bool, second: StepState
) -> None:
    """The volume decides about case; two compositions of one name are one everywhere."""
    monkeypatch.setattr(ProjectRoot, "folds_case", folds)
    plan = propose(
        plan_text(
            {"op": "create", "path": "Makefile", "content": "a:\n"},
            {"op": "create", "path": "makefile", "content": "b:\n"},
            {"op": "create", "path": "caf\u00e9.txt", "content": "1\n"},
            {"op": "create", "path": "cafe\u0301.txt", "content": "2\n"},
        )
    )
    pending, invalid = StepState.PENDING, StepState.INVALID
    assert [step.state for step in plan.steps] == [pending, second, pending, invalid]


def test_a_path_that_git_uses_by_now_is_not_written(
    project: Path, propose: Propose, reviewer: Reviewer
) -> None:
    """Hooks are locked, and which folder that is may change after the approval."""
    plan = propose(plan_text({"op": "create", "path": "tools/pre-commit", "content": "x\n"}))
    reviewer.approve(plan.id)
    (project / ".git").mkdir()
    (project / ".git" / "config").write_text("[core]\n\thooksPath = tools\n")
    with pytest.raises(Drifted, match="rules have changed"):
        reviewer.apply(plan.id)
    assert not (project / "tools").exists()
