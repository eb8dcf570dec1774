"""Uncommitted changes as a review: what it holds, how it is marked, and what is taken back."""

from __future__ import annotations

import hashlib
import os
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from studio.engine.plan import Operation, Plan, PlanState, StepDecision, StepState
from studio.engine.reviewer import UnsentKind, UnsentText
from studio.errors import NotFound, Refused
from studio.extras.reviews import review_plan
from studio.workspace import Reviewer, Workspace
from tests.engine.git_data.repositories import commit, git, init, state_of, write

NUMBERS = "".join(f"line {number}\n" for number in range(1, 31))
CHANGED = NUMBERS.replace("line 5\n", "LINE 5\n").replace("line 25\n", "LINE 25\n")


@pytest.fixture
def repository(project: Path) -> Path:
    init(project)
    commit(project, {"a.txt": NUMBERS, "b.txt": "b\n", "c.sh": "c\n", ".gitignore": "*.log\n"})
    return project


@contextmanager
def opened(folder: Path) -> Iterator[Workspace]:
    workspace = Workspace.open(folder)
    yield workspace
    workspace.close()


def review(workspace: Workspace) -> Plan:
    plan = workspace.reviews.work_tree()
    assert plan is not None
    return plan


def listed(plan: Plan) -> list[tuple[str, str]]:
    return [(step.op.value, step.path) for step in plan.steps]


def problems(plan: Plan) -> dict[str, str]:
    return {step.path: step.problems[0].code for step in plan.steps if step.problems}


def states(plan: Plan) -> list[str]:
    return [step.state.value for step in plan.steps]


def approve_and_apply(reviewer: Reviewer, plan: Plan) -> Plan:
    reviewer.approve(plan.id)
    return reviewer.apply(plan.id)


def test_every_kind_of_change_is_a_step(repository: Path, workspace: Workspace) -> None:
    write(repository, {"a.txt": CHANGED, "new/d.txt": "d\n", "noise.log": "x\n"})
    (repository / "b.txt").unlink()
    (repository / "c.sh").chmod(0o755)
    (repository / "link").symlink_to("a.txt")
    write(repository, {"staged.txt": "s\n"})
    git(repository, "add", "staged.txt")
    plan = review(workspace)
    assert listed(plan) == [
        ("modify", "a.txt"),
        ("delete", "b.txt"),
        ("mode", "c.sh"),
        ("create", "staged.txt"),
        ("create", "link"),
        ("create", "new/d.txt"),
    ]
    assert plan.state is PlanState.PENDING
    assert plan.reviews == "HEAD"
    assert not plan.is_proposal
    assert plan.title.startswith("Uncommitted changes on main at ")
    assert [len(plan.steps[0].hunks), plan.steps[0].added, plan.steps[0].removed] == [2, 2, 2]
    sides = workspace.proposer.contents(plan.id, 1)
    assert (sides.base, sides.result) == (NUMBERS.encode(), CHANGED.encode())


def test_nothing_of_git_and_no_file_is_touched(repository: Path, workspace: Workspace) -> None:
    write(repository, {"a.txt": CHANGED, "new.txt": "n\n"})
    git(repository, "status")
    os.utime(repository / "b.txt")  # git would refresh its index here
    before = state_of(repository)
    review(workspace)
    assert state_of(repository) == before


def test_without_a_difference_there_is_no_review(repository: Path, workspace: Workspace) -> None:
    os.utime(repository / "a.txt")
    write(repository, {"a.txt": NUMBERS})
    assert workspace.reviews.work_tree() is None
    assert workspace.proposer.plans() == ()


def test_a_review_can_not_be_applied(repository: Path, workspace: Workspace, reviewer: Reviewer) -> None:
    write(repository, {"a.txt": CHANGED})
    plan = review(workspace)
    reviewer.approve(plan.id)
    with pytest.raises(Refused, match="there is nothing to write") as caught:
        reviewer.apply(plan.id)
    assert caught.value.code == "review.applied"
    assert (repository / "a.txt").read_text() == CHANGED


def test_rejected_steps_are_taken_back_by_an_ordinary_plan(
    repository: Path, workspace: Workspace, reviewer: Reviewer
) -> None:
    write(repository, {"a.txt": CHANGED, "new/d.txt": "d\n", "kept.txt": "k\n"})
    (repository / "b.txt").unlink()
    (repository / "c.sh").chmod(0o755)
    plan = review(workspace)
    kept = next(step.number for step in plan.steps if step.path == "kept.txt")
    reviewer.approve(plan.id, [kept])
    plan = reviewer.reject(plan.id, reason="Not these.")
    assert plan.state is PlanState.APPROVED
    back = workspace.reviews.take_back(plan.id)
    assert (back.state, back.restores, back.is_proposal) == (PlanState.PENDING, "HEAD", False)
    assert (repository / "a.txt").read_text() == CHANGED, "nothing is written before it is approved"
    done = approve_and_apply(reviewer, back)
    assert done.state is PlanState.COMPLETED
    assert (repository / "a.txt").read_text() == NUMBERS
    assert (repository / "b.txt").read_text() == "b\n"
    assert not (repository / "c.sh").stat().st_mode & 0o111
    assert not (repository / "new/d.txt").exists()
    assert (repository / "kept.txt").read_text() == "k\n"
    assert git(repository, "status", "--porcelain") == "?? kept.txt\n"
    reviewer.rollback(done.id)
    assert (repository / "a.txt").read_text() == CHANGED
    assert (repository / "new/d.txt").read_text() == "d\n", "the bytes of an untracked file were stored"
    assert not (repository / "b.txt").exists()
    assert (repository / "c.sh").stat().st_mode & 0o111


def test_a_rejected_hunk_is_taken_back_alone(
    repository: Path, workspace: Workspace, reviewer: Reviewer
) -> None:
    write(repository, {"a.txt": CHANGED})
    plan = review(workspace)
    reviewer.approve(plan.id, [StepDecision(1, {1: True, 2: False})])
    done = approve_and_apply(reviewer, workspace.reviews.take_back(plan.id))
    assert done.state is PlanState.COMPLETED
    assert (repository / "a.txt").read_text() == CHANGED.replace("LINE 25", "line 25")
    workspace.proposer.refresh()
    assert states(workspace.proposer.plan(plan.id)) == ["approved"], "what is on disk is what was decided"
    again = review(workspace)
    assert (again.id != plan.id, states(again), again.steps[0].added) == (True, ["approved"], 1)


def test_lines_that_others_changed_meanwhile_stay(
    repository: Path, workspace: Workspace, reviewer: Reviewer
) -> None:
    write(repository, {"a.txt": CHANGED, "b.txt": "other\n"})
    plan = review(workspace)
    reviewer.reject(plan.id, reason="No.")
    write(repository, {"a.txt": CHANGED.replace("line 15", "mine"), "b.txt": "later\n"})
    back = workspace.reviews.take_back(plan.id)
    assert problems(back) == {"b.txt": "review.moved_on"}
    approve_and_apply(reviewer, back)
    assert (repository / "a.txt").read_text() == NUMBERS.replace("line 15", "mine")
    assert (repository / "b.txt").read_text() == "later\n"


def test_an_untracked_file_that_changed_is_not_removed(
    repository: Path, workspace: Workspace, reviewer: Reviewer
) -> None:
    write(repository, {"new.txt": "n\n"})
    plan = review(workspace)
    reviewer.reject(plan.id, reason="No.")
    write(repository, {"new.txt": "written since\n"})
    back = workspace.reviews.take_back(plan.id)
    assert (back.state, problems(back)) == (PlanState.INVALID, {"new.txt": "review.moved_on"})


def test_a_file_that_changes_makes_its_step_stale_and_the_next_review_keeps_the_marks(
    repository: Path, workspace: Workspace, reviewer: Reviewer
) -> None:
    write(repository, {"a.txt": CHANGED, "b.txt": "B\n", "d.txt": "d\n"})
    plan = review(workspace)
    reviewer.approve(plan.id, [1])
    reviewer.reject(plan.id, [2], reason="Why?")
    write(repository, {"d.txt": "d2\n", "a.txt": CHANGED + "more\n"})
    assert workspace.proposer.refresh()
    assert states(workspace.proposer.plan(plan.id)) == ["stale", "rejected", "stale"]
    again = workspace.reviews.again(plan.id)
    assert again is not None
    assert states(again) == ["pending", "rejected", "pending"]
    assert again.steps[1].decision is not None
    assert again.steps[1].decision.text == "Why?"
    assert workspace.proposer.plan(plan.id).state is PlanState.CANCELLED
    assert [found.id for found in workspace.proposer.rounds(again.id)] == [plan.id]


def test_unsaved_input_on_what_is_unchanged_is_kept(
    repository: Path, workspace: Workspace, reviewer: Reviewer
) -> None:
    write(repository, {"a.txt": CHANGED, "b.txt": "B\n"})
    plan = review(workspace)
    for number in (1, 2):
        reviewer.keep_unsent(UnsentText(plan.id, number, UnsentKind.COMMENT, b"Why?", 5))
    write(repository, {"a.txt": CHANGED + "more\n"})
    again = review(workspace)
    assert [(each.step, each.text, each.place) for each in reviewer.unsent(again.id)] == [(2, "Why?", 5)]


def test_a_file_that_is_back_keeps_its_mark(
    repository: Path, workspace: Workspace, reviewer: Reviewer
) -> None:
    write(repository, {"a.txt": CHANGED, "b.txt": "B\n"})
    plan = review(workspace)
    reviewer.approve(plan.id, [1])
    write(repository, {"a.txt": "else\n"})
    workspace.proposer.refresh()
    write(repository, {"a.txt": CHANGED})
    workspace.proposer.refresh()
    assert states(workspace.proposer.plan(plan.id)) == ["approved", "pending"]


def test_the_same_review_is_not_made_twice(repository: Path, workspace: Workspace) -> None:
    write(repository, {"a.txt": CHANGED})
    plan = review(workspace)
    again = review(workspace)
    assert (again.id, again.duplicate) == (plan.id, True)
    assert len(workspace.proposer.plans()) == 1
    git(repository, "commit", "-q", "--allow-empty", "-m", "other")
    assert review(workspace).title != plan.title, "it names the commit that it is against"


def test_a_review_ends_when_everything_is_committed(repository: Path, workspace: Workspace) -> None:
    write(repository, {"a.txt": CHANGED})
    plan = review(workspace)
    git(repository, "commit", "-qam", "all")
    assert workspace.reviews.work_tree() is None
    assert workspace.proposer.plan(plan.id).state is PlanState.CANCELLED


def test_contents_of_reviews_before_the_last_are_freed(repository: Path, workspace: Workspace) -> None:
    plans: list[Plan] = []
    for text in ("one\n", "two\n", "three\n"):
        write(repository, {"b.txt": text})
        plans.append(review(workspace))
    results = [workspace.proposer.contents(plan.id, 1).result for plan in plans]
    assert results == [None, b"two\n", b"three\n"]


def test_a_review_is_dismissed_while_it_is_open(
    repository: Path, workspace: Workspace, reviewer: Reviewer
) -> None:
    write(repository, {"a.txt": CHANGED})
    plan = reviewer.dismiss(review(workspace).id)
    assert plan.state is PlanState.DISMISSED
    assert plan.dismissal is not None
    assert plan.dismissal.was is PlanState.PENDING
    assert (repository / "a.txt").read_text() == CHANGED
    assert states(review(workspace)) == ["pending"]


def test_a_review_is_no_proposal_of_an_agent(
    repository: Path, workspace: Workspace, propose: Callable[[str], Plan]
) -> None:
    write(repository, {"b.txt": "B\n"})
    review(workspace)
    plan = propose('{"title": "t", "steps": [{"op": "modify", "path": "b.txt", "content": "C\\n"}]}')
    assert workspace.proposer.path_conflicts(plan.id) == ()


def test_what_was_approved_is_offered_for_a_commit(
    repository: Path, workspace: Workspace, reviewer: Reviewer
) -> None:
    write(repository, {"a.txt": CHANGED, "b.txt": "B\n", "d.txt": "d\n"})
    plan = review(workspace)
    reviewer.approve(plan.id, [1, 3])
    message = workspace.proposer.commit_message(plan.id)
    assert message.paths == ("a.txt", "d.txt")
    assert message.text == "Modify a.txt and 1 more\n\nmodify a.txt\ncreate d.txt"


def test_nothing_rejected_is_nothing_to_take_back(repository: Path, workspace: Workspace) -> None:
    write(repository, {"a.txt": CHANGED})
    plan = review(workspace)
    with pytest.raises(Refused, match="is rejected") as caught:
        workspace.reviews.take_back(plan.id)
    assert caught.value.code == "review.nothing_rejected"
    with pytest.raises(Refused, match="like that already"):
        workspace.reviews.propose(plan.id)


def test_only_a_review_is_taken_back(workspace: Workspace, propose: Callable[[str], Plan]) -> None:
    plan = propose('{"title": "t", "steps": [{"op": "create", "path": "b.txt", "content": "C\\n"}]}')
    with pytest.raises(Refused, match="is no review"):
        workspace.reviews.take_back(plan.id)


def test_a_branch_without_commits_has_every_file_as_new(project: Path, workspace: Workspace) -> None:
    init(project)
    write(project, {"a.txt": "a\n", "b/c.txt": "c\n"})
    git(project, "add", "a.txt")
    plan = review(workspace)
    assert listed(plan) == [("create", "a.txt"), ("create", "b/c.txt")]
    assert plan.title == "Uncommitted changes on main, which has no commit yet"


def test_a_merge_in_progress_is_reported(repository: Path, workspace: Workspace) -> None:
    git(repository, "checkout", "-qb", "other")
    commit(repository, {"b.txt": "other\n"})
    git(repository, "checkout", "-q", "main")
    commit(repository, {"b.txt": "main\n"})
    git(repository, "merge", "other", may_fail=True)
    plan = review(workspace)
    assert [problem.code for problem in plan.problems] == ["review.in_progress"]
    assert listed(plan) == [("modify", "b.txt")]


def test_a_submodule_is_named_and_not_read(repository: Path, workspace: Workspace, tmp_path: Path) -> None:
    other = init(tmp_path / "other")
    commit(other, {"x.txt": "x\n"})
    git(repository, "submodule", "add", "-q", str(other), "sub")
    git(repository, "commit", "-qm", "sub")
    commit(repository / "sub", {"x.txt": "y\n"})
    assert problems(review(workspace)) == {"sub": "file.submodule"}


def test_a_file_behind_lfs_is_compared_by_its_pointer(repository: Path, workspace: Workspace) -> None:
    content = b"large\n"
    pointer = (
        f"version urn:git-lfs:v1\noid sha256:{hashlib.sha256(content).hexdigest()}\nsize {len(content)}\n"
    )
    commit(repository, {"same.bin": pointer, "other.bin": pointer, "pointer.bin": pointer})
    write(repository, {".gitattributes": "*.bin filter=lfs -text\n"})
    (repository / "same.bin").write_bytes(content)
    (repository / "other.bin").write_bytes(b"changed\n")
    write(repository, {"pointer.bin": pointer.replace("size 6", "size 7")})
    plan = review(workspace)
    assert problems(plan) == {"other.bin": "review.converted"}
    assert listed(plan)[1:] == [("modify", "pointer.bin"), ("create", ".gitattributes")]


def test_line_ends_are_compared_as_git_writes_them(repository: Path, workspace: Workspace) -> None:
    git(repository, "config", "core.autocrlf", "true")
    crlf = NUMBERS.replace("\n", "\r\n")
    (repository / "a.txt").write_bytes(crlf.replace("line 9", "LINE 9").encode())
    plan = review(workspace)
    assert [(step.path, step.added, step.removed) for step in plan.steps] == [("a.txt", 1, 1)]


def test_files_that_a_sparse_checkout_lacks_are_not_deleted(repository: Path, workspace: Workspace) -> None:
    commit(repository, {"in/x.txt": "x\n", "out/y.txt": "y\n"})
    git(repository, "sparse-checkout", "set", "in")
    assert not (repository / "out").exists()
    write(repository, {"in/x.txt": "X\n"})
    assert listed(review(workspace)) == [("modify", "in/x.txt")]
    git(repository, "sparse-checkout", "set", "--cone", "--sparse-index", "in")
    write(repository, {"in/x.txt": "XX\n"})
    assert listed(review(workspace)) == [("modify", "in/x.txt")]


def test_a_split_index_is_read(repository: Path, workspace: Workspace) -> None:
    git(repository, "update-index", "--split-index")
    write(repository, {"a.txt": CHANGED, "n.txt": "n\n"})
    (repository / "b.txt").unlink()
    assert listed(review(workspace)) == [("modify", "a.txt"), ("delete", "b.txt"), ("create", "n.txt")]


def test_a_linked_work_tree_and_a_folder_in_a_repository(repository: Path, tmp_path: Path) -> None:
    commit(repository, {"sub/x.txt": "x\n"})
    git(repository, "worktree", "add", "-q", str(tmp_path / "linked"), "-b", "other")
    write(tmp_path / "linked", {"b.txt": "B\n", "sub/x.txt": "X\n"})
    with opened(tmp_path / "linked") as other:
        assert listed(review(other)) == [("modify", "b.txt"), ("modify", "sub/x.txt")]
    with opened(tmp_path / "linked/sub") as other:
        assert listed(review(other)) == [("modify", "x.txt")]


def test_a_partial_clone_says_which_file_it_lacks(repository: Path, tmp_path: Path) -> None:
    git(repository, "config", "uploadpack.allowFilter", "true")
    clone = tmp_path / "clone"
    source = repository.as_uri()
    git(tmp_path, "clone", "-q", "--no-checkout", "--filter=blob:none", source, str(clone))
    git(clone, "read-tree", "HEAD")
    write(clone, {"a.txt": CHANGED})
    with opened(clone) as other:
        assert problems(review(other))["a.txt"] == "review.no_content"


@pytest.mark.parametrize("is_reftable", [False, True])
def test_a_repository_of_sha256_or_with_reftable_ends_in_one_sentence(
    project: Path, workspace: Workspace, is_reftable: bool
) -> None:
    git(project, "init", "-q", *(() if is_reftable else ("--object-format=sha256",)))
    if is_reftable:  # as `git init --ref-format=reftable` writes it, from git 2.45 on
        git(project, "config", "core.repositoryformatversion", "1")
        git(project, "config", "extensions.refstorage", "reftable")
    with pytest.raises(Refused, match="Git data can't be read") as caught:
        workspace.reviews.work_tree()
    assert caught.value.code == "review.git_unread"


def test_what_only_git_keeps_or_a_rule_denies_is_read_all_the_same(
    repository: Path, workspace: Workspace, reviewer: Reviewer
) -> None:
    commit(repository, {".env": NUMBERS})
    write(repository, {".env": CHANGED})
    plan = review(workspace)
    assert (listed(plan), states(plan)) == ([("modify", ".env")], ["pending"])
    reviewer.approve(plan.id, [StepDecision(1, {1: True, 2: False})])
    approve_and_apply(reviewer, workspace.reviews.take_back(plan.id))
    assert (repository / ".env").read_text() == CHANGED.replace("LINE 25", "line 25")


def test_an_unreadable_place_is_a_problem_of_its_step(repository: Path, workspace: Workspace) -> None:
    (repository / "b.txt").unlink()
    os.mkfifo(repository / "b.txt")
    plan = review(workspace)
    assert [(step.path, step.state) for step in plan.steps] == [("b.txt", StepState.INVALID)]


def test_names_that_are_not_utf_8(repository: Path, workspace: Workspace) -> None:
    name = os.fsdecode(b"caf\xe9.txt")
    commit(repository, {name: "x\n"})
    git(repository, "config", "core.autocrlf", "true")
    write(repository, {name: "y\n"})
    assert listed(review(workspace)) == [("modify", name)]


def test_without_git_the_newest_snapshot_is_the_base(
    project: Path, workspace: Workspace, reviewer: Reviewer
) -> None:
    write(project, {"a.txt": NUMBERS, "b.txt": "b\n"})
    with pytest.raises(Refused) as caught:
        workspace.reviews.work_tree()
    assert caught.value.code == "review.no_base"
    workspace.snapshots.create("first")
    write(project, {"a.txt": CHANGED, "d/e.txt": "e\n"})
    (project / "b.txt").unlink()
    plan = review(workspace)
    assert listed(plan) == [("modify", "a.txt"), ("delete", "b.txt"), ("create", "d/e.txt")]
    assert plan.title == "Changes since snapshot “first”"
    reviewer.reject(plan.id, reason="No.")
    approve_and_apply(reviewer, workspace.reviews.take_back(plan.id))
    assert (project / "a.txt").read_text() == NUMBERS
    assert (project / "b.txt").read_text() == "b\n"
    assert not (project / "d/e.txt").exists()
    with pytest.raises(NotFound):
        workspace.reviews.snapshot("missing")


def test_a_store_of_before_has_its_plans_and_takes_reviews(
    repository: Path, workspace: Workspace, propose: Callable[[str], Plan]
) -> None:
    before = propose('{"title": "t", "steps": [{"op": "delete", "path": "b.txt"}]}')
    store = workspace.state_folder / "store.sqlite3"
    workspace.close()
    with closing(sqlite3.connect(store)) as connection:
        connection.execute("ALTER TABLE plans DROP COLUMN reviews")
        connection.execute("ALTER TABLE steps DROP COLUMN revised")
        connection.execute("PRAGMA user_version = 14")
        connection.commit()
    write(repository, {"a.txt": CHANGED})
    with opened(repository) as other:
        assert other.proposer.plan(before.id).is_proposal
        assert review(other).reviews == "HEAD"
    with opened(repository) as other:
        assert [plan.reviews for plan in other.proposer.plans()] == [None, "HEAD"]


class TestCommits:
    @pytest.fixture
    def branch(self, repository: Path) -> Path:
        """A branch that changed two files, and main, which changed a third one since."""
        git(repository, "checkout", "-qb", "agent/feature")
        commit(repository, {"a.txt": CHANGED})
        commit(repository, {"new.txt": "n\n", "b.txt": "B\n"})
        git(repository, "checkout", "-q", "main")
        commit(repository, {"c.sh": "c2\n"})
        return repository

    def made(self, workspace: Workspace, revisions: str = "main..agent/feature") -> Plan:
        plan = workspace.reviews.commits(revisions)
        assert plan is not None
        return plan

    def test_only_what_the_branch_changed_is_in_it(self, branch: Path, workspace: Workspace) -> None:
        plan = self.made(workspace)
        assert listed(plan) == [("modify", "a.txt"), ("modify", "b.txt"), ("create", "new.txt")]
        assert plan.title.startswith("Commits of agent/feature since main (")
        assert listed(self.made(workspace, "agent/feature")) == listed(plan)
        assert listed(self.made(workspace, "main...agent/feature")) == listed(plan)
        assert listed(self.made(workspace, "HEAD~1")) == [("modify", "c.sh")]
        assert self.made(workspace, "HEAD~1").reviews == "HEAD~1..HEAD"

    def test_it_is_never_stale(self, branch: Path, workspace: Workspace, reviewer: Reviewer) -> None:
        plan = self.made(workspace)
        reviewer.approve(plan.id, [1])
        write(branch, {"a.txt": "else\n"})
        assert not workspace.proposer.refresh()
        assert states(workspace.proposer.plan(plan.id)) == ["approved", "pending", "pending"]

    def test_what_is_approved_becomes_an_ordinary_plan(
        self, branch: Path, workspace: Workspace, reviewer: Reviewer
    ) -> None:
        plan = self.made(workspace)
        reviewer.approve(plan.id, [StepDecision(1, {1: True, 2: False}), 3])
        write(branch, {"a.txt": NUMBERS.replace("line 15", "mine")})
        proposed = workspace.reviews.propose(plan.id)
        approve_and_apply(reviewer, proposed)
        expected = NUMBERS.replace("line 15", "mine").replace("line 5\n", "LINE 5\n")
        assert (branch / "a.txt").read_text() == expected
        assert (branch / "new.txt").read_text() == "n\n"
        assert (branch / "b.txt").read_text() == "b\n"

    def test_a_reverse_plan_fits_or_is_refused(
        self, branch: Path, workspace: Workspace, reviewer: Reviewer
    ) -> None:
        plan = self.made(workspace)
        with pytest.raises(Refused) as caught:
            workspace.reviews.take_back(plan.id)
        assert caught.value.code == "review.nothing_left", "main has none of it"
        git(branch, "merge", "-q", "agent/feature", "-m", "merged")
        back = workspace.reviews.take_back(plan.id)
        approve_and_apply(reviewer, back)
        assert (branch / "a.txt").read_text() == NUMBERS
        assert (branch / "b.txt").read_text() == "b\n"
        assert not (branch / "new.txt").exists()
        assert (branch / "c.sh").read_text() == "c2\n"

    @pytest.mark.parametrize(
        "revisions", ["missing", "main..missing", "..", "main:a.txt", "-x", "main^{tree}"]
    )
    def test_what_names_no_commits(self, branch: Path, workspace: Workspace, revisions: str) -> None:
        if revisions == "..":
            assert workspace.reviews.commits(revisions) is None
            return
        with pytest.raises(Refused, match="There is no commit") as caught:
            workspace.reviews.commits(revisions)
        assert caught.value.code == "review.no_commits"

    def test_without_a_common_commit(self, branch: Path, workspace: Workspace) -> None:
        git(branch, "checkout", "-q", "--orphan", "alone")
        commit(branch, {"a.txt": "x\n"})
        with pytest.raises(Refused, match="no commit in common"):
            workspace.reviews.commits("main..alone")


def test_a_mode_alone_is_proposed_as_one(repository: Path, workspace: Workspace, reviewer: Reviewer) -> None:
    (repository / "c.sh").chmod(0o755)
    plan = review(workspace)
    reviewer.reject(plan.id, reason="No.")
    back = workspace.reviews.take_back(plan.id)
    assert [step.op for step in back.steps] == [Operation.MODE]


def test_a_link_is_taken_back(repository: Path, workspace: Workspace, reviewer: Reviewer) -> None:
    (repository / "link").symlink_to("a.txt")
    git(repository, "add", "link")
    git(repository, "commit", "-qm", "link")
    (repository / "link").unlink()
    (repository / "b.txt").unlink()
    (repository / "b.txt").symlink_to("a.txt")
    reviewer.reject(review(workspace).id, reason="No.")
    approve_and_apply(reviewer, workspace.reviews.take_back(workspace.proposer.plans()[0].id))
    assert (repository / "link").readlink() == Path("a.txt")
    assert not (repository / "b.txt").is_symlink()
    assert git(repository, "status", "--porcelain") == ""


@pytest.mark.parametrize("is_link", [False, True])
def test_a_git_folder_elsewhere_is_that_of_this_work_tree(
    project: Path, tmp_path: Path, is_link: bool
) -> None:
    """libgit2 1.9 takes its parent for the work tree, in which every file would be new."""
    elsewhere = tmp_path / "git"
    git(tmp_path, "init", "-q", f"--separate-git-dir={elsewhere}", str(project))
    if is_link:
        (project / ".git").unlink()
        (project / ".git").symlink_to(elsewhere)
    commit(project, {"k": "k\n", "sub/z": "z\n"})
    write(project, {"k": "K\n", "sub/z": "Z\n"})
    with opened(project) as other:
        assert listed(review(other)) == [("modify", "k"), ("modify", "sub/z")]
    with opened(project / "sub") as other:
        assert listed(review(other)) == [("modify", "z")]


def test_what_only_the_index_lost_is_no_change(
    repository: Path, workspace: Workspace, reviewer: Reviewer
) -> None:
    git(repository, "rm", "-q", "--cached", "b.txt", "a.txt")
    write(repository, {"a.txt": CHANGED})
    assert listed(review(workspace)) == [("modify", "a.txt")]
    git(repository, "reset", "-q", "--hard")
    git(repository, "rm", "-q", "b.txt")
    plan = review(workspace)
    assert listed(plan) == [("delete", "b.txt")]
    reviewer.reject(plan.id, reason="No.")
    approve_and_apply(reviewer, workspace.reviews.take_back(plan.id))
    assert (repository / "b.txt").read_text() == "b\n"
    assert workspace.reviews.work_tree() is None


def test_a_folder_that_became_a_file_or_a_link(repository: Path, workspace: Workspace) -> None:
    commit(repository, {"d/x.txt": "x\n", "e/x.txt": "x\n"})
    for name in ("d", "e"):
        (repository / name / "x.txt").unlink()
        (repository / name).rmdir()
    (repository / "d").write_text("file\n")
    (repository / "e").symlink_to("..")
    git(repository, "add", "d")
    plan = review(workspace)
    assert sorted(listed(plan)) == [
        ("create", "d"),
        ("create", "e"),
        ("delete", "d/x.txt"),
        ("delete", "e/x.txt"),
    ]
    workspace.proposer.refresh()
    assert set(states(workspace.proposer.plan(plan.id))) == {"pending"}


@pytest.mark.parametrize("setting", ["true", "input"])
def test_other_line_ends_than_those_of_a_checkout_are_no_change(
    repository: Path, workspace: Workspace, reviewer: Reviewer, setting: str
) -> None:
    git(repository, "config", "core.autocrlf", setting)
    end = b"\n" if setting == "true" else b"\r\n"
    (repository / "a.txt").write_bytes(CHANGED.encode().replace(b"\n", end))
    plan = review(workspace)
    assert [(step.path, step.added, step.removed) for step in plan.steps] == [("a.txt", 2, 2)]
    reviewer.approve(plan.id, [StepDecision(1, {1: False, 2: True})])
    approve_and_apply(reviewer, workspace.reviews.take_back(plan.id))
    expected = CHANGED.replace("LINE 5\n", "line 5\n").encode().replace(b"\n", end)
    assert (repository / "a.txt").read_bytes() == expected


def test_converted_files_of_commits_are_not_written(repository: Path, workspace: Workspace) -> None:
    git(repository, "checkout", "-qb", "feature")
    commit(repository, {".gitattributes": "*.u working-tree-encoding=UTF-16\n"})
    (repository / "c.u").write_bytes("text\n".encode("utf-16"))
    git(repository, "add", "c.u")
    git(repository, "commit", "-qm", "u")
    plan = workspace.reviews.commits("main..feature")
    assert plan is not None
    assert (listed(plan)[1], problems(plan)) == (("create", "c.u"), {"c.u": "review.converted"})


def test_what_is_hidden_by_a_problem_has_its_operation(repository: Path, workspace: Workspace) -> None:
    commit(repository, {"x.bin": "x\n", "y.bin": "y\n"})
    write(repository, {".gitattributes": "*.bin filter=some\n", "y.bin": "Y\n", "new.bin": "n\n"})
    (repository / "x.bin").unlink()
    plan = review(workspace)
    found = {step.path: (step.op.value, step.state.value) for step in plan.steps}
    assert found["x.bin"] == ("delete", "invalid")
    assert found["y.bin"] == ("modify", "invalid")
    assert found["new.bin"] == ("create", "pending")


def test_a_new_submodule_is_named(repository: Path, workspace: Workspace, tmp_path: Path) -> None:
    other = init(tmp_path / "other")
    commit(other, {"x.txt": "x\n"})
    git(repository, "submodule", "add", "-q", str(other), "sub")
    plan = review(workspace)
    assert problems(plan) == {"sub": "file.submodule"}
    assert [(step.path, step.op.value) for step in plan.steps] == [
        (".gitmodules", "create"),
        ("sub", "create"),
    ]
    (repository / ".gitmodules").unlink()
    git(repository, "rm", "-qf", "--cached", ".gitmodules")
    refused = review(workspace)
    assert refused.state is PlanState.INVALID
    assert review(workspace).id == refused.id
    git(repository, "rm", "-qf", "sub")
    assert workspace.reviews.work_tree() is None
    assert workspace.proposer.plan(refused.id).state is PlanState.DISMISSED


def test_marks_of_this_moment_are_kept(
    repository: Path, workspace: Workspace, reviewer: Reviewer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A person marks the review while it is made again."""
    write(repository, {"a.txt": CHANGED, "b.txt": "B\n"})
    plan = review(workspace)
    write(repository, {"b.txt": "BB\n"})
    build = review_plan.build_steps

    def marking(*arguments: Any) -> Any:
        built = build(*arguments)
        reviewer.approve(plan.id, [1])
        return built

    monkeypatch.setattr(review_plan, "build_steps", marking)
    assert states(review(workspace)) == ["approved", "pending"]


def test_two_reviews_at_once_leave_one(
    repository: Path, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(repository, {"a.txt": CHANGED})
    build = review_plan.build_steps

    def overtaken(*arguments: Any) -> Any:
        monkeypatch.setattr(review_plan, "build_steps", build)
        review(workspace)
        write(repository, {"b.txt": "B\n"})
        return build(*arguments)

    monkeypatch.setattr(review_plan, "build_steps", overtaken)
    review(workspace)
    open_ones = [plan for plan in workspace.proposer.plans() if plan.state.is_open]
    assert len(open_ones) == 1


def test_a_stale_mark_is_kept_once_its_file_is_back(
    repository: Path, workspace: Workspace, reviewer: Reviewer
) -> None:
    write(repository, {"a.txt": CHANGED, "b.txt": "B\n"})
    plan = review(workspace)
    reviewer.approve(plan.id, [1])
    write(repository, {"a.txt": "else\n"})
    workspace.proposer.refresh()
    write(repository, {"a.txt": CHANGED, "b.txt": "BB\n"})
    assert states(review(workspace)) == ["approved", "pending"]


def test_an_ended_review_makes_no_plan(repository: Path, workspace: Workspace, reviewer: Reviewer) -> None:
    write(repository, {"a.txt": CHANGED})
    plan = review(workspace)
    reviewer.reject(plan.id, reason="No.")
    write(repository, {"b.txt": "B\n"})
    review(workspace)
    with pytest.raises(Refused, match="has ended"):
        workspace.reviews.take_back(plan.id)


def test_only_its_person_ends_a_review(repository: Path, workspace: Workspace, reviewer: Reviewer) -> None:
    write(repository, {"a.txt": CHANGED})
    plan = review(workspace)
    for refused in (
        lambda: workspace.proposer.withdraw(plan.id),
        lambda: reviewer.request_changes(plan.id, reason="Again."),
        lambda: workspace.trials.would_be(plan.id),
        lambda: reviewer.rebase(plan.id, 1),
    ):
        with pytest.raises(Refused, match=r"review|No agent"):
            refused()
    assert states(workspace.proposer.plan(plan.id)) == ["pending"]


def test_the_limit_of_a_file_is_the_persons(repository: Path, workspace: Workspace) -> None:
    Path(os.environ["STUDIO_CONFIG_DIR"], "config.yaml").write_text("limits: {file_bytes: 100}\n")
    write(repository, {"a.txt": CHANGED, "b.txt": "B\n"})
    plan = review(workspace)
    assert [step.state.value for step in plan.steps] == ["invalid", "pending"]
    assert listed(plan)[0] == ("modify", "a.txt")


ONCE = b"a\nb\nc\n"


@pytest.mark.parametrize(
    "case",
    [
        ("* text=auto eol=lf\n*.bin binary", "", b"P\0a\nb\n"),
        ("* eol=lf\n*.bin -text", "", ONCE),
        ("*.bin -crlf", "true", ONCE),
        ("* text=auto", "", b"a\0\nb\n"),
        ("* text=auto", "", b"a\rb\nc\n"),
        ("", "true", b"a\r\nb\nc\n"),
        ("", "input", "a\nb\n".encode("utf-16")),
        ("", "no", ONCE),
        ("", "0", ONCE),
        ("", "False", ONCE),
        ("", "", ONCE),
        ("* text", "", ONCE),
        ("* text=auto", "", ONCE),
        ("* crlf", "false", ONCE),
        ("", "INPUT", ONCE),
        ("", "yes", ONCE),
        ("* eol=crlf", "", ONCE),
        ("* text\n*.bin -text", "true", ONCE),
    ],
)
def test_line_ends_differ_where_git_says_so(
    project: Path, workspace: Workspace, reviewer: Reviewer, case: tuple[str, str, bytes]
) -> None:
    attributes, config, stored = case
    init(project)
    (project / "f.bin").write_bytes(stored)
    git(project, "add", "f.bin")
    commit(project, {".gitattributes": attributes + "\n"})
    if config:
        git(project, "config", "core.autocrlf", config)
    (project / "f.bin").write_bytes(stored.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"))
    is_changed = git(project, "diff", "HEAD", "--", "f.bin") != ""
    plan = workspace.reviews.work_tree()
    assert (plan is not None and ("modify", "f.bin") in listed(plan)) == is_changed
    if plan is not None:
        reviewer.reject(plan.id, reason="No.")
        approve_and_apply(reviewer, workspace.reviews.take_back(plan.id))
        assert git(project, "diff", "HEAD", "--", "f.bin") == ""
        assert (project / "f.bin").read_bytes() == stored


def test_a_file_and_a_folder_that_changed_places_are_named_and_block_nothing(
    repository: Path, workspace: Workspace, reviewer: Reviewer
) -> None:
    commit(repository, {"d/x.txt": "x\n", "e": "e\n"})
    (repository / "d/x.txt").unlink()
    (repository / "d").rmdir()
    (repository / "e").unlink()
    write(repository, {"d": "file\n", "e/n.txt": "n\n", "a.txt": CHANGED})
    reviewer.reject(review(workspace).id, reason="No.")
    back = workspace.reviews.take_back(workspace.proposer.plans()[0].id)
    assert problems(back) == {"d/x.txt": "path.beneath_file", "e": "review.moved_on"}
    approve_and_apply(reviewer, back)
    assert (repository / "a.txt").read_text() == NUMBERS
    again = review(workspace)
    assert again.state is PlanState.REJECTED, "what is left of it is still rejected"
    approve_and_apply(reviewer, workspace.reviews.take_back(again.id))
    assert (repository / "d/x.txt").read_text() == "x\n"


def test_a_hunk_of_a_file_that_changed_since_is_taken_back_in_any_state(
    repository: Path, workspace: Workspace, reviewer: Reviewer
) -> None:
    write(repository, {"a.txt": CHANGED})
    plan = review(workspace)
    reviewer.approve(plan.id, [StepDecision(1, {1: True, 2: False})])
    write(repository, {"a.txt": CHANGED.replace("line 15", "mine")})
    workspace.proposer.refresh()
    assert states(workspace.proposer.plan(plan.id)) == ["stale"]
    approve_and_apply(reviewer, workspace.reviews.take_back(plan.id))
    expected = CHANGED.replace("line 15", "mine").replace("LINE 25", "line 25")
    assert (repository / "a.txt").read_text() == expected
    with pytest.raises(Refused, match="like that already"):
        workspace.reviews.take_back(plan.id)


def test_what_is_reverted_by_hand_is_not_taken_back_again(
    repository: Path, workspace: Workspace, reviewer: Reviewer
) -> None:
    write(repository, {"a.txt": CHANGED, "b.txt": "B\n"})
    plan = review(workspace)
    reviewer.reject(plan.id, reason="No.")
    write(repository, {"a.txt": NUMBERS.replace("line 15", "mine"), "b.txt": "b\n"})
    (repository / "b.txt").chmod(0o600)
    with pytest.raises(Refused, match="like that already"):
        workspace.reviews.take_back(plan.id)


def test_an_agents_equal_plan_is_another_one(
    repository: Path, workspace: Workspace, reviewer: Reviewer, propose: Callable[[str], Plan]
) -> None:
    write(repository, {"b.txt": "B\n"})
    theirs = propose('{"title": "t", "steps": [{"op": "modify", "path": "b.txt", "content": "b\\n"}]}')
    reviewer.reject(review(workspace).id, reason="No.")
    mine = workspace.reviews.take_back(workspace.proposer.plans()[-1].id)
    assert (mine.id != theirs.id, mine.restores) == (True, "HEAD")
    again = workspace.reviews.take_back(workspace.proposer.plans()[1].id)
    assert (again.id, again.duplicate) == (mine.id, True)
    with pytest.raises(Refused, match="No agent proposed"):
        workspace.proposer.withdraw(mine.id)


def test_other_bytes_than_those_of_before_are_under_the_rules(
    repository: Path, workspace: Workspace, reviewer: Reviewer
) -> None:
    commit(repository, {".env": NUMBERS})
    write(repository, {".env": CHANGED})
    reviewer.reject(review(workspace).id, reason="No.")
    back = workspace.reviews.take_back(workspace.proposer.plans()[0].id)
    with pytest.raises(Refused, match="denied"):
        reviewer.approve(back.id, [StepDecision(1, edited=b"other\n")])


def test_marks_outlive_a_moment_in_which_nothing_differs(
    repository: Path, workspace: Workspace, reviewer: Reviewer
) -> None:
    write(repository, {"a.txt": CHANGED})
    reviewer.reject(review(workspace).id, reason="No.")
    write(repository, {"a.txt": NUMBERS})
    assert workspace.reviews.work_tree() is None
    write(repository, {"a.txt": CHANGED})
    assert states(review(workspace)) == ["rejected"]


def test_names_of_git_are_never_written(repository: Path, workspace: Workspace, reviewer: Reviewer) -> None:
    """A commit made by hand may hold them."""
    blob = git(repository, "hash-object", "-w", "--stdin", given="gitdir: ../other\n").strip()
    inner = git(repository, "mktree", given=f"100644 blob {blob}\t.gitmodulez\n").strip()
    raw = subprocess.run(
        ["git", "-C", repository, "cat-file", "tree", inner], check=True, capture_output=True
    )
    tree = subprocess.run(
        ["git", "-C", repository, "hash-object", "-t", "tree", "-w", "--stdin", "--literally"],
        input=raw.stdout.replace(b".gitmodulez", b".git"), check=True, capture_output=True,
    ).stdout.decode().strip()  # fmt: skip
    top = git(repository, "ls-tree", "HEAD") + f"040000 tree {tree}\tsub\n"
    made = git(repository, "commit-tree", git(repository, "mktree", given=top).strip(), "-m", "x").strip()
    git(repository, "update-ref", "HEAD", made)
    plan = review(workspace)
    assert problems(plan) == {"sub/.git": "policy.denied"}
