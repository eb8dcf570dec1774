"""Who wrote each line, after any history of plans, rollbacks, moves, edits by a person and by others."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from studio.engine.diff import compute, format_unified
from studio.engine.plan import Plan, StepDecision
from studio.errors import Refused
from studio.extras.reader import Blame, Origin
from studio.formats import detect
from studio.workspace import Reviewer, Workspace
from tests.engine.git_data.repositories import commit, git, init

OUTSIDE = "outside"


@dataclass
class History:
    """A file of lines that are all different, and who wrote each of them."""

    project: Path
    workspace: Workspace
    reviewer: Reviewer
    chance: random.Random
    path: str = "a.txt"
    lines: list[bytes] = field(default_factory=list[bytes])
    writers: dict[bytes, str] = field(default_factory=dict[bytes, str])
    plans: list[tuple[str, str, list[bytes], list[bytes]]] = field(default_factory=list[Any])
    count: int = 0

    def fresh(self, writer: str, number: int) -> list[bytes]:
        new = [b"line %d\n" % (self.count + each) for each in range(number)]
        self.count += number
        self.writers |= dict.fromkeys(new, writer)
        return new

    def changed(self, writer: str) -> list[bytes]:
        """Some lines replaced, some removed, some put between."""
        new = list(self.lines)
        for _ in range(self.chance.randrange(1, 4)):
            at = self.chance.randrange(len(new) + 1)
            new[at : at + self.chance.randrange(3)] = self.fresh(writer, self.chance.randrange(1, 4))
        return new

    def apply(self, step: dict[str, Any], after: list[bytes], decision: StepDecision | None = None) -> None:
        text = json.dumps({"title": "t", "agent": "codex", "steps": [step]}).encode()
        plan = self.workspace.proposer.propose(detect.read(text))
        for line, writer in self.writers.items():
            if writer == "new":
                self.writers[line] = plan.id
            elif writer == "person":
                self.writers[line] = f"{plan.id} edited"
        self.reviewer.approve(plan.id, None if decision is None else [decision])
        self.reviewer.apply(plan.id)
        self.plans.append((plan.id, step.get("to", step["path"]), self.lines, after))
        self.lines = after
        self.path = step.get("to", step["path"])
        self.check()

    def write(self) -> None:
        after = self.changed("new")
        self.apply({"op": "modify", "path": self.path, "content": b"".join(after).decode()}, after)

    def write_and_edit(self) -> None:
        proposed = self.changed("new")
        at = self.chance.randrange(len(proposed) + 1)
        edited = [*proposed[:at], *self.fresh("person", 2), *proposed[at:]]
        step = {"op": "modify", "path": self.path, "content": b"".join(proposed).decode()}
        self.apply(step, edited, StepDecision(1, edited=b"".join(edited)))

    def move(self) -> None:
        after = self.changed("new")
        op = self.chance.choice(["move", "copy"])
        steps = {"op": op, "path": self.path, "to": f"moved/{self.count}.txt"}
        if self.chance.random() < 0.5:
            steps["patch"] = _patch(self.lines, after)
        else:
            after = self.lines
        self.apply(steps, after)

    def by_others(self) -> None:
        self.lines = self.changed(OUTSIDE)
        (self.project / self.path).write_bytes(b"".join(self.lines))
        self.plans.clear()
        self.check()

    def roll_back(self) -> None:
        if len(self.plans) < 2:
            return
        plan, path, before, _ = self.plans.pop()
        if path != self.path or self.workspace.proposer.plan(plan).steps[0].op.value == "copy":
            return
        moved_from = self.workspace.proposer.plan(plan).steps[0].path
        back = self.reviewer.rollback(plan)
        self.lines, self.path = before, moved_from
        self.check()
        if self.chance.random() < 0.3:
            self.reviewer.rollback(back.id)
            step = self.workspace.proposer.plan(plan).steps[0]
            self.lines = list((self.project / step.target).read_bytes().splitlines(keepends=True))
            self.path = step.target
            self.plans.clear()
            self.check()

    def check(self) -> None:
        assert (self.project / self.path).read_bytes() == b"".join(self.lines)
        found = self.workspace.reader.blame(self.path)
        assert told(found) == [self.writers[line] for line in self.lines]


def told(found: Blame) -> list[str]:
    said: list[str] = []
    for lines in found.lines:
        assert lines.first == len(said) + 1
        who = f"{lines.plan_id}{' edited' * lines.is_edited}" if lines.origin is Origin.PLAN else OUTSIDE
        said += [lines.commit or who] * (lines.last - lines.first + 1)
    return said


def _patch(old: list[bytes], new: list[bytes]) -> str:
    text = format_unified(compute(b"".join(old), b"".join(new)), "a", "b").decode()
    return text[text.index("@@") :]


@pytest.mark.parametrize("seed", range(8))
def test_every_line_is_told_as_it_came(
    seed: int, project: Path, workspace: Workspace, reviewer: Reviewer
) -> None:
    history = History(project, workspace, reviewer, random.Random(seed))
    ways: list[Callable[[], None]] = [
        history.write,
        history.write,
        history.write_and_edit,
        history.move,
        history.by_others,
        history.roll_back,
        history.roll_back,
    ]
    first = history.fresh("new", 8)
    history.apply({"op": "create", "path": "a.txt", "content": b"".join(first).decode()}, first)
    for _ in range(14):
        history.chance.choice(ways)()


def test_what_no_plan_brought_git_may_know(
    project: Path, workspace: Workspace, propose: Callable[..., Plan], reviewer: Reviewer
) -> None:
    init(project)
    first = commit(project, {"a.txt": "one\ntwo\nthree\n"})
    second = commit(project, {"a.txt": "one\n2\nthree\n"})
    step = {"op": "modify", "path": "a.txt", "edits": [{"old": "one", "new": "1"}]}
    plan = propose(json.dumps({"title": "t", "agent": "codex", "steps": [step]}))
    reviewer.approve(plan.id)
    reviewer.apply(plan.id)
    (project / "a.txt").write_text("1\n2\nthree\nfour\n")
    found = workspace.reader.blame("a.txt")
    assert told(found) == [plan.id, second, first, OUTSIDE]
    of_plan, of_second, _, of_nobody = found.lines
    assert (of_plan.agent, of_plan.who, of_plan.step) == ("codex", "tester", 1)
    assert of_second.who == "Somebody" and of_second.when is not None
    assert (of_nobody.origin, of_nobody.when, of_nobody.who) == (Origin.UNKNOWN, None, "")
    assert found.why == ""


def test_lines_that_git_keeps_with_another_end_are_known(project: Path, workspace: Workspace) -> None:
    init(project)
    git(project, "config", "core.autocrlf", "true")
    made = commit(project, {"a.txt": "one\r\ntwo\r\n"})
    assert b"\r\n" in (project / "a.txt").read_bytes()
    assert told(workspace.reader.blame("a.txt")) == [made, made]


def test_git_data_that_cant_be_read_is_said(project: Path, workspace: Workspace) -> None:
    init(project)
    commit(project, {"a.txt": "one\n"})
    (project / ".git/HEAD").write_text("nonsense\n")
    found = workspace.reader.blame("a.txt")
    assert told(found) == [OUTSIDE]
    assert found.why.startswith("Git data can't be read.")


def test_where_the_bytes_are_gone_nobody_knows(
    project: Path, workspace: Workspace, propose: Callable[..., Plan], reviewer: Reviewer
) -> None:
    """Older lines are not given to whoever comes next."""
    plans: list[Plan] = []
    for text in ("one\n", "one\ntwo\n", "one\ntwo\nthree\n"):
        op = "create" if not plans else "modify"
        steps = [{"op": op, "path": "a.txt", "content": text}]
        plans.append(propose(json.dumps({"title": "t", "steps": steps})))
        reviewer.approve(plans[-1].id)
        reviewer.apply(plans[-1].id)
    assert told(workspace.reader.blame("a.txt")) == [plan.id for plan in plans]
    reviewer.discard_undo(plans[0].id)
    reviewer.discard_undo(plans[1].id)
    assert told(workspace.reader.blame("a.txt")) == [OUTSIDE, OUTSIDE, plans[2].id]


def test_what_has_no_lines_is_refused(project: Path, workspace: Workspace) -> None:
    (project / "a.bin").write_bytes(b"\0\1\2")
    (project / "empty.txt").write_bytes(b"")
    (project / "link.txt").symlink_to("empty.txt")
    assert workspace.reader.blame("empty.txt").lines == ()
    with pytest.raises(Refused, match=r"a\.bin has no lines"):
        workspace.reader.blame("a.bin")
    for path in ("link.txt", "../a.txt", "missing.txt", "."):
        with pytest.raises(Exception, match=r"\.") as caught:
            workspace.reader.blame(path)
        assert isinstance(caught.value, Refused | OSError), path
