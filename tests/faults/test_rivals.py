"""Another process writes, or moves folders, while plans are applied (P1, promises 2 and 3)."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path

import pytest

from studio.engine.errors import StudioError
from studio.engine.plan import Plan, PlanState
from studio.engine.reviewer import Reviewer
from studio.engine.workspace import Workspace
from studio.formats import detect
from tests.faults.bench import Bench, plan_text, tree
from tests.faults.rivals import foreign, ours, running

SECONDS, AT_MOST_SECONDS = 1.5, 60.0


def goes_on(started: float, enough: int) -> bool:
    """A rival is tried for a while, and longer where it was not met enough."""
    passed = time.monotonic() - started
    return passed < (AT_MOST_SECONDS if not enough else SECONDS)


def attempt(workspace: Workspace, reviewer: Reviewer, target: Path, beside: str) -> tuple[str, Plan | None]:
    """Change the target and another file as one plan; how it ended."""
    try:
        base = target.read_text()
        if base.startswith("ours"):
            return "still ours", None
        text = plan_text(
            {"op": "modify", "path": target.name, "content": ours(base)},
            {"op": "modify", "path": "beside.txt", "content": beside},
        )
        plan = workspace.proposer.propose(detect.read(text))
        if (
            plan.steps[0].base is None
            or base != (workspace.proposer.contents(plan.id, 1).base or b"").decode()
        ):
            workspace.proposer.withdraw(plan.id)
            return "changed before it was proposed", None
        reviewer.approve(plan.id)
        return "applied", reviewer.apply(plan.id)
    except (StudioError, FileNotFoundError, UnicodeDecodeError) as error:
        return getattr(error, "code", type(error).__name__), None


@pytest.mark.parametrize("manner", ["careful", "blind"])
@pytest.mark.parametrize("how", ["atomic", "in-place"])
def test_no_write_of_another_program_is_lost(
    bench: Bench, workspace: Workspace, reviewer: Reviewer, how: str, manner: str
) -> None:
    """A foreign write is on disk, or our apply came entirely before or after it."""
    target = bench.project / "target.txt"
    target.write_text(foreign(0))
    (bench.project / "beside.txt").write_text("0")
    ended: Counter[str] = Counter()
    beside = "0"
    with running(bench.project.parent, "write", str(target), how, manner) as rival:
        started = time.monotonic()
        while goes_on(started, ended["applied"] and ended["apply.displaced"]):
            outcome, plan = attempt(workspace, reviewer, target, str(sum(ended.values()) + 1))
            ended[outcome] += 1
            beside = (bench.project / "beside.txt").read_text()
            assert beside == (str(sum(ended.values())) if plan is not None else beside)
            if plan is None:
                assert beside != str(sum(ended.values())), "the other file was written, but not this one"
    print(f"{how}, {manner}: {dict(ended)}, rival: {rival.numbers}")
    last = foreign(rival.numbers["written"])
    kept = [path.read_text() for path in bench.project.rglob("*") if ".exacta" in path.name]
    told = sum(
        problem.code == "recovery.kept" for plan in workspace.proposer.plans() for problem in plan.problems
    )
    assert target.read_text() in (last, ours(last)) or last in kept
    assert len(kept) == told, "a file that stays is told of"
    assert rival.numbers["lost"] == 0
    assert rival.numbers.get("kept", 0) <= told
    assert rival.numbers["written"] > 20
    assert ended["apply.displaced"], "the rival never came between"
    assert ended["applied"]
    assert not any(plan.state is PlanState.EXECUTING for plan in workspace.proposer.plans())


@pytest.mark.parametrize("manner", ["exchange", "rename"])
def test_a_folder_exchanged_with_a_link_leads_nowhere(
    bench: Bench, workspace: Workspace, reviewer: Reviewer, manner: str
) -> None:
    """Promise 3: reads and applies while a folder is a link to outside half of the time."""
    outside = bench.project.parent / "outside"
    for folder, word in ((outside, "SECRET"), (bench.project / "sub", "0")):
        folder.mkdir()
        for name in ("target.txt", "other.txt"):
            (folder / name).write_text(word)
    (bench.project / "decoy").symlink_to(outside)
    (bench.project / "top.txt").write_text("0")
    before = tree(outside)
    root = workspace._context.root
    reads: Counter[str] = Counter()
    applies: Counter[str] = Counter()
    inside, top = "0", "0"
    with running(bench.project.parent, manner, str(bench.project), "sub", "decoy") as rival:
        started, number = time.monotonic(), 0
        while goes_on(started, applies["path.link"] and reads["path.link"] and reads["read"]):
            number += 1
            for _ in range(20):
                try:
                    data, _ = root.read("sub/other.txt", 100)
                except (StudioError, OSError) as error:
                    reads[getattr(error, "code", type(error).__name__)] += 1
                else:
                    assert data != b"SECRET"
                    reads["read"] += 1
            text = plan_text(
                {"op": "modify", "path": "sub/target.txt", "content": str(number)},
                {"op": "modify", "path": "top.txt", "content": str(number)},
                {"op": "create", "path": f"sub/new{number}.txt", "content": str(number)},
            )
            try:
                plan = workspace.proposer.propose(detect.read(text))
                reviewer.approve(plan.id)
                if len(plan.valid_steps) != 3:
                    applies["not proposed whole"] += 1
                    workspace.proposer.withdraw(plan.id)
                    continue
                reviewer.apply(plan.id)
            except StudioError as error:
                applies[error.code] += 1
            else:
                applies["applied"] += 1
                inside = str(number)
                top = str(number)
            assert (bench.project / "top.txt").read_text() == top
    reviewer.recover()
    print(f"reads: {dict(reads)}; applies: {dict(applies)}; rival: {rival.numbers}")
    assert tree(outside) == before, "not one byte outside was changed"
    assert (bench.project / "sub/target.txt").read_text() == inside
    assert reads["path.link"] and reads["read"] and applies["path.link"], "the link was never met"
    assert rival.numbers["exchanges"] > 100
    left = [path for path in tree(bench.project) if ".exacta" in path]
    # A folder that is away at the end of a failed apply keeps what was prepared in it.
    assert not left or (manner == "rename" and all(path.startswith("sub/") for path in left))
