"""Looks that are ended, stopped or overtaken: the next one tells what two plain walks tell."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from studio.engine.observed_change import ObservedState
from studio.formats import detect
from studio.workspace import Workspace
from tests.engine.conftest import PERSON
from tests.engine.snapshot_store.folders import disturb
from tests.extras.observed.heard import EVERYTHING, Outside, watching
from tests.extras.observed.model import Model, said

KILLED = 6
BURST = 4_000

# Looks again and again; a line for each look that has ended.
_LOOKER = """
import sys
from pathlib import Path
from studio.errors import StudioError
from studio.workspace import Workspace
workspace = Workspace.open(Path(sys.argv[1]))
print("there", flush=True)
while True:
    try:
        workspace.observed.look()
    except StudioError as error:
        print(error, file=sys.stderr, flush=True)
    print("looked", flush=True)
"""


@contextmanager
def looking(project: Path) -> Iterator[subprocess.Popen[str]]:
    """A process of ours that looks at the project without a pause."""
    command = [sys.executable, "-c", _LOOKER, str(project)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as looker:
        try:
            assert looker.stdout is not None and looker.stdout.readline() == "there\n"
            yield looker
        finally:
            looker.kill()
            looker.communicate()


def looked(looker: subprocess.Popen[str], times: int = 1) -> None:
    """Wait until so many more looks have ended."""
    assert looker.stdout is not None
    for _ in range(times):
        assert looker.stdout.readline() == "looked\n"


def test_a_look_that_is_killed_at_any_moment_leaves_what_the_next_one_mends(project: Path) -> None:
    chance = random.Random(7)
    disturb(project, chance, 40)
    with closing(Workspace.open(project)) as workspace:
        workspace.observed.look()
    model = Model(project)
    for _ in range(KILLED):
        with looking(project) as looker:
            disturb(project, chance, chance.randrange(1, 12))
            for _ in range(chance.randrange(200)):
                (project / "busy").write_text(str(chance.random()))
        assert looker.returncode == -signal.SIGKILL
    (project / "busy").unlink(missing_ok=True)
    with closing(Workspace.open(project)) as workspace:
        workspace.observed.look()
        assert said(workspace.observed.open()) == model.expected()


def test_what_we_write_beside_a_look_is_nobody_else_s(project: Path) -> None:
    """Another process looks all the time while plans are applied and rolled back, and others write, too."""
    for number in range(30):
        (project / f"ours_{number}.txt").write_text(f"{number}\n")
    with closing(Workspace.open(project)) as workspace:
        workspace.observed.look()
        with looking(project) as looker:
            for round_number in range(6):
                steps = [
                    {"op": "modify", "path": f"ours_{number}.txt", "content": f"{round_number} {number}\n"}
                    for number in range(30)
                ]
                plan = workspace.proposer.propose(
                    detect.read(json.dumps({"title": "t", "steps": steps}).encode())
                )
                reviewer = workspace.reviewer(PERSON)
                reviewer.approve(plan.id)
                (project / f"others_{round_number}.txt").write_text("by others\n")
                reviewer.apply(plan.id)
                if round_number % 2:
                    reviewer.rollback(plan.id)
            looked(looker, 3)
        workspace.observed.look()
        workspace.observed.look()
        told = [change.path for change in workspace.observed.open()]
        assert sorted(told) == [f"others_{number}.txt" for number in range(6)]
        every = {path for change in workspace.observed.all() for path in change.paths}
        assert not {path for path in every if path.startswith("ours")}


def test_a_burst_while_the_looking_process_is_stopped_is_told_whole(project: Path) -> None:
    """4,000 files are made, changed, moved and removed by another process."""
    outside_folder = project / "there"
    outside_folder.mkdir()
    with closing(Workspace.open(project)) as workspace:
        workspace.observed.look()
        model = Model(project)
        with looking(project) as looker, Outside(outside_folder) as outside:
            looked(looker)
            os.kill(looker.pid, signal.SIGSTOP)
            outside.do(("mkdir", "a"), ("mkdir", "b"), ("fill", "a", 0, BURST))
            outside.do(*(("append", f"a/{number}.txt") for number in range(0, BURST, 2)))
            outside.do(*(("rename", f"a/{number}.txt", f"b/{number}.txt") for number in range(0, BURST, 5)))
            outside.do(*(("remove", f"a/{number}.txt") for number in range(1, BURST, 5)))
            os.kill(looker.pid, signal.SIGCONT)
            looked(looker, 2)
        assert said(workspace.observed.open()) == model.expected()
        changes = workspace.observed.open()
        assert len(changes) == BURST * 4 // 5
        assert len({change.group for change in changes}) == 1, "one row"
        kept = workspace.reviewer(PERSON).observed.keep(changes)
        assert {change.state for change in kept} == {ObservedState.KEPT}
        workspace.observed.look()
        assert not workspace.observed.open()


def test_a_burst_that_the_kernel_does_not_tell_whole_is_looked_at(
    project: Path,
) -> None:
    """The queue of events overflows while nobody reads it; what is told then leads to a fresh comparison."""
    with closing(Workspace.open(project)) as workspace, Outside(project) as outside:
        workspace.observed.look()
        model = Model(project)
        with watching(project) as (_, heard):
            limit = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
            outside.do(("mkdir", "a"), ("fill", "a", 0, 200))
            told = heard.settled(project)
            workspace.observed.look(told - {EVERYTHING} if EVERYTHING not in told else ())
            assert said(workspace.observed.open()) == model.expected()
            outside.do(("touch", limit * 2, "a/1.txt", "a/2.txt"), ("write", "a/3.txt"), ("write", "new.txt"))
            told = heard.settled(project)
            workspace.observed.look(told if EVERYTHING not in told else ())
        assert said(workspace.observed.open()) == model.expected()
