"""`python -m tests.tools.load [PART] [COUNT]`: many steps, many plans, many entries, many processes at once.

Each part prints what it did and how long it took, and fails when something was lost or came twice.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from studio.engine.plan import PersonSource, PlanState
from studio.engine.project.context import Person
from studio.engine.store import Store
from studio.formats import detect
from studio.journal.entries import FileStat
from studio.workspace import Workspace

PERSON = Person(PersonSource.WINDOW, "load")


def propose(workspace: Workspace, title: str, *steps: Mapping[str, object]) -> str:
    text = json.dumps({"title": title, "steps": steps})
    return workspace.proposer.propose(detect.read(text.encode())).id


def steps(folder: Path, count: int) -> dict[str, float]:
    """One plan of so many steps: proposed, approved, applied, rolled back."""
    workspace = _opened(folder, count)
    took = Stopwatch()
    plan = propose(
        workspace,
        "large",
        *({"op": "create", "path": f"d{n % 50}/f{n}.txt", "content": f"{n}\n" * 20} for n in range(count)),
    )
    took.lap("propose")
    reviewer = workspace.reviewer(PERSON)
    reviewer.approve(plan)
    took.lap("approve")
    assert reviewer.apply(plan).state is PlanState.COMPLETED
    took.lap("apply")
    assert sum(1 for path in (folder / "project").rglob("*.txt")) == count
    reviewer.rollback(plan)
    took.lap("rollback")
    assert list((folder / "project").iterdir()) == []
    workspace.close()
    return took.laps


def plans(folder: Path, count: int) -> dict[str, float]:
    """So many pending plans: proposed, listed, compared with the disk, asked for conflicts."""
    workspace = _opened(folder, count)
    took = Stopwatch()
    for number in range(count):
        propose(workspace, f"plan {number}", {"op": "create", "path": f"f{number}.txt", "content": "x\n"})
    took.lap("propose")
    listed = workspace.proposer.plans()
    took.lap("list")
    assert len(listed) == count and {plan.state for plan in listed} == {PlanState.PENDING}
    assert not workspace.proposer.refresh()
    took.lap("refresh")
    assert workspace.proposer.path_conflicts(listed[-1].id) == ()
    took.lap("conflicts")
    workspace.close()
    return took.laps


def entries(folder: Path, count: int) -> dict[str, float]:
    """So many journal entries: the newest 200, the whole chain, a follower that comes late."""
    store = Store(folder / "store")
    took = Stopwatch()
    for first in range(0, count, 10_000):
        with store.database.write() as connection:
            batch = (("", FileStat(f"c{n}", "a.txt")) for n in range(first, min(first + 10_000, count)))
            store.journal.append(connection, "", batch)
    took.lap("append")
    assert [row.position for row in store.journal.newest(limit=2)] == [count, count - 1]
    newest = store.journal.newest(limit=200)
    took.lap("newest 200")
    assert len(newest) == min(200, count)
    assert store.journal.verify().damaged_at is None
    took.lap("verify")
    assert sum(1 for _ in store.journal.tail(timeout=0)) == count
    took.lap("follow")
    store.close()
    return took.laps


def submitters(folder: Path, count: int) -> dict[str, float]:
    """So many processes that submit at once, half of them the very same plan: none lost, none twice."""
    project = folder / "project"
    project.mkdir()
    took = Stopwatch()
    running: list[subprocess.Popen[bytes]] = []
    for number in range(count):
        content = "the same\n" if number % 2 else f"{number}\n"
        name = "same.txt" if number % 2 else f"f{number}.txt"
        text = json.dumps({"title": "t", "steps": [{"op": "create", "path": name, "content": content}]})
        process = subprocess.Popen(
            [sys.executable, "-m", "studio", "--project", str(project), "--json", "submit"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert process.stdin is not None
        process.stdin.write(text.encode())
        process.stdin.close()
        running.append(process)
    codes = [process.wait(300) for process in running]
    for process in running:
        for stream in (process.stdout, process.stderr):
            if stream is not None:
                stream.close()
    took.lap("submit")
    assert set(codes) == {0}, codes
    workspace = Workspace.open(project)
    names = sorted(plan.steps[0].path for plan in workspace.proposer.plans())
    workspace.close()
    assert names == sorted([*(f"f{n}.txt" for n in range(0, count, 2)), "same.txt"]), names
    return took.laps


class Stopwatch:
    """Seconds between laps."""

    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self._last = time.perf_counter()

    def lap(self, name: str) -> None:
        now = time.perf_counter()
        self.laps[name] = now - self._last
        self._last = now


def _opened(folder: Path, steps_allowed: int) -> Workspace:
    configuration = Path(os.environ["STUDIO_CONFIG_DIR"])
    configuration.mkdir(parents=True, exist_ok=True)
    (configuration / "config.yaml").write_text(f"limits: {{steps: {max(1000, steps_allowed)}}}\n")
    (folder / "project").mkdir()
    return Workspace.open(folder / "project")


PARTS: dict[str, tuple[Callable[[Path, int], dict[str, float]], int]] = {
    "steps": (steps, 10_000),
    "plans": (plans, 10_000),
    "entries": (entries, 1_000_000),
    "submitters": (submitters, 50),
}


def main(words: list[str]) -> int:
    for name, (part, usual) in PARTS.items():
        if words and words[0] != name:
            continue
        count = int(words[1]) if len(words) > 1 else usual
        with tempfile.TemporaryDirectory(prefix="studio-load-") as place:
            for variable in ("STUDIO_STATE_DIR", "STUDIO_CONFIG_DIR"):
                os.environ[variable] = str(Path(place, variable))
            laps = part(Path(place), count)
        said = ", ".join(f"{lap} {seconds:.2f} s" for lap, seconds in laps.items())
        print(f"{name}: {count:,}: {said}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
