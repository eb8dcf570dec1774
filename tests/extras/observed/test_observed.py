"""Whatever others and we do to a project: what is told is how it differs from the baseline."""

from __future__ import annotations

import json
import os
import random
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from studio.engine.diff import compute
from studio.engine.plan import Operation, Plan, PlanState, StepState
from studio.engine.root import hash_cache
from studio.engine.store import Store
from studio.engine.store.applied_plans import WrittenPlans, written_since
from studio.errors import StudioError
from studio.extras.observed import observer
from studio.extras.observed.baseline import OverOthers
from studio.formats import detect
from studio.workspace import Workspace
from tests.engine.conftest import PERSON
from tests.engine.snapshot_store.folders import FolderState, disturb, standing
from tests.extras.observed.model import Model, said

PATHS = ("a", "C", "b.txt", "ü", "a/C", "C/a", "C/b.txt", "new/deep/file", "a/b.txt/ü", "lines")


class Story:
    """One project that others, and two processes of ours, work in."""

    def __init__(self, folder: Path, chance: random.Random) -> None:
        self.folder = folder
        self.chance = chance
        self.workspaces = [Workspace.open(folder), Workspace.open(folder)]
        self.seen: list[FolderState] = [{}, {}]
        self.reverts: dict[str, int] = {}
        self.restores: set[str] = set()
        self.plans: list[str] = []
        self.snapshots = 0
        disturb(folder, chance, 15)
        self.one.observed.look()
        self.model = Model(folder)

    @property
    def one(self) -> Workspace:
        return self.workspaces[0]

    def close(self) -> None:
        for workspace in self.workspaces:
            workspace.close()

    def outside(self) -> None:
        """Others write."""
        disturb(self.folder, self.chance, self.chance.randrange(1, 8))

    def text(self) -> None:
        """Others write text in many hunks."""
        path = self.folder / self.chance.choice(("lines", "lines too"))
        if path.is_symlink() or path.is_dir():
            return
        lines = path.read_text().split("\n") if path.exists() else [str(number) for number in range(60)]
        for _ in range(self.chance.randrange(1, 4)):
            lines[self.chance.randrange(len(lines))] = str(self.chance.random())
        path.write_text("\n".join(lines))

    def propose(self) -> None:
        """A plan is proposed and applied."""
        steps = [self._step(path) for path in self.chance.sample(PATHS, self.chance.randrange(1, 4))]
        draft = detect.read(json.dumps({"title": "t", "steps": steps}).encode())

        def apply() -> Plan:
            plan = self.one.proposer.propose(draft)
            self.one.reviewer(PERSON).approve(plan.id)
            return self.one.reviewer(PERSON).apply(plan.id)

        self._carry_out(apply)

    def _step(self, path: str) -> dict[str, str]:
        here = self.folder / path
        there = os.path.lexists(here)
        content = str(self.chance.random())
        if not there:
            is_folder = self.chance.random() < 0.2
            return (
                {"op": "mkdir", "path": path}
                if is_folder
                else {"op": "create", "path": path, "content": content}
            )
        if self.chance.random() < 0.3:
            return {"op": "delete", "path": path}
        if self.chance.random() < 0.3:
            return {"op": "move", "path": path, "to": self.chance.choice(PATHS)}
        if path == "lines" and here.is_file() and not here.is_symlink():
            content = "\n".join(_with_one_other(here.read_text().split("\n"), content, self.chance))
        return {"op": "modify", "path": path, "content": content}

    def take_back(self) -> None:
        """A plan of the history is rolled back, whatever it was; also a rollback."""
        if self.plans:
            plan = self.chance.choice(self.plans)
            turns = self.reverts.get(plan, 0) + 1
            over = OverOthers.REPLACED if plan in self.restores else OverOthers.MERGED
            if plan in self.reverts:
                over = None if turns % 2 else OverOthers.OPEN
            back = self._carry_out(lambda: self.one.reviewer(PERSON).rollback(plan), over)
            if back is not None and plan in self.reverts:
                self.reverts[back.id] = turns
            if back is not None and plan in self.restores:
                self.restores.add(back.id)

    def restore(self) -> None:
        """A snapshot is made, or an earlier one comes back."""
        if self.snapshots < 2:
            self.snapshots += 1
            self.one.snapshots.create(f"tag {self.snapshots}")
        else:
            tag = f"tag {self.chance.randrange(1, 3)}"
            back = self._carry_out(
                lambda: self.one.reviewer(PERSON).snapshots.restore(tag), OverOthers.REPLACED
            )
            if back is not None:
                self.restores.add(back.id)

    def delete_snapshot(self) -> None:
        if self.snapshots == 2 and self.chance.random() < 0.5:
            self.one.reviewer(PERSON).snapshots.delete(["tag 2"])
            self.snapshots = 1

    def revert(self) -> None:
        """Some changes go back, of some only a part."""
        self.look()
        changes = [change for change in self.one.observed.open() if self.chance.random() < 0.6]
        choices: dict[str, set[int]] = {}
        for change in changes:
            if change.op is Operation.MODIFY and self.chance.random() < 0.7:
                sides = self.one.observed.contents(change)
                hunks = _hunks(sides.before, sides.after)
                if hunks:
                    choices[change.id] = set(
                        self.chance.sample(hunks, self.chance.randrange(1, len(hunks) + 1))
                    )
        if changes:
            back = self._carry_out(lambda: self.one.reviewer(PERSON).observed.revert(changes, choices), None)
            if back is not None:
                self.reverts[back.id] = 0
                self.look()
                whole = {path for change in changes if change.id not in choices for path in change.paths}
                left = {path for change in self.one.observed.open() for path in change.paths}
                assert not whole & left, "what went back is told no more"

    def keep(self) -> None:
        self.look()
        changes = [change for change in self.one.observed.open() if self.chance.random() < 0.5]
        if changes:
            self.one.reviewer(PERSON).observed.keep(changes)
            self.model.keep(changes)

    def look(self) -> None:
        """Either process looks, at everything or where something changed since it looked last."""
        number = self.chance.randrange(2)
        workspace, now = self.workspaces[number], standing(self.folder)
        before, self.seen[number] = self.seen[number], now
        paths = {path for path in before.keys() | now.keys() if before.get(path) != now.get(path)}
        if paths and before and self.chance.random() < 0.7:
            workspace.observed.look(paths)
        else:
            workspace.observed.look()
        assert not workspace.observed.unsettled
        assert said(self.one.observed.open()) == self.model.expected()

    def again(self) -> None:
        """A process ends, and another one comes."""
        number = self.chance.randrange(2)
        self.workspaces[number].close()
        self.workspaces[number] = Workspace.open(self.folder)
        self.seen[number] = {}

    def _carry_out(self, act: Callable[[], Plan], over: OverOthers | None = OverOthers.MERGED) -> Plan | None:
        before = standing(self.folder)
        try:
            plan = act()
        except StudioError:
            assert standing(self.folder) == before
            return None
        assert plan.state is PlanState.COMPLETED
        self.plans.append(plan.id)
        if over is not None:
            applied = (step for step in plan.steps if step.state is StepState.APPLIED)
            paths = [
                (step.path if step.op is Operation.MOVE else step.target, step.target) for step in applied
            ]
            self.model.wrote(paths, before, standing(self.folder), over)
        return plan


def _with_one_other(lines: list[str], line: str, chance: random.Random) -> list[str]:
    at = chance.randrange(len(lines))
    return [*lines[:at], line, *lines[at + 1 :]]


def _hunks(before: bytes | None, after: bytes | None) -> list[int]:
    if before is None or after is None:
        return []
    return [hunk.number for hunk in compute(before, after).hunks]


ACTS = (
    *(Story.outside, Story.outside, Story.text, Story.propose, Story.propose, Story.take_back),
    *(Story.restore, Story.revert, Story.keep, Story.look, Story.again, Story.delete_snapshot),
)


@settings(max_examples=8)
@given(seed=st.integers(0, 1 << 32))
def test_what_is_told_is_how_the_project_differs_from_the_baseline(seed: int) -> None:
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place, "project")
        folder.mkdir()
        story = Story(folder, chance)
        try:
            for _ in range(14):
                chance.choice(ACTS)(story)
            story.look()
        finally:
            story.close()


def test_another_process_reads_only_what_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the first one read is known to the second."""
    monkeypatch.setattr(hash_cache, "YOUNG_NS", -1_000_000_000)
    for number in range(5):
        (tmp_path / f"{number}").write_bytes(b"x" * 100)
    read: list[int] = []
    for name in ("", "0", ""):
        if name:
            (tmp_path / name).write_bytes(b"y" * 1000)
        workspace = Workspace.open(tmp_path)
        workspace.observed.look(progress=lambda done, total: read.append(total))
        workspace.close()
    assert read == [500] * 5 + [1000]


@pytest.mark.parametrize("anew", [False, True])
def test_what_the_user_leaves_out_from_now_on_is_told_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, anew: bool
) -> None:
    """Also by a process that goes on with what another one knew."""
    monkeypatch.setattr(hash_cache, "YOUNG_NS", -1_000_000_000)
    for name in ("a.log", "a.txt"):
        (tmp_path / name).write_bytes(b"old")
    workspace = Workspace.open(tmp_path)
    workspace.observed.look()
    for name in ("a.log", "a.txt"):
        (tmp_path / name).write_bytes(b"new")
    workspace.observed.look()
    assert [each.path for each in workspace.observed.open()] == ["a.log", "a.txt"]
    Path(os.environ["STUDIO_CONFIG_DIR"], "config.yaml").write_text("observe: {ignore: ['*.log']}\n")
    if anew:
        workspace.close()
        workspace = Workspace.open(tmp_path)
    workspace.observed.look()
    assert [each.path for each in workspace.observed.open()] == ["a.txt"]
    workspace.close()


def carry_out(workspace: Workspace, step: dict[str, str]) -> str:
    """Propose, approve and apply one step; the plan's id."""
    draft = detect.read(json.dumps({"title": "t", "steps": [step]}).encode())
    plan = workspace.proposer.propose(draft).id
    workspace.reviewer(PERSON).approve(plan)
    return workspace.reviewer(PERSON).apply(plan).id


def test_a_restore_leaves_no_open_change_in_what_it_wrote(tmp_path: Path) -> None:
    """Neither at the lines that it brings back, nor at those that the snapshot has from others."""
    lines = [f"{number}\n" for number in range(40)]
    (tmp_path / "lines").write_text("".join(lines))
    with closing(Workspace.open(tmp_path)) as workspace:
        workspace.observed.look()
        for number in (5, 30):
            workspace.snapshots.create(f"before {number}")
            lines[number] = "theirs\n"
            (tmp_path / "lines").write_text("".join(lines))
            workspace.observed.look()
        workspace.reviewer(PERSON).snapshots.restore("before 30")
        workspace.observed.look()
        assert workspace.observed.open() == ()


def test_a_file_in_the_place_of_a_folder_that_went_with_ours_is_ours(tmp_path: Path) -> None:
    """Nobody looked between the rollback that emptied the folder and the plan after it."""
    with closing(Workspace.open(tmp_path)) as workspace:
        workspace.observed.look()
        made = carry_out(workspace, {"op": "create", "path": "a/b/c.txt", "content": "one"})
        workspace.observed.look()
        workspace.reviewer(PERSON).rollback(made)
        carry_out(workspace, {"op": "create", "path": "a", "content": "two"})
        workspace.observed.look()
        assert workspace.observed.open() == ()
        (tmp_path / "a").unlink()
        workspace.observed.look()
        assert [change.path for change in workspace.observed.open()] == ["a"]


def test_what_we_wrote_is_ours_also_while_its_old_files_are_not_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that can't be removed leaves its plan unfinished for as long."""
    monkeypatch.setattr("studio.engine.apply.ending.sweep", lambda *_: None)
    (tmp_path / "a.txt").write_text("old")
    with closing(Workspace.open(tmp_path)) as workspace:
        workspace.observed.look()
        carry_out(workspace, {"op": "modify", "path": "a.txt", "content": "new"})
        assert workspace.needs_recovery
        workspace.observed.look()
        assert (workspace.observed.open(), workspace.observed.unsettled) == ((), frozenset())


def test_a_part_that_is_written_during_a_scan_is_no_change_by_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The part before it is known already, and is the same plan."""
    for name in ("a", "b"):
        (tmp_path / name).write_text("old\n")
    with closing(Workspace.open(tmp_path)) as opened:
        steps = [{"op": "modify", "path": name, "content": "new\n"} for name in ("a", "b")]
        text = json.dumps({"title": "t", "steps": steps}).encode()
        plan = opened.proposer.propose(detect.read(text))
        reviewer = opened.reviewer(PERSON)
        opened.observed.look()

        def apply(number: int) -> None:
            reviewer.approve(plan.id, [number])
            reviewer.apply(plan.id, approved_only=True)

        apply(1)
        asked: list[int] = []

        def written(store: Store, position: int) -> WrittenPlans:
            asked.append(position)
            if len(asked) == 2:  # once the files are read
                apply(2)
            return written_since(store, position)

        monkeypatch.setattr(observer, "written_since", written)
        opened.observed.look()
        assert opened.observed.all() == ()
        opened.observed.look()
        assert opened.observed.all() == ()
