"""Looks at a command that still runs are rounds of one plan, then the next."""

from __future__ import annotations

import os
import random
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from studio.engine.plan import Plan, PlanState, StepState
from studio.errors import Conflict
from studio.extras.commands import CommandRun, RunningCommand
from studio.extras.sandbox import Command, Way
from studio.journal.file_image import sha256
from studio.workspace import Reviewer, Workspace
from tests.engine.conftest import PERSON
from tests.engine.snapshot_store.folders import standing
from tests.tools.sandboxed import opened


class Shell:
    """A shell in the sandbox that is told what to do while it runs."""

    def __init__(self, workspace: Workspace, project: Path, way: Way, held: ExitStack) -> None:
        given, self._told = os.pipe()
        self._heard, self._done = b"", threading.Event()
        sandbox = held.enter_context(opened(project, way))
        command = Command(("sh",))
        self.run = held.enter_context(
            CommandRun(workspace.proposer, sandbox, command, agent="sh", heard=self._hear, stdin=given)
        )
        held.callback(os.close, given)
        held.callback(self.end)

    def __call__(self, script: str) -> Plan | None:
        """Do it, then look."""
        self.do(script)
        return self.run.propose_so_far()

    def do(self, script: str) -> None:
        """Do it, and wait until it is done."""
        self._done.clear()
        os.write(self._told, f"{script}\necho done\n".encode())
        assert self._done.wait(20), self._heard

    def end(self) -> None:
        if self._told >= 0:
            os.close(self._told)
        self._told = -1

    def _hear(self, data: bytes) -> None:
        self._heard += data
        if self._heard.endswith(b"done\n"):
            self._done.set()


@pytest.fixture(params=[Way.NAMESPACE, Way.COPY])
def shell(request: pytest.FixtureRequest, workspace: Workspace, project: Path) -> Iterator[Shell]:
    (project / "a.txt").write_text("a\n")
    (project / "kept.txt").write_text("kept\n")
    with ExitStack() as held:
        yield Shell(workspace, project, request.param, held)


def paths(plan: Plan) -> dict[str, StepState]:
    return {step.path: step.state for step in plan.steps}


def test_a_later_look_changes_the_plan_as_long_as_nothing_of_it_is_decided(
    shell: Shell, workspace: Workspace, project: Path
) -> None:
    before = standing(project)
    assert shell("true") is None
    first = shell("echo 1 >> a.txt; echo b > b.txt")
    assert first is not None and first.version == 1 and set(paths(first)) == {"a.txt", "b.txt"}
    again = shell("true")
    assert again is not None and (again.id, again.version, again.duplicate) == (first.id, 1, True)
    second = shell("echo 2 >> b.txt; echo c > c.txt; ln -s a.txt link")
    assert second is not None and (second.id, second.version) == (first.id, 2)
    assert [step.number for step in second.steps] == [1, 2, 3, 4]
    assert paths(second)["link"] is StepState.INVALID and paths(second)["c.txt"] is StepState.PENDING
    same = shell("true")
    assert same is not None and same.version == 2, "what was refused is not told again and again"
    third = shell("rm c.txt; git checkout a.txt 2>/dev/null || printf 'a\\n' > a.txt")
    assert third is not None and third.version == 3
    assert paths(third)["c.txt"] is StepState.INVALID and paths(third)["a.txt"] is StepState.INVALID
    assert workspace.proposer.contents(third.id, 2).result == b"b\n2\n"
    assert standing(project) == before
    with pytest.raises(Conflict):
        workspace.reviewer(PERSON).approve(third.id, version=2)


def test_what_was_decided_is_not_asked_again_and_what_changed_since_is(
    shell: Shell, workspace: Workspace
) -> None:
    first = shell("echo 1 >> a.txt; echo b > b.txt; rm kept.txt")
    assert first is not None
    reviewer = workspace.reviewer(PERSON)
    numbers = {step.path: step.number for step in first.steps}
    reviewer.approve(first.id, [numbers["a.txt"]])
    reviewer.reject(first.id, [numbers["kept.txt"]], reason="It is needed.")
    assert (same := shell("true")) is not None and same.id == first.id and same.duplicate
    second = shell("echo 2 >> a.txt; echo e > e.txt")
    assert second is not None and second.id != first.id and second.version == 1
    assert set(paths(second)) == {"a.txt", "e.txt"}, "b waits already, kept was rejected as it is"
    third = shell("echo back > kept.txt; echo 2 >> b.txt")
    assert third is not None and third.id == second.id and third.version == 2
    assert set(paths(third)) == {"a.txt", "e.txt", "kept.txt", "b.txt"}


def test_a_plan_of_which_nothing_is_left_is_withdrawn_and_another_may_follow(
    shell: Shell, workspace: Workspace
) -> None:
    first = shell("echo b > b.txt")
    assert first is not None
    gone = shell("rm b.txt")
    assert gone is not None and gone.id == first.id and gone.state is PlanState.CANCELLED
    anew = shell("echo b > b.txt")
    assert anew is not None and anew.id != first.id and anew.state is PlanState.PENDING


def test_what_is_left_out_is_told_as_the_last_look_found_it(shell: Shell, workspace: Workspace) -> None:
    """Even where the steps are the same: that a file is not proposed is not to be missed."""

    def told(plan: Plan | None) -> tuple[int, list[str], set[str]]:
        assert plan is not None
        said = [problem.message for problem in plan.problems if problem.code == "tree.left_out"]
        return plan.version, said, {each.path for each in workspace.proposer.excluded_paths(plan.id)}

    assert told(shell("echo b > b.txt")) == (1, [], set())
    version, [said], paths = told(shell("echo z > .env"))
    assert (version, paths) == (2, {".env"}) and "1 denied by a rule" in said
    version, [said], paths = told(shell("mkdir s; echo z > s/.env"))
    assert (version, paths) == (3, {".env", "s/.env"}) and "2 denied by a rule" in said
    assert told(shell("mv s/.env s/.env.local"))[2] == {".env", "s/.env.local"}
    version, said, paths = told(shell("rm -r .env s"))
    assert (version, said, paths) == (5, [], set())
    assert told(shell("true"))[0] == 5


def test_what_it_printed_and_how_it_ended_stands_with_each_of_its_plans(
    shell: Shell, workspace: Workspace
) -> None:
    first = shell("echo b > b.txt; echo said first")
    assert first is not None and "at work" in first.message and "said first" in first.message
    workspace.reviewer(PERSON).approve(first.id)
    second = shell("echo c > c.txt; echo said second")
    assert second is not None and second.id != first.id
    shell.end()
    assert shell.run.propose() is not None
    for plan in (first, second):
        message = workspace.proposer.plan(plan.id).message
        assert "ended with 0" in message and "said first" in message and "said second" in message
    session = next(each for each in workspace.proposer.sessions() if each.id == first.session)
    assert session.agent == "sh" and session.door == "run" and len(session.plans) == 2


NAMES = ("a.txt", "kept.txt", "new.txt", "b/one.txt", "b/two.txt")


@pytest.mark.parametrize("seed", range(4))
def test_whatever_is_done_and_decided_nothing_is_lost_and_nothing_asked_twice(
    seed: int, workspace: Workspace, project: Path
) -> None:
    """Random changes, looks and decisions: each change that differs from the project is asked once."""
    chance = random.Random(seed)
    before = {path: data for path, (_, data) in standing(project).items() if data is not None}
    reviewer = workspace.reviewer(PERSON)
    with ExitStack() as held:
        shell = Shell(workspace, project, Way.NAMESPACE, held)
        layer = dict(before)
        for _ in range(12):
            for _ in range(chance.randint(0, 3)):
                shell.do(_changed(chance, layer))
            shell("true")
            plans = _plans(workspace)
            _check(plans, layer, before)
            _decide(chance, reviewer, plans)
        shell.end()
        shell.run.propose()
        _check(_plans(workspace), layer, before)
    assert {path: data for path, (_, data) in standing(project).items() if data is not None} == before


def _changed(chance: random.Random, layer: dict[str, bytes]) -> str:
    """A change as a script, made in the model, too."""
    name = chance.choice(NAMES)
    if name in layer and chance.random() < 0.4:
        del layer[name]
        return f"rm {name}"
    text = chance.choice(("one", "two", "three"))
    layer[name] = f"{text}\n".encode()
    return f"mkdir -p $(dirname {name}); echo {text} > {name}"


def _plans(workspace: Workspace) -> list[Plan]:
    return [plan for plan in workspace.proposer.plans() if plan.session is not None]


def _check(plans: list[Plan], layer: dict[str, bytes], before: dict[str, bytes]) -> None:
    asked: dict[tuple[str, str | None], int] = {}
    open_now: set[tuple[str, str | None]] = set()
    for plan in plans:
        for step in plan.steps:
            said = (step.target, None if step.result is None else step.result.sha256)
            if step.decision is not None:
                asked[said] = asked.get(said, 0) + 1
            elif step.state is StepState.PENDING and plan.state is PlanState.PENDING:
                open_now.add(said)
    assert all(times == 1 for times in asked.values()), "decided twice"
    assert not open_now & set(asked), "asked again"
    for path in {*layer, *before}:
        if layer.get(path) != before.get(path):
            data = layer.get(path)
            said = (path, None if data is None else sha256(data))
            assert said in open_now or said in asked, f"{path} was lost"


def _decide(chance: random.Random, reviewer: Reviewer, plans: list[Plan]) -> None:
    for plan in plans:
        pending = [step.number for step in plan.steps if step.state is StepState.PENDING]
        if plan.state is not PlanState.PENDING or not pending or chance.random() < 0.6:
            continue
        chosen = chance.sample(pending, chance.randint(1, len(pending)))
        if chance.random() < 0.5:
            reviewer.approve(plan.id, chosen)
        else:
            reviewer.reject(plan.id, chosen, reason="No.")


def test_a_new_layer_of_the_session_leaves_the_plan_of_an_earlier_one_as_it_is(
    workspace: Workspace, project: Path
) -> None:
    """An agent that is started anew: what it did before waits, and what was rejected may be asked again."""
    session = workspace.proposer.open_session("talker", "acp", name="talk")

    def run(script: str) -> Plan | None:
        with opened(project) as sandbox, RunningCommand(sandbox, Command(("sh", "-c", script))) as command:
            return workspace.proposer.propose_layer(command.changes(), session)

    first = run("echo b > b.txt; echo c > c.txt; echo said first")
    assert first is not None
    second = run("echo d > d.txt; echo c > c.txt; echo said second")
    assert second is not None and second.id != first.id
    assert paths(second) == {"d.txt": StepState.PENDING}, "c.txt waits already"
    first = workspace.proposer.plan(first.id)
    assert (first.version, set(paths(first))) == (1, {"b.txt", "c.txt"})
    assert "said first" in first.message and "said second" not in first.message
    workspace.reviewer(PERSON).reject(second.id, reason="Not so.")
    third = run("echo d > d.txt")
    assert third is not None and paths(third) == {"d.txt": StepState.PENDING}
