"""What a command left in an overlay's upper folder, or in a copy, becomes steps; nothing of it is trusted."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import pytest

from studio.engine.plan import Operation, Plan, PlanState, StepState
from studio.engine.propose.layer_draft import LayerChanges
from studio.engine.root import ProjectRoot
from studio.extras.sandbox.copy import copy_project
from studio.workspace import Workspace
from tests.engine.conftest import PERSON
from tests.engine.git_data.repositories import init, write
from tests.engine.snapshot_store.folders import FolderState, standing
from tests.tools.mounts import mounted


class Layered(Protocol):
    def __call__(self, script: str, meanwhile: Callable[[], object] = ...) -> Plan: ...


@pytest.fixture(params=["overlay", "copy"])
def layered(request: pytest.FixtureRequest, workspace: Workspace, project: Path, tmp_path: Path) -> Layered:
    """Runs a script of Python in the project as a layer shows it, and proposes what it did."""

    def run(script: str, meanwhile: Callable[[], object] = lambda: None) -> Plan:
        for name in ("upper", "work", "copy"):
            shutil.rmtree(tmp_path / name, ignore_errors=True)
        for name in ("upper", "work"):
            (tmp_path / name).mkdir()
        since, command = time.time_ns(), [sys.executable, "-I", "-c", script]
        copied = None
        if request.param == "copy":
            with ProjectRoot(project) as root:
                copied = copy_project(root.handle, tmp_path / "copy", shares_blocks=False).copied
            subprocess.run(command, cwd=tmp_path / "copy", check=True)
        else:
            layers = f"lowerdir={project},upperdir={tmp_path / 'upper'},workdir={tmp_path / 'work'}"
            prefix = mounted(f'mount -t overlay x -o "userxattr,{layers}" "$0"', project)
            subprocess.run([*prefix, *command], cwd=project, check=True)
        meanwhile()
        folder = tmp_path / ("upper" if copied is None else "copy")
        session = workspace.proposer.open_session("sh", "run")
        plan = workspace.proposer.propose_layer(LayerChanges(folder, copied, since, "a command"), session)
        assert plan is not None
        return plan

    return run


def contents(folder: Path) -> FolderState:
    """What a plan can say of a folder: its files, and whether they can be run, and its folders."""
    return {path: (mode & 0o170100, data) for path, (mode, data) in standing(folder).items()}


def test_what_a_command_did_is_one_plan_and_comes_to_the_very_same(
    layered: Layered, workspace: Workspace, project: Path
) -> None:
    before = {"a.txt": "a\n", "b/one.txt": "1\n", "b/c/two.txt": "2\n", "gone/x.txt": "x\n", "run.sh": "#!\n"}
    write(project, before)
    script = """
import os, shutil
open("a.txt", "w").write("changed\\n")
open("new.bin", "wb").write(bytes(range(256)))
os.makedirs("made/deep"); open("made/deep/file", "w").write("made\\n")
shutil.rmtree("gone"); os.remove("b/one.txt")
shutil.rmtree("b/c"); os.makedirs("b/c"); open("b/c/other.txt", "w").write("other\\n")
os.chmod("run.sh", 0o755)
os.mkdir("empty")
"""
    plan = layered(script)
    assert plan.state is PlanState.PENDING and all(step.state is StepState.PENDING for step in plan.steps)
    assert contents(project)["a.txt"][1] == b"a\n", "nothing is written before it is approved"
    reviewer = workspace.reviewer(PERSON)
    reviewer.approve(plan.id)
    reviewer.apply(plan.id)
    expected = project.parent / "expected"
    write(expected, before)
    subprocess.run([sys.executable, "-I", "-c", script], cwd=expected, check=True)
    assert contents(project) == contents(expected)


def test_what_can_not_be_a_step_is_refused_with_its_reason(
    layered: Layered, project: Path, tmp_path: Path
) -> None:
    write(project, {"a.txt": "a\n", "kept.txt": "kept\n"})
    (project / "same").symlink_to("a.txt")
    plan = layered(
        """
import os
os.symlink("/etc/passwd", "link"); os.remove("a.txt"); os.symlink("kept.txt", "a.txt")
os.mkfifo("pipe"); os.utime("same", follow_symlinks=False)
open("studio.yaml", "w").write("limits: {}")
open("fine.txt", "w").write("fine\\n")
"""
    )
    said = {step.path: (step.state, step.problems[0].code if step.problems else "") for step in plan.steps}
    assert said["link"] == said["pipe"] == said["a.txt"] == (StepState.INVALID, "target.odd")
    assert said["fine.txt"] == (StepState.PENDING, "")
    assert said.keys() == {"link", "pipe", "a.txt", "fine.txt"}
    assert any("1 locked" in problem.message for problem in plan.problems)


def test_a_file_that_changed_meanwhile_is_stale(layered: Layered, project: Path) -> None:
    """Nobody knows which of both the command saw."""
    write(project, {"a.txt": "a\n", "b.txt": "b\n", "c.txt": "c\n"})
    plan = layered(
        "import os\nfor name in 'ab': open(name + '.txt', 'a').write('more')\nos.remove('c.txt')",
        lambda: write(project, {"a.txt": "by others\n", "c.txt": "by others\n"}),
    )
    states = {step.path: step.state for step in plan.steps}
    assert states == {"a.txt": StepState.STALE, "b.txt": StepState.PENDING, "c.txt": StepState.STALE}
    assert (project / "a.txt").read_text() == "by others\n"


@pytest.mark.parametrize("layered", ["copy"], indirect=True)
def test_in_a_copy_nothing_is_a_change_that_the_command_did_not_write(
    layered: Layered, project: Path
) -> None:
    """Folders are exchanged, files are added, changed and removed; what the command wrote is stale then."""
    names = ("a", "gone", "x/both", "x/one", "y/both", "y/two", "all/in", "sub/f")
    write(project, dict.fromkeys(names, "old\n"))
    (project / "link").symlink_to("a")
    write(project.parent / "new", dict.fromkeys(("both", "three", "in/four"), "by others\n"))
    (project.parent / "new/empty").mkdir()

    def meanwhile() -> None:
        (project / "x").rename(project.parent / "away")
        (project.parent / "new").rename(project / "x")
        shutil.rmtree(project / "y")
        write(project, {"a": "by others\n", "all/in": "by others\n"})
        for name in ("gone", "link"):
            (project / name).unlink()
        (project / "link").symlink_to("gone")

    plan = layered(
        """
import os, shutil
open("q", "w").write("q\\n"); open("x/both", "w").write("mine\\n"); open("y/two", "w").write("mine\\n")
os.utime("sub/f"); os.remove("x/one"); shutil.rmtree("all")
""",
        meanwhile,
    )
    assert {(step.op, step.path): step.state for step in plan.steps} == {
        (Operation.CREATE, "q"): StepState.PENDING,
        (Operation.MODIFY, "x/both"): StepState.STALE,
        (Operation.MODIFY, "y/two"): StepState.INVALID,
        (Operation.DELETE, "all/in"): StepState.STALE,
        (Operation.DELETE, "all"): StepState.PENDING,  # no folder goes before what is in it
    }


def test_ignored_and_denied_paths_are_counted(layered: Layered, project: Path) -> None:
    init(project)
    write(project, {".gitignore": "build/\n", "a.txt": "a\n"})
    plan = layered(
        """
import os
os.mkdir("build"); open("build/x.o", "w").write("x"); open(".env", "w").write("SECRET=1")
open("a.txt", "w").write("b\\n")
"""
    )
    assert [step.path for step in plan.steps] == ["a.txt"]
    (told,) = [problem.message for problem in plan.problems if problem.code == "tree.left_out"]
    assert "1 ignored by git" in told and "1 denied by a rule" in told


@pytest.mark.parametrize("seed", range(4))
def test_random_changes_come_to_the_very_same(
    layered: Layered, workspace: Workspace, project: Path, seed: int
) -> None:
    chance = random.Random(seed)
    names = [f"d{number}/f{number}.txt" for number in range(6)] + [f"f{number}.txt" for number in range(6)]
    before = {name: f"{name}\n" for name in names}
    write(project, before)
    lines = ["import os, shutil"]
    does = ("os.remove({0!r})", "open({0!r}, 'a').write('more')", "os.chmod({0!r}, 0o755)")
    lines += [
        chance.choice((*does, "os.rename({0!r}, {0!r} + '.moved')")).format(name)
        for name in chance.sample(names, 7)
    ]
    folder = f"d{chance.randrange(6)}"
    lines.append(
        f"shutil.rmtree({folder!r}); os.makedirs({folder!r} + '/in'); open({folder!r} + '/in/x', 'w')"
    )
    script = "\n".join(lines)
    plan = layered(script)
    reviewer = workspace.reviewer(PERSON)
    reviewer.approve(plan.id)
    reviewer.apply(plan.id)
    expected = project.parent / "expected"
    write(expected, before)
    subprocess.run([sys.executable, "-I", "-c", script], cwd=expected, check=True)
    assert contents(project) == contents(expected)
