"""A displaced old file that can't be removed: tried again, else named until it is gone."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from studio.engine.plan import PlanState
from studio.workspace import Reviewer, Workspace
from tests.doors.conftest import CommandLine
from tests.faults.bench import Bench, propose_and_approve

COUNT = 3


@pytest.fixture
def plan_id(bench: Bench, workspace: Workspace) -> str:
    steps: list[dict[str, str]] = []
    for number in range(COUNT):
        (bench.project / f"{number}.txt").write_text("old")
        steps.append({"op": "modify", "path": f"{number}.txt", "content": "new"})
    return propose_and_approve(workspace, *steps)


class Holding:
    """Another program keeps our own files of one folder from being removed, so many times."""

    def __init__(self, times: int) -> None:
        self.times = times
        self._unlink = os.unlink

    def unlink(self, name: object, *, dir_fd: int | None = None) -> None:
        if os.fsdecode(bytes(name) if isinstance(name, bytes) else str(name)).startswith(".exacta-"):
            self.times -= 1
            if self.times >= 0:
                raise OSError(errno.EBUSY, os.strerror(errno.EBUSY))
        self._unlink(os.fsdecode(name) if isinstance(name, bytes) else str(name), dir_fd=dir_fd)


def ours(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if path.name.startswith(".exacta-")]


@pytest.fixture
def holding(monkeypatch: pytest.MonkeyPatch) -> Iterator[Holding]:
    found = Holding(0)
    with monkeypatch.context() as patch:
        patch.setattr(os, "unlink", found.unlink)
        yield found


@pytest.mark.parametrize("times", [1, COUNT])
def test_what_fails_once_is_tried_again(
    bench: Bench, reviewer: Reviewer, holding: Holding, plan_id: str, times: int
) -> None:
    holding.times = times
    done = reviewer.apply(plan_id)
    assert done.state is PlanState.COMPLETED and done.problems == ()
    assert ours(bench.project) == []


def test_what_stays_is_named_until_it_is_gone(
    bench: Bench, workspace: Workspace, reviewer: Reviewer, holding: Holding, plan_id: str
) -> None:
    holding.times = COUNT + 1
    done = reviewer.apply(plan_id)
    (left,) = ours(bench.project)
    (problem,) = done.problems
    assert done.state is PlanState.COMPLETED and problem.code == "apply.not_removed"
    assert left in problem.message and "next apply or recovery" in problem.hint
    said = CommandLine(bench.project, here=True)("show", plan_id, json=False)
    assert left in said.text and workspace.needs_recovery
    holding.times = 2
    workspace.recover()
    assert len(workspace.proposer.plan(plan_id).problems) == 1, "told once"
    holding.times = 0
    workspace.recover()
    assert workspace.proposer.plan(plan_id).problems == () and ours(bench.project) == []
    assert not workspace.needs_recovery
