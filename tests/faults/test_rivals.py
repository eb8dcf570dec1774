"""Another program writes, or moves folders, between any two system calls of an apply.

`interleaving` says why that is every way in which it can come between, and nobody's luck.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from studio.engine.apply import ending
from studio.engine.branch.posix import PosixFS
from studio.engine.disk import batch
from studio.engine.plan import PlanState
from studio.errors import StudioError
from studio.system import syscalls
from studio.workspace import Reviewer, Workspace
from tests.engine.root.jail import opening
from tests.faults.bench import Bench, propose_and_approve, tree
from tests.faults.interleaving import Act, Moments, between_calls
from tests.faults.test_recovery import once, temporaries

THEIRS = "theirs, and it is the newest\n"


def replaces(target: Path) -> list[Act]:
    """The whole file anew, under its name at once."""

    def replace() -> None:
        new = target.with_name("theirs.new")
        new.write_text(THEIRS)
        new.replace(target)

    return [replace]


def writes_in_place(target: Path) -> list[Act]:
    """The file is emptied, and written in two parts: others see each of them."""
    opened: list[int] = []
    half = len(THEIRS) // 2
    return [
        lambda: opened.append(os.open(target, os.O_WRONLY | os.O_TRUNC)),
        lambda: os.write(opened[0], THEIRS[:half].encode()),
        lambda: (os.write(opened[0], THEIRS[half:].encode()), os.close(opened.pop())),
    ]


def writes_into_what_it_opened_before(target: Path) -> list[Act]:
    """An editor that has held the file open for long."""
    handle = os.open(target, os.O_WRONLY)
    return [lambda: (os.truncate(handle, 0), os.write(handle, THEIRS.encode()), os.close(handle))]


def writes_again_and_again(target: Path) -> list[Act]:
    """As a program that never looks: the last of many is the newest."""

    def write(number: int) -> Act:
        return lambda: (replaces(target)[0](), target.write_text(f"{number}\n" if number < 5 else THEIRS))

    return [write(number) for number in range(6)]


MANNERS: tuple[Callable[[Path], list[Act]], ...] = (
    replaces,
    writes_in_place,
    writes_into_what_it_opened_before,
    writes_again_and_again,
)


class Attempts:
    """One plan of two files after the other, each with somebody who acts at another moment of its apply."""

    def __init__(self, bench: Bench, workspace: Workspace, reviewer: Reviewer) -> None:
        self.project = bench.project
        self.ended: Counter[str] = Counter()
        self._workspace = workspace
        self._reviewer = reviewer
        self._number = 0

    def apply(self, path: str, acts_on: Callable[[Path], list[Act]], first: int) -> Moments:
        """How it ended is counted; whatever it was, the plan is written whole, or nothing of it."""
        self._number += 1
        ours, old = f"ours {self._number}\n", f"old {self._number}\n"
        for name in (path, "beside.txt"):
            (self.project / name).write_text(old)
        plan_id = propose_and_approve(
            self._workspace,
            {"op": "modify", "path": path, "content": ours},
            {"op": "modify", "path": "beside.txt", "content": ours},
        )
        acts = acts_on(self.project / path)
        with pytest.MonkeyPatch.context() as patch, between_calls(acts, first) as moments:
            once(patch, PosixFS, "prepare", moments.begin)
            once(patch, ending, "sweep", moments.end)
            self.ended[self._end(plan_id)] += 1
        self._reviewer.recover()
        state = self._workspace.proposer.plan(plan_id).state
        assert state is not PlanState.EXECUTING
        wanted = ours if state is PlanState.COMPLETED else old
        assert (self.project / "beside.txt").read_text() == wanted
        self.is_whole = (self.project / path).read_text() == wanted
        self.plan = self._workspace.proposer.plan(plan_id)
        return moments

    def _end(self, plan_id: str) -> str:
        try:
            return self._reviewer.apply(plan_id).state.value
        except StudioError as error:
            return error.code

    def told(self) -> int:
        """How many files of ours that hold somebody's bytes a person was told of."""
        return sum(problem.code == "recovery.kept" for problem in self.plan.problems)


@pytest.fixture
def attempts(bench: Bench, workspace: Workspace, reviewer: Reviewer) -> Attempts:
    return Attempts(bench, workspace, reviewer)


@pytest.fixture
def way(request: pytest.FixtureRequest) -> Iterator[None]:
    """One of both ways of opening beneath the root."""
    with opening(request.param):
        yield


@pytest.mark.parametrize("manner", MANNERS, ids=lambda manner: manner.__name__)
def test_no_write_of_another_program_is_lost(
    attempts: Attempts, monkeypatch: pytest.MonkeyPatch, manner: Callable[[Path], list[Act]]
) -> None:
    """A foreign write is on disk, or it is kept beside and told of; never is ours on top of it."""
    target = attempts.project / "target.txt"
    with_nobody = attempts.apply("target.txt", lambda _: [], 0)
    print(with_nobody.passed)
    for first in range(with_nobody.passed):
        attempts.apply("target.txt", manner, first)
        kept = temporaries(attempts.project)
        assert THEIRS in [file.read_text() for file in (target, *kept)], f"lost before call {first}"
        assert attempts.told() == len(kept), "a file that stays is told of"
        for file in kept:
            file.unlink()
    print(dict(attempts.ended))
    assert attempts.ended["completed"] and attempts.ended["apply.displaced"]


def exchange(target: Path) -> None:
    """The folder above that of the target, with a link to a folder outside, at once."""
    handle = os.open(target.parents[2], os.O_RDONLY)
    try:
        syscalls.exchange(handle, b"sub", b"decoy")
    finally:
        os.close(handle)


def is_a_link(calls: int) -> Callable[[Path], list[Act]]:
    """The folder is a link while so many calls are made."""

    def acts(target: Path) -> list[Act]:
        swap = partial(exchange, target)
        return [swap, *[lambda: None] * (calls - 1), swap]

    return acts


def is_away_for_one_call(target: Path) -> list[Act]:
    folder = target.parents[1]
    aside = folder.with_name("aside")
    return [lambda: folder.rename(aside), lambda: aside.rename(folder)]


SWAPS: dict[str, Callable[[Path], list[Act]]] = {
    "a link for six calls": is_a_link(6),
    "a link to the end": is_a_link(1000),
    "away for one call": is_away_for_one_call,
}


@pytest.mark.parametrize(
    ("manner", "way"),
    [*((manner, "openat2") for manner in SWAPS), ("a link for six calls", "components")],
    indirect=["way"],
)
def test_a_folder_that_becomes_a_link_leads_nowhere(
    attempts: Attempts, way: str, monkeypatch: pytest.MonkeyPatch, manner: str
) -> None:
    """At no moment of an apply is one byte outside changed. What could not be reached to be put
    back is told of."""
    monkeypatch.setattr(batch, "AGAIN_SECONDS", 0.0)
    project = attempts.project
    outside = project.parent / "outside"
    for folder in (outside / "deep", project / "sub/deep"):
        folder.mkdir(parents=True)
        (folder / "target.txt").write_text("SECRET")
    (project / "decoy").symlink_to(outside)
    before = tree(outside)
    with_nobody = attempts.apply("sub/deep/target.txt", lambda _: [], 0)
    for first in range(with_nobody.passed):
        attempts.apply("sub/deep/target.txt", SWAPS[manner], first)
        assert tree(outside) == before, f"changed outside, from call {first} on"
        left = temporaries(project)
        is_reported = any(problem.code == "recovery.left" for problem in attempts.plan.problems)
        assert is_reported or (left == [] and attempts.is_whole)
        for path in left:
            path.unlink()
    print(with_nobody.passed, dict(attempts.ended))
    assert attempts.ended["completed"]
    assert attempts.ended["path.link"] or manner == "away for one call"
