"""Git's folders are locked by what they are, wherever they lie and whatever they are called."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, strategies as st

from studio.engine.plan import Plan, PlanState, StepState
from studio.engine.root import Guard, PathLocked, ProjectRoot
from studio.workspace import Reviewer, Workspace
from tests.engine.root.jail import no_handle_left

Propose = Callable[..., Plan]


def make_repository(folder: Path, *, but: str = "") -> None:
    """The least that git takes for a repository, without one of its parts."""
    for name in {"objects", "refs"} - {but}:
        (folder / name).mkdir(parents=True)
    if but != "HEAD":
        (folder / "HEAD").write_text("ref: refs/heads/main\n")


def plan_of(*steps: dict[str, object]) -> str:
    return json.dumps({"title": "t", "steps": list(steps)})


def create(path: str) -> dict[str, object]:
    return {"op": "create", "path": path, "content": f"{path}\n"}


def codes(plan: Plan) -> list[str]:
    return [step.problems[0].code if step.problems else "" for step in plan.steps]


@pytest.mark.parametrize(
    "step",
    [
        {"op": "create", "path": "vendor/lib/config", "content": "[core]\n\tfsmonitor = sh evil\n"},
        {"op": "create", "path": "vendor/lib/hooks/pre-commit", "content": "x"},
        {"op": "modify", "path": "vendor/lib/HEAD", "content": "x"},
        {"op": "delete", "path": "vendor/lib/HEAD"},
        {"op": "delete", "path": "vendor/lib"},
        {"op": "mkdir", "path": "vendor/lib/hooks"},
        {"op": "move", "path": "vendor/lib/HEAD", "to": "away"},
        {"op": "copy", "path": "mine", "to": "vendor/lib/config"},
        {"op": "move", "path": "mine", "to": "vendor/lib/worktrees/w/gitdir"},
    ],
    ids=lambda step: f"{step['op']} {step['path']}",
)
def test_nothing_in_a_repository_is_touched(step: dict[str, object], project: Path, propose: Propose) -> None:
    make_repository(project / "vendor/lib")
    (project / "mine").write_text("x")
    plan = propose(plan_of(step))
    assert plan.state is PlanState.INVALID
    assert set(codes(plan)) == {"path.git_folder"}


@pytest.mark.parametrize("kind", ["repository", "worktree", "linked objects", "objects that are a file"])
def test_every_kind_of_git_folder_is_known(kind: str, project: Path, workspace: Workspace) -> None:
    folder = project / "some" / "where"
    make_repository(folder, but="refs" if kind == "worktree" else "objects" if "objects" in kind else "")
    match kind:
        case "worktree":
            (folder / "commondir").write_text("../..\n")
        case "linked objects":
            (folder / "objects").symlink_to("/nowhere")
        case "objects that are a file":
            (folder / "objects").write_text("")
        case _:
            pass
    (verdict,) = workspace.proposer.check(["some/where/config"])
    assert (verdict.allowed, verdict.rule, verdict.level) == (False, "git folder", "locked")
    assert verdict.reason.startswith("some/where/config is in some/where, which is a git folder: it")
    assert [each.allowed for each in workspace.proposer.check(["some/where", "some/else", "x"])] == [
        False,
        True,
        True,
    ]


def test_a_folder_with_some_of_the_names_is_an_ordinary_one(project: Path, workspace: Workspace) -> None:
    make_repository(project / "a", but="HEAD")
    make_repository(project / "b", but="objects")
    (project / "b/config").write_text("x")
    assert all(each.allowed for each in workspace.proposer.check(["a/config", "b/config", "b/hooks/x"]))


PARTS = {"HEAD": "x/HEAD", "objects": "x/objects/info/packs", "refs": "x/refs/heads/main"}


@pytest.mark.parametrize("there", [each for count in range(4) for each in combinations(PARTS, count)])
def test_steps_that_together_make_a_repository_are_refused(
    there: Collection[str], project: Path, propose: Propose
) -> None:
    """With whatever of it lies there already: the plan is judged as the tree it would leave."""
    (project / "x").mkdir()
    for name in there:
        place = project / PARTS[name]
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("x")
    missing = [create(PARTS[name]) for name in PARTS if name not in there]
    plan = propose(plan_of(*missing, create("x/deep/er/config"), create("fine")))
    assert codes(plan) == [*["path.git_folder"] * (len(missing) + 1), ""]
    if missing:
        assert " with this plan " in plan.steps[0].problems[0].message
        # Without one of its parts it is none; what of it is approved in part can't be one either.
        assert set(codes(propose(plan_of(*missing[1:], create("x/deep/er/config"))))) == {""}


@pytest.mark.parametrize(
    "steps",
    [
        [create("x/head"), create("X/Objects/a"), create("x/REFS/b")],
        [create("x/HEAD"), {"op": "mkdir", "path": "x/objects"}, {"op": "mkdir", "path": "x/refs"}],
        [create("x/HEAD"), {"op": "move", "path": "mine", "to": "x/commondir"}],
        [create("x/HEAD"), create("x/obj\u00adects".replace("\u00ad", "\u200c")), create("x/refs/b")],
        [create("HEAD"), create("objects/a"), {"op": "copy", "path": "mine", "to": "refs/b"}],
    ],
    ids=["case", "mkdir", "move", "ignorable", "the root"],
)
def test_however_they_are_made_and_spelled(
    steps: list[dict[str, object]], project: Path, propose: Propose
) -> None:
    (project / "mine").write_text("x")
    assert set(codes(propose(plan_of(*steps)))) == {"path.git_folder"}


def test_a_step_that_takes_a_part_away_does_not_help(project: Path, propose: Propose) -> None:
    """Any subset of a plan may be approved: the one without that step, too."""
    make_repository(project / "x", but="HEAD")
    (project / "x/refs/old").write_text("x")
    plan = propose(plan_of(create("x/HEAD"), {"op": "move", "path": "x/refs/old", "to": "old"}))
    assert codes(plan) == ["path.git_folder", "path.git_folder"]


def test_what_became_a_repository_since_is_not_written(
    project: Path, propose: Propose, reviewer: Reviewer
) -> None:
    make_repository(project / "x", but="refs")
    plan = propose(plan_of(create("x/config")))
    reviewer.approve(plan.id)
    (project / "x/refs").mkdir()
    with pytest.raises(Exception, match="Nothing was written") as refused:
        reviewer.apply(plan.id)
    assert getattr(refused.value, "code", "") == "path.git_folder"
    assert not (project / "x/config").exists()


def test_two_plans_that_together_make_one(project: Path, propose: Propose, reviewer: Reviewer) -> None:
    """Each is none alone; the second is judged again when it is written."""
    first = propose(plan_of(create("x/HEAD"), create("x/config")))
    second = propose(plan_of(create("x/objects/a"), create("x/refs/b")))
    for plan in (first, second):
        assert [step.state for step in plan.steps] == [StepState.PENDING] * 2
        reviewer.approve(plan.id)
    reviewer.apply(first.id)
    with pytest.raises(Exception, match="Nothing was written") as refused:
        reviewer.apply(second.id)
    assert getattr(refused.value, "code", "") == "path.git_folder"
    assert {entry.name for entry in (project / "x").iterdir()} == {"HEAD", "config"}


@pytest.mark.parametrize("where", [".", "hooks", "hooks/deeper"])
def test_a_project_in_a_repository_is_locked_whole(tmp_path: Path, where: str) -> None:
    make_repository(tmp_path / "bare")
    (tmp_path / "bare" / where).mkdir(parents=True, exist_ok=True)
    workspace = Workspace.open(tmp_path / "bare" / where)
    try:
        verdicts = workspace.proposer.check(["pre-commit", "a/b"])
    finally:
        workspace.close()
    assert {(verdict.allowed, verdict.rule) for verdict in verdicts} == {(False, "git folder")}


def test_a_worktree_that_lies_in_its_repository_is_a_project(tmp_path: Path) -> None:
    """`git clone --bare`, then `git worktree add` in it: many work so."""
    make_repository(tmp_path / "bare")
    (tmp_path / "bare/main").mkdir()
    (tmp_path / "bare/main/.git").write_text("gitdir: ../worktrees/main\n")
    workspace = Workspace.open(tmp_path / "bare/main")
    try:
        assert workspace.proposer.check(["a.txt"])[0].allowed
    finally:
        workspace.close()


NAMES = st.sampled_from(["HEAD", "head", "objects", "refs", "commondir", "config", "x"])
PATHS = st.lists(NAMES, min_size=1, max_size=3).map("/".join)


@given(there=st.sets(PATHS, max_size=6), planned=st.sets(PATHS, max_size=6))
def test_the_tree_after_the_plan_is_what_counts(
    there: set[str], planned: set[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Told from a walk through all names that would be there: nothing in a folder of git's passes."""
    top = tmp_path_factory.mktemp("tree")
    for path in there:
        (top / path).mkdir(parents=True, exist_ok=True)
    entries = {
        "/".join(path.split("/")[:count])
        for path in there | {each.lower().replace("head", "HEAD") for each in planned}
        for count in range(1, path.count("/") + 2)
    }

    def is_git(folder: str) -> bool:
        names = {name for name in ("HEAD", "objects", "refs", "commondir") if f"{folder}/{name}" in held}
        return {"HEAD", "commondir"} <= names or {"HEAD", "objects", "refs"} <= names

    held = {f"/{entry}" for entry in entries}
    with ProjectRoot(top) as root, no_handle_left():
        guard = Guard(root, planned=planned)
        for path in {each.lower().replace("head", "HEAD") for each in planned}:
            parts = path.split("/")
            folders = ["".join(f"/{part}" for part in parts[:count]) for count in range(len(parts))]
            if any(is_git(folder) for folder in folders):
                with pytest.raises(PathLocked):
                    guard.check(path)


def test_folders_are_looked_at_once(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A thousand files of one folder cost one look for HEAD."""
    (project / "a/b").mkdir(parents=True)
    looked = SimpleNamespace(times=0)
    stat = os.stat

    def noting(path: str, **named: Any) -> os.stat_result:
        looked.times += path == "HEAD"
        return stat(path, **named)

    monkeypatch.setattr(os, "stat", noting)
    with ProjectRoot(project) as root:
        guard = Guard(root, planned=["elsewhere/refs"])
        for number in range(1000):
            guard.check(f"a/b/{number}")
    assert looked.times == 3
